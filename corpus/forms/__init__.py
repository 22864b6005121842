"""Forms: what people send, parsed and checked for shape; services decide the rest."""
