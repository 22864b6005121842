"""The inputs bundle: what an AI reviewer may see of each case, and nothing that tells what is wrong with it.

Titles, messages, authors, branch and commit names, source kind, family, split and every finding stay behind; a case
is its change, its snapshot where asked for, and facts that its contract allows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from corpus.domain.bytestext import escape_bytes
from corpus.domain.diff_model import PatchRefused
from corpus.domain.exports.change_only import change_only
from corpus.domain.exports.frame import Export, Ledger, PatchSource, Selection, json_bytes
from corpus.domain.manifest_records import Manifest, ManifestCase
from corpus.domain.paths import PathRefused, check_path
from corpus.domain.vocabulary import Side

NAME = "inputs"
REGULAR_MODES = {"100644", "100755"}


@dataclass(frozen=True)
class SnapshotEntry:
    """One file of a tree: its path, its mode as git writes it, and the digest of its bytes."""

    path: bytes
    mode: str
    blob_sha256: str


# The files of one side of a case's snapshot; None where the case has none.
SnapshotSource = Callable[[str, Side], Iterable[SnapshotEntry] | None]
# Bytes by digest; None when they were withdrawn.
BlobSource = Callable[[str], bytes | None]


def export_inputs_bundle(
    manifest: Manifest,
    manifest_digest: str,
    patch_of: PatchSource,
    selection: Selection | None = None,
    *,
    snapshot_of: SnapshotSource | None = None,
    blob_of: BlobSource | None = None,
) -> Export:
    """Return `cases.json` and `cases/<case id>/` with `diff.patch` and, with both sources, `base/` and `head/`.

    Symlinks and submodules are listed as losses and never written.
    """
    ledger = Ledger(manifest, manifest_digest, NAME)
    listed: list[dict[str, Any]] = []
    bodies: list[tuple[str, bytes]] = []
    for case in (selection or Selection()).cases(manifest):
        change = _change(ledger, case, patch_of)
        if change is None:
            continue
        folder = f"cases/{case.case_id}"
        bodies.append((f"{folder}/diff.patch", change))
        if snapshot_of is not None and blob_of is not None:
            for side, name in ((Side.OLD, "base"), (Side.NEW, "head")):
                bodies += _snapshot(ledger, case, f"{folder}/{name}", snapshot_of(case.case_id, side), blob_of)
        listed.append(
            {
                "case_id": case.case_id,
                "repository": case.repository,
                "language": case.language,
                "language_versions": case.language_versions,
                "build": case.build,
                "context_allowed": case.context_allowed,
                "licence": case.licence,
                "changed_files": len(case.files),
            }
        )
    ledger.files.append(("cases.json", json_bytes(listed)))
    ledger.files += bodies
    return ledger.finish(len(listed), None)


def _change(ledger: Ledger, case: ManifestCase, patch_of: PatchSource) -> bytes | None:
    patch = patch_of(case.case_id)
    if patch is None:
        ledger.lose("left out: the bytes of its patch were withdrawn", case)
        return None
    try:
        return change_only(patch)
    except PatchRefused as error:
        ledger.lose(f"left out: its patch cannot be read (line {error.patch_line})", case)
        return None


def _snapshot(
    ledger: Ledger, case: ManifestCase, folder: str, entries: Iterable[SnapshotEntry] | None, blob_of: BlobSource
) -> list[tuple[str, bytes]]:
    if entries is None:
        ledger.lose(f"has no {folder.rpartition('/')[2]} tree", case)
        return []
    found = []
    for entry in sorted(entries, key=lambda entry: entry.path):
        shown = escape_bytes(entry.path)
        name = _safe_name(entry.path)
        data = blob_of(entry.blob_sha256) if entry.mode in REGULAR_MODES and name is not None else None
        if entry.mode not in REGULAR_MODES:
            ledger.lose(f"{shown}: not written, it is a link or a submodule", case)
        elif name is None:
            ledger.lose(f"{shown}: not written, its name is unsafe or not UTF-8", case)
        elif data is None:
            ledger.lose(f"{shown}: not written, its bytes were withdrawn", case)
        else:
            found.append((f"{folder}/{name}", data))
    return found


def _safe_name(path: bytes) -> str | None:
    """Return the path as text where it stays below its folder on every system, else None."""
    try:
        check_path(path)
        text = path.decode("utf-8")
    except (PathRefused, UnicodeDecodeError):
        return None
    return None if any(ord(letter) < 32 or letter in '\\:*?"<>|\x7f' for letter in text) else text
