"""Pure modules: no Django, no clock, no unseeded randomness."""
