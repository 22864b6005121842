from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpus.domain.intervals import clustered_wilson, design_effect, wilson


@pytest.mark.parametrize(
    ("hits", "total", "low", "high"),
    [
        (13, 20, 0.4329, 0.8188),
        (4, 4, 0.5101, 1.0),
        (3, 4, 0.3006, 0.9544),
        (2, 4, 0.15, 0.85),
        (0, 16, 0.0, 0.1936),
    ],
)
def test_wilson_gives_the_published_values(hits: int, total: int, low: float, high: float) -> None:
    assert wilson(hits, total) == pytest.approx((low, high), abs=5e-5)


@given(st.integers(1, 400), st.data())
@settings(max_examples=100)
def test_the_interval_holds_the_share_and_mirrors(total: int, data: st.DataObject) -> None:
    hits = data.draw(st.integers(0, total))
    low, high = wilson(hits, total)
    assert 0 <= low <= hits / total <= high <= 1
    assert wilson(total - hits, total) == pytest.approx((1 - high, 1 - low))


@pytest.mark.parametrize(("hits", "total"), [(1, 0), (0, 0), (3, 2), (-1, 2)])
def test_what_is_no_share_is_refused(hits: int, total: int) -> None:
    with pytest.raises(ValueError, match="no share"):
        wilson(hits, total)


def test_findings_that_stand_or_fall_together_count_as_one_case() -> None:
    # Ten cases of four findings, each all hit or all missed. By hand: p = 0.5, sum of (x - p n)^2 = 10 * 4 = 40,
    # variance 10/9 * 40 / 40^2 = 1/36, binomial 0.25 / 40 = 1/160, so the effect is 160/36.
    clusters = [(4, 4), (0, 4)] * 5
    assert design_effect(clusters) == pytest.approx(160 / 36)
    assert clustered_wilson(clusters) == pytest.approx(wilson(20 * 36 / 160, 40 * 36 / 160))


def test_findings_spread_evenly_are_never_counted_as_more_than_they_are() -> None:
    assert design_effect([(1, 2)] * 10) == 1.0
    assert clustered_wilson([(1, 2)] * 10) == wilson(10, 20)


def test_one_cluster_or_no_variation_has_no_effect() -> None:
    assert design_effect([(3, 5), (0, 0)]) == 1.0
    assert design_effect([(2, 2), (3, 3)]) == 1.0
    assert clustered_wilson([(2, 2), (2, 2)]) == wilson(4, 4)
