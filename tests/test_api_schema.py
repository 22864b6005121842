"""The programming interface against its own description, by Schemathesis: no fault, no answer it does not describe."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from django.core.cache import cache
from django.core.signals import request_finished, request_started
from django.db import close_old_connections
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from config.wsgi import application
from corpus.domain.vocabulary import Split
from corpus.services.versions import freeze_version
from tests.api_tokens import make_token
from tests.factories import make_case
from tests.labeling_factories import CHARGES_TWICE, mark_complete, settle_case_with

# Schemathesis' own client warns of headers it generates; what it finds is raised by the checks.
pytestmark = [pytest.mark.django_db, pytest.mark.filterwarnings("default")]

CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]


def from_here(environ: dict[str, Any], start_response: Any) -> Any:
    """The product as a server calls it, which says where a request comes from."""
    return application({"REMOTE_ADDR": "127.0.0.1", **environ}, start_response)


@pytest.fixture
def one_connection() -> Iterator[None]:
    """Keep the connection of the test's transaction open between requests, as Django's test client does."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


@pytest.fixture
def secret(people, project) -> str:
    """A token that opens a version."""
    pair = [people.reviewer_a, people.reviewer_b]
    mark_complete(settle_case_with(make_case(project, split=Split.TEST), pair, labels=[CHARGES_TWICE]))
    mark_complete(settle_case_with(make_case(project), pair))
    freeze_version(project=project, actor=people.lead)
    return make_token(project, people.analyst)[1]


def test_every_answer_is_one_that_is_described(secret: str, one_connection: None) -> None:
    described = schemathesis.openapi.from_wsgi("/api/v1/openapi.json", from_here)
    operations = [result.ok() for result in described.get_all_operations()]
    assert len(operations) == len(described.raw_schema["paths"])
    for operation in operations:

        @settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
        @given(case=operation.as_strategy(), knows=st.booleans())
        def check(case: schemathesis.Case, knows: bool) -> None:
            cache.clear()
            token = secret if knows else "tst_unknown"
            case.call_and_validate(headers={"Authorization": f"Bearer {token}"}, checks=CHECKS)

        check()
