"""Who may do what in a workspace."""

from .store import Store
from .web import Refused


def require_member(store: Store, person: str, workspace: str) -> str:
    """The person's role, or a 404 so that strangers do not learn which workspaces exist."""
    role = store.role(workspace, person)
    if role is None:
        raise Refused(404, "no such workspace")
    return role


def require_editor(store: Store, person: str, workspace: str) -> None:
    if require_member(store, person, workspace) not in {"editor", "owner"}:
        raise Refused(403, "editors only")
