"""Dawid-Skene (1979): the true class of each unit and each observer's error rates, by EM.

Only for three and more observers and some thirty units. With two labels a case the model is not identified
(two classes leave three free cells for five parameters), so its output would be the prior.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from labeling.domain.statistics.tables import Level, Numbers

FEWEST_OBSERVERS = 3
MAX_ITERATIONS = 20_000


@dataclass(frozen=True)
class DawidSkene:
    """Prevalence of the classes, error rates (observers x true x given), posterior (units x classes)."""

    class_marginals: Numbers
    error_rates: Numbers
    posterior: Numbers
    log_likelihood: float
    iterations: int


def dawid_skene(
    responses: Sequence[Sequence[Sequence[Level]]], levels: Sequence[Level], tolerance: float = 1e-10
) -> DawidSkene:
    """Fit the model to responses[unit][observer] = the classes given (none, one or several).

    Starts from each unit's shares of votes and stops when no posterior changes by more than `tolerance`.
    """
    if any(len(unit) != len(responses[0]) for unit in responses):
        raise ValueError("every unit needs a list for each observer")
    if not responses or len(responses[0]) < FEWEST_OBSERVERS:
        raise ValueError(f"the model needs units and at least {FEWEST_OBSERVERS} observers")
    index = {level: position for position, level in enumerate(levels)}
    votes = np.zeros((len(responses), len(responses[0]), len(levels)))
    for i, unit in enumerate(responses):
        for j, classes in enumerate(unit):
            for level in classes:
                votes[i, j, index[level]] += 1
    per_unit = votes.sum(axis=1)
    if not per_unit.sum(axis=1).all():
        raise ValueError("every unit needs a response")
    posterior = per_unit / per_unit.sum(axis=1, keepdims=True)
    given = votes[:, :, None, :]
    wide = (*votes.shape[:2], len(levels), len(levels))
    iterations, change = 0, np.inf
    while change > tolerance and iterations < MAX_ITERATIONS:
        iterations += 1
        marginals = posterior.mean(axis=0)
        rates = np.einsum("ic,ijl->jcl", posterior, votes)
        sums = rates.sum(axis=2, keepdims=True)
        rates = np.divide(rates, sums, out=np.zeros_like(rates), where=sums > 0)
        with np.errstate(divide="ignore"):
            log_rates = np.log(rates)
        # 0 votes at rate 0 is no evidence; a vote at rate 0 excludes the class.
        weighted = np.multiply(given, log_rates[None], out=np.zeros(wide), where=given > 0)
        with np.errstate(divide="ignore"):
            joint = weighted.sum(axis=(1, 3)) + np.log(marginals)[None, :]
        peak = joint.max(axis=1, keepdims=True)
        scaled = np.exp(joint - peak)
        after = scaled / scaled.sum(axis=1, keepdims=True)
        change = float(np.abs(after - posterior).max())
        posterior = after
    likelihood = float((peak[:, 0] + np.log(scaled.sum(axis=1))).sum())
    return DawidSkene(marginals, rates, posterior, likelihood, iterations)
