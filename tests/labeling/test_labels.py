"""Labels: what is acknowledged is a revision, places are bound to bytes, stale saves are refused."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from datetime import timedelta

import pytest
from django.db import connection

from corpus import clock
from corpus.models import Blob
from labeling.domain.label_input import AnchorInput, LabelInput
from labeling.domain.states import AssignmentState
from labeling.models import Assignment, Label, LabelAnchor, LabelRevision
from labeling.selectors.labels import label_after, stored_label, stored_labels
from labeling.services.labels import (
    LabelRefused,
    NoSuchLabel,
    StaleSave,
    restore_label,
    save_label,
    withdraw_label,
)
from labeling.services.own_seats import SeatClosed
from tests.factories import HEAD_FILES, make_case
from tests.labeling.seats import DEFECT, LINES, label, make_seat


@pytest.fixture
def seat(project, people) -> Assignment:
    return make_seat(make_case(project), people.reviewer_a)


def save(seat: Assignment, of: str | None, version: int, key: str = "", fields: LabelInput = DEFECT, **changes):
    return save_label(
        assignment=seat,
        reviewer=seat.reviewer,
        label=of,
        fields=replace(fields, **changes),
        expected_version=version,
        save_key=key,
    )


def place(first: int, last: int, *, path: str = "pay/retry.py", side: str = "new", role: str = "primary", group=0):
    return AnchorInput(role=role, path=path, side=side, first_line=first, last_line=last, group=group)


def test_an_empty_draft_is_stored_with_every_field_open(seat) -> None:
    saved = label(seat, LabelInput())
    row = Label.objects.get(public_id=saved.public_id)
    assert (row.number, row.version, row.severity, row.category, row.speculative) == (1, 1, "", None, None)
    assert LabelRevision.objects.get(label=row).number == 1


def test_a_place_is_bound_to_the_blob_and_the_exact_bytes_it_quotes(seat) -> None:
    saved = label(seat)
    anchor = LabelAnchor.objects.get(label__public_id=saved.public_id)
    content = HEAD_FILES[b"pay/retry.py"][1]
    quoted = b"".join(content.splitlines(keepends=True)[9:14])
    assert anchor.blob_sha256 == hashlib.sha256(content).hexdigest()
    assert anchor.quote_sha256 == hashlib.sha256(quoted).hexdigest()
    assert anchor.quote == quoted.decode()
    assert "for attempt in range(ATTEMPTS):" in anchor.quote


def test_a_place_may_lie_in_a_file_that_the_change_does_not_touch(seat) -> None:
    saved = label(seat, anchors=(LINES, place(1, 1, path="pay/__init__.py", role="supporting", side="old"))[:1])
    supporting = place(3, 3, path="README.md", role="supporting", side="old")
    save(seat, saved.public_id, 1, anchors=(LINES, supporting))
    anchor = LabelAnchor.objects.get(role="supporting")
    assert anchor.quote == "Charges orders through the gateway.\n"


def test_places_take_several_ranges_roles_and_levels(seat) -> None:
    wanted = (
        place(10, 14),
        place(16, 16),
        place(6, 7, path="pay/totals.py", side="old", role="alternate", group=1),
        place(8, 9, role="alternate", group=2),
        AnchorInput(role="supporting", level="file", path="pay/totals.py", side="new"),
        AnchorInput(role="supporting", level="repository"),
    )
    saved = label(seat, anchors=wanted)
    stored = stored_label(Label.objects.get(public_id=saved.public_id))
    assert set(stored.fields.anchors) == set(wanted)
    removed_guard = LabelAnchor.objects.get(side="old")
    assert removed_guard.quote == "    if order.items is None:\n        return 0\n"


@pytest.mark.parametrize(
    ("anchor", "says"),
    [
        (place(1, 400), "pay/retry.py has 20 lines on the new side; there is no line 21"),
        (place(22, 22), "there is no line 22"),
        (place(9, 9, path="pay/totals.py"), "pay/totals.py has 6 lines on the new side"),
        (place(1, 1, path="pay/none.py"), "The case has no file pay/none.py on the new side"),
        (place(1, 1, path="pay"), "The case has no file pay on the new side"),
        (place(1, 1, path="../etc/passwd"), "has no file ../etc/passwd"),
        (place(1, 1, path="pay/__init__.py"), "there is no line 1"),
    ],
)
def test_a_place_that_is_not_there_is_refused_and_nothing_is_stored(seat, anchor, says) -> None:
    with pytest.raises(LabelRefused) as refusal:
        label(seat, anchors=(anchor,))
    assert refusal.value.field == "anchors"
    assert says in refusal.value.message
    assert not Label.objects.exists()


def test_without_a_snapshot_only_lines_that_the_patch_shows_can_be_named(project, people) -> None:
    seat = make_seat(make_case(project, patch_only=True), people.reviewer_a)
    saved = label(seat, anchors=(place(10, 10), place(6, 7, path="pay/totals.py", side="old", role="alternate")))
    anchors = LabelAnchor.objects.filter(label__public_id=saved.public_id)
    assert {a.blob_sha256 for a in anchors} == {""}
    assert anchors.get(side="old").quote_sha256 == (
        hashlib.sha256(b"    if order.items is None:\n        return 0\n").hexdigest()
    )
    with pytest.raises(LabelRefused, match=r"Line 1 of pay/retry\.py is not shown on the new side"):
        label(seat, anchors=(place(1, 1),))
    with pytest.raises(LabelRefused, match="is not shown on the new side"):
        label(seat, anchors=(place(500, 500),))


def test_lines_of_a_binary_file_are_refused_and_the_whole_file_is_not(project, people) -> None:
    case = make_case(project, base={b"a.bin": ("100644", b"\0a\n")}, head={b"a.bin": ("100644", b"\0b\n")})
    seat = make_seat(case, people.reviewer_a)
    with pytest.raises(LabelRefused, match="it is binary and has no lines; name the whole file instead"):
        label(seat, anchors=(place(1, 1, path="a.bin"),))
    label(seat, anchors=(AnchorInput(role="primary", level="file", path="a.bin", side="new"),))
    assert LabelAnchor.objects.get().blob_sha256 == hashlib.sha256(b"\0b\n").hexdigest()


def test_a_path_that_is_no_utf8_is_found_by_its_readable_text(project, people) -> None:
    base = {b"d\xff\\x/caf\xc3\xa9.py": ("100644", b"one\n"), b"b.py": ("100644", b"1\n")}
    head = {**base, b"b.py": ("100644", b"2\n")}
    seat = make_seat(make_case(project, base=base, head=head), people.reviewer_a)
    label(seat, anchors=(place(1, 1, path="d\\xff\\\\x/caf\\xc3\\xa9.py"),))
    assert LabelAnchor.objects.get().quote == "one\n"


def test_bytes_that_are_no_text_are_quoted_readably_and_hashed_exactly(project, people) -> None:
    head = {b"a.py": ("100644", b"x" * 8100 + b"\n\xff\0\r\n")}
    case = make_case(project, base={b"a.py": ("100644", b"x\n")}, head=head)
    label(make_seat(case, people.reviewer_a), anchors=(place(2, 2, path="a.py"),))
    anchor = LabelAnchor.objects.get()
    assert anchor.quote == "ÿ␀\r\n"
    assert anchor.quote_sha256 == hashlib.sha256(b"\xff\0\r\n").hexdigest()


def test_every_save_is_kept_as_it_was(seat) -> None:
    saved = label(seat, severity="")
    for version, severity in enumerate(["low", "high", "medium", "critical", "note"], 1):
        save(seat, saved.public_id, version, severity=severity)
    row = Label.objects.get(public_id=saved.public_id)
    assert (row.severity, row.version) == ("note", 6)
    severities = LabelRevision.objects.filter(label=row).order_by("number").values_list("severity", flat=True)
    assert list(severities) == ["", "low", "high", "medium", "critical", "note"]


def test_places_are_kept_with_the_revisions_they_held_in(seat) -> None:
    saved = label(seat, anchors=(place(10, 11),))
    save(seat, saved.public_id, 1, anchors=(place(10, 11), place(16, 16)))
    save(seat, saved.public_id, 2, anchors=(place(16, 16),))
    row = Label.objects.get(public_id=saved.public_id)
    after = [label_after(row, revision) for revision in row.revisions.order_by("number")]
    held = [[(anchor.first_line, anchor.last_line) for anchor in stored.fields.anchors] for stored in after]
    assert held == [[(10, 11)], [(10, 11), (16, 16)], [(16, 16)]]
    assert LabelAnchor.objects.count() == 2


def test_a_stale_save_is_refused_with_both_versions_and_changes_nothing(seat) -> None:
    saved = label(seat)
    save(seat, saved.public_id, 1, trigger="from the other tab")
    with pytest.raises(StaleSave) as refusal:
        save(seat, saved.public_id, 1, trigger="from this tab")
    assert refusal.value.stored.fields.trigger == "from the other tab"
    assert refusal.value.stored.version == 2
    assert refusal.value.yours.trigger == "from this tab"
    assert Label.objects.get().trigger == "from the other tab"
    assert LabelRevision.objects.count() == 2


def test_a_version_that_never_was_is_refused(seat) -> None:
    saved = label(seat)
    with pytest.raises(StaleSave):
        save(seat, saved.public_id, 7)


def test_repeating_a_save_answers_as_before_and_stores_nothing(seat) -> None:
    first = save(seat, None, 0, "w.1")
    again = save(seat, None, 0, "w.1", title="other")
    assert (again.public_id, again.version, again.is_repeat) == (first.public_id, 1, True)
    second = save(seat, first.public_id, 1, "w.2", title="second")
    repeated = save(seat, first.public_id, 1, "w.2", title="second")
    assert (repeated.version, repeated.saved_at, repeated.is_repeat) == (2, second.saved_at, True)
    assert LabelRevision.objects.count() == 2
    assert Label.objects.get().title == "second"


def test_a_repeat_is_answered_even_after_the_seat_was_closed(seat) -> None:
    first = save(seat, None, 0, "w.1")
    save(seat, first.public_id, 1, "w.2")
    Assignment.objects.filter(pk=seat.pk).update(state=AssignmentState.RELEASED)
    assert save(seat, None, 0, "w.1").is_repeat
    assert save(seat, first.public_id, 1, "w.2").version == 2


def test_own_consecutive_saves_never_conflict_even_when_an_answer_was_lost(seat) -> None:
    first = save(seat, None, 0, "w.1")
    save(seat, first.public_id, 1, "w.2", title="whose answer was lost")
    third = save(seat, first.public_id, 1, "w.3", title="typed meanwhile")
    assert third.version == 3
    assert Label.objects.get().title == "typed meanwhile"
    with pytest.raises(StaleSave):
        save(seat, first.public_id, 1, "v.1", title="from another tab")


def test_an_unknown_category_is_refused_and_none_is_taken_in_its_place(seat) -> None:
    with pytest.raises(LabelRefused, match="'security' is no category of this project"):
        label(seat, category="security")
    assert not Label.objects.exists()


def test_a_label_of_another_seat_cannot_be_saved_or_withdrawn(seat, people) -> None:
    saved = label(seat)
    other = make_seat(seat.case, people.reviewer_b)
    for act in (
        lambda: save(other, saved.public_id, 1),
        lambda: withdraw_label(assignment=other, reviewer=people.reviewer_b, label=saved.public_id),
    ):
        with pytest.raises(NoSuchLabel):
            act()
    with pytest.raises(SeatClosed):
        save_label(
            assignment=seat, reviewer=people.reviewer_b, label=saved.public_id, fields=DEFECT, expected_version=1
        )


@pytest.mark.parametrize("state", ["declined", "expired", "released"])
def test_a_seat_that_ended_takes_no_label_and_keeps_its_drafts(seat, state) -> None:
    saved = label(seat)
    Assignment.objects.filter(pk=seat.pk).update(state=state)
    for act in (lambda: label(seat), lambda: save(seat, saved.public_id, 1)):
        with pytest.raises(SeatClosed):
            act()
    assert Label.objects.get().title == DEFECT.title


def test_time_is_over_by_the_clock_even_if_nobody_swept_the_seat(seat) -> None:
    long_ago = clock.now() - timedelta(hours=2)
    Assignment.objects.filter(pk=seat.pk).update(expires_at=long_ago, last_active_at=long_ago)
    with pytest.raises(SeatClosed, match="Your time for this case is over"):
        label(seat)


def test_a_withdrawn_label_keeps_number_and_content_and_comes_back(seat) -> None:
    saved = label(seat)
    gone = withdraw_label(assignment=seat, reviewer=seat.reviewer, label=saved.public_id)
    assert gone.version == 2
    assert withdraw_label(assignment=seat, reviewer=seat.reviewer, label=saved.public_id).is_repeat
    with pytest.raises(LabelRefused, match="was withdrawn; restore it"):
        save(seat, saved.public_id, 2)
    assert label(seat).number == 2
    restore_label(assignment=seat, reviewer=seat.reviewer, label=saved.public_id)
    row = Label.objects.get(public_id=saved.public_id)
    assert (row.withdrawn_at, row.version, row.title) == (None, 3, DEFECT.title)
    assert list(row.revisions.order_by("number").values_list("is_withdrawn", flat=True)) == [False, True, False]
    assert stored_label(row).fields.anchors == (LINES,)


def test_an_autosave_that_changes_no_place_reads_no_bytes(seat, django_assert_num_queries) -> None:
    saved = label(seat)
    with django_assert_num_queries(7) as queries:
        save(seat, saved.public_id, 1, trigger="other words")
    assert not any(Blob._meta.db_table in query["sql"] for query in queries.captured_queries)


def test_labels_are_read_whole_while_another_tab_makes_one_more(seat) -> None:
    label(seat, title="read first")
    made: list[str] = []

    def between(execute, sql, params, many, context):  # type: ignore[no-untyped-def]
        if "labelanchor" in sql and sql.startswith("SELECT") and not made:
            made.append("now")
            made.append(label(seat, title="made meanwhile").public_id)
        return execute(sql, params, many, context)

    with connection.execute_wrapper(between):
        read = stored_labels(seat)
    assert len(made) == 2
    assert [(one.fields.title, one.fields.anchors) for one in read] == [("read first", (LINES,))]
