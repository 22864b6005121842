"""The programming interface: what a token opens, to whom, and how everything else is refused."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Callable
from datetime import timedelta
from urllib.parse import quote, urlencode

import pytest
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.urls import reverse
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from corpus import clock, immutability
from corpus.domain.vocabulary import Channel, ExposureKind, Role, Split, TokenScope
from corpus.models import ApiToken, AuditEntry, Case, CorpusVersion, Exposure, Membership
from corpus.services.projects import archive_project
from corpus.services.versions import freeze_version
from labeling.services.rounds import open_round
from tests.api_tokens import make_token
from tests.factories import make_case, make_member, make_project, make_user
from tests.labeling_factories import CHARGES_TWICE, mark_complete, settle_case_with
from tests.route_table import API_ROWS

Ask = Callable[..., object]
PATHS = (
    "token",
    "versions",
    "versions/1.0.0",
    "versions/1.0.0/manifest",
    "versions/1.0.0/exports/dataset",
    "versions/1.0.0/compare/1.0.0",
)
VERBS = ("get", "head", "post", "put", "patch", "delete", "options")


@pytest.fixture(autouse=True)
def fresh_limits(db: None) -> None:
    """Count no request of another test."""
    cache.clear()


@pytest.fixture
def corpus(people, project) -> list[Case]:
    pair = [people.reviewer_a, people.reviewer_b]
    found = settle_case_with(make_case(project, split=Split.TEST), pair, labels=[CHARGES_TWICE])
    kept = settle_case_with(make_case(project, split=Split.HOLDOUT), pair)
    return [mark_complete(found), mark_complete(kept), mark_complete(settle_case_with(make_case(project), pair))]


@pytest.fixture
def version(people, project, corpus) -> CorpusVersion:
    return freeze_version(project=project, actor=people.lead, note="First")


def ask(secret: str, path: str, verb: str = "get", **headers: str):
    return getattr(Client(), verb)(f"/api/v1/{path}", headers={"Authorization": f"Bearer {secret}", **headers})


def sentence(answer) -> str:
    """Return the one sentence of an error, which is all it holds."""
    told = json.loads(answer.content)
    assert list(told) == ["error"]
    assert told["error"].endswith((".", "?"))
    assert "\n" not in told["error"]
    return told["error"]


@pytest.fixture
def secret(people, project) -> str:
    return make_token(project, people.analyst)[1]


# --- What it tells --------------------------------------------------------------------------------------------------


def test_a_token_lists_versions_and_their_facts(people, project, version, secret) -> None:
    told = ask(secret, "token").json()
    assert (told["project"], told["scopes"]) == (project.slug, ["export_versions", "read_versions"])
    listed = ask(secret, "versions").json()
    assert (listed["total"], listed["offset"]) == (1, 0)
    [line] = listed["versions"]
    assert line["number"] == "1.0.0"
    assert line["sha256"] == version.manifest_sha256
    assert (line["cases"], line["findings"], line["waived_gates"], line["parent"]) == (3, 1, 0, None)
    facts = ask(secret, "versions/1.0.0").json()
    assert facts["size"] == len(bytes(version.manifest))
    assert facts["counts"]["cases_by_split"] == {"dev": 1, "test": 1, "holdout": 1}
    assert facts["problems"] == []
    assert facts["frozen_by"] == people.lead.name
    assert {gate["state"] for gate in facts["gates"]} == {"passed"}
    assert not Exposure.objects.filter(user=people.analyst).exists(), "numbers alone tell of no finding"


def test_a_long_list_is_paged(people, project, version, secret) -> None:
    Case.objects.filter(pk=version.cases.all()[0].case_id).update(tier="hard")
    freeze_version(project=project, actor=people.lead)
    first = ask(secret, "versions?limit=1").json()
    assert (first["total"], [line["number"] for line in first["versions"]]) == (2, ["2.0.0"])
    second = ask(secret, "versions?limit=1&offset=1").json()
    assert [(line["number"], line["parent"]) for line in second["versions"]] == [("1.0.0", None)]
    for wrong in ("limit=0", "limit=101", "limit=many", "offset=-1"):
        answer = ask(secret, f"versions?{wrong}")
        assert answer.status_code == 422
        assert wrong.partition("=")[0] in sentence(answer)


def test_the_manifest_leaves_as_it_was_frozen_and_counts_as_seen(people, project, corpus, version, secret) -> None:
    answer = ask(secret, "versions/1.0.0/manifest")
    assert answer.content == bytes(version.manifest)
    assert answer["ETag"] == f'"{version.manifest_sha256}"'
    assert answer["Content-Type"] == "application/json"
    assert answer["Cache-Control"] == "private, no-cache"
    seen = Exposure.objects.filter(user=people.analyst, channel=Channel.TOKEN, kind=ExposureKind.GOLDEN_FINDING)
    assert {row.case_id for row in seen} == {case.pk for case in corpus}
    assert AuditEntry.objects.filter(verb="version exported", actor=people.analyst).count() == 1


def test_who_has_the_bytes_is_told_so_and_nothing_is_recorded(people, version, secret) -> None:
    etag = ask(secret, "versions/1.0.0/manifest")["ETag"]
    before = AuditEntry.objects.count()
    again = ask(secret, "versions/1.0.0/manifest", **{"If-None-Match": etag})
    assert (again.status_code, again.content, again["ETag"]) == (304, b"", etag)
    assert AuditEntry.objects.count() == before
    other = ask(secret, "versions/1.0.0/manifest", **{"If-None-Match": '"0000"'})
    assert other.status_code == 200
    bundle = ask(secret, "versions/1.0.0/exports/expected")
    assert ask(secret, "versions/1.0.0/exports/expected", **{"If-None-Match": bundle["ETag"]}).status_code == 304
    # An entity tag opens nothing to a token that does not.
    assert ask("tst_wrong", "versions/1.0.0/manifest", **{"If-None-Match": etag}).status_code == 401


def test_two_versions_are_compared(people, project, corpus, version, secret) -> None:
    Case.objects.filter(pk=corpus[0].pk).update(tier="hard")
    freeze_version(project=project, actor=people.lead)
    told = ask(secret, "versions/1.0.0/compare/2.0.0").json()
    assert [change["edits"] for change in told["changes"]] == [[{"name": "tier", "before": None, "after": "hard"}]]
    seen = Exposure.objects.filter(user=people.analyst, channel=Channel.TOKEN)
    assert [row.case_id for row in seen] == [corpus[0].pk]
    assert ask(secret, "versions/1.0.0/compare/9.9.9").status_code == 404


def test_a_bundle_is_the_same_each_time_and_holds_the_holdout_only_by_name(corpus, version, secret) -> None:
    answer = ask(secret, "versions/1.0.0/exports/expected")
    data = answer.getvalue()
    assert answer["ETag"] == f'"{hashlib.sha256(data).hexdigest()}"'
    assert ask(secret, "versions/1.0.0/exports/expected").getvalue() == data

    def cases_in(content: bytes) -> set[str]:
        archive = zipfile.ZipFile(io.BytesIO(content))
        [name] = [name for name in archive.namelist() if name.endswith("expected.json")]
        return {entry["case_id"] for entry in json.loads(archive.read(name))}

    assert cases_in(data) == {corpus[0].public_id, corpus[2].public_id}
    every = ask(secret, "versions/1.0.0/exports/expected?split=dev&split=test&split=holdout")
    assert cases_in(every.getvalue()) == {case.public_id for case in corpus}


# --- Who gets in ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", PATHS)
def test_without_a_working_token_nothing_opens(people, project, version, client_of, path: str) -> None:
    over = make_token(project, people.analyst, days=-1)[1]
    revoked, secret = make_token(project, people.analyst)
    ApiToken.objects.filter(pk=revoked.pk).update(revoked_at=clock.now())
    for wrong in ("", "x", over, secret, revoked.secret_sha256, "é" * 64, "a b"):
        answer = ask(wrong, path)
        assert answer.status_code == 401, wrong
        assert answer["WWW-Authenticate"].startswith("Bearer")
        sentence(answer)
    # A session is no token: otherwise another site's page could ask in its name.
    assert client_of(people.lead).get(f"/api/v1/{path}").status_code == 401


def test_a_token_falls_with_its_person_and_its_project(people, project, version) -> None:
    secret = make_token(project, people.analyst)[1]
    people.analyst.is_active = False
    people.analyst.save()
    assert ask(secret, "versions").status_code == 401
    people.analyst.is_active = True
    people.analyst.save()
    assert ask(secret, "versions").status_code == 200
    archive_project(project=project, actor=people.lead)
    assert ask(secret, "versions").status_code == 401


def test_a_token_sees_no_more_than_its_person_does_now(people, project, version) -> None:
    secret = make_token(project, people.analyst)[1]
    assert ask(secret, "versions").json()["total"] == 1
    Membership.objects.filter(user=people.analyst).delete()
    assert ask(secret, "versions").json() == {"total": 0, "offset": 0, "versions": []}
    for path in PATHS[2:]:
        assert ask(secret, path).status_code == 404, path


def test_an_open_seat_hides_the_version_from_the_token_too(people, project, corpus, version) -> None:
    """B1: fetching by program opens no way around the blinding."""
    both = make_user("Lou Lead")
    make_member(project, both, Role.LEAD)
    secret = make_token(project, both)[1]
    assert ask(secret, "versions/1.0.0/manifest").status_code == 200
    other = make_user("Kim Lead")
    make_member(project, other, Role.LEAD)
    secret = make_token(project, other)[1]
    Case.objects.filter(pk=corpus[0].pk).update(state="stale")
    open_round(case=corpus[0], actor=people.lead, reviewers=[other, people.reviewer_c])
    assert ask(secret, "versions").json()["versions"] == []
    for path in PATHS[2:]:
        assert ask(secret, path).status_code == 404, path


def test_a_token_opens_its_own_project_alone(people, project, version) -> None:
    other = make_project(lead=people.lead, name="Other")
    secret = make_token(other, people.lead)[1]
    assert ask(secret, "token").json()["project"] == other.slug
    assert ask(secret, "versions").json()["versions"] == []
    for path in PATHS[2:]:
        for verb in VERBS:
            assert ask(secret, path, verb).status_code == 404, (path, verb)


def test_a_scope_that_is_missing_is_named(people, project, version) -> None:
    reads = make_token(project, people.analyst, [TokenScope.READ_VERSIONS])[1]
    assert ask(reads, "versions/1.0.0").status_code == 200
    for path in PATHS[3:]:
        answer = ask(reads, path)
        assert answer.status_code == 403
        assert "export versions" in sentence(answer)
    exports = make_token(project, people.analyst, [TokenScope.EXPORT_VERSIONS])[1]
    assert ask(exports, "versions/1.0.0/manifest").status_code == 200
    assert "read versions" in sentence(ask(exports, "versions"))


# --- How it refuses -------------------------------------------------------------------------------------------------


def test_every_error_is_one_sentence_in_json(people, project, version, secret) -> None:
    for path, status in (
        ("", 404),
        ("nothing/here", 404),
        ("versions/9.9.9", 404),
        ("versions/1.0.0/exports/nonsense", 404),
        ("versions/1.0.0/exports/manifest", 404),
        ("versions/%00", 404),
        ("versions?limit=%00", 400),
        ("versions/1.0.0/exports/dataset?split=secret", 422),
        ("versions/" + "9" * 5000, 404),
    ):
        answer = ask(secret, path)
        assert answer.status_code == status, path
        assert answer["Content-Type"].startswith("application/json"), path
        sentence(answer)
    for verb in VERBS[2:]:
        answer = ask(secret, "versions", verb)
        assert answer.status_code == 405
        assert answer["Allow"] == "GET"
        sentence(answer)
        # A 405 would tell that the number exists.
        assert ask(secret, "versions/1.0.0", verb).status_code == 404


def test_damaged_bytes_do_not_leave(people, project, version, secret) -> None:
    immutability.remove(connection, immutability.registered())
    CorpusVersion.objects.filter(pk=version.pk).update(manifest=bytes(version.manifest)[:-2] + b" }")
    for path in PATHS[3:]:
        answer = ask(secret, path)
        assert answer.status_code == 409
        assert "not those that were frozen" in sentence(answer)
    facts = ask(secret, "versions/1.0.0").json()
    assert facts["problems"]


def test_too_many_requests_are_told_when_to_come_back(version, secret, monkeypatch) -> None:
    monkeypatch.setattr("config.api.tokens.RATES", {"request": "2/m/key", "unknown": "2/m/ip"})
    assert [ask(secret, "token").status_code for _ in range(3)] == [200, 200, 429]
    answer = ask(secret, "token")
    assert answer["Retry-After"] == "60"
    sentence(answer)
    assert [ask("tst_guess", "token").status_code for _ in range(3)] == [401, 401, 429]


def test_the_first_use_of_a_day_is_noted(people, project, version) -> None:
    token, secret = make_token(project, people.analyst)
    ask(secret, "token")
    token.refresh_from_db()
    assert token.last_used_on == clock.now().date()


def test_the_interface_describes_itself_and_shows_no_page_with_script(client) -> None:
    answer = client.get("/api/v1/openapi.json")
    assert answer.status_code == 200
    described = answer.json()["paths"]
    named = {reverse(f"api:{name}", kwargs=kwargs) for name, kwargs in API_ROWS.items()}
    assert {
        path.replace("{number}", "1.0.0").replace("{other}", "1.1.0").replace("{format_name}", "dataset")
        for path in described
    } == named - {
        "/api/v1/",
        "/api/v1/openapi.json",
    }
    assert all("GET" in "".join(operations).upper() for operations in described.values())
    assert "script-src 'self'" in answer["Content-Security-Policy"]
    assert client.get("/api/v1/docs").status_code == 404
    assert client.post("/api/v1/openapi.json").status_code == 405


WORDS = st.text(st.characters(codec="utf-8", exclude_characters="/?#"), min_size=1, max_size=30)


@pytest.mark.django_db
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    path=st.lists(
        st.one_of(st.sampled_from(["versions", "1.0.0", "exports", "dataset", "manifest"]), WORDS), max_size=5
    ),
    query=st.dictionaries(st.one_of(st.sampled_from(["split", "limit", "offset"]), WORDS), WORDS, max_size=3),
    verb=st.sampled_from(VERBS),
    knows=st.booleans(),
)
def test_no_request_breaks_it(version, secret, path, query, verb, knows) -> None:
    """Whatever is asked, the answer is a success or one sentence, and never a fault of the server."""
    cache.clear()
    address = "/".join(quote(part) for part in path) + ("?" + urlencode(query) if query else "")
    answer = ask(secret if knows else "tst_" + "0" * 64, address, verb)
    assert answer.status_code in {200, 304, 400, 401, 404, 405, 422}, address
    if answer.status_code >= 400 and verb != "head":
        sentence(answer)


@pytest.mark.django_db
def test_a_token_of_yesterday_ends_at_its_hour(people, project, version, monkeypatch) -> None:
    secret = make_token(project, people.analyst, days=1)[1]
    assert ask(secret, "token").status_code == 200
    later = clock.now() + timedelta(days=1, seconds=1)
    monkeypatch.setattr(clock, "now", lambda: later)
    assert ask(secret, "token").status_code == 401
