"""Words in a change that tell what is wrong with it."""

from __future__ import annotations

import pytest

from corpus.domain.oracle_leaks import MOST_LEAKS, leaks_in

pytestmark = pytest.mark.pure


def found(*lines: str, **more) -> list[tuple[int, str]]:
    numbered = list(enumerate((line.encode() for line in lines), start=1))
    return [(leak.line, leak.what) for leak in leaks_in({"a.py": numbered}, **more)]


@pytest.mark.parametrize(
    "line",
    [
        "# BUG: missing auth check",
        "// BUG #12: off by one",
        "x = 1  # DEFECT: wrong default",
        "/* intentional bug */",
        "# deliberately broken for the benchmark",
        "# seeded defect, see the answer key",
        "-- a planted vulnerability",
        "# the bug is here",
        "# ground truth: line 3",
        "see golden_finding 4",
    ],
)
def test_phrases_of_fixtures_are_found(line: str) -> None:
    assert [number for number, _ in found("total = 0", line)] == [2]


@pytest.mark.parametrize(
    "line",
    [
        "log.debug('x')",
        "DEBUG: bool = False",
        "# fixes bug 12 of last year",
        "raise DefectError(message)",
        "golden = load('golden.json')",
        "def inject(fault_handler): ...",
        "# this is intentional",
    ],
)
def test_ordinary_code_is_left_alone(line: str) -> None:
    assert found(line) == []


def test_ids_and_wording_of_golden_findings_are_found() -> None:
    lines = ("import pay", "# G7QK2M9XTR", "# The retry charges", "# the customer, twice", "pay.charge()")
    told = found(*lines, ids=["G7QK2M9XTR"], summaries={"G7QK2M9XTR": "The retry charges the customer twice"})
    assert told == [
        (2, "the id of the golden finding G7QK2M9XTR"),
        (3, "the wording of the golden finding G7QK2M9XTR"),
    ]


def test_short_wordings_occur_by_chance_and_are_left_alone() -> None:
    assert found("if order is None:", summaries={"G1": "order is None"}) == []


def test_a_flood_is_bounded() -> None:
    assert len(found(*["# BUG: x"] * 1000)) == MOST_LEAKS
