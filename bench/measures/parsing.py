"""Time against size for each reader and each pattern: eight times the input may cost about eight times as much."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial

from bench.timing import Row, interleaved
from bench.world import World
from corpus.domain.anchors import LineMap
from corpus.domain.change_kinds import kind_of_change
from corpus.domain.diff import PatchRefused, apply_hunks, parse_patch, sides_agree
from corpus.domain.diff_model import HunkShape
from corpus.domain.git_output import parse_changes, parse_sections
from corpus.domain.intraline import changed_spans
from corpus.domain.moves import ChangedLine, find_moves
from corpus.domain.pairing import pair_block
from corpus.rendering.text import code_html, decode

TIMES = 8
# What a busy machine and larger memory may add to eight times the work.
MOST_GROWTH = 1.6
ROUNDS = 9

GIT = b"diff --git a/f b/f\nindex 1111111..2222222 100644\n--- a/f\n+++ b/f\n"
HUNK = b"@@ -1 +1 @@\n-b\n+c\n"
MODES = b"\nold mode 100644\nnew mode 100755\n"
# Header lines near their limit, so that what grows is their number.
HEADER = 3_000


def patches(size: int) -> dict[str, bytes]:
    """Return patches of about `size` kilobytes, each hard for another part of the reader."""
    lines = size * 40
    headers = max(1, size // 3)
    return {
        "added lines": GIT + b"@@ -0,0 +1,%d @@\n" % lines + b"+a line of some length\n" * lines,
        "files": (GIT + HUNK) * (size * 10),
        "hunks": GIT + b"".join(b"@@ -%d +%d @@\n-b\n+c\n" % (at, at) for at in range(1, lines)),
        "one long line": GIT + b"@@ -1 +1 @@\n-" + b"ab " * (size * 160) + b"\n+" + b"ab " * (size * 160) + b"\n",
        "broken files": (GIT + b"@@ -1,9 +1,9 @@\n a\n") * (size * 8),
        "hunk headers without a file": b"@@ -1 +1 @@\n" * (size * 80) + GIT + HUNK,
        "blanks in names": (b"--- a" + b" " * HEADER + b"\n+++ b" + b" " * HEADER + b"\n" + HUNK) * headers,
        "slashes in names": (b"diff --git " + (b"a/" * 70 + b" ") * (HEADER // 140) + MODES) * headers,
        "quotes in names": (b'diff --git "' + b'\\"' * (HEADER // 2) + b'" "b"' + MODES) * headers,
        "binary remarks": (b"Binary files " + b"x and " * (HEADER // 6) + b" differ\n") * headers,
        "submodule lines": (b"Submodule " + b"a 1234567.." * (HEADER // 11) + b"\n") * headers + GIT + HUNK,
        "colour codes": (b"\x1b[" + b"1;" * (HEADER // 2) + b"\n") * headers + GIT + HUNK,
        "marks of word diffs": GIT + b"@@ -1 +1 @@\n-" + b"[-" * (size * 400) + b"\n+c\n",
        "markers of missing newlines": GIT + b"@@ -1 +1 @@\n-b\n" + b"\\ x\n" * (size * 200) + b"+c\n",
        "prose": b"Only in a word: Binary files and Index: --- +++\n" * (size * 20),
        "mail": b"From: a\n" + b"Content-Type: x\n" * (size * 60) + GIT + HUNK,
        "quoted mail": b"\n> --- a\n> +++ b\n" * (size * 60),
    }


def read(patch: bytes) -> None:
    """Read a patch, or be refused."""
    with suppress(PatchRefused):
        parse_patch(patch)


def others(size: int) -> dict[str, Callable[[], object]]:
    """Return work of a size on the other readers and on what compares lines."""
    count = size * 20
    texts = [f"value_{number} = compute(order, {number})" for number in range(count)]
    old = "\n".join(texts).encode() + b"\n"
    patch = GIT + b"@@ -1,%d +1,%d @@\n" % (count, count)
    patch += b"".join(b"-%s\n" % text.encode() for text in texts) + b"".join(
        b"+%s \n" % text.encode() for text in texts
    )
    (file,) = parse_patch(patch).files
    shapes = [HunkShape(3 * at + 1, 1, 3 * at + 1, 1, b"", "-+") for at in range(count)]
    lines = [ChangedLine(0, number, text) for number, text in enumerate(texts, 1)]
    numbers = LineMap(shapes)
    hostile = "<&\u202e\x00" * (count * 5)
    return {
        "records of git": partial(parse_changes, b":100644 100644 1 2 M\0f\0" * count + b"1\t1\tf\0" * count),
        "hunk numbers of git": partial(parse_sections, patch),
        "hunks applied": partial(apply_hunks, old, file),
        "sides compared": partial(sides_agree, old, old, shapes),
        "line numbers translated": lambda: [numbers.to_new(line) for line in range(1, count)],
        "lines of a block paired": partial(pair_block, texts, [text + "  # seen" for text in texts]),
        "white space told": partial(kind_of_change, texts, [text + " " for text in texts]),
        "moves found": partial(find_moves, lines, lines[count // 2 :] + lines[: count // 2]),
        "words of a line compared": partial(changed_spans, "a b " * count, "a c " * count),
        "bytes decoded": partial(decode, old * 4),
        "invisible characters marked": partial(code_html, hostile),
    }


def measure(world: World) -> Iterator[Row]:
    """Measure each input at two sizes; the figures are for the smaller one, the larger divided by their ratio."""
    del world
    small, large = patches(40), patches(40 * TIMES)
    works = {f"patch: {name}": (partial(read, small[name]), partial(read, large[name])) for name in small}
    short, long = others(40), others(40 * TIMES)
    works |= {name: (short[name], long[name]) for name in short}
    for name, (one, many) in works.items():
        first, more = interleaved([one, many], rounds=ROUNDS, warm_up=1)
        yield Row(f"{name}, x{TIMES}", more / TIMES, first, "ms", MOST_GROWTH)
