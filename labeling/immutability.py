"""Histories of human evidence whose rows the database keeps as they were written (N4)."""

from __future__ import annotations

from corpus.immutability import Guard

GUARDS = (
    Guard("labeling_labelrevision"),
    Guard("labeling_paircorrection"),
    # A decision stays as it was made; that it was undone is noted on it.
    Guard("labeling_adjudication", changeable=frozenset({"undone_at"})),
    # Figures of agreement are computed from tallies alone; what cannot change cannot go stale.
    Guard("labeling_tally"),
    Guard("labeling_tallyfinding"),
)
