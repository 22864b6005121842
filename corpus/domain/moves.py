"""Lines that were removed in one place and added in another.

    moves = find_moves(removed, added)

`removed` and `added` are the changed lines of one file, or of all files of a change, in order. A move is a run of lines
that follow each other on both sides with exactly the same text: at least LEAST_LINES lines and LEAST_CHARACTERS
characters that are not blank. Each line belongs to one move at most, and each move names both its places, so that each
can link to the other. Time is linear in the number of lines.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from corpus.domain.vocabulary import Side

LEAST_LINES = 2
# Nobody follows moves in a change of more lines than this on a side, and looking for them needs memory.
MOST_LINES = 100_000
LEAST_CHARACTERS = 20


class ChangedLine(NamedTuple):
    """A removed line with its old number, or an added line with its new one. `file` is any number that tells files."""

    file: int
    number: int
    text: str


@dataclass(frozen=True, slots=True)
class Move:
    """`length` lines from `old_first` on in `old_file` that stand from `new_first` on in `new_file`."""

    old_file: int
    old_first: int
    new_file: int
    new_first: int
    length: int

    @property
    def old_last(self) -> int:
        """The last line of the old place."""
        return self.old_first + self.length - 1

    @property
    def new_last(self) -> int:
        """The last line of the new place."""
        return self.new_first + self.length - 1


def find_moves(removed: Sequence[ChangedLine], added: Sequence[ChangedLine]) -> list[Move]:
    """Return the moves, longest first; of equal length those that were removed first come first.

    A run is found by two lines in a row that stand together once among the removed and once among the added lines: what
    stands there more often does not tell where it went. None are looked for among more than MOST_LINES lines.
    """
    if max(len(removed), len(added)) > MOST_LINES:
        return []
    old_places, new_places = _only_places(removed), _only_places(added)
    runs: list[tuple[int, int, int]] = []
    found_old: set[int] = set()
    for key, old_at in old_places.items():
        new_at = new_places.get(key)
        if old_at is None or new_at is None or old_at in found_old:
            continue
        run = _extended(removed, added, old_at, new_at)
        found_old.update(range(run[0], run[0] + run[2]))
        runs.append(run)
    moves = []
    taken_old: set[int] = set()
    taken_new: set[int] = set()
    for old_at, new_at, length in sorted(runs, key=lambda run: (-run[2], run[0])):
        free = [old_at + step not in taken_old and new_at + step not in taken_new for step in range(length)]
        for first, size in _free_parts(free):
            lines = removed[old_at + first : old_at + first + size]
            if not _is_worth_it(lines):
                continue
            taken_old.update(range(old_at + first, old_at + first + size))
            taken_new.update(range(new_at + first, new_at + first + size))
            old, new = lines[0], added[new_at + first]
            moves.append(Move(old.file, old.number, new.file, new.number, size))
    return sorted(moves, key=lambda move: (-move.length, move.old_file, move.old_first))


def moves_by_line(moves: Iterable[Move], file: int) -> Mapping[tuple[Side, int], Move]:
    """Return the move that each moved line of one file belongs to, by side and number."""
    lines: dict[tuple[Side, int], Move] = {}
    for move in moves:
        if move.old_file == file:
            lines |= {(Side.OLD, number): move for number in range(move.old_first, move.old_last + 1)}
        if move.new_file == file:
            lines |= {(Side.NEW, number): move for number in range(move.new_first, move.new_last + 1)}
    return lines


def _only_places(lines: Sequence[ChangedLine]) -> dict[tuple[str, str], int | None]:
    """Return where each two texts stand in a row; None for those that stand so more than once."""
    places: dict[tuple[str, str], int | None] = {}
    for at in range(len(lines) - 1):
        if _follow(lines, at):
            key = (lines[at].text, lines[at + 1].text)
            places[key] = None if key in places else at
    return places


def _follow(lines: Sequence[ChangedLine], at: int) -> bool:
    """Say whether the line after `at` is the next line of the same file."""
    one, other = lines[at], lines[at + 1]
    return one.file == other.file and one.number + 1 == other.number


def _extended(
    removed: Sequence[ChangedLine], added: Sequence[ChangedLine], old_at: int, new_at: int
) -> tuple[int, int, int]:
    """Return the longest run of equal lines around two places: its first positions and its length."""
    first = 0
    while (
        min(old_at, new_at) + first > 0
        and removed[old_at + first - 1].text == added[new_at + first - 1].text
        and _follow(removed, old_at + first - 1)
        and _follow(added, new_at + first - 1)
    ):
        first -= 1
    last = 1
    while (
        old_at + last + 1 < len(removed)
        and new_at + last + 1 < len(added)
        and removed[old_at + last + 1].text == added[new_at + last + 1].text
        and _follow(removed, old_at + last)
        and _follow(added, new_at + last)
    ):
        last += 1
    return old_at + first, new_at + first, last - first + 1


def _free_parts(free: Sequence[bool]) -> Iterable[tuple[int, int]]:
    """Yield each run of true values as (first, size)."""
    first = None
    for at, is_free in enumerate([*free, False]):
        if is_free and first is None:
            first = at
        elif not is_free and first is not None:
            yield first, at - first
            first = None


def _is_worth_it(lines: Sequence[ChangedLine]) -> bool:
    return len(lines) >= LEAST_LINES and sum(len("".join(line.text.split())) for line in lines) >= LEAST_CHARACTERS
