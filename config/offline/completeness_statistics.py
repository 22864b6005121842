"""`touchstone agree`: how complete labels are, latent classes and whole studies by name."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np

from config.offline.located import Located
from config.offline.statistic_input import (
    MAX_COUNT,
    MAX_RATERS,
    Answer,
    answer,
    answer_of,
    confidence_of,
    names_of,
    read_count,
    read_levels,
)
from corpus.domain.vocabulary import Verdict
from labeling.domain.states import FoundBy
from labeling.domain.statistics import capture
from labeling.domain.statistics.kinds import JUDGING_VERDICTS, SEVERITY_LEVELS, CaseKind, CountedFinding
from labeling.domain.statistics.latent import dawid_skene
from labeling.domain.statistics.layers import Layer, Sample, figure
from labeling.domain.statistics.measures import Measure, Reason, as_shown, share
from labeling.domain.statistics.resampling import RESAMPLES, SEED
from labeling.domain.statistics.study import (
    PairedLabels,
    StudyCase,
    study,
)
from labeling.domain.statistics.tables import rarest_count

MAX_CASES = 10_000
MAX_STUDY_CASES = 100_000
NUMBER_NAMES = {2: "two", 3: "three", 4: "four", 5: "five", 6: "six"}


def two_lists(data: Located, params: Located) -> Answer:
    """Every two-list estimate of how many defects there are."""
    counts = [read_count(data, name) for name in ("n1", "n2", "m")]
    try:
        captures = capture.Captures(*counts)
    except ValueError as error:
        data.fail(str(error))
    confidence = confidence_of(params)
    simple = capture.lincoln_petersen(captures)
    estimate, error_size = capture.chapman(captures), capture.chapman_standard_error(captures)
    given = params.get("z")
    z = 1.96 if given is None else given.number(0, 100)
    unseen = simple if simple.value is None else Measure(simple.value - captures.found)
    return answer(
        lincoln_petersen=simple,
        found=captures.found,
        missed=unseen,
        unseen=unseen,
        chapman=estimate,
        chapman_floor=math.floor(estimate),
        chapman_se=error_size,
        cv=share(error_size, estimate),
        ci_normal=[estimate - z * error_size, estimate + z * error_size],
        ci=list(capture.sadinle_interval(captures, confidence)),
        completeness_at_most=capture.completeness(captures, confidence).at_most,
        reliable=captures.reliable,
    )


def lincoln_petersen(data: Located, params: Located) -> Answer:
    """The two-list estimates with `n_hat` for Lincoln-Petersen."""
    values = two_lists(data, params)
    values["n_hat"] = values["lincoln_petersen"]
    if "reasons" in values:
        values["reasons"]["n_hat"] = values["reasons"]["lincoln_petersen"]
    return values


def chapman(data: Located, params: Located) -> Answer:
    """The two-list estimates with `n_hat` for Chapman."""
    values = two_lists(data, params)
    return {"n_hat": values["chapman"], **values}


def chao(data: Located, params: Located) -> Answer:
    """Chao's lower bound from findings made once and twice."""
    observed, once, twice = (read_count(data, name) for name in ("observed", "f1", "f2"))
    (factor,) = names_of(params.get("factor"), ("none", "(n-1)/n", "(t-1)/t"), ["none"])[:1]
    occasions = None
    if factor != "none":
        place = data.get("occasions") or data.at("n")
        occasions = place.integer(1, MAX_COUNT)
    return answer(
        n_hat=capture.chao_estimate(observed, once, twice, occasions),
        bias_corrected=capture.chao_bias_corrected(observed, once, twice, occasions),
    )


def chao_two_reviewers(data: Located, _: Located) -> Answer:
    """Chao's bound for two reviewers beside Lincoln-Petersen for two equal ones."""
    observed, once, twice = (read_count(data, name) for name in ("observed", "f1", "f2"))
    occasions = data.get("occasions")
    number = 2 if occasions is None else occasions.integer(2, MAX_COUNT)
    equal = Measure(None, Reason.NO_OVERLAP) if not twice else Measure((once / 2 + twice) ** 2 / twice)
    return answer(
        lincoln_petersen=equal,
        chao_with_factor=capture.chao_estimate(observed, once, twice, number),
        chao_without_factor=capture.chao_estimate(observed, once, twice),
    )


def mt_estimates(data: Located, _: Located) -> Answer:
    """The Mt equation for one or several sets of lists."""
    lists = data.at("n").items(at_least=1, at_most=MAX_RATERS)
    observed = data.at("observed").items(at_least=len(lists), at_most=len(lists))
    values: Answer = {}
    for place, count in zip(lists, observed, strict=True):
        found_by = [one.integer(0, MAX_COUNT) for one in place.items(at_least=2, at_most=len(NUMBER_NAMES) + 1)]
        try:
            estimate = capture.mt_estimate(found_by, count.integer(1, MAX_COUNT))
        except ValueError as error:
            place.fail(str(error))
        values[f"n_hat_{NUMBER_NAMES.get(len(found_by), str(len(found_by)))}_reviewers"] = estimate
    return answer_of(values)


def latent_classes(data: Located, params: Located) -> Answer:
    """Dawid-Skene with at least three observers."""
    place = data.at("responses")
    levels = read_levels(data, params)
    if levels is None:
        data.fail('"levels" is missing')
    responses = []
    for unit in place.items(at_least=1, at_most=MAX_CASES):
        given = []
        for observer in unit.items(at_most=MAX_RATERS):
            members = observer.items(at_most=MAX_RATERS)
            for member in members:
                if member.value not in levels:
                    member.fail(f"{member.shown()} is not one of the declared levels")
            given.append([member.value for member in members])
        responses.append(given)
    limit = params.get("tolerance")
    try:
        found = dawid_skene(responses, levels, 1e-10 if limit is None else limit.number(1e-14, 0.1))
    except ValueError as error:
        place.fail(str(error))
    return answer_of(
        {
            "class_marginals": found.class_marginals.tolist(),
            **{
                f"observer{number}_error_rates": rates.tolist()
                for number, rates in enumerate(found.error_rates, start=1)
            },
            "log_likelihood": found.log_likelihood,
            "iterations": found.iterations,
        }
    )


def whole_study(data: Located, params: Located) -> Answer:
    """Every number of one agreement page."""
    levels = read_levels(data, Located(params.source, params.path, {}))
    severities = SEVERITY_LEVELS if levels is None else [str(level) for level in levels]
    verdicts = names_of(params.get("verdict_levels"), JUDGING_VERDICTS, JUDGING_VERDICTS)
    answers = [*verdicts, Verdict.INSUFFICIENT_CONTEXT.value]
    places = data.at("cases").items(at_most=MAX_STUDY_CASES)
    cases = [_study_case(case, answers, severities) for case in places]
    found = study(cases, verdicts=verdicts, severities=severities)
    verdict, category, severity = found.verdict, found.category, found.severity
    captures = found.captures
    bounds = capture.sadinle_interval(captures)
    coefficients = {
        "verdict_alpha": (verdict.alpha, verdict.table),
        "category_alpha": (category.alpha, category.table),
        "severity_alpha_ordinal": (severity.alpha, severity.table),
    }
    more = _place_and_intervals(places, cases, severities, params)
    return answer_of(
        {
            "verdict_n": int(verdict.table.sum()),
            "verdict_po": verdict.raw,
            "verdict_kappa": verdict.kappa,
            "verdict_alpha": verdict.alpha,
            **{f"verdict_specific_{level}": value for level, value in verdict.specific.items()},
            "verdict_ac1": verdict.ac1,
            "detection_matched": found.detection.both,
            "detection_only_first": found.detection.only_first,
            "detection_only_second": found.detection.only_second,
            "detection_f1": found.f1,
            "category_po": category.raw,
            "category_alpha": category.alpha,
            "severity_exact": severity.exact,
            "severity_within_one": severity.within_one,
            "severity_mean_signed_second_minus_first": severity.mean_signed,
            "severity_alpha_ordinal": severity.alpha,
            "severity_weighted_kappa_quadratic": severity.quadratic,
            "severity_weighted_kappa_linear": severity.linear,
            "capture_lincoln_petersen": capture.lincoln_petersen(captures),
            "capture_chapman": capture.chapman(captures),
            "capture_chapman_se": capture.chapman_standard_error(captures),
            "capture_ci": list(bounds),
            "completeness": capture.completeness(captures).at_most,
            "completeness_reliable": captures.reliable,
            "unstable": [
                name
                for name, (value, table) in coefficients.items()
                if as_shown(value, units=int(table.sum()), rarest=rarest_count(table)).unstable
            ],
            **more,
        }
    )


def _place_and_intervals(
    places: Sequence[Located], cases: Sequence[StudyCase], severities: Sequence[str], params: Located
) -> Answer:
    """Return the place layer where pairs tell their lines, and on request each layer with its interval by case."""
    wanted = params.get("intervals")
    with_intervals = wanted is not None and wanted.flag()
    kinds = Counter(_kind(place, case) for place, case in zip(places, cases, strict=True))
    tells_lines = any(
        len(pair.items(at_most=3)) == 3 for place in places for pair in place.at("pairs").items(at_most=MAX_RATERS)
    )
    if not (with_intervals or tells_lines):
        return {}
    if tuple(severities) != SEVERITY_LEVELS:
        params.fail("intervals and places need the five severities")
    sample = Sample(list(kinds))
    times = np.array(list(kinds.values()), dtype=float)
    figures = {layer: figure(sample, layer, times) for layer in Layer}
    values: Answer = {"place_median_iou": Measure(figures[Layer.PLACE].value, figures[Layer.PLACE].reason)}
    if with_intervals:
        values["intervals"] = {
            layer.value: {
                "value": found.value,
                "low": found.low,
                "high": found.high,
                "reason": found.reason or found.interval_reason,
                "method": found.method,
                "unstable": found.unstable,
                "units": found.units,
                "cases": found.cases,
            }
            for layer, found in figures.items()
        }
        values |= {"resamples": RESAMPLES, "seed": SEED}
    return values


def _kind(place: Located, case: StudyCase) -> CaseKind:
    """Return a case as layers take it; what a lone finding says is not told and not asked for."""
    findings = []
    for pair, given in zip(case.pairs, place.at("pairs").items(at_most=MAX_RATERS), strict=True):
        members = given.items(at_most=3)
        more = members[2] if len(members) == 3 else None
        gap = more.get("gap") if more else None
        findings.append(
            CountedFinding(
                FoundBy.BOTH,
                *pair.categories,
                *pair.severities,
                shares_a_line=pair.shares_a_line,
                decided_by_severity=pair.decided_by_severity,
                shared_lines=_lines(more, "shared_lines"),
                union_lines=_lines(more, "union_lines"),
                line_gap=gap.integer(0, MAX_COUNT) if gap else None,
            )
        )
    alone = [CountedFinding(FoundBy.FIRST, "", "", "", "")] * case.only_first
    alone += [CountedFinding(FoundBy.SECOND, "", "", "", "")] * case.only_second
    return CaseKind(*case.verdicts, (*findings, *alone))


def _lines(more: Located | None, name: str) -> int:
    given = more.get(name) if more else None
    return given.integer(0, MAX_COUNT) if given else 0


def _flag(more: Located | None, name: str, default: bool) -> bool:
    given = more.get(name) if more else None
    return default if given is None else given.flag()


def _study_case(place: Located, verdicts: Sequence[str], severities: Sequence[str]) -> StudyCase:
    first, second = (_one_of(member, verdicts) for member in place.at("verdicts").items(at_least=2, at_most=2))
    pairs = []
    for pair in place.at("pairs").items(at_most=MAX_RATERS):
        first_side, second_side, *rest = pair.items(at_least=2, at_most=3)
        more = rest[0] if rest else None
        sides = [side.items(at_least=2, at_most=2) for side in (first_side, second_side)]
        categories = (sides[0][0].text(), sides[1][0].text())
        pairs.append(
            PairedLabels(
                categories,
                (_one_of(sides[0][1], severities), _one_of(sides[1][1], severities)),
                shares_a_line=_flag(more, "shares_a_line", True),
                decided_by_severity=_flag(more, "decided_by_severity", False),
            )
        )
    alone = [place.at(name).integer(0, MAX_RATERS) for name in ("only_first", "only_second")]
    return StudyCase((first, second), tuple(pairs), *alone)


def _one_of(place: Located, allowed: Sequence[str]) -> str:
    name = place.text()
    if name not in allowed:
        place.fail(f"{place.shown()} is unknown; allowed are {', '.join(allowed)}")
    return name


STATISTICS = {
    "capture_mt_mle": mt_estimates,
    "chao1": chao,
    "chao1_two_reviewers": chao_two_reviewers,
    "chapman": chapman,
    "chapman_sadinle_ci": two_lists,
    "dashboard_bundle": whole_study,
    "dawid_skene": latent_classes,
    "lincoln_petersen": lincoln_petersen,
    "lincoln_petersen_chapman": two_lists,
}
