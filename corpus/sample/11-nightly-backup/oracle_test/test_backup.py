import os
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


class OracleTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.disk = self.root / "disk"
        self.disk.mkdir()
        (self.root / "commands").mkdir()

    def run_script(self, name):
        env = {
            "PATH": f"{self.root / 'commands'}:{os.environ['PATH']}",
            "DATABASES": "shop",
            "BACKUP_DIR": str(self.disk),
        }
        return subprocess.run(["bash", ROOT / "bin" / name], env=env, capture_output=True, text=True)

    def test_a_failed_dump_ends_with_a_status_and_leaves_no_dump(self):
        command = self.root / "commands" / "pg_dump"
        command.write_text("#!/bin/sh\necho 'CREATE TABLE half'\nexit 3\n")
        command.chmod(0o755)
        done = self.run_script("backup.sh")
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(list(self.disk.glob("*.sql.gz")), [])

    def test_seven_dumps_are_kept(self):
        for day in range(10, 20):
            (self.disk / f"shop-202405{day}.sql.gz").write_bytes(b"")
        done = self.run_script("prune.sh")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(list(self.disk.iterdir())), 7)
