import json
import tempfile
import unittest
from pathlib import Path

from workspaces.service import build
from workspaces.store import Store
from workspaces.web import Request


class OracleTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.files = self.root / "files"
        self.store = Store()
        self.addCleanup(self.store.close)
        self.store.add_member("north", "ada", "editor")
        self.store.add_member("south", "eve", "editor")
        self.router = build(self.store, self.files)

    def upload(self, workspace, actor, name, body=b"secret"):
        return self.router.handle(
            Request("POST", f"/workspaces/{workspace}/attachments", actor, headers={"X-File-Name": name}, body=body)
        )

    def test_a_member_of_one_workspace_cannot_read_a_file_of_another(self):
        new_id = json.loads(self.upload("north", "ada", "plan.txt").body)["id"]
        answer = self.router.handle(Request("GET", f"/workspaces/south/attachments/{new_id}", "eve"))
        self.assertEqual(answer.status, 404)

    def test_no_name_leads_out_of_the_workspace_folder(self):
        for number, name in enumerate(("....//....//out.txt", str(self.root / "absolute.txt"))):
            self.upload("south", "eve", name, b"%d" % number)
        outside = [path for path in self.root.rglob("*") if path.is_file() and self.files / "south" not in path.parents]
        self.assertEqual(outside, [])

    def test_a_limit_that_is_no_number_is_refused_with_a_sentence(self):
        answer = self.router.handle(Request("GET", "/workspaces/south/pages", "eve", {"limit": "many"}))
        self.assertEqual(answer.status, 400)
