"""Backup and restore: everything arrives, drafts included, or nothing does.

The copy is SQLite; when the suite runs on PostgreSQL this is the way from one engine to the other, and
`tests/services/test_backups.py` goes the other way.
"""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.db import connections
from pytest_django import DjangoDbBlocker

from config import backups
from config.backups import BackupRefused, backed_up_models, database_digest, restore_backup, write_backup
from config.settings import database_settings
from corpus import immutability
from corpus.domain.manifest import verify_manifest
from corpus.models import AuditEntry, Blob, CorpusVersion, User
from corpus.services.versions import freeze_version
from labeling.models import LabelRevision
from labeling.services.labels import save_label
from labeling.services.rounds import open_round
from tests.api_tokens import make_token
from tests.factories import make_case
from tests.labeling_factories import CHARGES_TWICE, mark_complete, settle_case_with

COPY = "copy"
pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def migrated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of an empty, migrated database, made by the command as an administrator does."""
    path = tmp_path_factory.mktemp("migrated") / "copy.sqlite3"
    environment = {**os.environ, "DATABASE_URL": f"sqlite:///{path}", "DJANGO_SETTINGS_MODULE": "config.settings"}
    environment["TOUCHSTONE_SECRET_KEY"] = settings.SECRET_KEY
    subprocess.run(
        [sys.executable, "-m", "django", "migrate", "--verbosity", "0"], env=environment, check=True, timeout=300
    )
    return path


@pytest.fixture
def copy(db: None, migrated: Path, tmp_path: Path, django_db_blocker: DjangoDbBlocker) -> Iterator[str]:
    """An empty, migrated database of its own, by its alias."""
    shutil.copy(migrated, tmp_path / "copy.sqlite3")
    connections.databases[COPY] = {
        **connections.databases["default"],
        **database_settings(f"sqlite:///{tmp_path / 'copy.sqlite3'}"),
    }
    try:
        # The tests' own connection is let through already; this lets the other one through.
        with django_db_blocker.unblock():
            yield COPY
    finally:
        connections[COPY].close()
        del connections[COPY]
        del connections.databases[COPY]


@pytest.fixture
def work(people, project) -> None:
    """A frozen version, a token, a draft that is not submitted, and a patch of arbitrary bytes."""
    pair = [people.reviewer_a, people.reviewer_b]
    mark_complete(settle_case_with(make_case(project), pair, labels=[CHARGES_TWICE]))
    mark_complete(settle_case_with(make_case(project), pair))
    freeze_version(project=project, actor=people.lead, note="Größe \U0001f600 \\ \" ' line\nline")
    make_token(project, people.lead)
    patch = b"--- a/x\n+++ b/x\n@@ -1 +1 @@\n-\xff\x00\xfe\n+\r\x1b\n"
    seat = open_round(case=make_case(project, patch=patch), actor=people.lead, reviewers=pair).assignments.all()[0]
    save_label(
        assignment=seat,
        reviewer=seat.reviewer,
        label=None,
        fields=CHARGES_TWICE.__class__(**{**vars(CHARGES_TWICE), "title": "Only a draft", "anchors": ()}),
        expected_version=0,
    )


def test_everything_arrives_and_the_digests_are_equal(work, copy, tmp_path) -> None:
    before = database_digest()
    written = write_backup(tmp_path / "b.zip")
    assert written.sha256 == before
    restored = restore_backup(tmp_path / "b.zip", using=copy)
    assert (restored.sha256, restored.rows, restored.has_same_secret) == (before, written.rows, True)
    assert database_digest(using=copy) == before == database_digest()
    for model in backed_up_models():
        assert list(model._base_manager.using(copy).order_by("pk").values_list()) == list(
            model._base_manager.order_by("pk").values_list()
        ), model
    version = CorpusVersion.objects.using(copy).get()
    assert verify_manifest(bytes(version.manifest), version.manifest_sha256) == []
    assert LabelRevision.objects.using(copy).filter(title="Only a draft").count() == 1
    assert Blob.objects.using(copy).filter(size__lt=100).exists()
    person = User.objects.using(copy).get(name="Lea Lead")
    assert person.check_password("correct-horse-battery")
    # What is stored next gets a key of its own, and what was frozen stays guarded.
    entry = AuditEntry.objects.using(copy).order_by("-pk")[0]
    assert User.objects.db_manager(copy).create_user("new@example.org", name="New").pk > person.pk
    assert immutability.missing_triggers(connections[copy], immutability.registered()) == []
    assert entry.pk


def test_a_backup_is_for_its_owner_alone_and_overwrites_nothing(work, tmp_path) -> None:
    path = tmp_path / "b.zip"
    write_backup(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    held = path.read_bytes()
    with pytest.raises(BackupRefused, match="exists"):
        write_backup(path)
    with pytest.raises(CommandError, match="exists"):
        call_command("backup", str(path))
    assert path.read_bytes() == held
    with pytest.raises(BackupRefused, match="No such file"):
        write_backup(tmp_path / "none" / "b.zip")
    assert sorted(each.name for each in tmp_path.iterdir()) == ["b.zip"]


def test_it_goes_into_an_empty_database_only(work, copy, tmp_path) -> None:
    write_backup(tmp_path / "b.zip")
    with pytest.raises(BackupRefused, match="holds rows already"):
        restore_backup(tmp_path / "b.zip")
    User.objects.db_manager(copy).create_user("old@example.org", name="Old")
    with pytest.raises(BackupRefused, match="holds rows already"):
        restore_backup(tmp_path / "b.zip", using=copy)
    assert User.objects.using(copy).count() == 1


def rewritten(path: Path, target: Path, **changed: bytes | None) -> Path:
    """Copy a backup with some of its files changed, or left out for None; dots in names as double underscores."""
    changes = {name.replace("__", "."): data for name, data in changed.items()}
    with zipfile.ZipFile(path) as archive, zipfile.ZipFile(target, "w") as out:
        for name in archive.namelist():
            data = changes.get(name, archive.read(name))
            if data is not None:
                out.writestr(name, data)
    return target


def test_what_is_damaged_or_foreign_is_refused_and_nothing_stored(work, copy, tmp_path, monkeypatch) -> None:
    path = tmp_path / "b.zip"
    write_backup(path)
    with zipfile.ZipFile(path) as archive:
        listing = json.loads(archive.read("backup.json"))
        people = archive.read("corpus.user.jsonl")
    other = json.dumps(listing | {"migrations": [*listing["migrations"], "corpus.9999_later"]}).encode()
    lines = people.splitlines(keepends=True)
    for name, changes, reason in (
        ("no listing", {"backup__json": None}, "holds no backup.json"),
        ("no JSON", {"backup__json": b"{"}, "is not JSON"),
        ("another format", {"backup__json": b"{}"}, "does not say that it is a touchstone-backup"),
        ("later", {"backup__json": other}, "corpus.9999_later is applied in the backup alone"),
        ("a table less", {"corpus__user__jsonl": None}, "the table corpus.user is announced and missing"),
        ("a row less", {"corpus__user__jsonl": b"".join(lines[1:])}, "corpus.user.jsonl is not what backup.json says"),
        ("a bad row", {"corpus__user__jsonl": b"[1]\n" + people}, "corpus.user.jsonl line 1 cannot be read"),
        ("no row", {"corpus__user__jsonl": b"\xff\n"}, "corpus.user.jsonl line 1 cannot be read"),
    ):
        damaged = rewritten(path, tmp_path / f"{name}.zip", **changes)
        with pytest.raises(BackupRefused) as refused:
            restore_backup(damaged, using=copy)
        assert reason in str(refused.value), name
        assert "\n" not in str(refused.value)
        assert not User.objects.using(copy).exists(), name
    (tmp_path / "text.zip").write_text("no zip")
    for missing in ("text.zip", "none.zip"):
        with pytest.raises(BackupRefused, match="cannot be read as a backup"):
            restore_backup(tmp_path / missing, using=copy)
    monkeypatch.setattr(backups.settings, "SECRET_KEY", "another secret that is long enough for a server 0123")
    assert restore_backup(path, using=copy).has_same_secret is False


def test_the_commands_say_the_digest(work, tmp_path, capsys) -> None:
    call_command("backup", str(tmp_path / "b.zip"))
    said = capsys.readouterr().out
    assert f"digest {database_digest()}" in said
    assert AuditEntry.objects.filter(verb="backup made", subject="b.zip").count() == 1
    with pytest.raises(CommandError, match="holds rows already"):
        call_command("restore", str(tmp_path / "b.zip"))
