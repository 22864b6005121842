"""Every write of machine evidence: one function for each transition."""
