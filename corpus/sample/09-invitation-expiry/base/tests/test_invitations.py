import unittest

from members.invitations import InvitationError, Invitations


class InvitationsTest(unittest.TestCase):
    def setUp(self):
        self.invitations = Invitations()

    def test_an_invitation_is_accepted_once(self):
        invitation = self.invitations.invite("ada", " Ben@Example.org")
        self.assertEqual(self.invitations.accept(invitation.token).address, "ben@example.org")
        with self.assertRaises(InvitationError):
            self.invitations.accept(invitation.token)

    def test_an_unknown_token_is_refused(self):
        with self.assertRaises(InvitationError):
            self.invitations.accept("nothing")
