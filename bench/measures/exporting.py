"""What leaves a frozen version: each format at few and at many cases, beside a bare read of the same bytes."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING

from bench.timing import Row, median
from bench.world import LABEL_FIELDS, World, case_with_patch, seat_everybody

if TYPE_CHECKING:
    from corpus.models import CorpusVersion
    from labeling.models import Assignment

FEW, MANY = 25, 100
ROUNDS = 7
# Every so many cases both reviewers find nothing.
CLEAN = 10
FORMATS = ("manifest", "fixtures", "dataset", "expected", "inputs")


def measure(world: World) -> Iterator[Row]:
    """Settle cases by two labels each, freeze few and then many of them, and make every export of both versions."""
    from corpus.services.exports import ExportChoice, make_export

    versions, freezes = [], []
    for held, wanted in ((0, FEW), (FEW, MANY)):
        for number in range(held, wanted):
            settle(world, number)
        begun = time.process_time()
        versions.append(freeze(world))
        freezes.append((time.process_time() - begun) * 1000)
    yield Row(f"freeze {MANY} cases against {FEW}, CPU", freezes[1], freezes[0], "ms", growth_allowed())
    works = {
        format_name: [partial(make_export, version=version, choice=ExportChoice(format_name)) for version in versions]
        for format_name in FORMATS
    }
    bare = spent(partial(read_bare, versions[1]))
    for format_name, (few, many) in works.items():
        product = spent(many)
        yield Row(f"export {format_name}, {MANY} cases x 2, CPU", product, bare, "ms", note="beside a bare read")
        if format_name != "manifest":
            yield Row(f"export {format_name}, {MANY} cases against {FEW}", product, spent(few), "ms", growth_allowed())


def growth_allowed() -> float:
    """Return how much more the many may cost: linear, with a tenth for chance."""
    return 1.1 * MANY / FEW


def spent(work: Callable[[], object]) -> float:
    """Return the median CPU milliseconds of some rounds."""
    times = []
    for _ in range(ROUNDS):
        begun = time.process_time()
        work()
        times.append((time.process_time() - begun) * 1000)
    return median(times)


def settle(world: World, number: int) -> None:
    """Let a pair of reviewers label a case alike, through the services, so that it settles by itself."""
    from labeling.services.submission import save_answer, submit

    is_clean = number % CLEAN == 0
    for seat in seat_everybody(world, case_with_patch(world, 500_000 + number), number % 4):
        if not is_clean:
            say(seat, "high")
        else:
            say(seat, "note")
        answer = save_answer(
            assignment=seat,
            reviewer=seat.reviewer,
            verdict="clean" if is_clean else "has_defects",
            missing_context="",
            summary="",
            expected_version=0,
        )
        submit(assignment=seat, reviewer=seat.reviewer, expected_version=answer.version, final=True)


def say(seat: Assignment, severity: str) -> None:
    """Store one label on lines that the patch shows."""
    from labeling.domain.label_input import AnchorInput, LabelInput
    from labeling.services.labels import save_label

    path = seat.case.files.values_list("new_path_text", flat=True)[0]
    words = {name: value for name, value in LABEL_FIELDS.items() if not name.startswith("places_")}
    fields = LabelInput(
        **{
            **words,
            "severity": severity,
            "speculative": False,
            "keywords": "timeout",
            "anchors": (AnchorInput(role="primary", path=path, side="new", first_line=13, last_line=15),),
        }
    )
    save_label(assignment=seat, reviewer=seat.reviewer, label=None, fields=fields, expected_version=0)


def freeze(world: World) -> CorpusVersion:
    """Freeze what is settled; gates that such uniform cases cannot pass are waived."""
    from corpus.services.versions import GatesFailed, freeze_version

    try:
        return freeze_version(project=world.project, actor=world.lead)
    except GatesFailed as refusal:
        waivers = {gate.key: "Measured, not used." for gate in refusal.gates}
    return freeze_version(project=world.project, actor=world.lead, waivers=waivers)


def read_bare(version: CorpusVersion) -> int:
    """Read the manifest and the version's patches by one query each, check their digests, and write them as JSON."""
    from corpus.models import Blob

    manifest = json.loads(bytes(version.manifest))
    patches = Blob.objects.filter(pk__in=version.cases.values("case__patch")).values_list("sha256", "data")
    out = {sha256: bytes(data).decode() for sha256, data in patches}
    assert all(hashlib.sha256(text.encode()).hexdigest() == sha256 for sha256, text in out.items())
    return len(json.dumps([manifest, out]))
