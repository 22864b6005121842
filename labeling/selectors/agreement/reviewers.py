"""Reviewers measured by what was decided: for leads, over settled cases alone.

These shares favour whose findings formed the golden set; nobody is measured by agreement with the other seat.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.db.models import F, OuterRef, QuerySet, Subquery

from corpus.domain.vocabulary import CaseState, GoldenState, Severity, Verdict
from corpus.models import GoldenFinding, GoldenRevision, Project, User
from labeling.domain.states import AssignmentState
from labeling.domain.statistics.intervals import clustered_share
from labeling.domain.statistics.layers import Figure, ShareFigure
from labeling.domain.statistics.measures import FEWEST_UNITS, STABLE_UNITS, Measure, Reason
from labeling.domain.statistics.resampling import interval_by_case
from labeling.domain.statistics.tables import Numbers
from labeling.models import Assignment, GoldenSource, Label, Tally
from labeling.selectors.agreement.sample import Choice, counted_tallies, remembered
from labeling.selectors.agreement.words import Shown, figure_line, share_line

ACCEPTED = (GoldenState.REQUIRED, GoldenState.OPTIONAL)
RANKS = {level.value: level.rank for level in Severity}


@dataclass(frozen=True)
class ReviewerQuality:
    """One reviewer: cases that settled, and three figures with their intervals."""

    public_id: str
    name: str
    cases: int
    confirmed: Shown
    found: Shown
    severity: Shown


def reviewer_quality(project: Project, user: User, choice: Choice) -> tuple[ReviewerQuality, ...]:
    """Return the reviewers of the chosen settled cases by name. Four queries."""
    tallies = counted_tallies(project, user, choice).newest().filter(case__state=CaseState.SETTLED).order_by()
    seats = list(
        Assignment.objects.filter(
            round_id__in=tallies.values_list("comparison__round_id"), state=AssignmentState.SUBMITTED
        )
        .exclude(verdict=Verdict.INSUFFICIENT_CONTEXT)
        .order_by("reviewer__name", "reviewer_id", "case_id")
        .values_list("pk", "reviewer_id", "case_id", "reviewer__public_id", "reviewer__name")
    )
    golden = _golden(tallies.values_list("case_id"))
    finding_of = _findings_of_labels(tallies.values_list("case_id"))
    labels = _labels(tallies.values_list("comparison__round_id"))
    people: dict[int, list[tuple[int, int]]] = {}
    names: dict[int, tuple[str, str]] = {}
    for seat, reviewer, case, public_id, name in seats:
        people.setdefault(reviewer, []).append((seat, case))
        names[reviewer] = (public_id, name)
    required = _required_by_case(golden)
    return tuple(
        _quality(names[reviewer], held, labels, golden, finding_of, required) for reviewer, held in people.items()
    )


# Primary keys as a subquery.
Ids = QuerySet[Tally, Any]
Golden = Mapping[int, tuple[int, str, str]]


def _golden(cases: Ids) -> dict[int, tuple[int, str, str]]:
    """Return case, state and severity of the findings that stand."""
    newest = GoldenRevision.objects.filter(finding=OuterRef("pk")).order_by("-number")
    rows = GoldenFinding.objects.live().filter(case_id__in=cases)
    held = rows.annotate(state=Subquery(newest.values("state")[:1]), level=Subquery(newest.values("severity")[:1]))
    return {pk: (case, state, level) for pk, case, state, level in held.values_list("pk", "case_id", "state", "level")}


def _findings_of_labels(cases: Ids) -> dict[int, int]:
    """Return which standing finding each label is a source of."""
    rows = GoldenSource.objects.filter(finding__case_id__in=cases, finding__retracted_at__isnull=True)
    return dict(rows.values_list("label_id", "finding_id"))


def _labels(rounds: Ids) -> dict[int, list[tuple[int, str]]]:
    found: dict[int, list[tuple[int, str]]] = {}
    rows = Label.objects.standing().filter(assignment__round_id__in=rounds).annotate(seat=F("assignment_id"))
    for pk, seat, severity in rows.values_list("pk", "seat", "severity"):
        found.setdefault(seat, []).append((pk, severity))
    return found


def _required_by_case(golden: Golden) -> dict[int, set[int]]:
    found: dict[int, set[int]] = {}
    for pk, (case, state, _) in golden.items():
        if state == GoldenState.REQUIRED:
            found.setdefault(case, set()).add(pk)
    return found


def _quality(
    named: tuple[str, str],
    seats: list[tuple[int, int]],
    labels: Mapping[int, list[tuple[int, str]]],
    golden: Golden,
    finding_of: Mapping[int, int],
    required: Mapping[int, set[int]],
) -> ReviewerQuality:
    confirmed: list[tuple[int, int]] = []
    found: list[tuple[int, int]] = []
    signed: list[tuple[float, float]] = []
    for seat, case in seats:
        own = [(golden.get(finding_of.get(pk, 0)), severity) for pk, severity in labels.get(seat, ())]
        # What stayed unresolved is neither confirmed nor refuted.
        judged = [(said, severity) for said, severity in own if said is None or said[1] != GoldenState.UNRESOLVED]
        accepted = [(said, severity) for said, severity in judged if said is not None and said[1] in ACCEPTED]
        confirmed.append((len(accepted), len(judged)))
        mine = {finding_of[pk] for pk, _ in labels.get(seat, ()) if pk in finding_of}
        wanted = required.get(case, set())
        found.append((len(mine & wanted), len(wanted)))
        steps = [RANKS[severity] - RANKS[said[2]] for said, severity in accepted if severity and said[2]]
        signed.append((float(sum(steps)), float(len(steps))))
    public_id, name = named
    return ReviewerQuality(
        public_id=public_id,
        name=name,
        cases=len(seats),
        confirmed=share_line("Confirmed", _share(confirmed)),
        found=share_line("Found", _share(found)),
        severity=figure_line("Severity", _mean(signed), "finding"),
    )


def _share(cases: list[tuple[int, int]]) -> ShareFigure:
    found = clustered_share(cases)
    if found is None:
        return ShareFigure(0, 0, Measure(None, Reason.EMPTY_DENOMINATOR), None, None)
    return ShareFigure(found.hits, found.total, Measure(found.share), *found.interval)


def _mean(cases: list[tuple[float, float]]) -> Figure:
    """Return the mean of steps with its interval by case: sums and counts add up over cases."""
    units = int(sum(count for _, count in cases))
    if units < FEWEST_UNITS:
        reason = Reason.TOO_FEW_UNITS if units else Reason.EMPTY_DENOMINATOR
        return Figure(None, reason, None, None, reason, None, units, len(cases), unstable=False)
    mean = sum(total for total, _ in cases) / units
    vectors = np.array(cases)
    interval = remembered(("mean of steps", vectors.tobytes()), lambda: interval_by_case(vectors, _ratio))
    return Figure(
        mean,
        None,
        interval.low,
        interval.high,
        interval.reason,
        interval.method,
        units,
        len(cases),
        unstable=units < STABLE_UNITS,
    )


def _ratio(sums: Numbers) -> Numbers:
    with np.errstate(invalid="ignore"):
        return np.asarray(sums[..., 0] / sums[..., 1])
