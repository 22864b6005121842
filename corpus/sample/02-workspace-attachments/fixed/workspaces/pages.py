"""Handlers of pages."""

from .policy import require_member
from .store import Store
from .web import Refused, Request, Response, as_json


class Pages:
    def __init__(self, store: Store) -> None:
        self.store = store

    def index(self, request: Request, workspace: str) -> Response:
        require_member(self.store, request.actor, workspace)
        wanted = request.query.get("limit", "50")
        if not wanted.isdecimal():
            raise Refused(400, "limit must be a whole number")
        limit = int(wanted)
        rows = self.store.pages(workspace, min(limit, 200))
        return as_json([{"id": row["id"], "title": row["title"]} for row in rows])

    def show(self, request: Request, workspace: str, page: str) -> Response:
        require_member(self.store, request.actor, workspace)
        row = self.store.page(workspace, int(page)) if page.isdecimal() else None
        if row is None:
            raise Refused(404, "no such page")
        return as_json({"id": row["id"], "title": row["title"], "body": row["body"]})
