"""Headers of a patch: names, status, modes and what kind of file section starts at a line.

Names are bytes. git quotes names in C style; others put a time stamp behind a TAB.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from corpus.domain.diff_model import Status
from corpus.domain.patch_hunks import SectionProblem

DEV_NULL = b"/dev/null"

_SIMPLE_ESCAPES = {
    b"a": 7,
    b"b": 8,
    b"t": 9,
    b"n": 10,
    b"v": 11,
    b"f": 12,
    b"r": 13,
    b'"': 34,
    b"\\": 92,
}
_QUOTED = re.compile(rb'"(?:[^"\\]|\\.)*"')
_ESCAPE = re.compile(rb"\\(?:([0-3][0-7]{2})|(.?))", re.DOTALL)
_TRAILING_STAMP = re.compile(rb"(?<! ) +[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}[-+:. 0-9]*$")
_STAMP = re.compile(
    rb"(1970-01-01|1969-12-31) ([0-9]{2}):([0-9]{2}):([0-9]{2})(?:[.]0+)?(?: ([-+])([0-9]{2}):?([0-9]{2}))?"
)
# The epoch as ctime prints it (Mercurial, old diff), and as CVS does.
_EPOCH_WORDS = re.compile(
    rb"[A-Z][a-z]{2} Jan {1,2}0?1 00:00:00 1970(?: [-+]0000)?|0?1 Jan 1970 00:00:00(?: [-+]0000)?", re.IGNORECASE
)
_MODE = re.compile(rb"[0-7]{6}")
_INDEX = re.compile(rb"([0-9a-f]{4,64})\.\.([0-9a-f]{4,64})(?: ([0-7]{6}))?")
_SIMILARITY = re.compile(rb"([0-9]{1,3})%")
_SUBMODULE_LOG = re.compile(rb"Submodule .+ [0-9a-f]{7,64}\.{2,3}[0-9a-f]{7,64}(?: \([a-z ]+\))?:?")

GIT_KEYS = (
    b"old mode ",
    b"new mode ",
    b"deleted file mode ",
    b"new file mode ",
    b"similarity index ",
    b"dissimilarity index ",
    b"rename from ",
    b"rename to ",
    b"copy from ",
    b"copy to ",
    b"index ",
    b"--- ",
    b"+++ ",
    b"Binary files ",
    b"Binary file ",
    b"GIT binary patch",
)

# At so many blanks two names are looked for, so that no header line is slow.
_MOST_SPLITS = 200
_LAST_KEYS = (b"+++ ", b"Binary files ", b"Binary file ", b"GIT binary patch")


def unquote(quoted: bytes) -> bytes:
    """Undo C-style quoting of a name given with its double quotes; ValueError if it is malformed."""

    def byte_of(match: re.Match[bytes]) -> bytes:
        octal, letter = match.groups()
        if octal is not None:
            return bytes([int(octal, 8)])
        if letter not in _SIMPLE_ESCAPES:
            raise ValueError("malformed quoted path")
        return bytes([_SIMPLE_ESCAPES[letter]])

    return _ESCAPE.sub(byte_of, quoted[1:-1])


def split_name(operand: bytes, *, stamps: bool) -> tuple[bytes, bytes]:
    """Name and time stamp after `--- ` or `+++ `; ValueError if quoting is malformed.

    `stamps`: a time stamp may also follow blanks, as some tools print it.
    """
    if operand.startswith(b'"'):
        match = _QUOTED.match(operand)
        rest = operand[match.end() :] if match else b""
        if match is None or (rest and rest[:1] not in (b"\t", b" ")):
            raise ValueError("malformed quoted path")
        return unquote(match.group()), rest.strip()
    name, _, stamp = operand.partition(b"\t")
    if stamps and not stamp:
        match = _TRAILING_STAMP.search(name)
        if match:
            return name[: match.start()], match.group().strip()
    return name, stamp


def means_absent(stamp: bytes) -> bool:
    """Whether a time stamp says that the side does not exist: the epoch, or Subversion's words for it."""
    if stamp.rstrip().lower().endswith((b"(revision 0)", b"(nonexistent)")) or _EPOCH_WORDS.fullmatch(stamp.strip()):
        return True
    match = _STAMP.fullmatch(stamp.strip())
    if match is None:
        return False
    day, hours, minutes, seconds, sign, zone_hours, zone_minutes = match.groups()
    at = int(hours) * 3600 + int(minutes) * 60 + int(seconds) - (86400 if day == b"1969-12-31" else 0)
    zone = int(zone_hours or 0) * 3600 + int(zone_minutes or 0) * 60
    return at == (-zone if sign == b"-" else zone)


@dataclass(slots=True)
class Header:
    """What the header lines of one file say.

    `absent_*`: the side does not exist if the hunks agree. `names_given`: there are `---` and `+++`, so hunks follow.
    """

    index: int
    old_path: bytes | None = None
    new_path: bytes | None = None
    status: Status = "modified"
    old_mode: str | None = None
    new_mode: str | None = None
    old_oid: str | None = None
    new_oid: str | None = None
    similarity: int | None = None
    binary: bool = False
    absent_old: bool = False
    absent_new: bool = False
    names_given: bool = False


def git_names(rest: bytes) -> tuple[bytes, bytes] | None:
    """The two names of `diff --git X Y` with their prefixes, or None when the line alone does not tell.

    Both are quoted or not on their own. Unquoted names may hold blanks: then the split is the one at which the names
    are equal but for a prefix, which is in the middle for prefixes of equal length. Of several the longest path wins.
    """
    if rest.startswith(b'"'):
        match = _QUOTED.match(rest)
        if match is None or rest[match.end() : match.end() + 1] != b" ":
            return None
        second = rest[match.end() + 1 :]
        if second.startswith(b'"'):
            if _QUOTED.fullmatch(second) is None:
                return None
            second = unquote(second)
        return unquote(match.group()), second
    if rest.endswith(b'"'):
        cut = rest.find(b' "')
        if cut < 0 or _QUOTED.fullmatch(rest[cut + 1 :]) is None:
            return None
        return rest[:cut], unquote(rest[cut + 1 :])
    half = len(rest) // 2
    if rest[half : half + 1] == b" " and same_name(rest[:half], rest[half + 1 :]) is not None:
        return rest[:half], rest[half + 1 :]
    best, longest = None, 0
    cut = rest.find(b" ")
    for _ in range(_MOST_SPLITS):
        if cut < 0:
            break
        first, second = rest[:cut], rest[cut + 1 :]
        path = same_name(first, second)
        if path is not None and len(path) > longest:
            best, longest = (first, second), len(path)
        cut = rest.find(b" ", cut + 1)
    if best is not None:
        return best
    if rest.count(b" ") == 1:
        # `git diff --no-index` compares files of different names.
        first, _, second = rest.partition(b" ")
        return (first, second) if first and second else None
    return None


def same_name(first: bytes, second: bytes) -> bytes | None:
    """The path that both names mean, without their prefixes; None if they mean different paths.

    Equal names have no prefix (`--no-prefix`). `a/` and `b/` are stripped once. Of any other prefixes the path is the
    longest common end that starts after a slash in both.
    """
    if first == second:
        return first
    if first[:2] == b"a/" and second[:2] == b"b/":
        return first[2:] if first[2:] == second[2:] else None
    # Both must hold the slash before the path, so it is the first one of what they end with in common.
    slash = first.find(b"/", len(first) - _common_end(first, second))
    return first[slash + 1 :] or None if slash >= 0 else None


def _common_end(first: bytes, second: bytes) -> int:
    """How many bytes two names end with in common, in a number of comparisons that hardly grows with them."""
    low, high = 0, min(len(first), len(second))
    while low < high:
        middle = (low + high + 1) // 2
        if first.endswith(second[-middle:]):
            low = middle
        else:
            high = middle - 1
    return low


def without_prefixes(first: bytes | None, second: bytes | None) -> tuple[bytes | None, bytes | None]:
    """Names of a plain patch less `a/` and `b/`, which are prefixes only as a pair (or alone beside /dev/null)."""
    if (first is None or first.startswith(b"a/")) and (second is None or second.startswith(b"b/")):
        return first and first[2:], second and second[2:]
    return first, second


def read_git_header(lines: Sequence[bytes], index: int) -> tuple[Header, int]:
    """Read the header of the git section at `lines[index]`; returns it and the index after it."""
    header, at = Header(index), index + 1
    fields: dict[bytes, bytes] = {}
    while at < len(lines):
        line = lines[at].removesuffix(b"\r")
        if line.startswith(b"remerge "):
            at += 1
            continue
        key = next((key for key in GIT_KEYS if line.startswith(key)), None)
        if key is None:
            break
        if key in fields:
            raise SectionProblem(f"header line {key.decode().strip()!r} appears twice", at, at + 1)
        if key == b"--- " and not (at + 1 < len(lines) and lines[at + 1].startswith(b"+++ ")):
            raise SectionProblem("--- without +++ after it", at, at + 1)
        if key == b"+++ " and b"--- " not in fields:
            raise SectionProblem("+++ without --- before it", at, at + 1)
        fields[key] = line[len(key) :]
        at += 1
        if key in _LAST_KEYS:
            break
    header.names_given = b"+++ " in fields
    try:
        _take_fields(header, fields)
        _take_names(header, fields, lines[index].removesuffix(b"\r")[len(b"diff --git ") :])
    except ValueError as error:
        raise SectionProblem(str(error), index, at) from error
    return header, at


def _take_fields(header: Header, fields: dict[bytes, bytes]) -> None:
    """Status, modes, object names, similarity and binary flag from the lines other than names."""
    header.old_mode = _mode(fields.get(b"old mode "))
    header.new_mode = _mode(fields.get(b"new mode "))
    if (header.old_mode is None) != (header.new_mode is None):
        raise ValueError("old mode and new mode belong together")
    if b"new file mode " in fields:
        header.status, header.new_mode = "added", _mode(fields[b"new file mode "])
    if b"deleted file mode " in fields:
        if header.status == "added":
            raise ValueError("the header says both new and deleted")
        header.status, header.old_mode = "deleted", _mode(fields[b"deleted file mode "])
    words: tuple[tuple[Status, bytes], ...] = (("renamed", b"rename"), ("copied", b"copy"))
    for status, word in words:
        stated = (word + b" from " in fields, word + b" to " in fields)
        if not any(stated):
            continue
        if not all(stated) or header.status != "modified":
            raise ValueError(f"incomplete or contradictory {word.decode()} lines")
        header.status = status
    if b"index " in fields:
        match = _INDEX.fullmatch(fields[b"index "])
        if match is None:
            raise ValueError("malformed index line")
        header.old_oid, header.new_oid = match.group(1).decode(), match.group(2).decode()
        if match.group(3) is not None:
            header.old_mode = header.new_mode = match.group(3).decode()
    if b"similarity index " in fields and header.status in ("renamed", "copied"):
        percent = _SIMILARITY.fullmatch(fields[b"similarity index "])
        if percent is None or int(percent.group(1)) > 100:
            raise ValueError("malformed similarity index")
        header.similarity = int(percent.group(1))
    header.binary = any(key in fields for key in (b"Binary files ", b"Binary file ", b"GIT binary patch"))


def _mode(value: bytes | None) -> str | None:
    if value is None:
        return None
    if _MODE.fullmatch(value) is None:
        raise ValueError("malformed file mode")
    return value.decode()


def _take_names(header: Header, fields: dict[bytes, bytes], rest: bytes) -> None:
    """Paths: from rename or copy lines, else from `---` and `+++`, else from the `diff --git` line."""
    if header.status in ("renamed", "copied"):
        word = b"rename" if header.status == "renamed" else b"copy"
        header.old_path = _whole_name(fields[word + b" from "])
        header.new_path = _whole_name(fields[word + b" to "])
        _refuse_odd_names(header)
        return
    old = new = None
    if b"+++ " in fields:
        old, new = (split_name(fields[key], stamps=False)[0] for key in (b"--- ", b"+++ "))
        if old == DEV_NULL and new == DEV_NULL:
            raise ValueError("neither side has a path")
        if old == DEV_NULL and header.status in ("modified", "added"):
            header.status = "added"
        elif new == DEV_NULL and header.status in ("modified", "deleted"):
            header.status = "deleted"
        elif DEV_NULL in (old, new):
            raise ValueError("the header contradicts /dev/null")
    first, second = _both_names(rest, old, new)
    path = same_name(first, second)
    if path is not None:
        first = second = path
    else:
        first, second = (name or b"" for name in without_prefixes(first, second))
    header.old_path = None if header.status == "added" else first
    header.new_path = None if header.status == "deleted" else second
    if header.status == "added":
        header.old_mode = None
    if header.status == "deleted":
        header.new_mode = None
    _refuse_odd_names(header)


def _both_names(rest: bytes, old: bytes | None, new: bytes | None) -> tuple[bytes, bytes]:
    """Both names with their prefixes; `old` and `new` as given by `---` and `+++`, `rest` by `diff --git`."""
    if old is not None and new is not None and DEV_NULL not in (old, new):
        return old, new
    if b'"' not in rest:
        # One name is known, so the other is what the line holds besides it.
        if new not in (None, DEV_NULL) and rest.endswith(b" " + new):
            return rest[: -len(new) - 1], new
        if old not in (None, DEV_NULL) and rest.startswith(old + b" "):
            return old, rest[len(old) + 1 :]
    names = git_names(rest)
    if names is None:
        raise ValueError("the paths in the diff --git line cannot be told apart")
    return names


def _whole_name(operand: bytes) -> bytes:
    if not operand.startswith(b'"'):
        return operand
    if _QUOTED.fullmatch(operand) is None:
        raise ValueError("malformed quoted path")
    return unquote(operand)


def _refuse_odd_names(header: Header) -> None:
    for path in (header.old_path, header.new_path):
        if path is not None and (not path or b"\0" in path):
            raise ValueError("path is empty or holds a NUL byte")


def read_plain_header(lines: Sequence[bytes], index: int) -> tuple[Header, int]:
    """Read `---` and `+++` at `lines[index]`; returns the header and the index after it."""
    header = Header(index)
    try:
        (old, old_stamp), (new, new_stamp) = (
            split_name(lines[at].removesuffix(b"\r")[4:], stamps=True) for at in (index, index + 1)
        )
    except ValueError as error:
        raise SectionProblem(str(error), index, index + 2) from error
    if old == DEV_NULL and new == DEV_NULL:
        raise SectionProblem("neither side has a path", index, index + 2)
    if b"\0" in old + new:
        raise SectionProblem("path holds a NUL byte", index, index + 2)
    header.status = "added" if old == DEV_NULL else "deleted" if new == DEV_NULL else "modified"
    header.absent_old, header.absent_new = means_absent(old_stamp), means_absent(new_stamp)
    header.old_path, header.new_path = without_prefixes(
        None if old == DEV_NULL else old, None if new == DEV_NULL else new
    )
    header.old_path, header.new_path = header.old_path or None, header.new_path or None
    return header, index + 2


def binary_names(line: bytes) -> tuple[bytes, bytes] | None:
    """The names in `Binary files X and Y differ`; of several splits the first whose last parts are equal."""
    if not (line.startswith(b"Binary files ") and line.endswith(b" differ")):
        return None
    text = line[len(b"Binary files ") : -len(b" differ")]
    cut = text.find(b" and ")
    first = (text[:cut], text[cut + 5 :]) if cut > 0 else None
    for _ in range(_MOST_SPLITS):
        if cut <= 0:
            break
        old, new = text[:cut], text[cut + 5 :]
        if DEV_NULL in (old, new) or new.endswith(b"/" + old[old.rfind(b"/") + 1 :]):
            return old, new
        cut = text.find(b" and ", cut + 1)
    return first


def is_submodule_log(line: bytes) -> bool:
    """Whether the line is how git prints a submodule in its `log` form."""
    return line.startswith(b"Submodule ") and _SUBMODULE_LOG.fullmatch(line.removesuffix(b"\r")) is not None
