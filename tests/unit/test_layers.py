"""The five layers over selections of cases: values by hand, by the reference's mini study, and by other libraries."""

from __future__ import annotations

import random
from fractions import Fraction
from statistics import median

import krippendorff
import numpy as np
import pytest

from labeling.domain.statistics.confusion import confused_pairs, holm
from labeling.domain.statistics.intervals import clustered_share
from labeling.domain.statistics.kinds import CaseKind, CountedFinding
from labeling.domain.statistics.layers import (
    Layer,
    Sample,
    figure,
    found_by_both,
    median_of_counts,
    near_severity,
    on_one_line,
    same_category,
    share_of_cases,
    share_of_findings,
)
from labeling.domain.statistics.measures import Reason
from labeling.domain.statistics.planning import cases_for_width
from labeling.domain.statistics.resampling import difference_of_groups, distinct_rows, interval_by_case
from tests.unit.scenarios import load

MINI = next(entry for entry in load("agreement-reference.json") if entry["id"] == "end-to-end-mini-study")
DEFECTS = ("has_defects", "has_defects")


def both(categories=("logic", "logic"), severities=("low", "low"), *, shared=1, union=1, **other):
    other.setdefault("shares_a_line", shared > 0)
    return CountedFinding("both", *categories, *severities, shared_lines=shared, union_lines=union, **other)


def alone(side, category="logic", severity="low"):
    said = (category, "", severity, "") if side == "first" else ("", category, "", severity)
    return CountedFinding(side, *said)


def kind(*findings, verdicts=DEFECTS):
    return CaseKind(*verdicts, findings)


def mini_kinds():
    """The reference's eight cases as kinds; every pair shares its line."""
    kinds = []
    for case in MINI["data"]["cases"]:
        found = [both((a[0], b[0]), (a[1], b[1])) for a, b in case["pairs"]]
        found += [alone("first")] * case["only_first"] + [alone("second")] * case["only_second"]
        kinds.append(kind(*found, verdicts=tuple(case["verdicts"])))
    return kinds


def of(sample, layer, times=None):
    return figure(sample, layer, np.ones(len(sample.kinds)) if times is None else np.array(times, dtype=float))


def test_the_mini_study_comes_out_to_its_printed_digits():
    sample = Sample(mini_kinds())
    expected, near = MINI["expected"], pytest.approx
    verdict = of(sample, Layer.VERDICT)
    assert verdict.value == near(expected["verdict_alpha"], abs=MINI["tolerance"])
    assert verdict.units == expected["verdict_n"]
    assert (verdict.low, verdict.interval_reason, verdict.unstable) == (None, Reason.TOO_FEW_CASES, True)
    assert of(sample, Layer.EXISTENCE).value == near(expected["detection_f1"], abs=MINI["tolerance"])
    ones = np.ones(len(sample.kinds))
    exact = share_of_findings(sample, ones, lambda found: near_severity(found, 0))
    assert exact.measure.value == near(expected["severity_exact"], abs=MINI["tolerance"])
    within = share_of_findings(sample, ones, lambda found: near_severity(found, 1))
    assert within.measure.value == near(expected["severity_within_one"], abs=MINI["tolerance"])
    raw = share_of_findings(sample, ones, same_category)
    assert raw.measure.value == near(expected["category_po"], abs=MINI["tolerance"])


def test_alphas_are_those_of_the_krippendorff_library():
    source = random.Random(5)
    levels = ["note", "low", "medium", "high", "critical"]
    names = ["boundary", "logic", "security"]
    kinds = []
    for _ in range(60):
        found = [
            both((source.choice(names), source.choice(names)), (source.choice(levels), source.choice(levels)))
            for _ in range(source.randrange(3))
        ]
        kinds.append(
            kind(*found, verdicts=(source.choice(["clean", "has_defects"]), source.choice(["clean", "has_defects"])))
        )
    sample = Sample(kinds)
    pairs = [one for each in kinds for one in each.findings]
    severities = [
        [levels.index(one.severity_first) for one in pairs],
        [levels.index(one.severity_second) for one in pairs],
    ]
    theirs = krippendorff.alpha(severities, level_of_measurement="ordinal", value_domain=range(5))
    assert of(sample, Layer.SEVERITY).value == pytest.approx(theirs, abs=1e-9)
    categories = [
        [names.index(one.category_first) for one in pairs],
        [names.index(one.category_second) for one in pairs],
    ]
    theirs = krippendorff.alpha(categories, level_of_measurement="nominal", value_domain=range(3))
    assert of(sample, Layer.CATEGORY).value == pytest.approx(theirs, abs=1e-9)
    assert of(sample, Layer.CATEGORY).low < theirs < of(sample, Layer.CATEGORY).high


def test_kinds_with_multiplicities_are_the_cases_one_by_one():
    """Ten cases of one kind are ten equal cases, for values and for intervals."""
    kinds = [kind(both()), kind(alone("first")), kind(alone("second"), both(("logic", "security")))]
    few = of(Sample(kinds), Layer.EXISTENCE, [10, 5, 3])
    many = of(Sample([kinds[0]] * 10 + [kinds[1]] * 5 + [kinds[2]] * 3), Layer.EXISTENCE)
    assert few == many
    # 13 pairs, 5 alone on the first side, 3 on the second.
    assert few.value == pytest.approx(26 / 34)
    vectors = np.array([[1, 0, 0]] * 10 + [[0, 1, 0]] * 5 + [[1, 0, 1]] * 3, dtype=float)
    direct = interval_by_case(vectors, lambda sums: 2 * sums[:, 0] / (2 * sums[:, 0] + sums[:, 1] + sums[:, 2]))
    assert (few.low, few.high) == (direct.low, direct.high)


def test_a_case_that_lacked_context_is_in_no_layer():
    lacking = kind(alone("first"), verdicts=("has_defects", "insufficient_context"))
    sample = Sample([lacking, kind(both())])
    assert of(sample, Layer.EXISTENCE).units == 1
    assert of(sample, Layer.VERDICT).units == 1
    assert of(sample, Layer.VERDICT).cases == 1


def test_a_near_miss_counts_for_severity_and_place_alone():
    sample = Sample([kind(both(shared=0, union=0, line_gap=3))] * 5)
    assert of(sample, Layer.CATEGORY).units == 0
    assert of(sample, Layer.CATEGORY).reason is Reason.NO_OVERLAP
    assert of(sample, Layer.SEVERITY).units == 5
    assert of(sample, Layer.PLACE).value == 0


def test_a_pair_that_severity_decided_is_not_in_its_layer():
    sample = Sample([kind(both(decided_by_severity=True), both(severities=("low", "high")))])
    assert of(sample, Layer.SEVERITY).units == 1


@pytest.mark.parametrize(
    ("times", "reason"), [([3], Reason.NO_VARIATION), ([30], Reason.NO_VARIATION), ([0], Reason.NO_OVERLAP)]
)
def test_without_variation_or_cases_there_is_a_reason_and_no_number(times, reason):
    found = of(Sample([kind(verdicts=("clean", "clean"))]), Layer.VERDICT, times)
    assert (found.value, found.reason, found.low, found.high) == (None, reason, None, None)


def test_under_five_units_there_is_no_coefficient():
    sample = Sample([kind(both(("logic", "security"))), kind(both())])
    assert of(sample, Layer.CATEGORY, [2, 2]).reason is Reason.TOO_FEW_UNITS
    assert of(sample, Layer.CATEGORY, [2, 3]).value is not None


def test_no_kind_at_all_is_no_error():
    assert of(Sample([]), Layer.PLACE).reason is Reason.EMPTY_DENOMINATOR


def test_the_place_layer_is_the_median_of_the_pairs():
    fractions = [(1, 4), (1, 2), (3, 4), (1, 1), (0, 5), (2, 8)]
    sample = Sample([kind(both(shared=shared, union=union)) for shared, union in fractions])
    exact = median(Fraction(shared, union) for shared, union in fractions)
    assert of(sample, Layer.PLACE).value == pytest.approx(float(exact)) == 0.375
    on_line = share_of_findings(sample, np.ones(6), on_one_line)
    assert (on_line.hits, on_line.total) == (5, 6)


def test_medians_of_counts_are_those_of_the_listed_values():
    source = np.random.default_rng(3)
    values = np.array([0.0, 0.1, 0.5, 1.0])
    counts = source.integers(0, 4, (200, 4)).astype(float)
    for row, found in zip(counts, median_of_counts(counts, values), strict=True):
        listed = np.repeat(values, row.astype(int))
        assert np.isnan(found) if not len(listed) else found == np.median(listed)


def test_shares_of_labels_by_category_and_severity_sum_to_f1():
    found = [both(("logic", "security"), ("low", "high")), alone("first", "logic", "high"), alone("second", "security")]
    assert found_by_both(found) == (2, 4)
    assert found_by_both(found, category="logic") == (1, 2)
    assert found_by_both(found, category="security") == (1, 2)
    assert found_by_both(found, severity="high") == (1, 2)
    assert found_by_both(found, severity="note") == (0, 0)


def test_specific_agreement_of_a_category_and_a_level():
    found = [both(), both(), both(("logic", "security"), ("low", "high")), both(("logic", "logic"), shared=0)]
    # In the pairs that share a line, logic was said 5 times, 4 of them by both.
    assert same_category(found, "logic") == (4, 5)
    assert same_category(found, "security") == (0, 1)
    assert near_severity(found, 0, "low") == (6, 7)
    assert near_severity(found, 0, "high") == (0, 1)


def test_a_share_of_findings_takes_cases_as_clusters():
    sample = Sample([kind(both(), both()), kind(alone("first")), kind()])
    times = np.array([4.0, 6.0, 5.0])
    ours = share_of_findings(sample, times, found_by_both)
    # The same as case by case.
    theirs = clustered_share([(4, 4)] * 4 + [(0, 1)] * 6 + [(0, 0)] * 5)
    assert (ours.hits, ours.total) == (16, 22)
    assert (ours.low, ours.high) == pytest.approx(theirs.interval)


def test_a_share_of_cases_has_wilsons_interval():
    # Newcombe 1998, 81 of 263: 0.2553 to 0.3662.
    found = share_of_cases(81, 263)
    assert (found.low, found.high) == pytest.approx((0.2553, 0.3662), abs=5e-5)
    assert share_of_cases(0, 0).measure.reason is Reason.EMPTY_DENOMINATOR


def test_rows_that_stand_for_several_are_counted_so():
    rows, counts = distinct_rows(np.array([[1.0, 2.0], [0.0, 1.0], [1.0, 2.0]]), np.array([2.0, 5.0, 3.0]))
    assert rows.tolist() == [[0, 1], [1, 2]]
    assert counts.tolist() == [5, 5]


def mean_of(sums):
    return sums[:, 0] / sums[:, 1]


def test_the_difference_of_two_groups_has_the_interval_of_independent_means():
    """Two groups of yes and no: the bootstrap interval is that of a difference of shares, 0.3 +- 1.96 x 0.0648."""
    rows = np.array([[0.0, 1.0], [1.0, 1.0]])
    found = difference_of_groups((rows, np.array([60.0, 40.0])), (rows, np.array([30.0, 70.0])), mean_of)
    spread = (0.4 * 0.6 / 100 + 0.7 * 0.3 / 100) ** 0.5
    assert (found.low, found.high) == pytest.approx((0.3 - 1.96 * spread, 0.3 + 1.96 * spread), abs=0.02)
    few = difference_of_groups((rows, np.array([4.0, 5.0])), (rows, np.array([30.0, 70.0])), mean_of)
    assert few.reason is Reason.TOO_FEW_CASES


def test_two_categories_mixed_up_beyond_their_use_are_named():
    """By hand: uses 10 each of four, so each of six pairs expects 1/6 of ten differences; 8 of 10 fall on one.

    P(X >= 8 | 10, 1/6) = 45 (1/6)^8 (5/6)^2 + 10 (1/6)^9 (5/6) + (1/6)^10 = 1.9450e-5; Holm times six.
    """
    uses = dict.fromkeys(("boundary", "concurrency", "logic", "security"), 10)
    cases = [[("logic", "boundary")]] * 5 + [[("boundary", "logic"), ("boundary", "logic")]] * 3
    cases += [[("logic", "security")], [("concurrency", "security"), ("security", "security")], []]
    first, *rest = confused_pairs(uses, cases)
    assert (first.categories, first.cases) == (("boundary", "logic"), 8)
    assert first.expected == pytest.approx(10 / 6)
    exact = (
        45 * Fraction(1, 6) ** 8 * Fraction(5, 6) ** 2
        + 10 * Fraction(1, 6) ** 9 * Fraction(5, 6)
        + Fraction(1, 6) ** 10
    )
    assert first.p == pytest.approx(6 * float(exact), rel=1e-9)
    assert first.beyond_chance
    assert not any(one.beyond_chance for one in rest)


def test_differences_that_use_explains_are_not_beyond_chance():
    """Two common categories that are mixed up as often as their use says."""
    uses = {"logic": 50, "security": 40, "rare": 2}
    assert not any(one.beyond_chance for one in confused_pairs(uses, [[("logic", "security")]] * 20))
    assert confused_pairs({"logic": 3}, [[("logic", "logic")]]) == []
    assert confused_pairs({}, []) == []


def test_holms_correction_by_hand():
    """p 0.01, 0.02, 0.03 of four hypotheses: 0.04, 0.06, and the last may not fall below the one before it."""
    values = {("a", "b"): 0.01, ("a", "c"): 0.02, ("a", "d"): 0.03}
    assert holm(values, hypotheses=4) == pytest.approx({("a", "b"): 0.04, ("a", "c"): 0.06, ("a", "d"): 0.06})


@pytest.mark.parametrize(
    ("cases", "width", "wished", "needed"), [(30, 0.34, 0.17, 120), (100, 0.2, 0.2, 100), (100, 0.1, 0.2, 25)]
)
def test_half_the_width_takes_four_times_the_cases(cases, width, wished, needed):
    plan = cases_for_width(cases=cases, width=width, wished=wished)
    assert (plan.cases, plan.more) == (needed, max(0, needed - cases))


@pytest.mark.parametrize(("width", "wished"), [(0, 0.1), (0.2, 0), (0.2, 1.5), (float("nan"), 0.1)])
def test_a_plan_needs_two_widths_that_make_sense(width, wished):
    with pytest.raises(ValueError, match="width"):
        cases_for_width(cases=30, width=width, wished=wished)
