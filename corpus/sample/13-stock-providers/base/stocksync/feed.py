"""The supplier's file: sku,quantity."""

import csv
from pathlib import Path


def read_feed(path: Path) -> dict[str, int]:
    """Quantity by SKU; a SKU that is listed twice counts with its sum."""
    quantities: dict[str, int] = {}
    with path.open(newline="", encoding="utf-8") as stream:
        for row in csv.DictReader(stream):
            sku = row["sku"].strip().upper()
            quantities[sku] = quantities.get(sku, 0) + int(row["quantity"])
    return quantities
