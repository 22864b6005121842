"""What machine evidence has to say on a project's home page."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Count

from corpus.models import Project, User
from reviews.models import Match, Run

SHOWN_RUNS = 3


@dataclass(frozen=True)
class RunLine:
    """One of the newest runs against a version, and how many of its findings wait for a ruling."""

    run: Run
    open: int


def newest_runs(*, project: Project, user: User) -> tuple[RunLine, ...]:
    """Return the newest runs against versions that a lead or analyst may see, in two queries."""
    found = Run.objects.visible_to(user).filter(project=project, version__isnull=False)
    runs = list(found.select_related("configuration__tool", "version").order_by("-pk")[:SHOWN_RUNS])
    waiting = Match.objects.visible_to(user).filter(matching__run__in=[run.pk for run in runs], is_open=True)
    counts = dict(waiting.values_list("matching__run").annotate(Count("pk")).order_by())
    return tuple(RunLine(run, counts.get(run.pk, 0)) for run in runs)
