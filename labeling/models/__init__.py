"""Tables of human evidence, one module per noun."""

from labeling.models.adjudication import (
    Adjudication,
    ComparedLabel,
    Comparison,
    Disagreement,
    GoldenSource,
    LabelPair,
    PairCorrection,
)
from labeling.models.agreement import Tally, TallyFinding
from labeling.models.assignments import Assignment, AssignmentEvent, FileRead, Round
from labeling.models.labels import ClaimAnswer, ClaimAnswerAnchor, Label, LabelAnchor, LabelRevision

__all__ = [
    "Adjudication",
    "Assignment",
    "AssignmentEvent",
    "ClaimAnswer",
    "ClaimAnswerAnchor",
    "ComparedLabel",
    "Comparison",
    "Disagreement",
    "FileRead",
    "GoldenSource",
    "Label",
    "LabelAnchor",
    "LabelPair",
    "LabelRevision",
    "PairCorrection",
    "Round",
    "Tally",
    "TallyFinding",
]
