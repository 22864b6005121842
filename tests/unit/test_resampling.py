"""Intervals: against scipy and statsmodels, against plain resampling, and where there must be none."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar as other_mcnemar
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint

from corpus.domain.paired import holm, mcnemar, sign_flip_p
from labeling.domain.statistics import capture, intervals, resampling
from labeling.domain.statistics.alpha import Metric, alpha
from labeling.domain.statistics.measures import Reason

COUNTS = st.integers(1, 400).flatmap(lambda total: st.tuples(st.integers(0, total), st.just(total)))


def f1(sums):
    with np.errstate(invalid="ignore"):
        return 2 * sums[:, 0] / (2 * sums[:, 0] + sums[:, 1])


def random_cases(count, seed=1):
    source = np.random.default_rng(seed)
    return np.column_stack([source.integers(0, 4, count), source.integers(0, 3, count)]).astype(float)


@given(COUNTS, st.sampled_from([0.8, 0.9, 0.95, 0.99]))
def test_wilson_and_exact_intervals_equal_statsmodels(counts, confidence):
    hits, total = counts
    expected = proportion_confint(hits, total, alpha=1 - confidence, method="wilson")
    assert intervals.wilson(hits, total, confidence) == pytest.approx(expected, abs=1e-9)
    exact = proportion_confint(hits, total, alpha=1 - confidence, method="beta")
    assert intervals.clopper_pearson(hits, total, confidence) == pytest.approx(exact, abs=1e-9)


@given(COUNTS)
def test_intervals_of_a_share_hold_it_and_stay_within_zero_and_one(counts):
    hits, total = counts
    for function in (intervals.wilson, intervals.wilson_with_continuity, intervals.clopper_pearson):
        low, high = function(hits, total)
        assert 0 <= low <= hits / total <= high <= 1


@given(COUNTS)
def test_the_other_share_has_the_mirrored_interval(counts):
    hits, total = counts
    for function in (intervals.wilson, intervals.wilson_with_continuity, intervals.clopper_pearson):
        low, high = function(hits, total)
        assert function(total - hits, total) == pytest.approx((1 - high, 1 - low), abs=1e-9)


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=2, max_size=12))
def test_clusters_never_narrow_the_interval(pairs):
    cases = [(hit, hit + miss) for hit, miss in pairs]
    found = intervals.clustered_share(cases)
    if found is None:
        assert not any(total for _, total in cases)
        return
    assert found.design_effect >= 1
    width = found.interval[1] - found.interval[0]
    assert width >= found.naive[1] - found.naive[0] - 1e-12
    assert found.interval[0] <= found.share <= found.interval[1]


def test_where_all_were_hit_the_interval_does_not_collapse():
    found = intervals.clustered_share([(3, 3), (2, 2), (4, 4)])
    assert (found.share, found.design_effect, found.interval[1]) == (1, 1, 1)
    assert found.interval[0] < 0.75


@given(st.lists(st.integers(0, 30), min_size=4, max_size=4).filter(any))
def test_the_paired_difference_lies_in_its_interval_and_mirrors(cells):
    both, first, second, neither = cells
    difference, (low, high) = intervals.paired_difference([[both, first], [second, neither]])
    assert low - 1e-12 <= difference <= high + 1e-12
    mirrored = intervals.paired_difference([[both, second], [first, neither]])
    assert mirrored[0] == pytest.approx(-difference)
    assert mirrored[1] == pytest.approx((-high, -low), abs=1e-9)


@given(st.integers(0, 40), st.integers(0, 40))
def test_mcnemar_equals_statsmodels(first, second):
    found = mcnemar(first, second)
    if first + second == 0:
        assert found is None
        return
    table = [[5, first], [second, 5]]
    assert found.exact_p == pytest.approx(other_mcnemar(table, exact=True).pvalue, abs=1e-9)
    plain = other_mcnemar(table, exact=False, correction=False)
    assert (found.chi2, found.p) == pytest.approx((plain.statistic, plain.pvalue), abs=1e-9)
    if first != second:
        corrected = other_mcnemar(table, exact=False, correction=True)
        assert found.corrected_chi2 == pytest.approx(corrected.statistic, abs=1e-9)
    assert found.mid_p <= found.exact_p


@given(st.lists(st.integers(-5, 5), min_size=1, max_size=9))
def test_the_sign_flip_test_equals_listing_every_pattern(differences):
    observed = abs(sum(differences))
    patterns = list(itertools.product((1, -1), repeat=len(differences)))
    extreme = sum(
        abs(sum(sign * one for sign, one in zip(pattern, differences, strict=True))) >= observed for pattern in patterns
    )
    assert sign_flip_p(differences) == extreme / len(patterns)


def test_the_sign_flip_test_stays_exact_for_a_thousand_cases():
    source = random.Random(2)
    assert 0 < sign_flip_p([source.randint(-4, 5) for _ in range(1_000)]) < 1
    assert sign_flip_p([]) is None


@pytest.mark.parametrize("count", [1, 2, 5, 9])
def test_holm_equals_statsmodels(count):
    source = random.Random(count)
    p_values = [round(source.random() ** 3, 2) for _ in range(count)]
    assert holm(p_values) == pytest.approx(list(multipletests(p_values, method="holm")[1]), abs=1e-12)


def test_bca_by_case_agrees_with_scipy_on_the_same_cases():
    vectors = random_cases(60)
    found = resampling.interval_by_case(vectors, f1, resamples=20_000)
    expected = stats.bootstrap(
        (np.arange(60),),
        lambda index, axis: f1(vectors[index].sum(axis=-2).reshape(-1, 2)).reshape(index.shape[:-1]),
        n_resamples=20_000,
        method="BCa",
        random_state=np.random.default_rng(5),
    ).confidence_interval
    assert found.method == "bca"
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=0.002)


def test_resamples_are_those_of_whole_cases():
    vectors = np.array([[3.0, 0.0], [1.0, 2.0], [0.0, 4.0]])
    exact = {}
    for times, orders in resampling.every_resample(3):
        value = round(float(f1((np.array(times) @ vectors)[None, :])[0]), 9)
        exact[value] = exact.get(value, 0) + orders / 27
    drawn = [
        round(float(f1(vectors[list(index)].sum(axis=0)[None, :])[0]), 9)
        for index in itertools.product(range(3), repeat=3)
    ]
    assert exact == pytest.approx({value: drawn.count(value) / 27 for value in set(drawn)})


def test_the_interval_does_not_depend_on_the_order_of_cases():
    vectors = random_cases(40)
    assert resampling.interval_by_case(vectors, f1) == resampling.interval_by_case(vectors[::-1], f1)


def test_another_seed_gives_another_but_close_interval():
    vectors = random_cases(80)
    one = resampling.interval_by_case(vectors, f1)
    other = resampling.interval_by_case(vectors, f1, seed=1)
    assert (one.low, one.high) != (other.low, other.high)
    assert (one.low, one.high) == pytest.approx((other.low, other.high), abs=0.02)


@pytest.mark.parametrize(("cases", "method"), [(9, None), (10, "percentile"), (19, "percentile"), (20, "bca")])
def test_the_number_of_cases_decides_the_method(cases, method):
    found = resampling.interval_by_case(random_cases(cases), f1)
    assert found.method == method
    assert found.reason is (Reason.TOO_FEW_CASES if method is None else None)


def test_equal_cases_fall_back_to_the_percentile_interval():
    found = resampling.interval_by_case(np.tile([1.0, 1.0], (30, 1)), f1)
    assert (found.method, found.low, found.high) == ("percentile", pytest.approx(2 / 3), pytest.approx(2 / 3))


def test_too_many_undefined_resamples_leave_no_interval():
    vectors = np.zeros((20, 2))
    vectors[0] = [1, 1]
    found = resampling.interval_by_case(vectors, f1)
    assert (found.low, found.reason) == (None, Reason.UNDEFINED_RESAMPLES)
    assert found.undefined_share == pytest.approx((1 - 1 / 20) ** 20, abs=0.05)


def test_a_tool_compared_with_itself_differs_by_nothing():
    vectors = random_cases(30)
    found = resampling.difference_by_case(vectors, vectors, f1)
    assert (found.low, found.high) == (0, 0)


def test_pairing_the_cases_narrows_the_difference_of_similar_tools():
    first = random_cases(100)
    second = first.copy()
    second[:10, 0] += 1
    paired = resampling.difference_by_case(first, second, f1)
    single = resampling.interval_by_case(first, f1)
    assert paired.high <= 0
    assert paired.high - paired.low < (single.high - single.low) / 2


def test_the_interval_of_alpha_on_ten_thousand_cases_is_narrow():
    source = np.random.default_rng(3)
    first = source.integers(0, 5, 10_000)
    second = np.where(source.random(10_000) < 0.8, first, source.integers(0, 5, 10_000))
    vectors = np.zeros((10_000, 25))
    vectors[np.arange(10_000), first * 5 + second] = 1

    def ordinal(sums):
        matrices = sums.reshape(-1, 5, 5)
        return alpha(matrices + matrices.swapaxes(1, 2), Metric.ORDINAL)

    found = resampling.interval_by_case(vectors, ordinal, resamples=1_000)
    assert found.method == "bca"
    assert 0 < found.high - found.low < 0.03


@settings(max_examples=60)
@given(st.integers(0, 30), st.integers(0, 30), st.integers(0, 30))
def test_capture_estimates_never_fall_below_what_was_found(both, first, second):
    captures = capture.Captures(both + first, both + second, both)
    assert capture.chapman(captures) >= captures.found - 1e-9
    low, high = capture.sadinle_interval(captures)
    assert captures.found - 0.5 <= low <= high
    complete = capture.completeness(captures)
    assert complete.reliable is (both >= 7)
    if complete.at_most.value is not None:
        assert 0 < complete.at_most.value <= 1
        assert complete.interval[0] <= complete.interval[1] <= 1
    simple = capture.lincoln_petersen(captures)
    if simple.value is not None:
        assert simple.value >= captures.found
        again = capture.mt_estimate([captures.n1, captures.n2], captures.found)
        assert again.value == pytest.approx(simple.value, rel=1e-9)


def test_impossible_captures_are_refused():
    with pytest.raises(ValueError, match="smaller of n1 and n2"):
        capture.Captures(3, 4, 5)
    with pytest.raises(ValueError, match="largest list"):
        capture.mt_estimate([3, 4], 8)


def test_the_jackknife_adds_half_of_what_one_of_two_reviewers_found():
    assert capture.jackknife(30, 20, 2) == 40


def test_equal_rows_are_counted_as_sorting_would_count_them() -> None:
    source = np.random.default_rng(3)
    for shape in ((500, 4), (300, 1), (40, 9)):
        vectors = source.integers(-2, 3, shape).astype(float)
        vectors[vectors == 0] *= source.choice([1, -1], (vectors == 0).sum())
        distinct, counts = resampling.distinct_rows(vectors)
        expected, expected_counts = np.unique(vectors, axis=0, return_counts=True)
        assert np.array_equal(distinct, expected)
        assert np.array_equal(counts, expected_counts)
