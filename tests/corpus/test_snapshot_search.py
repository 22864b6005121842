"""Searching a snapshot: by words of a path and by text, bounded, and blind to what was withdrawn."""

from __future__ import annotations

import pytest

from corpus import clock
from corpus.models import Blob
from corpus.selectors import snapshot_search
from corpus.selectors.snapshot_search import SearchRefused, find_paths, find_text, fits
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


def places(found) -> list[tuple[str, int]]:
    return [(hit.path, hit.line) for hit in found.hits]


def test_a_word_is_found_whole_and_as_it_is_written(tree) -> None:
    assert places(find_text(tree, "RATE", how="word")) == [
        ("src/pay/rate.py", 1),
        ("src/pay/rate.py", 2),
        ("src/pay/retry.py", 2),
    ]
    assert places(find_text(tree, "rat", how="word")) == []
    assert places(find_text(tree, "Größe", how="word")) == [("docs/rates.md", 1)]


def test_an_expression_matches_line_by_line(tree) -> None:
    assert places(find_text(tree, r"^RATE = \d$", how="regex")) == [("src/pay/rate.py", 1)]
    assert places(find_text(tree, r":\s+return", how="regex")) == []
    assert places(find_text(tree, r"^$", how="regex")) == []


def test_paths_limit_where_is_searched(tree) -> None:
    assert {path for path, _ in places(find_text(tree, "rate", paths="*.md"))} == {"docs/rates.md"}
    assert {path for path, _ in places(find_text(tree, "rate", paths="PAY/"))} == {
        "src/pay/rate.py",
        "src/pay/retry.py",
    }
    assert fits("src/pay/rate.py", "src/*.py")
    assert not fits("src/pay/rate.py", "pay/*.py")


@pytest.mark.parametrize("broken", ["(", "a{2,1}", "[z-a]", "(?P<x>a)(?P=y)"])
def test_what_is_no_expression_is_refused_in_a_sentence(tree, broken: str) -> None:
    with pytest.raises(SearchRefused, match="no regular expression"):
        find_text(tree, broken, how="regex")


def test_an_expression_that_takes_too_long_is_stopped(project, monkeypatch) -> None:
    monkeypatch.setattr(snapshot_search, "MOST_SECONDS", 0.05)
    files = {b"a.txt": ("100644", b"a" * 5_000 + b"!\n"), b"b.txt": ("100644", b"b\n")}
    tree = make_case(project, base=files, head={**files, b"c.txt": ("100644", b"c\n")}).head_tree
    found = find_text(tree, r"(a+)+$", how="regex")
    assert found.is_late
    assert found.is_cut
    assert found.hits == ()
