"""Sealing the audit trail: entries are chained in batches after they were written, by one sealer at a time."""

from __future__ import annotations

from django.db import IntegrityError, transaction

from corpus import clock
from corpus.domain.audit_chain import BEFORE_THE_FIRST, seal_digest
from corpus.models import AuditEntry, AuditSeal, SealedEntry
from corpus.selectors.audit_chain import facts_of
from corpus.services.jobs import periodically

BATCH = 1000


def seal_audit() -> AuditSeal | None:
    """Seal up to `BATCH` entries that no seal covers; None if there are none, or another sealer was quicker."""
    if not AuditEntry.objects.unsealed().exists():
        return None
    try:
        with transaction.atomic():
            return _seal()
    except IntegrityError:
        # Two sealers took the same number: the other one's seal holds, and what is left waits for the next call.
        return None


@periodically
def seal_all() -> None:
    """Seal whatever waits."""
    while seal_audit() is not None:
        pass


def _seal() -> AuditSeal | None:
    # On PostgreSQL the second sealer waits here and then fails on the number; SQLite lets one writer in at a time.
    head = AuditSeal.objects.select_for_update().order_by("-number").first()
    number, previous = (head.number + 1, head.digest) if head else (1, BEFORE_THE_FIRST)
    entries = list(AuditEntry.objects.unsealed().select_related("actor", "project", "case")[:BATCH])
    if not entries:
        return None
    digest = seal_digest(number, previous, facts_of(entries))
    seal = AuditSeal.objects.create(
        number=number, previous=previous, digest=digest, count=len(entries), sealed_at=clock.now()
    )
    SealedEntry.objects.bulk_create(
        SealedEntry(entry=entry, seal=seal, position=position) for position, entry in enumerate(entries)
    )
    return seal
