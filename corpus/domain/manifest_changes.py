"""What differs between a version and its parent, and the version number that follows from it.

Patch: the same data, perhaps with reworded documents. Minor: everything old is intact and something was added. Major:
anything was edited, removed or moved between splits. Pseudonyms are fresh in every version, so they are left out of
every comparison.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from corpus.domain.manifest_records import (
    ChangeKind,
    DocumentVersion,
    ManifestCase,
    ManifestChange,
    ManifestDraft,
    ManifestFinding,
    version_numbers,
)
from corpus.domain.records import to_plain

FIRST_VERSION = "1.0.0"
DOCUMENTS = ("severity_policy", "taxonomy", "guidelines", "contract")
_PEOPLE = {"reviewer", "adjudicator", "completeness_set_by"}
_ADDITIONS = {ChangeKind.CASE_ADDED, ChangeKind.FINDING_ADDED}


def next_version(parent: ManifestDraft | None, parent_version: str | None, current: ManifestDraft) -> str:
    """Return the number of `current`: 1.0.0 without a parent, else the parent's number raised by what changed."""
    if parent is None or parent_version is None:
        return FIRST_VERSION
    return raised(parent_version, change_list(parent, current))


def raised(version: str, changes: tuple[ManifestChange, ...]) -> str:
    """Return the number after `version` for a version that differs by `changes`."""
    major, minor, patch = version_numbers(version)
    kinds = {change.kind for change in changes} - {ChangeKind.DOCUMENT_REWORDED}
    if kinds - _ADDITIONS:
        return f"{major + 1}.0.0"
    if kinds:
        return f"{major}.{minor + 1}.0"
    return f"{major}.{minor}.{patch + 1}"


def change_list(
    parent: ManifestDraft | None, current: ManifestDraft, reasons: Mapping[str, str] | None = None
) -> tuple[ManifestChange, ...]:
    """Return every difference of `current` from `parent`, ordered by document, case and finding.

    `reasons` gives the reason for the changes of a subject, by its document name, case id or finding id.
    Without a parent there is nothing to differ from and the list is empty.
    """
    if parent is None:
        return ()
    return tuple(_changes(parent, current, reasons or {}))


def _changes(parent: ManifestDraft, current: ManifestDraft, reasons: Mapping[str, str]) -> Iterator[ManifestChange]:
    for name in DOCUMENTS:
        before, after = getattr(parent, name), getattr(current, name)
        if before != after:
            kind = _document_change(before, after)
            detail = f"version {before.version} to {after.version}"
            yield _change(kind, document=name, detail=detail, reason=reasons.get(name))
    old = {case.case_id: case for case in parent.cases}
    new = {case.case_id: case for case in current.cases}
    withdrawn = {tombstone.case_id: tombstone.reason for tombstone in current.tombstones}
    for case_id in sorted(old.keys() | new.keys()):
        if case_id not in new:
            reason = reasons.get(case_id) or withdrawn.get(case_id)
            yield _change(ChangeKind.CASE_REMOVED, case_id=case_id, reason=reason)
        elif case_id not in old:
            yield _change(ChangeKind.CASE_ADDED, case_id=case_id, reason=reasons.get(case_id))
        else:
            yield from _case_changes(old[case_id], new[case_id], reasons)


def _case_changes(old: ManifestCase, new: ManifestCase, reasons: Mapping[str, str]) -> Iterator[ManifestChange]:
    case_id, reason = new.case_id, reasons.get(new.case_id)
    if old.split is not new.split:
        yield _change(ChangeKind.CASE_MOVED, case_id=case_id, detail=f"{old.split} to {new.split}", reason=reason)
    edited = edited_fields(old, new, {"split", "findings", "sha256"})
    if edited:
        yield _change(ChangeKind.CASE_EDITED, case_id=case_id, detail=", ".join(edited), reason=reason)
    before = {finding.finding_id: finding for finding in old.findings}
    after = {finding.finding_id: finding for finding in new.findings}
    for finding_id in sorted(before.keys() | after.keys()):
        subject: dict[str, str | None] = {
            "case_id": case_id,
            "finding_id": finding_id,
            "reason": reasons.get(finding_id),
        }
        if finding_id not in after:
            yield _change(ChangeKind.FINDING_REMOVED, **subject)
        elif finding_id not in before:
            yield _change(ChangeKind.FINDING_ADDED, **subject)
        else:
            edited = edited_fields(before[finding_id], after[finding_id], set())
            if edited:
                yield _change(ChangeKind.FINDING_EDITED, detail=", ".join(edited), **subject)


def _document_change(before: DocumentVersion, after: DocumentVersion) -> ChangeKind:
    """Fields that scoring reads (weights, categories) and the substantive version make an edit; the rest is wording."""
    for name in ("substantive_version", "weights", "categories"):
        if getattr(before, name, None) != getattr(after, name, None):
            return ChangeKind.DOCUMENT_EDITED
    return ChangeKind.DOCUMENT_REWORDED


def edited_fields(
    old: ManifestCase | ManifestFinding, new: ManifestCase | ManifestFinding, apart: set[str]
) -> list[str]:
    """Return the names of the members that differ, but for people and the members `apart`."""
    before, after = without_people(to_plain(old)), without_people(to_plain(new))
    return sorted(name for name in before if name not in apart and before[name] != after[name])


def without_people(value: Any) -> Any:
    """Return the plain `value` without pseudonyms; of those who attested a clean case the number stays."""
    if isinstance(value, dict):
        kept = {name: member for name, member in value.items() if name not in _PEOPLE}
        return {
            name: len(member) if name == "clean_attested_by" else without_people(member)
            for name, member in kept.items()
        }
    if isinstance(value, list):
        return [without_people(member) for member in value]
    return value


def _change(
    kind: ChangeKind,
    *,
    case_id: str | None = None,
    finding_id: str | None = None,
    document: str | None = None,
    detail: str | None = None,
    reason: str | None = None,
) -> ManifestChange:
    return ManifestChange(
        kind=kind, case_id=case_id, finding_id=finding_id, document=document, detail=detail, reason=reason
    )
