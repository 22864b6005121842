"""Gates on the truth of the cases that a version would hold. Pure functions."""

from __future__ import annotations

from collections.abc import Sequence

from corpus.domain.manifest_records import ManifestFinding
from corpus.domain.vocabulary import AnchorRole, CaseState, GoldenState, Side
from corpus.selectors.case_records import CaseRecord
from corpus.services.gate import FailingCase, Gate, cases_in_words


def settled(records: Sequence[CaseRecord]) -> Gate:
    """Every included case is settled and not stale, and there is one at least (N7)."""
    failing = tuple(
        FailingCase(record.case.public_id, _why_not_settled(record))
        for record in records
        if record.case.state != CaseState.SETTLED
    )
    good = len(records) - len(failing)
    detail = f"{good} of {cases_in_words(len(records))}" if records else "no case is included"
    return Gate("settled", bool(records) and not failing, detail, failing)


def _why_not_settled(record: CaseRecord) -> str:
    case = record.case
    if case.state == CaseState.STALE:
        because = f": {case.stale_reason}" if case.stale_reason else ""
        return f"It is stale{because}. Confirm it in a new round, or leave it out."
    return f"It is {case.state}. Wait until it settles, or leave it out."


def written(records: Sequence[CaseRecord]) -> Gate:
    """Every settled case has all that a manifest must say of it."""
    failing = tuple(
        FailingCase(record.case.public_id, f"It cannot be written down: {record.problem}.", tells_truth=True)
        for record in records
        if record.manifest is None and record.case.state == CaseState.SETTLED
    )
    detail = "every case is complete" if not failing else f"{cases_in_words(len(failing))} incomplete"
    return Gate("complete", not failing, detail, failing)


def anchors(records: Sequence[CaseRecord]) -> Gate:
    """Every place of a live finding exists in the bytes it was set in, and they say what it quotes."""
    failing = tuple(
        FailingCase(record.case.public_id, fault, tells_truth=True)
        for record in records
        for fault in record.anchor_faults
    )
    total = sum(len(finding.anchors) for record in records if record.manifest for finding in record.manifest.findings)
    detail = f"{total} place{'' if total == 1 else 's'} checked against the stored bytes"
    if failing:
        detail = f"{len(failing)} of {max(total, len(failing))} places do not match the stored bytes"
    return Gate("anchors", not failing, detail, failing)


def distinct_places(records: Sequence[CaseRecord]) -> Gate:
    """No two required findings of one case share a line and the category: they may be one defect written twice."""
    failing = []
    for record in records:
        taken: dict[tuple[str | None, str | None, Side | None, int], str] = {}
        pairs: dict[tuple[str, str], str] = {}
        for finding in record.manifest.findings if record.manifest else ():
            if finding.state is not GoldenState.REQUIRED:
                continue
            for path, side, line in _primary_lines(finding):
                other = taken.setdefault((finding.category, path, side, line), finding.finding_id)
                if other != finding.finding_id:
                    pairs.setdefault((other, finding.finding_id), f"line {line} of {path}, {side} side")
        failing += [
            FailingCase(record.case.public_id, f"{one} and {other} both name {place}.", tells_truth=True)
            for (one, other), place in pairs.items()
        ]
    detail = "no two on one line" if not failing else f"{len(failing)} pairs share a line and the category"
    return Gate("distinct_places", not failing, detail, tuple(failing), waivable=True)


def _primary_lines(finding: ManifestFinding) -> list[tuple[str | None, Side | None, int]]:
    return [
        (anchor.path, anchor.side, line)
        for anchor in finding.anchors
        if anchor.role is AnchorRole.PRIMARY
        for first, last in anchor.ranges
        for line in range(first, last + 1)
    ]


def read_by_all(records: Sequence[CaseRecord]) -> Gate:
    """Everybody whose verdict decides marked every changed file as read: what was not read was not judged."""
    failing = tuple(
        FailingCase(record.case.public_id, _who_did_not_read(record.unread_files, record.case.file_count))
        for record in records
        if any(record.unread_files)
    )
    detail = (
        "every changed file" if not failing else f"{cases_in_words(len(failing))} with files that somebody did not read"
    )
    return Gate("read_by_all", not failing, detail, failing, waivable=True)


def _who_did_not_read(unread: Sequence[int], files: int) -> str:
    people = sum(number > 0 for number in unread)
    most = max(unread)
    return (
        f"{people} of {len(unread)} reviewers did not mark all of its {files} files as read, up to {most} of them. "
        "Confirm it in a new round, or waive this with the reason why their verdicts hold."
    )
