"""Triggers that keep frozen versions and histories as they were written (N4, N6).

The database itself refuses UPDATE and DELETE of a guarded row, and TRUNCATE of a guarded table where the engine has
that statement. There is no switch that lets a session pass: whoever may drop a trigger can do so, and what they change
then is found by the published digest of a version.

A trigger's name ends with a digest of its text, so what is in place can be compared with what belongs there by name
alone. SQLite drops triggers when a migration rebuilds their table; `restore` therefore runs after every migration.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.backends.base.base import BaseDatabaseWrapper

PREFIX = "immutable_"
FUNCTION = "touchstone_refuse_change"


class GuardsMissing(Exception):
    """Triggers could not be put in place; the message names the tables."""


@dataclass(frozen=True)
class Guard:
    """A table whose rows are only ever added; a change of `changeable` columns alone is let through.

    An `erasable` column of text may be emptied and never be given another value: withdrawn bytes were quoted there.
    """

    table: str
    changeable: frozenset[str] = frozenset()
    erasable: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Trigger:
    """One trigger as it belongs in the database; `sql` creates it."""

    table: str
    name: str
    sql: str


GUARDS = (
    Guard("corpus_corpusversion"),
    Guard("corpus_versioncase"),
    Guard("corpus_versionfinding"),
    Guard("corpus_versiongate"),
    Guard("corpus_versionsignature"),
    Guard("corpus_goldenrevision"),
    Guard("corpus_goldenanchor", erasable=frozenset({"quote"})),
    Guard("corpus_auditentry"),
    Guard("corpus_auditseal"),
    Guard("corpus_sealedentry"),
    Guard("corpus_exposure"),
)

_registered: dict[str, Guard] = {guard.table: guard for guard in GUARDS}


def register(guards: Iterable[Guard]) -> None:
    """Add the guards of another app; it does so when it is made ready."""
    _registered.update({guard.table: guard for guard in guards})


def registered() -> tuple[Guard, ...]:
    """Return the guards of every app."""
    return tuple(_registered.values())


def wanted_triggers(connection: BaseDatabaseWrapper, guards: Iterable[Guard]) -> list[Trigger]:
    """Return the triggers that belong on the tables of `guards`, as far as these exist yet."""
    tables = set(connection.introspection.table_names())
    found = []
    for guard in guards:
        if guard.table in tables:
            found += [
                Trigger(guard.table, name, sql)
                for name, sql in _definitions(connection, guard, _columns(connection, guard.table))
            ]
    return found


def missing_triggers(connection: BaseDatabaseWrapper, guards: Iterable[Guard]) -> list[Trigger]:
    """Return the triggers that belong there and are absent, switched off or changed."""
    guards = tuple(guards)
    present = _present(connection)
    if connection.vendor == "postgresql" and not _function_is_sound(connection):
        present = set()
    return [each for each in wanted_triggers(connection, guards) if (each.table, each.name) not in present]


def restore(connection: BaseDatabaseWrapper, guards: Iterable[Guard]) -> None:
    """Put every trigger in place that is not, and take outdated ones away. Raises GuardsMissing if that fails."""
    guards = tuple(guards)
    missing = missing_triggers(connection, guards)
    wanted = {(each.table, each.name) for each in wanted_triggers(connection, guards)}
    tables = {guard.table for guard in guards}
    outdated = {pair for pair in _present(connection, enabled_only=False) if pair[0] in tables} - wanted
    if not missing and not outdated:
        return
    with transaction.atomic(using=connection.alias), connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute(_FUNCTION_SQL)
        for table, name in sorted(outdated | {(each.table, each.name) for each in missing}):
            _drop(connection, cursor, table, name)
        for trigger in missing:
            cursor.execute(trigger.sql)
    left = missing_triggers(connection, guards)
    if left:
        raise GuardsMissing(f"triggers are missing on: {', '.join(sorted({each.table for each in left}))}")


def remove(connection: BaseDatabaseWrapper, guards: Iterable[Guard]) -> None:
    """Take the triggers of `guards` away: for a migration that has to rewrite guarded rows, and for its reversal."""
    tables = {guard.table for guard in guards}
    with transaction.atomic(using=connection.alias), connection.cursor() as cursor:
        for table, name in sorted(_present(connection, enabled_only=False)):
            if table in tables:
                _drop(connection, cursor, table, name)


def _columns(connection: BaseDatabaseWrapper, table: str) -> list[str]:
    with connection.cursor() as cursor:
        return [column.name for column in connection.introspection.get_table_description(cursor, table)]


def _definitions(connection: BaseDatabaseWrapper, guard: Guard, columns: list[str]) -> list[tuple[str, str]]:
    """Return name and statement of each trigger of one table."""
    differs = "IS NOT" if connection.vendor == "sqlite" else "IS DISTINCT FROM"
    condition = ""
    if guard.changeable or guard.erasable:
        refused = []
        for name in columns:
            if name in guard.changeable:
                continue
            changed = f'OLD."{name}" {differs} NEW."{name}"'
            refused.append(f"({changed} AND NEW.\"{name}\" {differs} '')" if name in guard.erasable else changed)
        condition = f"WHEN ({' OR '.join(refused)}) "
    rows = [("update", "UPDATE", "ROW", condition), ("delete", "DELETE", "ROW", "")]
    if connection.vendor == "postgresql":
        rows.append(("truncate", "TRUNCATE", "STATEMENT", ""))
    found = []
    for word, event, level, when in rows:
        head = f'BEFORE {event} ON "{guard.table}" FOR EACH {level} {when}'
        if connection.vendor == "sqlite":
            body = f"BEGIN SELECT RAISE(ABORT, 'rows of {guard.table} are only ever added: {event} refused'); END"
        else:
            body = f"EXECUTE FUNCTION {FUNCTION}()"
        digest = hashlib.sha256(f"{head}{body}".encode()).hexdigest()[:8]
        # PostgreSQL cuts names at 63 bytes; SQLite wants them unique in the whole database.
        name = f"{PREFIX}{word}_{guard.table}_{digest}"
        found.append((name, f'CREATE TRIGGER "{name}" {head}{body}'))
    return found


_FUNCTION_BODY = """
BEGIN
  RAISE EXCEPTION 'rows of % are only ever added: % refused', TG_TABLE_NAME, TG_OP
    USING ERRCODE = 'integrity_constraint_violation';
END
"""
_FUNCTION_SQL = f"CREATE OR REPLACE FUNCTION {FUNCTION}() RETURNS trigger LANGUAGE plpgsql AS $${_FUNCTION_BODY}$$"


def _present(connection: BaseDatabaseWrapper, *, enabled_only: bool = True) -> set[tuple[str, str]]:
    """Return table and name of every trigger of ours in the database."""
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute("SELECT tbl_name, name FROM sqlite_master WHERE type = 'trigger'")
        else:
            cursor.execute(
                "SELECT c.relname, t.tgname FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid "
                "WHERE NOT t.tgisinternal AND pg_table_is_visible(c.oid) AND (t.tgenabled IN ('O', 'A') OR %s)",
                [not enabled_only],
            )
        return {(table, name) for table, name in cursor.fetchall() if name.startswith(PREFIX)}


def _function_is_sound(connection: BaseDatabaseWrapper) -> bool:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT prosrc FROM pg_proc WHERE proname = %s AND pg_function_is_visible(oid) AND pronargs = 0", [FUNCTION]
        )
        return [row[0] for row in cursor.fetchall()] == [_FUNCTION_BODY]


def _drop(connection: BaseDatabaseWrapper, cursor: Any, table: str, name: str) -> None:
    place = f' ON "{table}"' if connection.vendor == "postgresql" else ""
    cursor.execute(f'DROP TRIGGER IF EXISTS "{name}"{place}')
