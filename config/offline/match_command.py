"""`touchstone match`: propose by place and category which AI finding speaks of which golden finding."""

from __future__ import annotations

import argparse

from config.offline.findings import MAX_CASES, MAX_FINDINGS, MAX_ID, read_alternates, read_anchors, read_change
from config.offline.located import Located, one_or_many, read_json, unique, write_json
from corpus.domain.vocabulary import GoldenState, Severity
from reviews.domain.matching import (
    AIInput,
    GoldenInput,
    MatchClass,
    MatchReason,
    Proposal,
    Proposed,
    Scope,
    match_findings,
)

MAX_AI_FINDINGS = 2_000
MAX_SCOPE = 20_000
COUNTED = (
    MatchClass.MATCH,
    MatchClass.PARTIAL,
    MatchClass.DUPLICATE,
    MatchClass.OUT_OF_SCOPE,
    MatchClass.FALSE_POSITIVE,
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Name the one input."""
    parser.add_argument("file", help="JSON: one case with golden and ai, or a list of cases; - for stdin")


def run(options: argparse.Namespace) -> int:
    """Print the proposal for each case, in kind: an object for an object, a list for a list."""
    document = read_json(options.file)
    answers = [_answer(case) for case in one_or_many(document, at_most=MAX_CASES)]
    write_json(answers if isinstance(document.value, list) else answers[0])
    return 0


def _answer(case: Located) -> dict[str, object]:
    files, hunks = read_change(case.get("case"))
    golden = _read_golden(case.at("golden"))
    ai = _read_ai(case.at("ai"))
    proposal = match_findings(golden, ai, files=files, hunks=hunks, scope=_read_scope(case.get("scope")))
    by_id = {finding.ai_id: _shown(finding) for finding in proposal.findings}
    return {
        "ai": {one.id: by_id[one.id] for one in ai},
        "missed": sorted(proposal.missed),
        "counts": _counts(proposal),
        "metrics": {
            "recall_strict": proposal.recall(lenient=False).value,
            "recall_lenient": proposal.recall(lenient=True).value,
            "precision_strict": proposal.precision(lenient=False).value,
            "precision_lenient": proposal.precision(lenient=True).value,
        },
    }


def _read_golden(place: Located) -> list[GoldenInput]:
    members = place.items(at_most=MAX_FINDINGS)
    golden = []
    for member in members:
        state, severity = member.get("state"), member.get("severity")
        golden.append(
            GoldenInput(
                id=member.at("id").text(at_most=MAX_ID),
                category=member.at("category").text(at_most=MAX_ID),
                anchors=read_anchors(member.get("anchors")),
                alternates=read_alternates(member.get("alternates")),
                state=GoldenState.REQUIRED if state is None else state.choice(GoldenState),
                severity=None if severity is None else severity.choice(Severity),
            )
        )
    unique((member, one.id) for member, one in zip(members, golden, strict=True))
    return golden


def _read_ai(place: Located) -> list[AIInput]:
    members = place.items(at_most=MAX_AI_FINDINGS)
    ai = []
    for member in members:
        category = member.get("category")
        severity = member.get("severity")
        if severity is not None:
            severity.choice(Severity)
        ai.append(
            AIInput(
                id=member.at("id").text(at_most=MAX_ID),
                category=None if category is None else category.text(at_most=MAX_ID),
                anchors=read_anchors(member.get("anchors")),
                alternates=read_alternates(member.get("alternates")),
            )
        )
    unique((member, one.id) for member, one in zip(members, ai, strict=True))
    return ai


def _read_scope(place: Located | None) -> Scope:
    if place is None:
        return Scope()
    files, categories = place.get("files_excluded"), place.get("categories_excluded")
    return Scope(
        [] if files is None else [member.text() for member in files.items(at_most=MAX_SCOPE)],
        [] if categories is None else [member.text() for member in categories.items(at_most=MAX_SCOPE)],
    )


def _shown(finding: Proposed) -> dict[str, object]:
    shown: dict[str, object] = {"class": finding.match_class.value}
    if finding.golden_id is not None and finding.reason is not MatchReason.IGNORED_GOLDEN:
        shown["golden"] = finding.golden_id
    if finding.reason is not None:
        shown["reason"] = finding.reason.value
    if finding.needs_confirmation:
        shown["needs_confirmation"] = True
    return shown


def _counts(proposal: Proposal) -> dict[str, int]:
    counts = {kind.value: proposal.count(kind) for kind in COUNTED}
    counts["missed"] = len(proposal.missed)
    return counts
