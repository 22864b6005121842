"""The database keeps frozen versions and histories as they were written, on both engines (N4, N6)."""

from __future__ import annotations

import pytest
from django.apps import apps
from django.core.management import call_command
from django.db import IntegrityError, connection, models, transaction
from django.test.utils import CaptureQueriesContext

from corpus import clock, immutability
from corpus.domain.vocabulary import Channel, ExposureKind
from corpus.immutability import Guard
from corpus.models import AuditEntry, CorpusVersion, Exposure, VersionCase, VersionFinding, VersionGate
from corpus.services import audit
from corpus.services.exposures import record_exposure
from tests.factories import make_case

FROZEN = ("corpus_corpusversion", "corpus_versioncase", "corpus_versionfinding", "corpus_versiongate")


@pytest.fixture
def version(people, project):
    """A version's rows as a freeze leaves them, with just enough in each."""
    from corpus.domain.vocabulary import GoldenState, Provenance
    from corpus.services.golden import GoldenContent, create_finding

    case = make_case(project)
    revision = create_finding(
        case=case,
        content=GoldenContent(defect={"title": "Charges twice"}, category=None, confidence="", anchors=()),
        state=GoldenState.UNRESOLVED,
        provenance=Provenance.AGREED,
        decided_by=None,
    )
    version = CorpusVersion.objects.create(
        project=project,
        number="1.0.0",
        manifest=b"{}",
        manifest_sha256="0" * 64,
        frozen_by=people.lead,
        frozen_at=clock.now(),
    )
    held = VersionCase.objects.create(version=version, case=case, split="dev", case_sha256="1" * 64)
    VersionFinding.objects.create(version_case=held, revision=revision)
    VersionGate.objects.create(version=version, key="settled", has_passed=True, detail="1 of 1")
    return version


def refused(statement: str, *params: object) -> None:
    with pytest.raises(IntegrityError, match="only ever added"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement, params)


def count(table: str) -> int:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT count(*) FROM {table}")
        return int(cursor.fetchone()[0])


@pytest.mark.parametrize("table", FROZEN)
def test_rows_of_a_frozen_version_cannot_be_updated_or_deleted(version, table: str) -> None:
    assert count(table) == 1
    refused(f"UPDATE {table} SET id = id")
    refused(f"DELETE FROM {table}")
    assert count(table) == 1


@pytest.mark.parametrize("table", FROZEN)
def test_a_frozen_version_cannot_be_truncated(version, table: str) -> None:
    if connection.vendor != "postgresql":
        pytest.skip("only PostgreSQL has TRUNCATE; SQLite empties a table by DELETE")
    with connection.cursor() as cursor:
        # Foreign keys are checked at commit; rows that still wait for it cannot be truncated anyway.
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
    refused(f"TRUNCATE {table} CASCADE")
    assert count(table) == 1


def test_the_orm_cannot_change_or_delete_a_version_either(version) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        CorpusVersion.objects.filter(pk=version.pk).update(manifest=b"{ }")
    version.note = "later"
    with pytest.raises(IntegrityError), transaction.atomic():
        version.save()
    with pytest.raises(IntegrityError), transaction.atomic():
        VersionGate.objects.all().delete()
    assert bytes(CorpusVersion.objects.get().manifest) == b"{}"


def test_sqlite_cannot_replace_a_row_past_the_trigger(version) -> None:
    if connection.vendor != "sqlite":
        pytest.skip("INSERT OR REPLACE is a statement of SQLite")
    refused(
        "INSERT OR REPLACE INTO corpus_versiongate (id, version_id, key, has_passed, detail, waiver_reason) "
        "SELECT id, version_id, key, has_passed, 'forged', waiver_reason FROM corpus_versiongate"
    )
    assert VersionGate.objects.get().detail == "1 of 1"


def test_histories_take_new_rows_and_keep_the_old(version, people) -> None:
    case = VersionCase.objects.get().case
    audit.record(actor=people.lead, verb="looked", subject="case", case=case)
    record_exposure(user=people.lead, cases=[case], kind=ExposureKind.PEER_LABEL, channel=Channel.PAGE)
    first = Exposure.objects.get()
    with CaptureQueriesContext(connection) as again:
        record_exposure(user=people.lead, cases=[case, case], kind=ExposureKind.PEER_LABEL, channel=Channel.PAGE)
    assert [query["sql"].split()[0] for query in again] == ["SELECT"]
    assert Exposure.objects.get() == first
    before = AuditEntry.objects.count()
    for table in ("corpus_auditentry", "corpus_exposure", "corpus_goldenrevision"):
        refused(f"UPDATE {table} SET id = id")
        refused(f"DELETE FROM {table}")
    assert AuditEntry.objects.count() == before


def test_every_guard_of_every_app_is_in_place(db) -> None:
    names = {guard.table for guard in immutability.registered()}
    assert {*FROZEN, "labeling_labelrevision", "labeling_adjudication"} <= names
    wanted = immutability.wanted_triggers(connection, immutability.registered())
    per_table = 3 if connection.vendor == "postgresql" else 2
    assert len(wanted) == per_table * len(names)
    assert immutability.missing_triggers(connection, immutability.registered()) == []


def test_the_excepted_column_alone_may_change(db) -> None:
    """The trigger that lets `undone_at` through, on a table of its own shape without the rows it hangs on."""
    with connection.cursor() as cursor:
        cursor.execute("CREATE TABLE guarded (id integer PRIMARY KEY, said text, undone_at text)")
        guard = Guard("guarded", changeable=frozenset({"undone_at"}))
        immutability.restore(connection, [guard])
        cursor.execute("INSERT INTO guarded VALUES (1, 'accept', NULL)")
        cursor.execute("UPDATE guarded SET said = 'accept', undone_at = 'now'")
        refused("UPDATE guarded SET said = 'reject'")
        refused("UPDATE guarded SET said = NULL, undone_at = 'later'")
        refused("DELETE FROM guarded")
        cursor.execute("SELECT said, undone_at FROM guarded")
        assert cursor.fetchone() == ("accept", "now")


def test_an_outdated_trigger_gives_way_to_the_present_one(db) -> None:
    with connection.cursor() as cursor:
        cursor.execute("CREATE TABLE guarded (id integer PRIMARY KEY, said text, undone_at text)")
        immutability.restore(connection, [Guard("guarded")])
        cursor.execute("INSERT INTO guarded VALUES (1, 'accept', NULL)")
        refused("UPDATE guarded SET undone_at = 'now'")
        immutability.restore(connection, [Guard("guarded", changeable=frozenset({"undone_at"}))])
        cursor.execute("UPDATE guarded SET undone_at = 'now'")
        refused("UPDATE guarded SET said = 'reject'")


def test_a_trigger_or_function_that_was_switched_off_counts_as_missing(db) -> None:
    guard = Guard("corpus_versiongate")
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("ALTER TABLE corpus_versiongate DISABLE TRIGGER USER")
            assert len(immutability.missing_triggers(connection, [guard])) == 3
            immutability.restore(connection, [guard])
            assert immutability.missing_triggers(connection, [guard]) == []
            cursor.execute(
                f"CREATE OR REPLACE FUNCTION {immutability.FUNCTION}() RETURNS trigger LANGUAGE plpgsql "
                "AS $$ BEGIN RETURN OLD; END $$"
            )
            assert len(immutability.missing_triggers(connection, [guard])) == 3
        else:
            immutability.remove(connection, [guard])
            assert len(immutability.missing_triggers(connection, [guard])) == 2
    immutability.restore(connection, [guard])
    assert immutability.missing_triggers(connection, [guard]) == []


@pytest.mark.django_db(transaction=True)
def test_a_rebuilt_table_loses_its_triggers_and_migrate_restores_them() -> None:
    if connection.vendor != "sqlite":
        pytest.skip("only SQLite rebuilds tables; PostgreSQL alters them in place")
    guard = Guard("corpus_versiongate")
    model = apps.get_model("corpus", "VersionGate")
    wider = models.CharField(max_length=301)
    wider.set_attributes_from_name("detail")
    wider.model = model
    with connection.schema_editor() as editor:
        editor.alter_field(model, model._meta.get_field("detail"), wider)
    assert len(immutability.missing_triggers(connection, [guard])) == 2
    with connection.schema_editor() as editor:
        editor.alter_field(model, wider, model._meta.get_field("detail"))
    call_command("migrate", verbosity=0)
    assert immutability.missing_triggers(connection, [guard]) == []


@pytest.mark.django_db(transaction=True)
def test_migrate_restores_the_triggers_of_every_app_even_without_a_pending_migration() -> None:
    immutability.remove(connection, immutability.registered())
    assert immutability.missing_triggers(connection, [Guard("labeling_adjudication")])
    call_command("migrate", verbosity=0)
    assert immutability.missing_triggers(connection, immutability.registered()) == []
