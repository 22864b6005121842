"""What tools of the sample work say, written for it: two repeats of an AI reviewer, and a linter as a baseline.

Cases are named by their keys in `corpus.sample`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.resources import files


def sample_findings(name: str, case_ids: Mapping[str, str]) -> bytes:
    """Return one of the files as JSON lines, with the ids that the cases have by now."""
    lines = (files(__name__) / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    records = [json.loads(line) for line in lines]
    return "\n".join(json.dumps({**record, "case_id": case_ids[record["case_id"]]}) for record in records).encode()
