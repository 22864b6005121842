"""Numbers in addresses."""

from __future__ import annotations

from django.urls.converters import IntConverter


class NumberConverter(IntConverter):
    """A number that any column can be compared with; a longer one is nobody's address."""

    regex = "[0-9]{1,9}"
