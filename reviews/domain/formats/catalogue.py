"""The formats by name, and which of them a file is in, with the reason."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from reviews.domain.formats import (
    benchmarks,
    checkstyle,
    code_quality,
    gerrit,
    github,
    rdjson,
    replies,
    sarif,
    touchstone,
)
from reviews.domain.formats.records import FormatError, ParsedFile, ReadSettings, check_size

Reader = Callable[[bytes, ReadSettings], ParsedFile]


@dataclass(frozen=True)
class Format:
    """A format: its name in commands, what people choose, and its reader."""

    name: str
    title: str
    read: Reader


FORMATS: dict[str, Format] = {
    one.name: one
    for one in (
        Format("touchstone", "Touchstone findings, JSON lines", touchstone.read),
        Format("github", "GitHub review comments, reviews and issue comments", github.read),
        Format("sarif", "SARIF 2.1.0", sarif.read),
        Format("rdjson", "reviewdog rdjson", rdjson.read_object),
        Format("rdjsonl", "reviewdog rdjsonl", rdjson.read_lines),
        Format("gitlab", "GitLab Code Quality", code_quality.read_gitlab),
        Format("codeclimate", "Code Climate", code_quality.read_climate),
        Format("checkstyle", "Checkstyle XML", checkstyle.read),
        Format("gerrit", "Gerrit comments of robots and people", gerrit.read),
        Format("verdict_reply", "Replies with DEFECT, LINES and EXPLANATION", replies.read_verdicts),
        Format("json_reply", "Replies with a JSON list of file, line, severity, issue", replies.read_json),
        Format("items", "Items by change: pr_id and text", replies.read_items),
        Format("actual", "actual.json: findings by case", replies.read_actual),
        Format("bcbench", "BC-Bench review.json", benchmarks.read_bcbench),
        Format("martian_candidates", "Martian candidates.json", benchmarks.read_candidates),
        Format("martian_evaluations", "Martian evaluations.json", benchmarks.read_evaluations),
    )
}


@dataclass(frozen=True)
class Detected:
    """The format of a file and why it was taken for it, in words."""

    name: str
    reason: str


def read_file(data: bytes, format_name: str, settings: ReadSettings) -> ParsedFile:
    """Read a file in a named format. Raises FormatError, and nothing else whatever the bytes are."""
    found = FORMATS.get(format_name)
    if found is None:
        raise FormatError(f'The format "{format_name[:40]}" is unknown; known are {", ".join(FORMATS)}.')
    check_size(data)
    parsed = found.read(data, settings)
    if not parsed.records:
        raise FormatError("The file holds no record; give what the tool wrote, or name another format.")
    return parsed


_PEEK = 65_536
_MOST_MEMBERS = 40


def detect_format(data: bytes) -> Detected:
    """Return the format of a file by its first characters. Raises FormatError naming what is needed to tell it."""
    check_size(data)
    head = data[:_PEEK].decode("utf-8-sig", "replace").lstrip("\ufeff \t\r\n")
    if head.startswith(gerrit.GUARD):
        return Detected("gerrit", f"it starts with {gerrit.GUARD}")
    if head.startswith("<"):
        if "<checkstyle" in head:
            return Detected("checkstyle", "its outermost element is <checkstyle>")
        raise FormatError("The file is XML, but no <checkstyle>; name its format, or give another report of the tool.")
    if head[:1] in {"{", "["}:
        found = _of_json(head)
        if found is not None:
            return found
        raise FormatError("The file is JSON of no shape that is known here; name its format.")
    if re.search(r"^[ \t>*_#`-]*DEFECT[*_` \t]*:", head, re.IGNORECASE | re.MULTILINE):
        return Detected("verdict_reply", 'it has a line "DEFECT:"')
    if re.search(r"^[ \t]*```", head, re.MULTILINE) and "[" in head:
        return Detected("json_reply", "it is text with a fenced list")
    raise FormatError("The file is neither JSON nor XML nor a reply that is known here; name its format.")


def _of_json(head: str) -> Detected | None:
    value = _Peek(head).value(0)[0]
    if isinstance(value, dict):
        return _of_object(value, head)
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return _of_list(value[0])
    return None


# Members that tell a shape, the surest first.
_OBJECTS: tuple[tuple[str, frozenset[str]], ...] = (
    ("rdjson", frozenset({"diagnostics"})),
    ("items", frozenset({"items"})),
    ("martian_candidates", frozenset({"prs"})),
    ("rdjsonl", frozenset({"message", "location"})),
    ("json_reply", frozenset({"case_id", "reply"})),
    ("codeclimate", frozenset({"type", "check_name"})),
    ("bcbench", frozenset({"findings"})),
)
_LISTS: tuple[tuple[str, frozenset[str]], ...] = (
    ("github", frozenset({"diff_hunk"})),
    ("github", frozenset({"pull_request_review_id"})),
    ("github", frozenset({"user", "body"})),
    ("codeclimate", frozenset({"type", "check_name"})),
    ("gitlab", frozenset({"description", "location"})),
    ("actual", frozenset({"case_id", "findings"})),
    ("json_reply", frozenset({"file", "issue"})),
    ("bcbench", frozenset({"filePath"})),
    ("bcbench", frozenset({"file", "body"})),
)


def _of_object(value: dict[str, Any], head: str) -> Detected | None:
    if isinstance(value.get("runs"), list) and ("version" in value or "$schema" in value or "tool" in head):
        return Detected("sarif", 'it has "runs"')
    if value.keys() & {"review_comments", "issue_comments"} or {"comments", "reviews"} <= value.keys():
        return Detected("github", "it is a bundle of comments and reviews")
    if "case_id" in value and value.keys() & {"id", "state"} and not value.keys() & {"reply", "findings"}:
        return Detected("touchstone", 'its first line has "case_id" with "id" or "state"')
    if value.keys() & set(replies.REPLY_NAMES) and value.keys() & set(replies.CASE_NAMES):
        return _of_wrapped(value)
    for name, needed in _OBJECTS:
        if needed <= value.keys():
            return Detected(name, _has(needed))
    below = next((one for one in value.values() if isinstance(one, dict)), None)
    if below is not None and all("://" in key for key in value):
        entry = next(iter(below.values()), None)
        if isinstance(entry, list):
            return Detected("martian_candidates", "it maps addresses to tools and lists")
        if isinstance(entry, dict):
            return Detected("martian_evaluations", "it maps addresses to tools and evaluations")
    comments = [one[0] for one in value.values() if isinstance(one, list) and one and isinstance(one[0], dict)]
    if comments and "message" in comments[0] and comments[0].keys() & {"robot_id", "patch_set", "unresolved", "author"}:
        return Detected("gerrit", "it maps paths to lists of comments")
    return None


def _of_wrapped(value: dict[str, Any]) -> Detected:
    reply = next((value[name] for name in replies.REPLY_NAMES if isinstance(value.get(name), str)), "")
    if re.search(r"DEFECT[*_` \t]*:", reply, re.IGNORECASE):
        return Detected("verdict_reply", 'its first line holds a reply with "DEFECT:"')
    return Detected("json_reply", "its first line holds a reply")


def _of_list(first: dict[str, Any]) -> Detected | None:
    for name, needed in _LISTS:
        if needed <= first.keys():
            return Detected(name, _has(needed))
    return None


def _has(members: frozenset[str]) -> str:
    return "its first record has " + " and ".join(f'"{name}"' for name in sorted(members))


class _Peek:
    """Reads as much of a JSON document as its beginning shows: enough to tell its shape, however it goes on."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._decode = json.JSONDecoder().raw_decode

    def value(self, at: int, level: int = 0) -> tuple[Any, int | None]:
        """Return a value and where it ends; None for the end of what can be read."""
        at = self._blank(at)
        character = self.text[at : at + 1]
        if character == "{" and level < 4:
            return self._members(at, level)
        if character == "[" and level < 4:
            return self._list(at, level)
        try:
            value, end = self._decode(self.text, at)
        except (ValueError, RecursionError, StopIteration):
            return None, None
        return value, end

    def _blank(self, at: int) -> int:
        while at < len(self.text) and self.text[at] in " \t\r\n":
            at += 1
        return at

    def _members(self, at: int, level: int) -> tuple[dict[str, Any], int | None]:
        found: dict[str, Any] = {}
        at = self._blank(at + 1)
        while len(found) < _MOST_MEMBERS:
            if self.text[at : at + 1] == "}":
                return found, at + 1
            try:
                key, at = self._decode(self.text, at)
            except (ValueError, RecursionError, StopIteration):
                return found, None
            at = self._blank(at)
            if not isinstance(key, str) or self.text[at : at + 1] != ":":
                return found, None
            value, end = self.value(at + 1, level + 1)
            found[key] = value
            if end is None:
                return found, None
            at = self._blank(end)
            if self.text[at : at + 1] == ",":
                at = self._blank(at + 1)
        return found, None

    def _list(self, at: int, level: int) -> tuple[list[Any], int | None]:
        found: list[Any] = []
        at = self._blank(at + 1)
        while len(found) < _MOST_MEMBERS:
            if self.text[at : at + 1] == "]":
                return found, at + 1
            value, end = self.value(at, level + 1)
            if value is None and end is None:
                return found, None
            found.append(value)
            if end is None:
                return found, None
            at = self._blank(end)
            if self.text[at : at + 1] == ",":
                at = self._blank(at + 1)
        return found, None
