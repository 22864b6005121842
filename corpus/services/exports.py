"""What leaves a frozen version: its manifest as it was stored, and the formats that are cut from it.

Everything comes from stored bytes: the manifest, patches and blobs. Who took what is recorded (B2) and audited.
"""

from __future__ import annotations

import hashlib
import io
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import IO

from django.db import transaction

from corpus.domain.exports.aacr import export_aacr
from corpus.domain.exports.archive import write_zip
from corpus.domain.exports.bc_bench import export_bc_bench
from corpus.domain.exports.evaluators import export_deepeval, export_inspect, export_promptfoo
from corpus.domain.exports.expected_findings import export_expected_findings
from corpus.domain.exports.fixtures import export_fixtures
from corpus.domain.exports.frame import PUBLIC_SPLITS, Export, Selection
from corpus.domain.exports.inputs_bundle import SnapshotEntry, export_inputs_bundle
from corpus.domain.exports.keyword_dataset import export_keyword_dataset
from corpus.domain.exports.martian import export_martian
from corpus.domain.exports.public import export_public_manifest
from corpus.domain.exports.tables import export_croissant, export_huggingface
from corpus.domain.exports.variants import export_variants
from corpus.domain.limits import MIB, in_words
from corpus.domain.manifest import ManifestError, digest, parse_manifest
from corpus.domain.vocabulary import Channel, ExposureKind, Side, Split
from corpus.models import Blob, Case, CaseFile, CorpusVersion, User
from corpus.selectors.trees import list_tree
from corpus.services import audit
from corpus.services.exposures import record_exposure

MANIFEST, FIXTURES, DATASET, EXPECTED, INPUTS = "manifest", "fixtures", "dataset", "expected", "inputs"
PUBLIC, VARIANTS, MARTIAN, BC_BENCH, AACR = "public-manifest", "variants", "martian", "bc-bench", "aacr"
PROMPTFOO, INSPECT, DEEPEVAL = "promptfoo", "inspect", "deepeval"
HUGGINGFACE, CROISSANT = "huggingface", "croissant"
LABELS = {
    MANIFEST: "Manifest: the whole truth of this version, to verify and score offline",
    PUBLIC: "Public manifest: holdout and private cases as salted digests alone",
    FIXTURES: "Fixtures folder: a patch and its known bugs for each case",
    DATASET: "Keyword dataset: the keywords of each defect",
    EXPECTED: "Expected findings: file, line, category and severity",
    INPUTS: "Inputs bundle: changes and snapshots, without any truth",
    VARIANTS: "Variants: the code of four-variant families, with fault lines",
    MARTIAN: "Martian: golden comments by repository",
    BC_BENCH: "BC-Bench: changes with expected and ignored comments",
    AACR: "AACR-Bench: positive and negative samples",
    PROMPTFOO: "promptfoo: tests with a scorer",
    INSPECT: "Inspect: a dataset with changes as input",
    DEEPEVAL: "DeepEval: goldens",
    HUGGINGFACE: "Hugging Face: tables with a dataset card",
    CROISSANT: "Croissant: the same tables, described",
}
FROM_MANIFEST = {DATASET: export_keyword_dataset, EXPECTED: export_expected_findings, MARTIAN: export_martian}
FROM_CHANGES = {
    FIXTURES: export_fixtures,
    BC_BENCH: export_bc_bench,
    AACR: export_aacr,
    PROMPTFOO: export_promptfoo,
    INSPECT: export_inspect,
    DEEPEVAL: export_deepeval,
    HUGGINGFACE: export_huggingface,
}
# Small enough to be made while a page is looked at; the others when somebody asks for them.
QUICK = frozenset({PUBLIC, FIXTURES, DATASET, EXPECTED})
MANIFEST_FILE = "manifest.json"
# The files of an export are made in memory, each content once; a larger one has to leave by command.
DOWNLOAD_LIMIT = 256 * MIB
COMMAND_LIMIT = 4096 * MIB
BLOBS_AT_ONCE = 200
# A zip of more bytes is written to disk.
IN_MEMORY = 8 * MIB


class VersionDamaged(Exception):
    """The stored bytes are not those that were frozen; nothing leaves. The message is one sentence."""


class ExportTooLarge(Exception):
    """The export is larger than the limit of its way out; the message is one sentence with the remedy."""


@dataclass(frozen=True)
class ExportChoice:
    """What leaves: a format, and of which splits. Holdout has to be named; a manifest leaves whole."""

    format: str
    splits: frozenset[Split] = PUBLIC_SPLITS
    with_private: bool = True
    limit: int = DOWNLOAD_LIMIT


@dataclass(frozen=True)
class Packed:
    """An export as one zip: in memory while it is small, else in an unnamed file that is gone once it is closed."""

    file: IO[bytes]
    size: int
    sha256: str


def pack(export: Export, folder: str) -> Packed:
    """Write an export as a zip whose bytes are the same every time, ready to be read from its start."""
    is_small = sum(len(data) for _, data in export.files) < IN_MEMORY
    file: IO[bytes] = io.BytesIO() if is_small else tempfile.TemporaryFile()  # noqa: SIM115 - its sender closes it
    write_zip(export, folder, file)
    size = file.tell()
    file.seek(0)
    sha256 = hashlib.sha256()
    while piece := file.read(MIB):
        sha256.update(piece)
    file.seek(0)
    return Packed(file, size, sha256.hexdigest())


def manifest_bytes(version: CorpusVersion) -> bytes:
    """Return the manifest as it was stored at the freeze. Raises VersionDamaged if it is not the same any more."""
    data = bytes(version.manifest)
    if digest(data) != version.manifest_sha256:
        raise VersionDamaged(
            f"The stored bytes of version {version.number} are not those that were frozen; nothing leaves. "
            "Restore them from a backup."
        )
    return data


def make_export(*, version: CorpusVersion, choice: ExportChoice) -> Export:
    """Return the files of an export, the same for the same version and choice.

    Raises VersionDamaged or ExportTooLarge.
    """
    data = manifest_bytes(version)
    if choice.format == MANIFEST:
        return Export(((MANIFEST_FILE, data),), ())
    try:
        manifest = parse_manifest(data)
    except ManifestError as error:
        raise VersionDamaged(f"The manifest of version {version.number} cannot be read: {error}.") from error
    sha256, selection = version.manifest_sha256, Selection(choice.splits, choice.with_private)
    if choice.format == PUBLIC:
        return export_public_manifest(manifest, sha256)
    if choice.format in FROM_MANIFEST:
        return FROM_MANIFEST[choice.format](manifest, sha256, selection)
    stored = StoredBytes(version, choice.limit)
    if choice.format in FROM_CHANGES:
        return FROM_CHANGES[choice.format](manifest, sha256, stored.patch, selection)
    if choice.format == INPUTS:
        return export_inputs_bundle(
            manifest, sha256, stored.patch, selection, snapshot_of=stored.snapshot, blob_of=stored.blob
        )
    if choice.format == VARIANTS:
        return export_variants(manifest, sha256, stored.file, selection)
    if choice.format == CROISSANT:
        published = version.frozen_at.date().isoformat()
        return export_croissant(manifest, sha256, stored.patch, selection, published=published)
    raise ValueError(f"no export format {choice.format!r}")


class StoredBytes:
    """Patches, trees and blobs of a version's cases. A content that several cases use is held, and read, once."""

    def __init__(self, version: CorpusVersion, limit: int) -> None:
        rows = Case.objects.filter(version_cases__version=version).select_related("base_tree", "head_tree")
        self._cases = {case.public_id: case for case in rows}
        self._limit = limit
        self._taken = 0
        self._held: dict[str, bytes] = {}
        self._read: set[int] = set()

    def patch(self, case_id: str) -> bytes | None:
        """Return the bytes of a case's patch as received, or None where they were withdrawn."""
        patch_id = self._cases[case_id].patch_id
        assert patch_id is not None, "a case without a change cannot have been frozen"
        row = Blob.objects.get(pk=patch_id)
        self._take(row.size)
        return None if row.withdrawn_at is not None else bytes(row.data)

    def snapshot(self, case_id: str, side: Side) -> Iterable[SnapshotEntry] | None:
        """Return the files of one tree of a case, or None where it has no snapshot."""
        case = self._cases[case_id]
        tree = case.base_tree if side is Side.OLD else case.head_tree
        if tree is None:
            return None
        files = list_tree(tree)
        self._take(sum(file.size for file in files))
        self._hold({file.blob_id for file in files if file.blob_id is not None})
        return [SnapshotEntry(file.path, file.mode, file.blob_sha256) for file in files]

    def file(self, case_id: str, sha256: str) -> bytes | None:
        """Return the bytes of one file of a case's new side, or None where they were withdrawn."""
        row = Blob.objects.filter(sha256=sha256, withdrawn_at__isnull=True).first()
        if row is None or not CaseFile.objects.filter(case=self._cases[case_id], new_blob=row).exists():
            return None
        self._take(row.size)
        return bytes(row.data)

    def blob(self, sha256: str) -> bytes | None:
        """Return bytes of a snapshot that was asked for, or None where they were withdrawn."""
        return self._held.get(sha256)

    def _hold(self, keys: set[int]) -> None:
        wanted = sorted(keys - self._read)
        self._read |= keys
        for at in range(0, len(wanted), BLOBS_AT_ONCE):
            rows = Blob.objects.filter(pk__in=wanted[at : at + BLOBS_AT_ONCE], withdrawn_at__isnull=True)
            for sha256, data in rows.values_list("sha256", "data"):
                self._held[sha256] = bytes(data)

    def _take(self, size: int) -> None:
        self._taken += size
        if self._taken > self._limit:
            raise ExportTooLarge(
                f"The export is larger than {in_words(self._limit)}. Take fewer splits, or write it to a folder with "
                "the command touchstone export."
            )


@transaction.atomic
def record_leaving(
    *, version: CorpusVersion, choice: ExportChoice, export: Export, user: User | None, channel: Channel
) -> None:
    """Note who took what: an exposure for each case that left, and one audit entry.

    Inputs tell no truth, but facts of a case that are hidden from its reviewers (B6). Somebody at a shell who gave no
    name leaves an audit entry alone.
    """
    cases = Case.objects.filter(version_cases__version=version)
    if choice.format == PUBLIC:
        # Whatever was chosen: nothing but what is public is in it.
        choice = replace(choice, splits=PUBLIC_SPLITS, with_private=False)
    if choice.format != MANIFEST:
        cases = cases.filter(version_cases__version=version, version_cases__split__in=choice.splits).distinct()
        if not choice.with_private:
            cases = cases.filter(is_private=False)
    kind = ExposureKind.HIDDEN_FIELDS if choice.format == INPUTS else ExposureKind.GOLDEN_FINDING
    if user is not None:
        record_exposure(user=user, cases=cases, kind=kind, channel=channel)
    splits = "" if choice.format == MANIFEST else f" of {', '.join(sorted(choice.splits))}"
    audit.record(
        actor=user,
        verb="version exported",
        subject=f"version {version.public_id}",
        project=version.project,
        after=f"{version.number} as {choice.format}{splits}, {len(export.files)} files, by {channel}",
    )
