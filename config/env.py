"""Typed readers of the environment. Each refuses nonsense with a sentence; `NAME_FILE` may name a file instead."""

from __future__ import annotations

import os
from pathlib import Path
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured

TRUE_WORDS = {"1", "true", "yes", "on"}
FALSE_WORDS = {"0", "false", "no", "off"}


def text(name: str, default: str = "") -> str:
    """Return the value of `name`, or the stripped content of the file that `NAME_FILE` names."""
    file_name = os.environ.get(f"{name}_FILE", "")
    if file_name and name in os.environ:
        raise ImproperlyConfigured(f"{name} and {name}_FILE are both set; keep one of them.")
    if file_name:
        try:
            return Path(file_name).read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            raise ImproperlyConfigured(f"{name}_FILE: cannot read {file_name}: {error}") from error
    return os.environ.get(name, default)


def boolean(name: str, default: bool = False) -> bool:
    """Return a yes/no setting."""
    value = text(name).lower()
    if not value:
        return default
    if value in TRUE_WORDS:
        return True
    if value in FALSE_WORDS:
        return False
    raise ImproperlyConfigured(f"{name} is {value!r}; write one of: 1, 0, true, false, yes, no, on, off.")


def integer(name: str, default: int, *, minimum: int, maximum: int) -> int:
    """Return a whole number between `minimum` and `maximum`."""
    value = text(name)
    if not value:
        return default
    try:
        number = int(value)
    except ValueError:
        raise ImproperlyConfigured(f"{name} is {value!r}; write a whole number.") from None
    if not minimum <= number <= maximum:
        raise ImproperlyConfigured(f"{name} is {number}; it must lie between {minimum} and {maximum}.")
    return number


def words(name: str, default: str = "") -> list[str]:
    """Return a comma-separated list without empty items."""
    return [item.strip() for item in text(name, default).split(",") if item.strip()]


def url(name: str, default: str, *, schemes: frozenset[str]) -> str:
    """Return an address whose scheme is one of `schemes`; empty stays empty."""
    value = text(name, default)
    if value and urlsplit(value).scheme not in schemes:
        raise ImproperlyConfigured(f"{name} must start with one of: {', '.join(f'{s}://' for s in sorted(schemes))}.")
    return value


def origins(name: str) -> list[str]:
    """Return a list of origins such as https://touchstone.example."""
    values = words(name)
    for value in values:
        parts = urlsplit(value)
        if parts.scheme not in {"http", "https"} or not parts.netloc or parts.path not in {"", "/"}:
            raise ImproperlyConfigured(f"{name}: {value!r} is no origin; write it like https://touchstone.example.")
    return values
