"""Speed, measured: the product beside reference views and a bare site, in one run. `python -m bench` prints the table.

Nothing here is a timed test: on a busy machine only ratios of interleaved measurements mean something.
"""
