"""The formats by name, and the guess of a format from the bytes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from corpus.importers import folders, git, golden, jsonl, patches
from corpus.importers.archives import is_archive
from corpus.importers.records import ImportRefused, Record, Source
from corpus.importers.shapes import load_json
from corpus.services.case_facts import CaseFacts

GIT = "git"
READERS: dict[str, Callable[[Source, CaseFacts], Iterator[Record]]] = {
    "patch": patches.read,
    "folder": folders.read,
    "jsonl": jsonl.read,
    "fixtures": folders.read,
    "dataset": golden.read_dataset,
    "expected": golden.read_expected,
    "martian": golden.read_martian,
}
# What people choose from, in words.
LABELS = {
    "patch": "Patch, format-patch mail or mailbox",
    "folder": "Folder of cases, as zip or tar",
    "jsonl": "JSON lines, one case a line",
    "fixtures": "Fixtures: diff.patch and bugs.json in each folder",
    "dataset": "dataset.json: defects by keywords",
    "expected": "expected.json: findings by case",
    "martian": "Golden comments of pull requests (Martian)",
    GIT: "Local git repository, by base and head",
}


def detect_format(source: Source) -> str:
    """Return the name of the format that the bytes are in. Raises ImportRefused where JSON is of no known shape."""
    if is_archive(source.data):
        return "folder"
    name = source.name.lower()
    if name.endswith((".jsonl", ".ndjson")):
        return "jsonl"
    start = source.data[:200].lstrip(b"\xef\xbb\xbf \t\r\n")[:1]
    if start == b"{":
        return "jsonl"
    if start == b"[" or name.endswith(".json"):
        load_json(source.data, what=source.name)
        found = golden.looks_like(source.data)
        if not found:
            raise ImportRefused(
                f"{source.name} is JSON of no known shape; its first record needs case_id and findings, pr_id and "
                "defects, or url and comments."
            )
        return found
    return "patch"


@contextmanager
def opened(format_name: str, source: Source, defaults: CaseFacts) -> Iterator[Iterator[Record]]:
    """Give the records of a source while the block runs. Raises ImportRefused, also while they are read."""
    if format_name == GIT:
        with git.read(source, defaults) as records:
            yield records
        return
    reader = READERS.get(format_name)
    if reader is None:
        known = ", ".join([*READERS, GIT])
        raise ImportRefused(f'The format "{format_name[:40]}" is unknown; known are {known}.')
    yield reader(source, defaults)
