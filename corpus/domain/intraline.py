"""Which parts of a changed line changed: words first, never inside a joined character.

Lines of one block are paired by position; a pair is marked only when enough of it is alike, since marks all over a
rewritten line say nothing. Work is bounded by the number of words, so that no input is slow.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from difflib import SequenceMatcher

Span = tuple[int, int]

MOST_WORDS = 400
LEAST_ALIKE = 0.4

_WORD = re.compile(r"\w+|\s+|.", re.DOTALL)
_JOINERS = "\u200d\ufe0e\ufe0f"


def changed_spans(old: str, new: str) -> tuple[list[Span], list[Span]]:
    """Return the changed spans of two versions of a line, as code point offsets, end exclusive.

    Both lists are empty when the lines are equal, too long, or so unlike that the whole line is the change.
    """
    if old == new:
        return [], []
    old_words, new_words = _WORD.findall(old), _WORD.findall(new)
    if len(old_words) > MOST_WORDS or len(new_words) > MOST_WORDS:
        return [], []
    matcher = SequenceMatcher(None, old_words, new_words, autojunk=False)
    alike = sum(
        sum(len(word.strip()) for word in old_words[block.a : block.a + block.size])
        for block in matcher.get_matching_blocks()
    )
    longest = max(len(old.strip()), len(new.strip()), 1)
    if alike / longest < LEAST_ALIKE:
        return [], []
    old_starts, new_starts = _starts(old_words), _starts(new_words)
    old_spans: list[Span] = []
    new_spans: list[Span] = []
    for tag, a, b, c, d in matcher.get_opcodes():
        if tag == "equal":
            continue
        if a < b:
            old_spans.append((old_starts[a], old_starts[b]))
        if c < d:
            new_spans.append((new_starts[c], new_starts[d]))
    return _whole_characters(old, old_spans), _whole_characters(new, new_spans)


def pair_block(removed: Sequence[str], added: Sequence[str]) -> list[tuple[int, int]]:
    """Return which removed line is compared with which added line of one block, by position."""
    return [(index, index) for index in range(min(len(removed), len(added)))]


def _starts(words: Sequence[str]) -> list[int]:
    starts = [0]
    for word in words:
        starts.append(starts[-1] + len(word))
    return starts


def _joins(character: str) -> bool:
    """Say whether the character belongs to the one before it."""
    return unicodedata.combining(character) != 0 or character in _JOINERS or unicodedata.category(character) == "Mn"


def _whole_characters(text: str, spans: Sequence[Span]) -> list[Span]:
    """Widen spans so that none begins or ends inside a joined character, and merge those that then touch."""
    widened: list[Span] = []
    for start, end in spans:
        while start > 0 and (_joins(text[start]) or text[start - 1] == "\u200d"):
            start -= 1
        while end < len(text) and (_joins(text[end]) or text[end - 1] == "\u200d"):
            end += 1
        if widened and start <= widened[-1][1]:
            widened[-1] = (widened[-1][0], max(end, widened[-1][1]))
        else:
            widened.append((start, end))
    return widened
