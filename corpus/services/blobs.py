"""Bytes by content hash. Storing the same bytes twice stores them once and answers the same (N2, N5)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator

from django.db import transaction

from corpus.domain.limits import MAX_FILE_BYTES, MIB, in_words
from corpus.models import Blob

# Git's own test of a binary file: a NUL byte among the first bytes.
BINARY_WINDOW = 8000
# One INSERT carries at most this much, so that memory and the database's message size stay bounded.
BATCH_BYTES = 8 * MIB
BATCH_ROWS = 400


class BlobRefused(Exception):
    """Bytes cannot be stored; the message is one sentence for the person."""


def sha256_of(data: bytes) -> str:
    """Return the SHA-256 of `data` in lower-case hexadecimal, the identity of a blob."""
    return hashlib.sha256(data).hexdigest()


def line_count_of(data: bytes) -> int:
    """Return the number of lines: each ends at 0x0A, and text after the last one is a line too."""
    return data.count(b"\n") + (1 if data and not data.endswith(b"\n") else 0)


def longest_line_of(data: bytes) -> int:
    """Return the bytes of the longest line, its newline left out."""
    return max(map(len, data.split(b"\n")))


def is_binary(data: bytes) -> bool:
    """Say whether `data` is binary by git's test."""
    return b"\0" in data[:BINARY_WINDOW]


def store_blob(data: bytes) -> Blob:
    """Store `data` unless it is there already, and return its row without the bytes."""
    return store_blobs([data])[sha256_of(data)]


def store_blobs(contents: Iterable[bytes]) -> dict[str, Blob]:
    """Store every content that is new, and return the rows of all of them by SHA-256, without their bytes.

    Takes an iterator as well as a list and holds one batch of it in memory. Raises BlobRefused for bytes over the limit
    and for bytes that were withdrawn.
    """
    stored: dict[str, Blob] = {}
    with transaction.atomic():
        for batch in _batches(contents, stored):
            stored.update(_store_batch(batch))
    return stored


def _batches(contents: Iterable[bytes], stored: dict[str, Blob]) -> Iterator[dict[str, bytes]]:
    batch: dict[str, bytes] = {}
    size = 0
    for data in contents:
        if len(data) > MAX_FILE_BYTES:
            raise BlobRefused(
                f"A file has {len(data)} bytes; the limit is {in_words(MAX_FILE_BYTES)}, so leave it out of the import."
            )
        digest = sha256_of(data)
        if digest in stored or digest in batch:
            continue
        batch[digest] = data
        size += len(data)
        if size >= BATCH_BYTES or len(batch) >= BATCH_ROWS:
            yield batch
            batch, size = {}, 0
    if batch:
        yield batch


def _store_batch(batch: dict[str, bytes]) -> dict[str, Blob]:
    found = _rows(batch)
    # Sorted, so that two imports of the same bytes wait for each other instead of locking crosswise.
    missing = sorted(batch.keys() - found.keys())
    if missing:
        Blob.objects.bulk_create(
            [
                Blob(
                    sha256=digest,
                    size=len(batch[digest]),
                    data=batch[digest],
                    line_count=line_count_of(batch[digest]),
                    longest_line=longest_line_of(batch[digest]),
                    is_binary=is_binary(batch[digest]),
                )
                for digest in missing
            ],
            ignore_conflicts=True,
        )
        found |= _rows(missing)
    for digest, blob in found.items():
        if blob.withdrawn_at is not None:
            raise BlobRefused(f"Bytes with the SHA-256 {digest} were withdrawn and cannot be stored again.")
    return found


def _rows(digests: Iterable[str]) -> dict[str, Blob]:
    return {blob.sha256: blob for blob in Blob.objects.filter(sha256__in=list(digests)).defer("data")}
