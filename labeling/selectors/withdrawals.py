"""What withdrawing some cases would end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Count

from corpus.models import Case, VersionCase
from labeling.domain.states import AssignmentState
from labeling.models import Assignment


@dataclass(frozen=True)
class WithdrawalRow:
    """One case: how many seats are being worked on, how many were submitted, how many frozen versions hold it."""

    case: Case
    working: int
    submitted: int
    versions: int


def withdrawal_rows(cases: Sequence[Case]) -> tuple[WithdrawalRow, ...]:
    """Return a row per case, with a number of queries that does not grow with their number."""
    ids = [case.pk for case in cases]
    seats: dict[tuple[int, str], int] = {}
    for case_id, state, count in (
        Assignment.objects.live().filter(case__in=ids).values_list("case", "state").annotate(count=Count("pk"))
    ):
        seats[case_id, state] = count
    versions = dict(VersionCase.objects.filter(case__in=ids).values_list("case").annotate(count=Count("pk")))
    return tuple(
        WithdrawalRow(
            case=case,
            working=seats.get((case.pk, AssignmentState.ACTIVE), 0),
            submitted=seats.get((case.pk, AssignmentState.SUBMITTED), 0),
            versions=versions.get(case.pk, 0),
        )
        for case in cases
    )
