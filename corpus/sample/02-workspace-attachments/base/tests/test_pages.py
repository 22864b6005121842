import json
import unittest

from workspaces.service import build
from workspaces.store import Store
from workspaces.web import Request


class PagesTest(unittest.TestCase):
    def setUp(self):
        self.store = Store()
        self.addCleanup(self.store.close)
        self.store.add_member("north", "ada")
        self.page = self.store.add_page("north", "Plan", "Draw the map.")
        self.router = build(self.store)

    def get(self, path, actor="ada", **query):
        return self.router.handle(Request("GET", path, actor, query))

    def test_a_member_reads_the_list_and_the_page(self):
        self.assertEqual(json.loads(self.get("/workspaces/north/pages").body), [{"id": self.page, "title": "Plan"}])
        self.assertIn(b"Draw the map.", self.get(f"/workspaces/north/pages/{self.page}").body)

    def test_a_stranger_finds_nothing(self):
        self.assertEqual(self.get("/workspaces/north/pages", actor="eve").status, 404)
