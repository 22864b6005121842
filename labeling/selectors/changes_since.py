"""What changed since a case was decided: the texts that say what its labels mean, and the labels themselves (N7)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from corpus.domain.text_changes import PartChange, compare
from corpus.domain.text_parts import Part
from corpus.domain.vocabulary import EditKind
from corpus.models import AuditEntry, Case, Project
from corpus.selectors.project_texts import KINDS, TextKind, changes_between
from labeling.domain.place_text import group_places, place_line
from labeling.models import Comparison, Label, LabelAnchor, LabelRevision
from labeling.selectors.golden_inputs import anchor_of
from labeling.selectors.labels import CONTENT
from labeling.selectors.sides import Sides

# The texts that say what labels mean; the working policy only says how work is organised.
MEANING = ("guidelines", "taxonomy", "severity", "contract")
CONFIRMED = "case confirmed again"
FIELD_TITLES = {
    "trigger": "When it happens",
    "boundary": "Boundary crossed",
    "accept_elements": "An explanation must say",
    "relation": "Relation to the change",
}


@dataclass(frozen=True)
class TextChange:
    """What changed in one text between the version that held at the decision and the one in force."""

    title: str
    before: int
    after: int
    is_substantive: bool
    notes: tuple[str, ...]
    changes: tuple[PartChange, ...]


@dataclass(frozen=True)
class LabelChange:
    """What changed in one label since an earlier comparison of its round, under the letter of its side."""

    letter: str
    title: str
    changes: tuple[PartChange, ...]


def texts_in_force(project: Project) -> str:
    """Return the numbers of the texts in force that say what labels mean, for a page to say what it showed."""
    return " ".join(f"{slug} {KINDS[slug].in_force(project).number}" for slug in MEANING)


def text_changes_since(case: Case) -> tuple[TextChange, ...]:
    """Return what changed in the project's texts since a case settled or was last confirmed; none for other cases."""
    moment = decided_at(case)
    if moment is None:
        return ()
    found = [_text_change(KINDS[slug], case.project, moment) for slug in MEANING]
    return tuple(change for change in found if change is not None)


def decided_at(case: Case) -> datetime | None:
    """Return when the decisions on a case were last held to be right."""
    confirmed = AuditEntry.objects.filter(case=case, verb=CONFIRMED).order_by("-at").values_list("at", flat=True)
    moments = [moment for moment in (case.settled_at, confirmed.first()) if moment is not None]
    return max(moments, default=None)


def _text_change(kind: TextKind, project: Project, moment: datetime) -> TextChange | None:
    versions = list(kind.versions(project))
    newest = versions[0]
    before = next((version for version in versions if version.created_at <= moment), None)
    if before is None or before.number == newest.number:
        return None
    between = [version for version in versions if version.number > before.number]
    return TextChange(
        title=kind.title,
        before=before.number,
        after=newest.number,
        is_substantive=any(version.edit_kind == EditKind.SUBSTANTIVE for version in between),
        notes=tuple(version.note for version in reversed(between) if version.note),
        changes=changes_between(kind, before, newest),
    )


def label_changes_since(sides: Sides, labels: Iterable[Label] | None = None) -> tuple[LabelChange, ...]:
    """Return what changed in labels since their round was compared before; nothing for a first comparison.

    `labels` narrow it to some that are compared now. Labels that are new or were withdrawn since are told as such.
    """
    comparison = sides.comparison
    earlier = Comparison.objects.filter(round_id=comparison.round_id, superseded_at__isnull=False)
    previous = earlier.order_by("-superseded_at", "-pk").first()
    if previous is None:
        return ()
    before = dict(previous.compared_labels.values_list("label_id", "revision"))
    now = dict(comparison.compared_labels.values_list("label_id", "revision"))
    wanted = {label.pk for label in labels} if labels is not None else before.keys() | now.keys()
    changed = sorted(pk for pk in wanted if before.get(pk) != now.get(pk))
    rows = Label.objects.filter(pk__in=changed).select_related("assignment", "category")
    found = []
    for label in sorted(rows, key=lambda label: (sides.letter_of(label), label.number)):
        was, is_now = (_parts(label, numbers.get(label.pk)) for numbers in (before, now))
        found.append(LabelChange(sides.letter_of(label), label.title, compare(was, is_now)))
    return tuple(change for change in found if change.changes)


def _parts(label: Label, number: int | None) -> tuple[Part, ...]:
    """Return a label in one of its revisions as named parts; nothing where it did not take part."""
    if number is None:
        return ()
    revision = LabelRevision.objects.select_related("category").get(label=label, number=number)
    anchors = LabelAnchor.objects.filter(label=label, since__lte=number).exclude(until__lte=number)
    places = group_places([anchor_of(row) for row in anchors.order_by("group", "pk")])
    parts = [
        Part(
            name,
            FIELD_TITLES.get(name, name.replace("_", " ").capitalize()),
            _text(getattr(revision, name)),
        )
        for name in CONTENT
    ]
    parts.insert(2, Part("category", "Category", revision.category.name if revision.category else ""))
    parts.append(Part("places", "Places", "\n".join(f"{place[0].role}: {place_line(place)}" for place in places)))
    return tuple(part for part in parts if part.text)


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value or "").replace("_", " ")
