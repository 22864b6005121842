import json
import tempfile
import unittest
from pathlib import Path

from workspaces.service import build
from workspaces.store import Store
from workspaces.web import Request


class AttachmentsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.files = Path(folder.name)
        self.store = Store()
        self.addCleanup(self.store.close)
        self.store.add_member("north", "ada", "editor")
        self.store.add_member("north", "ben")
        self.router = build(self.store, self.files)

    def call(self, method, path, actor, body=b"", **headers):
        names = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.router.handle(Request(method, path, actor, headers=names, body=body))

    def upload(self, name="map.png", body=b"pixels", actor="ada"):
        return self.call("POST", "/workspaces/north/attachments", actor, body, X_File_Name=name)

    def test_an_uploaded_file_can_be_read_by_a_member(self):
        new_id = json.loads(self.upload().body)["id"]
        answer = self.call("GET", f"/workspaces/north/attachments/{new_id}", "ben")
        self.assertEqual((answer.status, answer.body), (200, b"pixels"))
        self.assertIn("map.png", answer.headers["Content-Disposition"])

    def test_strangers_find_nothing(self):
        new_id = json.loads(self.upload().body)["id"]
        for path in ("/workspaces/north/attachments", f"/workspaces/north/attachments/{new_id}"):
            self.assertEqual(self.call("GET", path, "eve").status, 404)

    def test_only_editors_upload_and_remove(self):
        new_id = json.loads(self.upload().body)["id"]
        self.assertEqual(self.upload("other.png", actor="ben").status, 403)
        self.assertEqual(self.call("DELETE", f"/workspaces/north/attachments/{new_id}", "ben").status, 403)

    def test_a_name_is_taken_once(self):
        self.upload()
        self.assertEqual(self.upload().status, 409)

    def test_a_removed_file_is_gone_from_disk(self):
        new_id = json.loads(self.upload().body)["id"]
        self.assertEqual(self.call("DELETE", f"/workspaces/north/attachments/{new_id}", "ada").status, 204)
        self.assertEqual(list((self.files / "north").iterdir()), [])

    def test_names_with_parent_folders_stay_inside(self):
        self.upload("../map.png")
        self.assertTrue((self.files / "north" / "map.png").exists())
