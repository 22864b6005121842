"""The five layers of agreement over the chosen cases, each with its headline and companions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from corpus.domain.vocabulary import Verdict
from corpus.models import Project, User
from labeling.domain.statistics.kappa import greatest_kappa
from labeling.domain.statistics.kinds import JUDGING_VERDICTS, SEVERITY_LEVELS
from labeling.domain.statistics.layers import (
    Layer,
    Sample,
    figure,
    near_severity,
    on_one_line,
    same_category,
    share_of_answers,
    share_of_cases,
    share_of_findings,
)
from labeling.domain.statistics.measures import FEWEST_UNITS, Measure, Reason
from labeling.domain.statistics.place import median_gap
from labeling.domain.statistics.study import severity_layer, verdict_layer
from labeling.domain.statistics.tables import Numbers
from labeling.selectors.agreement.sample import Choice, CountedCases, counted_cases, counted_tallies
from labeling.selectors.agreement.words import (
    HEADLINES,
    LAYER_QUESTIONS,
    LAYER_TITLES,
    UNITS,
    Shown,
    counted,
    figure_line,
    measure_line,
    share_line,
)

# Krippendorff's advice, compared with the lower end: 0.8 to rely on, 0.667 for tentative conclusions.
RELIABLE, TENTATIVE = 0.8, 0.667


@dataclass(frozen=True)
class LayerCard:
    """One layer: its headline, what stands beside it, the panel of other coefficients, and what it leaves out."""

    layer: str
    title: str
    question: str
    headline: Shown
    companions: tuple[Shown, ...]
    coefficients: tuple[Shown, ...]
    # How often each class was used, which moves every kappa.
    prevalence: str
    left_out: str

    @property
    def lines(self) -> tuple[Shown, ...]:
        """Every line, for files."""
        return (self.headline, *self.companions, *self.coefficients)


@dataclass(frozen=True)
class Overview:
    """The layers, how many cases there are, and how many of them both judged."""

    cases: int
    judged: int
    layers: tuple[LayerCard, ...]


def overview(cases: CountedCases) -> Overview:
    """Return the five layers."""
    return cases.remember("overview", lambda: layers_of(cases.sample, cases.times))


@dataclass(frozen=True)
class Proposed:
    """The headlines as the aligner proposed the pairs, where an adjudicator corrected some: this gap measures it."""

    cases: int
    lines: tuple[Shown, ...]


def as_proposed(project: Project, user: User, choice: Choice) -> Proposed | None:
    """Return the headlines without corrections of pairs; None where there are none."""
    corrected = counted_tallies(project, user, choice).newest().filter(number__gt=0).count()
    if not corrected:
        return None
    found = overview(counted_cases(project, user, choice, proposal=True))
    return Proposed(corrected, tuple(replace(card.headline, label=card.title) for card in found.layers))


def layers_of(sample: Sample, times: Numbers) -> Overview:
    """Return the five layers of a selection."""
    return Overview(
        cases=int(times.sum()),
        judged=int(times[sample.judged].sum()),
        layers=tuple(_cards(sample, times)),
    )


def _cards(sample: Sample, times: Numbers) -> Iterator[LayerCard]:
    for layer, card in (
        (Layer.VERDICT, _verdict),
        (Layer.EXISTENCE, _existence),
        (Layer.CATEGORY, _category),
        (Layer.SEVERITY, _severity),
        (Layer.PLACE, _place),
    ):
        companions, coefficients, prevalence, left_out = card(sample, times)
        yield LayerCard(
            layer=layer.value,
            title=LAYER_TITLES[layer],
            question=LAYER_QUESTIONS[layer],
            headline=figure_line(HEADLINES[layer], figure(sample, layer, times), UNITS[layer], f"{layer}_headline"),
            companions=tuple(companions),
            coefficients=tuple(coefficients),
            prevalence=prevalence,
            left_out=left_out,
        )


Parts = tuple[list[Shown], list[Shown], str, str]


def _verdict(sample: Sample, times: Numbers) -> Parts:
    table = sample.table(Layer.VERDICT, times)
    units = int(table.sum())
    found = verdict_layer(table, JUDGING_VERDICTS)
    companions = [share_line("Same answer", share_of_cases(table.trace(), units), "verdict_raw")]
    companions += [
        share_line(f"Specific agreement, {name}", share_of_answers(sample, times, name), f"verdict_specific_{name}")
        for name in (Verdict.HAS_DEFECTS.value, Verdict.CLEAN.value)
    ]
    coefficients = [
        _coefficient("Cohen's kappa", found.kappa, units, "case", "verdict_kappa"),
        _coefficient("Greatest kappa these shares allow", greatest_kappa(table), units, "case", "verdict_kappa_max"),
        _coefficient("Gwet's AC1", found.ac1, units, "case", "verdict_ac1"),
    ]
    lacking = int(times.sum() - times[sample.judged].sum())
    left_out = f"{counted(lacking, 'case')} in which a reviewer lacked context" if lacking else ""
    return companions, coefficients, _prevalence(table, JUDGING_VERDICTS), left_out


def _existence(sample: Sample, times: Numbers) -> Parts:
    both, first, second = (int(number) for number in times @ sample.vectors(Layer.EXISTENCE))
    total = both + first + second
    # Sides are drawn by case, so only their sum says anything.
    companions = [
        Shown("Found by both", None, str(both), None, None, "", f"of {total}", "", units=total, key="detection_both"),
        Shown(
            "Found by one alone",
            None,
            str(first + second),
            None,
            None,
            "",
            f"of {total}",
            "",
            units=total,
            key="detection_alone",
        ),
    ]
    return companions, [], "", ""


def _category(sample: Sample, times: Numbers) -> Parts:
    companions = [share_line("Same category", share_of_findings(sample, times, same_category), "category_raw")]
    companions += [
        share_line(
            f"Specific agreement, {name or 'none'}",
            share_of_findings(sample, times, lambda found, name=name: same_category(found, name)),  # type: ignore[misc]
            f"category_specific_{name}",
        )
        for name in sample.categories
    ]
    companions = [companions[0], *(line for line in companions[1:] if line.units)]
    pairs = share_of_findings(sample, times, on_one_line)
    near = pairs.total - pairs.hits
    left_out = f"{counted(near, 'pair')} without a common line, which are only paired if the category is the same"
    return companions, [], "", left_out if near else ""


def _severity(sample: Sample, times: Numbers) -> Parts:
    table = sample.table(Layer.SEVERITY, times)
    units = int(table.sum())
    found = severity_layer(table)
    exact = share_of_findings(sample, times, lambda findings: near_severity(findings, 0))
    within = share_of_findings(sample, times, lambda findings: near_severity(findings, 1))
    companions = [
        share_line("Same level", exact, "severity_exact"),
        share_line("Within one level", within, "severity_within_one"),
    ]
    coefficients = [
        _coefficient("Weighted kappa, quadratic", found.quadratic, units, "pair", "severity_kappa_quadratic"),
        _coefficient("Weighted kappa, linear", found.linear, units, "pair", "severity_kappa_linear"),
    ]
    pairs = share_of_findings(sample, times, on_one_line).total
    chosen = pairs - units
    left_out = f"{counted(chosen, 'pair')} that only the severity made, in a tie" if chosen else ""
    return companions, coefficients, _prevalence(table, SEVERITY_LEVELS), left_out


def _place(sample: Sample, times: Numbers) -> Parts:
    gaps = [
        (pair.line_gap, int(number))
        for pairs, number in zip(sample.pairs, times, strict=True)
        for pair in pairs
        if pair.line_gap is not None and number
    ]
    middle = median_gap(gaps)
    companions = [
        share_line("Share a line", share_of_findings(sample, times, on_one_line), "place_common_line"),
        measure_line(
            "Median gap of near misses, lines", middle, sum(number for _, number in gaps), "pair", "place_median_gap"
        ),
    ]
    return companions, [], "", ""


def _coefficient(label: str, measure: Measure, units: int, unit: str, key: str) -> Shown:
    """Return a companion coefficient; under five units none is shown, whatever it would be."""
    if measure.value is not None and units < FEWEST_UNITS:
        measure = Measure(None, Reason.TOO_FEW_UNITS)
    return measure_line(label, measure, units, unit, key)


def _prevalence(table: Numbers, levels: tuple[str, ...]) -> str:
    """Say how often each level was given by either."""
    used = table.sum(axis=0) + table.sum(axis=1)
    total = used.sum()
    if not total:
        return ""
    shares = [
        f"{level.replace('_', ' ')} {100 * count / total:.0f} %" for level, count in zip(levels, used, strict=True)
    ]
    return ", ".join(shares if levels == JUDGING_VERDICTS else reversed(shares))
