"""Figures of agreement, one module per page. They read tallies alone, of the cases that the viewer sees (B8)."""
