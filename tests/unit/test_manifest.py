from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpus.domain.canonical_json import dump_canonical, load_canonical
from corpus.domain.manifest import (
    ManifestError,
    build_manifest,
    digest,
    parse_manifest,
    verify_manifest,
)
from corpus.domain.manifest_records import GateState, ManifestGate, Tombstone
from corpus.domain.records import RecordError
from corpus.domain.vocabulary import AnchorLevel, AnchorRole, CaseResult, GoldenState, Severity, Split
from tests.unit.manifest_samples import (
    make_adjudication,
    make_anchor,
    make_case,
    make_draft,
    make_finding,
    make_label,
    make_repository_anchor,
    sha,
)

LEVELS = {"r-1": "high", "r-2": "medium", "r-3": "low"}
SCHEMA = json.loads((Path(__file__).parents[2] / "docs" / "manifest.schema.json").read_text())


def edited(data: bytes, edit: Callable[[Any], None]) -> bytes:
    """The manifest after `edit` changed the plain document, canonical again but with the digests inside left alone."""
    plain = load_canonical(data)
    edit(plain)
    return dump_canonical(plain)


def resealed(plain: Any) -> None:
    """Recompute every digest inside, as somebody would who hides a change."""
    for case in plain["cases"]:
        case["sha256"] = digest(dump_canonical({k: v for k, v in case.items() if k != "sha256"}))
    plain["content_sha256"] = digest(dump_canonical({k: v for k, v in plain.items() if k != "content_sha256"}))


def test_a_built_manifest_is_intact_and_reads_back_what_went_in() -> None:
    draft = make_draft()
    data = build_manifest(draft)
    assert verify_manifest(data, digest(data)) == []
    manifest = parse_manifest(data)
    assert manifest.version == "1.0.0"
    assert manifest.parent is None
    assert manifest.changes == ()
    assert [replace(case, sha256="") for case in manifest.cases] == list(draft.cases)
    assert manifest.counts.cases_by_split == {"dev": 2, "test": 0, "holdout": 0}
    assert manifest.counts.cases_by_result["clean"] == 1
    assert manifest.counts.required_by_severity == {
        "critical": 0,
        "high": 1,
        "medium": 0,
        "low": 0,
        "note": 0,
    }
    assert manifest.counts.findings_by_state == {"required": 1, "optional": 0, "decoy": 0, "unresolved": 0}
    assert manifest.counts.required_by_category == {"boundary": 1}


@given(st.permutations(["case-c", "case-a", "case-b"]), st.permutations(["r-1", "r-2", "r-3"]))
@settings(max_examples=15)
def test_the_order_of_what_goes_in_never_shows(ids: list[str], reviewers: list[str]) -> None:
    def draft(order: list[str], people: list[str]) -> bytes:
        labels = {name: make_label(name, severity=Severity(level)) for name, level in LEVELS.items()}
        cases = [
            make_case(case_id, findings=(make_finding(f"G-{case_id}", labels=tuple(labels[p] for p in people)),))
            for case_id in order
        ]
        return build_manifest(make_draft(*cases))

    assert draft(ids, reviewers) == draft(sorted(ids), sorted(reviewers))


def test_every_flipped_bit_of_a_manifest_is_found() -> None:
    data = build_manifest(make_draft())
    intact = []
    for position in range(len(data)):
        flipped = bytearray(data)
        flipped[position] ^= 1 << position % 8
        if not verify_manifest(bytes(flipped)):
            intact.append(position)
    assert intact == []


@given(st.data())
@settings(max_examples=60)
def test_cut_grown_and_swapped_manifests_are_found(data: st.DataObject) -> None:
    whole = build_manifest(make_draft())
    start = data.draw(st.integers(0, len(whole)))
    end = data.draw(st.integers(start, min(len(whole), start + 80)))
    changed = whole[:start] + data.draw(st.binary(max_size=4)) + whole[end:]
    assert (verify_manifest(changed) == []) == (changed == whole)


def test_the_first_wrong_case_is_named() -> None:
    draft = make_draft(make_case("case-a"), make_case("case-b"), make_case("case-c"))
    data = build_manifest(draft)

    def edit(plain: Any) -> None:
        plain["cases"][2]["licence"] = "other"
        plain["cases"][1]["findings"][0]["impact"] = "none"

    problems = verify_manifest(edited(data, edit))
    assert str(problems[0]) == "cases[1] (case-b): the case is not what its sha256 says"
    assert [problem.place for problem in problems] == [
        "cases[1] (case-b)",
        "cases[2] (case-c)",
        "content_sha256",
    ]


def test_a_change_with_all_inner_digests_recomputed_is_found_by_the_published_digest() -> None:
    data = build_manifest(make_draft())

    def edit(plain: Any) -> None:
        plain["cases"][0]["findings"][0]["impact"] = "none"
        resealed(plain)

    forged = edited(data, edit)
    assert verify_manifest(forged) == []
    [problem] = verify_manifest(forged, digest(data))
    assert problem.place == "digest"
    assert digest(data) in problem.reason


@pytest.mark.parametrize(
    ("edit", "problem"),
    [
        (
            lambda plain: plain["counts"].update(cases=3),
            "counts: the counts are not those of the cases",
        ),
        (
            lambda plain: plain.update(version="1.0.1"),
            "version: 1.0.1 does not follow from the changes, which make it 1.0.0",
        ),
        (
            lambda plain: plain["cases"].reverse(),
            "cases: the lists of the document are not in their fixed order",
        ),
        (
            lambda plain: plain["cases"][0]["findings"][0]["keywords"].reverse(),
            "cases[0] (case-a): the case's lists are not in their fixed order",
        ),
        (
            lambda plain: plain["cases"][0]["findings"][0].update(category="style"),
            "cases[0] (case-a) finding G-case-a: the category 'style' is not in the taxonomy",
        ),
    ],
)
def test_a_document_that_contradicts_itself_is_found_though_its_digests_fit(
    edit: Callable[[Any], None], problem: str
) -> None:
    def forge(plain: Any) -> None:
        edit(plain)
        resealed(plain)

    forged = edited(build_manifest(make_draft()), forge)
    assert problem in [str(found) for found in verify_manifest(forged)]


@pytest.mark.parametrize(
    ("edit", "sentence"),
    [
        (lambda p: p.update(extra=1), "document: the member 'extra' is not known"),
        (lambda p: p.pop("gates"), "document: the member 'gates' is missing"),
        (lambda p: p.update(format="other"), "format: the document does not say that it is a"),
        (lambda p: p.update(format_version=2), "format_version: only version 1 of the format can be read"),
        (
            lambda p: p["cases"][0].update(split="public"),
            "cases[0].split (case-a): 'public' is not one of dev, test, holdout",
        ),
        (
            lambda p: p["cases"][0]["findings"][0].update(revision="1"),
            "cases[0].findings[0].revision (case-a): an integer is needed, not a string",
        ),
        (
            lambda p: p["cases"][0]["findings"][0]["anchors"][0].update(ranges=[[5, 4]]),
            "cases[0].findings[0].anchors[0] (case-a): range 5-4 is not ascending",
        ),
        (
            lambda p: p["cases"][0]["findings"][0]["anchors"][0].update(ranges=[[1, 2, 3]]),
            "cases[0].findings[0].anchors[0].ranges[0] (case-a): a list of 2 is needed, not of 3",
        ),
        (
            lambda p: p["cases"][1].update(clean_attested_by=["r-1"]),
            "cases[1] (case-b): a clean case needs two independent reviewers",
        ),
        (
            lambda p: p["cases"][0].update(case_id="../up"),
            "cases[0] (../up): case_id '../up' is not 1 to 64 letters",
        ),
    ],
)
def test_an_ill_formed_member_is_refused_with_its_place(edit: Callable[[Any], Any], sentence: str) -> None:
    with pytest.raises(ManifestError) as caught:
        parse_manifest(edited(build_manifest(make_draft()), edit))
    assert str(caught.value).startswith(sentence)


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: make_anchor(role=AnchorRole.ALTERNATE), "alternate places have a group from 1 on"),
        (lambda: make_anchor(quote_sha256=None), "a place of lines needs ranges and the hash of its quote"),
        (lambda: make_anchor("a", (3, 5), (5, 6)), "range 5-6 is not ascending"),
        (lambda: make_anchor("a", (0, 5)), "range 0-5 is not ascending"),
        (lambda: make_anchor(level=AnchorLevel.REPOSITORY), "a place of the whole repository has no path"),
        (lambda: make_anchor(level=AnchorLevel.FILE), "a place of a whole file has no ranges"),
        (lambda: make_anchor(blob_sha256="A" * 64), "blob_sha256 is not a SHA-256"),
        (lambda: make_finding(anchors=()), "a finding that is required needs a primary place"),
        (lambda: make_finding(severity=None), "a finding that is required needs a category and a severity"),
        (lambda: make_finding(keywords=("Two",)), "the keyword 'Two' is not one lower-case token"),
        (lambda: make_finding(keywords=("two words",)), "the keyword 'two words' is not one lower-case token"),
        (lambda: make_finding(claim=" "), "a finding needs a claim"),
        (
            lambda: make_finding(anchors=(make_anchor(), make_anchor(role=AnchorRole.ALTERNATE, group=2))),
            "alternate sets are not numbered 1, 2, 3",
        ),
        (lambda: make_adjudication("r 3"), "adjudicator 'r 3' is not 1 to 64 letters"),
        (
            lambda: make_case(result=CaseResult.NO_FINDING_ADJUDICATED),
            "a case without a finding after adjudication has no required finding",
        ),
        (
            lambda: make_case(result=CaseResult.CLEAN, clean_attested_by=("r-1", "r-2")),
            "a clean case has required findings at note level only",
        ),
        (
            lambda: ManifestGate(key="g", state=GateState.WAIVED, detail=None, waiver_reason=" "),
            "the gate 'g' needs a reason when it is waived",
        ),
    ],
)
def test_a_record_that_must_not_exist_is_refused(make: Callable[[], object], sentence: str) -> None:
    with pytest.raises(RecordError) as caught:
        make()
    assert str(caught.value).startswith(sentence)


def test_one_finding_id_in_two_cases_is_refused() -> None:
    cases = [make_case(case_id, findings=(make_finding("G-1"),)) for case_id in ("case-a", "case-b")]
    with pytest.raises(ManifestError, match=r"cases\[1\] \(case-b\): the finding G-1 stands twice"):
        build_manifest(make_draft(*cases))


def test_half_a_surrogate_pair_in_a_claim_is_refused_with_its_place() -> None:
    case = make_case(findings=(make_finding(claim="broken \ud800"),))
    with pytest.raises(ManifestError, match="claim: the text holds half of a surrogate pair"):
        build_manifest(make_draft(case))


def test_a_quoted_line_is_kept_as_its_hash_only() -> None:
    quoted = "return len(rows) // size"
    finding = make_finding(anchors=(make_anchor(quote_sha256=sha(quoted)),))
    data = build_manifest(make_draft(make_case(findings=(finding,))))
    assert quoted.encode() not in data
    assert sha(quoted).encode() in data


def full_manifest() -> bytes:
    """A manifest in which every kind of record occurs."""
    places = (
        make_anchor(),
        make_anchor("app/view.py", (3, 4), (9, 9), role=AnchorRole.ALTERNATE, group=1),
        make_anchor("app/job.py", level=AnchorLevel.FILE, ranges=(), role=AnchorRole.SUPPORTING, quote_sha256=None),
        make_repository_anchor(),
    )
    open_question = make_finding(
        "G-9", state=GoldenState.UNRESOLVED, category=None, severity=None, anchors=(), relation=None
    )
    parent = build_manifest(make_draft(make_case("case-a"), make_case("case-b"), make_case("case-w")))
    waived = ManifestGate(key="splits", state=GateState.WAIVED, detail="1 of 2", waiver_reason="first version")
    return build_manifest(
        make_draft(
            make_case("case-a", findings=(make_finding(anchors=places), open_question)),
            make_case("case-b", split=Split.TEST),
            make_case("case-c", findings=()),
            gates=(waived,),
            tombstones=(Tombstone(case_id="case-w", patch_sha256=sha("w"), reason="a secret surfaced"),),
        ),
        parent=parent,
        reasons={"case-b": "was too easy"},
    )


@pytest.mark.parametrize("make", [full_manifest, lambda: build_manifest(make_draft())])
def test_built_manifests_follow_the_published_schema(make: Callable[[], bytes]) -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    jsonschema.Draft202012Validator(SCHEMA).validate(json.loads(make()))


@pytest.mark.parametrize(
    "edit",
    [
        lambda p: p.update(extra=1),
        lambda p: p["cases"][0].pop("split"),
        lambda p: p["cases"][0].update(split="public"),
        lambda p: p["cases"][0]["findings"][0].update(speculative=True),
        lambda p: p["cases"][0]["findings"][0]["anchors"][0].update(ranges=[[0, 1]]),
        lambda p: p["cases"][0]["findings"][0]["anchors"][0].update(path=None),
        lambda p: p["counts"].update(cases=1.5),
        lambda p: p.update(content_sha256="x"),
        lambda p: p.update(version="1.0"),
    ],
)
def test_the_published_schema_refuses_what_the_product_refuses(edit: Callable[[Any], Any]) -> None:
    plain = json.loads(full_manifest())
    edit(plain)
    assert not jsonschema.Draft202012Validator(SCHEMA).is_valid(plain)
    with pytest.raises(ManifestError):
        parse_manifest(json.dumps(plain, ensure_ascii=False, separators=(",", ":"), sort_keys=True).encode())
