"""One module for each measure. `MEASURES` names them in the order of the table."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from bench.measures import (
    agreement,
    autosave,
    drawing,
    exporting,
    imports,
    lists,
    memory,
    opening,
    parsing,
    runs,
    starting,
    statistic,
    submitting,
    viewing,
)
from bench.timing import Row
from bench.world import World

Measure = Callable[[World], Iterator[Row]]

MEASURES: dict[str, Measure] = {
    "open": opening.measure,
    "view": viewing.measure,
    "autosave": autosave.measure,
    "submit": submitting.measure,
    "lists": lists.measure,
    "import": imports.measure,
    "export": exporting.measure,
    "start": starting.measure,
    "statistics": statistic.measure,
    "agreement": agreement.measure,
    "parse": parsing.measure,
    "runs": runs.measure,
    "draw": drawing.measure,
    "memory": memory.measure,
}
