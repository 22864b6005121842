"""Reports of linters and hosts: SARIF, reviewdog, Code Quality, Code Climate, Checkstyle and Gerrit."""

from __future__ import annotations

import json
from typing import Any

import pytest

from reviews.domain.formats.records import FormatError
from tests.unit.formats.reading import kinds, read, refused, said, statement, where

# --- SARIF ---------------------------------------------------------------------------------------------------------

RULES = [
    {"id": "R1", "defaultConfiguration": {"level": "error"}, "properties": {"security-severity": "8.1"}},
    {
        "id": "R2",
        "defaultConfiguration": {"level": "note"},
        "messageStrings": {"default": {"text": "Use {0}, not {1}"}},
    },
    {"id": "R3"},
]


def result(**more: Any) -> dict[str, Any]:
    location = {"artifactLocation": {"uri": "a.py"}, "region": {"startLine": 3}}
    return {"ruleId": "R3", "message": {"text": "It fails."}, "locations": [{"physicalLocation": location}], **more}


def sarif(*results: Any, **run: Any) -> dict[str, Any]:
    return {
        "version": "2.1.0",
        "runs": [{"tool": {"driver": {"name": "T", "rules": RULES}}, "results": list(results), **run}],
    }


def at(artifact: dict[str, Any], **region: Any) -> dict[str, Any]:
    physical: dict[str, Any] = {"artifactLocation": artifact}
    if region:
        physical["region"] = region
    return {"locations": [{"physicalLocation": physical}]}


@pytest.mark.parametrize(
    ("more", "severity"),
    [
        ({"ruleId": "R1"}, "security-severity 8.1"),
        ({"ruleId": "", "ruleIndex": 1}, "note"),
        ({"ruleId": "", "rule": {"index": 1}}, "note"),
        ({"ruleId": "R2", "level": "error"}, "error"),
        ({"ruleId": "R2/part"}, "note"),
        ({"ruleId": "R3"}, "warning"),
        ({"ruleId": "unheard"}, "warning"),
        ({"ruleId": "", "ruleIndex": 99}, "warning"),
    ],
)
def test_the_level_comes_from_result_rule_or_warning(more: dict[str, Any], severity: str) -> None:
    assert statement(read("sarif", sarif(result(**more)))).severity == severity


@pytest.mark.parametrize(
    ("artifact", "path"),
    [
        ({"uri": "a%20b.py", "uriBaseId": "SRC"}, "src/a b.py"),
        ({"uri": "a.py", "uriBaseId": "ROOT"}, "a.py"),
        ({"uri": "file:///repo/src/a.py"}, "/repo/src/a.py"),
        ({"uri": "a.py", "uriBaseId": "LOOP"}, "y/x/a.py"),
        ({"uri": "a.py", "uriBaseId": "unheard"}, "a.py"),
        ({"index": 0}, "src/indexed.py"),
        ({"index": 7}, ""),
        ({"uri": "no file associated with this alert"}, "no file associated with this alert"),
    ],
)
def test_paths_are_decoded_and_based(artifact: dict[str, Any], path: str) -> None:
    bases = {
        "ROOT": {"uri": "file:///repo/"},
        "SRC": {"uri": "src/", "uriBaseId": "ROOT"},
        "LOOP": {"uri": "x/", "uriBaseId": "POOL"},
        "POOL": {"uri": "y/", "uriBaseId": "LOOP"},
    }
    artifacts = [{"location": {"uri": "indexed.py", "uriBaseId": "SRC"}}]
    run = sarif(result(**at(artifact, startLine=3)), originalUriBaseIds=bases, artifacts=artifacts)
    assert where(read("sarif", run))[0][0] == path


def test_regions_files_and_results_without_a_place() -> None:
    parsed = read(
        "sarif",
        sarif(
            result(**at({"uri": "a.py"}, startLine=3, endLine=5, endColumn=1)),
            result(**at({"uri": "a.py"})),
            result(locations=[]),
            result(**at({"uri": "a.py"}, charOffset=12)),
        ),
    )
    assert [where(parsed, index) for index in range(3)] == [
        [("a.py", "new", ((3, 5),))],
        [("a.py", "new", ())],
        [("", "new", ())],
    ]
    places = statement(parsed, 3).places
    assert places is not None
    assert "offset" in places[0].problem


def test_further_locations_are_related() -> None:
    two = [at({"uri": name}, startLine=1)["locations"][0] for name in ("a.py", "b.py")]
    parsed = read("sarif", sarif(result(locations=two, relatedLocations=[{"message": {"text": "here"}, **two[1]}])))
    assert where(parsed) == [("a.py", "new", ((1, 1),))]
    assert [place.path for place in statement(parsed).related] == ["b.py", "b.py"]


def test_messages_by_id_take_their_arguments() -> None:
    parsed = read("sarif", sarif(result(ruleId="R2", message={"id": "default", "arguments": ["a", "b"]})))
    assert statement(parsed).body == "Use a, not b"
    assert refused(read("sarif", sarif(result(message={"id": "unheard"}))))[0][1].startswith(
        "The result has no message"
    )


def test_what_is_no_finding_and_what_is_suppressed() -> None:
    parsed = read(
        "sarif",
        sarif(
            result(kind="pass"),
            result(baselineState="absent"),
            result(suppressions=[{"kind": "inSource"}]),
            result(suppressions=[{"kind": "inSource", "status": "accepted"}]),
            result(suppressions=[{"kind": "external", "status": "underReview"}]),
            result(suppressions=[{"kind": "external", "status": "rejected"}]),
        ),
    )
    assert kinds(parsed) == ["meta", "meta", "meta", "suppressed", "suppressed", "finding", "finding"]


def test_a_run_tells_that_it_looked_or_failed_and_at_which_commit() -> None:
    looked = read("sarif", sarif()).records[0]
    assert looked.report is not None
    assert (looked.report.state, looked.case_keys) == ("reviewed", ())
    failed = read(
        "sarif",
        sarif(
            result(),
            invocations=[{"executionSuccessful": False}],
            versionControlProvenance=[{"repositoryUri": "https://x", "revisionId": "c" * 40}],
        ),
    )
    report = failed.records[0].report
    assert report is not None
    assert (report.state, report.head_commit) == ("failed", "c" * 40)
    assert failed.records[1].case_keys == ("c" * 40,)


def test_runs_of_several_tools_are_not_merged() -> None:
    both = sarif(result())
    both["runs"].append({"tool": {"driver": {"name": "U"}}, "results": [result()]})
    assert [record.tool for record in read("sarif", both).records] == ["T", "T", "U", "U"]


# --- reviewdog -----------------------------------------------------------------------------------------------------


def diagnostic(**more: Any) -> dict[str, Any]:
    place = {"path": "a.go", "range": {"start": {"line": 14, "column": 15}, "end": {"line": 15}}}
    return {"message": "It fails.", "location": place, "severity": "ERROR", "code": {"value": "R1"}, **more}


def test_rdjson_takes_defaults_and_both_ways_of_writing() -> None:
    parsed = read(
        "rdjson",
        {
            "source": {"name": "lint"},
            "severity": "WARNING",
            "diagnostics": [
                diagnostic(),
                diagnostic(severity=None),
                diagnostic(severity=3),
                diagnostic(severity=0),
                diagnostic(relatedLocations=[{"location": {"path": "b.go"}}], suggestions=[{"text": "x := 1"}]),
                diagnostic(related_locations=[{"location": {"path": "c.go"}}]),
            ],
        },
    )
    assert kinds(parsed) == ["meta"] + ["finding"] * 6
    severities = [statement(parsed, index).severity for index in range(4)]
    assert severities == ["ERROR", "WARNING", "INFO", "WARNING"]
    assert where(parsed) == [("a.go", "new", ((14, 15),))]
    assert [statement(parsed, index).related[0].path for index in (4, 5)] == ["b.go", "c.go"]
    assert statement(parsed, 4).suggestion == "x := 1"


def test_rdjsonl_names_the_bad_line_and_keeps_the_others() -> None:
    lines = [json.dumps(diagnostic()), "{", "", json.dumps(diagnostic(location={"path": "a.go"})), '{"message": NaN}']
    parsed = read("rdjsonl", "\n".join(lines))
    assert kinds(parsed) == ["finding", "rejected", "finding", "rejected"]
    assert [place for place, _ in refused(parsed)] == ["line 2", "line 5"]
    assert "NaN is no JSON number" in refused(parsed)[1][1]
    assert where(parsed, 1) == [("a.go", "new", ())]


# --- Code Quality --------------------------------------------------------------------------------------------------


def issue(**more: Any) -> dict[str, Any]:
    return {
        "description": "It fails.",
        "check_name": "r",
        "fingerprint": "f" * 32,
        "severity": "major",
        "location": {"path": "lib/a.js", "lines": {"begin": 42, "end": 43}},
        **more,
    }


def test_code_quality_lines_positions_and_equal_fingerprints() -> None:
    positions = {"path": "lib/a.js", "positions": {"begin": {"line": 7, "column": 1}}}
    parsed = read("gitlab", [issue(), issue(location=positions), issue(location={"path": "lib/a.js"})])
    assert kinds(parsed) == ["meta", "finding", "finding", "finding"]
    assert [where(parsed, index)[0][2] for index in range(3)] == [((42, 43),), ((7, 7),), ()]
    assert {record.source_id for record in parsed.records} == {""}


def test_an_empty_report_says_that_nothing_was_found() -> None:
    [about] = read("gitlab", []).records
    assert about.report is not None
    assert about.report.state == "reviewed"


def test_code_climate_skips_measurements_and_reads_the_engines_own_output() -> None:
    climate = issue(type="issue", categories=["Bug Risk"], content={"body": "Because of this."})
    climate["other_locations"] = [{"path": "lib/b.js", "lines": {"begin": 1, "end": 1}}]
    parsed = read("codeclimate", [climate, {"type": "measurement", "name": "loc", "value": 3}])
    assert kinds(parsed) == ["meta", "finding", "meta"]
    made = statement(parsed)
    assert (made.category, made.title, made.related[0].path) == ("Bug Risk", "It fails.", "lib/b.js")
    parted = read("codeclimate", "\0".join([json.dumps(climate), "{", json.dumps(climate)]) + "\0")
    assert kinds(parted) == ["meta", "finding", "rejected", "finding"]
    assert refused(parted)[0][0] == "issue 2"


# --- Checkstyle ----------------------------------------------------------------------------------------------------

CHECKSTYLE = """<?xml version="1.0" encoding="UTF-8"?>
<checkstyle version="8">
  <file name="/abs/a.java">
    <error line="7" column="3" severity="warning" message="It &lt;fails&gt;." source="R"/>
    <error line="0" severity="error" message="The file."/>
    <error severity="info" message="The file, too."/>
    <error line="9" severity="ignore" message="Held back."/>
    <error line="x" severity="error" message="Where?"/>
    <error line="3" severity="error"/>
  </file>
</checkstyle>
"""


def test_checkstyle_lines_files_and_what_is_ignored() -> None:
    parsed = read("checkstyle", CHECKSTYLE)
    assert kinds(parsed) == ["meta", "finding", "finding", "finding", "suppressed", "rejected", "rejected"]
    assert [where(parsed, index)[0][2] for index in range(4)] == [((7, 7),), (), (), ((9, 9),)]
    assert statement(parsed).body == "It <fails>."
    assert (
        said(parsed)[0].data
        == b'<error line="7" column="3" severity="warning" message="It &lt;fails&gt;." source="R"/>'
    )
    assert refused(parsed) == [
        ("line 8", '"line" must be a whole number, but is "x".'),
        ("line 9", "The error has no message."),
    ]


BOMB = """<?xml version="1.0"?>
<!DOCTYPE lolz [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>
<checkstyle><file name="a"><error message="&b;"/></file></checkstyle>"""


@pytest.mark.parametrize(
    ("xml", "reason"),
    [
        (BOMB, "document type"),
        ('<!DOCTYPE a SYSTEM "http://169.254.169.254/x"><checkstyle/>', "document type"),
        ("<results/>", "not <checkstyle>"),
        ("<checkstyle" + "><a" * 60 + ">", "nested deeper than 40 levels"),
        ("<checkstyle><file", "cannot be read at line 1"),
        ('<?xml version="1.0" encoding="nonsense"?><checkstyle/>', "encoding"),
    ],
)
def test_xml_that_is_refused_whole(xml: str, reason: str) -> None:
    with pytest.raises(FormatError, match=reason):
        read("checkstyle", xml)


def test_xml_that_is_cut_off_keeps_what_stands_before() -> None:
    cut = CHECKSTYLE[: CHECKSTYLE.index('<error severity="info"') + 12]
    parsed = read("checkstyle", cut)
    assert kinds(parsed) == ["meta", "finding", "finding", "rejected"]
    assert refused(parsed)[0][0].startswith("line 6, column")


# --- Gerrit --------------------------------------------------------------------------------------------------------


def robot(**more: Any) -> dict[str, Any]:
    return {"robot_id": "r", "robot_run_id": "1", "id": "x", "patch_set": 2, "message": "It fails.", **more}


def test_gerrit_sides_ranges_pseudo_paths_and_answers() -> None:
    span = {"start_line": 10, "start_character": 4, "end_line": 12, "end_character": 1}
    to_the_end = {"start_line": 10, "start_character": 0, "end_line": 12, "end_character": 0}
    value = {
        "src/a.py": [
            robot(line=12),
            robot(id="y", side="PARENT", line=12),
            robot(id="z", line=12, range=span),
            robot(id="w", range=to_the_end),
            robot(id="v"),
            robot(id="u", line=1, in_reply_to="y"),
            robot(id="t", side="BOTH"),
        ],
        "/COMMIT_MSG": [robot(id="s", line=7)],
        "/PATCHSET_LEVEL": [robot(id="q")],
        "odd": "no list",
    }
    parsed = read("gerrit", ")]}'\n" + json.dumps(value))
    assert kinds(parsed) == ["finding"] * 5 + ["reply", "rejected", "finding", "finding", "rejected"]
    assert [where(parsed, index)[0] for index in range(7)] == [
        ("src/a.py", "new", ((12, 12),)),
        ("src/a.py", "old", ((12, 12),)),
        ("src/a.py", "new", ((10, 12),)),
        # Characters count from 0: the range ends before the first character of line 12.
        ("src/a.py", "new", ((10, 11),)),
        ("src/a.py", "new", ()),
        ("", "new", ()),
        ("", "new", ()),
    ]


def test_gerrit_comments_of_people_need_the_tools_name() -> None:
    value = {"a.py": [robot(), {"id": "2", "message": "Why?", "author": {"username": "ann"}, "line": 3}]}
    assert kinds(read("gerrit", value, author="r")) == ["finding", "meta"]
    with pytest.raises(FormatError, match="by ann, r; name"):
        read("gerrit", value)
