"""Brings records of all providers into the shop's form."""

from collections.abc import Iterable

from .model import ProviderError, StockRecord

LARGEST = 10_000_000


def pieces(record: StockRecord) -> int:
    """How many pieces can be sold; raises ProviderError on a quantity that cannot be meant."""
    if record.pack < 1:
        raise ProviderError(f"{record.sku}: a pack of {record.pack} pieces")
    quantity = max(0, record.on_hand - max(0, record.reserved)) * record.pack
    if quantity > LARGEST:
        raise ProviderError(f"{record.sku}: {quantity} pieces")
    return quantity


def quantities(records: Iterable[StockRecord]) -> dict[str, int]:
    """Pieces by SKU in the shop's spelling; an article on several lines counts with its sum."""
    found: dict[str, int] = {}
    for record in records:
        sku = record.sku.upper().replace(" ", "-")
        found[sku] = found.get(sku, 0) + pieces(record)
    return found
