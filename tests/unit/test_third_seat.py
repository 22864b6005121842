"""When a third seat is called, and how the labels of three people are grouped and asked about."""

from __future__ import annotations

import pytest

from corpus.domain.places import Anchor
from corpus.domain.vocabulary import DisagreementKind, Severity, Side, Verdict
from labeling.domain.alignment import AskPolicy, Finding, align
from labeling.domain.states import ThirdSeat
from labeling.domain.third_seat import (
    Group,
    ThirdSeatPolicy,
    agreement_percent,
    group_differences,
    groups_of_two,
    questions,
    third_seat,
    with_third,
)

DEFECTS, CLEAN, LACKING = Verdict.HAS_DEFECTS, Verdict.CLEAN, Verdict.INSUFFICIENT_CONTEXT


def finding(name: str, first: int, last: int | None = None, *, category="logic", severity="high") -> Finding:
    place = Anchor(path="a.py", side=Side.NEW, ranges=((first, last or first),))
    return Finding(id=name, category=category, severity=Severity(severity), anchors=(place,))


def grouped(a=(), b=(), c=None) -> list[dict[str, str]]:
    """Group labels of two or three people and return the members' ids by slot, sorted."""
    return sorted(
        ({slot: found.id for slot, found in group.members.items()} for group in groups(a, b, c)),
        key=lambda members: sorted(members.items()),
    )


def groups(a=(), b=(), c=None) -> tuple[Group, ...]:
    made = groups_of_two(align(a, b), a, b)
    return made if c is None else with_third(made, c)


# --- When it is called ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("policy", "verdicts", "agreement", "sampled", "expected"),
    [
        (ThirdSeatPolicy(), (DEFECTS, CLEAN), 0, False, ThirdSeat.NOT_CALLED),
        (ThirdSeatPolicy(below=50), (DEFECTS, DEFECTS), 49, False, ThirdSeat.LOW_AGREEMENT),
        (ThirdSeatPolicy(below=50), (DEFECTS, DEFECTS), 50, False, ThirdSeat.NOT_CALLED),
        (ThirdSeatPolicy(below=50), (DEFECTS, CLEAN), 100, False, ThirdSeat.NOT_CALLED),
        (ThirdSeatPolicy(on_verdict=True), (DEFECTS, CLEAN), 100, False, ThirdSeat.VERDICT),
        (ThirdSeatPolicy(on_verdict=True), (CLEAN, CLEAN), 100, True, ThirdSeat.SAMPLED),
        (ThirdSeatPolicy(below=100, on_verdict=True), (LACKING, LACKING), 0, True, ThirdSeat.NOT_CALLED),
    ],
)
def test_it_is_called_below_the_limit_on_differing_verdicts_or_by_the_draw(
    policy, verdicts, agreement, sampled, expected
) -> None:
    assert third_seat(policy, verdicts=verdicts, agreement=agreement, is_sampled=sampled) is expected


def test_agreement_counts_labels_whose_partner_differs_in_nothing() -> None:
    a = [finding("a1", 10), finding("a2", 100, severity="high"), finding("a3", 200)]
    b = [finding("b1", 10), finding("b2", 100, severity="low")]
    found = align(a, b)
    # a1 and b1 of five labels; the second pair differs by two levels.
    assert agreement_percent(found, AskPolicy()) == 40
    assert agreement_percent(found, AskPolicy(severity_tolerance=1)) == 40
    assert agreement_percent(found, AskPolicy(severity_tolerance=2)) == 80
    assert agreement_percent(align([], []), AskPolicy()) == 100
    assert agreement_percent(align(a, []), AskPolicy()) == 0


# --- Grouping -------------------------------------------------------------------------------------------------------


def test_the_third_joins_pairs_and_labels_alone_one_to_one() -> None:
    a = [finding("a1", 10), finding("a2", 100)]
    b = [finding("b1", 10), finding("b3", 300)]
    c = [finding("c1", 11), finding("c2", 100), finding("c3", 300), finding("c4", 400)]
    assert grouped(a, b, c) == [
        {"A": "a1", "B": "b1", "C": "c1"},
        {"A": "a2", "C": "c2"},
        {"B": "b3", "C": "c3"},
        {"C": "c4"},
    ]
    assert grouped(a, b) == [{"A": "a1", "B": "b1"}, {"A": "a2"}, {"B": "b3"}]


def test_either_place_and_either_category_of_a_pair_counts_for_the_third() -> None:
    a, b = [finding("a1", 10, 14)], [finding("b1", 14, 20, category="race")]
    # Lies near the second one's lines only, in the second one's category, and shares no line with either.
    near = finding("c1", 23, category="race")
    [whole] = groups(a, b, [near])
    assert whole.slots == ("A", "B", "C")
    joined = whole.pairs[1]
    assert (joined.a_id, joined.b_id, joined.relation, joined.same_place) == ("b1", "c1", "near", False)
    other = finding("c1", 23, category="leak")
    assert grouped(a, b, [other]) == [{"A": "a1", "B": "b1"}, {"C": "c1"}]


def test_the_order_of_the_labels_changes_nothing() -> None:
    a = [finding(f"a{n}", 10 * n) for n in range(1, 6)]
    b = [finding(f"b{n}", 10 * n + 1) for n in range(2, 7)]
    c = [finding(f"c{n}", 10 * n + 2) for n in range(1, 7)]
    expected = grouped(a, b, c)
    assert grouped(a[::-1], b[::-1], c[::-1]) == expected
    assert grouped(a[2:] + a[:2], b, c[3:] + c[:3]) == expected


# --- What is asked --------------------------------------------------------------------------------------------------


def kinds(groups, verdicts, policy=None) -> list[tuple[str, str]]:
    """Kind and slots of what is asked, in order."""
    asked = questions(groups, dict(zip("ABC", verdicts, strict=False)), policy or AskPolicy())
    return [(one.kind.value, "".join(one.group.slots) if one.group else "") for one in asked]


def test_two_of_three_is_still_a_question() -> None:
    found = groups([finding("a1", 10)], [], [finding("c1", 10)])
    assert kinds(found, (DEFECTS, CLEAN, DEFECTS)) == [("verdict", ""), ("existence", "AC")]


def test_what_all_three_say_alike_is_none() -> None:
    found = groups([finding("a1", 10)], [finding("b1", 10)], [finding("c1", 10)])
    assert kinds(found, (DEFECTS, DEFECTS, DEFECTS)) == []


def test_the_distance_of_severities_is_the_widest_and_the_policy_decides_from_which_on() -> None:
    found = groups(
        [finding("a1", 10, severity="critical")], [finding("b1", 10)], [finding("c1", 10, severity="medium")]
    )
    [asked] = group_differences(found[0], AskPolicy())
    assert (asked.kind, asked.distance) == (DisagreementKind.SEVERITY, 2)
    assert kinds(found, (DEFECTS,) * 3, AskPolicy(severity_tolerance=1)) == [("severity", "ABC")]
    assert kinds(found, (DEFECTS,) * 3, AskPolicy(severity_tolerance=2)) == []


def test_a_place_apart_is_asked_unless_the_policy_says_otherwise() -> None:
    found = groups([finding("a1", 10)], [finding("b1", 12)])
    assert kinds(found, (DEFECTS, DEFECTS)) == [("anchors_disjoint", "AB")]
    assert kinds(found, (DEFECTS, DEFECTS), AskPolicy(asks_about_places=False)) == []


def test_whoever_lacked_context_contradicts_nobody() -> None:
    found = groups([finding("a1", 10)], [finding("b1", 10)], [])
    assert kinds(found, (DEFECTS, DEFECTS, LACKING)) == [("verdict", ""), ("insufficient_context", "")]
    assert kinds(found, (LACKING, LACKING, LACKING)) == []
