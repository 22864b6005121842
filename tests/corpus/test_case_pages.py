"""Cases are listed without their content, shown whole to those who may, and edited with a trail."""

from __future__ import annotations

import html
import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from corpus import clock
from corpus.domain.vocabulary import CaseState, Channel, Completeness, ExposureKind, Role
from corpus.models import AuditEntry, Case, CaseTag, Exposure
from corpus.services.case_edits import EditStale, edit_facts, set_completeness
from corpus.services.case_facts import CaseFacts, facts_of_case
from corpus.services.claims import ClaimDraft, add_claims
from corpus.services.seats import open_seat
from tests import factories
from tests.corpus.test_import_pages import text_of
from tests.corpus.test_imports import other_patch


def list_of(client, project, query: str = "") -> list[str]:
    """Return the ids of the cases that the list shows, in order."""
    page = client.get(reverse("case_list", args=[project.slug]) + query).content.decode()
    return re.findall(r'<th scope="row"><a href="[^"]*/cases/([A-Z0-9]{10})/">', page)


@pytest.fixture
def cases(project) -> list[Case]:
    """Three cases that differ in everything the list filters by."""
    return [
        factories.make_case(project, title="Retry", split="test", source_kind="seeded", family="f1"),
        factories.make_case(project, patch=other_patch(1), repository="ledger", title="Sum =cmd", language="Go"),
        factories.make_incomplete_case(project),
    ]


def test_the_list_filters_by_what_the_address_says(client_of, project, people, cases) -> None:
    client = client_of(people.lead)
    first, second, third = (case.public_id for case in cases)
    assert list_of(client, project) == [third, second, first]
    assert list_of(client, project, "?sort=oldest") == [first, second, third]
    assert list_of(client, project, "?sort=largest") == [first, second, third]
    assert list_of(client, project, "?state=incomplete") == [third]
    assert list_of(client, project, "?language=Go") == [second]
    assert list_of(client, project, "?source_kind=seeded") == [first]
    assert list_of(client, project, "?split=test") == [first]
    assert list_of(client, project, "?q=LEDGER") == [second]
    assert list_of(client, project, "?q=retry") == [first]
    assert list_of(client, project, f"?q={second[:6].lower()}") == [second]
    assert list_of(client, project, "?q=f1") == [first]
    assert list_of(client, project, "?state=ready&language=Go") == [second]
    assert list_of(client, project, "?q=nothing") == []
    assert "No case fits" in text_of(client.get(reverse("case_list", args=[project.slug]) + "?q=nothing"))
    assert list_of(client, project, "?state=guess&sort=guess&page=x") == [third, second, first]


def test_the_list_pages_by_fifty(client_of, project, people) -> None:
    many_cases(project, 120)
    client = client_of(people.lead)
    pages = [list_of(client, project, f"?sort=repository&page={page}") for page in (1, 2, 3)]
    assert [len(page) for page in pages] == [50, 50, 20]
    assert len({case for page in pages for case in page}) == 120
    page = client.get(reverse("case_list", args=[project.slug]) + "?sort=repository&page=2").content.decode()
    assert "sort=repository&amp;page=3" in page


def many_cases(project, count: int) -> None:
    """Store rows as an import would leave them, without paying for each patch."""
    start = Case.objects.count()
    now = clock.now()
    Case.objects.bulk_create(
        Case(
            project=project,
            state=CaseState.READY,
            repository=f"repository-{number % 7}",
            language=("Python", "Go", "Java")[number % 3],
            title=f"Case {number}",
            source_kind="expert",
            identity_sha256=f"{number:064x}",
            created_at=now,
        )
        for number in range(start, start + count)
    )


def test_the_list_costs_the_same_queries_for_any_number_and_reads_no_content(client_of, project, people) -> None:
    client = client_of(people.lead)
    factories.make_case(project)
    address = reverse("case_list", args=[project.slug])
    client.get(address)
    numbers = []
    for more in (9, 290):
        many_cases(project, more)
        client.get(address)
        with CaptureQueriesContext(connection) as captured:
            client.get(address)
        numbers.append(len(captured))
        for query in captured.captured_queries:
            assert "corpus_blob" not in query["sql"]
            assert "corpus_casefile" not in query["sql"]
            assert '"message"' not in query["sql"]
    assert numbers[0] == numbers[1] <= 16


def test_a_lead_who_reviews_here_sees_no_hidden_column_and_stays_unexposed(client_of, project, people, cases) -> None:
    factories.make_member(project, people.lead, Role.REVIEWER)
    client = client_of(people.lead)
    shown = text_of(client.get(reverse("case_list", args=[project.slug])))
    assert cases[0].public_id in shown
    assert "Retry" not in shown
    assert "seeded" not in shown
    assert list_of(client, project, "?q=retry") == []
    assert len(list_of(client, project, "?split=test")) == 3
    export = b"".join(client.get(reverse("case_list_csv", args=[project.slug])).streaming_content).decode()
    assert "Retry" not in export
    assert not Exposure.objects.exists()


def test_what_a_list_shows_of_hidden_columns_is_an_exposure(client_of, project, people, cases) -> None:
    client = client_of(people.lead)
    list_of(client, project, "?split=test")
    exposure = Exposure.objects.get()
    assert (exposure.case, exposure.user, exposure.kind) == (cases[0], people.lead, ExposureKind.HIDDEN_FIELDS)
    assert b"".join(client.get(reverse("case_list_csv", args=[project.slug])).streaming_content)
    assert Exposure.objects.filter(channel=Channel.DOWNLOAD).count() == 3


def test_the_export_holds_what_is_shown_and_no_formula(client_of, project, people, cases) -> None:
    Case.objects.filter(pk=cases[1].pk).update(title="=cmd|x")
    client = client_of(people.lead)
    answer = client.get(reverse("case_list_csv", args=[project.slug]) + "?language=Go")
    lines = b"".join(answer.streaming_content).decode().splitlines()
    assert lines[0].startswith("public_id,state,repository,language")
    assert len(lines) == 2
    assert "'=cmd|x" in lines[1]


def test_a_case_under_an_open_seat_is_not_there_for_its_lead(client_of, project, people, cases) -> None:
    client = client_of(people.lead)
    open_seat(case=cases[0], user=people.lead)
    assert cases[0].public_id not in list_of(client, project)
    for name in ("case_page", "case_edit", "case_files"):
        assert client.get(reverse(name, args=[project.slug, cases[0].public_id])).status_code == 404
    answer = client.post(
        reverse("case_completeness", args=[project.slug, cases[0].public_id]), {"completeness": "complete"}
    )
    assert answer.status_code == 404


def test_the_page_of_a_case_shows_all_of_it_and_records_that_it_was_seen(client_of, project, people) -> None:
    case = factories.make_case(project, message="Why it changed", change_author="Ann", tags=("slow",))
    draft = ClaimDraft(statement="Charges twice", path="pay/retry.py", first_line=12, last_line=12)
    add_claims(case=case, drafts=[draft])
    shown = text_of(client_of(people.lead).get(reverse("case_page", args=[project.slug, case.public_id])))
    for words in (
        "Why it changed",
        "Ann",
        "slow",
        "pay/retry.py",
        "Charges twice",
        "return gateway.charge(order.total)",
    ):
        assert words in shown
    kinds = set(Exposure.objects.filter(case=case, user=people.lead).values_list("kind", flat=True))
    assert kinds == {ExposureKind.HIDDEN_FIELDS, ExposureKind.GOLDEN_FINDING}


def test_the_page_of_a_case_reads_no_content(client_of, project, people) -> None:
    case = factories.make_case(project)
    client = client_of(people.lead)
    with CaptureQueriesContext(connection) as captured:
        client.get(reverse("case_page", args=[project.slug, case.public_id]))
    assert not [query["sql"] for query in captured.captured_queries if '"data"' in query["sql"]]


def test_the_change_of_a_case_can_be_read(client_of, project, people) -> None:
    case = factories.make_case(project)
    client = client_of(people.lead)
    page = client.get(reverse("case_files", args=[project.slug, case.public_id]))
    code = html.unescape(re.sub(r"<[^>]*>", "", page.content.decode()))
    assert "            return gateway.charge(order.total)" in code
    assert client.get(reverse("case_file", args=[project.slug, case.public_id, 0])).status_code == 200
    assert client.get(reverse("case_file", args=[project.slug, case.public_id, 9])).status_code == 404
    assert client.get(reverse("case_tree", args=[project.slug, case.public_id, "new"])).status_code == 200
    assert client.get(reverse("case_tree", args=[project.slug, case.public_id, "up"])).status_code == 404
    blob = client.get(reverse("case_blob", args=[project.slug, case.public_id, "old"]) + "?path=pay/totals.py")
    assert "order.items is None" in html.unescape(re.sub(r"<[^>]*>", "", blob.content.decode()))


def test_analysts_and_adjudicators_see_only_what_their_role_may(client_of, project, people, cases) -> None:
    for user in (people.analyst, people.adjudicator):
        assert list_of(client_of(user), project) == []
    Case.objects.filter(pk=cases[0].pk).update(state=CaseState.SETTLED)
    Case.objects.filter(pk=cases[1].pk).update(state=CaseState.ADJUDICATING)
    assert list_of(client_of(people.analyst), project) == [cases[0].public_id]
    assert list_of(client_of(people.adjudicator), project) == [cases[1].public_id, cases[0].public_id]
    add_claims(case=cases[0], drafts=[ClaimDraft(statement="Charges twice")])
    page = client_of(people.analyst).get(reverse("case_page", args=[project.slug, cases[0].public_id]))
    assert "Charges twice" not in text_of(page)
    for name in ("case_edit", "case_completeness"):
        address = reverse(name, args=[project.slug, cases[0].public_id])
        assert client_of(people.analyst).post(address, {}).status_code == 404
    for user in (people.reviewer_a, people.outsider):
        assert client_of(user).get(reverse("case_list", args=[project.slug])).status_code == 404
        assert client_of(user).get(reverse("case_page", args=[project.slug, cases[0].public_id])).status_code == 404


def test_a_case_of_another_project_is_not_found(client_of, project, people, cases) -> None:
    other = factories.make_project(lead=people.lead, name="Other")
    for name in ("case_page", "case_edit", "case_files"):
        address = reverse(name, args=[other.slug, cases[0].public_id])
        assert client_of(people.lead).get(address).status_code == 404


def test_completeness_is_set_with_who_and_when(client_of, project, people, cases) -> None:
    client = client_of(people.lead)
    address = reverse("case_completeness", args=[project.slug, cases[0].public_id])
    assert client.post(address, {"completeness": "all"}).status_code == 422
    assert client.get(address).status_code in (404, 405)
    client.post(address, {"completeness": "complete"})
    case = Case.objects.get(pk=cases[0].pk)
    assert (case.completeness, case.completeness_set_by) == (Completeness.COMPLETE, people.lead)
    moment = case.completeness_set_at
    set_completeness(case=case, completeness=Completeness.COMPLETE, actor=people.adjudicator)
    case.refresh_from_db()
    assert (case.completeness_set_by, case.completeness_set_at) == (people.lead, moment)
    entry = AuditEntry.objects.get(case=case, verb="completeness set")
    assert (entry.actor, entry.before, entry.after) == (people.lead, "unknown", "complete")
    page = text_of(client.get(reverse("case_page", args=[project.slug, case.public_id])))
    assert "Marked as complete by Lea Lead" in page


def form_of(client, address: str) -> dict[str, str]:
    """Return the fields of the edit form as a browser would send them back."""
    form = client.get(address).context["form"]
    return {name: str(form[name].value() or "") for name in form.fields if form[name].value() not in (False, None)}


def test_an_edit_is_stored_with_its_trail(client_of, project, people, cases) -> None:
    client = client_of(people.lead)
    address = reverse("case_edit", args=[project.slug, cases[0].public_id])
    fields = form_of(client, address)
    client.post(address, fields | {"title": "Better", "tags": "b, a, b", "split": "holdout", "message": "x\r\ny"})
    case = Case.objects.get(pk=cases[0].pk)
    assert (case.title, case.split, case.message, case.repository) == ("Better", "holdout", "x\ny", "payments-api")
    assert sorted(CaseTag.objects.values_list("name", flat=True)) == ["a", "b"]
    trail = AuditEntry.objects.filter(case=case, verb="case edited").order_by("pk")
    assert [(entry.subject.split(", ")[1], entry.before, entry.after) for entry in trail] == [
        ("split", "test", "holdout"),
        ("title", "Retry", "Better"),
        ("message", "", "x\ny"),
        ("tags", "", "a, b"),
    ]


def test_saving_what_is_stored_changes_nothing(client_of, project, people, cases) -> None:
    client = client_of(people.lead)
    address = reverse("case_edit", args=[project.slug, cases[0].public_id])
    fields = form_of(client, address)
    assert client.post(address, fields).status_code == 302
    assert client.post(address, fields).status_code == 302
    assert not AuditEntry.objects.filter(verb="case edited").exists()


def test_a_stale_edit_is_refused_keeps_the_text_and_shows_both(client_of, project, people, cases) -> None:
    client = client_of(people.lead)
    address = reverse("case_edit", args=[project.slug, cases[0].public_id])
    fields = form_of(client, address)
    client.post(address, fields | {"title": "Theirs"})
    answer = client.post(address, fields | {"title": "Mine"})
    assert answer.status_code == 409
    shown = text_of(answer)
    assert "title Theirs Mine" in shown
    assert 'value="Mine"' in answer.content.decode()
    assert Case.objects.get(pk=cases[0].pk).title == "Theirs"
    again = {**fields, "title": "Mine", "seen": answer.context["form"]["seen"].value()}
    assert client.post(address, again).status_code == 302
    assert Case.objects.get(pk=cases[0].pk).title == "Mine"


def test_a_wrong_edit_is_answered_on_the_form(client_of, project, people, cases) -> None:
    client = client_of(people.lead)
    address = reverse("case_edit", args=[project.slug, cases[0].public_id])
    fields = form_of(client, address)
    for wrong, says in (
        ({"external_url": "javascript:x"}, "http:// or https://"),
        ({"family": "f" * 81}, '"Family" has 81 characters; the limit is 80'),
        ({"split": "secret"}, '"secret" is no answer to "Split"'),
        ({"tags": "t" * 61}, "61 characters; the limit is 60"),
    ):
        answer = client.post(address, fields | wrong)
        assert answer.status_code == 422
        assert says in text_of(answer)
    assert not AuditEntry.objects.filter(verb="case edited").exists()


def test_the_service_tells_a_stale_edit_by_what_was_seen(project, people) -> None:
    case = factories.make_case(project)
    seen = facts_of_case(case).digest()
    edit_facts(case=case, facts=CaseFacts(title="One"), seen=seen, actor=people.lead)
    edit_facts(case=case, facts=CaseFacts(title="One"), seen=seen, actor=people.lead)
    with pytest.raises(EditStale) as refusal:
        edit_facts(case=case, facts=CaseFacts(title="Two"), seen=seen, actor=people.lead)
    assert refusal.value.stored.title == "One"
