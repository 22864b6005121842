"""JSON from strangers: bounded before it is parsed, and every value asked for by name and type."""

from __future__ import annotations

import json
import re
from typing import Any

from corpus.domain.limits import MIB, in_words
from corpus.domain.vocabulary import Severity
from corpus.importers.records import ImportRefused, RecordRefused

MAX_JSON_BYTES = 32 * MIB
MAX_DEPTH = 40
# A string, its escapes included, or one of the brackets outside strings.
_TOKENS = re.compile(rb'"(?:[^"\\]|\\.)*+"?|[\[{]|[\]}]', re.DOTALL)
_KINDS = {dict: "an object", list: "a list", str: "a text", bool: "true or false", int: "a whole number"}


def load_json(data: bytes, *, what: str) -> Any:
    """Return the value in `data`. Raises ImportRefused naming `what`, the limit or the place, and the remedy."""
    if len(data) > MAX_JSON_BYTES:
        raise ImportRefused(f"{what} has {len(data)} bytes; the limit is {in_words(MAX_JSON_BYTES)}, so split it.")
    if not data.strip():
        raise ImportRefused(f"{what} is empty; give a file with records.")
    _check_depth(data, what)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ImportRefused(f"{what} is not UTF-8 at byte {error.start + 1}; save it as UTF-8.") from error
    try:
        return json.loads(text, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        raise ImportRefused(
            f"{what} is no JSON at line {error.lineno}, column {error.colno}: {error.msg}; mend it there."
        ) from error
    except ValueError as error:
        raise ImportRefused(f"{what} holds a number that cannot be used: {str(error)[:80]}; mend it.") from error


def _check_depth(data: bytes, what: str) -> None:
    depth = 0
    for token in _TOKENS.finditer(data):
        first = token[0][:1]
        if first in b"[{":
            depth += 1
            if depth > MAX_DEPTH:
                raise ImportRefused(f"{what} is nested deeper than {MAX_DEPTH} levels; flatten it.")
        elif first in b"]}":
            depth -= 1


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON number")


def kind_of(value: object) -> str:
    """Return what a JSON value is, in words."""
    return "nothing" if value is None else _KINDS.get(type(value), "a number")


def _is_text(value: str) -> bool:
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


class Shape:
    """One JSON object of a record; every accessor refuses a wrong type by naming the field and what stands there."""

    def __init__(self, value: object, what: str = "The record") -> None:
        if not isinstance(value, dict):
            raise RecordRefused(f"{what} must be an object, not {kind_of(value)}.")
        self.what = what
        self.fields: dict[str, Any] = value

    def raw(self) -> str:
        """Return the record as it came, as JSON text."""
        text = json.dumps(self.fields, ensure_ascii=False, sort_keys=True)
        # Half a surrogate pair is no text that a database holds; JSON can write it as an escape.
        return text if text.isascii() or _is_text(text) else json.dumps(self.fields, sort_keys=True)

    def has(self, name: str) -> bool:
        """Say whether the field is there and not null."""
        return self.fields.get(name) is not None

    def text(self, name: str, *, required: bool = False) -> str:
        """Return a text, an empty one when it is absent or null and not required."""
        value = self.fields.get(name)
        if value is None and not required:
            return ""
        if not isinstance(value, str) or (required and not value.strip()):
            raise self._wrong(name, "a text" + (" that is not empty" if required else ""), value)
        return value

    def line(self, name: str) -> int | None:
        """Return a line number from 1 on, or None when it is absent or null."""
        value = self.fields.get(name)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value < 2**31:
            raise self._wrong(name, "a line number from 1 on", value)
        return value

    def boolean(self, name: str, default: bool) -> bool:
        """Return true or false, `default` when it is absent or null."""
        value = self.fields.get(name)
        if value is None:
            return default
        if not isinstance(value, bool):
            raise self._wrong(name, "true or false", value)
        return value

    def list(self, name: str, *, required: bool = False) -> list[Any]:
        """Return a list, an empty one when it is absent or null and not required."""
        value = self.fields.get(name)
        if value is None and not required:
            return []
        if not isinstance(value, list):
            raise self._wrong(name, "a list", value)
        return value

    def texts(self, name: str) -> tuple[str, ...]:
        """Return a list of texts."""
        values = self.list(name)
        for value in values:
            if not isinstance(value, str):
                raise self._wrong(name, "a list of texts", value, inside=True)
        return tuple(values)

    def allow_only(self, names: frozenset[str]) -> None:
        """Refuse fields that the format does not know: a misspelt name would be lost without a word."""
        unknown = sorted(self.fields.keys() - names)
        if unknown:
            raise RecordRefused(
                f'{self.what} has the unknown field "{unknown[0][:60]}"; known are {", ".join(sorted(names))}.'
            )

    def _wrong(self, name: str, wanted: str, value: object, *, inside: bool = False) -> RecordRefused:
        found = "an empty text" if value == "" else kind_of(value)
        if isinstance(value, int) and not isinstance(value, bool):
            found = f"{value}" if abs(value) < 2**31 else "a number out of range"
        held = "holds" if inside else "is"
        where = "" if self.what == "The record" else f"{self.what}: "
        return RecordRefused(f'{where}"{name}" must be {wanted}, but {held} {found}; mend it there.')


def severity_of(value: str, notes: list[str], place: str) -> Severity | None:
    """Return the severity that `value` names in any case of letters; an unknown one stays empty and is noted (T6)."""
    name = value.strip().lower()
    if not name:
        return None
    try:
        return Severity(name)
    except ValueError:
        notes.append(f'{place}: the severity "{value.strip()[:40]}" is unknown and was left empty')
        return None
