"""Records from a file with one line for each article."""

import csv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from ..config import ConfigError, ProviderConfig
from ..model import ProviderError, Snapshot, StockRecord

FIELDS = ("sku", "on_hand", "reserved", "pack")


@dataclass(frozen=True)
class CsvProvider:
    """`columns` maps our field to the file's column head."""

    path: Path
    columns: Mapping[str, str] = field(default_factory=lambda: {"sku": "sku", "on_hand": "quantity"})
    delimiter: str = ","

    @classmethod
    def from_config(cls, config: ProviderConfig) -> "CsvProvider":
        columns = parse_columns(config.option("columns"))
        return cls(Path(config.option("path")), columns, config.options.get("delimiter", ","))

    def fetch(self, since: datetime | None) -> Snapshot:
        """All lines of the file; `since` does not matter for complete lists."""
        try:
            with self.path.open(newline="", encoding="utf-8-sig") as stream:
                return Snapshot(tuple(self._records(stream)), complete=True)
        except (OSError, UnicodeDecodeError) as error:
            raise ProviderError(f"{self.path.name}: {error}") from error

    def _records(self, stream: Iterator[str]) -> Iterator[StockRecord]:
        reader = csv.DictReader(stream, delimiter=self.delimiter)
        missing = set(self.columns.values()) - set(reader.fieldnames or ())
        if missing:
            raise ProviderError(f"{self.path.name}: no column {', '.join(sorted(missing))}")
        for row in reader:
            try:
                yield self._record(row)
            except ValueError as error:
                raise ProviderError(f"{self.path.name}, line {reader.line_num}: {error}") from error

    def _record(self, row: Mapping[str, str | None]) -> StockRecord:
        values = {name: (row[head] or "").strip() for name, head in self.columns.items()}
        if not values["sku"]:
            raise ValueError("no SKU")
        return StockRecord(
            sku=values["sku"],
            on_hand=int(values["on_hand"]),
            reserved=int(values.get("reserved") or 0),
            pack=int(values.get("pack") or 1),
        )


def parse_columns(text: str) -> dict[str, str]:
    """`sku=Artikel, on_hand=Bestand` as a mapping; raises ConfigError."""
    columns: dict[str, str] = {}
    for part in text.split(","):
        name, mark, head = part.strip().partition("=")
        if not mark or name not in FIELDS or not head.strip():
            raise ConfigError(f"columns: cannot read {part.strip()!r}")
        columns[name] = head.strip()
    for name in ("sku", "on_hand"):
        if name not in columns:
            raise ConfigError(f"columns: {name} is needed")
    return columns
