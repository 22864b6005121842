"""Bytes as printable ASCII text, and back, without loss.

Printable ASCII stands for itself, a backslash is doubled, and every other byte is `\\xNN`. The form is used wherever
bytes of unknown encoding must travel as text: offline commands, manifests, error messages.
"""

from __future__ import annotations

import re

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
    """A path for people: valid UTF-8 without control characters as it is, anything else escaped.

    Not reversible (a path may spell an escape sequence itself): use `escape_bytes` where the bytes must come back.
    Bidi and other invisible characters are left in; the renderer marks them.
    """
    try:
        text = path.decode("utf-8")
    except UnicodeDecodeError:
        return escape_bytes(path)
    if any(ord(character) < 32 or 127 <= ord(character) < 160 for character in text):
        return escape_bytes(path)
    return text


def split_lines(data: bytes) -> list[bytes]:
    """Lines of a blob with their newlines, split at 0x0A only; the last may have none."""
    lines = [line + b"\n" for line in data.split(b"\n")]
    last = lines.pop()[:-1]
    return [*lines, last] if last else lines
