"""How many doubly labelled cases an interval of a wished width takes: widths shrink with the root of the cases."""

from __future__ import annotations

import math
from dataclasses import dataclass

# Until there is an interval: about this half-width at this many cases (reference simulation of clustered findings).
RULE_OF_THUMB = ((30, 0.17), (150, 0.08))
NARROWEST, WIDEST = 0.01, 1.0


@dataclass(frozen=True)
class Plan:
    """What a width takes: all cases, and how many more than there are."""

    cases: int
    more: int


def cases_for_width(*, cases: int, width: float, wished: float) -> Plan:
    """Return how many cases of the same kind give the wished width, told by the width that `cases` gave.

    An interval without width tells nothing about another one, so the width has to be above zero, else ValueError.
    """
    if cases < 1 or not width > 0:
        raise ValueError("an interval with a width is needed to plan by")
    if not NARROWEST <= wished <= WIDEST:
        raise ValueError(f"the wished width lies between {NARROWEST} and {WIDEST}")
    # Rounded first, so that a width that fits exactly takes no case more.
    needed = math.ceil(round(cases * (width / wished) ** 2, 6))
    return Plan(cases=max(needed, 1), more=max(0, needed - cases))
