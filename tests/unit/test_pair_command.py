"""`touchstone pair` on the scenarios with right answers, told in many ways, and on bad input."""

from __future__ import annotations

import copy
import io
import json
import random
import subprocess
import sys

import pytest

from config.cli import main
from tests.unit.scenarios import DATA, load, new_names, renamed, shuffled, unordered, without_answers

SCENARIOS = load("alignment-scenarios.json")
IDS = [scenario["id"] for scenario in SCENARIOS]


def lists_of(scenario):
    return [scenario["a"]["findings"], scenario["b"]["findings"]]


@pytest.fixture
def pair(tmp_path, capsys):
    def run(document):
        path = tmp_path / "labels.json"
        path.write_text(document if isinstance(document, str) else json.dumps(document))
        code = main(["pair", str(path)])
        shown = capsys.readouterr()
        return code, shown.out, shown.err.replace(str(path), "labels.json")

    return run


@pytest.fixture
def answer(pair):
    def run(document):
        code, out, err = pair(document)
        assert (code, err) == (0, "")
        return json.loads(out)

    return run


def test_the_whole_list_of_scenarios_is_answered_in_its_order(answer):
    answers = answer(SCENARIOS)
    assert [unordered(found) for found in answers] == [unordered(one["expected"]) for one in SCENARIOS]


@pytest.mark.parametrize("scenario", SCENARIOS, ids=IDS)
def test_a_single_scenario_is_answered_as_an_object(scenario, answer):
    assert unordered(answer(without_answers(scenario))) == unordered(scenario["expected"])


@pytest.mark.parametrize("scenario", SCENARIOS, ids=IDS)
def test_shuffled_and_renamed_findings_get_the_same_answer(scenario, answer):
    source = random.Random(scenario["id"])
    for _ in range(6):
        changed = shuffled(scenario, lists_of, source)
        names = new_names([finding for findings in lists_of(changed) for finding in findings], source)
        expected = renamed(scenario["expected"], names)
        assert unordered(answer(renamed(without_answers(changed), names))) == unordered(expected)


@pytest.mark.parametrize("scenario", SCENARIOS, ids=IDS)
def test_exchanged_reviewers_get_the_mirrored_answer(scenario, answer):
    changed = without_answers(scenario)
    changed["a"], changed["b"] = changed["b"], changed["a"]
    expected = copy.deepcopy(scenario["expected"])
    expected["pairs"] = [pair[::-1] for pair in expected["pairs"]]
    expected["unmatched_a"], expected["unmatched_b"] = expected["unmatched_b"], expected["unmatched_a"]
    for flag in expected["flags"]:
        if "pair" in flag:
            flag["pair"].reverse()
        if flag["type"] == "verdict":
            flag["a"], flag["b"] = flag["b"], flag["a"]
        if "side" in flag:
            flag["side"] = {"a": "b", "b": "a"}[flag["side"]]
    assert unordered(answer(changed)) == unordered(expected)


@pytest.mark.parametrize("shift", [1, 7, 100_000])
def test_the_answer_does_not_depend_on_where_in_the_file_the_findings_lie(shift, answer):
    def moved(value, inside=False):
        if isinstance(value, dict):
            return {name: moved(member, inside or name in ("lines", "hunks")) for name, member in value.items()}
        if isinstance(value, list):
            return [moved(member, inside) for member in value]
        return value + shift if inside and isinstance(value, int) else value

    for scenario in SCENARIOS:
        assert unordered(answer(moved(without_answers(scenario)))) == unordered(scenario["expected"])


def test_a_renamed_file_is_one_file_under_both_names(answer):
    scenario = copy.deepcopy(SCENARIOS[0])
    scenario["b"]["findings"][0]["anchors"][0]["file"] = "svc/work_queue.py"
    assert answer(scenario)["pairs"] == []
    for old, new in (("old", "new"), ("old_path", "new_path")):
        scenario["case"] = {"files": [{old: "svc/queue.py", new: "svc/work_queue.py"}]}
        assert answer(scenario)["pairs"] == [["A1", "B1"]]


@pytest.mark.parametrize(
    "anchor",
    [
        {"file": "svc/queue.py"},
        {"file": "svc/queue.py", "side": "new"},
        {"file": "svc/queue.py", "side": "new", "lines": []},
        {"file": "svc/queue.py", "side": "old", "lines": None},
        {"file": "svc/queue.py", "level": "file"},
    ],
)
def test_an_anchor_without_lines_is_the_whole_file(anchor, answer):
    scenario = copy.deepcopy(SCENARIOS[0])
    scenario["a"]["findings"][0]["anchors"] = [anchor]
    found = answer(scenario)
    assert found["pairs"] == [["A1", "B1"]]
    assert [flag["type"] for flag in found["flags"]] == ["anchors_disjoint"]


def test_two_repository_anchors_of_one_category_are_a_pair(answer):
    scenario = copy.deepcopy(SCENARIOS[0])
    scenario["a"]["findings"][0]["anchors"] = [{"file": None}]
    scenario["b"]["findings"][0]["anchors"] = [{"level": "repository"}]
    found = answer(scenario)
    assert (found["pairs"], found["flags"]) == ([["A1", "B1"]], [])


def test_an_id_that_both_reviewers_use_is_told_apart_by_side(answer):
    scenario = renamed(SCENARIOS[6], {"A1": "1", "B1": "1"})
    assert answer(scenario)["flags"] == [
        {"type": "existence", "finding": "1", "side": "a"},
        {"type": "existence", "finding": "1", "side": "b"},
    ]


def test_standard_input_is_read_for_a_dash(monkeypatch, capsys):
    text = json.dumps(SCENARIOS[0]).encode()
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text)))
    assert main(["pair", "-"]) == 0
    assert json.loads(capsys.readouterr().out)["pairs"] == [["A1", "B1"]]


def test_an_empty_list_is_answered_by_an_empty_list(answer):
    assert answer([]) == []


def changed(path, value, *, scenario=0):
    """Return one scenario with `value` at the dotted `path`."""
    document = copy.deepcopy(SCENARIOS[scenario])
    target = document
    *steps, last = [int(step) if step.isdigit() else step for step in path.split(".")]
    for step in steps:
        target = target[step]
    target[last] = value
    return document


FIRST = "a.findings.0."
FAR = FIRST + "anchors.0."
TWICE = SCENARIOS[11]["b"]["findings"][:1] * 2


@pytest.mark.parametrize(
    ("document", "message"),
    [
        (changed("a.verdict", "fine"), 'a.verdict: "fine" is unknown; allowed are has_defects, clean, '),
        (changed("a.verdict", None), 'a: "verdict" is missing'),
        (changed("a", []), "a: an object is needed, not []"),
        (changed("a.findings", {}), "a.findings: a list is needed, not {}"),
        (
            changed(FIRST + "severity", "huge"),
            'a.findings[0].severity: "huge" is unknown; allowed are note',
        ),
        (changed(FIRST + "severity", 3), "a.findings[0].severity: 3 is unknown"),
        (changed(FIRST + "severity", ["low"]), 'a.findings[0].severity: ["low"] is unknown'),
        (changed(FIRST + "category", ""), "a.findings[0].category: the text is empty"),
        (changed(FIRST + "category", 7), "a.findings[0].category: a text is needed, not 7"),
        (changed(FIRST + "id", None), 'a.findings[0]: "id" is missing'),
        (changed(FIRST + "id", "x" * 201), "a.findings[0].id: 201 characters are above the limit of 200"),
        (changed(FIRST + "anchors", "x"), 'a.findings[0].anchors: a list is needed, not "x"'),
        (
            changed(FAR + "side", "RIGHT"),
            'anchors[0].side: "RIGHT" is unknown; allowed are old, new',
        ),
        (changed(FAR + "side", None), 'a.findings[0].anchors[0]: lines need a "side", old or new'),
        (changed(FAR + "lines", [[9, 3]]), "anchors[0].lines[0]: the range is inverted: 9 is after 3"),
        (changed(FAR + "lines", [[0, 3]]), "anchors[0].lines[0][0]: 0 is not between 1 and 2147483647"),
        (changed(FAR + "lines", [[1, 2**40]]), "anchors[0].lines[0][1]: 1099511627776 is not between 1 and"),
        (changed(FAR + "lines", [[1, 2.5]]), "anchors[0].lines[0][1]: a whole number is needed, not 2.5"),
        (changed(FAR + "lines", [[1, True]]), "anchors[0].lines[0][1]: a whole number is needed, not true"),
        (changed(FAR + "lines", [[1]]), "anchors[0].lines[0]: 1 members, 2 are needed"),
        (changed(FAR + "lines", [5]), "anchors[0].lines[0]: a list is needed, not 5"),
        (
            changed(FAR + "lines", [[1, 1]] * 1_001),
            "lines: 1001 members are above the limit of 1000",
        ),
        (changed(FAR + "file", None), "anchors[0]: lines need a file"),
        (
            changed(FAR + "level", "line"),
            'anchors[0].level: "line" is unknown; allowed are lines, file',
        ),
        (changed("case", {"hunks": [{"old": [1, 2]}]}), 'case.hunks[0]: "file" is missing'),
        (changed("case", {"files": [{}]}), 'case.files[0]: a file needs an "old" or a "new" path'),
        (
            changed("b.findings", TWICE),
            'b.findings[1]: the id "B1" is used twice',
        ),
        ([SCENARIOS[0], changed("b.verdict", "no")], '[1].b.verdict: "no" is unknown'),
        ([SCENARIOS[0], 5], "[1]: an object is needed, not 5"),
        ("", "line 1 column 1: not JSON (Expecting value)"),
        ('{"a": NaN}', "NaN is not a JSON number"),
        ('{"a": -Infinity}', "-Infinity is not a JSON number"),
        ('{"a": 1, "a": 2}', 'the field "a" stands twice in one object'),
        ("[" * 100_000, "nested too deeply"),
        ("5", "top level: an object is needed, not 5"),
        (f'{{"a": {"9" * 5_000}}}', "a number has too many digits"),
    ],
)
def test_bad_input_is_refused_in_one_line_with_its_place(document, message, pair):
    code, out, err = pair(document)
    assert code == 2
    assert out == ""
    assert err.startswith("labels.json: ")
    assert message in err
    assert err.count("\n") == 1
    assert err.endswith("\n")


def test_nesting_just_below_the_parser_limit_is_refused_in_one_line(pair):
    for depth in (200, 900, 940, 970, 985, 990, 995):
        code, out, err = pair('{"a": ' + "[" * depth + "]" * depth + "}")
        assert (code, out, err.count("\n")) == (2, "", 1)


def test_a_missing_file_is_named(capsys):
    assert main(["pair", "no/such/file.json"]) == 2
    assert capsys.readouterr().err == "no/such/file.json: No such file or directory\n"


def test_a_directory_and_bytes_that_are_not_utf_8_are_refused(tmp_path, capsys):
    assert main(["pair", str(tmp_path)]) == 2
    assert "Is a directory" in capsys.readouterr().err
    (tmp_path / "x.json").write_bytes(b'{"a": "\xff"}')
    assert main(["pair", str(tmp_path / "x.json")]) == 2
    assert capsys.readouterr().err.endswith("x.json: byte 7: not UTF-8\n")


def test_neither_django_nor_scipy_is_loaded():
    script = (
        "import sys; from config.cli import main; main(['pair', sys.argv[1]]);"
        "sys.exit(' '.join({'django', 'celery', 'numpy', 'scipy'} & set(sys.modules)) or 0)"
    )
    path = str(DATA / "alignment-scenarios.json")
    done = subprocess.run([sys.executable, "-c", script, path], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
