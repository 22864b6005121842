"""A limit on the processor time of a piece of work that nobody can bound beforehand, such as a foreign expression."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

# After the limit it is said again and again, since what runs may swallow it once.
_AGAIN_SECONDS = 0.05


class CpuLimitReached(Exception):
    """The work took longer than it may."""


@contextmanager
def cpu_limit(seconds: float) -> Iterator[None]:
    """Raise CpuLimitReached inside the block once it has used `seconds` of this process's time.

    Time that the machine spends on others does not count. It interrupts a running regular expression. Only the main
    thread can be interrupted so (web workers and job workers work there); in others the block runs without a limit.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    is_over = False

    def interrupt(_signal: int, _frame: FrameType | None) -> None:
        if not is_over:
            raise CpuLimitReached(f"more than {seconds} seconds")

    before = signal.signal(signal.SIGVTALRM, interrupt)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds, _AGAIN_SECONDS)
    try:
        yield
    finally:
        is_over = True
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
