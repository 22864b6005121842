"""Searches as links: the code holds the criteria and the order, packed."""

import base64
import binascii
import json
import zlib
from dataclasses import asdict, dataclass, field
from datetime import date

from .search import Criteria, Order

MAX_CODE = 4000


class BadLink(Exception):
    """The code cannot be opened."""


@dataclass(frozen=True)
class SavedSearch:
    """One search as it was when the link was made."""

    criteria: Criteria
    order: Order = field(default_factory=Order)
    title: str = ""
    made: date | None = None


def to_code(saved: SavedSearch) -> str:
    """The search as text that fits into an address."""
    data = asdict(saved) | {"made": saved.made.isoformat() if saved.made else None}
    packed = zlib.compress(json.dumps(data).encode(), 9)
    return base64.urlsafe_b64encode(packed).decode("ascii").rstrip("=")


def from_code(code: str) -> SavedSearch:
    """The search of a link; raises BadLink."""
    if not code or len(code) > MAX_CODE:
        raise BadLink("The link is incomplete.")
    try:
        packed = base64.urlsafe_b64decode(code + "=" * (-len(code) % 4))
        data = json.loads(zlib.decompress(packed))
        return SavedSearch(
            Criteria(**data["criteria"]),
            Order(**data["order"]),
            str(data["title"]),
            date.fromisoformat(data["made"]) if data["made"] else None,
        )
    except (binascii.Error, zlib.error, ValueError, TypeError, KeyError) as error:
        raise BadLink("The link is incomplete.") from error
