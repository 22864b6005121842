"""Handlers of attachments."""

from urllib.parse import quote

from .blobs import Blobs, TooLarge
from .policy import require_editor, require_member
from .store import Store
from .web import Refused, Request, Response, as_json


class Attachments:
    def __init__(self, store: Store, blobs: Blobs) -> None:
        self.store = store
        self.blobs = blobs

    def index(self, request: Request, workspace: str) -> Response:
        require_member(self.store, request.actor, workspace)
        return as_json(
            [
                {"id": row["id"], "name": row["name"], "bytes": row["bytes"], "sha256": row["sha256"]}
                for row in self.store.attachments(workspace)
            ]
        )

    def upload(self, request: Request, workspace: str) -> Response:
        require_editor(self.store, request.actor, workspace)
        name = request.headers.get("X-File-Name", "").strip()
        if not name or len(name) > 200:
            raise Refused(400, "X-File-Name must hold 1 to 200 characters")
        if self.store.attachment_named(workspace, name):
            raise Refused(409, "a file of that name exists")
        try:
            digest = self.blobs.write(workspace, name, request.body)
        except TooLarge:
            raise Refused(413, "files are limited to 20 MB") from None
        new_id = self.store.add_attachment(workspace, name, len(request.body), digest, request.actor)
        return as_json({"id": new_id, "sha256": digest}, 201)

    def download(self, request: Request, workspace: str, attachment: str) -> Response:
        require_member(self.store, request.actor, workspace)
        row = self._row(attachment)
        disposition = f"attachment; filename*=UTF-8''{quote(row['name'], safe='')}"
        return Response(
            200,
            self.blobs.read(row["workspace"], row["name"]),
            {"Content-Type": "application/octet-stream", "Content-Disposition": disposition},
        )

    def remove(self, request: Request, workspace: str, attachment: str) -> Response:
        require_editor(self.store, request.actor, workspace)
        row = self._row(attachment)
        if row["workspace"] != workspace:
            raise Refused(404, "no such attachment")
        self.store.remove_attachment(row["id"])
        self.blobs.remove(workspace, row["name"])
        return Response(204)

    def _row(self, attachment: str):
        row = self.store.attachment(int(attachment)) if attachment.isdecimal() else None
        if row is None:
            raise Refused(404, "no such attachment")
        return row
