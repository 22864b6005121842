"""`touchstone score MANIFEST FINDINGS...`: score one run, or repeats of one, against a frozen manifest.

Each findings file is one run. Exit 0: scored, and every gate passed. 1: a gate failed or was undefined. 2: the manifest
is not intact, or a file holds no record that can be used.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import asdict

from config.cli import BadInput
from config.offline.located import write_json
from config.offline.manifests import read_manifest
from config.offline.reading import read_input, source_name
from config.offline.rulings import RulingKey, read_rulings
from corpus.domain.manifest_records import Manifest, ManifestCase
from corpus.domain.vocabulary import GoldenState, Split
from reviews.domain.findings_format import FindingsFile, read_findings
from reviews.domain.gates import Gate, judge_gates, parse_gate
from reviews.domain.matching import MatchingParameters
from reviews.domain.rulings import RulingValue
from reviews.domain.run_scoring import score_run
from reviews.domain.scorecard_record import scorecard_record
from reviews.domain.scoring import metrics
from reviews.domain.stability import stability

FORMATS = ("touchstone",)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.add_argument("manifest", help="the manifest file")
    parser.add_argument("findings", nargs="+", help="a file of AI findings for each run, or - for standard input")
    parser.add_argument("--format", default=FORMATS[0], help=f"format of the findings: {', '.join(FORMATS)}")
    parser.add_argument("--rulings", metavar="FILE", help="people's rulings on proposed matches, JSON Lines")
    parser.add_argument("--gate", action="append", default=[], metavar="NAME=LIMIT", help="for instance recall=0.8")
    parser.add_argument("--split", action="append", choices=list(Split), help="score these splits only")


def run(options: argparse.Namespace) -> int:
    """Print the scorecards and return the exit code; raises BadInput where nothing can be scored."""
    gates = _gates(options.gate)
    if options.format not in FORMATS:
        raise BadInput(f"--format: {options.format[:40]!r} is not known; known are {', '.join(FORMATS)}")
    if options.rulings is not None and len(options.findings) > 1:
        raise BadInput("--rulings: rulings are about one run; give one findings file")
    if [options.manifest, *options.findings, options.rulings].count("-") > 1:
        raise BadInput("-: standard input can be read only once")
    manifest, published = read_manifest(options.manifest)
    cases = [case for case in manifest.cases if options.split is None or case.split in options.split]
    if not cases:
        raise BadInput(f"{source_name(options.manifest)}: no case is in the splits asked for")
    files = [(name, _findings(name, manifest, cases)) for name in options.findings]
    rulings = read_rulings(options.rulings, cases, files[0][1]) if options.rulings else {}
    return _answer(manifest, published, cases, files, rulings, gates)


def _gates(texts: Sequence[str]) -> list[Gate]:
    try:
        return [parse_gate(text) for text in texts]
    except ValueError as error:
        raise BadInput(f"--gate: {error}") from error


def _findings(name: str, manifest: Manifest, cases: Sequence[ManifestCase]) -> FindingsFile:
    read = read_findings(
        read_input(name),
        {case.case_id for case in cases},
        {category.key for category in manifest.taxonomy.categories},
    )
    if not read.accepted:
        first = f"line {read.rejected[0].line}: {read.rejected[0].reason}" if read.rejected else "it has no line"
        raise BadInput(f"{source_name(name)}: holds no record that can be used: {first}")
    return read


def _answer(
    manifest: Manifest,
    published: str,
    cases: Sequence[ManifestCase],
    files: Sequence[tuple[str, FindingsFile]],
    rulings: dict[RulingKey, RulingValue],
    gates: Sequence[Gate],
) -> int:
    weights = manifest.severity_policy.weights
    scored = [score_run(manifest, cases, file, rulings) for _, file in files]
    passed = True
    shown = []
    for (name, file), run_cases in zip(files, scored, strict=True):
        figures = metrics(run_cases, weights)
        results = judge_gates(gates, figures, len(file.rejected))
        passed = passed and all(result.passed for result in results)
        record = scorecard_record(source_name(name), file, run_cases, figures, weights)
        shown.append(record | {"gates": [asdict(one) for one in results]})
    together = stability(scored)
    write_json(
        {
            "ok": passed,
            "manifest": {
                "project": manifest.project,
                "version": manifest.version,
                "digest": published,
                "splits": sorted({case.split.value for case in cases}),
                "unresolved": sum(one.state is GoldenState.UNRESOLVED for case in cases for one in case.findings),
            },
            "matching": asdict(MatchingParameters()),
            "weights": weights,
            "runs": shown,
            "stability": asdict(together) if together else None,
        }
    )
    return 0 if passed else 1
