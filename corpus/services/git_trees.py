"""Snapshots out of a git repository: the files of two commits, each read once, without references or history (B6)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from django.db import transaction

from corpus.domain.bytestext import path_text
from corpus.domain.limits import MAX_FILE_BYTES, MAX_TREE_FILES, in_words
from corpus.domain.paths import check_paths
from corpus.gitrepo import GitLimits, GitRepository
from corpus.services.blobs import sha256_of, store_blobs
from corpus.services.trees import SUBMODULE, Leaf, StoredTree, TreeRefused, check_size, store_leaves

GIT_LIMITS = GitLimits(max_blob_bytes=MAX_FILE_BYTES)
# Entries as git counts them; a file that git calls group-writable is a plain file.
MODES = {"100664": "100644"}


@transaction.atomic
def store_git_trees(repository: GitRepository, base: str, head: str) -> tuple[StoredTree, StoredTree]:
    """Store the trees of two commits. Raises TreeRefused, PathRefused, GitRefused or BlobRefused."""
    listings = [_listing(repository, commit) for commit in (base, head)]
    # The first path of each blob, to name it when it is too large.
    paths: dict[str, bytes] = {}
    for listing in listings:
        for path, (mode, oid) in listing.items():
            if mode != SUBMODULE:
                paths.setdefault(oid, path)
    digests: dict[str, str] = {}
    blobs = store_blobs(_contents(repository, paths, digests))
    stored = [
        store_leaves(
            {
                path: Leaf(mode, commit=oid) if mode == SUBMODULE else Leaf(mode, blob=blobs[digests[oid]])
                for path, (mode, oid) in listing.items()
            }
        )
        for listing in listings
    ]
    return stored[0], stored[1]


def _listing(repository: GitRepository, commit: str) -> dict[bytes, tuple[str, str]]:
    files: dict[bytes, tuple[str, str]] = {}
    for entry in repository.tree(commit):
        files[entry.name] = (MODES.get(entry.mode, entry.mode), entry.oid)
        if len(files) > MAX_TREE_FILES:
            raise TreeRefused(
                f"The snapshot has more than {MAX_TREE_FILES} files, which is the limit; import its patch instead."
            )
    check_paths(files)
    return files


def _contents(repository: GitRepository, paths: Mapping[str, bytes], digests: dict[str, str]) -> Iterator[bytes]:
    """Yield the bytes of each blob, noting its SHA-256 under its object name."""
    size = 0
    for blob in repository.blobs(paths):
        if blob.data is None:
            raise TreeRefused(
                f'"{path_text(paths[blob.oid])}" has {blob.size} bytes; the limit of a file is '
                f"{in_words(MAX_FILE_BYTES)}, so import the patch alone instead."
            )
        size += blob.size
        check_size(len(paths), size)
        digests[blob.oid] = sha256_of(blob.data)
        yield blob.data
