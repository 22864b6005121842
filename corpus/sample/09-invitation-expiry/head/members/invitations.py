"""Invite people by link."""

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from .roles import may_invite

VALID_FOR = timedelta(days=7)


class InvitationError(Exception):
    """The invitation cannot be used; the message may be shown."""


class InvitationExpired(InvitationError):
    """The invitation was not used in time."""

    def __init__(self, invitation: "Invitation") -> None:
        super().__init__(f"This invitation expired on {invitation.expires:%d.%m.%Y}.")
        self.invitation = invitation


@dataclass(frozen=True)
class Invitation:
    token: str
    inviter: str
    address: str
    expires: datetime

    def is_expired(self, now: datetime) -> bool:
        return now >= self.expires


class Invitations:
    def __init__(self, clock: Callable[[], datetime]) -> None:
        self.clock = clock
        self._open: dict[str, Invitation] = {}

    def invite(self, inviter: str, role: str, address: str) -> Invitation:
        """Open an invitation; raises InvitationError when the role's limit is reached."""
        if not may_invite(role, len(self.open_of(inviter))):
            raise InvitationError("You have no invitations left.")
        invitation = Invitation(
            secrets.token_urlsafe(24), inviter, address.strip().lower(), self.clock() + VALID_FOR
        )
        self._open[invitation.token] = invitation
        return invitation

    def open_of(self, inviter: str) -> list[Invitation]:
        """Invitations of the person that can still be accepted, the one that expires first in front."""
        now = self.clock()
        found = [i for i in self._open.values() if i.inviter == inviter and not i.is_expired(now)]
        return sorted(found, key=lambda invitation: (invitation.expires, invitation.token))

    def get(self, token: str) -> Invitation | None:
        return self._open.get(token)

    def accept(self, token: str) -> Invitation:
        """Use up the invitation."""
        invitation = self._open.pop(token, None)
        if invitation is None:
            raise InvitationError("This invitation was used or never existed.")
        if invitation.is_expired(self.clock()):
            raise InvitationExpired(invitation)
        return invitation

    def revoke(self, token: str, actor: str) -> None:
        """Take back an open invitation; only its inviter may."""
        invitation = self._open.get(token)
        if invitation is None or invitation.inviter != actor:
            raise InvitationError("You have no such invitation.")
        del self._open[token]
