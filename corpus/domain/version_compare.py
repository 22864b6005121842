"""Any two versions compared: what changed, from which value to which, and what scores of both can be compared on.

The two need not follow one another. Pseudonyms are fresh in every version and make no difference.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from corpus.domain.manifest_changes import (
    change_list,
    edited_fields,
    raised,
    without_people,
)
from corpus.domain.manifest_records import (
    ChangeKind,
    Manifest,
    ManifestCase,
    ManifestChange,
    ManifestFinding,
    version_numbers,
)
from corpus.domain.records import to_plain

FORMAT = "touchstone-version-comparison"
# Words for the step of the number that the changes amount to.
SAME, PATCH, MINOR, MAJOR = "same", "patch", "minor", "major"
_CASE_APART = {"split", "findings", "sha256"}
_LONGEST_CELL = 120


@dataclass(frozen=True)
class Edit:
    """One member that differs, with both values as plain JSON."""

    name: str
    before: Any
    after: Any


@dataclass(frozen=True)
class ComparedChange:
    """One difference, with the members that make it and the reason that the newer version states for it."""

    kind: ChangeKind
    case_id: str | None
    finding_id: str | None
    document: str | None
    edits: tuple[Edit, ...]
    reason: str | None

    @property
    def tells_truth(self) -> bool:
        """Say whether the change tells of a golden finding or of the answers on a case (B2)."""
        return self.finding_id is not None or self.kind is ChangeKind.CASE_EDITED


@dataclass(frozen=True)
class ComparedCount:
    """A number that both versions state."""

    group: str
    name: str
    before: int
    after: int


@dataclass(frozen=True)
class ComparedVersion:
    """One of the two."""

    project: str
    version: str
    digest: str


@dataclass(frozen=True)
class Comparison:
    """What leads from one version to the other. `step` is what the changes would raise the number by."""

    before: ComparedVersion
    after: ComparedVersion
    step: str
    counts: tuple[ComparedCount, ...]
    changes: tuple[ComparedChange, ...]
    # Cases whose truth is the same in both: scores of both versions can be compared on these alone.
    unchanged_cases: tuple[str, ...]


def compare_versions(before: Manifest, before_digest: str, after: Manifest, after_digest: str) -> Comparison:
    """Return the comparison of two manifests, the same for the same two."""
    stated = (
        {_subject(change): change.reason for change in after.changes if change.reason}
        if _follows(before_digest, after)
        else {}
    )
    changes = change_list(before, after)
    cases = {case.case_id: case for case in before.cases}, {case.case_id: case for case in after.cases}
    touched = {change.case_id for change in changes}
    return Comparison(
        before=ComparedVersion(before.project, before.version, before_digest),
        after=ComparedVersion(after.project, after.version, after_digest),
        step=_step(changes),
        counts=tuple(_counts(before, after)),
        changes=tuple(_compared(change, before, after, *cases, stated.get(_subject(change))) for change in changes),
        unchanged_cases=tuple(sorted((cases[0].keys() & cases[1].keys()) - touched)),
    )


def _follows(before_digest: str, after: Manifest) -> bool:
    return after.parent is not None and after.parent.digest == before_digest


def _subject(change: ManifestChange) -> tuple[ChangeKind, str | None, str | None, str | None]:
    return change.kind, change.case_id, change.finding_id, change.document


def _step(changes: tuple[ManifestChange, ...]) -> str:
    if not changes:
        return SAME
    major, minor, _ = version_numbers(raised("0.0.0", changes))
    return MAJOR if major else MINOR if minor else PATCH


def _counts(before: Manifest, after: Manifest) -> list[ComparedCount]:
    found = []
    old, new = to_plain(before.counts), to_plain(after.counts)
    for group in old:
        if isinstance(old[group], int):
            found.append(ComparedCount(group, "", old[group], new[group]))
            continue
        for name in sorted(old[group].keys() | new[group].keys()):
            found.append(ComparedCount(group, name, old[group].get(name, 0), new[group].get(name, 0)))
    return found


def _compared(
    change: ManifestChange,
    before: Manifest,
    after: Manifest,
    old: dict[str, ManifestCase],
    new: dict[str, ManifestCase],
    reason: str | None,
) -> ComparedChange:
    edits: tuple[Edit, ...] = ()
    if change.document is not None:
        edits = _edits(getattr(before, change.document), getattr(after, change.document), None)
    elif change.kind is ChangeKind.CASE_MOVED and change.case_id:
        edits = (Edit("split", old[change.case_id].split.value, new[change.case_id].split.value),)
    elif change.kind is ChangeKind.CASE_EDITED and change.case_id:
        one, other = old[change.case_id], new[change.case_id]
        edits = _edits(one, other, edited_fields(one, other, _CASE_APART))
    elif change.kind is ChangeKind.FINDING_EDITED and change.case_id and change.finding_id:
        first = _finding(old[change.case_id], change.finding_id)
        second = _finding(new[change.case_id], change.finding_id)
        edits = _edits(first, second, edited_fields(first, second, set()))
    return ComparedChange(change.kind, change.case_id, change.finding_id, change.document, edits, reason)


def _finding(case: ManifestCase, finding_id: str) -> ManifestFinding:
    return next(finding for finding in case.findings if finding.finding_id == finding_id)


def _edits(before: Any, after: Any, names: list[str] | None) -> tuple[Edit, ...]:
    old, new = without_people(to_plain(before)), without_people(to_plain(after))
    wanted = sorted(old) if names is None else names
    return tuple(Edit(name, old[name], new[name]) for name in wanted if old[name] != new[name])


# --- As data and as a text ------------------------------------------------------------------------------------------


def comparison_plain(comparison: Comparison) -> dict[str, Any]:
    """Return the comparison as plain JSON values, every difference with both values."""
    return {
        "format": FORMAT,
        "before": to_plain(comparison.before),
        "after": to_plain(comparison.after),
        "step": comparison.step,
        "counts": [to_plain(count) for count in comparison.counts],
        "changes": [to_plain(change) for change in comparison.changes],
        "unchanged_cases": list(comparison.unchanged_cases),
    }


def comparison_markdown(comparison: Comparison) -> str:
    """Return the comparison as Markdown for a change log or a pull request; long values are cut."""
    before, after = comparison.before, comparison.after
    lines = [
        f"# {_cell(before.project)}: {before.version} to {after.version}",
        "",
        f"- from `{before.digest}`",
        f"- to `{after.digest}`",
        f"- step: {comparison.step}",
        f"- cases with the same truth in both, on which alone scores compare: {len(comparison.unchanged_cases)}",
    ]
    if before.project != after.project:
        lines.insert(2, f"Two projects: {_cell(before.project)} and {_cell(after.project)}.\n")
    differing = [count for count in comparison.counts if count.before != count.after]
    if differing:
        lines += ["", "## Counts", "", "| what | before | after |", "|---|---:|---:|"]
        lines += [f"| {count_words(count)} | {count.before} | {count.after} |" for count in differing]
    lines += ["", "## Changes", ""]
    if not comparison.changes:
        return "\n".join([*lines, "None.", ""])
    lines += ["| change | case or text | golden finding | from, to | why |", "|---|---|---|---|---|"]
    for change in comparison.changes:
        subject = change.case_id or (change.document or "").replace("_", " ")
        edits = "; ".join(edit_words(edit) for edit in change.edits)
        lines.append(
            f"| {change.kind.value.replace('_', ' ')} | {_cell(subject)} | {_cell(change.finding_id or '')} | "
            f"{_cell(edits)} | {_cell(change.reason or '')} |"
        )
    return "\n".join([*lines, ""])


def count_words(count: ComparedCount) -> str:
    """Return what a count counts, in words."""
    group = count.group.replace("_", " ")
    return (
        group
        if not count.name and count.group in {"cases", "complete_cases", "findings"}
        else (f"{group}: {count.name.replace('_', ' ') or 'none'}")
    )


def edit_words(edit: Edit) -> str:
    """Return an edit in words: short values themselves, of structured ones the name alone."""
    name = edit.name.replace("_", " ")
    if any(isinstance(value, dict | list) for value in (edit.before, edit.after)):
        return name
    return f"{name}: {_short(edit.before)} → {_short(edit.after)}"


def _short(value: Any) -> str:
    text = "none" if value is None else str(value)
    return text if len(text) <= _LONGEST_CELL else f"{text[:_LONGEST_CELL]}…"


def _cell(text: str) -> str:
    """Return text that can stand in a cell of a table and means nothing else there."""
    flat = " ".join(text.split())
    return "".join(f"\\{letter}" if letter in "\\`*_{}[]<>#|!~" else letter for letter in flat)
