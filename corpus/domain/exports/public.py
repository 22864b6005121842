"""The public manifest as an export: the one format that may be published whole."""

from __future__ import annotations

from corpus.domain.exports.frame import PUBLIC_SPLITS, Export, Ledger, Selection
from corpus.domain.manifest_records import Manifest
from corpus.domain.public_manifest import build_public_manifest

NAME = "public-manifest"


def export_public_manifest(manifest: Manifest, manifest_digest: str) -> Export:
    """Return `public-manifest.json`; which cases are withheld follows from the cases, not from a choice."""
    ledger = Ledger(manifest, manifest_digest, NAME)
    ledger.files.append(("public-manifest.json", build_public_manifest(manifest, manifest_digest)))
    cases = list(Selection(PUBLIC_SPLITS, with_private=False).cases(manifest))
    withheld = len(manifest.cases) - len(cases)
    if withheld:
        ledger.lose(f"{withheld} cases of the holdout or private ones are stated by a salted digest alone")
    return ledger.finish(len(cases), sum(len(case.findings) for case in cases))
