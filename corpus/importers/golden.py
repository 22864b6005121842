"""Golden findings of foreign benchmarks. They arrive as claims on cases that wait for their change, never as truth."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace

from corpus.importers.records import ImportedCase, ImportRefused, Record, RecordRefused, Rejected, Source
from corpus.importers.shapes import Shape, kind_of, load_json, severity_of
from corpus.services.case_facts import CaseFacts
from corpus.services.claims import ClaimDraft

MAX_ENTRIES = 20_000
_REPOSITORY = re.compile(r"https?://[^/]+/([^/]+/[^/]+)/(?:-/)?(?:pull|merge_requests|commit)/")

ReadEntry = Callable[[Shape, CaseFacts, str], ImportedCase]


def read_martian(source: Source, defaults: CaseFacts) -> Iterator[Record]:
    """Yield the changes of a golden comments file with their comments as claims; neither holds a place in the code."""
    return _entries(source, defaults, _martian_case)


def read_dataset(source: Source, defaults: CaseFacts) -> Iterator[Record]:
    """Yield the changes of a `dataset.json` with their defects, told by keywords alone, as claims."""
    return _entries(source, defaults, _dataset_case)


def read_expected(source: Source, defaults: CaseFacts) -> Iterator[Record]:
    """Yield the cases of an `expected.json` with their findings as claims."""
    return _entries(source, defaults, _expected_case)


def _entries(source: Source, defaults: CaseFacts, read_entry: ReadEntry) -> Iterator[Record]:
    entries = load_json(source.data, what=source.name)
    if not isinstance(entries, list):
        raise ImportRefused(f"{source.name} must hold a list of records, not {kind_of(entries)}.")
    if not entries:
        raise ImportRefused(f"{source.name} holds an empty list; give a file with records.")
    if len(entries) > MAX_ENTRIES:
        raise ImportRefused(f"{source.name} holds {len(entries)} records; the limit is {MAX_ENTRIES}, so split it.")
    seen: set[str] = set()
    for number, entry in enumerate(entries, 1):
        place = f"record {number}"
        try:
            case = read_entry(Shape(entry), defaults, place)
            if case.reference in seen:
                raise RecordRefused(f'The name "{case.reference[:80]}" stands in an earlier record; merge the two.')
        except RecordRefused as error:
            yield Rejected(place, str(error))
            continue
        seen.add(case.reference)
        yield case


def _martian_case(entry: Shape, defaults: CaseFacts, place: str) -> ImportedCase:
    url = entry.text("pr_url") or entry.text("url", required=True)
    title = entry.text("title") or entry.text("pr_title")
    notes: list[str] = []
    claims = []
    for number, comment in enumerate(entry.list("comments", required=True), 1):
        shape = Shape(comment, f"Comment {number}")
        statement = shape.text("comment", required=True)
        severity = severity_of(shape.text("severity"), notes, f"comment {number}")
        claims.append(ClaimDraft(statement=statement, severity=severity, raw=shape.raw()))
    named = _REPOSITORY.match(entry.text("original_url")) or _REPOSITORY.match(url)
    repository = entry.text("repo") or (named[1] if named else defaults.repository)
    facts = replace(defaults, title=title, external_url=url, repository=repository)
    return ImportedCase(
        place=place,
        facts=facts,
        reference=url,
        missing=f"The change is missing: attach the patch of {url}, or its base and head."[:300],
        claims=tuple(claims),
        notes=tuple(notes),
    )


def _dataset_case(entry: Shape, defaults: CaseFacts, place: str) -> ImportedCase:
    reference = entry.text("pr_id", required=True)
    claims = []
    for number, defect in enumerate(entry.list("defects", required=True), 1):
        shape = Shape(defect, f"Defect {number}")
        name = shape.text("id", required=True)
        keywords = shape.texts("keywords")
        if not keywords:
            raise RecordRefused(f'Defect {number}: "keywords" must hold at least one word.')
        claims.append(
            ClaimDraft(
                statement=f"A defect that a good comment names with: {', '.join(keywords)}.",
                title=name,
                keywords=_tokens(keywords, f"Defect {number}"),
                raw=shape.raw(),
            )
        )
    notes = ("its claims need a location",) if claims else ()
    return ImportedCase(place, _named(defaults, reference), reference=reference, claims=tuple(claims), notes=notes)


def _tokens(keywords: tuple[str, ...], what: str) -> str:
    tokens = dict.fromkeys(word for keyword in keywords for word in keyword.lower().split())
    text = " ".join(tokens)
    if len(text) > 400:
        raise RecordRefused(f'{what}: "keywords" has {len(text)} characters; the limit is 400.')
    return text


def _expected_case(entry: Shape, defaults: CaseFacts, place: str) -> ImportedCase:
    reference = entry.text("case_id", required=True)
    notes: list[str] = []
    findings = entry.list("findings", required=True)
    claims = tuple(finding_claim(finding, number, notes) for number, finding in enumerate(findings, 1))
    return ImportedCase(place, _named(defaults, reference), reference=reference, claims=claims, notes=tuple(notes))


def finding_claim(finding: object, number: int, notes: list[str]) -> ClaimDraft:
    """Return one finding of an `expected.json` as a claim; its severity may be unknown, its place may not be wrong."""
    shape = Shape(finding, f"Finding {number}")
    category = shape.text("category")
    if len(category) > 60:
        raise RecordRefused(f'Finding {number}: "category" has {len(category)} characters; the limit is 60.')
    line = shape.line("line")
    path = shape.text("file")
    if line is not None and not path:
        raise RecordRefused(f'Finding {number}: it has a "line" but no "file"; name the file.')
    return ClaimDraft(
        statement=shape.text("summary", required=True),
        title=shape.text("id")[:200],
        severity=severity_of(shape.text("severity"), notes, f"finding {number}"),
        category_key=category,
        path=path,
        first_line=line,
        last_line=line,
        raw=shape.raw(),
    )


def bug_claims(bugs: object) -> tuple[ClaimDraft, ...]:
    """Return the entries of a `bugs.json`: file, line and what is wrong, without category and severity."""
    if not isinstance(bugs, list):
        raise RecordRefused(f"bugs.json must hold a list, not {kind_of(bugs)}.")
    claims = []
    for number, bug in enumerate(bugs, 1):
        shape = Shape(bug, f"Bug {number}")
        path, line = shape.text("file", required=True), shape.line("line")
        if line is None:
            raise RecordRefused(f'Bug {number}: "line" must be a line number from 1 on, but is nothing.')
        claims.append(
            ClaimDraft(
                statement=shape.text("issue", required=True),
                path=path,
                first_line=line,
                last_line=line,
                raw=shape.raw(),
            )
        )
    return tuple(claims)


def _named(defaults: CaseFacts, reference: str) -> CaseFacts:
    return replace(defaults, title=reference)


def looks_like(data: bytes) -> str:
    """Return which golden format a JSON list is by the fields of its first record, or an empty string."""
    try:
        entries = json.loads(data)
    except (ValueError, RecursionError):
        return ""
    if not isinstance(entries, list) or not entries or not isinstance(entries[0], dict):
        return ""
    fields = entries[0].keys()
    for name, needed in (
        ("martian", ({"comments", "url"}, {"comments", "pr_url"})),
        ("dataset", ({"pr_id", "defects"},)),
        ("expected", ({"case_id", "findings"},)),
    ):
        if any(wanted <= fields for wanted in needed):
            return name
    return ""
