"""Which parts of a changed line changed: words first, then characters where one word became another.

A pair of lines is marked only when enough of it is alike, since marks all over a rewritten line say nothing. Spans are
code point offsets and never begin or end inside a character as people see it. Work is bounded by the number of words.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from corpus.domain.clusters import cluster_starts, clusters
from corpus.domain.sequences import changed_runs, common_pairs

Span = tuple[int, int]
Run = tuple[int, int, int, int]

MOST_WORDS = 2_000
MOST_CHARACTERS = 200
LEAST_ALIKE = 0.4
# A word of which less than this stayed is a new word.
LEAST_ALIKE_WORD = 0.5
# Fewer characters than this between two changes join them, and more changes than this in a word are a new word.
SHORTEST_REST = 2
MOST_MARKS = 3

_WORD = re.compile(r"\w+|\s+|.", re.DOTALL)


def changed_spans(old: str, new: str) -> tuple[list[Span], list[Span]]:
    """Return the changed spans of two versions of a line, as code point offsets, end exclusive, in order.

    What lies outside the spans is the same text on both sides. Both lists are empty when the lines are equal, too long,
    or so unlike that the whole line is the change.
    """
    if old == new:
        return [], []
    old_words, new_words = words_of(old), words_of(new)
    if len(old_words) > MOST_WORDS or len(new_words) > MOST_WORDS:
        return [], []
    pairs = common_pairs(old_words, new_words)
    old_starts, new_starts = _starts(old_words), _starts(new_words)
    same = sum(len(old_words[at].strip()) for at, _ in pairs)
    old_spans: list[Span] = []
    new_spans: list[Span] = []
    for a, b, c, d in _joined(changed_runs(len(old_words), len(new_words), pairs), old_words):
        inner = _inside_word(old_words[a], new_words[c]) if (b - a, d - c) == (1, 1) else None
        if inner is None:
            inner = [(0, old_starts[b] - old_starts[a], 0, new_starts[d] - new_starts[c])]
        elif not old_words[a].isspace():
            same += len(old_words[a]) - sum(last - first for first, last, _, _ in inner)
        old_spans += [(old_starts[a] + first, old_starts[a] + last) for first, last, _, _ in inner if first < last]
        new_spans += [(new_starts[c] + first, new_starts[c] + last) for _, _, first, last in inner if first < last]
    if same < LEAST_ALIKE * max(len(old.strip()), len(new.strip())) and not _only_space_differs(old_words, new_words):
        return [], []
    return old_spans, new_spans


def words_of(text: str) -> list[str]:
    """Return the words, blanks and single signs of `text`, each of whole characters; joined they are the text."""
    words = _WORD.findall(text)
    if text.isascii():
        return words
    starts = frozenset(cluster_starts(text))
    whole: list[str] = []
    position = 0
    for word in words:
        if position in starts or not whole:
            whole.append(word)
        else:
            whole[-1] += word
        position += len(word)
    return whole


def _only_space_differs(old_words: Sequence[str], new_words: Sequence[str]) -> bool:
    return [word for word in old_words if not word.isspace()] == [word for word in new_words if not word.isspace()]


def _joined(runs: Sequence[Run], old_words: Sequence[str]) -> list[Run]:
    """Return the runs with those joined between which only blanks stayed."""
    joined: list[Run] = []
    for run in runs:
        if joined:
            a, b, c, d = joined[-1]
            between = old_words[b : run[0]]
            replaces = (b > a and d > c) or (run[1] > run[0] and run[3] > run[2])
            if replaces and all(word.isspace() for word in between):
                joined[-1] = (a, run[1], c, run[3])
                continue
        joined.append(run)
    return joined


def _inside_word(old: str, new: str) -> list[Run] | None:
    """Return which characters changed from one word to another, as code point offsets; None for a new word."""
    if len(old) > MOST_CHARACTERS or len(new) > MOST_CHARACTERS:
        return None
    old_parts, new_parts = clusters(old), clusters(new)
    longest = max(len(old_parts), len(new_parts))
    pairs = common_pairs(old_parts, new_parts)
    if len(pairs) < LEAST_ALIKE_WORD * longest:
        return None
    runs: list[Run] = []
    for run in changed_runs(len(old_parts), len(new_parts), pairs):
        if runs and run[0] - runs[-1][1] < SHORTEST_REST:
            runs[-1] = (runs[-1][0], run[1], runs[-1][2], run[3])
        else:
            runs.append(run)
    if len(runs) > MOST_MARKS:
        return None
    old_starts, new_starts = _starts(old_parts), _starts(new_parts)
    return [(old_starts[a], old_starts[b], new_starts[c], new_starts[d]) for a, b, c, d in runs]


def _starts(parts: Sequence[str]) -> list[int]:
    starts = [0]
    for part in parts:
        starts.append(starts[-1] + len(part))
    return starts
