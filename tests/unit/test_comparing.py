"""Two runs compared: counts by hand, tests against scipy, and an interval that covers what it should."""

from __future__ import annotations

import pytest
from scipy.stats import binomtest

from corpus.domain.vocabulary import Severity
from reviews.domain.comparing import compare_runs
from reviews.domain.matching import MatchClass
from reviews.domain.scored import RunState, ScoredCase, ScoredFinding, ScoredGolden


def case(name: str, golden: int, *found: int, state: RunState = RunState.REVIEWED) -> ScoredCase:
    """A case with golden findings G0, G1, ... of which those with the given numbers were found."""
    return ScoredCase(
        case_id=name,
        golden=tuple(ScoredGolden(f"{name}-G{number}", Severity.HIGH) for number in range(golden)),
        findings=tuple(ScoredFinding(f"{name}-A{at}", MatchClass.MATCH, f"{name}-G{at}") for at in found),
        state=state,
    )


def test_counts_and_difference_are_those_of_the_paired_table() -> None:
    first = [case("a", 2, 0, 1), case("b", 2, 0), case("c", 1), case("only", 3, 0)]
    second = [case("a", 2, 0), case("b", 2, 1), case("c", 1, 0, state=RunState.FAILED)]
    found = compare_runs(first, second, seed=1)
    table = [found.count(first=one, second=other) for one in (True, False) for other in (True, False)]
    # a: both, only first; b: only first, only second; c: neither, since the second failed on it.
    assert table == [1, 2, 1, 1]
    assert (found.cases, found.difference) == (3, pytest.approx(1 / 5))
    assert found.mcnemar_p == pytest.approx(binomtest(1, 3, 0.5).pvalue)
    # Case differences +1, 0, 0: both signs reach 1.
    assert found.sign_p == 1.0
    assert (found.low, found.reason) == (None, "no interval: fewer than 5 cases with golden findings")


def test_a_run_against_itself_differs_in_nothing() -> None:
    run = [case(f"c{number}", 3, 0, 2) for number in range(8)]
    found = compare_runs(run, run, seed=3)
    assert (found.difference, found.low, found.high, found.mcnemar_p, found.sign_p) == (0.0, 0.0, 0.0, None, 1.0)


def test_the_interval_is_mirrored_when_the_runs_change_places() -> None:
    first = [case(f"c{number}", 2, *range(number % 3)) for number in range(12)]
    second = [case(f"c{number}", 2, *range((number + 1) % 2)) for number in range(12)]
    one, other = compare_runs(first, second, seed=5), compare_runs(second, first, seed=5)
    assert one.low is not None
    assert one.high is not None
    assert one.low <= one.difference <= one.high
    assert (other.low, other.high) == (pytest.approx(-one.high), pytest.approx(-one.low))
    assert one.mcnemar_p == other.mcnemar_p


def test_nothing_in_common_is_said_and_no_number_is_made_up() -> None:
    found = compare_runs([case("a", 1, 0)], [case("b", 1, 0)], seed=1)
    assert (found.difference, found.reason) == (None, "no required golden finding in common")
    assert compare_runs([case("a", 0)], [case("a", 0)], seed=1).difference is None
