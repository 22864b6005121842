"""Spoils one rule at a time and expects the case's own tests to notice."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from shutil import copytree

ROOT = Path(__file__).resolve().parents[1]


def own_tests_pass(path, before, after):
    with tempfile.TemporaryDirectory() as folder:
        for name in ("members", "tests"):
            copytree(ROOT / name, Path(folder) / name)
        target = Path(folder) / path
        text = target.read_text()
        assert before in text
        target.write_text(text.replace(before, after))
        command = [sys.executable, "-B", "-m", "unittest", "discover", "-s", "tests", "-t", "."]
        return subprocess.run(command, cwd=folder, capture_output=True).returncode == 0


class OracleTest(unittest.TestCase):
    def test_an_expiry_that_is_not_enforced_is_noticed(self):
        before = "if invitation.is_expired(self.clock()):\n            raise InvitationExpired(invitation)\n"
        self.assertFalse(own_tests_pass("members/invitations.py", before, "pass\n"))

    def test_a_limit_that_is_not_enforced_is_noticed(self):
        self.assertFalse(own_tests_pass("members/roles.py", "return still_open < limit(role)", "return limit(role) >= 0"))
