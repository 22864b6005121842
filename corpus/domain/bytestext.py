"""Bytes as printable ASCII text, and back, without loss.

Printable ASCII stands for itself, a backslash is doubled, and every other byte is `\\xNN`. The form is used wherever
bytes of unknown encoding must travel as text: offline commands, manifests, error messages.
"""

from __future__ import annotations

import re

MAX_PATH_BYTES = 4096

_ESCAPES = [chr(byte) if 32 <= byte < 127 and byte != 92 else f"\\x{byte:02x}" for byte in range(256)]
_ESCAPES[92] = "\\\\"

_ESCAPED = re.compile(r"\\(?:x([0-9a-f]{2})|(\\))|([ -\[\]-~])|(.)", re.DOTALL)


def escape_bytes(data: bytes) -> str:
    """`data` as printable ASCII; `unescape_text` gives the same bytes back."""
    if data.isascii():
        text = data.decode("ascii")
        if text.isprintable() and "\\" not in text:
            return text
    return "".join([_ESCAPES[byte] for byte in data])


def unescape_text(text: str) -> bytes:
    """The bytes that `escape_bytes` wrote as `text`; ValueError, naming the place, for any other text."""
    out = bytearray()
    for match in _ESCAPED.finditer(text):
        digits, backslash, plain, wrong = match.groups()
        if digits is not None:
            out.append(int(digits, 16))
        elif backslash:
            out.append(92)
        elif plain:
            out.append(ord(plain))
        else:
            raise ValueError(f"character {match.start() + 1}: {wrong!r} is no escaped text")
    return bytes(out)


def path_text(path: bytes) -> str:
    """Return a path as the text that pages, rows and manifests hold: the one reversible way between the two.

    A path that is UTF-8 and holds neither a backslash nor a control character stands as it is; any other is escaped
    whole. So a text with a backslash is always an escaped path, and no two paths have one text. Bidi and other
    invisible characters are left in; the renderer marks them.
    """
    if b"\\" in path:
        return escape_bytes(path)
    try:
        text = path.decode("utf-8")
    except UnicodeDecodeError:
        return escape_bytes(path)
    if any(ord(character) < 32 or 127 <= ord(character) < 160 for character in text):
        return escape_bytes(path)
    return text


def text_path(text: str) -> bytes:
    """Return the path whose text is `text`; raises ValueError where `text` is no path's text."""
    path = unescape_text(text) if "\\" in text else text.encode("utf-8")
    if path_text(path) != text:
        raise ValueError(f"{text[:80]!r} is not how its path is written")
    return path


def path_problem(path: bytes) -> str | None:
    """Why a path names no file below the root of a tree, as words to follow "path"; None if it does."""
    if not path:
        return "is empty"
    if len(path) > MAX_PATH_BYTES:
        return f"is longer than {MAX_PATH_BYTES} bytes"
    if b"\0" in path:
        return "holds a NUL byte"
    if path.startswith(b"/"):
        return "is absolute"
    parts = path.split(b"/")
    if b".." in parts or b"." in parts:
        return "holds a part that is . or .."
    return "holds an empty part" if b"" in parts else None


def split_lines(data: bytes) -> list[bytes]:
    """Lines of a blob with their newlines, split at 0x0A only; the last may have none."""
    lines = [line + b"\n" for line in data.split(b"\n")]
    last = lines.pop()[:-1]
    return [*lines, last] if last else lines
