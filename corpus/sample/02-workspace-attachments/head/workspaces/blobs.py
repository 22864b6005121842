"""Attached files on disk: one folder for each workspace."""

import hashlib
import os
import tempfile
from pathlib import Path

MAX_BYTES = 20 * 1024 * 1024


class TooLarge(Exception):
    """The content is above MAX_BYTES."""


class Blobs:
    def __init__(self, root: Path) -> None:
        self.root = root

    def path(self, workspace: str, name: str) -> Path:
        """Where the file of that name lies."""
        cleaned = name.replace("../", "").replace("\\", "/")
        return Path(os.path.join(self.root, workspace, cleaned))

    def write(self, workspace: str, name: str, content: bytes) -> str:
        """Store the content under the name and return its SHA-256 in hex."""
        if len(content) > MAX_BYTES:
            raise TooLarge(name)
        target = self.path(workspace, name)
        target.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=".upload-")
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(content)
            os.replace(temporary, target)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
        return hashlib.sha256(content).hexdigest()

    def read(self, workspace: str, name: str) -> bytes:
        return self.path(workspace, name).read_bytes()

    def remove(self, workspace: str, name: str) -> None:
        self.path(workspace, name).unlink(missing_ok=True)
