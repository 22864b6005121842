"""Machine evidence whose rows the database keeps as they were written (N4)."""

from __future__ import annotations

from corpus.immutability import Guard

GUARDS = (
    Guard("reviews_rawrecord"),
    Guard("reviews_aifinding"),
    Guard("reviews_aianchor", erasable=frozenset({"quote"})),
    Guard("reviews_judgeverdict"),
    # Only whether it is the current one changes.
    Guard("reviews_matching", changeable=frozenset({"is_current"})),
    # Only whether it waits for a ruling changes.
    Guard("reviews_match", changeable=frozenset({"is_open"})),
    Guard("reviews_ruling"),
    Guard("reviews_toolconfiguration"),
    Guard("reviews_configurationparameter"),
    Guard("reviews_sourcesettings"),
    Guard("reviews_severitymapping"),
)
