"""Rows of files that were drawn before: a change is drawn once for each layout, however often it is opened.

What is kept depends on the change and on this code alone, never on who asks; the address of a file's pieces is filled
in when it is read.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pygments
from django.db.models import QuerySet
from django.utils.safestring import SafeString, mark_safe

from corpus.domain import change_kinds, clusters, intraline, moves, notebooks, pairing, sequences
from corpus.models import Case, CaseFile, DrawnFile
from corpus.querysets.prepared import Slot, prepared
from corpus.rendering import diff_rows, highlight, lexers, lines, text

# Stands for the address of a file's pieces. Escaped text holds no "<", so it cannot come from a file.
ADDRESS = "<address>"


@dataclass(frozen=True)
class Drawn:
    """A file's tables with `ADDRESS` in place of where its pieces are, and whether its text holds bidi controls."""

    html: str
    has_bidi: bool

    def at(self, url: str) -> SafeString:
        """Return the tables for a page that serves the file's pieces below `url`."""
        return mark_safe(self.html.replace(ADDRESS, url))  # noqa: S308 - drawn by diff_rows, which escapes


# The modules on which it depends what is drawn.
DRAWING = (
    change_kinds,
    clusters,
    intraline,
    moves,
    notebooks,
    pairing,
    sequences,
    diff_rows,
    highlight,
    lexers,
    lines,
    text,
)


@cache
def version() -> str:
    """Return the mark of the code that draws: what another version drew is drawn anew."""
    digest = hashlib.sha256(pygments.__version__.encode())
    for module in DRAWING:
        digest.update(Path(str(module.__file__)).read_bytes())
    return digest.hexdigest()[:16]


BYTES = ("old_blob", "new_blob", "case__patch")


def standing(files: QuerySet[CaseFile]) -> QuerySet[CaseFile]:
    """Leave out files of which any byte was withdrawn."""
    return files.filter(**{f"{blob}__withdrawn_at__isnull": True for blob in BYTES})


@prepared
def rows_drawn(
    case: Slot, first: Slot, last: Slot, layout: Slot, code: Slot
) -> QuerySet[DrawnFile, tuple[int, bytes | memoryview, bool]]:
    """What one version of the code drew of the files between two positions of a case; no file with withdrawn bytes."""
    whole = {f"case_file__{blob}__withdrawn_at__isnull": True for blob in BYTES}
    rows = DrawnFile.objects.filter(
        case_file__case_id=case,
        case_file__position__gte=first,
        case_file__position__lte=last,
        layout=layout,
        version=code,
        **whole,
    )
    return rows.values_list("case_file_id", "html", "has_bidi")


def drawn_files(case: Case, files: Sequence[CaseFile], layout: str) -> dict[int, Drawn]:
    """Return what is drawn already of files of a case by primary key, by one query."""
    wanted = {file.pk for file in files}
    positions = [file.position for file in files]
    rows = rows_drawn.all(case=case.pk, first=min(positions), last=max(positions), layout=layout, code=version())
    return {key: Drawn(zlib.decompress(html).decode(), has_bidi) for key, html, has_bidi in rows if key in wanted}


def keep_drawn(drawn: dict[int, Drawn], layout: str) -> None:
    """Store what was drawn, in place of what an older version drew; nothing of a file with withdrawn bytes."""
    kept = set(standing(CaseFile.objects.filter(pk__in=list(drawn))).values_list("pk", flat=True))
    DrawnFile.objects.bulk_create(
        [
            DrawnFile(
                case_file_id=key,
                layout=layout,
                version=version(),
                html=zlib.compress(each.html.encode(), 4),
                has_bidi=each.has_bidi,
            )
            for key, each in sorted(drawn.items())
            if key in kept
        ],
        update_conflicts=True,
        unique_fields=["case_file", "layout"],
        update_fields=["version", "html", "has_bidi"],
    )
