"""`touchstone agree`: shares with intervals and paired comparisons by name."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from config.offline.located import Located
from config.offline.statistic_input import (
    MAX_COUNT,
    MAX_RATERS,
    MAX_UNITS,
    Answer,
    answer,
    answer_of,
    confidence_of,
    interval_of,
    names_of,
    read_count,
    read_counts,
)
from corpus.domain.paired import mcnemar, sign_flip_p
from labeling.domain.statistics.existence import Detection, detection_f1, kappa_with_negatives
from labeling.domain.statistics.intervals import (
    clopper_pearson,
    clustered_share,
    paired_difference,
    wilson,
    wilson_with_continuity,
)
from labeling.domain.statistics.measures import Measure, Reason, share
from labeling.domain.statistics.resampling import (
    SEED,
    bootstrap_sample,
    every_resample,
    interval_by_case,
)
from labeling.domain.statistics.tables import Numbers

MAX_CASES = 10_000
MAX_ENUMERATED = 8
MAX_SAMPLE = 5_000
LARGEST_CASE = 10_000
SAMPLE_RESAMPLES = 20_000
MAX_RESAMPLES = 100_000

SAMPLE_STATISTICS: dict[str, Callable[[Numbers], Numbers]] = {
    "variance with divisor n": lambda samples: np.asarray(samples.var(axis=1)),
    "mean": lambda samples: np.asarray(samples.mean(axis=1)),
    "median": lambda samples: np.asarray(np.median(samples, axis=1)),
}


def _share_counts(data: Located) -> tuple[int, int]:
    hits, total = read_count(data, "x"), read_count(data, "n")
    if hits > total:
        data.fail(f"x is {hits}, above n, which is {total}")
    return hits, total


def wilson_interval(data: Located, params: Located) -> Answer:
    """Wilson's interval, with continuity correction on request."""
    hits, total = _share_counts(data)
    corrected = params.get("continuity")
    function = wilson_with_continuity if corrected is not None and corrected.flag() else wilson
    return answer_of({"share": share(hits, total), "ci": interval_of(function(hits, total, confidence_of(params)))})


def corrected_intervals(data: Located, params: Located) -> Answer:
    """Wilson's interval with continuity correction and the exact one."""
    hits, total = _share_counts(data)
    confidence = confidence_of(params)
    return answer_of(
        {
            "share": share(hits, total),
            "wilson_cc": interval_of(wilson_with_continuity(hits, total, confidence)),
            "clopper_pearson": interval_of(clopper_pearson(hits, total, confidence)),
        }
    )


def _two_by_two(data: Located) -> list[list[int]]:
    place = data.at("table")
    table = read_counts(place, square=True)
    if table.shape != (2, 2):
        place.fail("the table has to have two rows and two columns")
    return [[int(cell) for cell in row] for row in table]


def mcnemar_test(data: Located, _: Located) -> Answer:
    """McNemar's test: exact, mid-p, asymptotic, with correction."""
    table = _two_by_two(data)
    if table[0][1] + table[1][0] > MAX_UNITS:
        data.fail(f"more than {MAX_UNITS} discordant pairs")
    test = mcnemar(table[0][1], table[1][0])
    if test is None:
        missing = Measure(None, Reason.EMPTY_DENOMINATOR)
        names = ("exact_p", "mid_p", "chi2", "p", "chi2_cc", "p_cc")
        return answer_of(dict.fromkeys(names, missing))
    return answer(
        exact_p=test.exact_p,
        mid_p=test.mid_p,
        chi2=test.chi2,
        p=test.p,
        chi2_cc=test.corrected_chi2,
        p_cc=test.corrected_p,
    )


def difference_interval(data: Located, params: Located) -> Answer:
    """Difference of two paired shares with Newcombe's interval."""
    found = paired_difference(_two_by_two(data), confidence_of(params))
    if found is None:
        return answer(difference=Measure(None, Reason.EMPTY_DENOMINATOR), ci=None)
    return answer(difference=found[0], ci=list(found[1]))


def sample_bootstrap(data: Located, params: Located) -> Answer:
    """Bootstrap of one plain sample; deterministic, with a fixed seed."""
    sample = [
        member.number(-MAX_COUNT, MAX_COUNT) for member in data.at("sample").items(at_least=2, at_most=MAX_SAMPLE)
    ]
    (name,) = names_of(params.get("statistic"), tuple(SAMPLE_STATISTICS), ["variance with divisor n"])[:1]
    given = params.get("resamples")
    # A text is advice to the reader, not a number.
    resamples = SAMPLE_RESAMPLES if given is None or isinstance(given.value, str) else given.integer(100, MAX_RESAMPLES)
    found = bootstrap_sample(sample, SAMPLE_STATISTICS[name], confidence=confidence_of(params), resamples=resamples)
    return answer(
        theta=found.estimate,
        acceleration=found.acceleration,
        bca=interval_of(found.bca),
        percentile=interval_of(found.percentile),
        resamples=resamples,
        seed=SEED,
    )


def cluster_bootstrap(data: Located, params: Located) -> Answer:
    """F1 resampled by case: over every resample of a few cases, or an interval from random ones."""
    place = data.at("cases")
    vectors = np.array(
        [
            [read_count(case, "matched"), read_count(case, "unmatched")]
            for case in place.items(at_least=1, at_most=MAX_CASES)
        ],
        dtype=float,
    )
    total = vectors.sum(axis=0)
    estimate = share(float(2 * total[0]), float(2 * total[0] + total[1]))
    enumerate_all = params.get("enumerate")
    if enumerate_all is None or not enumerate_all.flag():
        found = interval_by_case(vectors, _f1_of_sums, confidence=confidence_of(params))
        return answer(
            f1=estimate,
            ci=None if found.low is None or found.high is None else [found.low, found.high],
            ci_reason=found.reason,
            method=found.method,
            resamples=found.resamples,
            seed=found.seed,
        )
    if len(vectors) > MAX_ENUMERATED:
        place.fail(f"{len(vectors)} cases; at most {MAX_ENUMERATED} can be enumerated")
    return answer_of({"f1": estimate, **_moments(vectors)})


def _f1_of_sums(sums: Numbers) -> Numbers:
    with np.errstate(invalid="ignore"):
        return np.asarray(2 * sums[:, 0] / (2 * sums[:, 0] + sums[:, 1]))


def _moments(vectors: Numbers) -> Answer:
    drawn = list(every_resample(len(vectors)))
    values = _f1_of_sums(np.array([times for times, _ in drawn]) @ vectors)
    defined = np.isfinite(values)
    orders = np.array([order for _, order in drawn], dtype=float)
    undefined = float(orders[~defined].sum() / orders.sum())
    values, orders = values[defined], orders[defined]
    if not len(values):
        missing = Measure(None, Reason.EMPTY_DENOMINATOR)
        names = ("mean", "sd_population", "min", "max", "p_ge_half")
        return {**dict.fromkeys(names, missing), "undefined_share": undefined}
    weights = orders / orders.sum()
    mean = float(weights @ values)
    return {
        "mean": mean,
        "sd_population": math.sqrt(float(weights @ (values - mean) ** 2)),
        "min": float(values.min()),
        "max": float(values.max()),
        "p_ge_half": float(weights[values >= 0.5].sum()),
        "undefined_share": undefined,
    }


def cluster_ratio(data: Located, params: Located) -> Answer:
    """Recall with cases as clusters."""
    cases = []
    for case in data.at("cases").items(at_least=1, at_most=MAX_CASES):
        golden, hit = read_count(case, "golden"), read_count(case, "hit")
        if hit > golden:
            case.fail(f"hit is {hit}, above golden, which is {golden}")
        cases.append((hit, golden))
    given = params.get("design_effect_floor")
    floor = 1.0 if given is None else given.number(0.01, MAX_COUNT)
    found = clustered_share(cases, confidence_of(params), floor)
    if found is None:
        return answer(recall=Measure(None, Reason.EMPTY_DENOMINATOR))
    return answer(
        recall=found.share,
        se_cluster=Measure(None, Reason.TOO_FEW_CASES) if found.standard_error is None else found.standard_error,
        design_effect=found.design_effect,
        n_effective=found.effective_total,
        wilson_naive=list(found.naive),
        wilson_effective_n=list(found.interval),
    )


def paired_permutation(data: Located, _: Located) -> Answer:
    """Difference of two recalls with the exact sign-flip test over cases."""
    golden = first = second = 0
    differences = []
    for case in data.at("cases").items(at_least=1, at_most=MAX_CASES):
        count = case.at("golden").integer(0, LARGEST_CASE)
        hits = [case.at(name).integer(0, count) for name in ("hit_a", "hit_b")]
        golden, first, second = golden + count, first + hits[0], second + hits[1]
        differences.append(hits[0] - hits[1])
    if sum(map(abs, differences)) * len(differences) > MAX_COUNT // 10:
        data.fail("too many cases with too large differences for the exact test")
    return answer(
        recall_a=share(first, golden),
        recall_b=share(second, golden),
        difference=share(first - second, golden),
        p_sign_flip_exact=sign_flip_p(differences),
    )


def detection(data: Located, params: Located) -> Answer:
    """Detection F1, and kappa for assumed numbers of true negatives."""
    found = Detection(*(read_count(data, name) for name in ("both", "only_first", "only_second")))
    given = params.get("true_negatives")
    negatives = [] if given is None else [one.integer(0, MAX_COUNT) for one in given.items(at_most=MAX_RATERS)]
    f1 = detection_f1(found)
    return answer(
        f1=f1,
        positive_specific_agreement=f1,
        kappa_by_true_negatives=[kappa_with_negatives(found, one).value for one in negatives],
    )


STATISTICS = {
    "bootstrap_bca": sample_bootstrap,
    "cluster_bootstrap": cluster_bootstrap,
    "cluster_ratio": cluster_ratio,
    "detection_f1": detection,
    "mcnemar": mcnemar_test,
    "mcnemar_midp": mcnemar_test,
    "paired_difference_ci": difference_interval,
    "paired_permutation": paired_permutation,
    "wilson_interval": wilson_interval,
    "wilson_interval_cc": corrected_intervals,
}
