"""Intakes as pages show them: every record accounted for."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Count

from corpus.models import Project, User
from reviews.domain.vocabulary import RECORD_KIND_WORDS
from reviews.models import Intake, IntakeRecord, IntakeRemark


@dataclass(frozen=True)
class KindCount:
    """How many records are of a kind, and how many of these are new."""

    kind: str
    label: str
    total: int
    new: int


@dataclass(frozen=True)
class Account:
    """Every record of an intake by kind; `total` is their sum. Parts were split off the bodies of others."""

    kinds: tuple[KindCount, ...]
    total: int
    parts: int
    new: int
    present: int
    left_out: int
    cases: int
    tools: int


def account_of(intake: Intake) -> Account:
    """Return the account of an intake's records."""
    counts: dict[tuple[str, str], int] = {
        (kind, outcome): total
        for kind, outcome, total in intake.records.values("kind", "outcome")
        .annotate(total=Count("pk"))
        .values_list("kind", "outcome", "total")
    }

    def of(kind: str | None = None, outcome: str | None = None) -> int:
        return sum(total for (one, other), total in counts.items() if kind in (None, one) and outcome in (None, other))

    return Account(
        kinds=tuple(
            KindCount(kind.value, words, of(kind), of(kind, IntakeRecord.NEW))
            for kind, words in RECORD_KIND_WORDS.items()
        ),
        total=of(),
        parts=intake.records.filter(parent_position__isnull=False).count(),
        new=of(outcome=IntakeRecord.NEW),
        present=of(outcome=IntakeRecord.PRESENT),
        left_out=of(outcome=IntakeRecord.LEFT_OUT),
        cases=intake.records.filter(case__isnull=False).values("case").distinct().count(),
        tools=intake.records.exclude(tool_name="").values("tool_name").distinct().count(),
    )


def remarks_of(intake: Intake) -> list[str]:
    """Return what an intake says once for many records, as sentences."""
    sentences = []
    for remark in intake.remarks.order_by("kind", "-count", "word"):
        times = "once" if remark.count == 1 else f"{remark.count} times"
        if remark.kind == IntakeRemark.UNKNOWN_SEVERITY:
            sentences.append(f'The severity "{remark.word}" ({times}) has no meaning here yet and stays empty.')
        elif remark.kind == IntakeRemark.UNKNOWN_CATEGORY:
            sentences.append(f'The category "{remark.word}" ({times}) is not in the taxonomy and stays empty.')
        else:
            sentences.append(f"Line 0 is named {times}: the source may count lines from 0. Its settings can say so.")
    return sentences


def listed_intakes(user: User, project: Project) -> list[Intake]:
    """Return the latest intakes that `user` may see."""
    found = Intake.objects.visible_to(user).filter(project=project).select_related("tool", "created_by")
    return list(found.order_by("-pk")[:20])
