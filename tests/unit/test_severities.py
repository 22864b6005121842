"""What severity words mean, source by source."""

from __future__ import annotations

import pytest

from corpus.domain.vocabulary import Severity
from reviews.domain.severities import severity_for

C, H, M, L, N = Severity.CRITICAL, Severity.HIGH, Severity.MEDIUM, Severity.LOW, Severity.NOTE


@pytest.mark.parametrize(
    ("scale", "words"),
    [
        ("levels", {"Critical": C, "High": H, "Medium": M, "Low": L, "note": N, "major": None}),
        ("bcbench", {"blocker": C, "major": H, "error": H, "warning": M, "minor": L, "suggestion": L, "info": L}),
        ("code_quality", {"blocker": C, "critical": H, "major": M, "minor": L, "info": N, "high": None}),
        ("coderabbit", {"critical": C, "major": H, "minor": M, "trivial": L, "info": N, "nitpick": N}),
        ("sarif", {"error": H, "warning": M, "note": L, "none": N, "critical": None}),
        (
            "sarif",
            {
                "security-severity 9.0": C,
                "security-severity 8.9": H,
                "security-severity 7.0": H,
                "security-severity 6.9": M,
                "security-severity 4.0": M,
                "security-severity 3.9": L,
                "security-severity 0": L,
                "security-severity 11": None,
                "security-severity high": None,
                "security-severity nan": None,
            },
        ),
        ("diagnostic", {"ERROR": H, "WARNING": M, "INFO": L, "": None, "hint": None}),
        ("priority", {"P0": C, "P1": H, "P2": M, "P3": L, "P4": None}),
        ("", {"critical": None}),
    ],
)
def test_each_source_has_its_own_map_and_unknown_words_stay_empty(
    scale: str, words: dict[str, Severity | None]
) -> None:
    assert {word: severity_for(word, scale, {}) for word in words} == words


def test_the_map_of_a_source_goes_before_that_of_its_format() -> None:
    own = {"major": Severity.LOW, "show stopper": Severity.CRITICAL}
    assert severity_for("Major", "coderabbit", own) is Severity.LOW
    assert severity_for("Show  Stopper", "", own) is Severity.CRITICAL
    assert severity_for("minor", "coderabbit", own) is Severity.MEDIUM
