"""Tokens: who makes them, what is kept of them, and who ends them."""

from __future__ import annotations

import re

import pytest
from django.urls import reverse

from corpus import clock
from corpus.domain.vocabulary import Role, TokenScope
from corpus.models import ApiToken, AuditEntry, Membership
from corpus.services.tokens import MOST_TOKENS, TokenRefused, create_token, digest_of, recognise, revoke_token
from tests.api_tokens import make_token
from tests.factories import make_member
from tests.labeling.helpers import shown

BOTH = list(TokenScope)


def create(project, actor, **changes):
    fields = {"name": "nightly", "scopes": BOTH, "days": 30} | changes
    return create_token(project=project, actor=actor, **fields)


def test_of_a_secret_only_the_hash_is_kept(people, project) -> None:
    issued = create(project, people.lead)
    row = ApiToken.objects.get()
    assert re.fullmatch(r"tst_[0-9a-f]{64}", issued.secret)
    assert row.secret_sha256 == digest_of(issued.secret)
    kept = " ".join(str(getattr(row, field.attname)) for field in ApiToken._meta.concrete_fields)
    kept += " ".join(f"{entry.subject} {entry.before} {entry.after}" for entry in AuditEntry.objects.all())
    assert issued.secret not in kept
    assert issued.secret.removeprefix("tst_") not in kept
    assert recognise(issued.secret) == row
    assert recognise(row.secret_sha256) is None


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"name": "  "}, "needs a name"),
        ({"name": "x" * 81}, "81 characters"),
        ({"name": "a\x00b"}, "U+0000"),
        ({"scopes": []}, "at least one"),
        ({"days": 0}, "not 0"),
        ({"days": 367}, "not 367"),
    ],
)
def test_a_token_that_will_not_do_is_refused_in_one_sentence(people, project, changes, reason) -> None:
    with pytest.raises(TokenRefused, match=re.escape(reason)):
        create(project, people.lead, **changes)
    assert not ApiToken.objects.exists()


def test_nobody_makes_a_token_for_what_they_may_not_do(people, project) -> None:
    for who in (people.reviewer_a, people.adjudicator, people.outsider):
        with pytest.raises(TokenRefused, match="do not allow"):
            create(project, who)
    make_member(project, people.reviewer_a, Role.ANALYST)
    create(project, people.reviewer_a)


def test_there_is_a_limit_on_working_tokens_and_revoking_makes_room(people, project) -> None:
    made = [make_token(project, people.lead)[0] for _ in range(MOST_TOKENS)]
    with pytest.raises(TokenRefused, match=f"{MOST_TOKENS} working tokens"):
        create(project, people.lead)
    revoke_token(token=made[0], actor=people.lead)
    create(project, people.lead)


def test_revoking_twice_changes_nothing_the_second_time(people, project) -> None:
    issued = create(project, people.lead)
    revoke_token(token=issued.token, actor=people.lead)
    first = ApiToken.objects.get().revoked_at
    revoke_token(token=issued.token, actor=people.lead)
    assert ApiToken.objects.get().revoked_at == first
    assert AuditEntry.objects.filter(verb="token revoked").count() == 1
    assert recognise(issued.secret) is None


# --- The page -------------------------------------------------------------------------------------------------------


def test_the_secret_is_shown_once(people, project, client_of) -> None:
    client = client_of(people.analyst)
    address = reverse("token_list", args=[project.slug])
    answer = client.post(address, {"name": "nightly", "scopes": ["export_versions"], "days": "7"})
    [secret] = re.findall(r"tst_[0-9a-f]{64}", answer.content.decode())
    assert "no-store" in answer["Cache-Control"]
    token = recognise(secret)
    assert token is not None
    assert (token.created_by, token.name, [row.scope for row in token.scopes.all()]) == (
        people.analyst,
        "nightly",
        ["export_versions"],
    )
    assert (token.expires_at - clock.now()).days in {6, 7}
    page = shown(client.get(address))
    assert "nightly" in page
    assert "tst_" not in page


def test_what_is_wrong_with_the_form_is_said_beside_it(people, project, client_of) -> None:
    client = client_of(people.lead)
    address = reverse("token_list", args=[project.slug])
    answer = client.post(address, {"name": "n", "scopes": ["fly"], "days": "9999"})
    assert answer.status_code == 422
    assert "write a number up to 366" in shown(answer)
    assert not ApiToken.objects.exists()


def test_a_lead_sees_and_ends_every_token_and_others_their_own(people, project, client_of) -> None:
    own = make_token(project, people.analyst)[0]
    leads = make_token(project, people.lead)[0]
    analyst, lead = client_of(people.analyst), client_of(people.lead)
    address = reverse("token_list", args=[project.slug])
    assert people.lead.name not in shown(analyst.get(address)).partition("In this project")[2]
    assert people.analyst.name in shown(lead.get(address))
    assert analyst.post(reverse("token_revoke", args=[project.slug, leads.public_id])).status_code == 404
    assert lead.post(reverse("token_revoke", args=[project.slug, own.public_id])).status_code == 302
    own.refresh_from_db()
    leads.refresh_from_db()
    assert own.revoked_at is not None
    assert leads.revoked_at is None
    assert "revoked" in shown(lead.get(address))


def test_who_lost_their_role_loses_the_page(people, project, client_of) -> None:
    token = make_token(project, people.analyst)[0]
    Membership.objects.filter(user=people.analyst).delete()
    client = client_of(people.analyst)
    assert client.get(reverse("token_list", args=[project.slug])).status_code == 404
    assert client.post(reverse("token_revoke", args=[project.slug, token.public_id])).status_code == 404
