from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpus.domain.places import Anchor
from corpus.domain.vocabulary import Side
from reviews.domain.matching import AIInput, GoldenInput, MatchClass, Proposal, match_findings
from reviews.domain.rulings import ON_NO_GOLDEN, FinalFinding, RulingValue, apply_rulings

GOLDEN = ("G1", "G2")
AI = ("A1", "A2", "A3")


def proposal(*ai: tuple[str, int], category: str | None = "boundary") -> Proposal:
    """Golden findings on lines 10 and 50, AI findings on the lines given."""
    return match_findings(
        [GoldenInput("G1", "boundary", (at(10),)), GoldenInput("G2", "boundary", (at(50),))],
        [AIInput(name, category, (at(line),)) for name, line in ai],
    )


def at(line: int) -> Anchor:
    return Anchor("a.py", Side.NEW, ((line, line),))


def ruled(
    proposed: Proposal, rulings: dict[tuple[str, str], RulingValue], *, complete: bool = True
) -> dict[str, tuple[str, str | None, bool]]:
    final = apply_rulings(proposed, rulings, required=GOLDEN, labels_complete=complete)
    return {one.ai_id: (one.result.value, one.golden_id, one.is_open) for one in final}


MATCH, PARTIAL, DIFFERENT = RulingValue.MATCH, RulingValue.PARTIAL, RulingValue.DIFFERENT


def test_without_rulings_only_what_is_certain_is_closed() -> None:
    assert ruled(proposal(("A1", 10), ("A2", 53)), {}) == {
        "A1": ("match", "G1", False),
        "A2": ("partial", "G2", True),
    }
    assert ruled(proposal(("A1", 10), category=None), {}) == {"A1": ("match", "G1", True)}


@pytest.mark.parametrize(
    ("ruling", "complete", "expected"),
    [
        (MATCH, True, ("match", "G2", False)),
        (PARTIAL, True, ("partial", "G2", False)),
        (DIFFERENT, True, ("false_positive", None, False)),
        (DIFFERENT, False, ("unjudged", None, False)),
    ],
)
def test_a_ruling_decides_its_pair(ruling: RulingValue, complete: bool, expected: tuple[str, str | None, bool]) -> None:
    assert ruled(proposal(("A2", 53)), {("A2", "G2"): ruling}, complete=complete) == {"A2": expected}


def test_what_no_golden_finding_explains_waits_for_a_person() -> None:
    assert ruled(proposal(("A1", 200)), {}) == {"A1": ("false_positive", None, True)}
    assert ruled(proposal(("A1", 200)), {("A1", ON_NO_GOLDEN): RulingValue.UNSUPPORTED}) == {
        "A1": ("false_positive", None, False)
    }


def test_a_ruling_on_the_finding_alone_frees_the_golden_finding() -> None:
    proposed = proposal(("A1", 10), ("A2", 12))
    assert ruled(proposed, {("A1", ON_NO_GOLDEN): RulingValue.OUT_OF_SCOPE}) == {
        "A1": ("out_of_scope", None, False),
        "A2": ("partial", "G1", True),
    }
    # What was said of the pair goes first.
    both = {("A1", ON_NO_GOLDEN): RulingValue.OUT_OF_SCOPE, ("A1", "G1"): MATCH}
    assert ruled(proposed, both)["A1"] == ("match", "G1", False)


def test_even_a_certain_match_can_be_ruled_another_defect() -> None:
    assert ruled(proposal(("A1", 10)), {("A1", "G1"): DIFFERENT}) == {"A1": ("false_positive", None, False)}


def test_a_far_finding_can_be_ruled_a_match() -> None:
    assert ruled(proposal(("A1", 200)), {("A1", "G1"): MATCH}) == {"A1": ("match", "G1", False)}


def test_a_ruled_match_takes_the_golden_finding_and_the_other_becomes_a_duplicate() -> None:
    proposed = proposal(("A1", 10), ("A2", 12))
    assert ruled(proposed, {("A2", "G1"): MATCH}) == {
        "A1": ("duplicate", "G1", True),
        "A2": ("match", "G1", False),
    }


def test_two_ruled_matches_of_one_golden_finding_earn_one_hit() -> None:
    proposed = proposal(("A1", 10), ("A2", 12))
    assert ruled(proposed, {("A1", "G1"): MATCH, ("A2", "G1"): MATCH}) == {
        "A1": ("match", "G1", False),
        "A2": ("duplicate", "G1", False),
    }


def test_a_duplicate_comes_up_when_the_first_was_another_defect() -> None:
    proposed = proposal(("A1", 10), ("A2", 12))
    assert ruled(proposed, {("A1", "G1"): DIFFERENT}) == {
        "A1": ("false_positive", None, False),
        "A2": ("partial", "G1", True),
    }


@given(
    st.lists(st.tuples(st.sampled_from(AI), st.sampled_from([8, 10, 12, 48, 50, 90])), unique_by=lambda one: one[0]),
    st.dictionaries(
        st.tuples(st.sampled_from(AI), st.sampled_from((*GOLDEN, ON_NO_GOLDEN))), st.sampled_from(RulingValue)
    ),
)
@settings(max_examples=150)
def test_no_golden_finding_is_ever_credited_twice(
    said: list[tuple[str, int]], rulings: dict[tuple[str, str], RulingValue]
) -> None:
    final: tuple[FinalFinding, ...] = apply_rulings(proposal(*said), rulings, required=GOLDEN, labels_complete=True)
    hits = [one.golden_id for one in final if one.result in {MatchClass.MATCH, MatchClass.PARTIAL}]
    assert len(hits) == len(set(hits))
    assert [one.ai_id for one in final] == [one.ai_id for one in proposal(*said).findings]
    for one in final:
        if one.result in {MatchClass.MATCH, MatchClass.PARTIAL}:
            assert rulings.get((one.ai_id, one.golden_id or "")) is not DIFFERENT
        if one.result is MatchClass.DUPLICATE:
            assert one.golden_id in {None, *hits}
