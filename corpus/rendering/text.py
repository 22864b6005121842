"""Bytes of code as text for display, and text as HTML in which nothing is invisible."""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import escape

# Control characters but TAB, soft hyphen, zero-width and bidi controls, separators, tags, and the byte order mark.
INVISIBLE = re.compile(
    "[\x00-\x08\x0a-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff]"
)
SPECIAL = re.compile(f"[&<>]|{INVISIBLE.pattern}")
BIDI = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


@dataclass(frozen=True)
class DecodedText:
    """The lines of a blob for display. Lines end at 0x0A only; `ends_with_newline` is false at an unfinished end."""

    lines: list[str]
    encoding: str
    ends_with_newline: bool
    has_bidi: bool


def decode(data: bytes) -> DecodedText:
    """Decode a blob for display: strict UTF-8, else Latin-1, in which every byte stands for one character."""
    try:
        text, encoding = data.decode("utf-8"), "UTF-8"
    except UnicodeDecodeError:
        text, encoding = data.decode("latin-1"), "not UTF-8"
    lines = text.split("\n")
    ends_with_newline = lines[-1] == ""
    if ends_with_newline:
        lines.pop()
    return DecodedText(lines, encoding, ends_with_newline, BIDI.search(text) is not None)


def decode_line(data: bytes) -> str:
    """Decode one line whose file is not known: strict UTF-8, else Latin-1."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def stands_as_it_is(text: str) -> bool:
    """Say whether the HTML of a text is the text: nothing in it is escaped or marked."""
    return SPECIAL.search(text) is None


def code_html(text: str) -> str:
    """Escape text and replace each invisible character by a visible mark."""
    return INVISIBLE.sub(_mark, escape(text, quote=False))


def _mark(match: re.Match[str]) -> str:
    character = match.group()
    if character == "\r":
        return '<span class="inv quiet" data-c="CR"></span>'
    return f'<span class="inv" data-c="U+{ord(character):04X}"></span>'
