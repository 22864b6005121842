"""Supplier files: article;price with a decimal comma."""

import csv
from collections.abc import Iterator
from decimal import Decimal, InvalidOperation
from pathlib import Path


class BadLine(Exception):
    """A line cannot be read; the message names its number."""


def read_prices(path: Path) -> Iterator[tuple[str, int]]:
    """Article and price in cents of each line; raises BadLine."""
    with path.open(newline="", encoding="utf-8") as stream:
        for number, row in enumerate(csv.reader(stream, delimiter=";"), start=1):
            try:
                article, text = row
                cents = int(Decimal(text.replace(",", ".")) * 100)
            except (ValueError, InvalidOperation) as error:
                raise BadLine(f"{path.name}, line {number}: {row}") from error
            yield article.strip(), cents
