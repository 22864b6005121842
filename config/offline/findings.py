"""The shape of findings, anchors and changes that `touchstone pair` and `touchstone match` read."""

from __future__ import annotations

from config.offline.located import Located
from corpus.domain.places import Anchor, FilePair, HunkRange, LineRange
from corpus.domain.vocabulary import AnchorLevel, Side

MAX_CASES = 10_000
MAX_FINDINGS = 500
MAX_ALTERNATES = 50
MAX_ANCHORS = 200
MAX_RANGES = 1_000
MAX_FILES = 20_000
MAX_HUNKS = 20_000
MAX_LINE = 2**31 - 1
MAX_ID = 200


def read_anchors(place: Located | None) -> tuple[Anchor, ...]:
    """Return a list of anchors; none at all means that the finding names no place."""
    if place is None:
        return ()
    return tuple(_read_anchor(member) for member in place.items(at_most=MAX_ANCHORS))


def read_alternates(place: Located | None) -> tuple[tuple[Anchor, ...], ...]:
    """Return the alternate places, each a list of anchors."""
    if place is None:
        return ()
    return tuple(read_anchors(member) for member in place.items(at_most=MAX_ALTERNATES))


def _read_anchor(place: Located) -> Anchor:
    """Read `{file, side, lines}`; without lines it is the whole file, with `file` null the repository."""
    level = place.get("level")
    named = AnchorLevel.LINES if level is None else level.choice(AnchorLevel)
    if named is AnchorLevel.REPOSITORY or ("file" in place.object() and place.get("file") is None):
        if place.get("lines") is not None:
            place.fail("lines need a file")
        return Anchor(None)
    path = place.at("file").text()
    side_place = place.get("side")
    side = None if side_place is None else side_place.choice(Side)
    lines = place.get("lines")
    ranges = () if lines is None else tuple(read_range(member) for member in lines.items(at_most=MAX_RANGES))
    if ranges and side is None:
        place.fail('lines need a "side", old or new')
    if ranges and named is AnchorLevel.FILE:
        place.fail("an anchor of level file has no lines")
    if level is not None and named is AnchorLevel.LINES and not ranges:
        place.fail('an anchor of level lines needs "lines"')
    return Anchor(path, side, ranges)


def read_range(place: Located) -> LineRange:
    """Read `[first, last]`, both inclusive and counted from 1."""
    members = place.items(at_least=2, at_most=2)
    first, last = (member.integer(1, MAX_LINE) for member in members)
    if first > last:
        place.fail(f"the range is inverted: {first} is after {last}")
    return first, last


def read_change(place: Located | None) -> tuple[list[FilePair], list[HunkRange]]:
    """Read the optional `files` (`{old, new}`) and `hunks` (`{file, old, new}`) of a case; null is absent."""
    if place is None:
        return [], []
    files = place.get("files")
    hunks = place.get("hunks")
    return (
        [] if files is None else [_read_file(member) for member in files.items(at_most=MAX_FILES)],
        [] if hunks is None else [_read_hunk(member) for member in hunks.items(at_most=MAX_HUNKS)],
    )


def _read_file(place: Located) -> FilePair:
    old = place.get("old") or place.get("old_path")
    new = place.get("new") or place.get("new_path")
    if old is None and new is None:
        place.fail('a file needs an "old" or a "new" path')
    return FilePair(None if old is None else old.text(), None if new is None else new.text())


def _read_hunk(place: Located) -> HunkRange:
    path = place.at("file").text()
    old, new = place.get("old"), place.get("new")
    return HunkRange(
        path,
        None if old is None or old.value == [] else read_range(old),
        None if new is None or new.value == [] else read_range(new),
    )
