"""Tables of machine evidence, one module per noun."""

from reviews.models.findings import AIAnchor, AIFinding, JudgeVerdict
from reviews.models.intakes import Intake, IntakeRecord, IntakeRemark, RawRecord
from reviews.models.matches import Match, Matching, Ruling
from reviews.models.runs import CaseRun, Run, SeenContext
from reviews.models.tools import ConfigurationParameter, SeverityMapping, SourceSettings, Tool, ToolConfiguration

__all__ = [
    "AIAnchor",
    "AIFinding",
    "CaseRun",
    "ConfigurationParameter",
    "Intake",
    "IntakeRecord",
    "IntakeRemark",
    "JudgeVerdict",
    "Match",
    "Matching",
    "RawRecord",
    "Ruling",
    "Run",
    "SeenContext",
    "SeverityMapping",
    "SourceSettings",
    "Tool",
    "ToolConfiguration",
]
