"""The cases behind a cell of a table: for leads, as sides A and B, and never who they are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Exists, OuterRef, Prefetch, Q, QuerySet, prefetch_related_objects

from corpus.domain.vocabulary import CaseState
from corpus.models import Case, Project, User
from labeling.domain.states import FoundBy
from labeling.models import Tally, TallyFinding
from labeling.selectors.agreement.confusion import NOT_FOUND
from labeling.selectors.agreement.sample import Choice, counted_tallies

LAYERS = ("verdict", "category", "severity")


@dataclass(frozen=True)
class Cell:
    """Which cell of which table: two answers, in any order."""

    layer: str
    one: str
    other: str

    def as_query(self) -> dict[str, str]:
        """Return the cell as it stands in an address."""
        return {"layer": self.layer, "one": self.one, "other": self.other}


@dataclass(frozen=True)
class Evidence:
    """One case behind a cell: what A and B said. `may_adjudicate` says whether its decisions are open to the viewer."""

    case: Case
    labelled_at: datetime
    said: tuple[tuple[str, str], ...]
    may_adjudicate: bool


def evidence_tallies(project: Project, user: User, choice: Choice, cell: Cell) -> QuerySet[Tally]:
    """Return the tallies behind a cell, newest first."""
    tallies = counted_tallies(project, user, choice).newest()
    if cell.layer == "verdict":
        tallies = tallies.filter(_either_way("verdict", cell.one, cell.other))
    else:
        tallies = tallies.filter(Exists(findings_of(cell).filter(tally_id=OuterRef("pk"))))
        tallies = tallies.exclude(Q(verdict_first="insufficient_context") | Q(verdict_second="insufficient_context"))
    return tallies.select_related("case").order_by("-labelled_at", "-pk")


def findings_of(cell: Cell) -> QuerySet[TallyFinding]:
    """Return the findings that a cell of categories or severities counts."""
    if NOT_FOUND in (cell.one, cell.other):
        said = cell.other if cell.one == NOT_FOUND else cell.one
        alone = Q(found_by=FoundBy.FIRST, **{f"{cell.layer}_first": said})
        return TallyFinding.objects.filter(alone | Q(found_by=FoundBy.SECOND, **{f"{cell.layer}_second": said}))
    pairs = TallyFinding.objects.filter(_either_way(cell.layer, cell.one, cell.other), found_by=FoundBy.BOTH)
    if cell.layer == "category":
        return pairs.filter(shares_a_line=True)
    return pairs.filter(is_decided_by_severity=False)


def _either_way(name: str, one: str, other: str) -> Q:
    return Q(**{f"{name}_first": one, f"{name}_second": other}) | Q(**{f"{name}_first": other, f"{name}_second": one})


def evidence_page(tallies: Iterable[Tally], user: User, cell: Cell) -> tuple[Evidence, ...]:
    """Return the rows of one page of tallies."""
    listed = list(tallies)
    if cell.layer != "verdict":
        prefetch_related_objects(
            listed, Prefetch("findings", queryset=findings_of(cell).order_by("pk"), to_attr="shown")
        )
    open_to_viewer = set(
        Case.objects.adjudicable_by(user)
        .filter(pk__in=[tally.case_id for tally in listed], state__in=[CaseState.ADJUDICATING, CaseState.SETTLED])
        .values_list("pk", flat=True)
    )
    return tuple(
        Evidence(
            case=tally.case,
            labelled_at=tally.labelled_at,
            said=_said(tally, cell),
            may_adjudicate=tally.case_id in open_to_viewer,
        )
        for tally in listed
    )


def _said(tally: Tally, cell: Cell) -> tuple[tuple[str, str], ...]:
    if cell.layer == "verdict":
        return ((_words(tally.verdict_first), _words(tally.verdict_second)),)
    found: list[TallyFinding] = tally.shown  # type: ignore[attr-defined]
    return tuple(
        (_side(one.category_first, one.severity_first), _side(one.category_second, one.severity_second))
        for one in found
    )


def _side(category: str, severity: str) -> str:
    return ", ".join(filter(None, (_words(category), severity))) or "not found"


def _words(value: str) -> str:
    return value.replace("_", " ")


def cell_words(cell: Cell) -> Mapping[str, str]:
    """Return the two answers in words."""
    return {"one": _words(cell.one), "other": _words(cell.other)}
