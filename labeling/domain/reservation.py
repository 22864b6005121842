"""When a reserved seat is over. It depends on its owner's own clock and work alone, never on who else wants it (B1)."""

from __future__ import annotations

from datetime import datetime, timedelta

# A seat is not taken away under typing hands: it ends only after a pause of this length.
GRACE = timedelta(minutes=15)


def is_over(*, expires_at: datetime | None, last_active_at: datetime | None, now: datetime) -> bool:
    """Say whether a reservation that ends at `expires_at` is over at `now`; one without an end never is."""
    if expires_at is None or now < expires_at:
        return False
    return last_active_at is None or last_active_at <= now - GRACE
