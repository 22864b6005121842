"""Blind sets of frozen versions: drawn, committed to, and recorded as having left."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from corpus.domain.blind_sets import commitment, seal
from corpus.domain.exports.blind import blind_candidates, export_blind_set
from corpus.domain.exports.frame import Export, Selection
from corpus.domain.manifest import ManifestError, parse_manifest
from corpus.domain.vocabulary import Channel, Split
from corpus.ids import new_secret
from corpus.models import CorpusVersion, User
from corpus.services.exports import (
    COMMAND_LIMIT,
    ExportChoice,
    StoredBytes,
    VersionDamaged,
    manifest_bytes,
    record_leaving,
)

FORMAT = "blind set"


@dataclass(frozen=True)
class BlindSet:
    """What was drawn, and the hash to publish before anybody judges."""

    export: Export
    commitment: str
    cases: int


def make_blind_set(
    *, version: CorpusVersion, splits: Collection[Split], seed: int | None, user: User | None, channel: Channel
) -> BlindSet:
    """Draw a blind set of the cases of `splits` and note that it left. A seed that is not given is drawn.

    Raises VersionDamaged or ExportTooLarge.
    """
    try:
        manifest = parse_manifest(manifest_bytes(version))
    except ManifestError as error:
        raise VersionDamaged(f"The manifest of version {version.number} cannot be read: {error}.") from error
    stored = StoredBytes(version, COMMAND_LIMIT)
    kept, left = blind_candidates(manifest, stored.patch, Selection(frozenset(splits)))
    drawn = int(new_secret()[:12], 16) if seed is None else seed
    sealed = seal(sorted(case.case_id for case in kept), seed=drawn, nonce=new_secret())
    export = export_blind_set(manifest, version.manifest_sha256, stored.patch, sealed, left)
    choice = ExportChoice(format=FORMAT, splits=frozenset(splits), limit=COMMAND_LIMIT)
    record_leaving(version=version, choice=choice, export=export, user=user, channel=channel)
    return BlindSet(export, commitment(sealed), len(sealed.case_ids))
