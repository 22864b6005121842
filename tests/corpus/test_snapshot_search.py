"""Searching a snapshot: by words of a path and by text, bounded, and blind to what was withdrawn."""

from __future__ import annotations

import pytest

from corpus import clock
from corpus.models import Blob
from corpus.selectors import snapshot_search
from corpus.selectors.snapshot_search import find_paths, find_text
from tests.factories import make_case

FILES = {
    b"src/pay/retry.py": ("100644", b"def charge():\n    return RATE\n"),
    b"src/pay/rate.py": ("100644", b"RATE = 3\nrate = RATE\n"),
    b"docs/rates.md": ("100644", "Rates are Größe-bound\n".encode()),
    b"logo.png": ("100644", b"\0RATE\n"),
    b"old\xff.txt": ("100644", b"\xe9 rate\n"),
}


@pytest.fixture
def tree(project):
    head = {**FILES, b"new.py": ("100644", b"1\n")}
    return make_case(project, base=FILES, head=head).head_tree


def test_paths_are_found_by_all_their_words_and_the_name_counts_first(tree) -> None:
    assert find_paths(tree, "RATE").paths == ("docs/rates.md", "src/pay/rate.py")
    assert find_paths(tree, "pay re").paths == ("src/pay/retry.py",)
    assert find_paths(tree, "  ").paths == ()


def test_text_is_found_in_text_files_whatever_its_case_with_number_and_line(tree) -> None:
    hits = [(hit.path, hit.line, hit.text) for hit in find_text(tree, "rate").hits]
    assert ("src/pay/rate.py", 2, "rate = RATE") in hits
    assert ("src/pay/retry.py", 2, "return RATE") in hits
    assert ("docs/rates.md", 1, "Rates are Größe-bound") in hits
    assert ("old\\xff.txt", 1, "é rate") in hits
    assert not [hit for hit in hits if hit[0] == "logo.png"]


def test_a_search_that_is_cut_says_so(tree, monkeypatch) -> None:
    assert not find_text(tree, "rate").is_cut
    monkeypatch.setattr(snapshot_search, "HITS_A_FILE", 1)
    found = find_text(tree, "rate")
    assert found.is_cut
    assert len([hit for hit in found.hits if hit.path == "src/pay/rate.py"]) == 1
    monkeypatch.setattr(snapshot_search, "MAX_SCAN", 10)
    assert find_text(tree, "rate").is_cut
    monkeypatch.setattr(snapshot_search, "MAX_NAMES", 1)
    assert find_paths(tree, "rate").is_cut


def test_withdrawn_bytes_are_not_found(tree) -> None:
    Blob.objects.filter(data=FILES[b"src/pay/rate.py"][1]).update(withdrawn_at=clock.now())
    assert "src/pay/rate.py" not in {hit.path for hit in find_text(tree, "rate").hits}
