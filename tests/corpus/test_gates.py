"""Gates that look at the corpus as a whole: each fails with a reason, is mended or waived, and passes again."""

from __future__ import annotations

from dataclasses import asdict, replace

import pytest

from corpus.domain.manifest import parse_manifest
from corpus.domain.vocabulary import Completeness, EditKind, GoldenState, Split
from corpus.models import Case, GoldenFinding, WorkingPolicyVersion
from corpus.selectors.project_texts import working_policy_values
from corpus.services.golden import GoldenContent, defect_values, latest_revision, revise
from corpus.services.projects import add_version
from corpus.services.versions import GatesFailed, freeze_version, plan_version
from labeling.models import FileRead
from tests.factories import BASE_FILES, HEAD_FILES, make_case
from tests.labeling_factories import CHARGES_TWICE, LOST_GUARD, mark_complete, settle_case_with


@pytest.fixture
def pair(people):
    return [people.reviewer_a, people.reviewer_b]


@pytest.fixture
def corpus(people, project, pair) -> list[Case]:
    """A case with a finding and a clean one."""
    return [
        mark_complete(settle_case_with(make_case(project, split=Split.TEST), pair, labels=[CHARGES_TWICE])),
        mark_complete(settle_case_with(make_case(project), pair)),
    ]


def gate(project, people, key: str):
    plan = plan_version(project, actor=people.lead)
    return next(each for each in plan.gates if each.key == key)


def policy(project, people, **changes: int) -> None:
    held = WorkingPolicyVersion.objects.filter(project=project).order_by("-number")[0]
    values = replace(working_policy_values(held), **changes)
    add_version(
        WorkingPolicyVersion(**asdict(values)), project=project, author=people.lead, edit_kind=EditKind.EDITORIAL
    )


def failing(found) -> set[str]:
    return {each.case_id for each in found.failing}


def test_all_of_them_pass_on_a_sound_corpus(people, project, corpus) -> None:
    plan = plan_version(project, actor=people.lead)
    assert {each.key for each in plan.gates if not each.has_passed} == set()
    assert len(plan.gates) == 13


# --- Read by all ----------------------------------------------------------------------------------------------------


def test_a_file_that_a_reviewer_did_not_read_fails_until_it_is_waived(people, project, corpus) -> None:
    FileRead.objects.filter(assignment__case=corpus[1], assignment__reviewer=people.reviewer_b)[0].delete()
    found = gate(project, people, "read_by_all")
    assert failing(found) == {corpus[1].public_id}
    assert "1 of 2 reviewers did not mark all of its 2 files as read, up to 1 of them" in found.failing[0].reason
    with pytest.raises(GatesFailed, match="read_by_all"):
        freeze_version(project=project, actor=people.lead)
    version = freeze_version(
        project=project, actor=people.lead, waivers={"read_by_all": "The file is a lock file, read beside it"}
    )
    stated = next(each for each in parse_manifest(bytes(version.manifest)).gates if each.key == "read_by_all")
    assert (stated.state, stated.waiver_reason) == ("waived", "The file is a lock file, read beside it")


def test_whoever_sat_in_an_older_round_need_not_have_read(people, project, corpus) -> None:
    assert gate(project, people, "read_by_all").has_passed


# --- Near-duplicates ------------------------------------------------------------------------------------------------


def test_nearly_the_same_change_in_two_splits_fails_whatever_its_family(people, project, corpus, pair) -> None:
    other = mark_complete(settle_case_with(make_case(project, split=Split.TEST), pair))
    assert gate(project, people, "near_duplicates").has_passed, "within one split they may be alike"
    Case.objects.filter(pk=other.pk).update(split=Split.HOLDOUT)
    found = gate(project, people, "near_duplicates")
    assert failing(found) == {corpus[0].public_id, other.public_id}
    assert "changed lines with" in found.failing[0].reason
    assert "this case is in test" in " ".join(each.reason for each in found.failing)
    # The gate on families knows nothing of them.
    assert gate(project, people, "one_split").has_passed


# --- Coverage and shares --------------------------------------------------------------------------------------------


def test_coverage_is_what_the_policy_asks(people, project, corpus) -> None:
    assert gate(project, people, "coverage").detail == "the policy asks for nothing"
    policy(project, people, min_clean_percent=51)
    assert gate(project, people, "coverage").detail == "1 of 2 cases are clean, asked are 51 %"
    policy(project, people, min_clean_percent=50)
    assert gate(project, people, "coverage").has_passed
    policy(project, people, min_per_severity=1)
    found = gate(project, people, "coverage")
    assert not found.has_passed
    assert found.detail == "severity: critical 0, medium 0, low 0, asked are 1 each"
    policy(project, people, min_per_severity=0, min_per_category=1)
    detail = gate(project, people, "coverage").detail
    assert detail.startswith("category: ")
    assert f"{CHARGES_TWICE.category.replace('_', ' ')} 0" not in detail
    assert "injection 0" in detail


def test_too_many_unresolved_cases_fail(people, project, corpus) -> None:
    finding = GoldenFinding.objects.get(case=corpus[0])
    held = latest_revision(finding)
    revise(
        finding=finding,
        content=GoldenContent(
            defect=defect_values(held), category=held.category, confidence="low", anchors=tuple(held.anchors.all())
        ),
        state=GoldenState.UNRESOLVED,
        provenance="adjudicated",
        decided_by=people.adjudicator,
    )
    found = gate(project, people, "unresolved")
    assert (found.has_passed, failing(found)) == (False, {corpus[0].public_id})
    assert found.detail == "1 of 2 cases, allowed are 20 %"
    policy(project, people, max_unresolved_percent=50)
    assert gate(project, people, "unresolved").has_passed


# --- What can be seen -----------------------------------------------------------------------------------------------


def case_with(project, pair, line: bytes, labels=()) -> Case:
    """Settle a case whose change adds a line at the end of a module."""
    mode, retry = HEAD_FILES[b"pay/retry.py"]
    base = {**BASE_FILES, b"README.md": ("100644", b"# Other\n")}
    head = {**HEAD_FILES, b"README.md": ("100644", b"# Other\n"), b"pay/retry.py": (mode, retry + line)}
    return mark_complete(settle_case_with(make_case(project, base=base, head=head), pair, labels=labels))


def test_a_change_that_tells_is_found_with_its_line(people, project, corpus, pair) -> None:
    told = case_with(project, pair, b"# BUG: charges twice\n")
    found = gate(project, people, "oracle_leaks")
    assert failing(found) == {told.public_id}
    assert found.failing[0].reason.startswith('Line 21 of pay/retry.py holds the words "BUG:".')
    assert not found.failing[0].tells_truth
    Case.objects.filter(pk=told.pk).update(state="withdrawn", withdrawn_reason="It told")
    assert gate(project, people, "oracle_leaks").has_passed


def test_the_wording_of_a_finding_in_its_own_change_is_found(people, project, corpus, pair) -> None:
    label = replace(CHARGES_TWICE, title="A retry charges the customer a second time")
    told = case_with(project, pair, b"# NB: a retry charges\n# the customer a SECOND time\n", labels=[label])
    found = gate(project, people, "oracle_leaks")
    assert failing(found) == {told.public_id}
    assert "the wording of the golden finding" in found.failing[0].reason
    plan = plan_version(project, actor=people.lead)
    assert told.public_id in plan.told, "whoever is told is exposed"


def test_a_secret_is_found_without_being_repeated(people, project, corpus, pair) -> None:
    secret = b"AKIA" + b"IOSFODNN7EXAMPLE"
    told = case_with(project, pair, b'KEY = "' + secret + b'"\n')
    found = gate(project, people, "secrets")
    assert failing(found) == {told.public_id}
    assert "Line 21 of pay/retry.py looks like a secret (AWS Access Key)" in found.failing[0].reason
    assert secret.decode() not in found.failing[0].reason


def test_a_public_case_needs_a_licence(people, project, corpus) -> None:
    Case.objects.filter(pk=corpus[0].pk).update(is_private=False)
    found = gate(project, people, "licence")
    assert (failing(found), found.detail) == ({corpus[0].public_id}, "1 public, 1 private; 1 without a licence")
    Case.objects.filter(pk=corpus[0].pk).update(licence="Apache-2.0")
    assert gate(project, people, "licence").has_passed


def test_two_labels_keep_working_together(people, project, pair) -> None:
    """Findings of two categories on one change are no reason to fail."""
    both = mark_complete(settle_case_with(make_case(project), pair, labels=[CHARGES_TWICE, LOST_GUARD]))
    assert both.completeness == Completeness.COMPLETE
    assert gate(project, people, "distinct_places").has_passed
