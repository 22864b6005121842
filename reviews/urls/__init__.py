"""Routes of machine evidence, one module per noun."""
