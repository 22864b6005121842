"""Where stock records come from."""

from datetime import datetime
from typing import Protocol

from ..config import ProviderConfig
from ..model import Snapshot
from .api import ApiProvider
from .csv_file import CsvProvider


class Provider(Protocol):
    """Fetches a snapshot; `since` is None for everything. Raises ProviderError."""

    def fetch(self, since: datetime | None) -> Snapshot: ...


def build(config: ProviderConfig) -> Provider:
    """The provider that the section describes."""
    if config.kind == "csv":
        return CsvProvider.from_config(config)
    return ApiProvider.from_config(config)


__all__ = ["ApiProvider", "CsvProvider", "Provider", "build"]
