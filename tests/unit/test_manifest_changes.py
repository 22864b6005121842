from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from corpus.domain.manifest import ManifestError, build_manifest, digest, parse_manifest, verify_manifest
from corpus.domain.manifest_changes import change_list
from corpus.domain.manifest_records import ManifestDraft, Tombstone
from corpus.domain.vocabulary import Completeness, GoldenState, Severity, Split
from tests.unit.manifest_samples import (
    make_adjudication,
    make_case,
    make_draft,
    make_finding,
    make_label,
    sha,
)


def with_cases(draft: ManifestDraft, *cases: object) -> ManifestDraft:
    return replace(draft, cases=cases)  # type: ignore[arg-type]


FIRST = make_case("case-a")
CLEAN = make_case("case-b", findings=())
BASE = make_draft(FIRST, CLEAN)


def fresh_pseudonyms() -> ManifestDraft:
    """The same data by the same people under other pseudonyms, which also turns their order round."""
    finding = make_finding(
        "G-case-a",
        labels=(make_label("z-1"), make_label("y-2", severity=Severity.MEDIUM)),
        adjudications=(make_adjudication("x-3"),),
    )
    verdicts = tuple(replace(verdict, reviewer=f"z{verdict.reviewer}") for verdict in FIRST.verdicts)
    return with_cases(
        BASE,
        replace(FIRST, findings=(finding,), verdicts=verdicts, completeness_set_by="q"),
        replace(CLEAN, clean_attested_by=("z-1", "y-2")),
    )


def edit_finding(**changes: object) -> ManifestDraft:
    finding = replace(FIRST.findings[0], **changes)  # type: ignore[arg-type]
    return with_cases(BASE, replace(FIRST, findings=(finding,)), CLEAN)


@pytest.mark.parametrize(
    ("make", "version", "changes"),
    [
        (lambda: BASE, "1.0.1", []),
        (fresh_pseudonyms, "1.0.1", []),
        (
            lambda: replace(BASE, guidelines=replace(BASE.guidelines, version=2, sha256=sha("reworded"))),
            "1.0.1",
            [("document_reworded", "guidelines", "version 1 to 2")],
        ),
        (
            lambda: replace(BASE, guidelines=replace(BASE.guidelines, version=2, substantive_version=2)),
            "2.0.0",
            [("document_edited", "guidelines", "version 1 to 2")],
        ),
        (
            lambda: replace(
                BASE, severity_policy=replace(BASE.severity_policy, weights={**BASE.severity_policy.weights, "low": 2})
            ),
            "2.0.0",
            [("document_edited", "severity_policy", "version 1 to 1")],
        ),
        (
            lambda: with_cases(BASE, FIRST, CLEAN, make_case("case-c")),
            "1.1.0",
            [("case_added", "case-c", None)],
        ),
        (
            lambda: with_cases(BASE, replace(FIRST, findings=(*FIRST.findings, make_finding("G-2"))), CLEAN),
            "1.1.0",
            [("finding_added", "G-2", None)],
        ),
        (lambda: with_cases(BASE, CLEAN), "2.0.0", [("case_removed", "case-a", None)]),
        (
            lambda: with_cases(BASE, replace(FIRST, split=Split.HOLDOUT), CLEAN),
            "2.0.0",
            [("case_moved", "case-a", "dev to holdout")],
        ),
        (
            lambda: with_cases(BASE, replace(FIRST, completeness=Completeness.PARTIAL), CLEAN),
            "2.0.0",
            [("case_edited", "case-a", "completeness")],
        ),
        (
            lambda: edit_finding(severity=Severity.CRITICAL, revision=2),
            "2.0.0",
            [("finding_edited", "G-case-a", "revision, severity")],
        ),
        (
            lambda: with_cases(BASE, replace(FIRST, findings=(make_finding("G-2"),)), CLEAN),
            "2.0.0",
            [("finding_added", "G-2", None), ("finding_removed", "G-case-a", None)],
        ),
        (
            lambda: with_cases(BASE, FIRST, make_case("case-b")),
            "2.0.0",
            [
                ("case_edited", "case-b", "clean_attested_by, result, source_kind, verdicts"),
                ("finding_added", "G-case-b", None),
            ],
        ),
    ],
)
def test_the_number_and_the_list_follow_from_what_changed(
    make: Callable[[], ManifestDraft], version: str, changes: list[tuple[str, str, str | None]]
) -> None:
    parent = build_manifest(BASE)
    data = build_manifest(make(), parent=parent)
    manifest = parse_manifest(data)
    assert manifest.version == version
    assert [
        (change.kind.value, change.finding_id or change.case_id or change.document, change.detail)
        for change in manifest.changes
    ] == changes
    assert manifest.parent is not None
    assert manifest.parent.digest == digest(parent)
    assert verify_manifest(data) == []


def test_reasons_are_kept_with_the_change_and_a_withdrawn_case_brings_its_own() -> None:
    stone = Tombstone(case_id="case-b", patch_sha256=CLEAN.patch_sha256, reason="a secret surfaced")
    current = replace(
        with_cases(BASE, replace(FIRST, findings=(replace(FIRST.findings[0], state=GoldenState.OPTIONAL),))),
        tombstones=(stone,),
    )
    changes = change_list(BASE, current, {"G-case-a": "challenged and lost"})
    assert [(change.kind.value, change.reason) for change in changes] == [
        ("finding_edited", "challenged and lost"),
        ("case_removed", "a secret surfaced"),
    ]


def test_a_withdrawn_case_cannot_stand_among_the_cases() -> None:
    stone = Tombstone(case_id="case-b", patch_sha256=CLEAN.patch_sha256, reason="a secret surfaced")
    with pytest.raises(ManifestError, match="case-b is withdrawn and stands among the cases"):
        build_manifest(replace(BASE, tombstones=(stone,)))


def test_a_number_given_by_hand_is_refused_when_it_differs() -> None:
    parent = build_manifest(BASE)
    grown = with_cases(BASE, FIRST, CLEAN, make_case("case-c"))
    assert parse_manifest(build_manifest(grown, parent=parent, version="1.1.0")).version == "1.1.0"
    with pytest.raises(ManifestError, match=r"version: 1\.0\.1 was asked for, but what changed makes it 1\.1\.0"):
        build_manifest(grown, parent=parent, version="1.0.1")


def test_numbers_go_on_from_the_parent() -> None:
    first = build_manifest(BASE)
    second = build_manifest(with_cases(BASE, FIRST, CLEAN, make_case("case-c")), parent=first)
    third = build_manifest(with_cases(BASE, FIRST, CLEAN, make_case("case-c")), parent=second)
    fourth = build_manifest(with_cases(BASE, FIRST, CLEAN), parent=third)
    assert [parse_manifest(data).version for data in (first, second, third, fourth)] == [
        "1.0.0",
        "1.1.0",
        "1.1.1",
        "2.0.0",
    ]
