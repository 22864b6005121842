"""Gates: what must hold before a version is frozen.

A gate that did not pass is waived with a reason, where it can be, or nothing is frozen. Each names the cases that fail
it, with a sentence on each.
"""

from __future__ import annotations

from collections.abc import Sequence

from corpus.domain.goals import Goals
from corpus.selectors.case_records import CaseRecord
from corpus.services.content_gates import oracle_leaks, secrets
from corpus.services.corpus_gates import (
    clean_case,
    coverage,
    licence,
    near_duplicate_splits,
    one_split,
    unresolved,
)
from corpus.services.gate import MAX_DETAIL, FailingCase, Gate
from corpus.services.truth_gates import anchors, distinct_places, read_by_all, settled, written

__all__ = ["MAX_DETAIL", "FailingCase", "Gate", "Goals", "check_gates"]


def check_gates(records: Sequence[CaseRecord], goals: Goals) -> tuple[Gate, ...]:
    """Return every gate for the cases that a version would hold."""
    return (
        settled(records),
        written(records),
        anchors(records),
        read_by_all(records),
        distinct_places(records),
        clean_case(records),
        coverage(records, goals),
        unresolved(records, goals),
        one_split(records),
        near_duplicate_splits(records),
        oracle_leaks(records),
        secrets(records),
        licence(records),
    )
