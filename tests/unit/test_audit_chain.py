"""The chain of seals: what it covers and what breaks it."""

from __future__ import annotations

import hashlib
from dataclasses import replace

import pytest

from corpus.domain.audit_chain import BEFORE_THE_FIRST, EntryFacts, SealFacts, fault_of, seal_digest

FIRST = EntryFacts("2026-03-02T09:00:00.000000+00:00", "P1", "page", "round opened", "round R1", "C", "K1", "", "2")
SECOND = replace(FIRST, verb="case withdrawn", subject="case K1", before="ready", after="a licence")


def seal(**changes: object) -> SealFacts:
    entries = (FIRST, SECOND)
    made = SealFacts(1, BEFORE_THE_FIRST, seal_digest(1, BEFORE_THE_FIRST, entries), 2, entries)
    return replace(made, **changes)  # type: ignore[arg-type]


def test_the_digest_is_that_of_the_written_out_json() -> None:
    text = (
        '{"entries":[{"actor":"P1","after":"2","at":"2026-03-02T09:00:00.000000+00:00","before":"","case":"K1",'
        '"origin":"page","project":"C","subject":"round R1","verb":"round opened"}],"number":1,"previous":"'
        + "0" * 64
        + '"}'
    )
    assert seal_digest(1, BEFORE_THE_FIRST, [FIRST]) == hashlib.sha256(text.encode()).hexdigest()


def test_an_untouched_seal_has_no_fault() -> None:
    assert fault_of(seal(), 1, BEFORE_THE_FIRST) is None


@pytest.mark.parametrize("name", ["at", "actor", "origin", "verb", "subject", "project", "case", "before", "after"])
def test_a_change_of_any_field_is_found(name: str) -> None:
    changed = replace(SECOND, **{name: "x" + getattr(SECOND, name)})
    fault = fault_of(seal(entries=(FIRST, changed)), 1, BEFORE_THE_FIRST)
    assert fault == "an entry of seal 1 is not what was sealed"


@pytest.mark.parametrize(
    ("broken", "number", "words"),
    [
        (seal(entries=(SECOND, FIRST)), 1, "not what was sealed"),
        (seal(entries=(FIRST,)), 1, "covers 2 entries, and 1 are found"),
        (seal(entries=(FIRST, SECOND, FIRST)), 1, "covers 2 entries, and 3 are found"),
        (seal(entries=(FIRST,), count=1), 1, "not what was sealed"),
        (seal(number=3), 2, "seal 2 is missing: the next one found is 3"),
        (seal(previous="1" * 64), 1, "does not follow"),
    ],
)
def test_moved_missing_and_added_entries_are_found(broken: SealFacts, number: int, words: str) -> None:
    assert words in str(fault_of(broken, number, BEFORE_THE_FIRST))
