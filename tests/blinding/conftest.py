"""The frozen clock of the two worlds."""

from __future__ import annotations

import time

import pytest
from django.utils import timezone

from corpus import clock
from tests.blinding.worlds import Moment


@pytest.fixture
def moment(monkeypatch: pytest.MonkeyPatch) -> Moment:
    """Freeze every clock that a response could show."""
    frozen = Moment()
    monkeypatch.setattr(clock, "now", frozen)
    monkeypatch.setattr(timezone, "now", frozen)
    # Expiry dates of cookies and sessions are computed from it.
    monkeypatch.setattr(time, "time", lambda: frozen.now.timestamp())
    return frozen
