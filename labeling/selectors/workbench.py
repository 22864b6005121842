"""The data of a reviewer's workbench: their own seat and labels, and of the case only what B6 allows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import QuerySet

from corpus.domain.vocabulary import AnchorLevel, AnchorRole, Severity, Verdict
from corpus.models import CaseFile, Category
from corpus.querysets.prepared import Slot, prepared
from corpus.selectors.blinded import BlindedCase, blinded_case
from corpus.selectors.file_heads import FileHead, file_heads
from corpus.selectors.margin import place_marks
from labeling.domain.completeness import Gap, answer_gaps, label_gaps
from labeling.domain.label_input import AnchorInput, LabelInput
from labeling.domain.place_text import group_places, place_line, ranges_text, write_places
from labeling.domain.save_keys import MAX_KEY
from labeling.models import Assignment, FileRead
from labeling.selectors.labels import StoredLabel, quotes_of, stored_labels

TITLE_FROM = ("title", "impact", "trigger", "evidence")
TITLE_LENGTH = 70
ROLES = tuple(AnchorRole)
# As much of a quote as the form shows; the lines themselves are a click away.
QUOTE_LENGTH = 2_000
Quotes = dict[tuple[str, str, int | None, int | None], str]


@dataclass(frozen=True)
class PlaceRow:
    """One place of a label as the form lists it: `line` is its text form, by which it is removed."""

    role: str
    text: str
    title: str
    line: str
    path: str
    side: str
    first_line: int | None
    # What the place quotes, where it is known here.
    quote: str = ""


@dataclass(frozen=True)
class LabelRow:
    """One label in the list, with the marks that script draws in the gutter as JSON."""

    public_id: str
    number: int
    title: str
    severity: str
    where: str
    category: str
    is_incomplete: bool
    is_withdrawn: bool
    is_open: bool
    marks: str


@dataclass(frozen=True)
class LabelForm:
    """The form of one label; of a new one when `public_id` is empty."""

    public_id: str
    number: int | None
    version: int
    save_key: str
    fields: LabelInput
    places: tuple[PlaceRow, ...]
    place_texts: dict[str, str]
    gaps: tuple[Gap, ...]
    saved_at: datetime | None
    errors: dict[str, str]


@dataclass(frozen=True)
class SubmitPage:
    """What the submit dialogue shows."""

    verdict: str
    missing_context: str
    summary: str
    version: int
    unread: tuple[FileHead, ...]
    file_count: int
    labels: tuple[tuple[LabelRow, tuple[Gap, ...]], ...]
    answer_gaps: tuple[Gap, ...]
    recall_minutes: int

    @property
    def is_complete(self) -> bool:
        """Say whether nothing is missing but perhaps reading."""
        return not self.answer_gaps and not any(gaps for _, gaps in self.labels)


@dataclass(frozen=True)
class WorkbenchPage:
    """Everything on the workbench beside the diff itself."""

    case: BlindedCase
    file_count: int
    read_positions: frozenset[int]
    labels: tuple[LabelRow, ...]
    withdrawn: tuple[LabelRow, ...]
    form: LabelForm | None
    categories: tuple[Category, ...]
    verdict: str
    expires_at: datetime | None

    @property
    def read_count(self) -> int:
        """Return how many files are marked as read."""
        return len(self.read_positions)


def workbench_page(assignment: Assignment, *, form: LabelForm | None, files: Sequence[CaseFile]) -> WorkbenchPage:
    """Return the page's data in a number of queries that does not grow with files or labels.

    `files` are those of the case in patch order. Categories are read only where a form is open.
    """
    read = read_positions(assignment)
    open_id = form.public_id if form else ""
    rows = [label_row(label, open_id=open_id) for label in stored_labels(assignment)]
    return WorkbenchPage(
        case=blinded_case(assignment.case),
        file_count=len(files),
        read_positions=read,
        labels=tuple(row for row in rows if not row.is_withdrawn),
        withdrawn=tuple(row for row in rows if row.is_withdrawn),
        form=form,
        categories=tuple(categories_of(assignment)) if form else (),
        verdict=assignment.verdict,
        expires_at=assignment.expires_at,
    )


def categories_of(assignment: Assignment) -> list[Category]:
    """Return the categories a label of the seat may have, in the taxonomy's order."""
    return list(Category.objects.filter(taxonomy_id=assignment.taxonomy_id, in_scope=True).order_by("position"))


@prepared
def positions_read(seat: Slot) -> QuerySet[FileRead, int]:
    """The positions of the files that a seat's owner marked as read."""
    return FileRead.objects.filter(assignment_id=seat).values_list("case_file__position", flat=True)


def read_positions(assignment: Assignment) -> frozenset[int]:
    """Return the positions of the files the reviewer marked as read."""
    return frozenset(positions_read.all(seat=assignment.pk))


def title_of(fields: LabelInput) -> str:
    """Return what the list calls a label: its title, else the beginning of what else it says."""
    for name in TITLE_FROM:
        text = str(getattr(fields, name)).split("\n")[0].strip()
        if text:
            return text if len(text) <= TITLE_LENGTH else text[: TITLE_LENGTH - 1].rstrip() + "…"
    return "Untitled"


def short_place(place: Sequence[AnchorInput]) -> str:
    """Return a place for a narrow list: the file's last name, the lines, the side."""
    first = place[0]
    if first.level == AnchorLevel.REPOSITORY:
        return "whole repository"
    name = first.path.rpartition("/")[2]
    if first.level == AnchorLevel.FILE:
        return f"{name} ({first.side})"
    return f"{name} {ranges_text(place)} {first.side}"


def place_rows(anchors: Iterable[AnchorInput], quotes: Quotes | None = None) -> tuple[PlaceRow, ...]:
    """Return the places of a label, primary first, as the form lists them, with what they quote."""
    held = quotes or {}
    return tuple(
        PlaceRow(
            role=place[0].role,
            text=short_place(place),
            title=place_line(place),
            line=place_line(place),
            path=place[0].path,
            side=place[0].side,
            first_line=place[0].first_line,
            quote="\n⋮\n".join(
                quote.removesuffix("\n")
                for part in place
                if (quote := held.get((part.path, part.side, part.first_line, part.last_line)))
            )[:QUOTE_LENGTH],
        )
        for place in group_places(anchors)
    )


def label_row(label: StoredLabel, *, open_id: str = "") -> LabelRow:
    """Return a label as the list shows it."""
    fields = label.fields
    primary = [place for place in group_places(fields.anchors) if place[0].role == AnchorRole.PRIMARY]
    where = short_place(primary[0]) if primary else "no place yet"
    if len(primary) > 1:
        where += f" and {len(primary) - 1} more"
    return LabelRow(
        public_id=label.public_id,
        number=label.number,
        title=title_of(fields),
        severity=fields.severity,
        where=where,
        category=fields.category.replace("_", " "),
        is_incomplete=bool(label_gaps(label.facts)),
        is_withdrawn=label.is_withdrawn,
        is_open=label.public_id == open_id,
        marks=place_marks(fields.anchors),
    )


def new_form(save_key: str) -> LabelForm:
    """Return the form of a new label: empty (B4)."""
    return _form(LabelInput(), save_key=save_key)


def stored_form(stored: StoredLabel, save_key: str) -> LabelForm:
    """Return the form of a stored label."""
    return _form(
        stored.fields,
        save_key=save_key,
        public_id=stored.public_id,
        number=stored.number,
        version=stored.version,
        gaps=tuple(label_gaps(stored.facts)),
        saved_at=stored.saved_at,
        quotes=quotes_of(stored.public_id) if stored.fields.anchors else None,
    )


def refused_form(fields: LabelInput, texts: dict[str, str], *, base: LabelForm, errors: dict[str, str]) -> LabelForm:
    """Return `base` filled with what was typed and what is wrong with it, so that nothing typed is lost."""
    return LabelForm(
        public_id=base.public_id,
        number=base.number,
        version=base.version,
        save_key=base.save_key,
        fields=fields,
        places=base.places,
        place_texts=texts,
        gaps=base.gaps,
        saved_at=base.saved_at,
        errors=errors,
    )


def _form(
    fields: LabelInput,
    *,
    save_key: str,
    public_id: str = "",
    number: int | None = None,
    version: int = 0,
    gaps: tuple[Gap, ...] = (),
    saved_at: datetime | None = None,
    quotes: Quotes | None = None,
) -> LabelForm:
    assert len(save_key) < MAX_KEY
    return LabelForm(
        public_id=public_id,
        number=number,
        version=version,
        save_key=save_key,
        fields=fields,
        places=place_rows(fields.anchors, quotes),
        place_texts={role.value: write_places(fields.anchors, role) for role in ROLES},
        gaps=gaps,
        saved_at=saved_at,
        errors={},
    )


def submit_page(assignment: Assignment) -> SubmitPage:
    """Return what the submit dialogue shows: the answer, unread files, and each label with what it lacks."""
    heads = file_heads(assignment.case.files.order_by("position"))
    read = read_positions(assignment)
    labels = [label for label in stored_labels(assignment) if not label.is_withdrawn]
    missing = answer_gaps(
        verdict=assignment.verdict,
        missing_context=assignment.missing_context,
        labels=[label.facts for label in labels],
    )
    return SubmitPage(
        verdict=assignment.verdict,
        missing_context=assignment.missing_context,
        summary=assignment.summary,
        version=assignment.version,
        unread=tuple(head for head in heads if head.position not in read),
        file_count=len(heads),
        labels=tuple(
            (label_row(label), tuple(gap for gap in missing if gap.label == label.number)) for label in labels
        ),
        answer_gaps=tuple(gap for gap in missing if gap.label is None),
        recall_minutes=assignment.policy.recall_minutes,
    )


SEVERITY_KEYS = (
    (Severity.CRITICAL, "c"),
    (Severity.HIGH, "h"),
    (Severity.MEDIUM, "m"),
    (Severity.LOW, "l"),
    (Severity.NOTE, "o"),
)
VERDICT_WORDS = {
    Verdict.HAS_DEFECTS: "has defects",
    Verdict.CLEAN: "clean",
    Verdict.UNCERTAIN: "uncertain",
    Verdict.INSUFFICIENT_CONTEXT: "insufficient context",
}
