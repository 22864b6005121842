"""Opening days of the branches."""

from dataclasses import dataclass, field
from datetime import date, timedelta


@dataclass(frozen=True)
class OpeningDays:
    """Weekdays on which a branch opens (Monday is 0), and single days on which it stays shut."""

    weekdays: frozenset[int]
    closed: frozenset[date] = field(default_factory=frozenset)

    def is_open(self, day: date) -> bool:
        return day.weekday() in self.weekdays and day not in self.closed

    def next_open(self, day: date) -> date:
        """The first opening day on or after `day`."""
        if not self.weekdays:
            raise ValueError("a branch needs at least one opening day")
        while not self.is_open(day):
            day += timedelta(days=1)
        return day

    def count_after(self, start: date, end: date) -> int:
        """How many opening days lie after `start`, up to and including `end`."""
        count = 0
        day = start + timedelta(days=1)
        while day <= end:
            count += self.is_open(day)
            day += timedelta(days=1)
        return count
