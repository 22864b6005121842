"""What the words of an AI finding and a golden finding share. Shown to people beside a proposal; decides nothing."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

_WORD = re.compile(r"[^\W_]+(?:_[^\W_]+)*")
SHORTEST = 4
MOST_TERMS = 12
# Words of every review, which say nothing of one defect.
COMMON = frozenset(
    """
    also another because before being between both called case change code could does each else even ever every file
    from have here into just line lines like make might more must never once only other over same should some such than
    that their them then there these they this those through under used uses value very what when where which while
    will with without would your
    """.split()  # noqa: SIM905 - a list of a hundred strings reads worse
)


@dataclass(frozen=True)
class TextEvidence:
    """Keywords and explanation elements of the golden finding that the words hold, and other terms of both."""

    keywords: tuple[str, ...]
    elements: tuple[str, ...]
    terms: tuple[str, ...]


def text_evidence(said: str, golden: str, keywords: Sequence[str], elements: Sequence[str]) -> TextEvidence:
    """Compare by whole words without regard to case; an element counts when all its longer words are there."""
    words = words_of(said)
    shared = {word for word in words & words_of(golden) if len(word) >= SHORTEST and word not in COMMON}
    return TextEvidence(
        keywords=tuple(word for word in keywords if words_of(word) and words_of(word) <= words),
        elements=tuple(element for element in elements if _content(element) and _content(element) <= words),
        terms=tuple(sorted(shared)[:MOST_TERMS]),
    )


def words_of(text: str) -> set[str]:
    """Return the words of a text in lower case; names with underscores are one word."""
    return {found.group().lower() for found in _WORD.finditer(text)}


def _content(text: str) -> set[str]:
    return {word for word in words_of(text) if len(word) >= SHORTEST and word not in COMMON}
