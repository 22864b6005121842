"""`touchstone diff` against patches whose right reading is known."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from config.cli import main
from corpus.domain.bytestext import escape_bytes, unescape_text
from corpus.domain.diff import apply_hunks, parse_patch

DATA = Path(__file__).parent.parent / "data" / "diffs"
PATCHES = sorted(DATA.glob("*.patch"))


def expected_of(patch: Path) -> dict[str, Any]:
    result: dict[str, Any] = json.loads(patch.with_suffix("").with_suffix(".expected.json").read_text())
    return result


def test_all_pairs_are_here() -> None:
    assert len(PATCHES) == 57


@pytest.mark.parametrize("patch", PATCHES, ids=lambda patch: patch.stem)
def test_the_command_prints_the_known_reading(patch: Path, capsys: pytest.CaptureFixture[str]) -> None:
    expected = expected_of(patch)
    code = main(["diff", str(patch)])
    out, err = capsys.readouterr()
    if expected.get("error"):
        assert (code, out) == (2, "")
        assert err == f"{patch}: line {expected['patch_line']}: {expected['reason']}\n"
        return
    assert code == 0
    assert json.loads(out) == {"format": expected["format"], "files": expected["files"], "errors": []}
    assert out.isascii()


WITH_TREES = [patch for patch in PATCHES if "base" in expected_of(patch) and not expected_of(patch).get("error")]


@pytest.mark.parametrize("patch", WITH_TREES, ids=lambda patch: patch.stem)
def test_base_and_hunks_give_the_head(patch: Path) -> None:
    expected = expected_of(patch)
    tree = {path: unescape_text(entry["data"]) for path, entry in expected["base"].items()}
    head = dict(tree)
    parsed = parse_patch(patch.read_bytes())
    for file in parsed.files:
        strip = 1 if parsed.format == "unified" and expected["strip"] == 1 else 0
        old, new = (
            None if path is None else known_name(path, expected, strip) for path in (file.old_path, file.new_path)
        )
        if file.binary:
            head[str(new)] = unescape_text(expected["head"][str(new)]["data"])
            continue
        if file.new_mode == "160000":
            before = b"Subproject commit " + tree[str(old)] + b"\n"
            head[str(new)] = apply_hunks(before, file).removeprefix(b"Subproject commit ").rstrip()
            continue
        content = apply_hunks(b"" if old is None else tree[old], file)
        if old is not None and file.status in ("deleted", "renamed"):
            head.pop(old, None)
        if new is not None:
            head[new] = content
    assert head == {path: unescape_text(entry["data"]) for path, entry in expected["head"].items()}


def known_name(path: bytes, expected: dict[str, Any], strip: int) -> str:
    """The name of a path in the trees of an expected file, which are what patch -p1 leaves."""
    name = escape_bytes(path)
    if name in expected["base"] or name in expected["head"] or not strip:
        return name
    return name.partition("/")[2]
