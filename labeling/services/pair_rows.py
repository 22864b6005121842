"""A group of labels as the columns of its stored pair."""

from __future__ import annotations

from collections.abc import Sequence

from labeling.domain.third_seat import Group
from labeling.models import Label

MAX_EXPLANATION = 500


def pair_columns(group: Group, labels: Sequence[Label]) -> dict[str, object]:
    """Return the columns of the pair of two or three labels, which are given in the order of their slots."""
    first, *rest = group.pairs
    columns: dict[str, object] = {
        "label_a": labels[0],
        "label_b": labels[1],
        "relation": first.relation_word,
        "cost": first.cost,
        "explanation": first.explanation[:MAX_EXPLANATION],
        "is_decided_by_severity": any(pair.decided_by_severity for pair in group.pairs),
    }
    for pair in rest:
        columns |= {
            "label_c": labels[2],
            "relation_c": pair.relation_word,
            "cost_c": pair.cost,
            "explanation_c": pair.explanation[:MAX_EXPLANATION],
        }
    return columns
