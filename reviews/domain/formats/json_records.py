"""JSON from strangers, record by record: what stands before a fault is read, and each record keeps its exact bytes.

A reader says by a *spine* where its records lie: `[ITEM]` is a list of records, `{"runs": [{"results": [ITEM]}]}`
lists in objects in a list, a key of `"*"` any key. The containers of the spine are walked here; a record is decoded at
once by the standard library. A broken record loses no other: it is skipped by its brackets. What breaks the containers
ends the reading, and what was read until there stands.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from reviews.domain.formats.records import (
    MAX_DEPTH,
    MAX_RECORD_BYTES,
    FormatError,
    ParsedRecord,
    check_size,
    decoded,
    rejected,
)

_BLANK = re.compile(r"[ \t\n\r]*")
# A string with its escapes, or a bracket outside strings.
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*+"|[\[{]|[\]}]|"', re.DOTALL)


# To find out where a record breaks costs as much as there is text before it.
MAX_BROKEN = 1_000


class _Item:
    """Marks in a spine where records lie."""


ITEM = _Item()
Spine = Any
"""ITEM, a list of one spine, an object of spines by key, or None: a value that is of no interest as records."""


@dataclass(frozen=True)
class Element:
    """One record: its value, its exact bytes and its place; or why it cannot be read."""

    value: Any
    data: bytes
    place: str
    error: str = ""


@dataclass(frozen=True)
class Problem:
    """What is wrong outside of any record, and where; nothing behind it was read."""

    place: str
    reason: str
    data: bytes


@dataclass(frozen=True)
class Scan:
    """The containers of a document with an `Element` for each record, and what ended the reading too early."""

    values: tuple[Any, ...]
    problems: tuple[Problem, ...]

    @property
    def value(self) -> Any:
        """The one document, None where there is none."""
        return self.values[0] if self.values else None


class _Broken(Exception):
    def __init__(self, at: int, reason: str) -> None:
        super().__init__(reason)
        self.at = at
        self.reason = reason


def scan(data: bytes, *spines: Spine, many: bool = False) -> Scan:
    """Walk a document along the first of `spines` that fits its first character; `many` documents may follow it.

    Raises FormatError for bytes that are no JSON from the first character on.
    """
    return scan_text(decoded(data), *spines, many=many)


def scan_text(text: str, *spines: Spine, many: bool = False) -> Scan:
    """Do the same with a text."""
    scanner = _Scanner(text)
    values = []
    at = scanner.blank(0)
    while at < len(text) and not scanner.is_over:
        spine = next((one for one in spines if _fits(one, text[at])), None)
        value, at = scanner.value(at, spine, "")
        if value is not None or not scanner.is_over:
            values.append(value)
        at = scanner.blank(at)
        if at < len(text) and not many and not scanner.is_over:
            scanner.fail(at, "something follows the end of the document")
    if not values and scanner.problems:
        problem = scanner.problems[0]
        raise FormatError(f"The file is no JSON at {problem.place}: {problem.reason}; mend it there.")
    return Scan(tuple(values), tuple(scanner.problems))


def _fits(spine: Spine, character: str) -> bool:
    return (
        spine is ITEM
        or (isinstance(spine, list) and character == "[")
        or (isinstance(spine, dict) and character == "{")
    )


def elements(value: Any) -> Iterator[Element]:
    """Yield the records of a list of the spine; a value that is no list has none."""
    if isinstance(value, list):
        yield from (one for one in value if isinstance(one, Element))


def problem_record(problem: Problem) -> ParsedRecord:
    """Return what ended the reading of a file as a record, so that it is counted."""
    return rejected(problem.place, problem.data, f"{problem.reason}; nothing behind it was read")


class _Scanner:
    def __init__(self, text: str) -> None:
        self.text = text
        self.problems: list[Problem] = []
        self.broken = 0
        # Something ended the reading: a problem, or a record that is cut off.
        self.is_over = False
        self._decode = json.JSONDecoder(parse_constant=_no_constant).raw_decode
        # The line of the last place that was asked for, where that was, and where the line before it ends.
        self._line, self._line_at, self._newline_at = 1, 0, -1

    def blank(self, at: int) -> int:
        """Return where the next character stands that is no blank."""
        found = _BLANK.match(self.text, at)
        return found.end() if found else at

    def place(self, at: int) -> str:
        """Return line and column. Asked for in ascending order, the text is counted through once."""
        if at < self._line_at:
            self._line, self._line_at, self._newline_at = 1, 0, -1
        self._line += self.text.count("\n", self._line_at, at)
        self._newline_at = max(self._newline_at, self.text.rfind("\n", self._line_at, at))
        self._line_at = at
        return f"line {self._line}, column {at - self._newline_at}"

    def fail(self, at: int, reason: str) -> None:
        """Note what ends the reading."""
        self.is_over = True
        self.problems.append(Problem(self.place(at), reason, self.text[at : at + 2000].encode("utf-8")))

    def value(self, at: int, spine: Spine, path: str) -> tuple[Any, int]:
        """Return the value at `at` and where it ends."""
        at = self.blank(at)
        if at >= len(self.text):
            self.fail(at, "the document ends too early")
            return None, at
        if spine is ITEM:
            return self.item(at, path)
        if isinstance(spine, dict) and self.text[at] == "{":
            return self._object(at, spine, path)
        if isinstance(spine, list) and self.text[at] == "[":
            return self._array(at, spine[0], path)
        try:
            return self._decoded(at)
        except _Broken as error:
            self.fail(error.at, error.reason)
            return None, at

    def _object(self, at: int, spine: dict[str, Spine], path: str) -> tuple[dict[str, Any], int]:
        found: dict[str, Any] = {}
        at = self.blank(at + 1)
        if self.text[at : at + 1] == "}":
            return found, at + 1
        while True:
            if self.text[at : at + 1] != '"':
                self.fail(at, "a name in quotation marks is needed" if at < len(self.text) else "the object is cut off")
                return found, at
            try:
                key, at = self._decoded(at)
            except _Broken as error:
                self.fail(error.at, error.reason)
                return found, at
            at = self.blank(at)
            if self.text[at : at + 1] != ":":
                self.fail(at, "a colon is needed")
                return found, at
            below = spine.get(key, spine.get("*"))
            value, at = self.value(at + 1, below, f"{path}.{key}" if path else key)
            if not self.is_over or isinstance(value, dict | list | Element):
                found[key] = value
            if self.is_over:
                return found, at
            at = self.blank(at)
            closing = self.text[at : at + 1]
            if closing == "}":
                return found, at + 1
            if closing != ",":
                self.fail(at, "the object is cut off" if not closing else "a comma or a closing brace is needed")
                return found, at
            at = self.blank(at + 1)

    def _array(self, at: int, spine: Spine, path: str) -> tuple[list[Any], int]:
        found: list[Any] = []
        at = self.blank(at + 1)
        if self.text[at : at + 1] == "]":
            return found, at + 1
        while True:
            value, at = self.value(at, spine, f"{path}[{len(found)}]")
            if not self.is_over or isinstance(value, dict | list | Element):
                found.append(value)
            if self.is_over:
                return found, at
            at = self.blank(at)
            closing = self.text[at : at + 1]
            if closing == "]":
                return found, at + 1
            if closing != ",":
                self.fail(at, "the list is cut off" if not closing else "a comma or a closing bracket is needed")
                return found, at
            at = self.blank(at + 1)

    def item(self, at: int, path: str) -> tuple[Element, int]:
        """Return the record at `at` and where it ends; a fault inside it is the record's own."""
        place = f"{self.place(at).partition(',')[0]}, {path}" if path else self.place(at).partition(",")[0]
        try:
            value, end = self._decoded(at)
        except _Broken as error:
            where = self.place(error.at)
            self.broken += 1
            if self.broken > MAX_BROKEN:
                self.fail(at, f"more than {MAX_BROKEN} records are broken")
                return Element(None, b"", place, f"it is no JSON at {where}: {error.reason}"), at
            ended = self._end_of(at)
            if ended is None:
                self.is_over = True
                reason = f"it is cut off, and nothing behind it was read: {error.reason} at {where}"
                return Element(None, self.text[at:].encode("utf-8")[:MAX_RECORD_BYTES], place, reason), at
            data = self.text[at:ended].encode("utf-8")
            return Element(None, data, place, f"it is no JSON at {where}: {error.reason}"), ended
        data = self.text[at:end].encode("utf-8")
        if len(data) > MAX_RECORD_BYTES:
            reason = f"it has {len(data)} bytes; the limit of one record is {MAX_RECORD_BYTES}"
            return Element(None, data[:MAX_RECORD_BYTES], place, reason), end
        if self.text.count("[", at, end) + self.text.count("{", at, end) > MAX_DEPTH and self._is_deep(at, end):
            return Element(None, data, place, f"it is nested deeper than {MAX_DEPTH} levels"), end
        return Element(value, data, place), end

    def _decoded(self, at: int) -> tuple[Any, int]:
        try:
            return self._decode(self.text, at)
        except json.JSONDecodeError as error:
            raise _Broken(error.pos, f"{error.msg[0].lower()}{error.msg[1:]}") from error
        except StopIteration as error:
            raise _Broken(at, "a value is needed") from error
        except RecursionError as error:
            raise _Broken(at, "it is nested too deeply") from error
        except ValueError as error:
            raise _Broken(at, str(error)[:80]) from error

    def _end_of(self, at: int) -> int | None:
        """Return where the brackets of a record close again, None where they do not."""
        depth = 0
        for token in _TOKEN.finditer(self.text, at):
            first = token[0][0]
            if token[0] == '"':
                return None
            if first in "[{":
                depth += 1
            elif first in "]}":
                depth -= 1
                if depth == 0:
                    return token.end()
            if depth == 0:
                return token.end()
        return None

    def _is_deep(self, at: int, end: int) -> bool:
        depth = 0
        for token in _TOKEN.finditer(self.text, at, end):
            if token[0][0] in "[{":
                depth += 1
                if depth > MAX_DEPTH:
                    return True
            elif token[0][0] in "]}":
                depth -= 1
        return False


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON number")


def lines_of(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield number (from 1) and bytes of every line that is not blank."""
    for number, line in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
        if line.strip():
            yield number, line.rstrip(b"\r")


def line_elements(data: bytes) -> Iterator[Element]:
    """Yield one record for each line of JSON lines. Raises FormatError for a file without any."""
    check_size(data)
    for number, line in lines_of(data):
        place = f"line {number}"
        if len(line) > MAX_RECORD_BYTES:
            reason = f"it has {len(line)} bytes; the limit of one record is {MAX_RECORD_BYTES}"
            yield Element(None, line[:MAX_RECORD_BYTES], place, reason)
            continue
        try:
            text = line.decode("utf-8")
        except UnicodeDecodeError as error:
            yield Element(None, line, place, f"its byte {error.start + 1} is not UTF-8")
            continue
        scanner = _Scanner(text)
        element, end = scanner.item(scanner.blank(0), "")
        if not element.error and scanner.blank(end) < len(text):
            yield Element(None, line, place, f"something follows the value at character {scanner.blank(end) + 1}")
            continue
        yield Element(element.value, line, place, element.error.replace("line 1, ", ""))
