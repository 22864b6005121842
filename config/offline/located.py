"""Reading the JSON of offline commands so that every refusal names file, place and reason in one line."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NoReturn, TypeVar

from config.cli import BadInput
from config.offline.reading import read_input, source_name

MAX_BYTES = 20_000_000
MAX_TEXT = 4_000
SHOWN_VALUE = 40

Choice = TypeVar("Choice", bound=StrEnum)


@dataclass(frozen=True)
class Located:
    """A JSON value together with where it stands; every reader refuses a wrong value by raising BadInput."""

    source: str
    path: str
    value: Any

    def fail(self, reason: str) -> NoReturn:
        """Refuse the input for what stands here."""
        raise BadInput(f"{self.source}: {self.path or 'top level'}: {reason}")

    def shown(self) -> str:
        """Return the value as it may stand in a message: short, printable, on one line."""
        try:
            text = json.dumps(self.value)
        except RecursionError:
            return "a deeply nested value"
        return text if len(text) <= SHOWN_VALUE else f"{text[:SHOWN_VALUE]}…"

    def at(self, name: str) -> Located:
        """Return a field that has to be there."""
        found = self.get(name)
        if found is None:
            self.fail(f'"{name}" is missing')
        return found

    def get(self, name: str) -> Located | None:
        """Return a field, or None where it is missing or null."""
        value = self.object().get(name)
        if value is None:
            return None
        return Located(self.source, f"{self.path}.{name}" if self.path else name, value)

    def object(self) -> dict[str, Any]:
        """Return the value as an object."""
        if not isinstance(self.value, dict):
            self.fail(f"an object is needed, not {self.shown()}")
        return self.value

    def items(self, *, at_most: int, at_least: int = 0) -> list[Located]:
        """Return the members of a list."""
        if not isinstance(self.value, list):
            self.fail(f"a list is needed, not {self.shown()}")
        count = len(self.value)
        if count > at_most:
            self.fail(f"{count} members are above the limit of {at_most}")
        if count < at_least:
            self.fail(f"{count} members, {at_least} are needed")
        return [Located(self.source, f"{self.path}[{index}]", member) for index, member in enumerate(self.value)]

    def text(self, *, at_most: int = MAX_TEXT) -> str:
        """Return the value as a string that is not empty."""
        if not isinstance(self.value, str):
            self.fail(f"a text is needed, not {self.shown()}")
        if not self.value:
            self.fail("the text is empty")
        if len(self.value) > at_most:
            self.fail(f"{len(self.value)} characters are above the limit of {at_most}")
        return self.value

    def integer(self, low: int, high: int) -> int:
        """Return the value as a whole number in [low, high]."""
        if isinstance(self.value, bool) or not isinstance(self.value, int):
            self.fail(f"a whole number is needed, not {self.shown()}")
        if not low <= self.value <= high:
            self.fail(f"{self.shown()} is not between {low} and {high}")
        return self.value

    def number(self, low: float = -math.inf, high: float = math.inf) -> float:
        """Return the value as a finite number in [low, high]."""
        if isinstance(self.value, bool) or not isinstance(self.value, int | float):
            self.fail(f"a number is needed, not {self.shown()}")
        try:
            number = float(self.value)
        except OverflowError:
            self.fail(f"{self.shown()} is too large")
        if not low <= number <= high:
            self.fail(f"{self.shown()} is not between {low} and {high}")
        return number

    def flag(self) -> bool:
        """Return the value as true or false."""
        if not isinstance(self.value, bool):
            self.fail(f"true or false is needed, not {self.shown()}")
        return self.value

    def choice(self, kinds: type[Choice]) -> Choice:
        """Return the value as a member of a fixed list; an unknown one is refused, never defaulted."""
        try:
            return kinds(self.value)
        except ValueError:
            names = ", ".join(kinds)
            self.fail(f"{self.shown()} is unknown; allowed are {names}")


def unique(members: Iterable[tuple[Located, str]]) -> None:
    """Refuse an id that was used before in the same list."""
    seen: set[str] = set()
    for place, name in members:
        if name in seen:
            place.fail(f"the id {json.dumps(name)} is used twice")
        seen.add(name)


def read_json(name: str) -> Located:
    """Read the JSON document in file `name`, or standard input for `-`."""
    source = source_name(name)
    return Located(source, "", _decode(source, read_input(name, at_most=MAX_BYTES)))


def _decode(source: str, raw: bytes) -> Any:
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadInput(f"{source}: byte {error.start}: not UTF-8") from error
    try:
        return json.loads(text, parse_constant=_refuse_constant, object_pairs_hook=_without_repeats)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno} column {error.colno}"
        raise BadInput(f"{source}: {place}: not JSON ({error.msg})") from error
    except RecursionError as error:
        raise BadInput(f"{source}: nested too deeply") from error
    except _Refused as error:
        raise BadInput(f"{source}: {error}") from error
    except ValueError as error:
        # What the parser still refuses are integers longer than Python converts.
        raise BadInput(f"{source}: a number has too many digits") from error


class _Refused(Exception):
    """JSON that Python would take and the commands do not."""


def _refuse_constant(name: str) -> NoReturn:
    raise _Refused(f"{name} is not a JSON number")


def _without_repeats(members: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in members:
        if name in found:
            shown = json.dumps(name[:SHOWN_VALUE])
            raise _Refused(f"the field {shown} stands twice in one object")
        found[name] = value
    return found


def one_or_many(document: Located, *, at_most: int) -> Iterator[Located]:
    """Return the object that the document is, or the members of the list that it is."""
    if isinstance(document.value, list):
        return iter(document.items(at_most=at_most))
    return iter([document])


def write_json(value: object) -> None:
    """Print one JSON document on standard output."""
    sys.stdout.write(json.dumps(value, indent=1, allow_nan=False) + "\n")
