"""What migrations make of rows that were stored before them."""

from __future__ import annotations

from importlib import import_module
from types import SimpleNamespace

from allauth.account.models import EmailAddress
from django.apps import apps
from django.db import connection

from corpus.models import Case, Expertise
from tests import factories


def test_stored_languages_are_renamed_and_nobody_knows_one_twice(people, project) -> None:
    migration = import_module("corpus.migrations.0004_language_names")
    for user, values in ((people.reviewer_a, ["Bash", "Shell", "COBOL"]), (people.reviewer_b, ["golang"])):
        Expertise.objects.bulk_create(Expertise(user=user, kind="language", value=value) for value in values)
    Expertise.objects.create(user=people.reviewer_b, kind="area", value="bash")
    cases = [factories.make_case(project) for _ in range(3)]
    for case, language in zip(cases, ("sh, python3", "Go", "ts," * 20), strict=True):
        Case.objects.filter(pk=case.pk).update(language=language[:60])
    migration.write_names(apps, SimpleNamespace(connection=connection))
    rows = Expertise.objects.order_by("user", "kind", "value").values_list("user__name", "kind", "value")
    assert list(rows) == [
        ("Ada Reviewer", "language", "COBOL"),
        ("Ada Reviewer", "language", "Shell"),
        ("Ben Reviewer", "area", "bash"),
        ("Ben Reviewer", "language", "Go"),
    ]
    languages = [Case.objects.get(pk=case.pk).language for case in cases]
    assert languages == ["Shell, Python", "Go", "TypeScript"]


def test_accounts_from_before_get_a_proven_address_and_proven_ones_stay(people) -> None:
    migration = import_module("corpus.migrations.0008_proven_addresses")
    EmailAddress.objects.exclude(user=people.lead).delete()
    EmailAddress.objects.create(user=people.analyst, email="other@example.org", primary=True, verified=False)
    EmailAddress.objects.create(user=people.analyst, email=people.analyst.email, primary=False, verified=False)
    migration.prove_addresses(apps, SimpleNamespace(connection=connection))
    for user in (people.lead, people.analyst, people.reviewer_a):
        assert EmailAddress.objects.get(user=user, verified=True).email == user.email
        assert EmailAddress.objects.get(user=user, primary=True).email == user.email
    assert EmailAddress.objects.get(email="other@example.org").verified is False
