"""`touchstone serve` says in a sentence why it cannot start."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import pytest
from django.core.management import CommandError, call_command

from config.management.commands.serve import is_taken


@pytest.fixture
def busy() -> Iterator[str]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield f"127.0.0.1:{listener.getsockname()[1]}"


def test_an_address_is_taken_only_while_somebody_listens(busy: str) -> None:
    assert is_taken(busy)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        free = f"127.0.0.1:{listener.getsockname()[1]}"
    assert not is_taken(free)
    assert not is_taken("unix:/run/touchstone.sock")


def test_serving_on_a_taken_address_is_refused_with_the_way_out(busy: str) -> None:
    with pytest.raises(CommandError, match=f"{busy} is in use by another program.*TOUCHSTONE_BIND"):
        call_command("serve", bind=busy)
