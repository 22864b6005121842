"""Paths of a repository are bytes; a manifest holds text. This is the one way between the two.

A path that is UTF-8 and holds no backslash stands as it is. Any other is escaped whole: printable ASCII as it is, the
backslash as two, every other byte as a backslash, `x` and two lower-case hexadecimal digits. So a text with a backslash
is always an escaped path, and no two paths have one text.
"""

from __future__ import annotations

import re

_ESCAPE = re.compile(rb"\\(\\|x[0-9a-f]{2})")
_ESCAPED = re.compile(rb"(?:[\x20-\x5b\x5d-\x7e]|\\\\|\\x[0-9a-f]{2})*")


def path_to_text(path: bytes) -> str:
    """Return the text of `path`."""
    try:
        text = path.decode("utf-8")
    except UnicodeDecodeError:
        return escape_bytes(path)
    return escape_bytes(path) if "\\" in text else text


def text_to_path(text: str) -> bytes:
    """Return the path whose text is `text`; raises ValueError where `text` is no path's text."""
    data = text.encode("utf-8")
    if b"\\" not in data:
        return data
    if not _ESCAPED.fullmatch(data):
        raise ValueError(f"{text[:80]!r} holds a backslash that escapes nothing")
    path = _ESCAPE.sub(lambda found: b"\\" if found[1] == b"\\" else bytes([int(found[1][1:], 16)]), data)
    if path_to_text(path) != text:
        raise ValueError(f"{text[:80]!r} escapes a path that needs no escape")
    return path


def escape_bytes(data: bytes) -> str:
    """Return `data` as printable ASCII: the backslash doubled, every other byte outside it as `\\xNN`."""
    return "".join("\\\\" if byte == 0x5C else chr(byte) if 0x20 <= byte < 0x7F else f"\\x{byte:02x}" for byte in data)
