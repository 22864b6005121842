"""`touchstone pair`: align two reviewers' labels of a case and name what differs."""

from __future__ import annotations

import argparse

from config.offline.findings import (
    MAX_CASES,
    MAX_FINDINGS,
    MAX_ID,
    read_alternates,
    read_anchors,
    read_change,
)
from config.offline.located import Located, one_or_many, read_json, unique, write_json
from corpus.domain.vocabulary import Severity, Verdict
from labeling.domain.alignment import Comparison, Finding, Flag, align, compare


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Name the one input."""
    parser.add_argument("file", help="JSON: one case with reviewers a and b, or a list of cases; - for stdin")


def run(options: argparse.Namespace) -> int:
    """Print the alignment of each case, in kind: an object for an object, a list for a list."""
    document = read_json(options.file)
    answers = [_answer(case) for case in one_or_many(document, at_most=MAX_CASES)]
    write_json(answers if isinstance(document.value, list) else answers[0])
    return 0


def _answer(case: Located) -> dict[str, object]:
    files, hunks = read_change(case.get("case"))
    verdict_a, findings_a = _read_review(case.at("a"))
    verdict_b, findings_b = _read_review(case.at("b"))
    alignment = align(findings_a, findings_b, files=files, hunks=hunks)
    comparison = compare(verdict_a, verdict_b, alignment)
    shared_ids = {finding.id for finding in findings_a} & {finding.id for finding in findings_b}
    return {
        "pairs": sorted([pair.a_id, pair.b_id] for pair in alignment.pairs),
        "unmatched_a": sorted(alignment.unmatched_a),
        "unmatched_b": sorted(alignment.unmatched_b),
        "flags": _flags(comparison, shared_ids),
        "needs_adjudication": comparison.needs_adjudication,
    }


def _read_review(place: Located) -> tuple[Verdict, list[Finding]]:
    verdict = place.at("verdict").choice(Verdict)
    listed = place.get("findings")
    members = [] if listed is None else listed.items(at_most=MAX_FINDINGS)
    findings = [
        Finding(
            id=member.at("id").text(at_most=MAX_ID),
            category=member.at("category").text(at_most=MAX_ID),
            severity=member.at("severity").choice(Severity),
            anchors=read_anchors(member.get("anchors")),
            alternates=read_alternates(member.get("alternates")),
        )
        for member in members
    ]
    unique((member, finding.id) for member, finding in zip(members, findings, strict=True))
    return verdict, findings


def _flags(comparison: Comparison, shared_ids: set[str]) -> list[dict[str, object]]:
    return [_flag(flag, shared_ids) for flag in comparison.flags]


def _flag(flag: Flag, shared_ids: set[str]) -> dict[str, object]:
    shown: dict[str, object] = {"type": flag.kind.value}
    if flag.verdicts is not None:
        shown["a"], shown["b"] = (verdict.value for verdict in flag.verdicts)
    if flag.finding_id is not None:
        shown["finding"] = flag.finding_id
    # An id that both reviewers use does not say whose finding it is.
    if flag.side is not None and (flag.finding_id is None or flag.finding_id in shared_ids):
        shown["side"] = flag.side
    if flag.pair is not None:
        shown["pair"] = list(flag.pair)
    if flag.distance is not None:
        shown["distance"] = flag.distance
    return shown
