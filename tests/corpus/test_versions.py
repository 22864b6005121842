"""Freezing: what is planned, what stands in the way, and what is stored for good."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from django.db import connection, transaction

from corpus import ids, immutability
from corpus.domain.manifest import digest, parse_manifest, verify_manifest
from corpus.domain.vocabulary import CaseResult, CaseState, GoldenState, Side, Split
from corpus.models import (
    AuditEntry,
    Blob,
    Case,
    CorpusVersion,
    GoldenFinding,
    GuidelinesVersion,
    VersionCase,
    VersionFinding,
    VersionGate,
)
from corpus.selectors.quotes import CaseText
from corpus.services.golden import GoldenContent, create_finding, defect_values, latest_revision, retract, revise
from corpus.services.projects import add_version
from corpus.services.versions import FreezeRefused, GatesFailed, PlanChanged, freeze_version, plan_version
from labeling.domain.label_input import AnchorInput
from labeling.models import Disagreement
from labeling.services.adjudication import decide
from labeling.services.rounds import open_round, withdraw_case
from tests.factories import make_case, make_member, make_user
from tests.labeling.seats import DEFECT
from tests.labeling_factories import CHARGES_TWICE, LOST_GUARD, answer_seat, mark_complete, settle_case_with


@pytest.fixture
def pair(people):
    return [people.reviewer_a, people.reviewer_b]


@pytest.fixture
def corpus(people, project, pair) -> list[Case]:
    """A case with two findings and a clean one, both settled by agreement."""
    found = settle_case_with(make_case(project, split=Split.TEST), pair, labels=[CHARGES_TWICE, LOST_GUARD])
    clean = settle_case_with(make_case(project), pair)
    return [mark_complete(found), mark_complete(clean)]


def freeze(project, people, **options: object) -> CorpusVersion:
    return freeze_version(project=project, actor=people.lead, **options)


def gate(project, people, key: str, **options: object):
    plan = plan_version(project, actor=people.lead, **options)
    return next(each for each in plan.gates if each.key == key)


def confirm_again(case: Case) -> None:
    """Take a case back to settled, as a round that confirms it does."""
    Case.objects.filter(pk=case.pk).update(state=CaseState.SETTLED, stale_reason="")


def verify(path: Path, *options: str) -> tuple[int, dict]:
    done = subprocess.run(
        [sys.executable, "-m", "config.cli", "verify", str(path), *options],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return done.returncode, json.loads(done.stdout)


# --- What is planned ----------------------------------------------------------------------------------------------


def test_a_plan_says_what_would_be_frozen_and_stores_nothing(people, project, corpus) -> None:
    make_case(project)
    plan = plan_version(project, actor=people.lead)
    assert [record.case.public_id for record in plan.records] == sorted(case.public_id for case in corpus)
    assert plan.number == "1.0.0"
    assert all(gate.has_passed for gate in plan.gates)
    assert plan.counts.cases_by_result == {
        "defects": 1,
        "clean": 1,
        "no_finding_adjudicated": 0,
        "unresolved": 0,
    }
    assert plan.counts.required_by_severity == {"note": 0, "low": 0, "medium": 1, "high": 1, "critical": 0}
    assert plan.counts.required_by_split == {"dev": 0, "test": 2, "holdout": 0}
    assert plan.counts.required_by_category == {"concurrency": 1, "boundary": 1}
    assert (plan.changes, plan.refusal, plan.is_frozen_already) == ((), "", False)
    assert not CorpusVersion.objects.exists()


def test_planning_asks_a_number_of_questions_that_does_not_grow_with_the_cases(
    people, project, corpus, pair, django_assert_num_queries
) -> None:
    from django.test.utils import CaptureQueriesContext

    with CaptureQueriesContext(connection) as few:
        plan_version(project, actor=people.lead)
    for _ in range(5):
        settle_case_with(make_case(project), pair, labels=[CHARGES_TWICE])
    with CaptureQueriesContext(connection) as more:
        plan_version(project, actor=people.lead)
    assert len(more) == len(few)


# --- Freezing -----------------------------------------------------------------------------------------------------


def test_a_frozen_version_holds_its_cases_findings_gates_and_bytes(people, project, corpus) -> None:
    version = freeze(project, people, note="First version")
    data = bytes(version.manifest)
    manifest = parse_manifest(data)
    assert verify_manifest(data, version.manifest_sha256) == []
    assert (version.number, version.parent, version.note) == ("1.0.0", None, "First version")
    assert (version.frozen_by, manifest.project) == (people.lead, project.slug)
    assert [case.case_id for case in manifest.cases] == sorted(case.public_id for case in corpus)
    assert {row.case.public_id: row.case_sha256 for row in VersionCase.objects.select_related("case")} == {
        case.case_id: case.sha256 for case in manifest.cases
    }
    assert set(VersionFinding.objects.values_list("revision__finding__public_id", flat=True)) == {
        finding.finding_id for case in manifest.cases for finding in case.findings
    }
    assert list(VersionGate.objects.order_by("key").values_list("key", "has_passed", "waiver_reason")) == [
        (gate.key, True, "") for gate in manifest.gates
    ]
    entry = AuditEntry.objects.get(verb="version frozen")
    assert version.manifest_sha256 in entry.after
    assert (entry.actor, entry.project) == (people.lead, project)


def test_the_manifest_states_places_provenance_and_people_by_pseudonym(people, project, corpus, pair) -> None:
    version = freeze(project, people)
    manifest = parse_manifest(bytes(version.manifest))
    by_id = {case.case_id: case for case in manifest.cases}
    found, clean = (by_id[case.public_id] for case in corpus)
    finding = next(each for each in found.findings if each.category == "concurrency")
    (place,) = finding.anchors
    assert (place.path, place.side, place.ranges) == ("pay/retry.py", Side.NEW, ((10, 14),))
    assert place.quote_sha256 == CaseText(corpus[0]).quote("pay/retry.py", Side.NEW, 10, 14).quote_sha256
    assert place.blob_sha256 == next(file.new_blob_sha256 for file in found.files if file.new_path == "pay/retry.py")
    assert [(label.severity, label.category, label.answer) for label in finding.labels] == [
        ("high", "concurrency", "yes"),
        ("high", "concurrency", "yes"),
    ]
    assert len({label.reviewer for label in finding.labels}) == 2
    assert {label.reviewer for label in finding.labels} == {verdict.reviewer for verdict in found.verdicts}
    assert finding.accept_elements == ("the second charge", "the missing key")
    assert (clean.result, len(clean.clean_attested_by)) == (CaseResult.CLEAN, 2)
    assert found.patch_sha256 == corpus[0].patch.sha256
    assert found.files[0].hunks[0].number == 1
    text = bytes(version.manifest).decode()
    for person in (*pair, people.lead):
        assert person.name not in text
        assert person.public_id not in text
        assert person.email not in text


def test_pseudonyms_are_fresh_in_every_version(people, project, corpus, pair) -> None:
    first = parse_manifest(bytes(freeze(project, people).manifest))
    settle_case_with(make_case(project), pair)
    second = parse_manifest(bytes(freeze(project, people).manifest))

    def people_of(manifest) -> set[str]:
        return {verdict.reviewer for case in manifest.cases for verdict in case.verdicts}

    assert len(people_of(first)) == len(people_of(second)) == 2
    assert not people_of(first) & people_of(second)


def test_the_same_source_of_ids_gives_the_same_bytes(people, project, corpus) -> None:
    made = []
    for _ in range(2):
        with ids.seeded(11), transaction.atomic():
            made.append(bytes(freeze(project, people).manifest))
            transaction.set_rollback(True)
    assert made[0] == made[1]


def test_no_source_line_of_any_case_is_in_the_manifest(people, project, corpus, pair) -> None:
    fenced = replace(
        DEFECT,
        title="def total(order):",
        evidence="See:\n```\nreturn sum(item.price for item in order.items)\n```\nand time.sleep(2**attempt)",
        accept_elements="import time as told\nfor attempt in range(ATTEMPTS):",
        keywords="gateway.charge(order.total) retry",
    )
    settle_case_with(make_case(project), pair, labels=[fenced])
    text = bytes(freeze(project, people).manifest).decode()
    lines = set()
    for blob in Blob.objects.filter(is_binary=False):
        lines |= {line.strip() for line in bytes(blob.data).decode().splitlines()}
    source = {line for line in lines if len(line) >= 8 and not line.replace(" ", "").isalpha()}
    assert len(source) > 20
    strings = [value for value in _strings(json.loads(text)) if value != "pay/retry.py"]
    assert [line for line in source if any(line in value for value in strings)] == []
    assert "[code]" in text


def _strings(value: object):
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for member in value.values():
            yield from _strings(member)
    elif isinstance(value, list):
        for member in value:
            yield from _strings(member)


# --- Repeating, numbers, changes ----------------------------------------------------------------------------------


def test_freezing_twice_answers_the_same_version_and_stores_nothing(people, project, corpus) -> None:
    first = freeze(project, people)
    entries = AuditEntry.objects.count()
    assert plan_version(project, actor=people.lead).is_frozen_already
    again = freeze(project, people, expected_version="1.0.0", note="again")
    assert (again.pk, bytes(again.manifest)) == (first.pk, bytes(first.manifest))
    assert (CorpusVersion.objects.count(), AuditEntry.objects.count()) == (1, entries)


def test_a_number_given_by_hand_is_refused_where_it_differs(people, project, corpus, pair) -> None:
    with pytest.raises(FreezeRefused, match=r"2\.0\.0 was asked for, but what changed makes it 1\.0\.0"):
        freeze(project, people, expected_version="2.0.0")
    assert not CorpusVersion.objects.exists()
    freeze(project, people, expected_version="1.0.0")
    with pytest.raises(FreezeRefused, match=r"nothing changed since 1\.0\.0"):
        freeze(project, people, expected_version="1.0.1")
    settle_case_with(make_case(project), pair)
    with pytest.raises(FreezeRefused, match=r"makes it 1\.1\.0"):
        freeze(project, people, expected_version="1.0.1")
    assert freeze(project, people, expected_version="1.1.0").parent.number == "1.0.0"


def test_a_corrected_finding_is_a_new_revision_in_a_new_version_with_its_reason(people, project, corpus) -> None:
    first = freeze(project, people)
    before = bytes(first.manifest)
    finding = GoldenFinding.objects.get(revisions__title=CHARGES_TWICE.title)
    held = latest_revision(finding)
    revise(
        finding=finding,
        content=GoldenContent(
            defect={**defect_values(held), "severity": "critical"},
            category=held.category,
            confidence=held.confidence,
            anchors=tuple(held.anchors.all()),
        ),
        state=GoldenState.REQUIRED,
        provenance=held.provenance,
        decided_by=people.adjudicator,
        reason="Money is lost: return gateway.charge(order.total)",
    )
    plan = plan_version(project, actor=people.lead)
    assert plan.number == "2.0.0"
    second = freeze(project, people)
    (change,) = parse_manifest(bytes(second.manifest)).changes
    assert (change.kind, change.finding_id) == ("finding_edited", finding.public_id)
    assert (change.detail, change.reason) == ("revision, severity", "Money is lost: [code]")
    assert second.parent == first
    assert bytes(CorpusVersion.objects.get(pk=first.pk).manifest) == before


def test_an_editorial_edit_of_the_guidelines_is_a_patch_with_the_note_as_reason(people, project, corpus) -> None:
    freeze(project, people)
    add_version(
        GuidelinesVersion(text="Clearer words."),
        project=project,
        author=people.lead,
        edit_kind="editorial",
        note="Clearer words",
    )
    version = freeze(project, people)
    (change,) = parse_manifest(bytes(version.manifest)).changes
    assert version.number == "1.0.1"
    assert (change.kind, change.document, change.reason) == ("document_reworded", "guidelines", "Clearer words")


def test_a_withdrawn_case_leaves_a_tombstone_in_every_later_version(people, project, corpus, pair) -> None:
    freeze(project, people)
    gone = corpus[0]
    withdraw_case(case=gone, actor=people.lead, reason="A customer's token is in it")
    for number in ("2.0.0", "2.1.0"):
        version = freeze(project, people)
        manifest = parse_manifest(bytes(version.manifest))
        assert version.number == number
        assert [(stone.case_id, stone.reason) for stone in manifest.tombstones] == [
            (gone.public_id, "A customer's token is in it")
        ]
        settle_case_with(make_case(project), pair)


# --- Gates --------------------------------------------------------------------------------------------------------


def test_a_stale_case_is_refused_until_it_is_confirmed_or_left_out(people, project, corpus) -> None:
    Case.objects.filter(pk=corpus[0].pk).update(state=CaseState.STALE, stale_reason="The taxonomy changed")
    failing = gate(project, people, "settled")
    assert (failing.has_passed, failing.waivable, failing.detail) == (False, False, "1 of 2 cases")
    assert [(each.case_id, "The taxonomy changed" in each.reason) for each in failing.failing] == [
        (corpus[0].public_id, True)
    ]
    assert plan_version(project, actor=people.lead).number == ""
    with pytest.raises(GatesFailed, match="stale"):
        freeze(project, people, waivers={"settled": "Nobody has time"})
    assert not CorpusVersion.objects.exists()
    confirm_again(corpus[0])
    assert freeze(project, people).number == "1.0.0"


def test_a_case_of_the_last_version_that_is_labelled_again_does_not_drop_out_by_itself(people, project, corpus) -> None:
    freeze(project, people)
    case = corpus[0]
    Case.objects.filter(pk=case.pk).update(state=CaseState.STALE)
    open_round(case=case, actor=people.lead, reviewers=[people.reviewer_c, make_reviewer(project)])
    with pytest.raises(GatesFailed, match=r"settled\): 1 of 2 cases"):
        freeze(project, people)
    version = freeze(project, people, excluded=[case.public_id], note="Back when it is settled")
    (change,) = parse_manifest(bytes(version.manifest)).changes
    assert (version.number, change.kind, change.case_id) == ("2.0.0", "case_removed", case.public_id)
    assert change.reason == "Back when it is settled"


def make_reviewer(project):
    user = make_user("Dee Reviewer")
    make_member(project, user, "reviewer")
    return user


def test_without_a_clean_case_a_waiver_with_a_reason_is_needed(people, project, pair) -> None:
    settle_case_with(make_case(project), pair, labels=[CHARGES_TWICE])
    with pytest.raises(GatesFailed, match="false alarms cannot be measured"):
        freeze(project, people)
    with pytest.raises(GatesFailed):
        freeze(project, people, waivers={"clean_case": "   "})
    version = freeze(project, people, waivers={"clean_case": "Clean changes come next month"})
    row = version.gates.get(key="clean_case")
    assert (row.has_passed, row.waiver_reason) == (False, "Clean changes come next month")
    stated = next(gate for gate in parse_manifest(bytes(version.manifest)).gates if gate.key == "clean_case")
    assert (stated.state, stated.waiver_reason) == ("waived", "Clean changes come next month")


@pytest.mark.parametrize(
    ("waivers", "said"),
    [({"no_such_gate": "why"}, "There is no gate 'no_such_gate'"), ({"clean_case": "why"}, "needs no waiver")],
)
def test_a_waiver_that_waives_nothing_is_refused(people, project, corpus, waivers, said) -> None:
    with pytest.raises(FreezeRefused, match=said):
        freeze(project, people, waivers=waivers)


def test_a_place_that_no_longer_says_what_it_quotes_is_found(people, project, corpus) -> None:
    blob = Blob.objects.get(pk=corpus[0].files.get(new_path_text="pay/retry.py").new_blob_id)
    Blob.objects.filter(pk=blob.pk).update(data=bytes(blob.data).replace(b"ATTEMPTS", b"attempts"))
    failing = gate(project, people, "anchors")
    assert (failing.has_passed, failing.waivable) == (False, False)
    assert "Lines 10-14 of pay/retry.py on the new side do not say what the place quotes" in failing.failing[0].reason
    with pytest.raises(GatesFailed, match="1 of 2 places"):
        freeze(project, people)


def test_a_place_on_bytes_that_were_withdrawn_is_found(people, project, corpus) -> None:
    from corpus import clock

    Blob.objects.filter(pk=corpus[0].files.get(new_path_text="pay/totals.py").old_blob_id).update(
        data=b"", withdrawn_at=clock.now()
    )
    assert "withdrawn" in gate(project, people, "anchors").failing[0].reason


def test_two_required_findings_on_one_line_and_category_need_a_waiver(people, project, corpus, pair) -> None:
    finding = GoldenFinding.objects.get(revisions__title=CHARGES_TWICE.title)
    held = latest_revision(finding)
    twin = create_finding(
        case=finding.case,
        content=GoldenContent(
            defect=defect_values(held), category=held.category, confidence="high", anchors=tuple(held.anchors.all())
        ),
        state=GoldenState.REQUIRED,
        provenance="adjudicated",
        decided_by=people.adjudicator,
    )
    failing = gate(project, people, "distinct_places")
    assert not failing.has_passed
    assert len(failing.failing) == 1
    for part in (finding.public_id, twin.finding.public_id, "line 10 of pay/retry.py, new side"):
        assert part in failing.failing[0].reason
    assert freeze(project, people, waivers={"distinct_places": "Two defects"}).number == "1.0.0"
    retract(finding=twin.finding, actor=people.lead)
    assert gate(project, people, "distinct_places").has_passed


def test_a_family_in_two_splits_is_flagged(people, project, corpus, pair) -> None:
    settle_case_with(make_case(project, family="fees", split=Split.DEV), pair)
    others = [people.reviewer_c, make_reviewer(project)]
    settle_case_with(make_case(project, family="fees", split=Split.HOLDOUT), others)
    failing = gate(project, people, "one_split")
    assert (failing.has_passed, len(failing.failing)) == (False, 2)
    assert "The family fees lies in dev and holdout" in failing.failing[0].reason


def test_several_ranges_of_one_place_are_one_anchor_with_one_quote(people, project, pair) -> None:
    anchors = (
        AnchorInput(role="primary", path="pay/retry.py", side="new", first_line=10, last_line=10),
        AnchorInput(role="primary", path="pay/retry.py", side="new", first_line=13, last_line=14),
        AnchorInput(role="supporting", path="README.md", side="new", first_line=1, last_line=1),
        AnchorInput(role="alternate", group=3, level="file", path="pay/totals.py", side="new"),
    )
    case = settle_case_with(make_case(project), pair, labels=[replace(DEFECT, anchors=anchors)])
    version = freeze(project, people, waivers={"clean_case": "Only places are looked at"})
    (finding,) = parse_manifest(bytes(version.manifest)).cases[0].findings
    shape = [(anchor.role, anchor.level, anchor.group, anchor.path, anchor.ranges) for anchor in finding.anchors]
    assert shape == [
        ("primary", "lines", 0, "pay/retry.py", ((10, 10), (13, 14))),
        ("alternate", "file", 1, "pay/totals.py", ()),
        ("supporting", "lines", 0, "README.md", ((1, 1),)),
    ]
    lines = CaseText(case).side_file("pay/retry.py", Side.NEW).lines
    assert finding.anchors[0].quote_sha256 == digest(lines[10] + lines[13] + lines[14])


def test_a_case_of_a_bare_patch_is_frozen_without_blobs(people, project, pair) -> None:
    case = settle_case_with(make_case(project, patch_only=True), pair, labels=[CHARGES_TWICE])
    version = freeze(project, people, waivers={"clean_case": "One case"})
    (stated,) = parse_manifest(bytes(version.manifest)).cases
    assert (stated.base_tree_sha256, stated.files[0].new_blob_sha256) == (None, None)
    (place,) = stated.findings[0].anchors
    assert place.blob_sha256 is None
    assert place.quote_sha256 == CaseText(case).quote("pay/retry.py", Side.NEW, 10, 14).quote_sha256
    assert stated.findings[0].evidence == "The call `[code]` is made again without the key"


# --- Who may ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("who", ["reviewer_a", "adjudicator", "analyst", "outsider"])
def test_nobody_but_a_lead_freezes(people, project, corpus, who) -> None:
    with pytest.raises(FreezeRefused, match="Only a lead"):
        freeze_version(project=project, actor=getattr(people, who))
    assert not CorpusVersion.objects.exists()


def test_a_lead_with_an_open_seat_sees_a_plan_without_the_case_and_may_not_freeze(
    people, project, corpus, pair
) -> None:
    labeller = make_user("Lou Lead")
    make_member(project, labeller, "lead")
    freeze(project, people)
    seen = plan_version(project, actor=labeller)
    assert seen.refusal == ""
    Case.objects.filter(pk=corpus[0].pk).update(state=CaseState.STALE)
    open_round(case=corpus[0], actor=people.lead, reviewers=[labeller, people.reviewer_c])
    plan = plan_version(project, actor=labeller)
    assert [record.case.public_id for record in plan.records] == [corpus[1].public_id]
    assert (plan.number, plan.changes, plan.parent) == ("", (), None)
    assert plan.refusal.startswith("You hold an open seat in this project")
    with pytest.raises(FreezeRefused, match="You hold an open seat"):
        freeze_version(project=project, actor=labeller, excluded=[])
    with pytest.raises(FreezeRefused, match="is not among the cases"):
        plan_version(project, actor=labeller, excluded=[corpus[0].public_id])


def test_a_confirmation_of_another_plan_is_refused(people, project, corpus, pair) -> None:
    seen = plan_version(project, actor=people.lead)
    settle_case_with(make_case(project), pair)
    with pytest.raises(PlanChanged):
        freeze(project, people, expected_plan=seen.fingerprint)
    assert not CorpusVersion.objects.exists()
    now = plan_version(project, actor=people.lead)
    assert freeze(project, people, expected_plan=now.fingerprint).number == "1.0.0"


# --- Tampering ----------------------------------------------------------------------------------------------------


def test_tampering_past_the_triggers_is_found_by_the_published_digest(people, project, corpus, tmp_path) -> None:
    from corpus.domain.manifest import build_manifest
    from corpus.domain.manifest_records import ManifestDraft

    version = freeze(project, people)
    published = version.manifest_sha256
    honest = tmp_path / "honest.json"
    honest.write_bytes(bytes(version.manifest))
    assert verify(honest, "--digest", published)[0] == 0
    # Somebody who may drop triggers rewrites a severity and every digest inside.
    manifest = parse_manifest(bytes(version.manifest))
    index = next(i for i, case in enumerate(manifest.cases) if case.findings)
    case = manifest.cases[index]
    forged_case = replace(case, findings=(replace(case.findings[0], severity="low"), *case.findings[1:]))
    cases = (*manifest.cases[:index], forged_case, *manifest.cases[index + 1 :])
    kept = {name: getattr(manifest, name) for name in ManifestDraft.__dataclass_fields__}
    forged = build_manifest(ManifestDraft(**(kept | {"cases": cases})))
    immutability.remove(connection, immutability.GUARDS)
    CorpusVersion.objects.filter(pk=version.pk).update(manifest=forged, manifest_sha256=digest(forged))
    immutability.restore(connection, immutability.GUARDS)
    path = tmp_path / "forged.json"
    path.write_bytes(bytes(CorpusVersion.objects.get().manifest))
    assert verify(path)[0] == 0, "the forger recomputed every digest inside"
    status, answer = verify(path, "--digest", published)
    assert (status, answer["ok"]) == (1, False)
    assert answer["problems"][0]["place"] == "digest"


def test_one_flipped_byte_fails_verification_wherever_it_is(people, project, corpus, tmp_path) -> None:
    data = bytes(freeze(project, people).manifest)
    path = tmp_path / "flipped.json"
    for at in range(7, len(data), len(data) // 12):
        path.write_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
        done = subprocess.run(
            [sys.executable, "-m", "config.cli", "verify", str(path)], capture_output=True, check=False
        )
        assert done.returncode in (1, 2), f"byte {at}"


def test_a_version_whose_bytes_were_changed_is_no_parent(people, project, corpus, pair) -> None:
    version = freeze(project, people)
    immutability.remove(connection, immutability.GUARDS)
    CorpusVersion.objects.filter(pk=version.pk).update(manifest=bytes(version.manifest) + b" ")
    immutability.restore(connection, immutability.GUARDS)
    settle_case_with(make_case(project), pair)
    with pytest.raises(FreezeRefused, match=r"version 1\.0\.0 are not those that were frozen"):
        freeze(project, people)


# --- After adjudication -------------------------------------------------------------------------------------------


def test_decisions_are_stated_with_kinds_reason_and_a_pseudonym_of_the_adjudicator(people, project, pair) -> None:
    """One finding on which category and severity differed, one that A alone saw and that was kept as a decoy."""
    settle_case_with(make_case(project), pair)
    milder = replace(CHARGES_TWICE, severity="low", category="error_handling")
    case = make_case(project)
    round_ = open_round(case=case, actor=people.lead, reviewers=pair)
    for seat, labels in zip(round_.assignments.order_by("slot"), ([CHARGES_TWICE, LOST_GUARD], [milder]), strict=True):
        answer_seat(seat, labels=labels)
    for disagreement in Disagreement.objects.order_by("pk"):
        alone = disagreement.kind == "existence"
        decide(
            disagreement=disagreement,
            adjudicator=people.adjudicator,
            outcome="reject" if alone else "accept_a",
            golden_state="decoy" if alone else "",
            reason_code="out_of_contract" if alone else "severity_rule",
            rationale="See return gateway.charge(order.total): money is lost",
            confidence="high",
            expected_version=disagreement.version,
        )
    case.refresh_from_db()
    assert case.state == CaseState.SETTLED
    manifest = parse_manifest(bytes(freeze(project, people).manifest))
    stated = next(each for each in manifest.cases if each.case_id == case.public_id)
    by_state = {finding.state: finding for finding in stated.findings}
    assert set(by_state) == {GoldenState.REQUIRED, GoldenState.DECOY}
    (decision,) = by_state[GoldenState.REQUIRED].adjudications
    assert (decision.kinds, decision.outcome) == (("category", "severity"), "accept_a")
    assert (decision.reason_code, decision.confidence) == ("severity_rule", "high")
    assert decision.rationale == "See [code]: money is lost"
    assert {label.severity for label in by_state[GoldenState.REQUIRED].labels} == {"high", "low"}
    (rejection,) = by_state[GoldenState.DECOY].adjudications
    assert (rejection.kinds, rejection.outcome) == (("existence",), "reject")
    assert decision.adjudicator == rejection.adjudicator
    assert decision.adjudicator not in {verdict.reviewer for verdict in stated.verdicts}
    assert people.adjudicator.name not in bytes(CorpusVersion.objects.get().manifest).decode()
