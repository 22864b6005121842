"""Try again after a growing pause."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T")
E = TypeVar("E", bound=Exception)


@dataclass(frozen=True)
class Retry:
    """At most `attempts` calls; pauses double from `first_pause` seconds on."""

    attempts: int
    first_pause: float
    sleep: Callable[[float], None]

    def call(self, work: Callable[[], T], kind: type[E], passing: Callable[[E], bool]) -> T:
        """The result of `work`; the last error of `kind`, or the first that is not passing, is raised."""
        for attempt in range(1, self.attempts + 1):
            try:
                return work()
            except kind as error:
                if attempt == self.attempts or not passing(error):
                    raise
                self.sleep(self.first_pause * 2 ** (attempt - 1))
        raise AssertionError("attempts must be at least 1")
