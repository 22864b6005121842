"""Row filters, one module per noun. `visible_to(user)` is the one home of visibility for its model."""
