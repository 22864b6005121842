"""How many more cases have to be labelled twice for an interval of a wished width."""

from __future__ import annotations

from dataclasses import dataclass

from labeling.domain.statistics.planning import RULE_OF_THUMB, Plan, cases_for_width
from labeling.selectors.agreement.overview import Overview
from labeling.selectors.agreement.words import Shown

DEFAULT_WIDTH = 0.2


@dataclass(frozen=True)
class LayerPlan:
    """One layer: its interval so far, and what the wished width takes; None where there is no interval to go by."""

    title: str
    headline: Shown
    width: str
    plan: Plan | None


@dataclass(frozen=True)
class Planning:
    """The layers under one wish. `rule` tells half-widths to expect until there is an interval."""

    wished: float
    cases: int
    layers: tuple[LayerPlan, ...]
    rule: tuple[tuple[int, float], ...] = RULE_OF_THUMB


def planning(found: Overview, wished: float) -> Planning:
    """Return the plan of each layer; `wished` is the whole width, from 0.01 to 1, else ValueError."""
    layers = tuple(_planned(card.title, card.headline, wished) for card in found.layers)
    return Planning(wished=wished, cases=found.judged, layers=layers)


def _planned(title: str, headline: Shown, wished: float) -> LayerPlan:
    if headline.low is None or headline.high is None or headline.high <= headline.low:
        return LayerPlan(title, headline, "", None)
    width = headline.high - headline.low
    return LayerPlan(title, headline, f"{width:.2f}", cases_for_width(cases=headline.cases, width=width, wished=wished))
