"""The layers of one agreement page, the place layer, latent classes and spans."""

from __future__ import annotations

import numpy as np
import pytest

from corpus.domain.places import Anchor, Geometry, closeness
from corpus.domain.vocabulary import Side
from labeling.domain.statistics.latent import dawid_skene
from labeling.domain.statistics.measures import Reason
from labeling.domain.statistics.place import Unit, best_gamma_alignment, place_agreement
from labeling.domain.statistics.study import PairedLabels, StudyCase, study
from labeling.domain.statistics.unitizing import Span, squared_difference, unitizing_alpha


def pair(first="logic", second="logic", severities=("low", "low"), **other):
    return PairedLabels((first, second), severities, **other)


def case(*pairs, verdicts=("has_defects", "has_defects"), only_first=0, only_second=0):
    return StudyCase(verdicts, pairs, only_first, only_second)


def test_a_case_without_context_on_one_side_is_in_no_layer():
    lacking = case(pair(), verdicts=("insufficient_context", "clean"), only_second=3)
    found = study([lacking])
    assert found.verdict.table.sum() == 0
    assert found.verdict.alpha.reason is Reason.NO_OVERLAP
    assert found.detection == (0, 0, 0)
    assert found.f1.reason is Reason.EMPTY_DENOMINATOR
    assert found.captures.found == 0


def test_a_near_miss_stays_out_of_the_category_layer_and_in_the_severity_layer():
    found = study([case(pair(), pair("logic", "security"), pair(shares_a_line=False))])
    assert found.category.table.sum() == 2
    assert found.category.raw.value == 0.5
    assert found.severity.table.sum() == 3


def test_a_pair_that_severity_decided_stays_out_of_the_severity_layer():
    chosen = pair(severities=("low", "low"), decided_by_severity=True)
    found = study([case(chosen, pair(severities=("low", "high")))])
    assert found.severity.table.sum() == 1
    assert found.severity.exact.value == 0
    assert found.severity.mean_signed.value == 2
    assert found.detection.both == 2


def test_specific_agreement_is_told_by_name():
    found = study([case(), case(verdicts=("clean", "clean")), case(verdicts=("clean", "has_defects"))])
    assert found.verdict.specific["clean"].value == pytest.approx(2 / 3)
    assert found.verdict.specific["uncertain"].reason is Reason.EMPTY_DENOMINATOR


def test_an_unknown_severity_is_refused():
    with pytest.raises(ValueError, match="huge"):
        study([case(pair(severities=("huge", "low")))])


def places(*pairs):
    geometry = Geometry()
    return [
        closeness(geometry.place([Anchor("a", Side.NEW, (one,))]), geometry.place([Anchor("a", Side.NEW, (other,))]))
        for one, other in pairs
    ]


def test_the_place_layer_shows_overlap_and_the_gap_of_the_rest():
    found = place_agreement(places(((1, 4), (1, 4)), ((1, 4), (1, 2)), ((1, 1), (3, 3)), ((1, 1), (6, 6))))
    assert (found.pairs, found.sharing) == (4, 2)
    assert found.median_iou.value == 0.25
    assert found.share_with_common_line.value == 0.5
    assert found.median_gap.value == 3.5


def test_a_place_layer_without_pairs_is_undefined():
    found = place_agreement([])
    assert found.median_iou.reason is Reason.EMPTY_DENOMINATOR
    assert found.median_gap.value is None


def test_latent_classes_recover_unanimous_observers():
    responses = [[["a"], ["a"], ["a"]]] * 6 + [[["b"], ["b"], ["b"]]] * 4
    found = dawid_skene(responses, ["a", "b"])
    assert found.class_marginals == pytest.approx([0.6, 0.4])
    assert np.allclose(found.error_rates, np.eye(2))


def test_latent_classes_find_the_careless_observer():
    source = np.random.default_rng(8)
    truth = source.integers(0, 2, 200)
    wrong = [source.random(200) < rate for rate in (0.05, 0.1, 0.4)]
    responses = [[[int(t ^ miss[i])] for miss in wrong] for i, t in enumerate(truth)]
    found = dawid_skene(responses, [0, 1])
    accuracy = [float(np.trace(rates)) / 2 for rates in found.error_rates]
    assert accuracy[0] > accuracy[2] + 0.2
    assert accuracy[1] > accuracy[2] + 0.2


def test_two_observers_are_refused_since_the_model_is_not_identified():
    with pytest.raises(ValueError, match="at least 3 observers"):
        dawid_skene([[["a"], ["a"]]] * 40, ["a", "b"])
    with pytest.raises(ValueError, match="list for each observer"):
        dawid_skene([[["a"], ["a"], ["a"]], [["a"]]], ["a"])
    with pytest.raises(ValueError, match="needs a response"):
        dawid_skene([[["a"], [], []], [[], [], []]], ["a"])


def test_identical_spans_agree_fully_and_spans_apart_do_not():
    same = [{"c": [(10, 5), (30, 10)]}] * 2
    by_name, together = unitizing_alpha(0, 100, same)
    assert by_name["c"].alpha.value == 1
    assert together.value == 1
    apart, _ = unitizing_alpha(0, 100, [{"c": [(10, 5)]}, {"c": [(60, 5)]}])
    assert apart["c"].alpha.value < 0


def test_a_span_meets_a_gap_only_if_the_gap_holds_it():
    assert squared_difference(Span(10, 5, None), Span(11, 3, "c")) == 9
    assert squared_difference(Span(10, 5, None), Span(13, 3, "c")) == 0
    assert squared_difference(Span(10, 5, "c"), Span(10, 5, "k")) == 0


@pytest.mark.parametrize("units", [[(5, 4), (8, 2)], [(95, 9)], [(5, 0)]])
def test_units_that_overlap_or_leave_the_continuum_are_refused(units):
    with pytest.raises(ValueError, match="overlap, are empty or leave"):
        unitizing_alpha(0, 100, [{"c": units}, {"c": []}])


def test_a_far_unit_stays_alone_in_the_gamma_alignment():
    found = best_gamma_alignment([Unit(0, 5, "a"), Unit(50, 55, "a")], [Unit(1, 6, "a")])
    assert found.pairs == ((0, 0),)
    assert found.disorder.value == pytest.approx((0.04 + 1) / 1.5)
