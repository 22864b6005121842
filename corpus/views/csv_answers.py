"""Lists as CSV downloads: streamed, and harmless in a spreadsheet."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Sequence

from django.http import StreamingHttpResponse

# What a spreadsheet takes for the start of a formula, unless it is a number.
FORMULA = ("=", "+", "-", "@", "\t", "\r")
NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?(e-?[0-9]+)?")


class _Line:
    """What the csv writer writes to: it gives each line back."""

    def write(self, line: str) -> str:
        """Return the line."""
        return line


def csv_answer(name: str, columns: Sequence[str], rows: Iterable[Iterable[object]]) -> StreamingHttpResponse:
    """Return the download `name`.csv with a line of column names and one for each row, drawn as it is sent.

    A text that a spreadsheet would take for a formula gets an apostrophe before it.
    """
    answer = StreamingHttpResponse(_lines(columns, rows), content_type="text/csv; charset=utf-8")
    answer["Content-Disposition"] = f'attachment; filename="{name}.csv"'
    return answer


def _lines(columns: Sequence[str], rows: Iterable[Iterable[object]]) -> Iterator[str]:
    writer = csv.writer(_Line())
    yield writer.writerow(columns)
    for row in rows:
        yield writer.writerow([_harmless(cell) for cell in row])


def _harmless(cell: object) -> object:
    if isinstance(cell, str) and cell.startswith(FORMULA) and not NUMBER.fullmatch(cell):
        return f"'{cell}"
    return cell
