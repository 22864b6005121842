"""What is remembered between runs: for each provider, the time that the next fetch asks for."""

import json
import os
from datetime import UTC, datetime
from pathlib import Path


class State:
    """Small files in one folder, replaced as a whole."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)

    def since(self, provider: str) -> datetime | None:
        """The time to ask for, or None when everything is to be fetched."""
        try:
            data = json.loads(self._path(provider).read_text(encoding="utf-8"))
            return datetime.fromisoformat(data["since"])
        except FileNotFoundError:
            return None

    def remember(self, provider: str, since: datetime) -> None:
        self._replace(self._path(provider), json.dumps({"since": since.astimezone(UTC).isoformat()}) + "\n")

    def list_unknown(self, provider: str, skus: tuple[str, ...]) -> None:
        """Write the SKUs that the shop does not know, one a line."""
        self._replace(self.folder / f"unknown-{provider}.txt", "".join(f"{sku}\n" for sku in skus))

    def _path(self, provider: str) -> Path:
        return self.folder / f"since-{provider}.json"

    def _replace(self, path: Path, text: str) -> None:
        temporary = path.with_suffix(".new")
        temporary.write_text(text, encoding="utf-8")
        os.replace(temporary, path)
