"""Frozen dataclasses to plain JSON values and back, by their type hints alone.

The hints used in records are: `str`, `int`, a `StrEnum`, another record, `tuple[X, ...]`, `tuple[int, int]`,
`dict[str, X]` and any of these `| None`. Reading is strict: an unknown, missing or mistyped member is refused and its
place named. A record checks its own values in `__post_init__` and raises RecordError with a sentence.
"""

from __future__ import annotations

import dataclasses
import functools
import types
import typing
from collections.abc import Callable
from enum import StrEnum
from typing import Any

Record = typing.TypeVar("Record")

type_hints = functools.cache(typing.get_type_hints)


class RecordError(ValueError):
    """A record holds a value that it must not hold; the message is one sentence, with the place where known."""


def to_plain(value: Any) -> Any:
    """Return `value` (a record, or anything that a record may hold) as dicts, lists, strings, integers and None."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: to_plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, tuple | list):
        return [to_plain(member) for member in value]
    if isinstance(value, dict):
        return {str(key): to_plain(member) for key, member in value.items()}
    if isinstance(value, StrEnum):
        return value.value
    return value


def from_plain(kind: type[Record], value: Any, place: str = "") -> Record:
    """Return the record of class `kind` that `value` describes; raises RecordError with the place."""
    hint: Any = kind
    return typing.cast(Record, _reader(hint)(value, place))


def _refuse(place: str, reason: str) -> RecordError:
    return RecordError(f"{place or 'document'}: {reason}")


@functools.cache
def _reader(hint: Any) -> Callable[[Any, str], Any]:
    origin = typing.get_origin(hint)
    if origin is typing.Union or origin is types.UnionType:
        return _optional_reader(hint)
    if origin is tuple:
        return _tuple_reader(hint)
    if origin is dict:
        return _mapping_reader(hint)
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        return functools.partial(_read_enum, hint)
    if hint is str:
        return _read_text
    if hint is int:
        return _read_integer
    return functools.partial(_read_record, hint)


def _optional_reader(hint: Any) -> Callable[[Any, str], Any]:
    (inner,) = (member for member in typing.get_args(hint) if member is not type(None))
    read = _reader(inner)
    return lambda value, place: None if value is None else read(value, place)


def _tuple_reader(hint: Any) -> Callable[[Any, str], Any]:
    members = typing.get_args(hint)
    length = None if members[-1] is Ellipsis else len(members)
    read = _reader(members[0])

    def read_tuple(value: Any, place: str) -> tuple[Any, ...]:
        if not isinstance(value, list):
            raise _refuse(place, f"a list is needed, not {_name(value)}")
        if length is not None and len(value) != length:
            raise _refuse(place, f"a list of {length} is needed, not of {len(value)}")
        return tuple(read(member, f"{place}[{index}]") for index, member in enumerate(value))

    return read_tuple


def _mapping_reader(hint: Any) -> Callable[[Any, str], Any]:
    read = _reader(typing.get_args(hint)[1])

    def read_mapping(value: Any, place: str) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise _refuse(place, f"an object is needed, not {_name(value)}")
        return {key: read(member, f"{place}.{key}") for key, member in value.items()}

    return read_mapping


def _read_text(value: Any, place: str) -> str:
    if not isinstance(value, str):
        raise _refuse(place, f"a string is needed, not {_name(value)}")
    return value


def _read_integer(value: Any, place: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise _refuse(place, f"an integer is needed, not {_name(value)}")
    return value


def _read_enum(kind: type[StrEnum], value: Any, place: str) -> StrEnum:
    known = [member.value for member in kind]
    if not isinstance(value, str) or value not in known:
        shown = repr(value[:80]) if isinstance(value, str) else _name(value)
        raise _refuse(place, f"{shown} is not one of {', '.join(known)}")
    return kind(value)


def _read_record(kind: type[Any], value: Any, place: str) -> Any:
    if not isinstance(value, dict):
        raise _refuse(place, f"an object is needed, not {_name(value)}")
    names = [field.name for field in dataclasses.fields(kind)]
    unknown = sorted(set(value) - set(names))
    if unknown:
        raise _refuse(place, f"the member {unknown[0][:80]!r} is not known")
    missing = [name for name in names if name not in value]
    if missing:
        raise _refuse(place, f"the member {missing[0]!r} is missing")
    whole: Any = kind
    hints = type_hints(whole)
    members = {name: _reader(hints[name])(value[name], f"{place}.{name}" if place else name) for name in names}
    try:
        return kind(**members)
    except RecordError as error:
        raise _refuse(place, str(error)) from error


def _name(value: Any) -> str:
    names = {dict: "an object", list: "a list", str: "a string", int: "an integer", type(None): "null"}
    return names.get(type(value), type(value).__name__)
