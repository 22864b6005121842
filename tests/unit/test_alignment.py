"""Alignment against an independent enumeration, and the properties that make it trustworthy."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from corpus.domain.places import Anchor, PlaceRelation
from corpus.domain.vocabulary import DisagreementKind, Severity, Side, Verdict
from labeling.domain.alignment import AlignmentParameters, Finding, align, compare
from tests.unit.line_sets import HUNKS, RENAME, closest, place_order, random_alternates, random_anchors
from tests.unit.test_assignment import every_assignment

LEVELS = list(Severity)


def finding(name, *ranges, path="main.py", side=Side.NEW, category="logic", severity=Severity.LOW, **other):
    return Finding(name, category, severity, (Anchor(path, side, ranges),), **other)


def random_findings(source, prefix):
    return [
        Finding(
            f"{prefix}{number}",
            source.choice(["logic", "logic", "security"]),
            source.choice(LEVELS),
            random_anchors(source),
            random_alternates(source),
        )
        for number in range(source.choice([0, 1, 2, 3, 4, 5, 5]))
    ]


def canonical(findings):
    return sorted(findings, key=lambda one: (place_order(one), one.category, one.severity.rank, one.id))


def aligned(a, b, **parameters):
    return align(a, b, files=[RENAME], hunks=HUNKS, parameters=AlignmentParameters(**parameters))


def pair_ids(alignment):
    return {(pair.a_id, pair.b_id) for pair in alignment.pairs}


def enumerated(a, b):
    """Return (every best alignment, its cost) by trying them all; a and b in canonical order."""
    cost = {}
    for i, one in enumerate(a):
        for j, other in enumerate(b):
            found = closest(one, other)
            same = one.category == other.category
            if found is not None and (same or found[1]):
                cost[i, j] = int(found[0] * 10_000) + (0 if same else 5_000)
    first = {one.id: place_order(one)[2] for one in (*a, *b)}

    def price(chosen):
        pairs = [(a[i], b[j], i, j) for i, j in chosen]
        return (
            sum(cost[edge] for edge in chosen) + 8_000 * (len(a) + len(b) - 2 * len(chosen)),
            sum(abs(one.severity.rank - other.severity.rank) for one, other, _, _ in pairs),
            sum(min(99, abs(first[one.id] - first[other.id])) for one, other, _, _ in pairs),
            sum(abs(i - j) for _, _, i, j in pairs),
        )

    alternatives = [(price(chosen), chosen) for chosen in every_assignment(sorted(cost))]
    best = min(price for price, _ in alternatives)
    optima = [{(a[i].id, b[j].id) for i, j in chosen} for price, chosen in alternatives if price == best]
    return optima, best[0]


def test_two_thousand_random_instances_equal_full_enumeration():
    source = random.Random(1_960)
    unique = paired = 0
    for _ in range(2_000):
        a, b = random_findings(source, "a"), random_findings(source, "b")
        optima, total = enumerated(canonical(a), canonical(b))
        found = aligned(a, b)
        assert found.total_cost == total
        assert pair_ids(found) in optima
        unique += len(optima) == 1
        paired += len(found.pairs)
    # The instances are worth the while: most have one best answer, and there is something to pair.
    assert unique > 1_900
    assert paired > 2_000


def test_the_total_cost_equals_scipy_on_the_square_matrix_with_no_match_blocks():
    source = random.Random(7)
    for _ in range(60):
        a = [item for _ in range(4) for item in random_findings(source, "a")]
        b = [item for _ in range(4) for item in random_findings(source, "b")]
        a = [replace(item, id=f"a{number}") for number, item in enumerate(a)]
        b = [replace(item, id=f"b{number}") for number, item in enumerate(b)]
        n, m = len(a), len(b)
        square = np.full((n + m, n + m), 10**7)
        square[n:, m:] = 0
        for i in range(n):
            square[i, m + i] = 8_000
        for j in range(m):
            square[n + j, j] = 8_000
        for i, one in enumerate(a):
            for j, other in enumerate(b):
                found = closest(one, other)
                same = one.category == other.category
                if found is not None and (same or found[1]):
                    square[i, j] = int(found[0] * 10_000) + (0 if same else 5_000)
        rows, columns = linear_sum_assignment(square)
        assert aligned(a, b).total_cost == square[rows, columns].sum()


@settings(max_examples=150)
@given(st.integers(0, 10**9))
def test_neither_the_order_of_the_lists_nor_of_the_reviewers_changes_the_alignment(seed):
    source = random.Random(seed)
    a, b = random_findings(source, "a"), random_findings(source, "b")
    found = aligned(a, b)
    shuffled_a, shuffled_b = source.sample(a, len(a)), source.sample(b, len(b))
    assert aligned(shuffled_a, shuffled_b) == found
    exchanged = aligned(shuffled_b, shuffled_a)
    assert pair_ids(exchanged) == {(right, left) for left, right in pair_ids(found)}
    assert (exchanged.unmatched_a, exchanged.unmatched_b) == (found.unmatched_b, found.unmatched_a)
    assert exchanged.total_cost == found.total_cost


def test_a_tie_that_no_measure_breaks_falls_the_same_way_from_both_sides():
    # Two ways around a ring of three and three: equal in cost, severity, lines and ranks.
    ring = [(0, 1), (1, 2), (2, 0), (0, 2), (1, 0), (2, 1)]

    def members(prefix, own):
        return [
            finding(
                f"{prefix}{number}",
                (1, 1),
                path=f"{prefix}{number}.py",
                alternates=tuple(
                    (Anchor(f"edge{edge}.py", Side.NEW, ((1, 1),)),) for edge in ring if edge[own] == number
                ),
            )
            for number in range(3)
        ]

    a, b = members("a", 0), members("b", 1)
    assert pair_ids(align(a, b)) == {("a0", "b1"), ("a1", "b2"), ("a2", "b0")}
    assert pair_ids(align(b, a)) == {("b1", "a0"), ("b2", "a1"), ("b0", "a2")}


@settings(max_examples=100)
@given(st.integers(0, 10**9))
def test_every_finding_is_paired_once_or_left_alone(seed):
    source = random.Random(seed)
    a, b = random_findings(source, "a"), random_findings(source, "b")
    found = aligned(a, b)
    assert sorted([pair.a_id for pair in found.pairs] + list(found.unmatched_a)) == [one.id for one in a]
    assert sorted([pair.b_id for pair in found.pairs] + list(found.unmatched_b)) == [one.id for one in b]


@settings(max_examples=100)
@given(st.integers(0, 10**9))
def test_no_two_candidates_are_both_left_alone(seed):
    source = random.Random(seed)
    a, b = random_findings(source, "a"), random_findings(source, "b")
    found = aligned(a, b)
    for one in a:
        for other in b:
            if one.id in found.unmatched_a and other.id in found.unmatched_b:
                near = closest(one, other)
                assert near is None or (one.category != other.category and not near[1])


@settings(max_examples=60)
@given(st.integers(0, 10**9))
def test_identical_lists_of_lines_leave_nothing_to_decide(seed):
    source = random.Random(seed)
    a = [one for one in random_findings(source, "x") if any(anchor.ranges for anchor in one.anchors)]
    found = aligned(a, a)
    assert found.total_cost == 0
    assert compare(Verdict.HAS_DEFECTS, Verdict.HAS_DEFECTS, found).flags == ()


@pytest.mark.parametrize("window", [4, 5, 6])
@pytest.mark.parametrize("no_match_cost", [7_600, 8_000, 10_000])
@pytest.mark.parametrize("category_cost", [4_000, 5_000])
def test_the_exact_pair_is_not_given_up_for_two_near_misses(window, no_match_cost, category_cost):
    a = [finding("a1", (20, 20)), finding("a2", (24, 24))]
    b = [finding("b1", (24, 24)), finding("b2", (28, 28))]
    found = aligned(a, b, window=window, no_match_cost=no_match_cost, category_cost=category_cost)
    assert pair_ids(found) == {("a2", "b1")}


def test_severity_decides_an_exact_tie_and_the_pair_says_so():
    a = [finding("a1", (50, 50), severity=Severity.HIGH)]
    b = [finding("b1", (48, 48)), finding("b2", (52, 52), severity=Severity.HIGH)]
    (pair,) = aligned(a, b).pairs
    assert (pair.b_id, pair.decided_by_severity) == ("b2", True)
    assert "severity decided" in pair.explanation


def test_a_pair_that_would_stand_without_severity_is_not_marked():
    a = [finding("a1", (50, 50), severity=Severity.HIGH)]
    b = [finding("b1", (48, 48), severity=Severity.HIGH), finding("b2", (52, 52))]
    (pair,) = aligned(a, b).pairs
    assert (pair.b_id, pair.decided_by_severity) == ("b1", False)


@pytest.mark.parametrize(
    ("a", "b", "sentence"),
    [
        (
            finding("a", (40, 46)),
            finding("b", (42, 45)),
            "Paired because both name lines 42–45 of main.py; the category is the same.",
        ),
        (
            finding("a", (7, 7), (20, 22), side=Side.OLD),
            finding("b", (7, 7), (22, 30), side=Side.OLD, category="security"),
            "Paired because both name lines 7 and 22 of main.py (old side); the categories differ.",
        ),
        (
            finding("a", (7, 7)),
            finding("b", (8, 8)),
            "Paired because their places are 1 line apart in main.py; the category is the same.",
        ),
        (
            finding("a", (3, 3), side=Side.OLD, path="before.py"),
            finding("b", (8, 8), path="after.py"),
            "Paired because they lie on the two sides of one hunk of after.py; the category is the same.",
        ),
        (
            finding("a"),
            finding("b", (8, 8)),
            ("Paired because one names the whole file main.py, the other a part of it; the category is the same."),
        ),
        (
            finding("a", side=None),
            finding("b"),
            "Paired because both name the whole file main.py; the category is the same.",
        ),
        (
            Finding("a", "design", Severity.NOTE, (Anchor(None),)),
            Finding("b", "design", Severity.NOTE, (Anchor(None),)),
            "Paired because both name the repository as a whole; the category is the same.",
        ),
        (
            finding("a", (1, 1), alternates=((Anchor("x.py", Side.NEW, ((5, 6),)),),)),
            finding("b", (6, 6), path="x.py"),
            "Paired because both name line 6 of x.py, counting an alternate place; the category is the same.",
        ),
    ],
)
def test_the_explanation_says_what_made_the_pair(a, b, sentence):
    (pair,) = aligned([a], [b]).pairs
    assert pair.explanation == sentence


def test_two_whole_file_anchors_are_the_same_place():
    found = aligned([finding("a")], [finding("b")])
    assert found.pairs[0].relation is PlaceRelation.WHOLE_FILE
    assert compare(Verdict.HAS_DEFECTS, Verdict.HAS_DEFECTS, found).flags == ()


def test_a_whole_file_against_lines_pairs_by_category_and_leaves_the_anchors_to_settle():
    found = aligned([finding("a")], [finding("b", (900, 900))])
    (flag,) = compare(Verdict.HAS_DEFECTS, Verdict.HAS_DEFECTS, found).flags
    assert (flag.kind, flag.pair) == (DisagreementKind.ANCHORS_DISJOINT, ("a", "b"))
    assert aligned([finding("a")], [finding("b", (900, 900), category="security")]).pairs == ()


def test_findings_without_an_anchor_are_never_paired():
    nowhere = Finding("a", "logic", Severity.LOW, ())
    assert align([nowhere], [replace(nowhere, id="b")]).pairs == ()


def test_both_without_context_raises_nothing_and_returns_the_case():
    found = aligned([finding("a1", (1, 1))], [])
    decided = compare(Verdict.INSUFFICIENT_CONTEXT, Verdict.INSUFFICIENT_CONTEXT, found)
    assert (decided.flags, decided.needs_adjudication, decided.returns_to_owner) == ((), False, True)


def test_lacking_context_keeps_the_own_findings_in_question_and_not_the_others():
    found = aligned([finding("a1", (1, 1))], [finding("b1", (90, 90))])
    decided = compare(Verdict.INSUFFICIENT_CONTEXT, Verdict.HAS_DEFECTS, found)
    existence = [flag.finding_id for flag in decided.flags if flag.kind is DisagreementKind.EXISTENCE]
    assert existence == ["a1"]
    assert decided.needs_adjudication


@pytest.mark.parametrize("verdict", list(Verdict)[:3])
def test_equal_verdicts_without_findings_leave_nothing_to_decide(verdict):
    decided = compare(verdict, verdict, aligned([], []))
    assert (decided.flags, decided.needs_adjudication, decided.returns_to_owner) == ((), False, False)


def test_uncertain_against_clean_is_a_difference_of_verdicts():
    (flag,) = compare(Verdict.UNCERTAIN, Verdict.CLEAN, aligned([], [])).flags
    assert (flag.kind, flag.verdicts) == (DisagreementKind.VERDICT, (Verdict.UNCERTAIN, Verdict.CLEAN))


@pytest.mark.parametrize("wrong", [{"no_match_cost": 7_500}, {"category_cost": 9_000}, {"window": -1}])
def test_parameters_that_would_make_a_candidate_a_loss_are_refused(wrong):
    with pytest.raises(ValueError, match=r"no-match cost|negative"):
        AlignmentParameters(**wrong)


def test_a_repeated_id_is_refused():
    with pytest.raises(ValueError, match="unique"):
        align([finding("a", (1, 1)), finding("a", (2, 2))], [])


def test_two_hundred_findings_on_each_side_of_one_spot_are_aligned_exactly():
    source = random.Random(3)
    a = [finding(f"a{number}", (1, source.randint(1, 300))) for number in range(200)]
    b = [finding(f"b{number}", (1, source.randint(1, 300))) for number in range(200)]
    found = align(
        a,
        b,
    )
    assert len(found.pairs) == 200
