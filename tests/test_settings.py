"""Settings refuse nonsense with a sentence, and every one of them is documented."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from config import env

ROOT = Path(__file__).resolve().parents[1]


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("TOUCHSTONE_SECRET_KEY", "short", "needs at least 32 characters"),
        ("TOUCHSTONE_DEBUG", "maybe", "TOUCHSTONE_DEBUG is 'maybe'"),
        ("DATABASE_URL", "mysql://x", "DATABASE_URL must start with one of"),
        ("TOUCHSTONE_BROKER_URL", "nats://x", "TOUCHSTONE_BROKER_URL must start with one of"),
        ("TOUCHSTONE_UPLOAD_LIMIT_MB", "0", "must lie between 1 and 2048"),
        ("TOUCHSTONE_UPLOAD_LIMIT_MB", "many", "write a whole number"),
        ("TOUCHSTONE_TRUSTED_ORIGINS", "touchstone.example", "is no origin"),
    ],
)
def test_nonsense_stops_the_start_with_one_sentence(name: str, value: str, sentence: str) -> None:
    environment = {**os.environ, "TOUCHSTONE_SECRET_KEY": "x" * 40, name: value}
    run = subprocess.run(
        [sys.executable, "-m", "config.cli", "check"], cwd=ROOT, env=environment, capture_output=True, text=True
    )
    assert run.returncode == 2
    assert sentence in run.stderr
    assert "Traceback" not in run.stderr
    assert run.stderr.count("\n") == 1


def test_a_secret_may_come_from_a_file(tmp_path, monkeypatch) -> None:
    path = tmp_path / "secret"
    path.write_text("from a file\n", encoding="utf-8")
    monkeypatch.setenv("SOME_SECRET_FILE", str(path))
    assert env.text("SOME_SECRET") == "from a file"
    monkeypatch.setenv("SOME_SECRET", "from the environment")
    with pytest.raises(ImproperlyConfigured, match="both set"):
        env.text("SOME_SECRET")


def test_every_setting_is_documented() -> None:
    read = set()
    for path in (ROOT / "config").rglob("*.py"):
        read |= set(re.findall(r'"(TOUCHSTONE_[A-Z_]+|DATABASE_URL)"', path.read_text(encoding="utf-8")))
    documented = set(
        re.findall(r"^\| `([A-Z_]+)`", (ROOT / "docs" / "settings.md").read_text(encoding="utf-8"), flags=re.M)
    )
    assert read == documented
