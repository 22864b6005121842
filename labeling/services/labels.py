"""Labels: every acknowledged save is a revision (N4), repeats change nothing (N2), stale saves are refused (N3)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.db.models import Max, QuerySet

from corpus import clock
from corpus.domain.vocabulary import AnchorLevel, RoundKind, Side
from corpus.models import Case, Category, User
from corpus.querysets.prepared import Slot, prepared
from corpus.selectors.quotes import CaseText, PlaceRefused, Quote
from labeling.domain.label_input import AnchorInput, FieldRefused, LabelInput, clean_label
from labeling.domain.save_keys import all_earlier_own, is_save_key
from labeling.models import Assignment, Label, LabelAnchor, LabelRevision
from labeling.selectors.labels import CONTENT, StoredLabel, anchor_input, label_after, stored_as, stored_label
from labeling.services.own_seats import SeatClosed, add_activity, lock_own_seat, require_open

MAX_LABELS = 100
NOTHING = Quote(blob_sha256="", quote_sha256="", text="")


class LabelRefused(Exception):
    """A label cannot be stored; `field` names the field, the message is one sentence for the person."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field
        self.message = message


class NoSuchLabel(Exception):
    """The seat has no label of this id."""


class StaleSave(Exception):
    """The label changed since the form was filled: `stored` is what stands, `yours` what was sent (N3)."""

    def __init__(self, stored: StoredLabel, yours: LabelInput) -> None:
        super().__init__(f"Label {stored.number} was changed elsewhere since you opened it.")
        self.stored = stored
        self.yours = yours


@dataclass(frozen=True)
class SavedLabel:
    """The acknowledgement of a save: the label as that save left it."""

    stored: StoredLabel
    is_repeat: bool = False

    @property
    def public_id(self) -> str:
        """Return the label's public id."""
        return self.stored.public_id

    @property
    def number(self) -> int:
        """Return the number the reviewer sees."""
        return self.stored.number

    @property
    def version(self) -> int:
        """Return the number of the revision that holds the save."""
        return self.stored.version

    @property
    def saved_at(self) -> datetime:
        """Return when it was stored."""
        return self.stored.saved_at


@transaction.atomic
def save_label(
    *,
    assignment: Assignment,
    reviewer: User,
    label: str | None,
    fields: LabelInput,
    expected_version: int,
    save_key: str = "",
) -> SavedLabel:
    """Store the content of a label, a new one when `label` (a public id) is None, and return its acknowledgement.

    `expected_version` is the version the form was filled from, 0 for a new label. `save_key` is the client's mark of
    this save (see `labeling.domain.save_keys`): a repeat answers as before, and earlier saves of the same writer never
    conflict.
    Raises SeatClosed, LabelRefused, NoSuchLabel or StaleSave; nothing is stored then.
    """
    if not is_save_key(save_key):
        raise LabelRefused("save_key", "The mark of this save is not readable; reload the page.")
    try:
        content = clean_label(fields)
    except FieldRefused as error:
        raise LabelRefused(error.field, error.message) from error
    seat = lock_own_seat(assignment=assignment, reviewer=reviewer)
    if label is None:
        return _create(seat, content, save_key)
    row = _own_label(seat, label)
    if row.version != expected_version:
        later = LabelRevision.objects.filter(label=row, number__gt=expected_version)
        newer = list(later.select_related("category").order_by("number"))
        for revision in newer:
            if save_key and revision.save_key == save_key:
                return SavedLabel(label_after(row, revision), is_repeat=True)
        require_open(seat)
        if not newer or not all_earlier_own(save_key, [revision.save_key for revision in newer]):
            raise StaleSave(stored_label(row), content)
    require_open(seat)
    if row.withdrawn_at is not None:
        raise LabelRefused("title", f"Label {row.number} was withdrawn; restore it to go on with it.")
    return _store(seat, row, content, save_key)


@prepared
def labels_named(seat: Slot, label: Slot) -> QuerySet[Label]:
    """The label of this public id on a seat."""
    return Label.objects.filter(assignment_id=seat, public_id=label).select_related("category")


@prepared
def places_held(label: Slot) -> QuerySet[LabelAnchor]:
    """The places of a label that hold."""
    return LabelAnchor.objects.filter(label_id=label, until__isnull=True)


def _own_label(seat: Assignment, public_id: str) -> Label:
    row = labels_named.first(seat=seat.pk, label=public_id)
    if row is None:
        raise NoSuchLabel("There is no such label on this case.")
    return row


def _create(seat: Assignment, content: LabelInput, save_key: str) -> SavedLabel:
    if seat.round.kind == RoundKind.CLAIMS:
        raise SeatClosed("A claims pass takes answers to claims and no labels.")
    if save_key:
        first = (
            LabelRevision.objects.filter(label__assignment=seat, number=1, save_key=save_key)
            .select_related("label", "category")
            .first()
        )
        if first is not None:
            return SavedLabel(label_after(first.label, first), is_repeat=True)
    require_open(seat)
    newest = Label.objects.filter(assignment=seat).aggregate(newest=Max("number"))["newest"] or 0
    if newest >= MAX_LABELS:
        raise LabelRefused("title", f"A case takes at most {MAX_LABELS} labels from one person.")
    now = clock.now()
    row = Label(assignment=seat, number=newest + 1, created_at=now, saved_at=now)
    return _store(seat, row, content, save_key)


def _store(seat: Assignment, row: Label, content: LabelInput, save_key: str) -> SavedLabel:
    row.category = _category(seat, row, content.category)
    for name in CONTENT:
        setattr(row, name, getattr(content, name))
    return _write(seat, row, save_key, content)


def _write(seat: Assignment, row: Label, save_key: str, content: LabelInput | None = None) -> SavedLabel:
    """Store the row as its next version and its revision; the places stay as they are without a new `content`."""
    row.version += 1
    row.saved_at = clock.now()
    is_new = row.pk is None
    removed, added = ([], []) if content is None else _changed_anchors(seat, row, list(content.anchors))
    row.save(force_insert=is_new, force_update=not is_new)
    LabelRevision.objects.create(
        label=row,
        number=row.version,
        category=row.category,
        is_withdrawn=row.withdrawn_at is not None,
        saved_at=row.saved_at,
        save_key=save_key,
        **{name: getattr(row, name) for name in CONTENT},
    )
    if removed:
        LabelAnchor.objects.filter(pk__in=removed).update(until=row.version)
    for anchor in added:
        anchor.label = row
        anchor.since = row.version
    if added:
        LabelAnchor.objects.bulk_create(added)
    add_activity(seat)
    return SavedLabel(stored_label(row) if content is None else stored_as(row, content))


def _category(seat: Assignment, row: Label, key: str) -> Category | None:
    if not key:
        return None
    if row.category is not None and row.category.key == key:
        return row.category
    category = Category.objects.filter(taxonomy_id=seat.taxonomy_id, key=key).first()
    if category is None:
        raise LabelRefused("category", f"{key[:40]!r} is no category of this project; choose one from the list.")
    return category


def _changed_anchors(seat: Assignment, row: Label, wanted: list[AnchorInput]) -> tuple[list[int], list[LabelAnchor]]:
    """Return the keys of places that no longer hold and the rows of new ones, bound to the bytes they quote."""
    held: dict[AnchorInput, int] = {}
    if row.pk is not None:
        held = {anchor_input(place): place.pk for place in places_held.all(label=row.pk)}
    removed = [pk for anchor, pk in held.items() if anchor not in set(wanted)]
    new = [anchor for anchor in wanted if anchor not in held]
    if not new:
        return removed, []
    case = Case.objects.select_related("patch", "base_tree", "head_tree").get(pk=seat.case_id)
    try:
        return removed, bind_anchors(case, new)
    except PlaceRefused as error:
        raise LabelRefused("anchors", str(error)) from error


def bind_anchors(case: Case, anchors: Iterable[AnchorInput]) -> list[LabelAnchor]:
    """Return unsaved rows of places with blob and quote from the stored bytes; PlaceRefused for what is not there."""
    text = CaseText(case)
    rows = []
    for anchor in anchors:
        quote = NOTHING
        if anchor.level == AnchorLevel.FILE:
            file = text.side_file(anchor.path, Side(anchor.side))
            quote = Quote(blob_sha256=file.blob_sha256, quote_sha256="", text="")
        elif anchor.level == AnchorLevel.LINES:
            assert anchor.first_line is not None
            assert anchor.last_line is not None
            quote = text.quote(anchor.path, Side(anchor.side), anchor.first_line, anchor.last_line)
        rows.append(
            LabelAnchor(
                role=anchor.role,
                group=anchor.group,
                level=anchor.level,
                path=anchor.path,
                side=anchor.side,
                first_line=anchor.first_line,
                last_line=anchor.last_line,
                blob_sha256=quote.blob_sha256,
                quote_sha256=quote.quote_sha256,
                quote=quote.text,
            )
        )
    return rows


@transaction.atomic
def withdraw_label(*, assignment: Assignment, reviewer: User, label: str) -> SavedLabel:
    """Take a label back; its content, number and revisions stay. Withdrawing twice answers the same."""
    seat = lock_own_seat(assignment=assignment, reviewer=reviewer)
    row = _own_label(seat, label)
    if row.withdrawn_at is not None:
        return SavedLabel(stored_label(row), is_repeat=True)
    require_open(seat)
    row.withdrawn_at = clock.now()
    return _write(seat, row, "")


@transaction.atomic
def restore_label(*, assignment: Assignment, reviewer: User, label: str) -> SavedLabel:
    """Bring a withdrawn label back as it was. Restoring twice answers the same."""
    seat = lock_own_seat(assignment=assignment, reviewer=reviewer)
    row = _own_label(seat, label)
    if row.withdrawn_at is None:
        return SavedLabel(stored_label(row), is_repeat=True)
    require_open(seat)
    row.withdrawn_at = None
    return _write(seat, row, "")
