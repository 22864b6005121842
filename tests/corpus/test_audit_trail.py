"""The audit trail: sealed in batches, verified by command, and shown to leads as far as B1 lets them see."""

from __future__ import annotations

import csv
import io
from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection, transaction
from django.urls import reverse

from corpus import clock, immutability
from corpus.models import AuditEntry, AuditSeal, Exposure, SealedEntry
from corpus.origin import acting_from
from corpus.selectors.audit_chain import check_chain
from corpus.services import audit, audit_seals
from corpus.services.audit_seals import seal_all, seal_audit
from labeling.services.rounds import open_round
from tests.factories import make_case
from tests.labeling.adjudicating import compared
from tests.labeling.seats import DEFECT

pytestmark = pytest.mark.django_db


def entry(project, actor, verb: str = "project described", **fields) -> AuditEntry:
    return audit.record(actor=actor, verb=verb, subject="project X", project=project, **fields)


def verified(**options) -> str:
    out = io.StringIO()
    call_command("verify_audit", stdout=out, **options)
    return out.getvalue()


def tampered(sql: str, *values: object) -> None:
    """Change a guarded row as a database administrator could: with the triggers taken away and put back."""
    guards = immutability.registered()
    immutability.remove(connection, guards)
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
    immutability.restore(connection, guards)


def test_entries_are_sealed_in_batches_that_follow_each_other(project, people, monkeypatch) -> None:
    monkeypatch.setattr(audit_seals, "BATCH", 4)
    waiting = AuditEntry.objects.count()
    for number in range(6):
        entry(project, people.lead, after=str(number))
    seal_all()
    seals = list(AuditSeal.objects.order_by("number"))
    assert [seal.number for seal in seals] == list(range(1, len(seals) + 1))
    assert sum(seal.count for seal in seals) == SealedEntry.objects.count() == waiting + 6
    assert [seal.previous for seal in seals[1:]] == [seal.digest for seal in seals[:-1]]
    assert seal_audit() is None
    report = check_chain()
    assert (report.fault, report.tail, report.head, report.sealed) == (None, 0, seals[-1].digest, waiting + 6)


def test_an_entry_that_commits_late_is_sealed_by_the_next_seal(project, people) -> None:
    """On PostgreSQL its key may be lower than those that are sealed already."""
    seal_all()
    late = audit.entry(actor=people.lead, verb="project described", subject="project X", project=project)
    late.pk = -1
    late.save(force_insert=True)
    seal_all()
    assert SealedEntry.objects.get(entry=late).seal.number == 2
    assert check_chain().fault is None


def test_the_command_says_what_holds_and_names_the_tail(project, people) -> None:
    seal_all()
    sealed = SealedEntry.objects.count()
    entry(project, people.lead)
    entry(project, people.lead)
    head = AuditSeal.objects.get().digest
    text = verified(holds=head)
    assert f"{sealed} entries in 1 seals hold; head {head}" in text
    assert "2 entries are not sealed yet" in text
    with pytest.raises(CommandError, match="does not contain"):
        verified(holds="0" * 64)


@pytest.mark.parametrize(
    ("sql", "words"),
    [
        ("UPDATE corpus_auditentry SET after = 'x' WHERE id = {entry}", "an entry of seal 1 is not what was sealed"),
        ("UPDATE corpus_auditentry SET actor_id = NULL WHERE id = {entry}", "an entry of seal 1"),
        ("DELETE FROM corpus_sealedentry WHERE entry_id = {entry}", "entries, and"),
        ("UPDATE corpus_auditseal SET digest = previous WHERE number = 1", "an entry of seal 1"),
    ],
)
def test_tampering_past_the_triggers_is_found(project, people, sql: str, words: str) -> None:
    changed = entry(project, people.lead, after="from")
    seal_all()
    tampered(sql.format(entry=changed.pk))
    with pytest.raises(CommandError, match=words):
        verified()


def test_a_seal_that_was_cut_off_is_found_by_a_noted_digest(project, people) -> None:
    seal_all()
    entry(project, people.lead)
    seal_all()
    noted = AuditSeal.objects.get(number=2)
    tampered("DELETE FROM corpus_sealedentry WHERE seal_id = %s", noted.pk)
    tampered("DELETE FROM corpus_auditseal WHERE number = 2")
    assert "not sealed yet" in verified()
    with pytest.raises(CommandError, match="cut or replaced"):
        verified(holds=noted.digest)


def test_seals_are_only_ever_added(project, people) -> None:
    seal_all()
    for sql in ("UPDATE corpus_auditseal SET count = 9", "DELETE FROM corpus_sealedentry"):
        with pytest.raises(DatabaseError, match="only ever added"), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(sql)


def page(client, project, query: str = ""):
    return client.get(reverse("audit_trail", args=[project.slug]) + query)


def test_the_page_shows_who_did_what_through_what(project, people, client_of) -> None:
    with acting_from("command sample"):
        entry(project, people.lead, before="Old name", after="New <b>name</b>")
    client = client_of(people.lead)
    text = page(client, project, "?verb=project+described").content.decode()
    for shown in ("Lea Lead", "project described", "Old name", "New &lt;b&gt;name&lt;/b&gt;", "command sample"):
        assert shown in text
    assert "project created" not in text.split("<tbody>")[1]
    client.post(reverse("project_edit", args=[project.slug]), {"name": "Ledgers", "description": "d"})
    assert AuditEntry.objects.order_by("-pk")[0].origin == "page"


def test_filters_narrow_by_person_day_and_case(project, people, client_of) -> None:
    case = make_case(project)
    client = client_of(people.lead)
    assert f"case {case.public_id}" in page(client, project, f"?q={case.public_id}").content.decode()
    assert "No entry fits" in page(client, project, "?q=nowhere").content.decode()
    tomorrow = (clock.now() + timedelta(days=2)).date().isoformat()
    assert "No entry fits" in page(client, project, f"?since={tomorrow}").content.decode()
    assert "No entry fits" in page(client, project, f"?actor={people.outsider.public_id}").content.decode()
    # What cannot be read is not asked.
    assert case.public_id in page(client, project, "?since=yesterday").content.decode()


def test_a_lead_with_an_open_seat_sees_nothing_of_that_case_nor_of_versions(project, people, client_of) -> None:
    mine, other = make_case(project), make_case(project)
    entry(project, people.lead, verb="version frozen", after="1.0.0, 2 cases")
    assert "version frozen" in page(client_of(people.lead), project).content.decode()
    open_round(case=mine, actor=people.lead, reviewers=[people.lead, people.reviewer_a])
    text = page(client_of(people.lead), project).content.decode()
    assert mine.public_id not in text
    assert "version frozen" not in text
    assert other.public_id in text
    assert "project created" in text


def test_being_told_of_decisions_counts_as_exposure(project, people, client_of) -> None:
    case = make_case(project)
    client = client_of(people.lead)
    page(client, project)
    assert not Exposure.objects.filter(case=case, user=people.lead, kind="peer_label").exists()
    compared(case, [people.reviewer_a, people.reviewer_b], [DEFECT], [], verdicts=("has_defects", "clean"))
    page(client, project)
    assert Exposure.objects.get(case=case, user=people.lead, kind="peer_label").channel == "page"


def test_the_download_holds_what_the_page_shows_and_no_formula(project, people, client_of) -> None:
    entry(project, people.lead, after="=1+1")
    answer = client_of(people.lead).get(reverse("audit_trail_csv", args=[project.slug]) + "?verb=project+described")
    rows = list(csv.DictReader(io.StringIO(b"".join(answer.streaming_content).decode())))
    assert [(row["person"], row["verb"], row["after"]) for row in rows] == [("Lea Lead", "project described", "'=1+1")]
