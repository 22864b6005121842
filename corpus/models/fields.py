"""Column builders shared by every app: enumerations with a database check, and public ids."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from django.db import models

from corpus.ids import PUBLIC_ID_LENGTH, new_public_id


def choices_of(enumeration: type[StrEnum]) -> list[tuple[str, str]]:
    """Return Django choices whose labels are the values in words."""
    return [(member.value, member.value.replace("_", " ")) for member in enumeration]


def enum_field(enumeration: type[StrEnum], **options: Any) -> models.CharField[str, str]:
    """Return a text column for one member of `enumeration`; pair it with `enum_check` in Meta.constraints."""
    return models.CharField(max_length=32, choices=choices_of(enumeration), **options)


def enum_check(name: str, field: str, enumeration: type[StrEnum], *, blank: bool = False) -> models.CheckConstraint:
    """Return the constraint that keeps unknown values out of the database (T6)."""
    values = [member.value for member in enumeration] + ([""] if blank else [])
    return models.CheckConstraint(name=name, condition=models.Q(**{f"{field}__in": values}))


def public_id_field() -> models.CharField[str, str]:
    """Return the random, unique id that pages and addresses show."""
    return models.CharField(max_length=PUBLIC_ID_LENGTH, unique=True, default=new_public_id, editable=False)


def sha256_field(**options: Any) -> models.CharField[str, str]:
    """Return a column for a SHA-256 in lower-case hexadecimal."""
    return models.CharField(max_length=64, **options)
