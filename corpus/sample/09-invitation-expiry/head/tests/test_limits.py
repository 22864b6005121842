import unittest
from datetime import datetime

from members.invitations import VALID_FOR, InvitationError, Invitations
from members.roles import LIMITS, limit, may_invite

SMALL_ROLES = [role for role in LIMITS if 0 < limit(role) < 3]


class LimitsTest(unittest.TestCase):
    def setUp(self):
        self.now = datetime(2024, 5, 6, 9, 30)
        self.invitations = Invitations(lambda: self.now)

    def test_a_role_may_invite_up_to_its_limit(self):
        for role in SMALL_ROLES:
            for number in range(limit(role)):
                self.invitations.invite(role, role, f"{number}@example.org")
            with self.assertRaises(InvitationError):
                self.invitations.invite(role, role, "one-more@example.org")

    def test_expired_invitations_do_not_count(self):
        for number in range(limit("member")):
            self.invitations.invite("ada", "member", f"{number}@example.org")
        self.now += VALID_FOR
        self.assertEqual(self.invitations.open_of("ada"), [])
        self.invitations.invite("ada", "member", "later@example.org")

    def test_an_unknown_role_is_refused(self):
        with self.assertRaises(ValueError):
            may_invite("king", 0)
