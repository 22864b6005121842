"""Drawing changes before they are opened.

Whoever opens a change first would wait for its colours, and could tell from the wait that nobody else has opened it
yet (B1). So the worker draws what is given to reviewers, before they come.
"""

from __future__ import annotations

from django.db.models import Exists, F, OuterRef

from corpus.domain.vocabulary import CaseState
from corpus.models import CaseFile, CaseHunk, DrawnFile
from corpus.rendering.diff_rows import LAYOUTS
from corpus.rendering.drawn import standing, version
from corpus.selectors.diff_files import Wanted, draw_files
from corpus.selectors.file_heads import LARGE_CHANGE
from corpus.services.jobs import periodically

AT_ONCE = 40


@periodically
def draw_waiting(most: int = AT_ONCE) -> int:
    """Draw up to `most` files of cases that are being labelled and return how many were drawn in some layout."""
    done = set()
    for layout in LAYOUTS:
        current = DrawnFile.objects.filter(case_file=OuterRef("pk"), layout=layout, version=version())
        waiting = (
            standing(CaseFile.objects.all())
            .filter(case__state__in=[CaseState.LABELLING, CaseState.CLAIMS], is_binary=False)
            .filter(Exists(CaseHunk.objects.filter(case_file=OuterRef("pk"))), ~Exists(current))
            .annotate(changed=F("added") + F("removed"))
            .filter(changed__lte=LARGE_CHANGE)
            .select_related("case")
            .order_by("case_id", "position")
            .defer("old_path", "new_path")
        )
        by_case: dict[int, list[CaseFile]] = {}
        for file in waiting[:most]:
            by_case.setdefault(file.case_id, []).append(file)
        for files in by_case.values():
            wanted = [file.pk for file in files]
            draw_files(files[0].case, wanted, Wanted(layout))
            done.update(wanted)
    return len(done)
