"""Human evidence: rounds, assignments, blinded labels, comparison, disagreements, adjudication."""
