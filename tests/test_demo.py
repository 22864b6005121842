"""The sample work of `make demo` leaves something to do for every role, and a version that verifies."""

from __future__ import annotations

from io import StringIO

import pytest
from django.core.management import call_command

from config.demo import PASSWORD, PEOPLE
from corpus.domain.manifest import verify_manifest
from corpus.models import Case, CorpusVersion, GoldenFinding, User
from labeling.models import Disagreement, Label, LabelRevision
from reviews.domain.vocabulary import CaseRunState
from reviews.models import AIFinding, CaseRun, Run


@pytest.mark.django_db
def test_the_sample_work_is_loaded_once_and_gives_every_role_something_to_do() -> None:
    said = StringIO()
    call_command("demo", stdout=said)
    states = dict.fromkeys(Case.objects.values_list("state", flat=True).distinct())
    assert {"labelling", "adjudicating", "settled"} <= set(states)
    assert Case.objects.filter(state="settled", result="clean").count() >= 2
    assert Disagreement.objects.filter(state="open").exists()
    assert set(Disagreement.objects.values_list("kind", flat=True)) >= {"existence", "category", "severity"}
    assert LabelRevision.objects.count() == Label.objects.count() > 20
    version = CorpusVersion.objects.get()
    assert verify_manifest(bytes(version.manifest), version.manifest_sha256) == []
    assert version.cases.count() == Case.objects.filter(state="settled").count()
    runs = Run.objects.order_by("pk")
    assert [(run.configuration.tool.name, run.repeat, run.version) for run in runs] == [
        ("Redpen", 1, version),
        ("Redpen", 2, version),
        ("Lint", 1, version),
    ]
    states = set(CaseRun.objects.values_list("state", flat=True))
    assert states == {state.value for state in CaseRunState}
    assert set(AIFinding.objects.values_list("place_state", flat=True)) == {"resolved", "unresolved"}
    for person in PEOPLE:
        assert person.email in said.getvalue()
        assert User.objects.get(email=person.email).check_password(PASSWORD)

    counts = [model.objects.count() for model in (Case, Label, GoldenFinding, CorpusVersion, User, AIFinding)]
    again = StringIO()
    call_command("demo", stdout=again)
    assert counts == [model.objects.count() for model in (Case, Label, GoldenFinding, CorpusVersion, User, AIFinding)]
    assert "already" in again.getvalue()
