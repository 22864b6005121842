"""Which slot a case shows as A and which as B, to people who may not know who sat where (B3).

The order is drawn per case by a keyed hash of its public id: it is the same on every page, and nobody without the
server's secret can tell it. Decisions are stored in terms of slots and translated at the edge.
"""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass

from django.conf import settings

from corpus.domain.vocabulary import Outcome

SWAPPED = {Outcome.ACCEPT_A: Outcome.ACCEPT_B, Outcome.ACCEPT_B: Outcome.ACCEPT_A}


@dataclass(frozen=True)
class Pseudonyms:
    """The letters of one case. Letters and slots are both "A" and "B"; `is_swapped` says whether they cross."""

    is_swapped: bool

    def letter(self, slot: str) -> str:
        """Return the letter that a slot is shown as; a third slot keeps its own."""
        return {"A": "B", "B": "A"}.get(slot, slot) if self.is_swapped else slot

    def slot(self, letter: str) -> str:
        """Return the slot that a letter stands for."""
        return self.letter(letter)

    @property
    def first(self) -> str:
        """The slot that is shown as A."""
        return self.slot("A")

    def stored(self, outcome: Outcome) -> Outcome:
        """Return an outcome chosen in terms of letters in terms of slots."""
        return SWAPPED.get(outcome, outcome) if self.is_swapped else outcome

    def shown(self, outcome: Outcome) -> Outcome:
        """Return a stored outcome in terms of letters."""
        return self.stored(outcome)


def pseudonyms_of(case_public_id: str) -> Pseudonyms:
    """Return the letters of a case."""
    key = f"adjudication sides {settings.SECRET_KEY}".encode()
    digest = hmac.new(key, case_public_id.encode(), hashlib.sha256).digest()
    return Pseudonyms(is_swapped=bool(digest[0] & 1))
