"""What has to happen with time: seats expire, and rounds fall due for comparison."""

from __future__ import annotations

from corpus import clock
from corpus.services.jobs import periodically
from labeling.services.claims import open_due_claims
from labeling.services.comparison import compare_due_rounds
from labeling.services.seating import expire_due_seats
from labeling.services.tallies import count_missing


@periodically
def expire() -> None:
    """End the reservations that have run out."""
    expire_due_seats(now=clock.now())


@periodically
def open_claims() -> None:
    """Open the claims pass of those who can no longer recall their open pass."""
    open_due_claims()


@periodically
def compare() -> None:
    """Compare the rounds that nobody can recall from any more."""
    compare_due_rounds()


@periodically
def count() -> None:
    """Count the comparisons that statistics do not know yet."""
    count_missing()
