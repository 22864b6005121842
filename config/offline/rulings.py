"""Reading a rulings file: JSON Lines of `{"case_id", "finding_id", "golden_id"?, "ruling"}`.

A ruling on a pair names a golden finding, one on the AI finding alone names none.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from config.cli import BadInput
from config.offline.located import Located
from config.offline.reading import read_input, source_name
from corpus.domain.manifest_records import ManifestCase
from corpus.domain.vocabulary import GoldenState
from reviews.domain.findings_format import FindingsFile
from reviews.domain.rulings import ON_NO_GOLDEN, ON_PAIR, RulingValue

# case id, id of the AI finding, id of the golden finding (or ON_NO_GOLDEN)
RulingKey = tuple[str, str, str]


def read_rulings(name: str, cases: Sequence[ManifestCase], run: FindingsFile) -> dict[RulingKey, RulingValue]:
    """Return the rulings of a file; raises BadInput naming the line for any that cannot be used.

    All or nothing: a ruling that is dropped would change scores without a word.
    """
    golden = {
        (case.case_id, finding.finding_id)
        for case in cases
        for finding in case.findings
        if finding.state is GoldenState.REQUIRED
    }
    said = {(finding.case_id, finding.id) for finding in run.findings}
    source = source_name(name)
    rulings: dict[RulingKey, RulingValue] = {}
    for number, line in enumerate(read_input(name).split(b"\n"), start=1):
        if not line.strip():
            continue
        place = Located(source, f"line {number}", _decoded(source, number, line))
        case_id = place.at("case_id").text()
        finding_id = place.at("finding_id").text()
        ruling = place.at("ruling").choice(RulingValue)
        golden_id = place.at("golden_id").text() if ruling in ON_PAIR else ON_NO_GOLDEN
        if (case_id, finding_id) not in said:
            place.fail(f"the run has no finding {finding_id[:80]!r} in the case {case_id[:80]!r}")
        if golden_id != ON_NO_GOLDEN and (case_id, golden_id) not in golden:
            place.fail(f"the case {case_id!r} has no required golden finding {golden_id[:80]!r}")
        key = case_id, finding_id, golden_id
        if key in rulings:
            place.fail("a second ruling on the same pair")
        rulings[key] = ruling
    return rulings


def _decoded(source: str, number: int, line: bytes) -> object:
    try:
        return json.loads(line.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{source}: line {number}: not JSON") from error
