"""What a reviewer can see and must not: words in a change that tell where its defect is."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

# How fixtures give their defects away. Searched line by line, in comments and everywhere else.
_PHRASES = re.compile(
    rb"\b(?:BUG|DEFECT|VULN|VULNERABILITY|ORACLE|GOLDEN)\s*(?:#\s*\d+\s*)?:"
    rb"|(?i:\b(?:intentional(?:ly)?|deliberate(?:ly)?|seeded|planted|injected|mutated)\s+"
    rb"(?:an?\s+|the\s+)?(?:bug|bugs|buggy|defect|defects|fault|faults|flaw|flaws|vulnerab\w+|wrong|broken|mutant)\b)"
    rb"|(?i:\b(?:the|a)\s+(?:bug|defect)\s+is\s+(?:here|below|above)\b)"
    rb"|(?i:\bgolden[ _-]finding|\bground[ _-]truth\b|\bexpected[ _-]finding)"
)
# Shorter summaries and those of fewer words occur by chance.
SHORTEST_SUMMARY = 20
FEWEST_WORDS = 4
MOST_LEAKS = 20


@dataclass(frozen=True)
class Leak:
    """Something that tells: what it is, and the line where it stands. `tells_truth` when it names a golden finding."""

    path: str
    line: int
    what: str
    tells_truth: bool = False


def leaks_in(
    texts: Mapping[str, Iterable[tuple[int, bytes]]],
    *,
    ids: Iterable[str] = (),
    summaries: Mapping[str, str] | None = None,
) -> list[Leak]:
    """Return what tells in `texts` (numbered lines by path), at most `MOST_LEAKS`.

    `ids` are those of the case's golden findings, `summaries` their wording by id: a run of words that stands in a
    change as it does in the truth gives it away, whatever the case of letters.
    """
    return list(_bounded(_leaks(texts, tuple(ids), dict(summaries or {})), MOST_LEAKS))


def _leaks(
    texts: Mapping[str, Iterable[tuple[int, bytes]]], ids: tuple[str, ...], summaries: dict[str, str]
) -> Iterator[Leak]:
    marks = {identity.encode("ascii"): identity for identity in ids}
    wordings = {
        finding_id: flat
        for finding_id, words in summaries.items()
        if len(flat := _flat(words)) >= SHORTEST_SUMMARY and len(flat.split()) >= FEWEST_WORDS
    }
    for path, lines in texts.items():
        numbered = list(lines)
        for number, line in numbered:
            if found := _PHRASES.search(line):
                yield Leak(path, number, f'the words "{found[0].decode("ascii", "replace")}"')
            for mark, identity in marks.items():
                if mark in line:
                    yield Leak(path, number, f"the id of the golden finding {identity}", tells_truth=True)
        if wordings:
            yield from _wordings(path, numbered, wordings)


def _wordings(path: str, numbered: list[tuple[int, bytes]], wordings: dict[str, str]) -> Iterator[Leak]:
    """A comment may run over several lines, so the whole text is searched, its signs of comments taken for blanks."""
    starts, flat = [], ""
    for number, line in numbered:
        words = _flat(line.decode("utf-8", "replace"))
        starts.append((len(flat), number))
        flat += f"{words} " if words else ""
    for finding_id, wording in wordings.items():
        at = flat.find(wording)
        if at >= 0:
            where = max(number for start, number in starts if start <= at)
            yield Leak(path, where, f"the wording of the golden finding {finding_id}", tells_truth=True)


def _flat(words: str) -> str:
    return " ".join(re.sub(r"[\s#/*\-;\"'`.,:!?()]+", " ", words.casefold()).split())


def _bounded(leaks: Iterator[Leak], most: int) -> Iterator[Leak]:
    for _, leak in zip(range(most), leaks, strict=False):
        yield leak
