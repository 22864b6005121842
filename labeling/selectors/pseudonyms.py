"""Which slot a case shows as which letter, to people who may not know who sat where (B3).

The order is drawn per case by a keyed hash of its public id: it is the same on every page, and nobody without the
server's secret can tell it. Where three people labelled a case all three letters are drawn, so that the third seat is
not told from the others. Decisions are stored in terms of slots and translated at the edge.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import permutations

from django.conf import settings

from corpus.domain.vocabulary import Outcome
from labeling.domain.adjudicating import ACCEPTS, SIDES

LETTERS = ("A", "B", "C")


@dataclass(frozen=True)
class Pseudonyms:
    """The letters of one case by slot; both are "A", "B" and, with a third seat, "C"."""

    letters: Mapping[str, str]

    @property
    def is_swapped(self) -> bool:
        """Say whether slot A is shown as another letter."""
        return self.letter("A") != "A"

    def letter(self, slot: str) -> str:
        """Return the letter that a slot is shown as."""
        return self.letters.get(slot, slot)

    def slot(self, letter: str) -> str:
        """Return the slot that a letter stands for."""
        return next((slot for slot, shown in self.letters.items() if shown == letter), letter)

    @property
    def first(self) -> str:
        """The slot that is shown as A."""
        return self.slot("A")

    def stored(self, outcome: Outcome) -> Outcome:
        """Return an outcome chosen in terms of letters in terms of slots."""
        return ACCEPTS[self.slot(SIDES[outcome])] if outcome in SIDES else outcome

    def shown(self, outcome: Outcome) -> Outcome:
        """Return a stored outcome in terms of letters."""
        return ACCEPTS[self.letter(SIDES[outcome])] if outcome in SIDES else outcome


def pseudonyms_of(case_public_id: str, *, seats: int = 2) -> Pseudonyms:
    """Return the letters of a case of which so many people's passes were compared."""
    key = f"adjudication sides {settings.SECRET_KEY}".encode()
    digest = hmac.new(key, case_public_id.encode(), hashlib.sha256).digest()
    if seats < 3:
        return Pseudonyms({"A": "B", "B": "A"} if digest[0] & 1 else {"A": "A", "B": "B"})
    orders = list(permutations(LETTERS))
    return Pseudonyms(dict(zip(LETTERS, orders[int.from_bytes(digest[1:9], "big") % len(orders)], strict=True)))
