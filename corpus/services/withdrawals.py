"""Withdrawal of bytes: a secret or a licence surfaced, so bytes are destroyed. Digest and tombstone stay (N5)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from django.db import connection, transaction

from corpus import clock
from corpus.models import Blob, Case, CaseFile, CaseHunk, Claim, DrawnFile, HighlightedBlob, ImportBatch, User
from corpus.selectors.withdrawals import WithdrawalPlan, WithdrawalRefused, plan_withdrawal, quoting_rows
from corpus.services import audit
from corpus.services.staleness import mark_stale

__all__ = ["WithdrawalChanged", "WithdrawalRefused", "ends_work", "withdraw_bytes"]

MAX_REASON = 200
STALE_REASON = "Files of its snapshot were withdrawn."


class WithdrawalChanged(Exception):
    """Something else would be destroyed than the person has seen; `plan` says what it would be now."""

    def __init__(self, plan: WithdrawalPlan) -> None:
        super().__init__("What would be destroyed has changed since you looked; nothing was done.")
        self.plan = plan


class Ending(Protocol):
    """Ends all work on a case that loses its change, and takes it out of the corpus."""

    def __call__(self, *, case: Case, actor: User, reason: str) -> object: ...


_endings: list[Ending] = []


def ends_work(ending: Ending) -> Ending:
    """Register how the app that knows of work on cases ends it."""
    _endings.append(ending)
    return ending


def withdraw_bytes(
    *, case: Case, paths: Sequence[str] | None, reason: str, actor: User, seen: str = "", everywhere: bool = False
) -> WithdrawalPlan:
    """Destroy files of a case wherever they are used, or without paths all that the case alone uses.

    `seen` is the digest of the plan that the person has confirmed; without one whatever is found goes. `everywhere`
    reaches cases that the actor does not manage, and is for who runs the server. Raises WithdrawalRefused and
    WithdrawalChanged; then nothing was done.
    """
    reason = " ".join(reason.split())
    if not reason:
        raise WithdrawalRefused("Say why the bytes are withdrawn: the reason stays on record.")
    if len(reason) > MAX_REASON:
        raise WithdrawalRefused(f"The reason has {len(reason)} characters; the limit is {MAX_REASON}, so shorten it.")
    _overwrite_what_is_freed()
    with transaction.atomic():
        plan = plan_withdrawal(case=case, paths=paths, viewer=None if everywhere else actor)
        if seen and plan.digest != seen:
            raise WithdrawalChanged(plan)
        for losing in plan.losing:
            for ending in _endings:
                ending(case=losing, actor=actor, reason=f"Bytes withdrawn: {reason}")
        mark_stale(cases=Case.objects.filter(pk__in=[one.pk for one in plan.keeping]), reason=STALE_REASON, actor=actor)
        destroy(plan)
        for one in plan.touched:
            audit.record(
                actor=actor,
                verb="bytes withdrawn",
                subject=f"case {one.case.public_id}",
                case=one.case,
                before="its change" if one.loses_change else "files of its snapshot",
                after=reason,
            )
    _empty_the_log()
    return plan


def destroy(plan: WithdrawalPlan) -> None:
    """Destroy the bytes of a plan and everything that repeats them, inside the caller's transaction."""
    losing = [case.pk for case in plan.losing]
    # Quotes are found by the digests of what they quote, which stay.
    for rows in quoting_rows(plan.blobs, losing):
        rows.update(quote="")
    digests = list(Blob.objects.filter(pk__in=plan.blobs).values_list("sha256", flat=True))
    HighlightedBlob.objects.filter(blob_sha256__in=digests).delete()
    DrawnFile.objects.filter(case_file__case__in=losing).delete()
    # The words after the numbers of a hunk are a line of the file.
    CaseHunk.objects.filter(case_file__in=CaseFile.objects.filter(case__in=losing)).update(section=b"")
    # An imported claim keeps the record it was read from, which may quote the change.
    Claim.objects.filter(case__in=losing).update(raw="")
    ImportBatch.objects.filter(raw__in=plan.blobs, state=ImportBatch.PREVIEWED).update(state=ImportBatch.DISCARDED)
    Blob.objects.filter(pk__in=plan.blobs).update(data=b"", withdrawn_at=clock.now())


def _overwrite_what_is_freed() -> None:
    """Let SQLite fill freed pages with zeros; PostgreSQL reuses them after the next VACUUM."""
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA secure_delete=ON")


def _empty_the_log() -> None:
    """Write SQLite's log back and truncate it: it holds the pages as they were."""
    if connection.vendor == "sqlite" and not connection.in_atomic_block:
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
