"""Snapshots are stored once by content and read back whole."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase as HypothesisTestCase

from corpus.domain.paths import PathRefused
from corpus.models import Blob, Tree, TreeEntry
from corpus.selectors.trees import find_file, list_level, list_tree
from corpus.services.blobs import BlobRefused, store_blob, store_blobs
from corpus.services.trees import TreeRefused, store_tree

COMMIT = b"0123456789abcdef0123456789abcdef01234567"
FILES = {
    b"a.txt": ("100644", b"one\ntwo"),
    b"src/run.sh": ("100755", b"#!/bin/sh\n"),
    b"src/deep/link": ("120000", b"../run.sh"),
    b"src/deep/caf\xe9.txt": ("100644", b"latin\n"),
    b"vendor/lib": ("160000", COMMIT),
}


def test_facts_of_bytes_count_lines_at_newlines_only(db) -> None:
    blob = store_blob(b"a\rb\x0cc\xe2\x80\xa8d\nlonger line\nend")
    assert (blob.line_count, blob.longest_line, blob.is_binary) == (3, 11, False)
    assert store_blob(b"").line_count == 0
    assert store_blob(b"\n").line_count == 1


def test_a_nul_in_the_first_8000_bytes_makes_a_blob_binary(db) -> None:
    assert store_blob(b"x" * 7999 + b"\0").is_binary
    assert not store_blob(b"x" * 8000 + b"\0").is_binary


def test_equal_bytes_are_stored_once_with_few_queries(db, django_assert_max_num_queries) -> None:
    contents = [b"%d\n" % (number % 300) for number in range(900)]
    with django_assert_max_num_queries(8):
        stored = store_blobs(contents)
    assert len(stored) == 300 == Blob.objects.count()
    with django_assert_max_num_queries(4):
        again = store_blobs(iter(contents))
    assert {digest: blob.pk for digest, blob in again.items()} == {digest: blob.pk for digest, blob in stored.items()}


def test_stored_bytes_are_the_given_bytes(db) -> None:
    data = bytes(range(256)) * 3
    assert bytes(Blob.objects.get(pk=store_blob(data).pk).data) == data


def test_withdrawn_bytes_are_not_stored_again(db) -> None:
    from corpus import clock

    blob = store_blob(b"secret")
    Blob.objects.filter(pk=blob.pk).update(data=b"", withdrawn_at=clock.now())
    with pytest.raises(BlobRefused, match="withdrawn"):
        store_blob(b"secret")


def test_a_tree_is_listed_with_the_facts_of_its_files(db) -> None:
    stored = store_tree(FILES)
    listed = list_tree(stored.tree)
    assert [(file.path, file.mode) for file in listed] == sorted((path, mode) for path, (mode, _) in FILES.items())
    by_path = {file.path: file for file in listed}
    assert by_path[b"a.txt"].line_count == 2
    assert by_path[b"a.txt"].blob_sha256 == hashlib.sha256(b"one\ntwo").hexdigest()
    assert by_path[b"src/deep/caf\xe9.txt"].path_text == "src/deep/caf\\xe9.txt"
    assert by_path[b"vendor/lib"].commit == COMMIT.decode()
    assert by_path[b"src/deep/link"].is_symlink


def test_a_file_is_found_by_its_very_bytes(db) -> None:
    tree = store_tree(FILES).tree
    found = find_file(tree, b"src/deep/caf\xe9.txt")
    assert found is not None
    assert found.size == 6
    assert find_file(tree, b"src/deep/caf\\xe9.txt") is None
    assert find_file(tree, b"src/deep") is None
    assert find_file(tree, b"src/deep/none") is None
    assert find_file(tree, b"a.txt/b") is None


def test_a_level_shows_folders_first(db) -> None:
    tree = store_tree(FILES).tree
    root = list_level(tree)
    assert root is not None
    assert [(entry.name_text, entry.is_directory) for entry in root] == [
        ("src", True),
        ("vendor", True),
        ("a.txt", False),
    ]
    deep = list_level(tree, b"src/deep")
    assert deep is not None
    assert [entry.path for entry in deep] == [b"src/deep/caf\xe9.txt", b"src/deep/link"]
    assert list_level(tree, b"a.txt") is None
    assert list_level(tree, b"nowhere") is None


def test_unchanged_folders_are_shared_between_trees(db) -> None:
    store_tree(FILES)
    trees, entries = Tree.objects.count(), TreeEntry.objects.count()
    store_tree({**FILES, b"src/run.sh": ("100755", b"#!/bin/bash\n")})
    # Only the root and src are new: src/deep and vendor are the rows that were there.
    assert Tree.objects.count() == trees + 2
    assert TreeEntry.objects.count() == entries + 3 + 2
    store_tree(FILES)
    assert Tree.objects.count() == trees + 2


def test_the_hash_of_a_tree_is_the_documented_one(db) -> None:
    inner = b"100644 b\0blob " + hashlib.sha256(b"x").hexdigest().encode() + b"\n"
    outer = b"040000 d\0tree " + hashlib.sha256(inner).hexdigest().encode() + b"\n"
    outer += b"160000 s\0commit " + COMMIT + b"\n"
    stored = store_tree({b"s": ("160000", COMMIT), b"d/b": ("100644", b"x")})
    assert stored.tree.sha256 == hashlib.sha256(outer).hexdigest()
    assert store_tree({}).tree.sha256 == hashlib.sha256(b"").hexdigest()


@pytest.mark.parametrize(
    ("path", "says"),
    [
        (b"../x", 'by ".."'),
        (b"a/../../x", 'by ".."'),
        (b"/etc/passwd", "absolute"),
        (b"C:\\x", "absolute"),
        (b"a//b", "empty piece"),
        (b"./a", "empty piece"),
        (b"a/.GIT/config", ".git"),
        (b"a\0b", "NUL"),
        (b"", "no name"),
        (b"n" * 256, "limit is 255"),
        (b"a/" * 200 + b"x", "levels deep"),
        (b"a/" * 600 + b"x", "limit is 1024"),
    ],
)
def test_a_path_that_leads_elsewhere_is_refused_and_nothing_is_stored(db, path: bytes, says: str) -> None:
    with pytest.raises(PathRefused, match=says.replace(".", r"\.")):
        store_tree({b"ok": ("100644", b"fine"), path: ("100644", b"x")})
    assert not Blob.objects.exists()
    assert not Tree.objects.exists()


def test_a_path_cannot_be_a_file_and_a_folder(db) -> None:
    with pytest.raises(PathRefused, match="a file and a folder"):
        store_tree({b"a": ("100644", b""), b"a/b": ("100644", b"")})


@pytest.mark.parametrize(("mode", "data"), [("100600", b""), ("160000", b"not a commit")])
def test_an_entry_that_git_has_no_name_for_is_refused(db, mode: str, data: bytes) -> None:
    with pytest.raises(TreeRefused):
        store_tree({b"a": (mode, data)})
    assert not Tree.objects.exists()


def test_too_many_files_are_refused_with_the_limit(db, monkeypatch) -> None:
    monkeypatch.setattr("corpus.services.trees.MAX_TREE_FILES", 2)
    with pytest.raises(TreeRefused, match="5 files; the limit is 2"):
        store_tree(FILES)


NAMES = st.binary(min_size=1, max_size=4).filter(lambda name: not set(name) & {0, 47} and name not in (b".", b".."))


class TreeProperties(HypothesisTestCase):
    @given(st.dictionaries(st.lists(NAMES, min_size=1, max_size=3).map(b"/".join), st.binary(max_size=20), max_size=8))
    @settings(max_examples=25, deadline=None)
    def test_whatever_is_stored_reads_back_the_same(self, contents: dict[bytes, bytes]) -> None:
        files = {path: ("100644", data) for path, data in contents.items()}
        try:
            stored = store_tree(files)
        except PathRefused:
            return
        listed = list_tree(stored.tree)
        assert {file.path: file.blob_sha256 for file in listed} == {
            path: hashlib.sha256(data).hexdigest() for path, data in contents.items()
        }
