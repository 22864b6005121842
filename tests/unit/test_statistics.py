"""Coefficients against other libraries on random tables, and the properties that hold for every input."""

from __future__ import annotations

import random
import subprocess
import sys

import krippendorff
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import cohens_kappa
from statsmodels.stats.inter_rater import fleiss_kappa as other_fleiss

from labeling.domain.statistics import gwet, kappa, tables
from labeling.domain.statistics.alpha import (
    Metric,
    alpha,
    alpha_measure,
    alpha_with,
    coincidences,
    coincidences_of_table,
    total_coincidences,
)
from labeling.domain.statistics.existence import Detection, detection_f1, kappa_with_negatives, mean_pairwise_f1
from labeling.domain.statistics.measures import Measure, Reason, as_shown, measured

CLOSE = 1e-9
TABLE = arrays(np.int64, (4, 4), elements=st.integers(0, 12)).map(lambda table: table.astype(float))
VARIED = TABLE.filter(lambda table: (np.diag(table) < table.sum()).any() and kappa.cohen_kappa(table) < 2)


def pairs_of(table):
    return [(int(i), int(j)) for (i, j), count in np.ndenumerate(table) for _ in range(int(count))]


def random_ratings(seed, *, raters=4, units=25, levels=5, gaps=0.2):
    source = random.Random(seed)
    return [
        [None if source.random() < gaps else source.randint(1, levels) for _ in range(raters)] for _ in range(units)
    ]


@pytest.mark.parametrize("metric", list(Metric))
@pytest.mark.parametrize("seed", range(6))
def test_alpha_equals_the_krippendorff_package(metric, seed):
    ratings = random_ratings(seed)
    levels = [1, 2, 3, 4, 5]
    columns = np.array([[np.nan if level is None else level for level in unit] for unit in ratings], dtype=float)
    expected = krippendorff.alpha(reliability_data=columns.T, level_of_measurement=metric.value, value_domain=levels)
    found = alpha_measure(tables.level_counts(ratings, levels), metric, levels)
    assert found.value == pytest.approx(expected, abs=CLOSE)


@given(VARIED)
def test_kappas_equal_scikit_learn_with_the_full_scale(table):
    first, second = zip(*pairs_of(table), strict=True)
    for weights, disagreement in (
        (None, kappa.nominal_disagreement(4)),
        ("linear", kappa.ordered_disagreement(4, 1)),
        ("quadratic", kappa.ordered_disagreement(4, 2)),
    ):
        expected = cohen_kappa_score(first, second, labels=[0, 1, 2, 3], weights=weights)
        assert float(kappa.weighted_kappa(table, disagreement)) == pytest.approx(expected, abs=CLOSE)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(("name", "power"), [(None, 0), ("linear", 1), ("quadratic", 2)])
def test_standard_errors_of_kappa_equal_statsmodels(seed, name, power):
    table = np.random.default_rng(seed).integers(1, 30, (4, 4)).astype(float)
    disagreement = kappa.ordered_disagreement(4, power) if power else kappa.nominal_disagreement(4)
    expected = cohens_kappa(table, wt=name)
    found = kappa.kappa_test(table, disagreement)
    assert found.kappa == pytest.approx(expected.kappa, abs=CLOSE)
    assert found.standard_error == pytest.approx(expected.std_kappa, abs=CLOSE)
    assert found.null_standard_error == pytest.approx(expected.std_kappa0, abs=CLOSE)
    assert found.interval == pytest.approx((expected.kappa_low, expected.kappa_upp), abs=1e-7)


@pytest.mark.parametrize("seed", range(5))
def test_fleiss_equals_statsmodels(seed):
    counts = np.random.default_rng(seed).multinomial(6, [0.4, 0.3, 0.2, 0.1], size=30).astype(float)
    assert kappa.fleiss_kappa(counts).value == pytest.approx(other_fleiss(counts), abs=CLOSE)


@given(VARIED)
def test_exchanging_the_reviewers_changes_nothing_but_the_signed_difference(table):
    for coefficient in (kappa.cohen_kappa, kappa.scott_pi, gwet.ac1, kappa.brennan_prediger):
        assert float(coefficient(table)) == pytest.approx(float(coefficient(table.T)), abs=CLOSE)
    assert alpha(coincidences_of_table(table)) == pytest.approx(alpha(coincidences_of_table(table.T)))
    signed = tables.mean_signed_difference(table).value
    assert tables.mean_signed_difference(table.T).value == pytest.approx(-signed)
    assert tables.specific_agreement(table) == tables.specific_agreement(table.T)


@given(VARIED, st.permutations(range(4)))
def test_renaming_nominal_categories_changes_nothing(table, order):
    renamed = table[np.ix_(order, order)]
    for coefficient in (kappa.cohen_kappa, kappa.scott_pi, gwet.ac1):
        assert float(coefficient(renamed)) == pytest.approx(float(coefficient(table)), abs=CLOSE)
    assert alpha(coincidences_of_table(renamed)) == pytest.approx(alpha(coincidences_of_table(table)))


@given(VARIED, st.integers(0, 3))
def test_one_more_agreed_case_never_lowers_raw_agreement(table, level):
    more = table.copy()
    more[level, level] += 1
    assert tables.raw_agreement(more) >= tables.raw_agreement(table)


@given(st.integers(0, 10**6))
def test_the_order_of_cases_and_reviewers_does_not_change_alpha(seed):
    source = random.Random(seed)
    ratings = random_ratings(seed, units=12)
    levels = [1, 2, 3, 4, 5]
    shuffled = [source.sample(unit, len(unit)) for unit in source.sample(ratings, len(ratings))]
    for metric in Metric:
        first = alpha_measure(tables.level_counts(ratings, levels), metric, levels)
        second = alpha_measure(tables.level_counts(shuffled, levels), metric, levels)
        assert first.value == pytest.approx(second.value, abs=CLOSE)


@given(st.integers(0, 10**6))
def test_coincidences_of_the_units_add_up_to_the_total(seed):
    counts = tables.level_counts(random_ratings(seed, units=10), [1, 2, 3, 4, 5])
    assert np.allclose(coincidences(counts).sum(axis=0), total_coincidences(counts))


@given(st.integers(0, 10**6))
def test_on_two_categories_every_metric_of_alpha_gives_the_same_value(seed):
    ratings = random_ratings(seed, units=15, levels=2)
    counts = tables.level_counts(ratings, [1, 2])
    nominal = alpha_measure(counts)
    for metric in (Metric.INTERVAL, Metric.ORDINAL, Metric.RATIO):
        assert alpha_measure(counts, metric, [1, 2]).value == pytest.approx(nominal.value, abs=CLOSE)


@given(VARIED)
def test_weights_of_zero_and_one_turn_weighted_coefficients_into_plain_ones(table):
    plain = float(kappa.cohen_kappa(table))
    assert kappa.kappa_test(table, kappa.nominal_disagreement(4)).kappa == pytest.approx(plain)
    identity = gwet.agreement_weights("identity", 4)
    assert gwet.ac2(table, identity).value == pytest.approx(float(gwet.ac1(table)), abs=CLOSE)
    counts = tables.level_counts(pairs_of(table), [0, 1, 2, 3])
    assert gwet.ac2_of_counts(counts, identity).value == pytest.approx(float(gwet.ac1(table)), abs=CLOSE)


@given(VARIED)
def test_a_table_and_its_single_ratings_give_the_same_alpha(table):
    counts = tables.level_counts(pairs_of(table), [0, 1, 2, 3])
    for metric in Metric:
        one = float(alpha(coincidences_of_table(table), metric, [1, 2, 3, 4]))
        assert alpha_measure(counts, metric, [1, 2, 3, 4]).value == pytest.approx(one, abs=CLOSE)


@given(VARIED)
def test_stacked_tables_give_the_values_of_the_single_ones(table):
    stack = np.stack([table, table.T, table + 1, table * 0])
    for coefficient in (kappa.cohen_kappa, kappa.scott_pi, gwet.ac1, kappa.brennan_prediger):
        single = [float(coefficient(one)) for one in stack]
        assert np.asarray(coefficient(stack)) == pytest.approx(single, abs=CLOSE, nan_ok=True)
    matrices = coincidences_of_table(stack)
    for metric in Metric:
        single = [float(alpha(one, metric, [1, 2, 3, 4])) for one in matrices]
        assert alpha(matrices, metric, [1, 2, 3, 4]) == pytest.approx(single, abs=CLOSE, nan_ok=True)


@given(st.integers(0, 50), st.integers(0, 50), st.integers(0, 50))
def test_f1_is_the_specific_agreement_of_found_and_the_limit_of_kappa(both, first, second):
    found = Detection(both, first, second)
    table = np.array([[both, first], [second, 0.0]])
    assert detection_f1(found) == tables.specific_agreement(table)[0]
    if both:
        near = kappa_with_negatives(found, 10**9)
        assert near.value == pytest.approx(detection_f1(found).value, abs=1e-6)
    if both or first or second:
        with_negatives = np.array([[both, first], [second, 7.0]])
        expected = float(kappa.cohen_kappa(with_negatives))
        assert kappa_with_negatives(found, 7).value == pytest.approx(expected, nan_ok=True)


def test_mean_pairwise_f1_leaves_out_pairs_that_found_nothing():
    pairs = [Detection(1, 0, 0), Detection(1, 1, 1), Detection(0, 0, 0)]
    assert mean_pairwise_f1(pairs).value == pytest.approx(0.75)
    assert mean_pairwise_f1(pairs[2:]).reason is Reason.EMPTY_DENOMINATOR


def test_an_unused_level_of_the_scale_still_counts_as_a_step():
    table = tables.contingency([(1, 2), (2, 2), (4, 1), (4, 4)], [1, 2, 3, 4])
    dropped = tables.contingency([(1, 2), (2, 2), (4, 1), (4, 4)], [1, 2, 4])
    full = float(kappa.weighted_kappa(table, kappa.ordered_disagreement(4, 1)))
    assert full != pytest.approx(float(kappa.weighted_kappa(dropped, kappa.ordered_disagreement(3, 1))))


@pytest.mark.parametrize("cell", range(4))
def test_where_nothing_varies_no_coefficient_has_a_value(cell):
    table = np.zeros((4, 4))
    table[cell, cell] = 1e9
    for value in (
        kappa.cohen_kappa(table),
        kappa.scott_pi(table),
        *(alpha(coincidences_of_table(table), metric, [1, 2, 3, 4]) for metric in Metric),
    ):
        assert measured(float(value), Reason.NO_VARIATION) == Measure(None, Reason.NO_VARIATION)


def test_a_level_that_was_not_declared_is_refused():
    with pytest.raises(ValueError, match="'x' is not one of the levels"):
        tables.contingency([("a", "x")], ["a"])
    with pytest.raises(ValueError, match="twice"):
        tables.contingency([], ["a", "a"])


@pytest.mark.parametrize(
    ("units", "rarest", "value", "reason", "unstable"),
    [
        (4, 4, None, Reason.TOO_FEW_UNITS, False),
        (5, 5, 0.4, None, True),
        (20, 4, 0.4, None, True),
        (20, 5, 0.4, None, False),
    ],
)
def test_thin_results_are_withheld_or_marked(units, rarest, value, reason, unstable):
    shown = as_shown(Measure(0.4), units=units, rarest=rarest)
    assert (shown.value, shown.reason, shown.unstable) == (value, reason, unstable)


def test_an_undefined_value_keeps_its_own_reason_however_few_the_units():
    shown = as_shown(Measure(None, Reason.NO_VARIATION), units=2, rarest=2)
    assert (shown.reason, shown.unstable) == (Reason.NO_VARIATION, False)


@pytest.mark.parametrize("wrong", [(None, None), (0.5, Reason.NO_OVERLAP), (float("nan"), None)])
def test_a_measure_is_a_finite_value_or_a_reason(wrong):
    with pytest.raises(ValueError, match=r"value"):
        Measure(*wrong)


def test_the_rarest_class_is_counted_by_units_and_not_by_ratings():
    assert tables.rarest_count(np.array([[3.0, 1.0, 0.0], [0.0, 9.0, 0.0], [0.0, 0.0, 0.0]])) == 4
    assert tables.rarest_count(np.zeros((2, 2))) == 0


def test_groups_of_categories_cost_less_within_a_group():
    table = np.array([[46.0, 0, 0], [6, 32, 6], [0, 0, 10]])
    near = np.array([[0, 1, 0.5], [1, 0, 0.5], [0.5, 0.5, 0]])
    matrix = coincidences_of_table(table)
    assert float(alpha_with(matrix, near)) > float(alpha(matrix))


def test_importing_the_package_and_the_domain_loads_no_numpy():
    script = (
        "import sys, labeling.domain.statistics, labeling.domain.alignment, reviews.domain.matching;"
        "sys.exit('numpy' in sys.modules or 'scipy' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0
