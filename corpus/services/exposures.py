"""Who saw what of which case (B2). Views and exports call this in the request that shows it."""

from __future__ import annotations

from collections.abc import Iterable

from corpus import clock
from corpus.domain.vocabulary import Channel, ExposureKind
from corpus.models import Case, Exposure, User


def record_exposure(*, user: User, cases: Iterable[Case], kind: ExposureKind, channel: Channel) -> None:
    """Note that `user` saw `kind` of each case; the first time of each way of seeing is kept.

    Seeing it again only reads: pages call this each time, and a look must not wait for the lock of a writer.
    """
    wanted = {case.pk: case for case in cases}
    known = Exposure.objects.filter(case_id__in=wanted, user=user, kind=kind, channel=channel)
    for pk in known.values_list("case_id", flat=True):
        wanted.pop(pk)
    if not wanted:
        return
    now = clock.now()
    Exposure.objects.bulk_create(
        [Exposure(case=case, user=user, kind=kind, channel=channel, first_seen_at=now) for case in wanted.values()],
        ignore_conflicts=True,
    )
