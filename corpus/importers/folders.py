"""Folders of cases, as an archive: each folder at the top is one case. docs/imports.md shows the layout."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from corpus.domain.bytestext import path_text
from corpus.importers import patches
from corpus.importers.archives import read_archive
from corpus.importers.case_fields import FACT_FIELDS, facts_of
from corpus.importers.golden import bug_claims, finding_claim
from corpus.importers.records import (
    NO_CHANGE,
    ImportedCase,
    ImportRefused,
    Record,
    RecordRefused,
    Rejected,
    Source,
)
from corpus.importers.shapes import Shape, kind_of, load_json
from corpus.services.case_facts import CaseFacts
from corpus.services.cases import ChangeSource, PatchSource, TreesSource
from corpus.services.claims import ClaimDraft
from corpus.services.trees import Files

BASE, HEAD = b"base/", b"head/"
PATCH_SUFFIXES = (b".patch", b".diff")
KNOWN = frozenset({b"case.json", b"findings.json", b"bugs.json"})


def read(source: Source, defaults: CaseFacts) -> Iterator[Record]:
    """Yield one case for each folder at the top of the archive; one outer folder around them is looked through."""
    files = _without_outer_folder(read_archive(source.name, source.data))
    folders: dict[bytes, dict[bytes, tuple[str, bytes]]] = {}
    for path in sorted(files):
        folder, slash, rest = path.partition(b"/")
        if not slash:
            yield from _loose_file(path, files[path][1], defaults)
        else:
            folders.setdefault(folder, {})[rest] = files[path]
    for folder, content in folders.items():
        yield _read_folder(folder, content, defaults)


def _without_outer_folder(files: Files) -> Files:
    """Look through a folder that holds everything, unless it is a case itself."""
    tops = {path.partition(b"/")[0] for path in files}
    if len(tops) != 1 or any(b"/" not in path for path in files):
        return files
    prefix = tops.pop() + b"/"
    inner = {path.removeprefix(prefix): entry for path, entry in files.items()}
    if any(_is_part_of_case(path) for path in inner):
        return files
    return inner


def _is_part_of_case(path: bytes) -> bool:
    return path in KNOWN or path.startswith((BASE, HEAD)) or (b"/" not in path and path.endswith(PATCH_SUFFIXES))


def _loose_file(path: bytes, data: bytes, defaults: CaseFacts) -> Iterator[Record]:
    """Yield the case of a patch that lies at the top; any other loose file is rejected, save a read-me."""
    name = path_text(path)
    if path.endswith(PATCH_SUFFIXES):
        record = patches.read_one(data, defaults, name)
        yield replace(record, reference=_stem(name)) if isinstance(record, ImportedCase) else record
    elif not name.lower().startswith(("readme", "license", "manifest")):
        yield Rejected(
            name, "It lies beside the folders of cases and is no patch; put it into a folder or leave it out."
        )


def _stem(name: str) -> str:
    return name.rsplit(".", 1)[0]


def _read_folder(folder: bytes, content: dict[bytes, tuple[str, bytes]], defaults: CaseFacts) -> Record:
    name = path_text(folder)
    place = f"{name}/"
    try:
        return _case(name, place, content, defaults)
    except (RecordRefused, ImportRefused) as error:
        return Rejected(place, str(error), name[:300])


def _case(name: str, place: str, content: dict[bytes, tuple[str, bytes]], defaults: CaseFacts) -> Record:
    facts, notes = defaults, []
    base = {path.removeprefix(BASE): entry for path, entry in content.items() if path.startswith(BASE)}
    head = {path.removeprefix(HEAD): entry for path, entry in content.items() if path.startswith(HEAD)}
    patch_names = [path for path in content if b"/" not in path and path.endswith(PATCH_SUFFIXES)]
    if len(patch_names) > 1:
        shown = ", ".join(path_text(path) for path in patch_names[:4])
        raise RecordRefused(f"It holds {len(patch_names)} patches ({shown}); put one into each folder.")
    change: ChangeSource | None = None
    if patch_names:
        record = patches.read_one(content[patch_names[0]][1], defaults, place)
        if isinstance(record, Rejected):
            return record
        facts, notes = record.facts, list(record.notes)
        change = record.change
    if base or head:
        patch = change.patch if isinstance(change, PatchSource) else b""
        change = TreesSource(base, head, patch)
    if b"case.json" in content:
        shape = Shape(load_json(content[b"case.json"][1], what="case.json"), "case.json")
        shape.allow_only(FACT_FIELDS)
        facts = facts_of(shape, facts)
    claims = _claims(content, notes)
    if change is None and not claims and b"case.json" not in content:
        raise RecordRefused("It holds no patch, no base/ and head/ and no case.json; see the folder layout.")
    unknown = sorted(path for path in content if not _is_part_of_case(path))
    if unknown:
        notes.append(f"{len(unknown)} other files were left out, the first is {path_text(unknown[0])[:80]}")
    if not facts.title:
        facts = replace(facts, title=name)
    return ImportedCase(place, facts, change, name, NO_CHANGE, claims, tuple(notes))


def _claims(content: dict[bytes, tuple[str, bytes]], notes: list[str]) -> tuple[ClaimDraft, ...]:
    claims: tuple[ClaimDraft, ...] = ()
    if b"bugs.json" in content:
        claims += bug_claims(load_json(content[b"bugs.json"][1], what="bugs.json"))
    if b"findings.json" in content:
        findings = load_json(content[b"findings.json"][1], what="findings.json")
        if not isinstance(findings, list):
            raise RecordRefused(f"findings.json must hold a list, not {kind_of(findings)}.")
        claims += tuple(finding_claim(finding, number, notes) for number, finding in enumerate(findings, 1))
    return claims
