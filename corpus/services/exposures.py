"""Who saw what of which case (B2). Views and exports call this in the request that shows it."""

from __future__ import annotations

from collections.abc import Iterable

from corpus import clock
from corpus.domain.vocabulary import Channel, ExposureKind
from corpus.models import Case, Exposure, User


def record_exposure(*, user: User, cases: Iterable[Case], kind: ExposureKind, channel: Channel) -> None:
    """Note that `user` saw `kind` of each case; the first time of each way of seeing is kept."""
    now = clock.now()
    Exposure.objects.bulk_create(
        [Exposure(case=case, user=user, kind=kind, channel=channel, first_seen_at=now) for case in cases],
        ignore_conflicts=True,
    )
