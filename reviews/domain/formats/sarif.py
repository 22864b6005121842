"""SARIF 2.1.0: the static analysis results interchange format. Each run in a file is a tool's own; none are merged."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any
from urllib.parse import unquote

from reviews.domain.formats.fields import Fields
from reviews.domain.formats.json_records import ITEM, Element, elements, problem_record, scan
from reviews.domain.formats.records import (
    CaseReport,
    ClaimedPlace,
    FormatError,
    ParsedFile,
    ParsedRecord,
    ReadSettings,
    RecordError,
    Statement,
    capped,
    first_words,
    rejected,
)
from reviews.domain.scored import RunState
from reviews.domain.vocabulary import RecordKind

MAX_BASES = 20
_SCHEME = re.compile(r"^[a-zA-Z][a-zA-Z0-9+.-]+:")
_PLACEHOLDER = re.compile(r"\{(\d{1,3})\}")
_LEVELS = {"error", "warning", "note", "none"}


def read(data: bytes, settings: ReadSettings) -> ParsedFile:
    """Read the results of every run, and of each run whether it was a success."""
    found = scan(data, {"runs": [{"results": [ITEM]}]})
    if not isinstance(found.value, dict) or not isinstance(found.value.get("runs"), list):
        raise FormatError('The file is no SARIF: a list "runs" is needed at the top.')
    runs = found.value["runs"]
    names = [_driver(run).text("name") for run in runs if isinstance(run, dict)]
    records = [
        record
        for number, run in enumerate(runs)
        for record in _run_records(number, run, tool=names[number] if len(set(names)) > 1 else "")
    ]
    return capped([*records, *map(problem_record, found.problems)])


def _driver(run: dict[str, Any]) -> Fields:
    try:
        return Fields(run.get("tool") or {}).below("driver")
    except RecordError:
        return Fields({})


def _run_records(number: int, run: object, *, tool: str) -> Iterator[ParsedRecord]:
    place = f"runs[{number}]"
    if not isinstance(run, dict):
        yield rejected(place, b"", "a run must be an object")
        return
    context = _Run(run)
    about = _invocation(context, place)
    yield replace(about, tool=tool)
    for element in elements(run.get("results")):
        try:
            if element.error:
                raise RecordError(element.error)
            record = _result(element, Fields(element.value), context)
        except RecordError as error:
            record = rejected(element.place, element.data, str(error))
        yield replace(record, tool=tool, case_keys=about.case_keys)


class _Run:
    """What the results of one run refer to: rules, artifacts and bases of addresses."""

    def __init__(self, run: dict[str, Any]) -> None:
        self.run = run
        self.driver = _driver(run)
        self.rules = _listed(self.driver.value.get("rules"))
        self.by_id = {rule.get("id"): rule for rule in self.rules if isinstance(rule.get("id"), str)}
        self.artifacts = _listed(run.get("artifacts"))
        self.bases = run.get("originalUriBaseIds")

    def rule(self, result: Fields) -> dict[str, Any]:
        """Return the rule of a result by `ruleIndex`, `rule.index`, `ruleId` or `rule.id`; an empty one without."""
        reference = result.below("rule")
        for index in (result.whole("ruleIndex"), reference.whole("index")):
            if index is not None and 0 <= index < len(self.rules):
                return self.rules[index]
        name = result.text("ruleId") or reference.text("id")
        found = self.by_id.get(name)
        # A rule may be named by its id with a further part behind a slash.
        return found or self.by_id.get(name.rpartition("/")[0]) or {}

    def path(self, location: Fields) -> str:
        """Return the path of an artifact location: decoded, below its base, without a scheme."""
        uri, base = location.text("uri"), location.text("uriBaseId")
        index = location.whole("index")
        if not uri and index is not None and 0 <= index < len(self.artifacts):
            named = Fields(self.artifacts[index]).below("location")
            uri, base = named.text("uri"), named.text("uriBaseId")
        return self._based(unquote(uri, errors="replace"), base)

    def _based(self, path: str, base: str) -> str:
        seen: set[str] = set()
        while base and base not in seen and len(seen) < MAX_BASES and isinstance(self.bases, dict):
            seen.add(base)
            named = self.bases.get(base)
            if not isinstance(named, dict) or _SCHEME.match(path):
                break
            uri = named.get("uri")
            if isinstance(uri, str) and uri:
                uri = unquote(uri, errors="replace")
                # A base that stands for itself is the root that paths are told from.
                if _SCHEME.match(uri) and not named.get("uriBaseId"):
                    break
                path = f"{uri.rstrip('/')}/{path}"
            base = named.get("uriBaseId") or ""
            if not isinstance(base, str):
                break
        if path.startswith("file:"):
            path = "/" + path.removeprefix("file:").lstrip("/")
        return path


def _listed(value: object) -> list[dict[str, Any]]:
    return [one if isinstance(one, dict) else {} for one in value] if isinstance(value, list) else []


def _invocation(context: _Run, place: str) -> ParsedRecord:
    """Return the run itself as a record: it tells that the case was reviewed, or that the tool failed."""
    failed = any(one.get("executionSuccessful") is False for one in _listed(context.run.get("invocations")))
    commit = next(
        (
            one["revisionId"]
            for one in _listed(context.run.get("versionControlProvenance"))
            if isinstance(one.get("revisionId"), str)
        ),
        "",
    )
    name = context.driver.value.get("name")
    name = name if isinstance(name, str) else "a tool"
    state = RunState.FAILED if failed else RunState.REVIEWED
    return ParsedRecord(
        place=place,
        kind=RecordKind.META,
        data=first_words(name).encode("utf-8", "replace"),
        reason="The tool says that it failed." if failed else "The tool looked at the case.",
        summary=f"run of {first_words(name, 80)}",
        case_keys=(commit,) if commit else (),
        report=CaseReport(state=state, head_commit=commit[:64], detail="The tool says that it failed." * failed),
    )


def _result(element: Element, result: Fields, context: _Run) -> ParsedRecord:
    rule = context.rule(result)
    body = _message(result.below("message"), rule)
    record = ParsedRecord(
        place=element.place,
        kind=RecordKind.META,
        data=element.data,
        summary=first_words(body),
        source_id=result.identity("guid"),
    )
    kind = result.text("kind") or "fail"
    if kind != "fail":
        return replace(record, reason=f'A result of the kind "{kind[:40]}", which is no finding.')
    if result.text("baselineState") == "absent":
        return replace(record, reason="The result is gone since the baseline.")
    places = [_place(one, context) for one in result.objects("locations")]
    related = [_place(one, context) for one in result.objects("relatedLocations")]
    severity = _severity(result, rule)
    statement = Statement(
        body=body,
        places=tuple(places[:1]) or (ClaimedPlace(),),
        related=(*places[1:], *related),
        severity=severity,
        scale="sarif",
        category=_category(rule),
        rule_id=(result.text("ruleId") or _text(rule.get("id")))[:200],
        suggestion=_fixes(result),
    )
    if any((one.text("status") or "accepted") == "accepted" for one in result.objects("suppressions")):
        return replace(
            record, kind=RecordKind.SUPPRESSED, statement=statement, reason="Suppressed in the source or the baseline."
        )
    return replace(record, kind=RecordKind.FINDING, statement=statement)


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _message(message: Fields, rule: dict[str, Any]) -> str:
    text = message.text("text") or message.text("markdown")
    if not text and message.has("id"):
        strings = rule.get("messageStrings")
        named = strings.get(message.text("id")) if isinstance(strings, dict) else None
        text = _text(named.get("text")) if isinstance(named, dict) else ""
    if not text:
        raise RecordError("the result has no message, and its rule has none under its id")
    arguments = [str(one) for one in message.members("arguments")]

    def put(found: re.Match[str]) -> str:
        number = int(found[1])
        return arguments[number] if number < len(arguments) else found[0]

    return _PLACEHOLDER.sub(put, text)


def _severity(result: Fields, rule: dict[str, Any]) -> str:
    """Return the rule's security severity as a number, else the level of the result, its rule, or "warning"."""
    properties = rule.get("properties")
    score = properties.get("security-severity") if isinstance(properties, dict) else None
    if isinstance(score, str | int | float) and not isinstance(score, bool):
        return f"security-severity {str(score)[:20]}"
    level = result.text("level")
    if not level:
        default = rule.get("defaultConfiguration")
        level = _text(default.get("level")) if isinstance(default, dict) else ""
    return level[:40] or "warning"


def _category(rule: dict[str, Any]) -> str:
    properties = rule.get("properties")
    tags = properties.get("tags") if isinstance(properties, dict) else None
    return next((one[:200] for one in tags if isinstance(one, str)), "") if isinstance(tags, list) else ""


def _fixes(result: Fields) -> str:
    for fix in result.objects("fixes"):
        text = fix.below("description").text("text")
        if text:
            return text
    return ""


def _place(location: Fields, context: _Run) -> ClaimedPlace:
    physical = location.below("physicalLocation")
    artifact = physical.below("artifactLocation")
    if not artifact.value:
        return ClaimedPlace()
    path = context.path(artifact)
    region = physical.below("region")
    start = region.whole("startLine")
    if start is not None:
        end = region.whole("endLine")
        return ClaimedPlace(path, ranges=((start, start if end is None else end),))
    if region.has("charOffset") or region.has("byteOffset"):
        return ClaimedPlace(path, problem="it is told by an offset into the file, not by a line")
    return ClaimedPlace(path)
