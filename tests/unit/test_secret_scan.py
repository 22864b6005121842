"""What looks like a secret in the lines of a change."""

from __future__ import annotations

import pytest

from corpus.secret_scan import MOST_SECRETS, secrets_in

pytestmark = pytest.mark.pure


def found(*lines: str, path: str = "src/settings.py") -> list[tuple[int, str]]:
    numbered = list(enumerate((line.encode() for line in lines), start=10))
    return [(secret.line, secret.kind) for secret in secrets_in({path: numbered})]


def test_keys_and_passwords_are_found_where_they_stand() -> None:
    told = found(
        "import os",
        'key = "AKIA' + 'IOSFODNN7EXAMPLE"',
        "total = compute(order)",
        'password = "hunter2' + 'hunter2"',
        "-----BEGIN RSA " + "PRIVATE KEY-----",
        'token = "ghp_16C7e42F292c6912E77' + '10c838347Ae178B4a"',
    )
    assert told == [(11, "AWS Access Key"), (13, "Secret Keyword"), (14, "Private Key"), (15, "GitHub Token")]


def test_a_comment_in_the_code_cannot_call_a_secret_harmless() -> None:
    assert found('key = "AKIA' + 'IOSFODNN7EXAMPLE"  # pragma: allowlist secret') == [(10, "AWS Access Key")]


@pytest.mark.parametrize(
    "line",
    [
        "def authenticate(user, password):",
        "return self.repository.find_by_identifier(identifier)",
        "host = '192.0.2.1'",
    ],
)
def test_ordinary_code_is_left_alone(line: str) -> None:
    assert found(line) == []


@pytest.mark.parametrize("path", ["../../etc/passwd", "a\x00b", "the old side of x.py", "x." + "y" * 300, ""])
def test_a_path_is_never_used_as_one(path: str) -> None:
    assert found('password = "hunter2' + 'hunter2"', path=path) == [(10, "Secret Keyword")]


def test_a_flood_is_bounded() -> None:
    assert len(found(*[f'password = "hunter{n}' + 'hunter2"' for n in range(200)])) == MOST_SECRETS
