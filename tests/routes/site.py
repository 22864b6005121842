"""Pages outside any project."""

from __future__ import annotations

from corpus.domain.vocabulary import Role
from corpus.services.invitations import proof_of
from corpus.services.projects import archive_project
from tests.route_world import Actor, RouteWorld
from tests.routes.rows import BOTH, READ, UNKNOWN_ID, WRITE, Params, SiteRow


def everybody(actor: Actor) -> bool:
    """Whoever is signed in."""
    return True


def administers(actor: Actor) -> bool:
    """Administrators of accounts."""
    return actor.user is not None and actor.user.is_superuser


def leads_somewhere(actor: Actor) -> bool:
    """Leads of any project."""
    return Role.LEAD in actor.at_home | actor.elsewhere


def archived(world: RouteWorld, actor: Actor) -> Params:
    """The project at home, archived."""
    archive_project(project=world.home, actor=world.lead())
    return {"slug": world.home.slug}


def proven(secret: str) -> Params:
    """The link that is mailed to the invited address alone."""
    return {"secret": secret, "proof": proof_of(secret)}


ROWS: dict[str, SiteRow] = {
    "home": SiteRow(READ, everybody),
    "health": SiteRow(READ, everybody, is_open=True),
    "me": SiteRow(BOTH, everybody),
    "preferences": SiteRow(WRITE, everybody),
    "invitation_accept": SiteRow(
        BOTH,
        everybody,
        lambda world, actor: {"secret": world.secrets[world.invitation("new@example.org").public_id]},
        lambda world, actor: [{"secret": "0" * 64}, {"secret": world.invitation("x@example.org").secret_sha256}],
        is_open=True,
    ),
    "invitation_newcomer": SiteRow(
        BOTH,
        everybody,
        lambda world, actor: proven(world.secrets[world.invitation("new@example.org").public_id]),
        lambda world, actor: [
            proven("0" * 64),
            {"secret": world.secrets[world.invitation("x@example.org").public_id], "proof": "0" * 32},
        ],
        is_open=True,
    ),
    "account_list": SiteRow(READ, administers),
    "account_lead": SiteRow(WRITE, administers),
    "account_state": SiteRow(
        WRITE,
        administers,
        lambda world, actor: {"person_id": world.spare.public_id},
        lambda world, actor: [{"person_id": UNKNOWN_ID}],
    ),
    "project_new": SiteRow(BOTH, lambda actor: administers(actor) or leads_somewhere(actor)),
    "project_restore": SiteRow(
        WRITE,
        lambda actor: Role.LEAD in actor.at_home,
        archived,
        lambda world, actor: [{"slug": "unheard-of"}, {"slug": world.other.slug}],
    ),
}
