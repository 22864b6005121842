"""Adjudication as pages and plain forms: what is shown, what is stored, and what nobody may learn there."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from corpus.models import Case, CaseSeat, Exposure, GoldenFinding
from labeling.models import Adjudication, Assignment, Disagreement, Label
from labeling.selectors.pseudonyms import pseudonyms_of
from labeling.services.rounds import open_round
from tests.factories import make_case, make_member, make_project, make_user
from tests.labeling.adjudicating import GUARD, compared, hand_in, lines, one, ruled, seats_of
from tests.labeling.seats import DEFECT

pytestmark = pytest.mark.django_db

MILDER = replace(DEFECT, title="Charged again", severity="medium", anchors=(lines(11, 13),))


@pytest.fixture
def reviewers(people):
    return [people.reviewer_a, people.reviewer_b]


@pytest.fixture
def case(project):
    return make_case(project)


@pytest.fixture
def comparison(case, reviewers):
    """A pair that differs in severity, a label of slot A alone, and a pair that agrees."""
    agreed = replace(DEFECT, title="The guard is gone", anchors=(lines(1, 1),), category="data_loss")
    return compared(case, reviewers, [DEFECT, GUARD, agreed], [MILDER, agreed])


@pytest.fixture
def client(client_of, people):
    return client_of(people.adjudicator)


def url(case: Case, name: str = "adjudication", **kwargs) -> str:
    return reverse(name, kwargs={"project": case.project.slug, "case_id": case.public_id, **kwargs})


def text_of(response) -> str:
    """The text of a page with its tags and doubled blanks taken out."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", response.content.decode()))


def letter(case: Case, slot: str) -> str:
    return pseudonyms_of(case.public_id).letter(slot)


def shown(case: Case, outcome: str) -> str:
    return pseudonyms_of(case.public_id).shown(outcome)


def sent(row: Disagreement, outcome: str, **other) -> dict:
    fresh = Disagreement.objects.get(pk=row.pk)
    return {"outcome": outcome, "expected_version": fresh.version, "reason_code": "severity_rule", **other}


def decide_url(row: Disagreement) -> str:
    return url(row.comparison.round.case, "adjudication_decide", item_id=row.public_id)


# --- The queue ------------------------------------------------------------------------------------------------------


def test_the_queue_lists_cases_with_what_is_open_most_severe_first(project, reviewers, client):
    mild, grave = make_case(project, repository="mild"), make_case(project, repository="grave")
    compared(mild, reviewers, [replace(DEFECT, severity="low")], [replace(DEFECT, severity="note")])
    compared(grave, reviewers, [replace(DEFECT, severity="critical"), GUARD], [DEFECT])
    compared(make_case(project, repository="agreed"), reviewers, [DEFECT], [DEFECT])
    page = client.get(reverse("adjudication_queue", args=[project.slug]))
    text = text_of(page)
    assert text.index("grave") < text.index("mild")
    assert "agreed" not in text
    assert "3 open disagreements in 2 cases" in text
    assert "grave Python 2 files +7 −4 adjudicating C critical 2 0 existence, severity since today" in text
    assert set(Exposure.objects.filter(kind="peer_label").values_list("user__email", "case__repository")) == {
        ("jo.adjudicator@example.org", "grave"),
        ("jo.adjudicator@example.org", "mild"),
    }


def test_the_queue_is_filtered_by_address_and_keeps_the_filter_while_paging(project, reviewers, client):
    for number in range(3):
        compared(make_case(project, repository=f"severity-{number}"), reviewers, [DEFECT], [MILDER])
    compared(make_case(project, repository="lone"), reviewers, [DEFECT, GUARD], [DEFECT])
    address = reverse("adjudication_queue", args=[project.slug])
    assert "lone" not in text_of(client.get(address + "?kind=severity"))
    assert "severity-0" not in text_of(client.get(address + "?kind=existence"))
    assert "No case matches" in text_of(client.get(address + "?q=nowhere"))
    assert "severity-1" in text_of(client.get(address + "?q=severity-1&sort=oldest"))
    assert "severity-1" in text_of(client.get(address + "?kind=magic&show=magic&sort=magic&page=99"))
    assert "No case matches" in text_of(client.get(address + "?show=settled"))
    assert "lone" in text_of(client.get(address + "?language=Python"))


def test_the_queue_compares_what_has_fallen_due(project, reviewers, client, monkeypatch):
    monkeypatch.setattr("labeling.services.submission.compare_due_rounds", lambda rounds: [])
    case = make_case(project, repository="due-now")
    for seat, labels in zip(seats_of(case, reviewers), ([DEFECT], [MILDER]), strict=True):
        hand_in(seat, labels)
    assert "due-now" in text_of(client.get(reverse("adjudication_queue", args=[project.slug])))


def test_the_queue_asks_as_many_queries_for_many_cases_as_for_one(
    project, reviewers, client, django_assert_max_num_queries
):
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    address = reverse("adjudication_queue", args=[project.slug])

    def queries() -> int:
        client.get(address)
        with CaptureQueriesContext(connection) as captured:
            assert client.get(address).status_code == 200
        assert not [one for one in captured.captured_queries if '"data"' in one["sql"]]
        return len(captured)

    compared(make_case(project), reviewers, [DEFECT], [MILDER])
    few = queries()
    for _ in range(6):
        compared(make_case(project), reviewers, [DEFECT, GUARD], [MILDER])
    assert queries() == few


# --- The workbench --------------------------------------------------------------------------------------------------


def test_the_workbench_shows_one_disagreement_with_both_sides(case, comparison, client):
    page = client.get(url(case))
    text = text_of(page)
    a_says = {"A": "high", "B": "medium"}[letter(case, "A")]
    b_says = {"A": "high", "B": "medium"}[letter(case, "B")]
    assert f"Both found it; A says {a_says}, B says {b_says}." in text
    assert "Charged again" in text
    assert "A time-out charges twice" in text
    assert "Paired because both name lines 11–13 of pay/retry.py; the category is the same." in text
    assert "0 of 2 decided here" in text
    assert "1 finding agrees on place, category and severity" in text
    assert "Accept all 1" in text
    for words in ("Accept A", "Accept B", "Merge", "Reject both", "Unresolved"):
        assert words in text
    html = page.content.decode()
    assert 'data-path-new="pay/retry.py"' in html
    assert html.count('data-slot="a" data-mark-name') + html.count('data-slot="b" data-mark-name') == 5
    exposure = Exposure.objects.get(case=case)
    assert (exposure.user.name, exposure.kind, exposure.channel) == ("Jo Adjudicator", "peer_label", "page")


def test_a_decision_by_plain_form_is_stored_in_terms_of_slots(case, comparison, client, people):
    row = one(comparison, "severity")
    form = client.get(f"{url(case)}?item={row.public_id}&outcome=accept_a").content.decode()
    assert f'action="{decide_url(row)}"' in form
    assert 'name="golden_state" value="required" checked' in form
    response = client.post(
        decide_url(row), sent(row, "accept_a", golden_state="optional", rationale="Once a day.", confidence="high")
    )
    stored = Adjudication.objects.get()
    assert stored.outcome == pseudonyms_of(case.public_id).stored("accept_a")
    severity = {"A": "high", "B": "medium"}[pseudonyms_of(case.public_id).slot("A")]
    assert stored.golden_revision.severity == severity
    assert (stored.golden_state, stored.reason_code, stored.rationale, stored.confidence, stored.adjudicator) == (
        "optional",
        "severity_rule",
        "Once a day.",
        "high",
        people.adjudicator,
    )
    following = one(comparison, "existence")
    assert response["Location"] == f"{url(case)}?item={following.public_id}"
    text = text_of(client.get(response["Location"]))
    assert f"{letter(case, 'A')} found it; {letter(case, 'B')} did not." in text
    assert "Wrote nothing here." in text
    assert "1 of 2 decided here" in text
    history = text_of(client.get(f"{url(case)}?item={row.public_id}"))
    assert "Accepted A , optional. The severity policy says so. “Once a day.” Jo Adjudicator" in history


def test_the_last_decision_leads_to_a_read_only_summary(case, comparison, client):
    client.post(decide_url(one(comparison, "severity")), sent(one(comparison, "severity"), "accept_b"))
    row = one(comparison, "existence")
    response = client.post(decide_url(row), sent(row, "reject", golden_state="decoy", rationale="Never None."))
    assert response["Location"] == url(case)
    page = client.get(url(case))
    text = text_of(page)
    assert "is settled: it has defects." in text
    assert "Golden findings (3)" in text
    assert "Rejected , decoy. The severity policy says so. “Never None.” Jo Adjudicator" in text
    assert "1 finding agreed without a decision." in text
    assert "decide/" not in page.content.decode()
    case.refresh_from_db()
    assert (case.state, case.result) == ("settled", "defects")


def test_undoing_from_the_summary_opens_the_case_again(case, comparison, client):
    for kind in ("severity", "existence"):
        client.post(decide_url(one(comparison, kind)), sent(one(comparison, kind), "unresolved"))
    row = one(comparison, "severity")
    response = client.post(url(case, "adjudication_undo", item_id=row.public_id), {"expected_version": row.version})
    assert response["Location"] == f"{url(case)}?item={row.public_id}"
    text = text_of(client.get(response["Location"]))
    assert "is being adjudicated again" in text
    assert "Left unresolved" in text
    assert "undone" in text
    assert Case.objects.get(pk=case.pk).state == "adjudicating"


def test_a_merge_by_plain_form_starts_filled_and_is_stored_as_sent(case, comparison, client):
    row = one(comparison, "severity")
    page = client.get(f"{url(case)}?item={row.public_id}&outcome=merge").content.decode()
    first = {"A": DEFECT, "B": MILDER}[pseudonyms_of(case.public_id).first]
    assert f'name="title" maxlength="200" value="{first.title}"' in page
    assert ">pay/retry.py new 11-13</textarea>" in page
    assert ">pay/retry.py new 10-14</textarea>" in page
    finding = {
        "title": "One charge an attempt",
        "severity": "critical",
        "category": "concurrency",
        "relation": "introduced",
        "speculative": "no",
        "trigger": "a late answer",
        "impact": "each attempt is booked",
        "places_primary": "pay/retry.py new 11",
        "places_supporting": "pay/totals.py old 6-7",
        "mechanism": "lost key",
        "golden_state": "required",
    }
    refused = client.post(decide_url(row), sent(row, "merge", **{**finding, "impact": "", "severity": ""}))
    assert refused.status_code == 422
    assert "Choose a severity." in text_of(refused)
    assert "Say what follows from it" in text_of(refused)
    assert "a late answer" in refused.content.decode()
    assert not Adjudication.objects.exists()
    client.post(decide_url(row), sent(row, "merge", **finding))
    revision = Adjudication.objects.get().golden_revision
    assert (revision.title, revision.severity, revision.mechanism) == ("One charge an attempt", "critical", "lost key")
    assert list(revision.anchors.order_by("pk").values_list("role", "path", "side", "first_line", "last_line")) == [
        ("primary", "pay/retry.py", "new", 11, 11),
        ("supporting", "pay/totals.py", "old", 6, 7),
    ]


def test_a_place_that_cannot_be_read_comes_back_with_what_was_typed(case, comparison, client):
    row = one(comparison, "existence")
    refused = client.post(decide_url(row), sent(row, "merge", title="Typed", places_primary="somewhere else"))
    assert refused.status_code == 422
    assert "is no place; write it like" in text_of(refused)
    assert 'value="Typed"' in refused.content.decode()
    assert "somewhere else</textarea>" in refused.content.decode()


def test_a_stale_decision_answers_409_with_both_versions(case, comparison, client, people, client_of):
    row = one(comparison, "existence")
    ruled(row, people.lead, "reject", rationale="Not reachable.")
    mine = sent(row, shown(case, "accept_a"), rationale="Reachable from refund.")
    response = client.post(decide_url(row), {**mine, "expected_version": 0})
    text = text_of(response)
    assert response.status_code == 409
    assert "This was decided elsewhere since you opened it; yours is not stored." in text
    assert "Rejected . One misread the code. “Not reachable.” Lea Lead" in text
    assert "Reachable from refund.</textarea>" in response.content.decode()
    assert 'name="expected_version" value="1"' in response.content.decode()
    assert Adjudication.objects.count() == 1
    # Sent again as offered, it takes the place of what stands.
    assert client.post(decide_url(row), mine).status_code == 302
    assert list(Adjudication.objects.order_by("number").values_list("outcome", flat=True)) == ["reject", "accept_a"]


def test_a_decision_on_a_case_that_another_one_settled_keeps_what_was_typed(case, reviewers, client, people):
    row = one(compared(case, reviewers, [DEFECT], [MILDER]), "severity")
    ruled(row, people.lead, "accept_a")
    response = client.post(decide_url(row), sent(row, "reject", rationale="Typed long.", expected_version=0))
    assert response.status_code == 409
    assert "Typed long.</textarea>" in response.content.decode()
    again = client.post(decide_url(row), sent(row, "reject", rationale="Typed long."))
    assert again.status_code == 422
    assert "This case is settled; undo its decision first." in text_of(again)


def test_htmx_gets_the_panel_of_the_next_disagreement(case, comparison, client):
    row = one(comparison, "severity")
    hx = {"HX-Request": "true"}
    panel = client.get(url(case, "adjudication_panel") + f"?item={row.public_id}&outcome=reject", headers=hx)
    assert panel.content.decode().lstrip().startswith('<section class="work-panel')
    assert "keep it as a decoy" in text_of(panel)
    response = client.post(decide_url(row), sent(row, "reject"), headers=hx)
    following = one(comparison, "existence")
    assert response["HX-Push-Url"] == f"{url(case)}?item={following.public_id}"
    assert f'data-item="{following.public_id}"' in response.content.decode()
    last = client.post(decide_url(following), sent(following, "reject"), headers=hx)
    assert (last.status_code, last["HX-Redirect"]) == (204, url(case))


def test_all_that_agree_are_accepted_and_taken_back_by_form(case, comparison, client):
    client.post(url(case, "adjudication_agreed"))
    assert GoldenFinding.objects.live().get().revisions.get().provenance == "agreed"
    page = client.get(url(case)).content.decode()
    assert 'name="undo" value="1"' in page
    assert "Accept all" not in page
    client.post(url(case, "adjudication_agreed"), {"undo": "1"})
    assert not GoldenFinding.objects.live().exists()


def test_answers_on_the_whole_case_are_one_question(case, reviewers, client):
    result = compared(
        case,
        reviewers,
        [],
        [DEFECT],
        verdicts=("insufficient_context", "has_defects"),
        missing=("the gateway's API", ""),
    )
    text = text_of(client.get(url(case)))
    a, b = letter(case, "A"), letter(case, "B")
    assert f"{a} lacked the context to judge; {b} says has defects." in text or "A says" in text
    assert "the gateway&#x27;s API" in text
    row = one(result, "verdict")
    page = client.get(f"{url(case)}?item={row.public_id}&outcome=merge").content.decode()
    assert page.count('name="verdict"') == 4
    refused = client.post(decide_url(row), sent(row, "merge"))
    assert (refused.status_code, "Choose the verdict that holds" in text_of(refused)) == (422, True)
    client.post(decide_url(row), sent(row, "merge", verdict="uncertain"))
    assert set(Adjudication.objects.values_list("verdict", flat=True)) == {"uncertain"}
    assert client.get(f"{url(case)}?item={row.public_id}&outcome=reject").status_code == 404


def test_everything_typed_is_shown_as_text(case, reviewers, client, people):
    hostile = replace(DEFECT, title="<script>alert(1)</script>", trigger="</textarea><img src=x onerror=alert(2)>")
    result = compared(case, reviewers, [hostile], [MILDER])
    row = one(result, "severity")
    for query in ("", f"?item={row.public_id}&outcome=merge"):
        html = client.get(url(case) + query).content.decode()
        assert "<script>alert" not in html
        assert "<img src=x" not in html
    client.post(decide_url(row), sent(row, "accept_a", rationale="<b>bold</b>"))
    assert "&lt;b&gt;bold&lt;/b&gt;" in client.get(url(case)).content.decode()


# --- Who may, and what nobody learns ---------------------------------------------------------------------------------

ROUTES = (
    ("adjudication", {}),
    ("adjudication_panel", {}),
    ("adjudication_agreed", {}),
    ("adjudication_confirm", {}),
    ("adjudication_decide", {"item_id": "ITEM"}),
    ("adjudication_undo", {"item_id": "ITEM"}),
    ("adjudication_file", {"position": 0}),
    ("adjudication_lines", {"position": 0}),
    ("adjudication_tree", {"side": "new"}),
    ("adjudication_blob", {"side": "new"}),
)


def addresses(case: Case, row: Disagreement) -> list[str]:
    return [
        url(case, name, **{key: row.public_id if value == "ITEM" else value for key, value in kwargs.items()})
        for name, kwargs in ROUTES
    ]


@pytest.mark.parametrize("verb", ["get", "post", "put", "patch", "delete", "head", "options"])
def test_who_may_not_adjudicate_gets_404_on_every_route_and_verb(case, comparison, people, client_of, project, verb):
    make_member(project, people.reviewer_a, "adjudicator")
    make_member(project, people.reviewer_b, "lead")
    stranger = make_user("Stan Stranger")
    make_project(lead=stranger, name="Elsewhere")
    row = comparison.disagreements.first()
    barred = (people.reviewer_a, people.reviewer_b, people.reviewer_c, people.analyst, people.outsider, stranger)
    for person in barred:
        client = client_of(person)
        assert {getattr(client, verb)(address).status_code for address in addresses(case, row)} == {404}, person
    assert not Adjudication.objects.exists()
    assert not Exposure.objects.exists()


@pytest.mark.parametrize("role", ["lead", "adjudicator"])
def test_a_lead_or_adjudicator_with_a_seat_learns_nothing(project, people, client_of, role):
    person = make_user("Sam Seated")
    make_member(project, person, "reviewer")
    make_member(project, person, role)
    case = make_case(project, repository="own-seat")
    compared(case, [person, people.reviewer_b], [DEFECT], [MILDER])
    client = client_of(person)
    queue = client.get(reverse("adjudication_queue", args=[project.slug]))
    assert "own-seat" not in queue.content.decode()
    assert "Nothing is open." in text_of(queue)
    row = Disagreement.objects.get()
    assert {client.get(address).status_code for address in addresses(case, row)} == {404}
    ruled(row, people.adjudicator, "accept_a")
    # Settled: no longer blinded, and still nobody who decides on their own work (B3).
    assert client.get(url(case)).status_code == 404


def test_a_case_that_is_being_labelled_does_not_exist_here(project, people, client, reviewers):
    for state in ("ready", "labelling"):
        case = make_case(project)
        if state == "labelling":
            hand_in(seats_of(case, reviewers)[0], [DEFECT])
        assert client.get(url(case)).status_code == 404
    settled = make_case(project)
    for row in compared(settled, reviewers, [DEFECT], [GUARD]).disagreements.all():
        ruled(row, people.adjudicator, "reject")
    assert client.get(url(settled)).status_code == 200
    # Another blinded pass over the settled case: from now on nobody looks at the former one here.
    open_round(case=settled, actor=people.lead, queue_open=True)
    assert client.get(url(settled)).status_code == 404


def test_disagreements_of_another_case_are_not_found_under_this_one(case, comparison, project, reviewers, client):
    other = one(compared(make_case(project), reviewers, [DEFECT], [MILDER]), "severity")
    for name in ("adjudication_decide", "adjudication_undo"):
        assert client.post(url(case, name, item_id=other.public_id), sent(other, "reject")).status_code == 404
    assert client.get(f"{url(case)}?item={other.public_id}").status_code == 404
    assert not Adjudication.objects.exists()


def test_no_answer_holds_a_name_id_time_or_address_of_a_reviewer(case, reviewers, client, people, monkeypatch):
    told = timezone.now() - timedelta(days=3, hours=7)
    monkeypatch.setattr("corpus.clock.now", lambda: told)
    # Long enough that no random token spells them by chance.
    for person, name in zip(reviewers, ("Adalbertine Reviewer", "Benvenuto Reviewer"), strict=True):
        person.name = name
        person.save(update_fields=["name"])
    agreed = replace(DEFECT, title="The guard is gone", anchors=(lines(1, 1),), category="data_loss")
    comparison = compared(case, reviewers, [DEFECT, GUARD, agreed], [MILDER, agreed])
    monkeypatch.undo()
    secret = []
    for person in reviewers:
        secret += [person.name, *person.name.split(), person.email, person.public_id]
    for seat in Assignment.objects.all():
        secret += [seat.public_id, seat.round.public_id]
        secret += [f"{moment:%H:%M}" for moment in (seat.assigned_at, seat.submitted_at, seat.final_at)]
    secret += list(Label.objects.values_list("public_id", flat=True))
    secret = sorted(set(secret) - {"Reviewer"})
    bodies = []

    def ask(address: str, data: dict | None = None, **headers) -> None:
        for extra in ({}, {"HX-Request": "true"}):
            response = client.post(address, data, headers=extra) if data else client.get(address, headers=extra)
            assert response.status_code < 500
            bodies.append(response.content + repr(response.headers).encode())

    ask(reverse("adjudication_queue", args=[case.project.slug]))
    for row in comparison.disagreements.all():
        for outcome in ("", "accept_a", "accept_b", "merge", "reject", "unresolved"):
            ask(f"{url(case)}?item={row.public_id}&outcome={outcome}")
            ask(f"{url(case, 'adjudication_panel')}?item={row.public_id}&outcome={outcome}")
    for named in comparison.compared_labels.all():
        ask(url(case, "adjudication_pairing", label_id=named.public_id))
    for position in range(case.files.count()):
        ask(url(case, "adjudication_file", position=position))
    ask(url(case, "adjudication_tree", side="new"))
    ask(url(case, "adjudication_blob", side="new") + "?path=pay/retry.py")
    for row in comparison.disagreements.all():
        ask(decide_url(row), sent(row, "unresolved", expected_version=7))
        ask(decide_url(row), sent(row, "unresolved", reason_code="magic"))
        ask(decide_url(row), sent(row, "unresolved"))
    ask(url(case))
    ask(reverse("adjudication_queue", args=[case.project.slug]) + "?show=all")
    assert Case.objects.get(pk=case.pk).state == "settled"
    assert len(bodies) > 50
    for word in secret:
        assert not [body for body in bodies if word.encode() in body], word


def test_the_order_on_the_page_does_not_tell_who_sits_in_which_slot(project, people, client, settings):
    """Swapping the letters swaps the cards and nothing else that is told apart by slot."""
    case = make_case(project)
    same = {"title": "One wording", "anchors": (lines(10, 14),)}
    compared(case, [people.reviewer_a, people.reviewer_b], [replace(DEFECT, **same)], [replace(MILDER, **same)])
    swapped = pseudonyms_of(case.public_id).is_swapped
    before = text_of(client.get(url(case)))
    for number in range(40):
        settings.SECRET_KEY = f"another-secret-key-that-is-long-enough-{number:010d}"
        if pseudonyms_of(case.public_id).is_swapped != swapped:
            break
    client.force_login(people.adjudicator)
    after = text_of(client.get(url(case)))
    assert before != after
    for first, second in (("high", "medium"), ("medium", "high")):
        sentence = f"A says {first}, B says {second}."
        assert (sentence in before) is not (sentence in after)


def test_a_lead_who_looks_is_exposed_and_can_no_longer_be_seated(case, comparison, people, client_of):
    assert client_of(people.lead).get(url(case)).status_code == 200
    assert Exposure.objects.filter(user=people.lead, case=case, kind="peer_label").exists()
    assert CaseSeat.objects.filter(user=people.lead).count() == 0
