"""What the parts of a run exchange."""

from dataclasses import dataclass, field
from datetime import datetime


class ProviderError(Exception):
    """The provider's data cannot be used; the message says where it is bad."""


@dataclass(frozen=True)
class StockRecord:
    """What a provider says about one article, in its own units."""

    sku: str
    on_hand: int
    reserved: int = 0
    pack: int = 1
    changed: datetime | None = None


@dataclass(frozen=True)
class Snapshot:
    """All records of one fetch; a complete one lists everything that the provider has."""

    records: tuple[StockRecord, ...]
    complete: bool


@dataclass(frozen=True)
class Change:
    """One item whose quantity is to be set."""

    sku: str
    before: int
    after: int


@dataclass(frozen=True)
class Plan:
    """What a snapshot would change in the shop."""

    changes: tuple[Change, ...]
    unknown: tuple[str, ...]
    covered: int
    zeroed: int


@dataclass
class Outcome:
    """What became of one provider in a run; `refusal` is empty when its plan was written."""

    provider: str
    read: int = 0
    plan: Plan | None = None
    refusal: str = ""
    notes: list[str] = field(default_factory=list)
