"""What a project asks of its versions."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Goals:
    """What the project's policy asks of a version; `categories` are those in scope, in their order."""

    min_clean_percent: int = 0
    min_per_category: int = 0
    min_per_severity: int = 0
    max_unresolved_percent: int = 100
    categories: tuple[str, ...] = ()
