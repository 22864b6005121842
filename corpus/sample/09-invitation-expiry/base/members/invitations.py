"""Invite people by link."""

import secrets
from dataclasses import dataclass


class InvitationError(Exception):
    """The invitation cannot be used; the message may be shown."""


@dataclass(frozen=True)
class Invitation:
    token: str
    inviter: str
    address: str


class Invitations:
    def __init__(self) -> None:
        self._open: dict[str, Invitation] = {}

    def invite(self, inviter: str, address: str) -> Invitation:
        invitation = Invitation(secrets.token_urlsafe(24), inviter, address.strip().lower())
        self._open[invitation.token] = invitation
        return invitation

    def accept(self, token: str) -> Invitation:
        """Use up the invitation."""
        try:
            return self._open.pop(token)
        except KeyError:
            raise InvitationError("This invitation was used or never existed.") from None
