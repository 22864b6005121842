"""The standing people of every test, and the rule that nothing may be logged at ERROR."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from django.db import connection, transaction
from django.db.backends.base.operations import BaseDatabaseOperations
from django.test import Client
from hypothesis import HealthCheck, settings

from corpus import immutability
from corpus.domain.vocabulary import Role
from corpus.models import Project, User
from tests import factories

# A loaded machine is no fault of the code: speed is measured in bench/, and what failed once fails again.
settings.register_profile("touchstone", deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True)
settings.load_profile("touchstone")


@dataclass(frozen=True)
class People:
    """One person a role, an outsider, and a person in two roles."""

    lead: User
    reviewer_a: User
    reviewer_b: User
    reviewer_c: User
    adjudicator: User
    analyst: User
    outsider: User


@pytest.fixture
def people(db: None) -> People:
    """Store the standing people; they have no role until `project` gives them one."""
    return People(
        lead=factories.make_user("Lea Lead"),
        reviewer_a=factories.make_user("Ada Reviewer"),
        reviewer_b=factories.make_user("Ben Reviewer"),
        reviewer_c=factories.make_user("Cid Reviewer"),
        adjudicator=factories.make_user("Jo Adjudicator"),
        analyst=factories.make_user("Ann Analyst"),
        outsider=factories.make_user("Otto Outsider"),
    )


@pytest.fixture
def project(people: People) -> Project:
    """A project with default texts in which the standing people (not the outsider) hold their roles."""
    project = factories.make_project(lead=people.lead)
    for user, role in (
        (people.reviewer_a, Role.REVIEWER),
        (people.reviewer_b, Role.REVIEWER),
        (people.reviewer_c, Role.REVIEWER),
        (people.adjudicator, Role.ADJUDICATOR),
        (people.analyst, Role.ANALYST),
    ):
        factories.make_member(project, user, role)
    return project


@pytest.fixture
def client_of(db: None):  # type: ignore[no-untyped-def]
    """Return a function that gives a signed-in client of a person."""

    def sign_in(user: User) -> Client:
        client = Client()
        client.force_login(user)
        return client

    return sign_in


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None) -> None:
    """Let the flush between tests with real transactions empty guarded tables.

    The triggers themselves have no switch, since a switch would work in production too. The flush takes them away,
    empties the tables and puts them back, in one transaction.
    """
    # On the class: a thread that runs a browser's event loop is given connections of its own.
    operations = type(connection.ops)
    flush = operations.execute_sql_flush

    def flush_guarded(self: BaseDatabaseOperations, sql_list: list[str]) -> None:
        with transaction.atomic(using=self.connection.alias):
            immutability.remove(self.connection, immutability.registered())
            flush(self, sql_list)
            immutability.restore(self.connection, immutability.registered())

    operations.execute_sql_flush = flush_guarded  # type: ignore[method-assign]


class ErrorRecords(logging.Handler):
    """Collects what is logged at ERROR or above."""

    def __init__(self) -> None:
        super().__init__(level=logging.ERROR)
        self.records: list[logging.LogRecord] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.records.append(record)


@pytest.fixture(autouse=True)
def no_error_is_logged() -> Iterator[ErrorRecords]:
    """Fail a test in which anything was logged at ERROR."""
    handler = ErrorRecords()
    logging.getLogger().addHandler(handler)
    loggers = [logging.getLogger(name) for name in ("django", "django.request", "django.server", "celery")]
    for logger in loggers:
        if not logger.propagate:
            logger.addHandler(handler)
    yield handler
    for logger in [logging.getLogger(), *loggers]:
        logger.removeHandler(handler)
    assert not handler.records, [record.getMessage() for record in handler.records]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests of pure modules: they give the same answer on every database, so they run once."""
    for item in items:
        if "tests/unit/" in item.path.as_posix():
            item.add_marker("pure")
