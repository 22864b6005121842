"""Frozen versions for programs: the list, the facts of one, and what it can be downloaded as."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime
from typing import IO, Any

from django.http import Http404, HttpRequest, HttpResponseBase
from ninja import Query, Router, Schema
from pydantic import Field

from config.api.faults import Fault, Refused
from config.api.tokens import holder_with, token_of
from corpus.domain.exports.frame import PUBLIC_SPLITS, Export
from corpus.domain.records import to_plain
from corpus.domain.version_compare import comparison_plain
from corpus.domain.vocabulary import Channel, Split, TokenScope
from corpus.models import ApiToken, CorpusVersion
from corpus.selectors.versions import facts_of, listed_versions
from corpus.services.comparisons import compare_frozen, record_compared
from corpus.services.exports import (
    LABELS,
    MANIFEST,
    ExportChoice,
    ExportTooLarge,
    VersionDamaged,
    make_export,
    manifest_bytes,
    pack,
    record_leaving,
)
from corpus.views.downloads import attachment

PAGE = 100
router = Router(tags=["versions"])
FAULTS = dict.fromkeys((401, 403, 404, 422, 429), Fault)


class Paging(Schema):
    """Which part of a list is asked for."""

    limit: int = Field(PAGE, ge=1, le=PAGE)
    offset: int = Field(0, ge=0, le=1_000_000)


class TokenFacts(Schema):
    """What the token of the request is."""

    project: str
    scopes: list[str]
    expires_at: datetime


class VersionLine(Schema):
    """A frozen version in a list."""

    number: str
    sha256: str
    parent: str | None
    frozen_at: datetime
    cases: int
    findings: int
    waived_gates: int


class VersionPage(Schema):
    """Versions from `offset` on, newest first, and how many there are."""

    total: int
    offset: int
    versions: list[VersionLine]


class GateFacts(Schema):
    """How one gate stood at the freeze."""

    key: str
    title: str
    state: str
    detail: str
    waiver_reason: str | None


class SignatureFacts(Schema):
    """The signature over the manifest that was made at the freeze."""

    algorithm: str
    public_key: str
    signature: str


class VersionFacts(Schema):
    """A frozen version. `problems` say what is wrong with its stored bytes; of unreadable ones `counts` is null."""

    number: str
    sha256: str
    size: int
    parent: str | None
    parent_sha256: str | None
    note: str
    frozen_at: datetime
    frozen_by: str
    problems: list[str]
    counts: dict[str, Any] | None
    gates: list[GateFacts]
    signature: SignatureFacts | None
    formats: list[str]


@router.get("/token", response={200: TokenFacts, 401: Fault, 429: Fault}, url_name="api_token", summary="The token")
def read_token(request: HttpRequest) -> dict[str, Any]:
    """Say what the token of the request opens."""
    token = token_of(request)
    return {
        "project": token.project.slug,
        "scopes": sorted(row.scope for row in token.scopes.all()),
        "expires_at": token.expires_at,
    }


@router.get("/versions", response={200: VersionPage, **FAULTS}, url_name="api_versions", summary="List versions")
def list_versions(request: HttpRequest, paging: Query[Paging]) -> dict[str, Any]:
    """List the versions that the token's person may see, newest first."""
    token = holder_with(request, TokenScope.READ_VERSIONS)
    found = listed_versions(token.created_by, token.project)
    return {
        "total": found.count(),
        "offset": paging.offset,
        "versions": [
            {
                "number": version.number,
                "sha256": version.manifest_sha256,
                "parent": version.parent.number if version.parent else None,
                "frozen_at": version.frozen_at,
                "cases": version.case_count,  # type: ignore[attr-defined]
                "findings": version.finding_count,  # type: ignore[attr-defined]
                "waived_gates": version.waived_count,  # type: ignore[attr-defined]
            }
            for version in found[paging.offset : paging.offset + paging.limit]
        ],
    }


@router.get(
    "/versions/{number}", response={200: VersionFacts, **FAULTS}, url_name="api_version", summary="Facts of a version"
)
def read_version(request: HttpRequest, number: str) -> dict[str, Any]:
    """Give digest, counts and gates of one version."""
    version = version_for(holder_with(request, TokenScope.READ_VERSIONS), number)
    facts = facts_of(version)
    return {
        "number": version.number,
        "sha256": version.manifest_sha256,
        "size": facts.size,
        "parent": version.parent.number if version.parent else None,
        "parent_sha256": version.parent.manifest_sha256 if version.parent else None,
        "note": version.note,
        "frozen_at": version.frozen_at,
        "frozen_by": version.frozen_by.name,
        "problems": list(facts.problems),
        "counts": None if facts.counts is None else to_plain(facts.counts),
        "gates": [
            {
                "key": gate.key,
                "title": gate.title,
                "state": "passed" if gate.has_passed else "waived",
                "detail": gate.detail,
                "waiver_reason": gate.waiver_reason or None,
            }
            for gate in facts.gates
        ],
        "signature": None if facts.signature is None else asdict(facts.signature),
        "formats": list(LABELS),
    }


@router.get(
    "/versions/{number}/compare/{other}",
    response={200: dict[str, Any], **FAULTS, 409: Fault},
    url_name="api_compare",
    summary="Compare two versions",
)
def read_comparison(request: HttpRequest, number: str, other: str) -> dict[str, Any]:
    """Give what leads from `number` to `other`, as `touchstone diff-versions` prints it."""
    token = holder_with(request, TokenScope.EXPORT_VERSIONS)
    before, after = version_for(token, number), version_for(token, other)
    try:
        comparison = compare_frozen(before, after)
    except VersionDamaged as damaged:
        raise Refused(409, str(damaged)) from damaged
    record_compared(comparison=comparison, version=after, user=token.created_by, channel=Channel.TOKEN)
    return comparison_plain(comparison)


@router.get(
    "/versions/{number}/manifest",
    response={**FAULTS, 409: Fault},
    url_name="api_manifest",
    summary="Download the manifest",
    openapi_extra={"responses": {200: {"description": "The manifest", "content": {"application/json": {}}}}},
)
def read_manifest(request: HttpRequest, number: str) -> HttpResponseBase:
    """Send the manifest byte for byte as it was frozen, under its digest as entity tag."""
    token = holder_with(request, TokenScope.EXPORT_VERSIONS)
    version = version_for(token, number)
    try:
        data = manifest_bytes(version)
    except VersionDamaged as damaged:
        raise Refused(409, str(damaged)) from damaged
    choice, export = ExportChoice(format=MANIFEST), Export(((MANIFEST, data),), ())
    return _sent(request, token, version, choice, export, data, version.manifest_sha256)


class Splits(Schema):
    """Which splits leave; without any the public ones."""

    split: list[Split] = Field(default_factory=lambda: sorted(PUBLIC_SPLITS))


@router.get(
    "/versions/{number}/exports/{format_name}",
    response={**FAULTS, 409: Fault},
    url_name="api_export",
    summary="Download another format",
    openapi_extra={"responses": {200: {"description": "A zip", "content": {"application/zip": {}}}}},
)
def read_export(request: HttpRequest, number: str, format_name: str, chosen: Query[Splits]) -> HttpResponseBase:
    """Send one of the other formats as a zip that is the same every time; holdout leaves only when it is named."""
    token = holder_with(request, TokenScope.EXPORT_VERSIONS)
    version = version_for(token, number)
    if format_name not in LABELS or format_name == MANIFEST:
        raise Http404
    choice = ExportChoice(format=format_name, splits=frozenset(chosen.split) or PUBLIC_SPLITS)
    try:
        export = make_export(version=version, choice=choice)
    except (VersionDamaged, ExportTooLarge) as refused:
        raise Refused(409, str(refused)) from refused
    packed = pack(export, f"{token.project.slug}-{version.number}-{format_name}")
    return _sent(request, token, version, choice, export, packed.file, packed.sha256)


def version_for(token: ApiToken, number: str) -> CorpusVersion:
    """Return a version that the token's person may see now, or raise Http404."""
    found = (
        CorpusVersion.objects.visible_to(token.created_by)
        .filter(project=token.project, number=number)
        .defer("parent__manifest")
        .select_related("frozen_by", "parent", "project")
        .first()
    )
    if found is None:
        raise Http404
    return found


def _sent(
    request: HttpRequest,
    token: ApiToken,
    version: CorpusVersion,
    choice: ExportChoice,
    export: Export,
    content: bytes | IO[bytes],
    sha256: str,
) -> HttpResponseBase:
    """Answer with what leaves and note that it did; who has it already gets 304, and nothing is noted."""
    kind, ending = ("application/json", "json") if choice.format == MANIFEST else ("application/zip", "zip")
    format_part = "" if choice.format == MANIFEST else f"-{choice.format}"
    answer = attachment(
        request,
        content,
        kind=kind,
        name=f"{token.project.slug}-{version.number}{format_part}.{ending}",
        sha256=sha256,
        # A program may keep what it fetched, and asks each time whether it still may have it.
        headers={"Cache-Control": "private, no-cache", "Vary": "Authorization"},
    )
    if answer.status_code != 304:
        record_leaving(version=version, choice=choice, export=export, user=token.created_by, channel=Channel.TOKEN)
    return answer
