"""What the chain over the audit trail says of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC

from corpus.domain.audit_chain import BEFORE_THE_FIRST, EntryFacts, SealFacts, fault_of
from corpus.models import AuditEntry, AuditSeal


@dataclass(frozen=True)
class ChainReport:
    """The state of the chain. `fault` is None where every seal holds; `tail` counts entries that no seal covers yet."""

    seals: int
    sealed: int
    head: str
    tail: int
    fault: str | None
    digests: frozenset[str]


def check_chain() -> ChainReport:
    """Recompute every seal from the stored entries, one seal in memory at a time; stops at the first fault."""
    number, previous, sealed = 0, BEFORE_THE_FIRST, 0
    digests: set[str] = set()
    fault = None
    for seal in _seals():
        fault = fault_of(seal, number + 1, previous)
        if fault is not None:
            break
        number, previous, sealed = seal.number, seal.digest, sealed + seal.count
        digests.add(seal.digest)
    return ChainReport(
        seals=number,
        sealed=sealed,
        head=previous if number else "",
        tail=AuditEntry.objects.unsealed().count(),
        fault=fault,
        digests=frozenset(digests),
    )


def _seals() -> Iterator[SealFacts]:
    for seal in AuditSeal.objects.order_by("number").iterator():
        entries = AuditEntry.objects.filter(sealed__seal=seal).order_by("sealed__position")
        yield SealFacts(
            number=seal.number,
            previous=seal.previous,
            digest=seal.digest,
            count=seal.count,
            entries=facts_of(entries.select_related("actor", "project", "case")),
        )


def facts_of(entries: Iterable[AuditEntry]) -> tuple[EntryFacts, ...]:
    """Return what is sealed of stored entries."""
    return tuple(
        EntryFacts(
            at=entry.at.astimezone(UTC).isoformat(timespec="microseconds"),
            actor=entry.actor.public_id if entry.actor else "",
            origin=entry.origin,
            verb=entry.verb,
            subject=entry.subject,
            project=entry.project.public_id if entry.project else "",
            case=entry.case.public_id if entry.case else "",
            before=entry.before,
            after=entry.after,
        )
        for entry in entries
    )
