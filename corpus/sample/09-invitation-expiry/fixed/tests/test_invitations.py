import unittest
from datetime import datetime, timedelta

from members.invitations import VALID_FOR, InvitationError, InvitationExpired, Invitations


class InvitationsTest(unittest.TestCase):
    def setUp(self):
        self.now = datetime(2024, 5, 6, 9, 30)
        self.invitations = Invitations(lambda: self.now)

    def invite(self, inviter="ada", role="member"):
        return self.invitations.invite(inviter, role, " Ben@Example.org")

    def test_an_invitation_is_accepted_once(self):
        invitation = self.invite()
        self.assertEqual(self.invitations.accept(invitation.token).address, "ben@example.org")
        with self.assertRaises(InvitationError):
            self.invitations.accept(invitation.token)

    def test_an_unknown_token_is_refused(self):
        with self.assertRaises(InvitationError):
            self.invitations.accept("nothing")

    def test_an_invitation_can_be_accepted_until_it_expires(self):
        invitation = self.invite()
        self.now += VALID_FOR - timedelta(seconds=1)
        self.assertEqual(self.invitations.accept(invitation.token), invitation)

    def test_an_expired_invitation_is_refused(self):
        invitation = self.invite()
        self.now += VALID_FOR
        with self.assertRaises(InvitationExpired) as caught:
            self.invitations.accept(invitation.token)
        self.assertEqual(caught.exception.invitation, invitation)
        self.assertIn("13.05.2024", str(caught.exception))

    def test_the_inviter_may_revoke(self):
        invitation = self.invite()
        self.invitations.revoke(invitation.token, "ada")
        self.assertIsNone(self.invitations.get(invitation.token))

    def test_nobody_else_may_revoke(self):
        invitation = self.invite()
        with self.assertRaises(InvitationError):
            self.invitations.revoke(invitation.token, "eve")
        self.assertEqual(self.invitations.get(invitation.token), invitation)
