"""Supplier files: article;price;unit;from with a decimal comma."""

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from pathlib import Path


class BadLine(Exception):
    """A line cannot be read; the message names its number."""


@dataclass(frozen=True)
class PriceLine:
    """One line: the price of one piece in cents, and the day from which it holds (None: at once)."""

    article: str
    cents: int
    starts: date | None


def read_prices(path: Path) -> Iterator[PriceLine]:
    """The lines of the file in order; raises BadLine at the first that cannot be read."""
    with path.open(newline="", encoding="utf-8") as stream:
        for number, row in enumerate(csv.reader(stream, delimiter=";"), start=1):
            try:
                yield parse(row)
            except (ValueError, InvalidOperation) as error:
                raise BadLine(f"{path.name}, line {number}: {row}") from error


def parse(row: list[str]) -> PriceLine:
    """One line of two to four columns; raises ValueError or InvalidOperation."""
    article, text, unit, starts = [*row, "", ""][:4] if len(row) < 4 else row
    pieces = Decimal(unit) if unit else Decimal(1)
    if not article.strip() or pieces <= 0:
        raise ValueError("article and a positive unit are needed")
    cents = (Decimal(text.replace(",", ".")) * 100 / pieces).quantize(Decimal(1), ROUND_HALF_UP)
    return PriceLine(article.strip(), int(cents), date.fromisoformat(starts) if starts else None)
