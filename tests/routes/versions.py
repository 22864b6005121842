"""Versions, and the tokens that fetch them."""

from __future__ import annotations

from typing import Any

from corpus.domain.signatures import sign
from corpus.domain.vocabulary import Role
from corpus.models import CorpusVersion, VersionSignature
from tests.route_world import Actor, RouteWorld
from tests.routes.rows import ANALYSTS, BOTH, LEAD, READ, UNKNOWN_ID, WRITE, Foreign, Own, Params, Row, row


def versions(**more: Any) -> tuple[Own, Foreign]:
    """A frozen version; a number that only the other project has is foreign."""
    return (
        lambda world, actor: {"number": world.versions(True, 1)[0], **more},
        lambda world, actor: [{"number": world.versions(False, 2)[1], **more}, {"number": "9.9.9", **more}],
    )


def signed_versions() -> tuple[Own, Foreign]:
    """A version that was signed at its freeze; one that was not has no signature to show."""
    own, foreign = versions()

    def signed(world: RouteWorld, actor: Actor) -> Params:
        params = own(world, actor)
        version = CorpusVersion.objects.get(project=world.home, number=params["number"])
        made = sign(bytes(version.manifest), "11" * 32)
        VersionSignature.objects.get_or_create(
            version=version, defaults={"public_key": made.public_key, "signature": made.signature}
        )
        return params

    return signed, foreign


def version_pairs(**more: Any) -> tuple[Own, Foreign]:
    """Two frozen versions; a pair is foreign as soon as one of them is."""

    def pair(world: RouteWorld, actor: Actor) -> Params:
        first, second = world.versions(True, 2)
        return {"number": first, "other": second, **more}

    def foreign(world: RouteWorld, actor: Actor) -> list[Params]:
        own = world.versions(True, 1)[0]
        return [{"number": own, "other": "9.9.9", **more}, {"number": "9.9.9", "other": own, **more}]

    return pair, foreign


def tokens() -> tuple[Own, Foreign]:
    """A token of the person themselves; another's is foreign to all but leads, and another project's to everybody."""

    def foreign(world: RouteWorld, actor: Actor) -> list[Params]:
        found = [{"token_id": world.token(world.lead(False), at_home=False)}, {"token_id": UNKNOWN_ID}]
        if Role.LEAD not in actor.at_home:
            found.append({"token_id": world.token(world.lead())})
        return found

    return lambda world, actor: {"token_id": world.token(actor.user or world.lead())}, foreign


ROWS: dict[str, Row] = {
    "token_list": row(ANALYSTS, BOTH),
    "token_revoke": row(ANALYSTS, WRITE, tokens()),
    "version_list": row(ANALYSTS, READ),
    "version_list_csv": row(ANALYSTS, READ),
    "version_compare_choose": row(ANALYSTS, READ),
    "version_compare": row(ANALYSTS, READ, version_pairs()),
    "version_compare_as": row(ANALYSTS, READ, version_pairs(form="json")),
    "version_freeze": row(LEAD, BOTH),
    "version_page": row(ANALYSTS, READ, versions()),
    "version_manifest": row(ANALYSTS, READ, versions()),
    "version_signature": row(ANALYSTS, READ, signed_versions()),
    "version_export": row(ANALYSTS, READ, versions(format_name="dataset")),
    "version_export_facts": row(ANALYSTS, READ, versions(format_name="dataset")),
}
