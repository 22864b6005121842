"""Canonical JSON (RFC 8785) restricted to what a frozen file may hold: objects, arrays, strings, integers and null.

Numbers are integers of magnitude below 2^53, so that every reader sees the same value; fractions, booleans, duplicate
keys and bytes after the document are refused. Every refusal names its place, as a path such as `cases[2].split` where
the document could be read and as a byte offset where it could not.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

import rfc8785

MAX_DEPTH = 16
MAX_INTEGER = 2**53 - 1

# A whole string literal, or one bracket; possessive, so that an unterminated string costs linear time.
_STRUCTURE = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"|[\[\]{}]', re.DOTALL)


class CanonicalError(ValueError):
    """The bytes or values are not canonical; `place` and `reason` make one sentence."""

    def __init__(self, place: str, reason: str) -> None:
        super().__init__(f"{place}: {reason}")
        self.place = place
        self.reason = reason


@dataclass(frozen=True)
class _Refused:
    """Stands in the parsed tree for a value that must not be there, so that its path can be named afterwards."""

    reason: str


def dump_canonical(value: Any) -> bytes:
    """Return the canonical bytes of `value`; raises CanonicalError naming the first value that may not be stored."""
    _check(value, "", 0)
    return rfc8785.dumps(value)


def load_canonical(data: bytes) -> Any:
    """Return the value whose canonical bytes are exactly `data`; raises CanonicalError for anything else."""
    text = _decoded(data)
    _check_depth(text)
    decoder = json.JSONDecoder(
        object_pairs_hook=_object,
        parse_float=lambda token: _Refused(f"the number {token[:40]} has a fraction or an exponent"),
        parse_int=_integer,
        parse_constant=lambda token: _Refused(f"{token} is not a JSON value"),
    )
    try:
        value, end = decoder.raw_decode(text)
    except json.JSONDecodeError as error:
        raise CanonicalError(_byte(text, error.pos), f"not JSON: {error.msg}") from error
    _check(value, "", 0)
    if end != len(text):
        surplus = len(text[end:].encode())
        raise CanonicalError(_byte(text, end), f"{surplus} bytes follow the end of the document")
    canonical = rfc8785.dumps(value)
    if canonical != data:
        raise CanonicalError(f"byte {_first_difference(canonical, data)}", "not in canonical form (RFC 8785)")
    return value


def _decoded(data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise CanonicalError(f"byte {error.start}", "not UTF-8") from error


def _check_depth(text: str) -> None:
    """Refuse deep nesting before the recursive decoder sees it."""
    depth = 0
    for token in _STRUCTURE.finditer(text):
        character = token.group()[0]
        if character in "[{":
            depth += 1
            if depth > MAX_DEPTH:
                place = _byte(text, token.start())
                raise CanonicalError(place, f"nested more than {MAX_DEPTH} levels deep")
        elif character in "]}":
            depth -= 1


def _integer(digits: str) -> int | _Refused:
    if digits == "-0":
        return _Refused("-0 is not a canonical number")
    if len(digits) > 17 or abs(int(digits)) > MAX_INTEGER:
        return _Refused(f"the integer {digits[:40]} is 2^53 or beyond")
    return int(digits)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any] | _Refused:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            return _Refused(f"the key {key[:80]!r} stands twice")
        found[key] = value
    return found


def _check(value: Any, place: str, depth: int) -> None:
    if depth > MAX_DEPTH:
        raise CanonicalError(place or "document", f"nested more than {MAX_DEPTH} levels deep")
    if value is None:
        return
    if isinstance(value, _Refused):
        raise CanonicalError(place or "document", value.reason)
    if isinstance(value, str):
        _check_text(value, place)
    elif isinstance(value, bool):
        raise CanonicalError(place or "document", "true and false are not used; only strings, integers and null")
    elif isinstance(value, int):
        if abs(value) > MAX_INTEGER:
            raise CanonicalError(place or "document", f"the integer {value} is 2^53 or beyond")
    elif isinstance(value, dict):
        for key, member in value.items():
            if not isinstance(key, str):
                raise CanonicalError(place or "document", f"the key {key!r} is not a string")
            _check_text(key, place)
            _check(member, f"{place}.{key[:80]}" if place else key[:80], depth + 1)
    elif isinstance(value, list | tuple):
        for index, member in enumerate(value):
            _check(member, f"{place}[{index}]", depth + 1)
    else:
        raise CanonicalError(place or "document", f"a value of type {type(value).__name__} is not used")


def _check_text(text: str, place: str) -> None:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise CanonicalError(place or "document", "the text holds half of a surrogate pair") from error


def _byte(text: str, position: int) -> str:
    return f"byte {len(text[:position].encode())}"


def _first_difference(left: bytes, right: bytes) -> int:
    shorter = min(len(left), len(right))
    return next((index for index in range(shorter) if left[index] != right[index]), shorter)
