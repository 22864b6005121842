"""Places written out as sets of lines: the model that alignment and matching are checked against."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

from corpus.domain.places import Anchor, FilePair, HunkRange
from corpus.domain.vocabulary import Side

RENAME = FilePair("before.py", "after.py")
HUNKS = [HunkRange("after.py", (1, 6), (1, 8)), HunkRange("main.py", (3, 9), (4, 6))]
WINDOW = 5


def file_of(path):
    return "after.py" if path == "before.py" else path


def lines_of(anchors):
    return {
        (file_of(anchor.path), anchor.side, line)
        for anchor in anchors
        for first, last in anchor.ranges
        for line in range(first, last + 1)
    }


def whole_files_of(anchors):
    return {file_of(anchor.path) for anchor in anchors if not anchor.ranges}


def distance(left, right):
    """Return (exact cost, shares a line, IoU) of two anchor lists, or None."""
    ours, theirs = lines_of(left), lines_of(right)
    shared = len(ours & theirs)
    if shared:
        iou = Fraction(shared, len(ours | theirs))
        cost = 1 - (iou + Fraction(shared, min(len(ours), len(theirs)))) / 2
        return Fraction(int(cost * 10_000 + Fraction(1, 2)), 10_000), True, iou
    gaps = [abs(one[2] - other[2]) for one in ours for other in theirs if one[:2] == other[:2]]
    if gaps and min(gaps) <= WINDOW:
        return 1 + Fraction(min(gaps), 2 * WINDOW), False, Fraction(0)
    for hunk in HUNKS:
        sides = [
            {
                side
                for path, side, line in lines
                if path == file_of(hunk.path) and span(hunk, side)[0] <= line <= span(hunk, side)[1]
            }
            for lines in (ours, theirs)
        ]
        if (Side.OLD in sides[0] and Side.NEW in sides[1]) or (Side.NEW in sides[0] and Side.OLD in sides[1]):
            return Fraction(3, 2), False, Fraction(0)
    our_files = whole_files_of(left) | {path for path, _, _ in ours}
    their_files = whole_files_of(right) | {path for path, _, _ in theirs}
    if whole_files_of(left) & their_files or whole_files_of(right) & our_files:
        return Fraction(3, 2), False, Fraction(0)
    return None


def span(hunk, side):
    return hunk.old if side is Side.OLD else hunk.new


def closest(left, right):
    """Return the least distance over all combinations of primary and alternate places, or None."""
    found = [
        distance(one, other)
        for one, other in product((left.anchors, *left.alternates), (right.anchors, *right.alternates))
    ]
    return min((one for one in found if one is not None), key=lambda one: one[0], default=None)


def random_anchors(source):
    anchors = []
    for _ in range(source.choice([1, 1, 1, 2])):
        path = source.choice(["main.py", "main.py", "after.py", "before.py"])
        side = Side.OLD if path == "before.py" else source.choice([Side.NEW, Side.NEW, Side.OLD])
        if source.random() < 0.1:
            anchors.append(Anchor(path, side))
        else:
            first = source.randint(1, 16)
            anchors.append(Anchor(path, side, ((first, first + source.choice([0, 0, 1, 3])),)))
    return tuple(anchors)


def random_alternates(source):
    return tuple(random_anchors(source) for _ in range(source.choice([0, 0, 0, 1])))


def place_order(finding):
    """Return what canonical order compares first: the first file and side with its first and last line."""
    keys = []
    lines = lines_of(finding.anchors)
    for path, side in {line[:2] for line in lines}:
        numbers = [number for *which, number in lines if tuple(which) == (path, side)]
        keys.append((path, side.value, min(numbers), max(numbers)))
    keys += [(path, "", 0, 0) for path in whole_files_of(finding.anchors)]
    return min(keys)
