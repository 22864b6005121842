"""The queue of questions to rulers, and one question beside its change. Nothing here tells which tool spoke (B3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Exists, OuterRef

from corpus.domain.vocabulary import AnchorLevel, AnchorRole, Severity
from corpus.models import GoldenRevision, Project, User
from corpus.models.findings import AnchorFields
from corpus.selectors.margin import MarginMark, place_marks
from reviews.domain.text_evidence import TextEvidence, text_evidence
from reviews.models import AIFinding, Match, Ruling
from reviews.querysets.matches import MatchQuerySet

# The queue says "more than" instead of counting on.
MOST_COUNTED = 500


@dataclass(frozen=True)
class PlaceLine:
    """A place as a link: its role, the words for it, and where it is."""

    role: str
    text: str
    path: str
    side: str
    line: int | None


@dataclass(frozen=True)
class GoldenCard:
    """A golden finding that the words may speak of. `key` names it in the form."""

    key: str
    title: str
    severity: str
    category: str
    state: str
    trigger: str
    evidence: str
    impact: str
    places: tuple[PlaceLine, ...]
    is_proposed: bool
    shared: TextEvidence


@dataclass(frozen=True)
class RulingPage:
    """One question: the words, where they point, and the golden findings of the case, the proposed one first."""

    match: Match
    text: str
    suggestion: str
    places: tuple[PlaceLine, ...]
    place_note: str
    golden: tuple[GoldenCard, ...]
    marks: tuple[MarginMark, ...]


def waiting(user: User, project: Project) -> MatchQuerySet:
    """Return the open matches of a project that a person may rule on and has not, in the order of the queue."""
    answered = Ruling.objects.filter(
        ruler_id=user.pk,
        case_id=OuterRef("case_id"),
        content_sha256=OuterRef("content_sha256"),
        case_sha256=OuterRef("case_sha256"),
    )
    found = Match.objects.rulable_by(user).filter(is_open=True, case__project=project)
    return found.filter(~Exists(answered)).order_by("shuffle", "pk")


def waiting_count(user: User, project: Project) -> int:
    """Return how many wait for the person, counted up to one more than `MOST_COUNTED`."""
    return len(waiting(user, project).values_list("pk", flat=True)[: MOST_COUNTED + 1])


def ruling_page(match: Match) -> RulingPage:
    """Return one question with everything its page shows."""
    finding = match.finding
    anchors = list(finding.anchors.order_by("pk"))
    golden = golden_of(match)
    return RulingPage(
        match=match,
        text=finding.neutral_text,
        suggestion=finding.neutral_suggestion,
        places=_places(anchors) or _unplaced(finding),
        place_note=finding.place_note,
        golden=tuple(_card(revision, match, finding) for revision in golden),
        marks=(
            *(
                MarginMark("a", revision.title, "G", revision.severity, place_marks(revision.anchors.all()))
                for revision in golden
            ),
            MarginMark("b", "The words in question", "?", Severity.NOTE, place_marks(anchors)),
        ),
    )


def golden_of(match: Match) -> list[GoldenRevision]:
    """Return the golden findings that the version holds of the case, the proposed one first."""
    revisions = GoldenRevision.objects.filter(
        pk__in=match.case.version_cases.filter(version__runs=match.matching.run_id).values("findings__revision_id")
    )
    ordered = revisions.select_related("finding", "category").prefetch_related("anchors").order_by("pk")
    return sorted(ordered, key=lambda revision: revision.pk != match.golden_id)


def _card(revision: GoldenRevision, match: Match, finding: AIFinding) -> GoldenCard:
    anchors = sorted(revision.anchors.all(), key=lambda row: row.pk)
    words = " ".join((revision.title, revision.trigger, revision.evidence, revision.impact))
    return GoldenCard(
        key=revision.finding.public_id,
        title=revision.title,
        severity=revision.severity,
        category=revision.category.name if revision.category else "",
        state=revision.state,
        trigger=revision.trigger,
        evidence=revision.evidence,
        impact=revision.impact,
        places=_places(anchors),
        is_proposed=revision.pk == match.golden_id,
        shared=text_evidence(finding.neutral_text, words, revision.keyword_list, revision.accept_element_list),
    )


def _places(anchors: Sequence[AnchorFields]) -> tuple[PlaceLine, ...]:
    return tuple(
        PlaceLine(role=row.role, text=_where(row), path=row.path, side=row.side, line=row.first_line)
        for row in anchors
        if row.level != AnchorLevel.REPOSITORY
    )


def _unplaced(finding: AIFinding) -> tuple[PlaceLine, ...]:
    """Return the place as the words name it where the case does not have it."""
    if not finding.path:
        return ()
    text = f"{finding.path}{', lines ' + finding.lines if finding.lines else ''}"
    return (PlaceLine(role=AnchorRole.PRIMARY, text=text, path="", side="", line=None),)


def _where(row: AnchorFields) -> str:
    if row.level == AnchorLevel.FILE:
        return f"{row.path} ({row.side})"
    span = str(row.first_line) if row.first_line == row.last_line else f"{row.first_line}–{row.last_line}"
    return f"{row.path}:{span} ({row.side})"
