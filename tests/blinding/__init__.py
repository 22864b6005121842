"""Proofs of blinding: what a person may not know changes no byte of what reaches them (B1)."""
