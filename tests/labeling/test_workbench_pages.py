"""The workbench as pages and plain forms."""

from __future__ import annotations

import re

import pytest
from django.urls import reverse

from corpus.models import Case
from labeling.models import Assignment, FileRead, Label
from tests.factories import make_case
from tests.labeling.seats import DEFECT, label, make_seat

HIDDEN = {
    "title": "Hidden title Zq1",
    "message": "Hidden message Zq2",
    "change_author": "Hidden author Zq3",
    "family": "family-zq4",
    "variant": "variant-zq5",
    "tier": "tier-zq6",
    "area": "area-zq7",
    "external_url": "https://example.org/zq8",
    "base_commit": "a" * 40,
    "head_commit": "b" * 40,
}


@pytest.fixture
def seat(project, people) -> Assignment:
    case = make_case(project)
    Case.objects.filter(pk=case.pk).update(**HIDDEN)
    return make_seat(case, people.reviewer_a)


@pytest.fixture
def client(client_of, seat):
    return client_of(seat.reviewer)


def url(seat: Assignment, name: str = "workbench", **kwargs) -> str:
    return reverse(name, kwargs={"project": seat.case.project.slug, "seat_id": seat.public_id, **kwargs})


def posted(**changes) -> dict:
    fields = {
        "title": "A time-out charges twice",
        "severity": "high",
        "category": "concurrency",
        "relation": "introduced",
        "speculative": "no",
        "trigger": "the gateway answers late",
        "impact": "the customer pays twice",
        "confidence": "high",
        "places_primary": "pay/retry.py new 10-14",
        "expected_version": "0",
        "save_key": "w.1",
    }
    return {**fields, **changes}


def test_the_workbench_shows_the_change_and_none_of_the_hidden_columns(client, seat) -> None:
    page = client.get(url(seat)).content.decode()
    assert seat.case.public_id in page
    assert "payments-api" in page
    assert 'data-path-new="pay/retry.py"' in page
    for value in HIDDEN.values():
        assert value not in page
    for word in ("seeded", "holdout", seat.case.source_kind, seat.case.split):
        assert not re.search(rf"\b{word}\b", page)
    assert Assignment.objects.get(pk=seat.pk).first_opened_at is not None


def test_a_plain_form_saves_a_label_and_shows_it_again(client, seat) -> None:
    response = client.post(url(seat, "label_create"), posted())
    row = Label.objects.get()
    assert response["Location"] == f"{url(seat)}?label={row.public_id}#label-editor"
    page = client.get(response["Location"].partition("#")[0]).content.decode()
    assert "A time-out charges twice" in page
    assert "pay/retry.py new 10-14" in page
    assert row.anchors.get().last_line == 14


def test_a_new_form_is_empty(client, seat) -> None:
    label(seat)
    form = client.get(f"{url(seat)}?label=new").content.decode().split('id="label-form"')[1]
    assert "checked" not in form.split("</form>")[0]
    assert " selected" not in form.replace("The selected", "").split("</form>")[0]
    assert DEFECT.trigger not in form.split("</form>")[0]


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"severity": "blocker"}, "is no severity"),
        ({"category": "security"}, "is no category of this project"),
        ({"speculative": "perhaps"}, "is no answer to speculative"),
        ({"places_primary": "pay/retry.py new 999"}, "there is no line 21"),
        ({"places_primary": "somewhere"}, "is no place; write it like"),
        ({"trigger": "a\0b"}, "holds a character that cannot be stored"),
        ({"save_key": "not a key"}, "is not readable"),
    ],
)
def test_a_refused_save_names_the_field_and_keeps_what_was_typed(client, seat, changes, says) -> None:
    changes = {"places_primary": "pay/retry.py new 10", "impact": "what I typed", **changes}
    if "999" in changes["places_primary"]:
        says = "there is no line 999"
    response = client.post(url(seat, "label_create"), posted(**changes))
    assert response.status_code == 422
    assert "what I typed" in response.content.decode()
    if "save_key" not in changes:
        assert says in response.content.decode().replace("&#x27;", "'").replace("&quot;", '"')
    assert not Label.objects.exists()


def test_script_gets_an_acknowledgement_with_the_version_and_the_pieces_of_the_page(client, seat) -> None:
    response = client.post(url(seat, "label_create"), posted(), headers={"Accept": "application/json"})
    data = response.json()
    row = Label.objects.get()
    assert (data["label"], data["number"], data["version"]) == (row.public_id, 1, 1)
    assert data["saved_at"] == row.saved_at.isoformat()
    assert data["gaps"] == {}
    assert "A time-out charges twice" in data["row"]
    again = client.post(url(seat, "label_create"), posted(), headers={"Accept": "application/json"}).json()
    assert again == data
    assert Label.objects.count() == 1


def test_a_stale_save_answers_409_with_both_versions(client, seat) -> None:
    saved = label(seat)
    address = url(seat, "label_page", label_id=saved.public_id)
    ok = client.post(address, posted(expected_version="1", trigger="from the first tab"))
    assert ok.status_code == 302
    late = posted(expected_version="1", trigger="from the second tab", save_key="v.1")
    data = client.post(address, late, headers={"Accept": "application/json"})
    assert data.status_code == 409
    assert data.json()["version"] == 2
    for text in ("from the first tab", "from the second tab", "Keep mine"):
        assert text in data.json()["conflict"]
    plain = client.post(address, late)
    assert plain.status_code == 409
    assert "from the first tab" in plain.content.decode()
    assert ">from the second tab</textarea>" in plain.content.decode()
    assert Label.objects.get().trigger == "from the first tab"


def test_hostile_text_is_escaped_everywhere_it_is_shown(client, seat) -> None:
    evil = '"><script>alert(1)</script>'
    client.post(url(seat, "label_create"), posted(title=evil, trigger=evil, evidence=evil, impact=evil, boundary=evil))
    row = Label.objects.get()
    for page in (client.get(f"{url(seat)}?label={row.public_id}"), client.get(url(seat, "seat_submit"))):
        assert "<script>alert" not in page.content.decode()


def test_the_submit_page_names_gaps_and_unread_files_and_submits(client, seat) -> None:
    label(seat, trigger="")
    page = client.get(url(seat, "seat_submit")).content.decode()
    assert "Say when it happens." in page
    assert "3 of 3 files are not marked as read" in page or "2 of 2 files are not marked as read" in page
    refused = client.post(url(seat, "seat_submit"), {"verdict": "has_defects", "expected_version": "0"})
    assert refused.status_code == 422
    assert "Not submitted: what is missing is named below." in refused.content.decode()
    assert Assignment.objects.get(pk=seat.pk).verdict == "has_defects"
    row = Label.objects.get()
    client.post(url(seat, "label_page", label_id=row.public_id), posted(expected_version="1"))
    done = client.post(url(seat, "seat_submit"), {"verdict": "has_defects", "expected_version": "1"})
    assert done["Location"] == url(seat)
    assert Assignment.objects.get(pk=seat.pk).state == "submitted"


def test_a_submission_without_a_verdict_says_that_one_is_missing_only_after_the_attempt(client, seat) -> None:
    label(seat)
    assert "Give a verdict on the case." not in client.get(url(seat, "seat_submit")).content.decode()
    refused = client.post(url(seat, "seat_submit"), {"expected_version": "0"})
    assert refused.status_code == 422
    assert "Give a verdict on the case." in refused.content.decode()
    assert Assignment.objects.get(pk=seat.pk).submitted_at is None


def test_the_answer_saves_while_it_is_typed_and_a_stale_one_is_refused(client, seat) -> None:
    def send(**fields):
        return client.post(url(seat, "seat_answer"), fields, headers={"Accept": "application/json"})

    assert send(verdict="clean", summary="so far", expected_version="0").json()["version"] == 1
    assert send(verdict="clean", summary="so far", expected_version="0").json()["version"] == 1
    stale = send(verdict="uncertain", expected_version="0")
    assert stale.status_code == 409
    assert "so far" in stale.json()["conflict"]
    refused = send(verdict="fine", expected_version="1")
    assert (refused.status_code, list(refused.json()["errors"])) == (422, ["verdict"])
    assert Assignment.objects.get(pk=seat.pk).summary == "so far"


def submit_clean(client, seat, **fields) -> None:
    client.post(url(seat, "seat_submit"), {"verdict": "clean", "expected_version": "0", **fields})


def test_after_submission_the_page_says_submitted_and_offers_the_recall_only(client, seat) -> None:
    submit_clean(client, seat)
    page = client.get(url(seat)).content.decode()
    assert "You submitted this case" in page
    assert "Recall and go on with it" in page
    assert "pay/retry.py" not in page
    for name, kwargs in [
        ("seat_file", {"position": 0}),
        ("seat_submit", {}),
        ("label_new", {}),
        ("seat_guidelines", {}),
    ]:
        if name != "seat_guidelines":
            assert client.get(url(seat, name, **kwargs)).status_code == 404
    client.post(url(seat, "seat_recall"))
    assert Assignment.objects.get(pk=seat.pk).state == "active"
    assert "pay/retry.py" in client.get(url(seat)).content.decode()


def test_a_final_submission_offers_no_recall(client, seat) -> None:
    submit_clean(client, seat, final="1")
    page = client.get(url(seat)).content.decode()
    assert "You submitted this case" in page
    assert "Recall" not in page
    client.post(url(seat, "seat_recall"))
    assert Assignment.objects.get(pk=seat.pk).state == "submitted"


def test_a_save_after_submission_is_refused_with_a_sentence(client, seat) -> None:
    submit_clean(client, seat)
    response = client.post(url(seat, "label_create"), posted(), headers={"Accept": "application/json"})
    assert response.status_code == 409
    assert "was submitted" in response.json()["message"]


def test_files_are_marked_as_read_by_a_plain_form(client, seat) -> None:
    client.post(url(seat, "seat_file_read", position=1), {"read": "1"})
    assert FileRead.objects.filter(assignment=seat).count() == 1
    assert "read 1/" in client.get(url(seat)).content.decode()
    fragment = client.post(url(seat, "seat_file_read", position=1), {"read": "0"}, headers={"HX-Request": "true"})
    assert 'aria-pressed="false"' in fragment.content.decode()
    assert "read 0/" in fragment.content.decode()


def test_the_snapshot_is_searched_by_name_and_by_text_on_either_side(client, seat) -> None:
    names = client.get(url(seat, "seat_search", side="new"), {"q": "totals"}, headers={"HX-Request": "true"})
    assert "pay/totals.py" in names.content.decode()
    old = client.get(
        url(seat, "seat_search", side="old"), {"q": "ITEMS is none", "in": "text"}, headers={"HX-Request": "true"}
    )
    assert "pay/totals.py:6" in old.content.decode()
    new = client.get(
        url(seat, "seat_search", side="new"), {"q": "items is none", "in": "text"}, headers={"HX-Request": "true"}
    )
    assert "pay/totals.py" not in new.content.decode()
    assert client.get(url(seat, "seat_search", side="left"), {"q": "x"}).status_code == 404


def test_guidelines_severities_and_categories_are_at_hand(client, seat) -> None:
    page = client.get(url(seat, "seat_guidelines")).content.decode()
    assert "What makes a defect" in page
    assert "Irrecoverable or unlawful harm" in page
    assert "Injection and unsafe deserialization" in page


ROUTES = [
    ("workbench", {}),
    ("seat_file", {"position": 0}),
    ("seat_lines", {"position": 0}),
    ("seat_file_read", {"position": 0}),
    ("seat_tree", {"side": "new"}),
    ("seat_blob", {"side": "new"}),
    ("seat_search", {"side": "new"}),
    ("seat_guidelines", {}),
    ("seat_activity", {}),
    ("label_create", {}),
    ("label_new", {}),
    ("label_page", {"label_id": "LABEL"}),
    ("label_withdraw", {"label_id": "LABEL"}),
    ("label_restore", {"label_id": "LABEL"}),
    ("seat_answer", {}),
    ("seat_submit", {}),
    ("seat_recall", {}),
    ("seat_finish", {}),
]


@pytest.mark.parametrize(("name", "kwargs"), ROUTES)
@pytest.mark.parametrize("person", ["reviewer_b", "lead", "adjudicator", "analyst", "outsider"])
def test_a_seat_of_somebody_else_does_not_exist_on_any_verb(seat, people, client_of, name, kwargs, person) -> None:
    saved = label(seat)
    kwargs = {key: saved.public_id if value == "LABEL" else value for key, value in kwargs.items()}
    other = client_of(getattr(people, person))
    for verb in ("get", "post", "put", "patch", "delete", "head", "options"):
        assert getattr(other, verb)(url(seat, name, **kwargs)).status_code == 404, verb
    assert Label.objects.get().version == 1


def test_a_label_of_another_seat_does_not_exist_on_ones_own(project, people, client, seat) -> None:
    other = make_seat(make_case(project), people.reviewer_b)
    foreign = label(other).public_id
    for name in ("label_page", "label_withdraw", "label_restore"):
        for verb in ("get", "post", "put", "delete"):
            assert getattr(client, verb)(url(seat, name, label_id=foreign)).status_code == 404, (name, verb)
    assert client.get(f"{url(seat)}?label={foreign}").status_code == 404


def test_pages_of_a_seat_issue_the_same_number_of_queries_however_many_labels(
    client, seat, django_assert_max_num_queries
) -> None:
    client.get(url(seat))
    label(seat)
    with django_assert_max_num_queries(40) as few:
        client.get(url(seat))
    for _ in range(6):
        label(seat)
    with django_assert_max_num_queries(len(few.captured_queries)):
        client.get(url(seat))
