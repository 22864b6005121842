"""Build, read and verify the manifest of a corpus version.

A manifest is one canonical JSON document (`corpus.domain.canonical_json`). Three digests guard it: each case states the
SHA-256 of its own canonical bytes, the document states that of its content (`content_sha256`), and the digest that is
published, `digest`, is over the bytes of the file. The first two find accidents and name the place; only the published
one finds a deliberate change.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from typing import Any, TypeVar

from corpus.domain.canonical_json import CanonicalError, dump_canonical, load_canonical
from corpus.domain.manifest_changes import FIRST_VERSION, change_list, next_version, raised, without_people
from corpus.domain.manifest_records import (
    Manifest,
    ManifestAnchor,
    ManifestCase,
    ManifestCounts,
    ManifestDraft,
    ManifestFinding,
    ManifestParent,
)
from corpus.domain.records import RecordError, from_plain, to_plain
from corpus.domain.vocabulary import AnchorRole, CaseResult, Completeness, GoldenState, Severity, Split

FORMAT = "touchstone-manifest"
FORMAT_VERSION = 1

_Entry = TypeVar("_Entry")
_UNSEALED = "0" * 64


class ManifestError(ValueError):
    """The draft or the bytes are no manifest; `place` and `reason` make one sentence."""

    def __init__(self, place: str, reason: str) -> None:
        super().__init__(f"{place}: {reason}")
        self.place = place
        self.reason = reason


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong with a manifest, and where."""

    place: str
    reason: str

    def __str__(self) -> str:
        return f"{self.place}: {self.reason}"


def build_manifest(
    draft: ManifestDraft,
    *,
    parent: bytes | None = None,
    reasons: Mapping[str, str] | None = None,
    version: str | None = None,
) -> bytes:
    """Return the canonical bytes of the version that `draft` makes, a pure function of its arguments.

    `parent` holds the bytes of the version before, `reasons` why a document, case or finding (by name or id) changed.
    Order, counts, changes, number and digests are computed; a `version` given by hand is refused if it differs.
    Raises ManifestError naming the first place that cannot be frozen.
    """
    before = None if parent is None else parse_manifest(parent)
    ordered = ordered_draft(draft)
    number = next_version(before, None if before is None else before.version, ordered)
    if version is not None and version != number:
        raise ManifestError("version", f"{version[:40]} was asked for, but what changed makes it {number}")
    origin = None
    if before is not None and parent is not None:
        origin = ManifestParent(version=before.version, digest=digest(parent))
    stated = {field.name: getattr(ordered, field.name) for field in fields(ManifestDraft)}
    manifest = Manifest(
        **(stated | {"cases": tuple(replace(case, sha256=case_digest(case)) for case in ordered.cases)}),
        format=FORMAT,
        format_version=FORMAT_VERSION,
        version=number,
        parent=origin,
        changes=change_list(before, ordered, reasons),
        counts=count(ordered.cases),
        content_sha256=_UNSEALED,
    )
    manifest = replace(manifest, content_sha256=_content_digest(manifest))
    for problem in _inconsistencies(manifest):
        raise ManifestError(problem.place, problem.reason)
    return _dumped(to_plain(manifest))


def digest(data: bytes) -> str:
    """Return the published digest of a manifest: the SHA-256 of its bytes, in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def parse_manifest(data: bytes) -> Manifest:
    """Return the manifest that `data` holds, its form checked but not its digests (see `verify_manifest`).

    Raises ManifestError with the place for bytes that are not canonical JSON, and for any member that is unknown,
    missing, mistyped or not allowed.
    """
    try:
        plain = load_canonical(data)
    except CanonicalError as error:
        raise ManifestError(error.place, error.reason) from error
    if not isinstance(plain, dict) or plain.get("format") != FORMAT:
        raise ManifestError("format", f"the document does not say that it is a {FORMAT}")
    if plain.get("format_version") != FORMAT_VERSION:
        raise ManifestError("format_version", f"only version {FORMAT_VERSION} of the format can be read")
    try:
        return from_plain(Manifest, plain)
    except RecordError as error:
        place, _, reason = str(error).partition(": ")
        raise ManifestError(_with_case_id(place, plain), reason) from error


def verify_manifest(data: bytes, expected_digest: str | None = None) -> list[Problem]:
    """Return everything that is wrong with the manifest in `data`; none means that it is intact.

    Cases come in the order of the file, so the first problem that names a case names the first wrong one.
    Without `expected_digest`, the digest as published elsewhere, a change by somebody who recomputed the digests inside
    cannot be found.
    """
    return inspect_manifest(data, expected_digest)[1]


def inspect_manifest(data: bytes, expected_digest: str | None = None) -> tuple[Manifest | None, list[Problem]]:
    """Return the manifest, where `data` can be read as one, with the problems that `verify_manifest` finds."""
    problems = []
    actual = digest(data)
    if expected_digest is not None and expected_digest.lower() != actual:
        problems.append(Problem("digest", f"the file has {actual}, expected was {expected_digest.lower()}"))
    try:
        manifest = parse_manifest(data)
    except ManifestError as error:
        return None, [*problems, Problem(error.place, error.reason)]
    return manifest, [*problems, *_wrong_digests(manifest), *_inconsistencies(manifest)]


def count(cases: Iterable[ManifestCase]) -> ManifestCounts:
    """Return what `cases` hold, with a zero for every value of a fixed list that does not occur."""
    cases = list(cases)
    found = [(case, finding) for case in cases for finding in case.findings]
    required = [(case, finding) for case, finding in found if finding.state is GoldenState.REQUIRED]
    return ManifestCounts(
        cases=len(cases),
        complete_cases=sum(case.completeness is Completeness.COMPLETE for case in cases),
        cases_by_split=_tally(Split, (case.split for case in cases)),
        cases_by_result=_tally(CaseResult, (case.result for case in cases)),
        findings=len(found),
        findings_by_state=_tally(GoldenState, (finding.state for _, finding in found)),
        required_by_severity=_tally(Severity, (finding.severity for _, finding in required)),
        required_by_split=_tally(Split, (case.split for case, _ in required)),
        required_by_category=dict(Counter(finding.category or "" for _, finding in required)),
    )


def _tally(kind: type[StrEnum], values: Iterable[StrEnum | None]) -> dict[str, int]:
    found = Counter(value for value in values if value is not None)
    return {member.value: found[member] for member in kind}


def ordered_draft(draft: ManifestDraft) -> ManifestDraft:
    """Return `draft` in the one order that its content has, so that equal content gives equal bytes."""
    return replace(
        draft,
        gates=tuple(sorted(draft.gates, key=lambda gate: gate.key)),
        cases=ordered_cases(draft.cases),
        tombstones=tuple(sorted(draft.tombstones, key=lambda tombstone: tombstone.case_id)),
    )


def ordered_cases(cases: Iterable[ManifestCase]) -> tuple[ManifestCase, ...]:
    """Return cases, and all that they list, in the one order that they have."""
    return tuple(sorted(map(_ordered_case, cases), key=lambda case: case.case_id))


def _ordered_case(case: ManifestCase) -> ManifestCase:
    return replace(
        case,
        scope=replace(
            case.scope,
            files_excluded=tuple(sorted(set(case.scope.files_excluded))),
            categories_excluded=tuple(sorted(set(case.scope.categories_excluded))),
        ),
        clean_attested_by=tuple(sorted(set(case.clean_attested_by))),
        verdicts=_by_content(case.verdicts),
        adjudications=_by_content(case.adjudications),
        findings=tuple(sorted(map(_ordered_finding, case.findings), key=lambda finding: finding.finding_id)),
    )


def _ordered_finding(finding: ManifestFinding) -> ManifestFinding:
    return replace(
        finding,
        keywords=tuple(sorted(set(finding.keywords))),
        anchors=tuple(sorted(finding.anchors, key=_anchor_order)),
        labels=_by_content(finding.labels),
        adjudications=_by_content(finding.adjudications),
    )


def _anchor_order(anchor: ManifestAnchor) -> tuple[Any, ...]:
    role = list(AnchorRole).index(anchor.role)
    return role, anchor.group, anchor.path or "", anchor.side or "", anchor.ranges, anchor.quote_sha256 or ""


def _by_content(entries: tuple[_Entry, ...]) -> tuple[_Entry, ...]:
    """Order by everything but pseudonyms first: they are drawn afresh, and the order must not follow the draw."""

    def key(entry: _Entry) -> tuple[bytes, bytes]:
        plain = to_plain(entry)
        return _dumped(without_people(plain)), _dumped(plain)

    return tuple(sorted(entries, key=key))


def _dumped(plain: Any) -> bytes:
    try:
        return dump_canonical(plain)
    except CanonicalError as error:
        raise ManifestError(error.place, error.reason) from error


def case_digest(case: ManifestCase) -> str:
    """Return what a case has to state as its `sha256`."""
    plain = to_plain(case)
    del plain["sha256"]
    return digest(_dumped(plain))


def _content_digest(manifest: Manifest) -> str:
    plain = to_plain(manifest)
    del plain["content_sha256"]
    return digest(_dumped(plain))


def _wrong_digests(manifest: Manifest) -> Iterator[Problem]:
    for index, case in enumerate(manifest.cases):
        if case.sha256 != case_digest(case):
            yield Problem(_case_place(index, case.case_id), "the case is not what its sha256 says")
    if manifest.content_sha256 != _content_digest(manifest):
        yield Problem("content_sha256", "the document is not what its content_sha256 says")


def _inconsistencies(manifest: Manifest) -> Iterator[Problem]:
    """Yield what the document says that contradicts itself."""
    yield from _identity_problems(manifest)
    categories = {category.key for category in manifest.taxonomy.categories}
    if len(categories) != len(manifest.taxonomy.categories):
        yield Problem("taxonomy.categories", "two categories have one key")
    for index, case in enumerate(manifest.cases):
        for finding in case.findings:
            if finding.category is not None and finding.category not in categories:
                place = f"{_case_place(index, case.case_id)} finding {finding.finding_id}"
                yield Problem(place, f"the category {finding.category[:80]!r} is not in the taxonomy")
    ordered = ordered_draft(manifest)
    places = {case.case_id: case for case in ordered.cases}
    for index, case in enumerate(manifest.cases):
        if case != places[case.case_id]:
            yield Problem(_case_place(index, case.case_id), "the case's lists are not in their fixed order")
    if manifest != ordered:
        yield Problem("cases", "the lists of the document are not in their fixed order")
    if manifest.counts != count(manifest.cases):
        yield Problem("counts", "the counts are not those of the cases")
    expected = FIRST_VERSION if manifest.parent is None else raised(manifest.parent.version, manifest.changes)
    if manifest.version != expected:
        yield Problem("version", f"{manifest.version} does not follow from the changes, which make it {expected}")
    if manifest.parent is None and manifest.changes:
        yield Problem("changes", "a version without a parent has no changes")


def _identity_problems(manifest: Manifest) -> Iterator[Problem]:
    cases: set[str] = set()
    findings: set[str] = set()
    for index, case in enumerate(manifest.cases):
        if case.case_id in cases:
            yield Problem(_case_place(index, case.case_id), "the case stands twice")
        cases.add(case.case_id)
        for finding in case.findings:
            if finding.finding_id in findings:
                place = _case_place(index, case.case_id)
                yield Problem(place, f"the finding {finding.finding_id} stands twice in the document")
            findings.add(finding.finding_id)
    for tombstone in manifest.tombstones:
        if tombstone.case_id in cases:
            yield Problem("tombstones", f"{tombstone.case_id} is withdrawn and stands among the cases")


def _case_place(index: int, case_id: str) -> str:
    return f"cases[{index}] ({case_id})"


def _with_case_id(place: str, plain: dict[str, Any]) -> str:
    """Add the case's id to a place inside a case, where the document can be read that far."""
    found = re.match(r"cases\[(\d+)\]", place)
    cases = plain.get("cases")
    if found is None or not isinstance(cases, list):
        return place
    case = cases[int(found[1])]
    case_id = case.get("case_id") if isinstance(case, dict) else None
    return f"{place} ({case_id[:64]})" if isinstance(case_id, str) else place
