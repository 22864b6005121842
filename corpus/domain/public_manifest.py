"""The public form of a manifest: cases that may be published, the rest as salted digests.

Withheld are the cases of the holdout and private ones. Each is stated by an HMAC of its digest under the
`content_sha256` of the whole manifest, which nobody learns who has not got that: a guess at a case cannot be tried, two
versions cannot be joined by a case, and whoever holds the whole manifest can show later that a case was in it.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from corpus.domain.canonical_json import CanonicalError, dump_canonical, load_canonical
from corpus.domain.exports.frame import PUBLIC_SPLITS, Selection
from corpus.domain.manifest import Problem, case_digest, count, digest, ordered_cases
from corpus.domain.manifest_records import (
    DocumentVersion,
    GateState,
    Manifest,
    ManifestCase,
    ManifestCounts,
    ManifestParent,
    SeverityPolicy,
    Taxonomy,
    check_digest,
)
from corpus.domain.records import RecordError, from_plain, to_plain

FORMAT = "touchstone-public-manifest"
FORMAT_VERSION = 1
_UNSEALED = "0" * 64


@dataclass(frozen=True, kw_only=True)
class PublicGate:
    """How a gate stood. Its detail and the words of a waiver may speak of what is withheld, and stay behind."""

    key: str
    state: GateState


@dataclass(frozen=True, kw_only=True)
class PublicManifest:
    """What may be published of a frozen version. `counts` are those of `cases` alone."""

    format: str
    format_version: int
    project: str
    version: str
    # The published digest of the whole manifest.
    manifest_sha256: str
    parent: ManifestParent | None
    severity_policy: SeverityPolicy
    taxonomy: Taxonomy
    guidelines: DocumentVersion
    contract: DocumentVersion
    gates: tuple[PublicGate, ...]
    cases: tuple[ManifestCase, ...]
    withheld: tuple[str, ...]
    counts: ManifestCounts
    content_sha256: str

    def __post_init__(self) -> None:
        check_digest("manifest_sha256", self.manifest_sha256)
        check_digest("content_sha256", self.content_sha256)
        for each in self.withheld:
            check_digest("withheld", each)


def build_public_manifest(manifest: Manifest, manifest_digest: str) -> bytes:
    """Return the public form of `manifest`, whose published digest is `manifest_digest`, as canonical bytes."""
    cases = tuple(Selection(PUBLIC_SPLITS, with_private=False).cases(manifest))
    shown = {case.case_id for case in cases}
    public = PublicManifest(
        format=FORMAT,
        format_version=FORMAT_VERSION,
        project=manifest.project,
        version=manifest.version,
        manifest_sha256=manifest_digest,
        parent=manifest.parent,
        severity_policy=manifest.severity_policy,
        taxonomy=manifest.taxonomy,
        guidelines=manifest.guidelines,
        contract=manifest.contract,
        gates=tuple(PublicGate(key=gate.key, state=gate.state) for gate in manifest.gates),
        cases=cases,
        withheld=tuple(sorted(salted(manifest, case) for case in manifest.cases if case.case_id not in shown)),
        counts=count(cases),
        content_sha256=_UNSEALED,
    )
    return dump_canonical(to_plain(replace(public, content_sha256=_content_digest(public))))


def salted(manifest: Manifest, case: ManifestCase) -> str:
    """Return what the public form states of a withheld case."""
    key = bytes.fromhex(manifest.content_sha256)
    return hmac.new(key, bytes.fromhex(case.sha256), hashlib.sha256).hexdigest()


def is_public(data: bytes) -> bool:
    """Say whether the bytes claim to be a public manifest, before anything else of them is looked at."""
    return f'"format":"{FORMAT}"'.encode() in data


def inspect_public_manifest(
    data: bytes, expected_digest: str | None = None, whole: tuple[Manifest, str] | None = None
) -> tuple[PublicManifest | None, list[Problem]]:
    """Return the public manifest, where `data` can be read as one, with everything that is wrong with it.

    With the `whole` manifest and its digest, that it is the public form of just that one is checked too.
    """
    problems = []
    if expected_digest is not None and expected_digest.lower() != digest(data):
        problems.append(Problem("digest", f"the file has {digest(data)}, expected was {expected_digest.lower()}"))
    try:
        public = from_plain(PublicManifest, _plain(data))
    except CanonicalError as error:
        return None, [*problems, Problem(error.place, error.reason)]
    except RecordError as error:
        place, _, reason = str(error).partition(": ")
        return None, [*problems, Problem(place, reason)]
    problems += _wrong(public)
    if whole is not None and data != build_public_manifest(*whole):
        problems.append(Problem("whole manifest", f"this is not the public form of version {whole[0].version} given"))
    return public, problems


def _plain(data: bytes) -> Any:
    plain = load_canonical(data)
    if not isinstance(plain, dict) or plain.get("format") != FORMAT or plain.get("format_version") != FORMAT_VERSION:
        raise RecordError(f"format: the document does not say that it is a {FORMAT} of version {FORMAT_VERSION}")
    return plain


def _wrong(public: PublicManifest) -> Iterator[Problem]:
    for index, case in enumerate(public.cases):
        if case.sha256 != case_digest(case):
            yield Problem(f"cases[{index}] ({case.case_id})", "the case is not what its sha256 says")
    if public.content_sha256 != _content_digest(public):
        yield Problem("content_sha256", "the document is not what its content_sha256 says")
    if public.counts != count(public.cases):
        yield Problem("counts", "the counts are not those of the cases")
    if public.cases != ordered_cases(public.cases) or public.withheld != tuple(sorted(set(public.withheld))):
        yield Problem("cases", "the lists of the document are not in their fixed order")
    for index, case in enumerate(public.cases):
        if case.split not in PUBLIC_SPLITS or case.private == "yes":
            yield Problem(f"cases[{index}] ({case.case_id})", "a case that is withheld stands among the published ones")


def _content_digest(public: PublicManifest) -> str:
    plain = to_plain(public)
    del plain["content_sha256"]
    return digest(dump_canonical(plain))
