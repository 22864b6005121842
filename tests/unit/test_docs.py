"""What the documentation names exists."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("docs/*.md"), *ROOT.glob("*.md")])
NAMED = re.compile(r"`((?:tests|docs|docker|bench|config|corpus|labeling|reviews|static|templates)/[\w./-]+)`")
CODE = re.compile(r"`[^`]*`")
LINKED = re.compile(r"\]\((?!https?:)([\w./-]+)[^)]*\)")
# Made by whoever runs the product.
NOT_HERE = {"docker/env"}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_file_and_test_that_a_page_names_is_there(page: Path) -> None:
    text = page.read_text()
    named = set(NAMED.findall(text)) - NOT_HERE
    named |= {
        (page.parent / target).resolve().relative_to(ROOT).as_posix() for target in LINKED.findall(CODE.sub("", text))
    }
    # Templates are named as Django does.
    missing = [
        name for name in sorted(named) if not (ROOT / name).exists() and not (ROOT / "templates" / name).exists()
    ]
    assert missing == []
