"""The members of one JSON record, asked for by name and type; a wrong type is refused with the name and what stands."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from typing import Any

from reviews.domain.formats.records import RecordError, clean

MAX_WHOLE = 2**53
_KINDS = {dict: "an object", list: "a list", str: "a text", bool: "true or false", int: "a whole number"}


def kind_of(value: object) -> str:
    """Return what a JSON value is, in words."""
    return "nothing" if value is None else _KINDS.get(type(value), "a number")


class Fields:
    """One JSON object. Every accessor takes the first of several names that is there and not null."""

    def __init__(self, value: object, what: str = "the record") -> None:
        if not isinstance(value, dict):
            raise RecordError(f"{what} must be an object, not {kind_of(value)}")
        self.value: dict[str, Any] = value

    def get(self, *names: str) -> Any:
        """Return what stands under the first name that is there and not null, else None."""
        for name in names:
            if self.value.get(name) is not None:
                return self.value[name]
        return None

    def has(self, name: str) -> bool:
        """Say whether there is something other than null."""
        return self.value.get(name) is not None

    def text(self, *names: str, required: bool = False) -> str:
        """Return a text that a database can hold, an empty one where there is none and none is needed."""
        value = self.get(*names)
        if value is None and not required:
            return ""
        if not isinstance(value, str) or (required and not value.strip()):
            raise self._wrong(names, "a text" + (" that is not empty" if required else ""), value)
        return clean(value)

    def identity(self, *names: str) -> str:
        """Return an id: a text, or a whole number as its digits; empty where there is none."""
        value = self.get(*names)
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value) if abs(value) < 10**30 else ""
        if value is not None and not isinstance(value, str):
            raise self._wrong(names, "a text or a whole number", value)
        return clean(value or "")[:200]

    def whole(self, *names: str) -> int | None:
        """Return a whole number, None where there is none; it may be negative."""
        value = self.get(*names)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int):
            raise self._wrong(names, "a whole number", value)
        if abs(value) > MAX_WHOLE:
            raise RecordError(f'"{names[0]}" is a number of {len(str(abs(value)))} digits, which nothing here can be')
        return value

    def amount(self, *names: str) -> int | None:
        """Return a whole number from 0 on."""
        value = self.whole(*names)
        if value is not None and value < 0:
            raise self._wrong(names, "a whole number from 0 on", value)
        return value

    def decimal(self, *names: str, most: int = 10**7) -> Decimal | None:
        """Return a number from 0 on as an exact decimal; a text with one is taken too."""
        value = self.get(*names)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float | str):
            raise self._wrong(names, "a number from 0 on", value)
        try:
            number = Decimal(str(value)[:40])
        except InvalidOperation as error:
            raise self._wrong(names, "a number from 0 on", value) from error
        if not number.is_finite() or not 0 <= number <= most:
            raise RecordError(f'"{names[0]}" must be a number from 0 to {most}')
        return number

    def flag(self, name: str) -> bool:
        """Return true or false, false where there is neither."""
        value = self.value.get(name)
        if value is not None and not isinstance(value, bool):
            raise self._wrong((name,), "true or false", value)
        return bool(value)

    def below(self, *names: str) -> Fields:
        """Return the object under a name, an empty one where there is none."""
        value = self.get(*names)
        if value is not None and not isinstance(value, dict):
            raise self._wrong(names, "an object", value)
        return Fields(value or {})

    def members(self, *names: str) -> list[Any]:
        """Return the list under a name, an empty one where there is none."""
        value = self.get(*names)
        if value is not None and not isinstance(value, list):
            raise self._wrong(names, "a list", value)
        return value or []

    def objects(self, *names: str) -> list[Fields]:
        """Return the objects of the list under a name."""
        return [Fields(value, f'a member of "{names[0]}"') for value in self.members(*names)]

    def _wrong(self, names: tuple[str, ...], wanted: str, value: object) -> RecordError:
        found = "an empty text" if isinstance(value, str) and not value.strip() else kind_of(value)
        if isinstance(value, int) and not isinstance(value, bool):
            found = str(value)[:40]
        return RecordError(f'"{names[0]}" must be {wanted}, but is {found}')
