"""What the severity words of each source mean here. Words differ ("major" is high in one, medium in another), so each
source has a map of its own; a word that no map knows stays empty and is listed, and never becomes medium by default."""

from __future__ import annotations

from collections.abc import Mapping

from corpus.domain.vocabulary import Severity

_LEVELS = {level.value: level for level in Severity}
SCALES: Mapping[str, Mapping[str, Severity]] = {
    "levels": _LEVELS,
    "bcbench": {
        **_LEVELS,
        "blocker": Severity.CRITICAL,
        "major": Severity.HIGH,
        "error": Severity.HIGH,
        "warning": Severity.MEDIUM,
        "minor": Severity.LOW,
        "suggestion": Severity.LOW,
        "info": Severity.LOW,
    },
    "code_quality": {
        "blocker": Severity.CRITICAL,
        "critical": Severity.HIGH,
        "major": Severity.MEDIUM,
        "minor": Severity.LOW,
        "info": Severity.NOTE,
    },
    "coderabbit": {
        "critical": Severity.CRITICAL,
        "major": Severity.HIGH,
        "minor": Severity.MEDIUM,
        "trivial": Severity.LOW,
        "info": Severity.NOTE,
        "nitpick": Severity.NOTE,
    },
    "sarif": {
        "error": Severity.HIGH,
        "warning": Severity.MEDIUM,
        "note": Severity.LOW,
        "none": Severity.NOTE,
    },
    "diagnostic": {"error": Severity.HIGH, "warning": Severity.MEDIUM, "info": Severity.LOW},
    "reply": {**_LEVELS, "error": Severity.HIGH, "warning": Severity.MEDIUM, "info": Severity.LOW},
    "priority": {"p0": Severity.CRITICAL, "p1": Severity.HIGH, "p2": Severity.MEDIUM, "p3": Severity.LOW},
}
_SCORE = "security-severity "


def severity_for(word: str, scale: str, own: Mapping[str, Severity]) -> Severity | None:
    """Return what a word means: by the source's own map, else by its scale; None where neither knows it."""
    key = " ".join(word.lower().split())
    if not key:
        return None
    if key in own:
        return own[key]
    if scale == "sarif" and key.startswith(_SCORE):
        return _by_score(key.removeprefix(_SCORE))
    return SCALES.get(scale, {}).get(key)


def _by_score(text: str) -> Severity | None:
    try:
        score = float(text)
    except ValueError:
        return None
    if not 0 <= score <= 10:
        return None
    if score >= 9:
        return Severity.CRITICAL
    if score >= 7:
        return Severity.HIGH
    return Severity.MEDIUM if score >= 4 else Severity.LOW
