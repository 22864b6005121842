"""Foreign formats and the inputs bundle, each a pure function from a manifest to named bytes and a list of losses."""
