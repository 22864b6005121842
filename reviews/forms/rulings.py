"""A ruling as it is sent: read, kept as typed where it is refused."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeVar

from corpus.models import GoldenRevision
from reviews.domain.rulings import ON_PAIR, RulingValue
from reviews.domain.vocabulary import EvidenceGrade, ImpactGrade, LocalisationGrade, SuggestionGrade
from reviews.services.rulings import RulingInput, RulingRefused

# Value, words, key.
ANSWERS = (
    (RulingValue.MATCH, "The same defect", "1"),
    (RulingValue.PARTIAL, "The same area, but incomplete or overstated", "2"),
    (RulingValue.DIFFERENT, "A different defect than this golden finding", "3"),
    (RulingValue.DUPLICATE, "Says again what another finding says", "4"),
    (RulingValue.UNSUPPORTED, "No issue that the change supports", "5"),
    (RulingValue.VALID_NOT_IN_GOLD, "A real defect that the gold does not hold", "6"),
    (RulingValue.OUT_OF_SCOPE, "Out of this project's scope", "7"),
    (RulingValue.CANNOT_SAY, "Cannot be told from what is here", "8"),
)
GRADES: tuple[tuple[str, str, type[StrEnum]], ...] = (
    ("localisation", "Place", LocalisationGrade),
    ("evidence", "Evidence", EvidenceGrade),
    ("impact", "Impact", ImpactGrade),
    ("suggestion", "Suggested change", SuggestionGrade),
)
Member = TypeVar("Member", bound=StrEnum)


@dataclass(frozen=True)
class RulingForm:
    """What was sent, and what is wrong with it by field."""

    value: str = ""
    golden: str = ""
    rationale: str = ""
    grades: Mapping[str, str] = field(default_factory=dict)
    errors: Mapping[str, str] = field(default_factory=dict)

    @property
    def answers(self) -> list[tuple[str, str, str, bool]]:
        """Return value, words, key and whether it is chosen, of each answer."""
        return [(value.value, words, key, value == self.value) for value, words, key in ANSWERS]

    @property
    def grade_rows(self) -> list[tuple[str, str, list[tuple[str, bool]]]]:
        """Return name, words and choices of each grade."""
        return [
            (name, words, [(member.value, member.value == self.grades.get(name)) for member in kind])
            for name, words, kind in GRADES
        ]


def sent_form(data: Mapping[str, str]) -> RulingForm:
    """Return the form as it was sent."""
    return RulingForm(
        value=data.get("value", ""),
        golden=data.get("golden", ""),
        rationale=data.get("rationale", "").replace("\r\n", "\n"),
        grades={name: data.get(name, "") for name, _, _ in GRADES},
    )


def typed_ruling(form: RulingForm, golden: Mapping[str, GoldenRevision], *, seconds: int) -> RulingInput:
    """Return what the service takes; raises RulingRefused for what is no answer. `golden` is by key of the form.

    Grades of an answer that takes none are left out: the form shows them for every answer.
    """
    value = _member(RulingValue, form.value, "value", "Choose an answer.")
    on_pair = value in ON_PAIR
    if on_pair and form.golden not in golden:
        raise RulingRefused("golden", "Choose the golden finding that is meant.")
    graded = value in (RulingValue.MATCH, RulingValue.PARTIAL)
    said = {name: form.grades.get(name, "") if graded else "" for name, _, _ in GRADES}
    missing = [words.lower() for name, words, _ in GRADES if graded and not said[name]]
    if missing:
        raise RulingRefused("grades", f"A match is graded: {', '.join(missing)} is still open.")
    return RulingInput(
        value=value,
        rationale=form.rationale,
        golden=golden[form.golden] if on_pair else None,
        localisation=_member(LocalisationGrade, said["localisation"], "grades") if graded else None,
        evidence=_member(EvidenceGrade, said["evidence"], "grades") if graded else None,
        impact=_member(ImpactGrade, said["impact"], "grades") if graded else None,
        suggestion=_member(SuggestionGrade, said["suggestion"], "grades") if graded else None,
        seconds=seconds,
    )


def _member(kind: type[Member], text: str, name: str, sentence: str = "") -> Member:
    if text not in {member.value for member in kind}:
        raise RulingRefused(name, sentence or f"{text[:40]!r} is no grade; choose one of {', '.join(kind)}.")
    return kind(text)
