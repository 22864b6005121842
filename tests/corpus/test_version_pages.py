"""Pages of versions: who sees them, what they say, and what leaves through them."""

from __future__ import annotations

import csv
import hashlib
import io
import re
import zipfile

import pytest
from django.db import connection
from django.urls import reverse

from corpus import immutability
from corpus.domain.vocabulary import CaseState, Channel, ExposureKind, Role, Split
from corpus.models import Case, CorpusVersion, Exposure, GoldenFinding
from corpus.services.golden import GoldenContent, defect_values, latest_revision, revise
from corpus.services.versions import freeze_version, plan_version
from labeling.services.rounds import open_round
from tests.factories import make_case, make_member, make_project, make_user
from tests.labeling.helpers import shown
from tests.labeling_factories import CHARGES_TWICE, mark_complete, settle_case_with


@pytest.fixture
def pair(people):
    return [people.reviewer_a, people.reviewer_b]


@pytest.fixture
def corpus(people, project, pair) -> list[Case]:
    found = settle_case_with(make_case(project, split=Split.TEST), pair, labels=[CHARGES_TWICE])
    return [mark_complete(found), mark_complete(settle_case_with(make_case(project), pair))]


@pytest.fixture
def version(people, project, corpus) -> CorpusVersion:
    return freeze_version(project=project, actor=people.lead, note="First <b>version</b>")


def addresses(project, number: str = "1.0.0") -> dict[str, str]:
    return {
        "version_list": reverse("version_list", args=[project.slug]),
        "version_list_csv": reverse("version_list_csv", args=[project.slug]),
        "version_freeze": reverse("version_freeze", args=[project.slug]),
        "version_page": reverse("version_page", args=[project.slug, number]),
        "version_manifest": reverse("version_manifest", args=[project.slug, number]),
        "version_export": reverse("version_export", args=[project.slug, number, "dataset"]),
        "version_export_facts": reverse("version_export_facts", args=[project.slug, number, "dataset"]),
    }


# --- Who sees them ------------------------------------------------------------------------------------------------

FOR_ANALYSTS = {"version_list", "version_list_csv", "version_page", "version_manifest", "version_export"} | {
    "version_export_facts"
}


def test_each_role_reaches_what_is_theirs_and_nothing_else_on_any_verb(people, project, version, client_of) -> None:
    for name, address in addresses(project).items():
        allowed = {"lead"} | ({"analyst"} if name in FOR_ANALYSTS else set())
        for who in ("lead", "analyst", "reviewer_a", "adjudicator", "outsider"):
            client = client_of(getattr(people, who))
            if who in allowed:
                assert client.get(address).status_code == 200, (who, name)
                continue
            for verb in ("get", "head", "post", "put", "patch", "delete", "options"):
                assert getattr(client, verb)(address).status_code == 404, (who, name, verb)


def test_versions_that_are_not_there_answer_404_on_every_verb(people, project, version, client_of) -> None:
    client = client_of(people.lead)
    other = make_project(lead=make_user("Other Lead"), name="Other")
    foreign = [*addresses(project, "9.9.9").items(), *addresses(other).items()]
    for name, address in foreign:
        if name in ("version_list", "version_list_csv", "version_freeze") and project.slug in address.split("/"):
            continue
        for verb in ("get", "post", "put", "delete"):
            assert getattr(client, verb)(address).status_code == 404, (address, verb)
    for format_name in ("nonsense", "manifest"):
        assert client.get(reverse("version_export", args=[project.slug, "1.0.0", format_name])).status_code == 404


def test_reading_pages_refuse_to_be_written_to(people, project, version, client_of) -> None:
    client = client_of(people.lead)
    for name, address in addresses(project).items():
        if name != "version_freeze":
            expected = 405 if name in ("version_list", "version_list_csv") else 404
            assert client.post(address).status_code == expected, name


def test_a_version_with_a_case_of_ones_open_seat_is_not_there(people, project, version, corpus, client_of) -> None:
    labeller = make_user("Lou Lead")
    make_member(project, labeller, Role.LEAD)
    Case.objects.filter(pk=corpus[0].pk).update(state=CaseState.STALE)
    open_round(case=corpus[0], actor=people.lead, reviewers=[labeller, people.reviewer_c])
    client = client_of(labeller)
    for name, address in addresses(project).items():
        expected = 200 if name in ("version_list", "version_list_csv", "version_freeze") else 404
        assert client.get(address).status_code == expected, name
    assert "Nothing is frozen yet" in shown(client.get(addresses(project)["version_list"]))
    plan = shown(client.get(addresses(project)["version_freeze"]))
    assert "You hold an open seat in this project" in plan
    assert corpus[0].public_id not in plan
    assert "1.0.0" not in plan


def test_whether_ones_own_case_was_frozen_changes_no_byte_of_the_plan(
    people, project, corpus, client_of, monkeypatch
) -> None:
    """Two worlds: in one the case on which the lead sits now stood in a version, in the other nothing was frozen."""
    monkeypatch.setattr("django.middleware.csrf.get_random_string", lambda length, allowed_chars="a": "a" * length)
    labeller = make_user("Lou Lead")
    make_member(project, labeller, Role.LEAD)
    Case.objects.filter(pk=corpus[0].pk).update(state=CaseState.STALE, result="")
    open_round(case=corpus[0], actor=people.lead, reviewers=[labeller, people.reviewer_c])
    client = client_of(labeller)
    asked = [addresses(project)["version_list"], addresses(project)["version_freeze"]]
    plain = [client.get(address).content for address in asked]
    Case.objects.filter(pk=corpus[0].pk).update(state=CaseState.SETTLED, result="defects")
    assert freeze_version(project=project, actor=people.lead).number == "1.0.0"
    Case.objects.filter(pk=corpus[0].pk).update(state=CaseState.LABELLING)
    assert [client.get(address).content for address in asked] == plain


# --- What they say ------------------------------------------------------------------------------------------------


def test_the_list_shows_counts_and_digest_in_a_constant_number_of_queries_without_the_bytes(
    people, project, version, corpus, pair, client_of
) -> None:
    from django.test.utils import CaptureQueriesContext

    client = client_of(people.analyst)
    address = addresses(project)["version_list"]
    client.get(address)
    with CaptureQueriesContext(connection) as few:
        first = shown(client.get(address))
    assert re.search(r"1\.0\.0 2 1 all passed First", first)
    assert version.manifest_sha256[:12] in first
    assert not any('"manifest"' in query["sql"].split("WHERE")[0] for query in few)
    settle_case_with(make_case(project), pair)
    freeze_version(project=project, actor=people.lead)
    with CaptureQueriesContext(connection) as more:
        assert "1.1.0" in shown(client.get(address))
    assert len(more) == len(few)


def test_the_list_leaves_as_csv(people, project, version, client_of) -> None:
    answer = client_of(people.analyst).get(addresses(project)["version_list_csv"])
    rows = list(csv.DictReader(io.StringIO(answer.getvalue().decode())))
    assert [(row["number"], row["cases"], row["golden findings"], row["sha256"]) for row in rows] == [
        ("1.0.0", "2", "1", version.manifest_sha256)
    ]


def test_a_version_reads_like_a_receipt(people, project, version, client_of) -> None:
    answer = client_of(people.analyst).get(addresses(project)["version_page"])
    text = shown(answer)
    for said in (
        "Version 1.0.0",
        "by Lea Lead",
        version.manifest_sha256,
        "bytes as frozen",
        "First <b>version</b>",
        "Cases by result defects 1 clean 1",
        "Required findings by severity critical 0 high 1 medium 0 low 0 note 0 required 1",
        "Required findings by category concurrency 1",
        "✓ passed Every case is settled and not stale: 2 of 2 cases",
        "The first version of this project.",
        f"touchstone verify {project.slug}-1.0.0.json --digest {version.manifest_sha256}",
    ):
        assert said in text, said
    assert "<b>version</b>" not in answer.content.decode()


def test_a_waived_gate_and_the_changes_are_shown_with_their_reasons(people, project, corpus, client_of) -> None:
    first = freeze_version(project=project, actor=people.lead)
    finding = GoldenFinding.objects.get()
    held = latest_revision(finding)
    revise(
        finding=finding,
        content=GoldenContent(
            defect={**defect_values(held), "severity": "low"},
            category=held.category,
            confidence="high",
            anchors=tuple(held.anchors.all()),
        ),
        state="required",
        provenance="adjudicated",
        decided_by=people.adjudicator,
        reason="Nobody loses money",
    )
    freeze_version(
        project=project,
        actor=people.lead,
        excluded=[corpus[1].public_id],
        waivers={"clean_case": "It comes back"},
        note="Left out for now",
    )
    text = shown(client_of(people.analyst).get(addresses(project, "2.0.0")["version_page"]))
    assert f"Changes since {first.number}" in text
    assert (
        f"finding edited {corpus[0].public_id} {finding.public_id} provenance, revision, severity Nobody loses money"
        in text
    )
    assert f"case removed {corpus[1].public_id} Left out for now" in text
    assert "! waived At least one case is clean: no case is clean, so false alarms cannot be measured. It comes" in text
    seen = Exposure.objects.filter(user=people.analyst, channel=Channel.PAGE, kind=ExposureKind.GOLDEN_FINDING)
    assert [row.case for row in seen] == [corpus[0]]


def test_damaged_bytes_are_said_and_do_not_leave(people, project, version, client_of) -> None:
    immutability.remove(connection, immutability.GUARDS)
    CorpusVersion.objects.filter(pk=version.pk).update(manifest=b"no manifest")
    immutability.restore(connection, immutability.GUARDS)
    client = client_of(people.lead)
    page = client.get(addresses(project)["version_page"])
    assert page.status_code == 200
    assert "damaged" in shown(page)
    assert "/manifest.json" not in page.content.decode()
    assert "/exports/" not in page.content.decode()
    for name in ("version_manifest", "version_export"):
        answer = client.get(addresses(project)[name])
        assert (answer.status_code, answer["Content-Type"]) == (409, "text/plain; charset=utf-8")
        assert b"are not those that were frozen" in answer.content
    assert "are not those that were frozen" in client.get(addresses(project)["version_export_facts"]).content.decode()


# --- What leaves --------------------------------------------------------------------------------------------------


def test_the_manifest_leaves_as_stored_bytes_under_its_digest(people, project, version, corpus, client_of) -> None:
    client = client_of(people.analyst)
    answer = client.get(addresses(project)["version_manifest"])
    assert answer.content == bytes(version.manifest)
    assert answer["ETag"] == f'"{version.manifest_sha256}"'
    assert answer["Content-Type"] == "application/json"
    assert answer["Content-Disposition"] == f'attachment; filename="{project.slug}-1.0.0.json"'
    again = client.get(addresses(project)["version_manifest"], headers={"If-None-Match": answer["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    seen = Exposure.objects.filter(
        user=people.analyst, kind=ExposureKind.GOLDEN_FINDING, channel=Channel.DOWNLOAD
    ).values_list("case__public_id", flat=True)
    assert set(seen) == {case.public_id for case in corpus}


@pytest.mark.parametrize("format_name", ["fixtures", "dataset", "expected", "inputs"])
def test_an_export_leaves_as_a_zip_with_the_size_and_hash_that_were_shown(
    people, project, version, client_of, format_name
) -> None:
    client = client_of(people.lead)
    facts = client.get(reverse("version_export_facts", args=[project.slug, "1.0.0", format_name])).content.decode()
    answer = client.get(reverse("version_export", args=[project.slug, "1.0.0", format_name]))
    data = answer.getvalue()
    digest = hashlib.sha256(data).hexdigest()
    assert digest in facts
    assert answer["ETag"] == f'"{digest}"'
    assert answer["Content-Disposition"] == f'attachment; filename="{project.slug}-1.0.0-{format_name}.zip"'
    archive = zipfile.ZipFile(io.BytesIO(data))
    assert archive.testzip() is None
    names = archive.namelist()
    assert names[-1] == f"{project.slug}-1.0.0-{format_name}/MANIFEST.json"
    assert {entry.date_time for entry in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}


def test_the_holdout_leaves_only_when_the_address_names_it(people, project, pair, client_of) -> None:
    held = mark_complete(settle_case_with(make_case(project, split=Split.HOLDOUT), pair, labels=[CHARGES_TWICE]))
    mark_complete(settle_case_with(make_case(project), pair))
    freeze_version(project=project, actor=people.lead)
    client = client_of(people.lead)
    address = reverse("version_export", args=[project.slug, "1.0.0", "dataset"])
    assert held.public_id.encode() not in client.get(address).getvalue()
    assert held.public_id.encode() not in client.get(address + "?split=nonsense").getvalue()
    assert held.public_id.encode() in client.get(address + "?split=holdout").getvalue()
    page = client.get(addresses(project)["version_page"] + "?split=holdout").content.decode()
    assert f"{address}?split=holdout" in page


# --- Freezing -----------------------------------------------------------------------------------------------------


def form_of(page) -> dict[str, str]:
    """Return the hidden fields of the confirmation as a browser would send them."""
    html = page.content.decode()
    form = html[html.index('<form id="freeze"') : html.index("</form>", html.index('<form id="freeze"'))]
    return dict(re.findall(r'<input type="hidden" name="(plan|version|without)" value="([^"]*)"', form))


def test_a_lead_sees_the_plan_and_freezes_it(people, project, corpus, client_of) -> None:
    client = client_of(people.lead)
    address = addresses(project)["version_freeze"]
    page = client.get(address)
    text = shown(page)
    for said in (
        "Plan version 1.0.0",
        "2 cases would be frozen",
        "✓ passed At least one case is clean",
        "Freeze 1.0.0",
    ):
        assert said in text, said
    assert not CorpusVersion.objects.exists()
    answer = client.post(address, {**form_of(page), "note": "First"}, follow=True)
    version = CorpusVersion.objects.get()
    assert answer.redirect_chain == [(addresses(project)["version_page"], 302)]
    assert "1.0.0 is frozen." in answer.content.decode()
    assert (version.number, version.note, version.frozen_by) == ("1.0.0", "First", people.lead)
    again = client.get(address)
    assert "Nothing changed since 1.0.0 , so there is nothing to freeze." in shown(again)
    assert "Freeze 1.0.0" not in shown(again)
    repeated = client.post(address, {"note": "First"} | form_of(page), follow=True)
    assert repeated.status_code == 409
    assert CorpusVersion.objects.count() == 1


def test_repeating_the_confirmation_answers_the_same_version(people, project, corpus, client_of) -> None:
    client = client_of(people.lead)
    address = addresses(project)["version_freeze"]
    client.post(address, form_of(client.get(address)))
    answer = client.post(address, {"plan": plan_version(project, actor=people.lead).fingerprint}, follow=True)
    assert "Nothing changed since 1.0.0, which stands." in answer.content.decode()
    assert CorpusVersion.objects.count() == 1


def test_a_missing_waiver_is_asked_for_and_what_was_typed_is_kept(people, project, pair, client_of) -> None:
    settle_case_with(make_case(project), pair, labels=[CHARGES_TWICE])
    client = client_of(people.lead)
    address = addresses(project)["version_freeze"]
    page = client.get(address)
    assert "! needs a waiver" in shown(page)
    refused = client.post(address, {**form_of(page), "note": "My <note>", "waive-clean_case": " "})
    assert refused.status_code == 422
    assert "mend it, or give the reason for a waiver" in shown(refused)
    assert "My &lt;note&gt;" in refused.content.decode()
    assert not CorpusVersion.objects.exists()
    client.post(address, {**form_of(refused), "waive-clean_case": "Next month"})
    assert CorpusVersion.objects.get().gates.get(key="clean_case").waiver_reason == "Next month"


def test_a_stale_case_blocks_the_page_until_it_is_left_out(people, project, version, corpus, client_of) -> None:
    stale = corpus[1]
    Case.objects.filter(pk=stale.pk).update(state=CaseState.STALE, stale_reason="Guidelines 2")
    client = client_of(people.lead)
    address = addresses(project)["version_freeze"]
    page = client.get(address)
    assert f"{stale.public_id} : It is stale: Guidelines 2. Confirm it in a new round, or leave it out." in shown(page)
    assert "1 gate has not passed and cannot be waived." in shown(page)
    assert client.post(address, form_of(page)).status_code == 422
    without = client.get(address, {"without": stale.public_id})
    assert "Plan version 2.0.0" in shown(without)
    assert f"case removed {stale.public_id}" in shown(without)
    fields = form_of(without)
    assert fields["without"] == stale.public_id
    client.post(address, {**fields, "waive-clean_case": "It was the only one", "note": "Stale"})
    assert CorpusVersion.objects.get(number="2.0.0").cases.count() == 1


def test_a_plan_that_changed_meanwhile_is_shown_again_and_not_frozen(people, project, corpus, pair, client_of) -> None:
    client = client_of(people.lead)
    address = addresses(project)["version_freeze"]
    page = client.get(address)
    settle_case_with(make_case(project), pair)
    answer = client.post(address, {**form_of(page), "note": "Typed"})
    assert answer.status_code == 409
    assert "Something else would be frozen now than you looked at" in shown(answer)
    assert "3 cases would be frozen" in shown(answer)
    assert "Typed" in answer.content.decode()
    assert not CorpusVersion.objects.exists()


@pytest.mark.parametrize(
    "sent",
    [
        {"without": "<script>"},
        {"without": "x" * 5000},
        {"version": "9" * 400},
        {"note": "a" * 2001},
        {"note": "a\x00b"},
        {"waive-clean_case": "not needed"},
        {"waive-nonsense": "why"},
    ],
)
def test_hostile_fields_are_answered_and_store_nothing_wrong(people, project, corpus, client_of, sent) -> None:
    client = client_of(people.lead)
    address = addresses(project)["version_freeze"]
    answer = client.post(address, {**form_of(client.get(address)), **sent})
    assert answer.status_code in (302, 422)
    if set(sent) & {"waive-clean_case", "waive-nonsense"}:
        # A waiver that the page did not ask for is no part of the form.
        assert not CorpusVersion.objects.get().gates.filter(has_passed=False).exists()
    else:
        assert not CorpusVersion.objects.exists()


def test_looking_at_a_plan_that_names_findings_is_an_exposure(people, project, version, corpus, client_of) -> None:
    client = client_of(people.lead)
    address = addresses(project)["version_freeze"]
    client.get(address)
    rows = Exposure.objects.filter(user=people.lead, kind=ExposureKind.GOLDEN_FINDING)
    assert not rows.exists()
    finding = GoldenFinding.objects.get()
    held = latest_revision(finding)
    revise(
        finding=finding,
        content=GoldenContent(
            defect={**defect_values(held), "severity": "low"},
            category=held.category,
            confidence="high",
            anchors=tuple(held.anchors.all()),
        ),
        state="required",
        provenance="adjudicated",
        decided_by=people.adjudicator,
    )
    assert finding.public_id in shown(client.get(address))
    assert [(row.case, row.channel) for row in rows] == [(corpus[0], Channel.PAGE)]


# --- Two versions compared ------------------------------------------------------------------------------------------


@pytest.fixture
def second(people, project, corpus, version) -> CorpusVersion:
    """The version after, in which a severity was corrected."""
    finding = GoldenFinding.objects.get(case=corpus[0])
    held = latest_revision(finding)
    revise(
        finding=finding,
        content=GoldenContent(
            defect={**defect_values(held), "severity": "low"},
            category=held.category,
            confidence="high",
            anchors=tuple(held.anchors.all()),
        ),
        state="required",
        provenance="adjudicated",
        decided_by=people.adjudicator,
        reason="Nobody <b>loses</b> money",
    )
    return freeze_version(project=project, actor=people.lead)


def test_two_versions_are_compared_with_both_values_and_seen(people, project, corpus, second, client_of) -> None:
    client = client_of(people.analyst)
    listed = shown(client.get(reverse("version_list", args=[project.slug])))
    assert "Compare two" in listed
    chosen = client.get(reverse("version_compare_choose", args=[project.slug]), {"from": "1.0.0", "to": "2.0.0"})
    address = reverse("version_compare", args=[project.slug, "1.0.0", "2.0.0"])
    assert (chosen.status_code, chosen["Location"]) == (302, address)
    page = shown(client.get(address))
    finding = GoldenFinding.objects.get(case=corpus[0])
    assert finding.public_id in page
    assert "severity: high → low" in page
    assert "Nobody <b>loses</b> money" in page
    assert "a major step" in page
    assert "1 case has the same truth" in page
    rows = Exposure.objects.filter(user=people.analyst, kind=ExposureKind.GOLDEN_FINDING)
    assert {(row.case_id, row.channel) for row in rows} == {(corpus[0].pk, Channel.PAGE)}
    # Backwards, and against itself.
    assert "severity: low → high" in shown(
        client.get(reverse("version_compare", args=[project.slug, "2.0.0", "1.0.0"]))
    )
    assert "Nothing differs" in shown(client.get(reverse("version_compare", args=[project.slug, "2.0.0", "2.0.0"])))


def test_a_comparison_leaves_as_json_and_as_markdown(people, project, corpus, second, client_of) -> None:
    client = client_of(people.analyst)
    pair = [project.slug, "1.0.0", "2.0.0"]
    told = client.get(reverse("version_compare_as", args=[*pair, "json"])).json()
    [change] = told["changes"]
    assert {"name": "severity", "before": "high", "after": "low"} in change["edits"]
    text = client.get(reverse("version_compare_as", args=[*pair, "markdown"]))
    assert text["Content-Type"].startswith("text/markdown")
    assert "severity: high → low" in text.content.decode()
    assert client.get(reverse("version_compare_as", args=[*pair, "pdf"])).status_code == 404
    assert Exposure.objects.filter(user=people.analyst, channel=Channel.DOWNLOAD).count() == 1


def test_numbers_that_are_not_there_are_compared_with_nothing(people, project, second, client_of) -> None:
    client = client_of(people.lead)
    for pair in (("1.0.0", "9.9.9"), ("9.9.9", "1.0.0")):
        assert client.get(reverse("version_compare", args=[project.slug, *pair])).status_code == 404
    for query in ({}, {"from": "1.0.0"}, {"from": "1.0.0", "to": "https://example.org"}):
        answer = client.get(reverse("version_compare_choose", args=[project.slug]), query)
        assert answer["Location"] == reverse("version_list", args=[project.slug])


def test_damaged_versions_are_not_compared(people, project, second, version, client_of) -> None:
    immutability.remove(connection, immutability.registered())
    CorpusVersion.objects.filter(pk=version.pk).update(manifest=b"{}")
    answer = client_of(people.lead).get(reverse("version_compare", args=[project.slug, "1.0.0", "2.0.0"]))
    assert answer.status_code == 409
    assert "version 1.0.0 are not those that were frozen" in shown(answer)
