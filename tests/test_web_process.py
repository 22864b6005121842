"""What a web process holds in memory: nothing that only a freeze, a figure or a worker needs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = ("celery", "datasketch", "detect_secrets", "numpy", "requests", "scipy")


@pytest.mark.pure
def test_a_web_process_loads_no_library_that_only_rare_work_needs(tmp_path: Path) -> None:
    program = f"import sys, config.wsgi; print(*({{name.partition('.')[0] for name in sys.modules}} & set({HEAVY!r})))"
    environment = {
        "PATH": os.environ["PATH"],
        "TOUCHSTONE_SECRET_KEY": "tests-only-secret-key-that-is-long-enough-0123456789",
        "TOUCHSTONE_DATA_DIR": str(tmp_path),
    }
    root = Path(__file__).parent.parent
    done = subprocess.run([sys.executable, "-c", program], env=environment, cwd=root, capture_output=True, text=True)
    assert (done.returncode, done.stdout.split()) == (0, []), done.stderr
