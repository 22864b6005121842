"""`touchstone agree`: compute one agreement statistic, or a list of them."""

from __future__ import annotations

import argparse
from collections.abc import Callable

from config.offline.coefficient_statistics import STATISTICS as COEFFICIENTS
from config.offline.completeness_statistics import STATISTICS as COMPLETENESS
from config.offline.located import Located, one_or_many, read_json, write_json
from config.offline.place_statistics import STATISTICS as PLACES
from config.offline.rate_statistics import STATISTICS as RATES
from config.offline.statistic_input import Answer

MAX_ENTRIES = 1_000

# From data and params to what is printed.
STATISTICS: dict[str, Callable[[Located, Located], Answer]] = {**COEFFICIENTS, **PLACES, **RATES, **COMPLETENESS}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Name the one input."""
    parser.add_argument("file", help="JSON: {statistic, data, params}, or a list of them; - for stdin")
    parser.epilog = f"statistics: {', '.join(sorted(STATISTICS))}"


def run(options: argparse.Namespace) -> int:
    """Print the values of each statistic, in kind: an object for an object, a list for a list.

    What is undefined is null, with its code under `reasons`.
    """
    document = read_json(options.file)
    answers = [_answer(entry) for entry in one_or_many(document, at_most=MAX_ENTRIES)]
    write_json(answers if isinstance(document.value, list) else answers[0])
    return 0


def _answer(entry: Located) -> Answer:
    place = entry.at("statistic")
    name = place.text()
    if name not in STATISTICS:
        place.fail(f"{place.shown()} is unknown; allowed are {', '.join(sorted(STATISTICS))}")
    data = entry.at("data")
    data.object()
    params = entry.get("params") or Located(entry.source, f"{entry.path}.params".lstrip("."), {})
    params.object()
    return STATISTICS[name](data, params)
