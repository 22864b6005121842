"""A run's scorecard: the very figures of `touchstone score`, less the cases that are hidden from who looks."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.db.models import OuterRef

from corpus.domain.vocabulary import Severity
from corpus.models import Case, User, VersionCase
from reviews.domain.matching import MatchClass
from reviews.domain.rulings import ON_NO_GOLDEN
from reviews.domain.run_scoring import score_run
from reviews.domain.scorecard_record import BOUNDED, scorecard_record
from reviews.domain.scored import ScoredCase, ScoredFinding
from reviews.domain.scoring import Figure, Metrics, bounds, metrics
from reviews.models import Run
from reviews.querysets.runs import open_seats
from reviews.selectors.rulings import rulings_of
from reviews.selectors.run_records import manifest_of, run_file

TITLES = {
    "recall": ("Recall", "matches of required golden findings, those of unreviewed cases counted as missed"),
    "recall_lenient": ("Recall, lenient", "partial matches counted too"),
    "recall_reviewed": ("Recall on reviewed cases", "cases that failed or were not run left out"),
    **{f"{level}.recall": (f"Recall, {level}", "by severity of the golden finding") for level in reversed(Severity)},
    "weighted_recall": ("Recall, weighted", "by the weights of the severity policy"),
    "precision": ("Precision", "matches among matches, partial matches and wrong findings, on complete cases"),
    "precision_lenient": ("Precision, lenient", "partial matches counted as right"),
    "precision_emitted": ("Actionable precision", "matches among all judged findings, on complete cases"),
    "correctness": ("General correctness", "matches, partial matches and duplicates among all judged findings"),
    "duplicate_rate": ("Duplicate rate", "findings that say again what another says"),
    "noise_per_case": ("Noise per case", "wrong, repeated and out of scope, on complete cases"),
    "clean_comment_rate": ("Clean cases commented on", "where silence is right"),
    "comments_per_clean_case": ("Comments per clean case", ""),
    "located_exactly": ("Located exactly", "of matches with lines on both sides"),
    "located_nearly": ("Located within 2 lines", "of matches with lines on both sides"),
    "mean_distance": ("Mean distance in lines", "of matches with lines on both sides"),
    "pooled_iou": ("Lines in common (IoU)", "pooled over matches"),
}
# Figures that lie between 0 and 1, which may be drawn to scale.
SHARES = frozenset(TITLES) - {"noise_per_case", "comments_per_clean_case", "mean_distance"}
CLASS_WORDS = {
    MatchClass.MATCH: "match",
    MatchClass.PARTIAL: "partial match",
    MatchClass.DUPLICATE: "duplicate",
    MatchClass.OUT_OF_SCOPE: "out of scope",
    MatchClass.FALSE_POSITIVE: "wrong",
    MatchClass.UNJUDGED: "unjudged",
}


@dataclass(frozen=True)
class FigureRow:
    """One figure as a row: its words, counts, interval, and between what it lies while rulings are open."""

    name: str
    title: str
    help: str
    figure: Figure
    lowest: float | None
    highest: float | None
    is_share: bool


@dataclass(frozen=True)
class FindingRow:
    """One AI finding behind the figures."""

    case_id: str
    finding: ScoredFinding
    words: str


@dataclass(frozen=True)
class Scorecard:
    """A run against its version. `hidden` counts cases left out because the viewer labels them at present (B8)."""

    run: Run
    cases: Sequence[ScoredCase]
    metrics: Metrics
    rows: tuple[FigureRow, ...]
    record: dict[str, object]
    hidden: int

    @property
    def open(self) -> int:
        """How many findings wait for a ruling."""
        return self.metrics.counts["open"]

    def findings(self, result: str = "") -> Iterator[FindingRow]:
        """Yield the findings of reviewed cases, of one class or all, in the order of the cases."""
        for case in self.cases:
            for finding in case.findings if case.is_reviewed else ():
                if not result or finding.result == result or (result == "open" and finding.is_open):
                    yield FindingRow(case.case_id, finding, CLASS_WORDS[finding.result])


def scorecard(run: Run, *, viewer: User) -> Scorecard:
    """Return the scorecard of a run against a version, which has to have one."""
    assert run.version is not None, "a shadow run has no scorecard"
    manifest = manifest_of(run.version)
    hidden = hidden_case_ids(run, viewer)
    wanted = [case for case in manifest.cases if case.case_id not in hidden]
    file = run_file(run, viewer=viewer)
    rulings = {key: value for key, value in rulings_of(run).items() if key[0] not in hidden}
    cases = score_run(manifest, wanted, file, rulings)
    weights = manifest.severity_policy.weights
    figures = metrics(cases, weights)
    lowest, highest = bounds(cases, weights)
    return Scorecard(
        run=run,
        cases=cases,
        metrics=figures,
        rows=tuple(
            FigureRow(
                name=name,
                title=TITLES[name][0],
                help=TITLES[name][1],
                figure=figure,
                lowest=lowest.figures[name].value if name in BOUNDED else None,
                highest=highest.figures[name].value if name in BOUNDED else None,
                is_share=name in SHARES,
            )
            for name, figure in figures.figures.items()
        ),
        record=scorecard_record(f"run {run.public_id}", file, cases, figures, weights),
        hidden=len(hidden),
    )


def hidden_case_ids(run: Run, viewer: User) -> set[str]:
    """Return the cases of the run's version that the viewer labels at present."""
    held = VersionCase.objects.filter(version_id=run.version_id)
    return set(held.filter(open_seats(viewer, case_id=OuterRef("case_id"))).values_list("case__public_id", flat=True))


def told_cases(run: Run, viewer: User) -> list[Case]:
    """Return the cases of which a scorecard tells the viewer (B2)."""
    return list(
        Case.objects.filter(version_cases__version_id=run.version_id).exclude(
            public_id__in=hidden_case_ids(run, viewer)
        )
    )


def findings_lines(run: Run, viewer: User) -> Iterator[str]:
    """Yield the run as JSON Lines that `touchstone score` reads: case records first, then findings."""
    file = run_file(run, viewer=viewer)
    for case_id, state in file.states.items():
        yield _line({"case_id": case_id, "state": state.value})
    for one in file.findings:
        plain: dict[str, object] = {"case_id": one.case_id, "id": one.id, "text": one.text}
        if one.anchor.path is not None:
            plain |= {"path": one.anchor.path, "side": one.anchor.side.value if one.anchor.side else "new"}
            if one.anchor.ranges:
                plain["ranges"] = [list(span) for span in one.anchor.ranges]
        plain |= {"category": one.category} if one.category else {}
        plain |= {"severity": one.severity.value} if one.severity else {}
        yield _line(plain)


def ruling_lines(run: Run, viewer: User) -> Iterator[str]:
    """Yield the rulings that hold as JSON Lines that `touchstone score --rulings` reads."""
    hidden = hidden_case_ids(run, viewer)
    for (case_id, finding_id, golden_id), value in sorted(rulings_of(run).items()):
        if case_id in hidden:
            continue
        plain: dict[str, object] = {"case_id": case_id, "finding_id": finding_id, "ruling": value.value}
        yield _line(plain if golden_id == ON_NO_GOLDEN else {**plain, "golden_id": golden_id})


def _line(plain: dict[str, object]) -> str:
    return json.dumps(plain, ensure_ascii=False) + "\n"
