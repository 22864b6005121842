"""JSON lines: one case in each line."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from corpus.importers.case_fields import FACT_FIELDS, decoded, facts_of, files_of
from corpus.importers.golden import finding_claim
from corpus.importers.records import NO_CHANGE, ImportedCase, ImportRefused, Record, RecordRefused, Rejected, Source
from corpus.importers.shapes import Shape, load_json
from corpus.services.case_facts import CaseFacts
from corpus.services.cases import ChangeSource, PatchSource, TreesSource

MAX_LINES = 20_000
FIELDS = FACT_FIELDS | {"id", "patch", "patch_base64", "base", "head", "findings"}


def read(source: Source, defaults: CaseFacts) -> Iterator[Record]:
    """Yield one case for each line that is not blank; a line that cannot be read is rejected with its number."""
    lines = source.data.split(b"\n")
    filled = sum(1 for line in lines if line.strip())
    if not filled:
        raise ImportRefused(f"{source.name} is empty; give one JSON object a line.")
    if filled > MAX_LINES:
        raise ImportRefused(f"{source.name} has {filled} lines; the limit is {MAX_LINES}, so split it.")
    for number, line in enumerate(lines, 1):
        if line.strip():
            yield _read_line(line, f"line {number}", defaults)


def _read_line(line: bytes, place: str, defaults: CaseFacts) -> Record:
    try:
        shape = Shape(load_json(line, what="The line"))
        shape.allow_only(FIELDS)
        reference = shape.text("id")
        facts = facts_of(shape, defaults)
        change = _change(shape)
        if change is None and not reference:
            raise RecordRefused('A case without a change needs an "id", so that its change can be attached later.')
        notes: list[str] = []
        claims = tuple(
            finding_claim(finding, number, notes) for number, finding in enumerate(shape.list("findings"), 1)
        )
    except (ImportRefused, RecordRefused) as error:
        return Rejected(place, str(error))
    if not facts.title:
        facts = replace(facts, title=reference)
    return ImportedCase(place, facts, change, reference, NO_CHANGE, claims, tuple(notes))


def _change(shape: Shape) -> ChangeSource | None:
    if shape.has("patch") and shape.has("patch_base64"):
        raise RecordRefused('The record has both "patch" and "patch_base64"; give one.')
    patch = b""
    if shape.has("patch"):
        try:
            patch = shape.text("patch").encode("utf-8")
        except UnicodeEncodeError as error:
            raise RecordRefused('"patch" holds half of a surrogate pair; give it as "patch_base64".') from error
    elif shape.has("patch_base64"):
        patch = decoded(shape.text("patch_base64"), '"patch_base64"')
    if shape.has("base") != shape.has("head"):
        absent = "head" if shape.has("base") else "base"
        raise RecordRefused(f'The record has one tree only; give "{absent}" too, or the patch alone.')
    if shape.has("base"):
        return TreesSource(files_of(shape.fields["base"], "base"), files_of(shape.fields["head"], "head"), patch)
    if shape.has("patch") or shape.has("patch_base64"):
        return PatchSource(patch)
    return None
