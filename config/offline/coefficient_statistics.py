"""`touchstone agree`: the coefficients of agreement by name."""

from __future__ import annotations

import numpy as np

from config.offline.located import Located
from config.offline.statistic_input import (
    Answer,
    answer,
    answer_of,
    confidence_of,
    names_of,
    of_table,
    read_counts,
    read_levels,
    read_ratings,
    read_table,
    read_weights,
)
from corpus.domain.vocabulary import Verdict
from labeling.domain.statistics import gwet, kappa
from labeling.domain.statistics.alpha import (
    Metric,
    alpha,
    alpha_with,
    coincidences_of_table,
    differences,
    disagreements,
    total_coincidences,
)
from labeling.domain.statistics.kinds import JUDGING_VERDICTS
from labeling.domain.statistics.measures import Measure, Reason, measured
from labeling.domain.statistics.tables import (
    Level,
    Numbers,
    contingency,
    level_counts,
    levels_used,
    raw_agreement,
    specific_agreement,
)

ORDERED_WEIGHTS = {"linear": 1, "quadratic": 2}
GWET_WEIGHTS = ("identity", "linear", "quadratic", "ordinal")
METRICS = (*(metric.value for metric in Metric), "krippendorff_ordinal", "gwet_ordinal_weights")


def two_raters(data: Located, params: Located) -> Answer:
    """The family of coefficients of one table of two reviewers."""
    table, levels = read_table(data, params)
    values = {
        "po": of_table(raw_agreement(table), table),
        "pe": Measure(kappa.chance_agreement(table)) if table.sum() else Measure(None, Reason.NO_OVERLAP),
        "kappa": of_table(kappa.cohen_kappa(table), table),
        "kappa_max": kappa.greatest_kappa(table),
        "scott_pi": of_table(kappa.scott_pi(table), table),
        "ac1": of_table(gwet.ac1(table), table),
        "brennan_prediger": of_table(kappa.brennan_prediger(table), table),
        "krippendorff_alpha_nominal": of_table(alpha(coincidences_of_table(table)), table),
    }
    if levels is not None:
        values |= {f"specific_{level}": value for level, value in zip(levels, specific_agreement(table), strict=True)}
    return answer_of(values)


def specific(data: Located, params: Located) -> Answer:
    """Specific agreement of each level, with AC1 and PABAK for comparison."""
    table, levels = read_table(data, params)
    if levels is None:
        data.fail('"levels" is missing')
    values = {str(level): value for level, value in zip(levels, specific_agreement(table), strict=True)}
    return answer_of(
        {
            "ac1": of_table(gwet.ac1(table), table),
            "pabak": of_table(kappa.brennan_prediger(table), table),
            **values,
        }
    )


def cohen_test(data: Located, params: Located) -> Answer:
    """Cohen's kappa with its large-sample standard errors."""
    table, _ = read_table(data, params)
    return _tested("kappa", table, kappa.nominal_disagreement(len(table)), confidence_of(params))


def weighted_test(data: Located, params: Located) -> Answer:
    """Weighted kappa with its large-sample standard errors."""
    table, _ = read_table(data, params)
    (name,) = names_of(params.get("weights"), tuple(ORDERED_WEIGHTS), ["linear"])[:1]
    disagreement = kappa.ordered_disagreement(len(table), ORDERED_WEIGHTS[name])
    return _tested("weighted_kappa", table, disagreement, confidence_of(params))


def _tested(name: str, table: Numbers, disagreement: Numbers, confidence: float) -> Answer:
    test = kappa.kappa_test(table, disagreement, confidence)
    if test is None:
        missing = of_table(np.nan, table)
        return answer_of({name: missing, "ase": missing, "ci": None, "ase_h0": missing, "z": missing})
    return answer_of(
        {
            name: test.kappa,
            "ase": test.standard_error,
            "ci": list(test.interval),
            "ase_h0": test.null_standard_error,
            "z": test.z,
        }
    )


def weighted(data: Located, params: Located) -> Answer:
    """Cohen's kappa with linear, quadratic and given weights."""
    table, levels = read_table(data, params)
    plain = _tested("kappa", table, kappa.nominal_disagreement(len(table)), 0.95)
    values: Answer = {"kappa": plain["kappa"], "ase": plain["ase"]}
    for name, power in ORDERED_WEIGHTS.items():
        test = _tested(name, table, kappa.ordered_disagreement(len(table), power), 0.95)
        values |= {name: test[name], f"{name}_ase": test["ase"]}
    chosen, own = params.get("weights"), params.get("disagreement_weights")
    if chosen is not None:
        (name,) = names_of(chosen, tuple(ORDERED_WEIGHTS), [])[:1]
        values |= {"weighted_kappa": values[name], "weighted_ase": values[f"{name}_ase"]}
    if own is not None:
        disagreement = read_weights(own, len(table))
        test = _tested("kappa", table, disagreement / disagreement.max(), 0.95)
        values |= {"weighted_kappa": test["kappa"], "weighted_ase": test["ase"]}
    if data.get("table") is None and levels is not None:
        values |= _with_and_without_unused_levels(table)
    if not table.sum() or values["kappa"] is None:
        values["reasons"] = plain.get("reasons", {})
    return values


def _with_and_without_unused_levels(table: Numbers) -> Answer:
    used = (table.sum(axis=0) + table.sum(axis=1)) > 0
    dropped = table[np.ix_(used, used)]
    values: Answer = {}
    for name, power in ORDERED_WEIGHTS.items():
        for suffix, scale in (("full_scale", table), ("if_level_dropped", dropped)):
            value = kappa.weighted_kappa(scale, kappa.ordered_disagreement(len(scale), power))
            values[f"{name}_{suffix}"] = of_table(value, scale).value
    return values


def gwet_ac2(data: Located, params: Located) -> Answer:
    """AC2 of two reviewers under one or several weights."""
    table, _ = read_table(data, params)
    names = names_of(params.get("weights"), GWET_WEIGHTS, ["quadratic"])
    return answer_of({name: gwet.ac2(table, gwet.agreement_weights(name, len(table))) for name in names})


def _counts_of_ratings(data: Located, params: Located) -> tuple[Numbers, list[Level]]:
    levels = read_levels(data, params)
    place = data.at("ratings")
    ratings = read_ratings(place, levels)
    found = levels or levels_used(ratings)
    if not found:
        place.fail("there is no rating")
    return level_counts(ratings, found), found


def gwet_ac1_multi(data: Located, params: Located) -> Answer:
    """AC1 of any number of reviewers with gaps."""
    counts, _ = _counts_of_ratings(data, params)
    identity = np.eye(counts.shape[1])
    coefficient = gwet.ac2_of_counts(counts, identity)
    return answer(
        po=kappa.observed_agreement(counts),
        pe=coefficient if coefficient.value is None else Measure(gwet.ac1_chance(gwet.prevalence(counts))),
        ac1=coefficient,
        fleiss_kappa=gwet.fleiss_with_gaps(counts),
    )


def gwet_ac2_multi(data: Located, params: Located) -> Answer:
    """AC2 of any number of reviewers with gaps, under one or several weights."""
    counts, _ = _counts_of_ratings(data, params)
    names = names_of(params.get("weights"), GWET_WEIGHTS, ["quadratic"])
    size = counts.shape[1]
    return answer_of({name: gwet.ac2_of_counts(counts, gwet.agreement_weights(name, size)) for name in names})


def fleiss(data: Located, _: Located) -> Answer:
    """Fleiss' kappa of units x levels."""
    return answer(kappa=kappa.fleiss_kappa(read_counts(data.at("counts"), square=False)))


def fleiss_by_level(data: Located, _: Located) -> Answer:
    """Fleiss' kappa of each level."""
    counts = read_counts(data.at("counts"), square=False)
    return answer(per_category=[one.value for one in kappa.fleiss_kappa_by_level(counts)])


def family_of_counts(data: Located, _: Located) -> Answer:
    """Coefficients of units x levels."""
    counts = read_counts(data.at("counts"), square=False)
    matrix = total_coincidences(counts)
    return answer(
        po=kappa.observed_agreement(counts),
        ac1=gwet.ac2_of_counts(counts, np.eye(counts.shape[1])),
        fleiss_kappa=kappa.fleiss_kappa(counts),
        krippendorff_alpha_nominal=of_table(alpha(matrix), matrix),
    )


def panel(data: Located, params: Located) -> Answer:
    """Kappas of one fixed panel without gaps."""
    levels = read_levels(data, params)
    ratings = read_ratings(data.at("ratings"), levels)
    found = kappa.panel_kappas(ratings, levels or levels_used(ratings))
    return answer(
        fleiss_kappa=found.fleiss,
        hubert_conger_kappa=found.conger,
        light_mean_pairwise_kappa=found.light,
        randolph_kappa=found.randolph,
    )


def krippendorff(data: Located, params: Located) -> Answer:
    """Alpha under one metric, with its disagreements, or under several."""
    given = params.get("metric")
    names = names_of(given, METRICS, ["nominal"])
    counts, levels = _counts_of_ratings(data, params)
    if given is not None and isinstance(given.value, list):
        return answer_of({name: _alpha(name, counts, levels, data, params)[0] for name in names})
    value, observed, expected = _alpha(names[0], counts, levels, data, params)
    return answer(alpha=value, observed_disagreement=observed, expected_disagreement=expected)


def _alpha(
    name: str, counts: Numbers, levels: list[Level], data: Located, params: Located
) -> tuple[Measure, Measure, Measure]:
    matrix = total_coincidences(counts)
    numbers = [float(level) for level in levels if isinstance(level, int | float)]
    if name != "nominal" and len(numbers) < len(levels):
        if name in (Metric.INTERVAL, Metric.RATIO):
            data.fail(f"the metric {name} needs numbers")
        if read_levels(data, params) is None:
            data.fail(f'the metric {name} needs "levels" in order')
    if name == "gwet_ordinal_weights":
        difference = 1 - gwet.agreement_weights("ordinal", len(levels))
    else:
        metric = Metric(name.removeprefix("krippendorff_"))
        difference = differences(metric, numbers, matrix.sum(axis=-1))
    observed, expected = disagreements(matrix, difference)
    return (
        of_table(alpha_with(matrix, difference), matrix),
        measured(float(observed), Reason.NO_OVERLAP),
        measured(float(expected), Reason.NO_OVERLAP),
    )


def alpha_of_groups(data: Located, params: Located) -> Answer:
    """Alpha and kappa of two reviewers under given disagreement weights."""
    table, _ = read_table(data, params)
    weights = read_weights(params.at("disagreement_weights"), len(table))
    matrix = coincidences_of_table(table)
    return answer(
        alpha_nominal=of_table(alpha(matrix), table),
        kappa=of_table(kappa.cohen_kappa(table), table),
        alpha_weighted=of_table(alpha_with(matrix, weights), table),
        weighted_kappa=of_table(kappa.weighted_kappa(table, weights), table),
    )


def on_lines(data: Located, params: Located) -> Answer:
    """Line-by-line coding of spans by two reviewers."""
    table, _ = read_table(data, params)
    return answer(
        kappa=of_table(kappa.cohen_kappa(table), table),
        scott_pi=of_table(kappa.scott_pi(table), table),
        alpha=of_table(alpha(coincidences_of_table(table)), table),
    )


def degenerate(data: Located, params: Located) -> Answer:
    """Verdicts of two reviewers where nothing may vary; levels are the judging verdicts unless declared."""
    place = data.at("ratings")
    levels = read_levels(data, params)
    ratings = read_ratings(place, levels)
    used = levels_used(ratings)
    if levels is None:
        levels = list(JUDGING_VERDICTS) if set(used) <= set(JUDGING_VERDICTS) else used
    if any(len(unit) != 2 for unit in ratings):
        place.fail("two reviewers are needed")
    missing = Verdict.INSUFFICIENT_CONTEXT.value
    judged = [unit for unit in ratings if missing not in unit]
    table = contingency(judged, [level for level in levels if level != missing])
    shown = [level for level in levels if level != missing]
    return answer_of(
        {
            "po": of_table(raw_agreement(table), table),
            "kappa": of_table(kappa.cohen_kappa(table), table),
            "krippendorff_alpha": of_table(alpha(coincidences_of_table(table)), table),
            **{f"specific_{level}": value for level, value in zip(shown, specific_agreement(table), strict=True)},
        }
    )


STATISTICS = {
    "agreement_family_2raters": two_raters,
    "agreement_family_counts": family_of_counts,
    "agreement_on_lines": on_lines,
    "brennan_prediger": two_raters,
    "cohen_kappa": two_raters,
    "cohen_kappa_ase": cohen_test,
    "degenerate": degenerate,
    "fleiss_kappa": fleiss,
    "fleiss_kappa_per_category": fleiss_by_level,
    "gwet_ac1": two_raters,
    "gwet_ac1_multi": gwet_ac1_multi,
    "gwet_ac2": gwet_ac2,
    "gwet_ac2_multi": gwet_ac2_multi,
    "krippendorff_alpha": krippendorff,
    "krippendorff_alpha_custom": alpha_of_groups,
    "multi_rater_kappas": panel,
    "scott_pi_vs_kappa": two_raters,
    "specific_agreement": specific,
    "weighted_kappa": weighted,
    "weighted_kappa_ase": weighted_test,
}
