"""Paths of a repository are bytes; a manifest holds text. This is the one reversible way between the two.

A path that is UTF-8 and holds neither a backslash nor a control character stands as it is; any other is escaped whole
(`corpus.domain.bytestext`). So a text with a backslash is always an escaped path, and no two paths have one text.
"""

from __future__ import annotations

from corpus.domain.bytestext import escape_bytes, path_text, unescape_text


def path_to_text(path: bytes) -> str:
    """Return the text of `path`."""
    return escape_bytes(path) if b"\\" in path else path_text(path)


def text_to_path(text: str) -> bytes:
    """Return the path whose text is `text`; raises ValueError where `text` is no path's text."""
    path = unescape_text(text) if "\\" in text else text.encode("utf-8")
    if path_to_text(path) != text:
        raise ValueError(f"{text[:80]!r} is not how its path is written")
    return path
