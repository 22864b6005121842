"""Tables of human evidence, one module per noun."""

from labeling.models.adjudication import (
    Adjudication,
    Comparison,
    Disagreement,
    GoldenSource,
    LabelPair,
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
    "Comparison",
    "Disagreement",
    "FileRead",
    "GoldenSource",
    "Label",
    "LabelAnchor",
    "LabelPair",
    "LabelRevision",
    "Round",
    "Tally",
    "TallyFinding",
]
