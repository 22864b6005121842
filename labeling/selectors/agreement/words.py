"""Figures as pages and files show them: rounded, with their interval, their counts, and why there is no number."""

from __future__ import annotations

from dataclasses import dataclass

from labeling.domain.statistics.layers import Figure, Layer, ShareFigure
from labeling.domain.statistics.measures import Measure, Reason

LAYER_TITLES = {
    Layer.VERDICT: "Verdict",
    Layer.EXISTENCE: "Existence",
    Layer.CATEGORY: "Category",
    Layer.SEVERITY: "Severity",
    Layer.PLACE: "Place",
}
LAYER_QUESTIONS = {
    Layer.VERDICT: "Do both give the case the same answer?",
    Layer.EXISTENCE: "Do both find the same defects?",
    Layer.CATEGORY: "Do both say the same kind of defect, where they point at one line?",
    Layer.SEVERITY: "Do both say how severe it is?",
    Layer.PLACE: "Do both point at the same lines?",
}
HEADLINES = {
    Layer.VERDICT: "Krippendorff's alpha, nominal",
    Layer.EXISTENCE: "F1 of detection",
    Layer.CATEGORY: "Krippendorff's alpha, nominal",
    Layer.SEVERITY: "Krippendorff's alpha, ordinal",
    Layer.PLACE: "Median overlap of lines (IoU)",
}
UNITS = {
    Layer.VERDICT: "case",
    Layer.EXISTENCE: "finding",
    Layer.CATEGORY: "pair on one line",
    Layer.SEVERITY: "pair",
    Layer.PLACE: "pair",
}
REASON_WORDS = {
    Reason.NO_VARIATION: "all answers are the same, so there is no chance agreement to correct for",
    Reason.NO_OVERLAP: "nothing was judged by two",
    Reason.EMPTY_DENOMINATOR: "there is nothing to take a share of",
    Reason.TOO_FEW_UNITS: "fewer than 5",
    Reason.TOO_FEW_CASES: "no interval under 10 cases",
    Reason.UNEQUAL_RATINGS: "not everybody rated everything",
    Reason.UNDEFINED_RESAMPLES: "too many resamples have no value",
}
NOT_AVAILABLE = "n/a"


@dataclass(frozen=True)
class Shown:
    """One line of a table: numbers are empty where there are none, and `why` says so in words."""

    label: str
    value: float | None
    text: str
    low: float | None
    high: float | None
    interval: str
    # On what it rests: "41 of 60" or "60 cases".
    counts: str
    why: str
    few: bool = False
    # Code of the reason, for files.
    reason: str = ""
    units: int = 0
    cases: int = 0
    key: str = ""


def number_text(value: float | None) -> str:
    """Return a coefficient in two digits."""
    return NOT_AVAILABLE if value is None else f"{value:.2f}"


def interval_text(low: float | None, high: float | None) -> str:
    """Return an interval in two digits; empty without one."""
    return "" if low is None or high is None else f"{low:.2f} to {high:.2f}"


def counted(count: int, word: str) -> str:
    """Return "1 case" or "2 cases"; "pair on one line" has its plural in the first word."""
    head, _, rest = word.partition(" ")
    return f"{count} {head}{'' if count == 1 else 's'}{' ' + rest if rest else ''}"


def figure_line(label: str, figure: Figure, unit: str, key: str = "") -> Shown:
    """Return a headline figure as a line."""
    why = ""
    if figure.value is None and figure.reason is not None:
        why = REASON_WORDS[figure.reason]
    elif figure.interval_reason is not None:
        why = REASON_WORDS[figure.interval_reason]
    reason = figure.reason or figure.interval_reason
    return Shown(
        label=label,
        value=figure.value,
        text=number_text(figure.value),
        low=figure.low,
        high=figure.high,
        interval=interval_text(figure.low, figure.high),
        counts=counted(figure.units, unit),
        why=why,
        few=figure.unstable,
        reason=reason.value if reason else "",
        units=figure.units,
        cases=figure.cases,
        key=key,
    )


def share_line(label: str, share: ShareFigure, key: str = "") -> Shown:
    """Return a share as a line."""
    reason = share.measure.reason
    return Shown(
        label=label,
        value=share.measure.value,
        text=number_text(share.measure.value),
        low=share.low,
        high=share.high,
        interval=interval_text(share.low, share.high),
        counts=f"{share.hits} of {share.total}",
        why=REASON_WORDS[reason] if reason else "",
        reason=reason.value if reason else "",
        units=share.total,
        key=key,
    )


def measure_line(label: str, measure: Measure, units: int, unit: str, key: str = "") -> Shown:
    """Return a companion without an interval as a line."""
    return Shown(
        label=label,
        value=measure.value,
        text=number_text(measure.value),
        low=None,
        high=None,
        interval="",
        counts=counted(units, unit),
        why=REASON_WORDS[measure.reason] if measure.reason else "",
        reason=measure.reason.value if measure.reason else "",
        units=units,
        key=key,
    )
