"""`touchstone match` on the scenarios with right answers, told in many ways, and on bad input."""

from __future__ import annotations

import copy
import json
import random

import pytest

from config.cli import main
from tests.unit.scenarios import load, new_names, renamed, shuffled, without_answers

SCENARIOS = load("matching-scenarios.json")
IDS = [scenario["id"] for scenario in SCENARIOS]


def lists_of(scenario):
    return [scenario["golden"], scenario["ai"]]


@pytest.fixture
def match(tmp_path, capsys):
    def run(document):
        path = tmp_path / "case.json"
        path.write_text(document if isinstance(document, str) else json.dumps(document))
        code = main(["match", str(path)])
        shown = capsys.readouterr()
        return code, shown.out, shown.err.replace(str(path), "case.json")

    return run


@pytest.fixture
def answer(match):
    def run(document):
        code, out, err = match(document)
        assert (code, err) == (0, "")
        return json.loads(out)

    return run


def test_the_whole_list_of_scenarios_is_answered_in_its_order(answer):
    assert answer(SCENARIOS) == [scenario["expected"] for scenario in SCENARIOS]


@pytest.mark.parametrize("scenario", SCENARIOS, ids=IDS)
def test_a_single_scenario_is_answered_as_an_object(scenario, answer):
    assert answer(without_answers(scenario)) == scenario["expected"]


@pytest.mark.parametrize("scenario", SCENARIOS, ids=IDS)
def test_shuffled_and_renamed_findings_get_the_same_answer(scenario, answer):
    source = random.Random(scenario["id"])
    for _ in range(6):
        changed = shuffled(scenario, lists_of, source)
        names = new_names([one for findings in lists_of(changed) for one in findings], source)
        expected = renamed(scenario["expected"], names)
        found = answer(renamed(without_answers(changed), names))
        found["missed"].sort()
        expected["missed"].sort()
        assert found == expected


def test_the_shotgun_range_alone_is_partial(answer):
    scenario = copy.deepcopy(SCENARIOS[9])
    scenario["ai"] = scenario["ai"][:1]
    assert answer(scenario)["ai"] == {"P1": {"class": "partial", "golden": "G1", "needs_confirmation": True}}


def test_a_comment_without_category_asks_for_confirmation(answer):
    scenario = copy.deepcopy(SCENARIOS[0])
    del scenario["ai"][0]["category"]
    assert answer(scenario)["ai"]["P1"] == {"class": "match", "golden": "G1", "needs_confirmation": True}


def test_naming_a_decoy_is_shown_as_such(answer):
    scenario = copy.deepcopy(SCENARIOS[0])
    scenario["golden"][0]["state"] = "decoy"
    found = answer(scenario)
    assert found["ai"]["P1"] == {"class": "false_positive", "golden": "G1", "reason": "decoy"}
    assert found["metrics"]["recall_strict"] == 0


def test_the_findings_keep_the_order_of_the_input(answer):
    scenario = copy.deepcopy(SCENARIOS[7])
    scenario["ai"].reverse()
    assert list(answer(scenario)["ai"]) == ["P3", "P2", "P1"]


def changed(path, value):
    document = copy.deepcopy(SCENARIOS[7])
    target = document
    *steps, last = [int(step) if step.isdigit() else step for step in path.split(".")]
    for step in steps:
        target = target[step]
    target[last] = value
    return document


@pytest.mark.parametrize(
    ("document", "message"),
    [
        (changed("golden", None), 'top level: "golden" is missing'),
        (changed("ai", {}), "ai: a list is needed, not {}"),
        (changed("golden.0.state", "ignore"), 'golden[0].state: "ignore" is unknown; allowed are required, '),
        (changed("golden.0.severity", "urgent"), 'golden[0].severity: "urgent" is unknown; allowed are note'),
        (changed("golden.0.category", None), 'golden[0]: "category" is missing'),
        (changed("ai.1.severity", 1), "ai[1].severity: 1 is unknown"),
        (changed("ai.1.category", ""), "ai[1].category: the text is empty"),
        (changed("ai.1.id", "P1"), 'ai[1]: the id "P1" is used twice'),
        (changed("ai.0.anchors.0.lines", [[7, 6]]), "ai[0].anchors[0].lines[0]: the range is inverted"),
        (changed("ai.0.anchors.0.side", "both"), 'ai[0].anchors[0].side: "both" is unknown'),
        (changed("ai.0.alternates", [{}]), "ai[0].alternates[0]: a list is needed, not {}"),
        (changed("scope", ["style"]), 'scope: an object is needed, not ["style"]'),
        (changed("scope.files_excluded", "x"), 'scope.files_excluded: a list is needed, not "x"'),
        (changed("scope.categories_excluded.0", 4), "scope.categories_excluded[0]: a text is needed, not 4"),
        ([changed("ai", [1])], "[0].ai[0]: an object is needed, not 1"),
        ('{"golden": [], "ai": [], "x": Infinity}', "Infinity is not a JSON number"),
    ],
)
def test_bad_input_is_refused_in_one_line_with_its_place(document, message, match):
    code, out, err = match(document)
    assert (code, out) == (2, "")
    assert err.startswith("case.json: ")
    assert message in err
    assert err.count("\n") == 1
