"""Gates: what must hold before a version is frozen. Pure functions over what would be frozen.

A gate that did not pass is waived with a reason, where it can be, or nothing is frozen. Each names the cases that fail
it, with a sentence on each.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from corpus.domain.manifest_records import ManifestFinding
from corpus.domain.vocabulary import GATE_TITLES, AnchorRole, CaseResult, CaseState, GoldenState, Side
from corpus.selectors.case_records import CaseRecord

# A gate's detail is one line on a receipt.
MAX_DETAIL = 300


@dataclass(frozen=True)
class FailingCase:
    """A case that fails a gate, and why. `tells_truth` when the reason tells of a golden finding."""

    case_id: str
    reason: str
    tells_truth: bool = False


@dataclass(frozen=True)
class Gate:
    """How one gate stands. `key` names it in commands and manifests."""

    key: str
    has_passed: bool
    detail: str
    failing: tuple[FailingCase, ...] = ()
    waivable: bool = False

    @property
    def title(self) -> str:
        """Say what must hold."""
        return GATE_TITLES[self.key]


def check_gates(records: Sequence[CaseRecord]) -> tuple[Gate, ...]:
    """Return every gate for the cases that a version would hold."""
    return (
        settled(records),
        written(records),
        anchors(records),
        clean_case(records),
        distinct_places(records),
        one_split(records),
    )


def settled(records: Sequence[CaseRecord]) -> Gate:
    """Every included case is settled and not stale, and there is one at least (N7)."""
    failing = tuple(
        FailingCase(record.case.public_id, _why_not_settled(record))
        for record in records
        if record.case.state != CaseState.SETTLED
    )
    good = len(records) - len(failing)
    detail = f"{good} of {_cases(len(records))}" if records else "no case is included"
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
    detail = "every case is complete" if not failing else f"{_cases(len(failing))} incomplete"
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


def clean_case(records: Sequence[CaseRecord]) -> Gate:
    """At least one case is clean, so that false alarms can be measured."""
    clean = sum(record.case.result == CaseResult.CLEAN for record in records)
    detail = _cases(clean) if clean else "no case is clean, so false alarms cannot be measured"
    return Gate("clean_case", clean > 0, detail, waivable=True)


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


def one_split(records: Sequence[CaseRecord]) -> Gate:
    """A family or cluster of near-duplicates lies in one split, so that nothing of the holdout is known from dev."""
    splits: dict[tuple[str, str], dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for record in records:
        for kind in ("family", "cluster"):
            name = getattr(record.case, kind)
            if name:
                splits[kind, name][record.case.split].append(record.case.public_id)
    failing = [
        FailingCase(case_id, f"The {kind} {name} lies in {_listed(sorted(found))}; this case is in {split}.")
        for (kind, name), found in sorted(splits.items())
        if len(found) > 1
        for split, case_ids in sorted(found.items())
        for case_id in case_ids
    ]
    spread = sum(len(found) > 1 for found in splits.values())
    detail = "none is spread" if not spread else f"{spread} spread over several splits"
    return Gate("one_split", not failing, detail, tuple(failing), waivable=True)


def _cases(number: int) -> str:
    return f"{number} case" if number == 1 else f"{number} cases"


def _listed(words: Sequence[str]) -> str:
    return f"{', '.join(words[:-1])} and {words[-1]}"
