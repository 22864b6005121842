"""Members, invitations, the texts of a project and its audit trail."""

from __future__ import annotations

from typing import Any

from tests.routes.rows import BOTH, LEAD, MEMBERS, READ, UNKNOWN_ID, WRITE, Foreign, Own, Row, row


def members() -> tuple[Own, Foreign]:
    """A member; people of other projects are foreign."""
    return (
        lambda world, actor: {"person_id": world.reviewer().public_id},
        lambda world, actor: [{"person_id": world.reviewer(False).public_id}, {"person_id": UNKNOWN_ID}],
    )


def invitations() -> tuple[Own, Foreign]:
    """An invitation of the project."""
    return (
        lambda world, actor: {"invitation_id": world.invitation("new@example.org").public_id},
        lambda world, actor: [{"invitation_id": world.invitation("new@example.org", at_home=False).public_id}],
    )


def texts(**more: Any) -> tuple[Own, Foreign]:
    """A kind of text; there is no foreign one, but unknown ones."""
    return (
        lambda world, actor: {"kind": "guidelines", **more},
        lambda world, actor: [{"kind": "unheard-of", **more}],
    )


ROWS: dict[str, Row] = {
    "project_home": row(MEMBERS, READ),
    "member_list": row(LEAD, READ),
    "member_export": row(LEAD, READ),
    "member_page": row(LEAD, BOTH, members()),
    "member_role": row(LEAD, WRITE, members()),
    "invitation_new": row(LEAD, BOTH),
    "invitation_revoke": row(LEAD, WRITE, invitations()),
    "guidelines": row(MEMBERS, READ),
    "guidelines_preview": row(LEAD, WRITE),
    "project_settings": row(LEAD, READ),
    "project_edit": row(LEAD, BOTH),
    "project_archive": row(LEAD, BOTH),
    "audit_trail": row(LEAD, READ),
    "audit_trail_csv": row(LEAD, READ),
    "text_edit": row(LEAD, BOTH, texts()),
    "text_history": row(LEAD, READ, texts()),
    "text_version": row(LEAD, READ, texts(number=1)),
}
