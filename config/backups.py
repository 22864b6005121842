"""Backups: everything in one file that goes onto either database engine.

A backup is a zip with one file of JSON lines for each table, in the order of the primary key, and `backup.json` with
the migrations that made the tables, the number of rows and a digest of each table. It is read in one snapshot of the
database, so that work may go on meanwhile. Left out is what is made anew: sessions, tables of Django's own
administration, and drawn diffs. The digest of a database is the same on both engines.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import os
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import IO, Any
from uuid import UUID

from django.apps import apps
from django.conf import settings
from django.core.management.color import no_style
from django.db import DEFAULT_DB_ALIAS, IntegrityError, connections, models, transaction
from django.db.migrations.recorder import MigrationRecorder
from django.utils.duration import duration_iso_string

FORMAT = "touchstone-backup"
FORMAT_VERSION = 1
LISTING = "backup.json"
LEFT_OUT = frozenset(
    {
        "contenttypes.contenttype",
        "auth.permission",
        "auth.group",
        "auth.group_permissions",
        "corpus.user_groups",
        "corpus.user_user_permissions",
        "sessions.session",
        "corpus.drawnfile",
        "corpus.highlightedblob",
    }
)
ROWS_AT_ONCE = 500
BYTES_AT_ONCE = 16 * 2**20
LONGEST_LINE = 1024 * 2**20
LONGEST_LISTING = 4 * 2**20


class BackupRefused(Exception):
    """Nothing was written or restored; the message is one sentence with the remedy."""


@dataclass(frozen=True)
class Summary:
    """What a backup holds."""

    tables: int
    rows: int
    sha256: str
    # Whether the server's secret is the one of the server that made the backup.
    has_same_secret: bool = True


def write_backup(path: Path, *, using: str = DEFAULT_DB_ALIAS) -> Summary:
    """Write a backup of the database to a new file that only its owner may read. Raises BackupRefused."""
    if path.exists():
        raise BackupRefused(f"{path} exists; name a new file.")
    part = path.with_name(f".{path.name}.part")
    try:
        descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    except OSError as error:
        raise BackupRefused(f"{path}: {error.strerror}.") from error
    try:
        with os.fdopen(descriptor, "wb") as file:
            summary = _write(file, using)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except OSError as error:
        raise BackupRefused(f"{path}: {error.strerror}.") from error
    finally:
        part.unlink(missing_ok=True)
    return summary


def _write(file: IO[bytes], using: str) -> Summary:
    tables: dict[str, dict[str, Any]] = {}
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive, _snapshot(using):
        for model in backed_up_models():
            digest, rows = hashlib.sha256(), 0
            with archive.open(f"{model._meta.label_lower}.jsonl", "w", force_zip64=True) as table:
                for line in _lines(model, using):
                    digest.update(line)
                    table.write(line)
                    rows += 1
            tables[model._meta.label_lower] = {"rows": rows, "sha256": digest.hexdigest()}
        joined = _joined(tables)
        listing = {
            "format": FORMAT,
            "format_version": FORMAT_VERSION,
            "migrations": _migrations(using),
            "secret": _secret_mark(),
            "tables": tables,
            "sha256": joined,
        }
        archive.writestr(LISTING, json.dumps(listing, indent=1) + "\n")
    return Summary(len(tables), sum(table["rows"] for table in tables.values()), joined)


def database_digest(*, using: str = DEFAULT_DB_ALIAS) -> str:
    """Return the digest of all that a backup would hold now: equal content gives an equal one on every engine."""
    tables = {}
    with _snapshot(using):
        for model in backed_up_models():
            digest = hashlib.sha256()
            for line in _lines(model, using):
                digest.update(line)
            tables[model._meta.label_lower] = {"sha256": digest.hexdigest()}
    return _joined(tables)


def restore_backup(path: Path, *, using: str = DEFAULT_DB_ALIAS) -> Summary:
    """Put a backup into an empty, migrated database: all of it or, raising BackupRefused, nothing."""
    try:
        with zipfile.ZipFile(path) as archive:
            listing = _read_listing(archive)
            _check_target(listing, using)
            with transaction.atomic(using=using):
                for model in backed_up_models():
                    _restore_table(archive, model, listing["tables"][model._meta.label_lower], using)
                _reset_sequences(using)
            found = database_digest(using=using)
            if found != listing["sha256"]:
                raise BackupRefused(
                    f"{path}: what was stored has the digest {found}, the backup {listing['sha256']}; restore it into "
                    "a new database."
                )
    except (OSError, zipfile.BadZipFile, zipfile.LargeZipFile, EOFError) as error:
        raise BackupRefused(f"{path}: it cannot be read as a backup: {error}.") from error
    except IntegrityError as error:
        raise BackupRefused(f"{path}: its rows contradict one another: {' '.join(str(error).split())}.") from error
    rows = sum(table["rows"] for table in listing["tables"].values())
    return Summary(len(listing["tables"]), rows, listing["sha256"], listing.get("secret") == _secret_mark())


def backed_up_models() -> list[type[models.Model]]:
    """Return the models whose rows a backup holds, by name."""
    every = apps.get_models(include_auto_created=True)
    kept = [model for model in every if model._meta.managed and model._meta.label_lower not in LEFT_OUT]
    return sorted(kept, key=lambda model: model._meta.label_lower)


@contextmanager
def _snapshot(using: str) -> Iterator[None]:
    """Read everything as it was at one moment, without making anybody wait who writes."""
    connection = connections[using]
    if connection.in_atomic_block:
        yield
    elif connection.vendor == "sqlite":
        # Not atomic(), which takes the lock of a writer at its begin.
        with connection.cursor() as cursor:
            cursor.execute("BEGIN DEFERRED")
        try:
            yield
        finally:
            with connection.cursor() as cursor:
                cursor.execute("ROLLBACK")
    else:
        with transaction.atomic(using=using):
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            yield


def _fields(model: type[models.Model]) -> list[models.Field[Any, Any]]:
    return list(model._meta.concrete_fields)


def _lines(model: type[models.Model], using: str) -> Iterator[bytes]:
    """Yield one line of JSON for each row, in the order of the primary key."""
    names = [field.attname for field in _fields(model)]
    rows = model._base_manager.using(using).order_by("pk").values_list(*names)
    for row in rows.iterator(chunk_size=ROWS_AT_ONCE):
        values = [_plain(value) for value in row]
        yield json.dumps(values, ensure_ascii=True, sort_keys=True, separators=(",", ":")).encode("ascii") + b"\n"


def _plain(value: Any) -> Any:
    """Return a value as JSON holds it; the column's own `to_python` reads it back."""
    if isinstance(value, bytes | memoryview):
        return base64.b64encode(bytes(value)).decode("ascii")
    if isinstance(value, datetime | date):
        return value.isoformat()
    if isinstance(value, timedelta):
        return duration_iso_string(value)
    if isinstance(value, Decimal | UUID):
        return str(value)
    return value


def _migrations(using: str) -> list[str]:
    applied = MigrationRecorder(connections[using]).applied_migrations()
    return sorted(f"{app}.{name}" for app, name in applied)


def _joined(tables: dict[str, dict[str, Any]]) -> str:
    return hashlib.sha256("".join(f"{name} {tables[name]['sha256']}\n" for name in sorted(tables)).encode()).hexdigest()


def _secret_mark() -> str:
    """Return what tells two servers' secrets apart and nothing else of them."""
    return hmac.new(settings.SECRET_KEY.encode(), b"touchstone backup", hashlib.sha256).hexdigest()[:16]


def _read_listing(archive: zipfile.ZipFile) -> dict[str, Any]:
    names = set(archive.namelist())
    if LISTING not in names or archive.getinfo(LISTING).file_size > LONGEST_LISTING:
        raise BackupRefused(f"{archive.filename}: it holds no {LISTING}, so it is no backup.")
    try:
        listing = json.loads(archive.read(LISTING))
    except (ValueError, RecursionError) as error:
        raise BackupRefused(f"{archive.filename}: {LISTING} is not JSON.") from error
    if not isinstance(listing, dict) or (listing.get("format"), listing.get("format_version")) != (
        FORMAT,
        FORMAT_VERSION,
    ):
        raise BackupRefused(f"{archive.filename}: it does not say that it is a {FORMAT} of version {FORMAT_VERSION}.")
    tables, expected = listing.get("tables"), {model._meta.label_lower for model in backed_up_models()}
    if not isinstance(tables, dict) or not isinstance(listing.get("migrations"), list):
        raise BackupRefused(f"{archive.filename}: {LISTING} does not say which tables it holds.")
    for name, table in tables.items():
        if not isinstance(table, dict) or not isinstance(table.get("rows"), int) or f"{name}.jsonl" not in names:
            raise BackupRefused(f"{archive.filename}: the table {name[:80]} is announced and missing.")
    listing["tables"] = tables
    listing["unknown"] = sorted(set(tables) ^ expected)
    return listing


def _check_target(listing: dict[str, Any], using: str) -> None:
    """Refuse a database whose tables are others than the backup's, or that holds anything."""
    here, there = set(_migrations(using)), set(listing["migrations"])
    differing = sorted(here ^ there)
    if differing:
        where = "the database" if differing[0] in here else "the backup"
        raise BackupRefused(
            f"The migration {differing[0]} is applied in {where} alone; use the version of Touchstone that made the "
            "backup, restore with that, and migrate afterwards."
        )
    if listing["unknown"]:
        raise BackupRefused(f"The table {listing['unknown'][0][:80]} is not in both the backup and this version.")
    for model in backed_up_models():
        if model._base_manager.using(using).exists():
            raise BackupRefused(
                f"The database holds rows already ({model._meta.label_lower}); restore into an empty one."
            )


def _restore_table(archive: zipfile.ZipFile, model: type[models.Model], table: dict[str, Any], using: str) -> None:
    digest, rows = hashlib.sha256(), 0
    name = f"{model._meta.label_lower}.jsonl"
    fields = _fields(model)
    batch: list[models.Model] = []
    held = 0
    with archive.open(name) as lines:
        while line := lines.readline(LONGEST_LINE):
            digest.update(line)
            rows += 1
            batch.append(_instance(model, fields, line, f"{name} line {rows}"))
            held += len(line)
            if len(batch) >= ROWS_AT_ONCE or held >= BYTES_AT_ONCE:
                _insert(model, fields, batch, using)
                batch, held = [], 0
    _insert(model, fields, batch, using)
    if (rows, digest.hexdigest()) != (table["rows"], table.get("sha256")):
        raise BackupRefused(f"{name} is not what {LISTING} says: {rows} rows, another digest; take another backup.")


def _instance(
    model: type[models.Model], fields: Iterable[models.Field[Any, Any]], line: bytes, place: str
) -> models.Model:
    fields = list(fields)
    try:
        values = json.loads(line)
        if len(values) != len(fields):
            raise ValueError(f"{len(values)} values for {len(fields)} columns")
        read = {field.attname: _value(field, value) for field, value in zip(fields, values, strict=True)}
    except Exception as error:
        # Whatever a column makes of a value that it never wrote.
        raise BackupRefused(f"{place} cannot be read: {' '.join(str(error).split())[:200]}.") from error
    return model(**read)


def _value(field: models.Field[Any, Any], value: Any) -> Any:
    target = field.target_field if isinstance(field, models.ForeignKey) else field
    return target.to_python(value)


def _insert(
    model: type[models.Model], fields: list[models.Field[Any, Any]], batch: list[models.Model], using: str
) -> None:
    """Insert rows exactly as they are: nothing is drawn, dated or counted anew."""
    size = connections[using].ops.bulk_batch_size(fields, batch) if batch else 1
    for at in range(0, len(batch), max(1, size)):
        part = batch[at : at + max(1, size)]
        model._base_manager.using(using)._insert(part, fields=fields, using=using, raw=True)  # type: ignore[attr-defined]


def _reset_sequences(using: str) -> None:
    connection = connections[using]
    with connection.cursor() as cursor:
        for statement in connection.ops.sequence_reset_sql(no_style(), backed_up_models()):
            cursor.execute(statement)
