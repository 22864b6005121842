"""Freezes at the same moment make one version."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from django.db import connections

from corpus.domain.manifest import verify_manifest
from corpus.models import AuditEntry, CorpusVersion, VersionCase
from corpus.services.versions import freeze_version
from tests.factories import make_case
from tests.labeling_factories import CHARGES_TWICE, settle_case_with

pytestmark = pytest.mark.django_db(transaction=True)


def at_once(calls: list[Callable[[], CorpusVersion]]) -> list[CorpusVersion]:
    """Run `calls` in threads of their own, released together, each over a connection of its own."""
    gate = Barrier(len(calls))

    def run(call: Callable[[], CorpusVersion]) -> CorpusVersion:
        try:
            gate.wait(timeout=30)
            return call()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(max_workers=len(calls)) as pool:
        return list(pool.map(run, calls))


def test_six_freezes_at_once_answer_one_version(people, project) -> None:
    pair = [people.reviewer_a, people.reviewer_b]
    settle_case_with(make_case(project), pair, labels=[CHARGES_TWICE])
    settle_case_with(make_case(project), pair)
    answers = at_once([lambda: freeze_version(project=project, actor=people.lead) for _ in range(6)])
    version = CorpusVersion.objects.get()
    assert {answer.pk for answer in answers} == {version.pk}
    assert VersionCase.objects.count() == 2
    assert AuditEntry.objects.filter(verb="version frozen").count() == 1
    assert verify_manifest(bytes(version.manifest), version.manifest_sha256) == []
