"""Figures as files: every number as CSV, and the counts behind them in the shape that `touchstone agree` reads.

The export names no case and no person, and lists cases by what was said about them, so that it tells no more than the
figures do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from labeling.domain.states import FoundBy
from labeling.domain.statistics.kinds import CaseKind, CountedFinding
from labeling.domain.statistics.layers import Layer, found_by_both, near_severity, on_one_line, same_category
from labeling.selectors.agreement.breakdown import Breakdown
from labeling.selectors.agreement.missed import MissedDefects
from labeling.selectors.agreement.overview import Overview
from labeling.selectors.agreement.sample import Choice, CountedCases
from labeling.selectors.agreement.words import Shown

CSV_COLUMNS = (
    "breakdown",
    "group",
    "layer",
    "figure",
    "value",
    "low",
    "high",
    "reason",
    "unstable",
    "units",
    "cases",
    "counts",
)
Entry = dict[str, Any]


def csv_rows(found: Overview, breakdowns: Sequence[Breakdown]) -> Iterator[tuple[object, ...]]:
    """Yield every figure of the overview and of the breakdowns."""
    for card in found.layers:
        for line in card.lines:
            yield ("", "", card.layer, *_cells(line))
    for one in breakdowns:
        for group in one.groups:
            for line in group.lines:
                yield (one.by, group.label, "", *_cells(line))


def _cells(line: Shown) -> tuple[object, ...]:
    numbers = ["" if number is None else repr(number) for number in (line.value, line.low, line.high)]
    return (
        line.key or line.label,
        *numbers,
        line.reason,
        "yes" if line.few else "",
        line.units,
        line.cases,
        line.counts,
    )


def study_entries(cases: CountedCases, choice: Choice, missed: MissedDefects | None) -> list[Entry]:
    """Return what `touchstone agree` computes the figures from: layers with intervals, shares, missed defects."""
    sample, times = cases.sample, cases.times
    order = [position for _, position in sorted((kind.digest, number) for number, kind in enumerate(sample.kinds))]
    counts = [int(number) for number in times]

    def listed(entries: Sequence[Entry | None]) -> list[Entry]:
        """Return the entry of each case in the order of kinds, given the entry of each kind."""
        return [entry for number in order if (entry := entries[number]) is not None for _ in range(counts[number])]

    table = sample.table(Layer.VERDICT, times)
    entries: list[Entry] = [
        {
            "title": "All layers" + (f" of {choice.as_query()}" if not choice.is_empty else ""),
            "statistic": "dashboard_bundle",
            "data": {"cases": listed([bundle_case(kind) for kind in sample.kinds])},
            "params": {"intervals": True},
        },
        {
            "title": "verdict_raw",
            "statistic": "wilson_interval",
            "data": {"x": int(table.trace()), "n": int(table.sum())},
        },
    ]
    shares: dict[str, Callable[[Sequence[CountedFinding]], tuple[int, int]]] = {
        "category_raw": same_category,
        "severity_exact": lambda found: near_severity(found, 0),
        "severity_within_one": lambda found: near_severity(found, 1),
        "place_common_line": on_one_line,
        "existence_share": found_by_both,
    }
    for name in sample.categories:
        shares[f"category_found_{name}"] = lambda found, name=name: found_by_both(found, category=name)  # type: ignore[misc]
        shares[f"category_specific_{name}"] = lambda found, name=name: same_category(found, name)  # type: ignore[misc]
    for key, count in shares.items():
        # Findings of cases that a reviewer could not judge are empty here.
        counted = [count(found) for found in sample.findings]
        cases_of = listed([{"golden": total, "hit": hits} if total else None for hits, total in counted])
        if cases_of:
            entries.append({"title": key, "statistic": "cluster_ratio", "data": {"cases": cases_of}})
    if missed is not None:
        captures = missed.overall.captures
        entries.append(
            {
                "title": "missed_defects",
                "statistic": "lincoln_petersen_chapman",
                "data": {"n1": captures.n1, "n2": captures.n2, "m": captures.m},
            }
        )
    return entries


def bundle_case(kind: CaseKind) -> Entry:
    """Return one case as the entry `dashboard_bundle` of `touchstone agree` reads it."""
    pairs = [one for one in kind.findings if one.found_by == FoundBy.BOTH]
    sides = [one.found_by for one in kind.findings]
    return {
        "verdicts": [kind.verdict_first, kind.verdict_second],
        "pairs": [_bundle_pair(pair) for pair in pairs],
        "only_first": sides.count(FoundBy.FIRST),
        "only_second": sides.count(FoundBy.SECOND),
    }


def _bundle_pair(pair: CountedFinding) -> list[object]:
    sides: list[object] = [
        [pair.category_first or "none", pair.severity_first],
        [pair.category_second or "none", pair.severity_second],
    ]
    more: Entry = {
        "shares_a_line": pair.shares_a_line,
        "decided_by_severity": pair.decided_by_severity,
        "shared_lines": pair.shared_lines,
        "union_lines": pair.union_lines,
    }
    if pair.line_gap is not None:
        more["gap"] = pair.line_gap
    return [*sides, more]
