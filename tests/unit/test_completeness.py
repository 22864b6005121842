"""What an answer needs before it can be submitted (T2)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from labeling.domain.completeness import LabelFacts, answer_gaps, label_gaps

COMPLETE = LabelFacts(
    number=1,
    severity="high",
    category="boundary",
    names_boundary=False,
    relation="introduced",
    speculative=False,
    trigger="the cart is empty",
    evidence="",
    impact="the page fails",
    boundary="",
    confidence="low",
    places=frozenset({("primary", "lines")}),
)


def fields(label: LabelFacts) -> list[str]:
    return [gap.field for gap in label_gaps(label)]


def test_a_label_with_all_parts_has_no_gap() -> None:
    assert fields(COMPLETE) == []


@pytest.mark.parametrize("field", ["severity", "category", "relation", "trigger", "impact", "confidence"])
def test_each_part_that_is_missing_is_named(field: str) -> None:
    assert fields(replace(COMPLETE, **{field: ""})) == [field]


def test_speculative_has_to_be_answered_and_no_is_an_answer() -> None:
    assert fields(replace(COMPLETE, speculative=None)) == ["speculative"]
    assert fields(replace(COMPLETE, speculative=False)) == []


def test_a_note_may_leave_out_when_it_happens() -> None:
    assert fields(replace(COMPLETE, severity="note", trigger="")) == []


def test_a_security_category_needs_the_boundary_crossed() -> None:
    assert fields(replace(COMPLETE, names_boundary=True)) == ["boundary"]
    assert fields(replace(COMPLETE, names_boundary=True, boundary="outside to tenant")) == []


def test_a_primary_place_is_needed_and_alternates_do_not_stand_in_for_it() -> None:
    assert fields(replace(COMPLETE, places=frozenset({("alternate", "lines"), ("supporting", "lines")}))) == ["anchors"]


@pytest.mark.parametrize("level", ["file", "repository"])
def test_a_primary_place_without_lines_needs_evidence_in_words(level: str) -> None:
    label = replace(COMPLETE, places=frozenset({("primary", level)}))
    assert fields(label) == ["evidence"]
    assert fields(replace(label, evidence="no migration adds the column")) == []


def gaps(verdict: str, *labels: LabelFacts, missing_context: str = "") -> list[tuple[int | None, str]]:
    return [
        (gap.label, gap.field)
        for gap in answer_gaps(verdict=verdict, missing_context=missing_context, labels=list(labels))
    ]


def test_zero_labels_need_a_verdict_other_than_has_defects() -> None:
    assert gaps("") == [(None, "verdict")]
    assert gaps("has_defects") == [(None, "verdict")]
    assert gaps("clean") == []
    assert gaps("uncertain") == []


def test_a_clean_case_holds_notes_only() -> None:
    note = replace(COMPLETE, severity="note")
    assert gaps("clean", note) == []
    assert gaps("clean", note, replace(COMPLETE, number=2, severity="low")) == [(None, "verdict")]


def test_insufficient_context_names_what_is_missing() -> None:
    assert gaps("insufficient_context") == [(None, "missing_context")]
    assert gaps("insufficient_context", missing_context="the schema of orders") == []


@pytest.mark.parametrize("verdict", ["has_defects", "uncertain", "insufficient_context"])
def test_labels_have_to_be_complete_under_every_verdict(verdict: str) -> None:
    found = gaps(verdict, COMPLETE, replace(COMPLETE, number=3, impact=""), missing_context="the schema of orders")
    assert found == [(3, "impact")]
