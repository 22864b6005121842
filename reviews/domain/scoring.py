"""The figures of a scorecard, from classified findings.

Conventions, the same everywhere: a rate without a denominator is undefined (None with the reason), never 0 or 1. The
golden findings of unreviewed cases stay in the denominator of recall, as missed; unreviewed cases leave every other
figure. Precision and noise are taken over cases with complete labels, since only there a finding can be wrong.
Optional hits and unjudged findings are in no denominator. Weights go by the severity of the golden finding.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from corpus.domain.intervals import clustered_wilson, wilson
from corpus.domain.vocabulary import Severity
from reviews.domain.matching import MatchClass
from reviews.domain.scored import HITS, RunState, ScoredCase, ScoredFinding

NEAR_LINES = 2
_NOISE = (MatchClass.FALSE_POSITIVE, MatchClass.DUPLICATE, MatchClass.OUT_OF_SCOPE)
_PRECISION = (*HITS, MatchClass.FALSE_POSITIVE)

Clusters = Sequence[tuple[int, int]]


@dataclass(frozen=True)
class Figure:
    """A rate with its counts and 95 % interval; `reason` says why value or interval is undefined."""

    numerator: int
    denominator: int
    low: float | None = None
    high: float | None = None
    reason: str | None = None

    @property
    def value(self) -> float | None:
        """The rate, or None without a denominator."""
        return self.numerator / self.denominator if self.denominator else None


@dataclass(frozen=True)
class Metrics:
    """Counts and figures of one run, by name."""

    counts: Mapping[str, int]
    figures: Mapping[str, Figure]


def metrics(cases: Sequence[ScoredCase], weights: Mapping[str, int]) -> Metrics:
    """Return the figures of `cases`; `weights` gives the weight of each severity."""
    return Metrics(_counts(cases), {**_recall(cases, weights), **_precision(cases), **_noise(cases), **_places(cases)})


def bounds(cases: Sequence[ScoredCase], weights: Mapping[str, int]) -> tuple[Metrics, Metrics]:
    """Return the figures if every open finding turned out wrong, and if every one turned out as good as it can."""
    return metrics([_all_wrong(case) for case in cases], weights), metrics(
        [_all_right(case, weights) for case in cases], weights
    )


def _all_wrong(case: ScoredCase) -> ScoredCase:
    wrong = MatchClass.FALSE_POSITIVE if case.is_complete else MatchClass.UNJUDGED
    return replace(
        case,
        findings=tuple(
            replace(one, result=wrong, golden_id=None, reason=None, localisation=None) if one.is_open else one
            for one in case.findings
        ),
    )


def _all_right(case: ScoredCase, weights: Mapping[str, int]) -> ScoredCase:
    """Give each open finding that names no golden finding of its own one that was missed, the heaviest first.

    What is left once all are found is counted neither right nor wrong.
    """
    named = case.named(*HITS)
    missed = sorted(
        (one for one in case.golden if one.id not in named), key=lambda one: (weights[one.severity], one.id)
    )

    def ruled(finding: ScoredFinding) -> ScoredFinding:
        if not finding.is_open:
            return finding
        if finding.result in HITS:
            return replace(finding, result=MatchClass.MATCH)
        if missed:
            return replace(finding, result=MatchClass.MATCH, golden_id=missed.pop().id, reason=None)
        if finding.result is MatchClass.FALSE_POSITIVE:
            return replace(finding, result=MatchClass.UNJUDGED, reason=None)
        return finding

    return replace(case, findings=tuple(ruled(one) for one in case.findings))


def _counts(cases: Sequence[ScoredCase]) -> dict[str, int]:
    required = sum(len(case.golden) for case in cases)
    return {
        "cases": len(cases),
        "complete_cases": sum(case.is_complete for case in cases),
        "clean_cases": sum(case.is_clean for case in cases),
        **{state.value: sum(case.state is state for case in cases) for state in RunState},
        "golden": required,
        **{kind.value: sum(case.count(kind) for case in cases) for kind in MatchClass},
        "missed": required - sum(len(case.named(*HITS)) for case in cases),
        "optional_hits": sum(case.optional_hits for case in cases),
        "emitted": sum(case.count(*MatchClass) for case in cases),
        "set_aside": sum(len(case.findings) for case in cases if not case.is_reviewed),
        "open": sum(finding.is_open for case in cases if case.is_reviewed for finding in case.findings),
    }


def _recall(cases: Sequence[ScoredCase], weights: Mapping[str, int]) -> dict[str, Figure]:
    def of_findings(results: tuple[MatchClass, ...], among: Iterable[ScoredCase], level: Severity | None) -> Figure:
        clusters = []
        for case in among:
            golden = [one.id for one in case.golden if level in {None, one.severity}]
            clusters.append((len(case.named(*results).intersection(golden)), len(golden)))
        what = "golden finding" if level is None else f"golden finding of severity {level}"
        return _share_of_findings(clusters, f"no required {what}")

    match = (MatchClass.MATCH,)
    total = captured = 0
    for case in cases:
        found = case.named(*match)
        total += sum(weights[one.severity] for one in case.golden)
        captured += sum(weights[one.severity] for one in case.golden if one.id in found)
    by_severity = {f"{level}.recall": of_findings(match, cases, level) for level in reversed(Severity)}
    return {
        "recall": of_findings(match, cases, None),
        "recall_lenient": of_findings(HITS, cases, None),
        "recall_reviewed": of_findings(match, (case for case in cases if case.is_reviewed), None),
        **by_severity,
        "weighted_recall": _plain(captured, total, "no golden finding with a weight above 0", "weights are no counts"),
    }


def _precision(cases: Sequence[ScoredCase]) -> dict[str, Figure]:
    complete = [case for case in cases if case.is_complete and case.is_reviewed]

    def share(results: tuple[MatchClass, ...], total: Callable[[ScoredCase], int], among: list[ScoredCase]) -> Figure:
        return _share_of_findings([(case.count(*results), total(case)) for case in among], "no judged finding")

    def right_or_wrong(case: ScoredCase) -> int:
        return case.count(*_PRECISION)

    def judged(case: ScoredCase) -> int:
        return case.judged

    return {
        "precision": share((MatchClass.MATCH,), right_or_wrong, complete),
        "precision_lenient": share(HITS, right_or_wrong, complete),
        "precision_emitted": share((MatchClass.MATCH,), judged, complete),
        "correctness": share((*HITS, MatchClass.DUPLICATE), judged, complete),
        "duplicate_rate": share((MatchClass.DUPLICATE,), judged, [case for case in cases if case.is_reviewed]),
    }


def _noise(cases: Sequence[ScoredCase]) -> dict[str, Figure]:
    complete = [case for case in cases if case.is_complete and case.is_reviewed]
    clean = [case for case in cases if case.is_clean and case.is_reviewed]
    noise = sum(case.count(*_NOISE) - case.optional_hits for case in complete)
    shown = [case.count(*MatchClass) for case in clean]
    return {
        "noise_per_case": _plain(noise, len(complete), "no reviewed case with complete labels", "a mean is no share"),
        "clean_comment_rate": _share_of_cases(sum(map(bool, shown)), len(clean), "no reviewed clean case"),
        "comments_per_clean_case": _plain(sum(shown), len(clean), "no reviewed clean case", "a mean is no share"),
    }


def _places(cases: Sequence[ScoredCase]) -> dict[str, Figure]:
    found = [
        [one.localisation for one in case.findings if one.result is MatchClass.MATCH and one.localisation]
        for case in cases
        if case.is_reviewed
    ]
    everywhere = [place for places in found for place in places]
    none = "no match with lines on both sides"

    def within(lines: int) -> Figure:
        return _share_of_findings(
            [(sum(place.distance <= lines for place in places), len(places)) for places in found], none
        )

    distance = sum(place.distance for place in everywhere)
    shared, union = sum(place.shared for place in everywhere), sum(place.union for place in everywhere)
    return {
        "located_exactly": within(0),
        "located_nearly": within(NEAR_LINES),
        "mean_distance": _plain(distance, len(everywhere), none, "a mean is no share"),
        "pooled_iou": _plain(shared, union, none, "lines of one finding are not independent"),
    }


def _share_of_findings(clusters: Clusters, nothing: str) -> Figure:
    """A share of findings: those of one case are alike, so the interval goes by case."""
    hits, total = sum(one for one, _ in clusters), sum(all_ for _, all_ in clusters)
    if not total:
        return Figure(hits, total, reason=nothing)
    low, high = clustered_wilson(clusters)
    return Figure(hits, total, low, high)


def _share_of_cases(hits: int, total: int, nothing: str) -> Figure:
    return Figure(hits, total, *wilson(hits, total)) if total else Figure(hits, total, reason=nothing)


def _plain(numerator: int, denominator: int, nothing: str, no_interval: str) -> Figure:
    """A ratio that has no interval of its own."""
    return Figure(numerator, denominator, reason=f"no interval: {no_interval}" if denominator else nothing)
