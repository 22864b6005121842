"""Matching against an independent enumeration, and what a proposal may never do."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpus.domain.places import Anchor
from corpus.domain.vocabulary import GoldenState, Severity, Side
from reviews.domain.matching import AIInput, GoldenInput, MatchClass, MatchReason, Scope, match_findings
from tests.unit.line_sets import (
    HUNKS,
    RENAME,
    distance,
    file_of,
    lines_of,
    place_order,
    random_alternates,
    random_anchors,
)
from tests.unit.test_assignment import every_assignment

STATES = [GoldenState.REQUIRED] * 6 + [GoldenState.OPTIONAL, GoldenState.UNRESOLVED, GoldenState.DECOY]
SCOPE = Scope(files_excluded=["main.py"], categories_excluded=["security"])


def anchored(*ranges, path="main.py", side=Side.NEW):
    return (Anchor(path, side, ranges),)


def golden(name, *ranges, category="logic", state=GoldenState.REQUIRED, **other):
    return GoldenInput(name, category, anchored(*ranges), state=state, **other)


def said(name, *ranges, category="logic", **other):
    return AIInput(name, category, anchored(*ranges), **other)


def matched(wanted, ai, **other):
    return match_findings(wanted, ai, files=[RENAME], hunks=HUNKS, **other)


def classes(proposal):
    return {one.ai_id: (one.match_class.value, one.golden_id) for one in proposal.findings}


def random_golden(source):
    return [
        GoldenInput(
            f"g{number}",
            source.choice(["logic", "logic", "security"]),
            random_anchors(source),
            random_alternates(source),
            source.choice(STATES),
            source.choice(list(Severity)),
        )
        for number in range(source.randint(0, 5))
    ]


def random_ai(source):
    return [
        AIInput(
            f"p{number}",
            source.choice(["logic", "logic", "security", None]),
            random_anchors(source) if source.random() < 0.9 else anchored((1, 60)),
            random_alternates(source),
        )
        for number in range(source.randint(0, 5))
    ]


def graded(one, ai):
    """Return (is match, cost) of the best combination of places, or None."""
    found = []
    for left, right in product((one.anchors, *one.alternates), (ai.anchors, *ai.alternates)):
        near = distance(left, right)
        if near is None:
            continue
        cost, shares, iou = near
        same = ai.category in (None, one.category)
        if same or shares:
            localised = len(lines_of(right)) <= 40 or iou >= Fraction(1, 4)
            found.append((shares and same and localised, -(int(cost * 10_000) + (0 if same else 5_000))))
    return max(found, default=None)


def enumerated(wanted, ai):
    """Return the classes that the definition gives, by trying every one-to-one assignment."""
    wanted = sorted(wanted, key=lambda one: (place_order(one), one.category, one.severity.rank, one.id))
    ai = sorted(ai, key=lambda one: (place_order(one), one.category or "", one.id))
    grades = {(i, j): graded(one, other) for i, one in enumerate(wanted) for j, other in enumerate(ai)}
    grades = {edge: grade for edge, grade in grades.items() if grade is not None}
    required = sorted(edge for edge in grades if wanted[edge[0]].state is GoldenState.REQUIRED)

    def rank(chosen):
        partner = dict(chosen)
        return (
            sum(grades[edge][0] for edge in chosen),
            sum(not grades[edge][0] for edge in chosen),
            -sum(ai[j].category is None for _, j in chosen),
            sum(grades[edge][1] for edge in chosen),
            [-partner.get(i, 99) for i in range(len(wanted))],
        )

    chosen = {j: i for i, j in max(every_assignment(required), key=rank)}
    answer = {}
    for j, other in enumerate(ai):
        near = {i: grade for (i, k), grade in grades.items() if k == j}

        def best(*states, near=near):
            fitting = [i for i in near if wanted[i].state in states]
            return min(fitting, key=lambda i: (not near[i][0], -near[i][1], i), default=None)

        taken, decoy = best(GoldenState.REQUIRED), best(GoldenState.DECOY)
        ignored = best(GoldenState.OPTIONAL, GoldenState.UNRESOLVED)
        files = {file_of(anchor.path) for anchor in other.anchors}
        if j in chosen:
            answer[other.id] = "match" if near[chosen[j]][0] else "partial", wanted[chosen[j]].id
        elif taken is not None:
            answer[other.id] = "duplicate", wanted[taken].id
        elif ignored is not None:
            answer[other.id] = "out_of_scope ignored_golden", wanted[ignored].id
        elif decoy is not None and near[decoy][0]:
            answer[other.id] = "false_positive decoy", wanted[decoy].id
        elif files == {"main.py"}:
            answer[other.id] = "out_of_scope file", None
        elif other.category == "security":
            answer[other.id] = "out_of_scope category", None
        else:
            answer[other.id] = "false_positive", None
    pairs = {(wanted[i].id, ai[j].id) for j, i in chosen.items()}
    return answer, pairs


def test_two_thousand_random_instances_equal_full_enumeration():
    source = random.Random(1_971)
    seen = set()
    for _ in range(2_000):
        wanted, ai = random_golden(source), random_ai(source)
        expected, pairs = enumerated(wanted, ai)
        proposal = matched(wanted, ai, scope=SCOPE)
        found = {
            one.ai_id: (f"{one.match_class} {one.reason or ''}".strip(), one.golden_id) for one in proposal.findings
        }
        assert found == expected
        hits = {
            (one.golden_id, one.ai_id)
            for one in proposal.findings
            if one.match_class in (MatchClass.MATCH, MatchClass.PARTIAL)
        }
        assert hits == pairs
        hit = {golden_id for golden_id, _ in pairs}
        assert sorted(proposal.missed) == [
            one.id for one in wanted if one.state is GoldenState.REQUIRED and one.id not in hit
        ]
        seen |= {kind for kind, _ in found.values()}
    assert len(seen) == 8


@settings(max_examples=120)
@given(st.integers(0, 10**9))
def test_the_order_of_the_lists_does_not_matter(seed):
    source = random.Random(seed)
    wanted, ai = random_golden(source), random_ai(source)
    proposal = matched(wanted, ai)
    assert matched(source.sample(wanted, len(wanted)), source.sample(ai, len(ai))) == proposal


@settings(max_examples=120)
@given(st.integers(0, 10**9))
def test_no_greedy_order_finds_more_matches(seed):
    source = random.Random(seed)
    wanted, ai = random_golden(source), random_ai(source)
    free, greedy = {one.id for one in wanted if one.state is GoldenState.REQUIRED}, 0
    for other in source.sample(ai, len(ai)):
        for one in source.sample(wanted, len(wanted)):
            if one.id in free and (graded(one, other) or (False,))[0]:
                free.remove(one.id)
                greedy += 1
                break
    assert matched(wanted, ai).count(MatchClass.MATCH) >= greedy


@settings(max_examples=120)
@given(st.integers(0, 10**9))
def test_repeating_every_comment_adds_no_hit_and_no_false_positive_on_a_golden_place(seed):
    source = random.Random(seed)
    wanted, ai = random_golden(source), random_ai(source)
    once = matched(wanted, ai)
    again = [AIInput(f"{one.id}-again", one.category, one.anchors, one.alternates) for one in ai]
    free = set(once.missed)
    twice = matched(wanted, ai + again)
    named = {one.ai_id for one in once.findings if one.match_class is not MatchClass.FALSE_POSITIVE}
    if not free:
        assert twice.recall(lenient=True).numerator == once.recall(lenient=True).numerator
    for one in twice.findings:
        original = one.ai_id.removesuffix("-again")
        assert (original in named) == (one.match_class is not MatchClass.FALSE_POSITIVE)


def test_a_comment_without_category_yields_to_one_with_the_right_category():
    wanted = [golden("g", (10, 12))]
    proposal = matched(wanted, [said("p1", (10, 12), category=None), said("p2", (12, 14))])
    assert classes(proposal) == {"p1": ("duplicate", "g"), "p2": ("match", "g")}


def test_a_comment_without_category_matches_on_place_and_asks_for_confirmation():
    (one,) = matched([golden("g", (10, 12))], [said("p", (11, 11), category=None)]).findings
    assert (one.match_class, one.needs_confirmation, one.certain) == (MatchClass.MATCH, True, False)
    assert one.explanation == ("Proposed because both name line 11 of main.py; the AI finding gives no category.")


def test_a_match_comes_before_any_number_of_partials():
    wanted = [golden("g1", (10, 12)), golden("g2", (30, 31), category="security")]
    ai = [said("p1", (10, 12)), said("p2", (30, 31), category="security")]
    assert matched(wanted, ai).count(MatchClass.MATCH) == 2
    contested = [said("p1", (10, 12)), said("p2", (11, 11), category="security")]
    assert classes(matched(wanted, contested)) == {"p1": ("match", "g1"), "p2": ("duplicate", "g1")}


def test_the_only_candidate_on_both_sides_is_certain_and_a_contested_match_is_not():
    wanted = [golden("g", (10, 12))]
    assert matched(wanted, [said("p", (11, 11))]).findings[0].certain
    rival = said("q", (12, 12), category="security")
    by_id = {one.ai_id: one for one in matched(wanted, [said("p", (11, 11)), rival]).findings}
    assert by_id["p"].match_class is MatchClass.MATCH
    assert not by_id["p"].certain
    optional = golden("o", (11, 11), category="security", state=GoldenState.OPTIONAL)
    assert not matched([*wanted, optional], [said("p", (11, 11))]).findings[0].certain


@pytest.mark.parametrize(
    ("last", "golden_last", "expected"),
    [(40, 1, "match"), (41, 1, "partial"), (100, 25, "match"), (100, 24, "partial")],
)
def test_a_wide_range_locates_only_what_fills_a_quarter_of_it(last, golden_last, expected):
    proposal = matched([golden("g", (1, golden_last))], [said("p", (1, last))])
    assert classes(proposal) == {"p": (expected, "g")}


def test_a_whole_file_comment_is_partial_at_best():
    comment = AIInput("p", "logic", (Anchor("main.py"),))
    (one,) = matched([golden("g", (10, 12))], [comment]).findings
    assert (one.match_class, one.needs_confirmation) == (MatchClass.PARTIAL, True)
    other = AIInput("p", "security", (Anchor("main.py"),))
    assert classes(matched([golden("g", (10, 12))], [other])) == {"p": ("false_positive", None)}


def test_golden_findings_without_a_place_are_missed_and_never_guessed():
    nowhere = GoldenInput("g", "logic", ())
    proposal = matched([nowhere], [said("p", (1, 1)), AIInput("q", "logic", ())])
    assert proposal.missed == ("g",)
    assert classes(proposal) == {"p": ("false_positive", None), "q": ("false_positive", None)}


@pytest.mark.parametrize("state", [GoldenState.OPTIONAL, GoldenState.UNRESOLVED])
def test_a_golden_finding_outside_every_denominator_neither_rewards_nor_punishes(state):
    wanted = [golden("g", (10, 12), state=state)]
    proposal = matched(wanted, [said("p1", (10, 12)), said("p2", (11, 11))])
    assert {one.reason for one in proposal.findings} == {MatchReason.IGNORED_GOLDEN}
    assert proposal.optional_hits == 2
    assert proposal.missed == ()
    assert proposal.recall(lenient=False).value is None
    assert proposal.precision(lenient=True).value is None


def test_a_required_finding_wins_over_an_optional_one_at_the_same_place():
    wanted = [golden("o", (10, 12), state=GoldenState.OPTIONAL), golden("r", (10, 12))]
    assert classes(matched(wanted, [said("p", (10, 12))])) == {"p": ("match", "r")}


def test_naming_a_decoy_is_a_false_positive_that_says_so():
    (one,) = matched([golden("d", (10, 12), state=GoldenState.DECOY)], [said("p", (11, 11))]).findings
    assert (one.match_class, one.reason, one.golden_id) == (
        MatchClass.FALSE_POSITIVE,
        MatchReason.DECOY,
        "d",
    )


def test_golden_places_win_over_scope():
    wanted = [golden("g", (10, 12), category="security")]
    ai = [said("p", (10, 12), category="security"), said("q", (90, 90), category="security")]
    proposal = matched(wanted, ai, scope=Scope(["main.py"], ["security"]))
    assert classes(proposal) == {"p": ("match", "g"), "q": ("out_of_scope", None)}


def test_an_excluded_file_counts_under_both_of_its_names():
    comment = AIInput("p", "logic", anchored((1, 1), path="after.py"))
    (one,) = matched([], [comment], scope=Scope(files_excluded=["before.py"])).findings
    assert one.reason is MatchReason.FILE


def test_a_comment_that_also_names_a_file_in_scope_stays_in_scope():
    comment = AIInput("p", "logic", anchored((1, 1), path="lock.json") + anchored((1, 1)))
    (one,) = matched([], [comment], scope=Scope(files_excluded=["lock.json"])).findings
    assert one.match_class is MatchClass.FALSE_POSITIVE


def test_where_labels_are_not_complete_an_unmatched_finding_is_unjudged():
    wanted = [golden("g", (1, 1))]
    proposal = matched(wanted, [said("p", (1, 1)), said("q", (90, 90))], labels_complete=False)
    assert classes(proposal) == {"p": ("match", "g"), "q": ("unjudged", None)}
    rate = proposal.precision(lenient=False)
    assert (rate.numerator, rate.denominator) == (1, 1)


def test_a_repeated_id_is_refused():
    with pytest.raises(ValueError, match="unique"):
        matched([], [said("p", (1, 1)), said("p", (2, 2))])
