"""Scenarios of alignment and matching with a right answer, and ways to tell the same story otherwise."""

from __future__ import annotations

import copy
import json
from pathlib import Path

DATA = Path(__file__).parent.parent / "data"


def load(name):
    return json.loads((DATA / name).read_text())


def without_answers(scenario):
    return {name: value for name, value in scenario.items() if name not in ("expected", "why", "title", "id")}


def shuffled(scenario, lists, source):
    """Return the scenario with findings, anchors and alternates in another order; `lists` finds the lists."""
    changed = copy.deepcopy(scenario)
    for findings in lists(changed):
        source.shuffle(findings)
        for finding in findings:
            source.shuffle(finding["anchors"])
            source.shuffle(finding.get("alternates", []))
    return changed


def renamed(value, names):
    """Replace every string that is an id, wherever it stands, also as a field name."""
    if isinstance(value, dict):
        return {names.get(name, name): renamed(member, names) for name, member in value.items()}
    if isinstance(value, list):
        return [renamed(member, names) for member in value]
    return names.get(value, value) if isinstance(value, str) else value


def new_names(findings, source):
    """Return a fresh random name for each finding."""
    return {finding["id"]: f"{source.getrandbits(40):010x}" for finding in findings}


def unordered(value):
    """Return lists as sorted tuples of JSON texts, so that only their members count."""
    if isinstance(value, dict):
        return {name: unordered(member) for name, member in value.items()}
    if isinstance(value, list):
        return sorted(json.dumps(member, sort_keys=True) for member in value)
    return value
