"""Agreement on the cases of a frozen version, for its receipt."""

from __future__ import annotations

from collections.abc import Sequence

from corpus.models import CorpusVersion, User
from corpus.selectors.version_figures import VersionFigure, figure_source


@figure_source
def agreement_on(version: CorpusVersion, user: User) -> Sequence[VersionFigure]:
    """Return the headline of each layer over the version's cases that count for `user`; none without any."""
    # numpy is loaded by the first page of figures, and not with the app.
    from labeling.selectors.agreement.overview import overview
    from labeling.selectors.agreement.sample import counted_tallies, counts_of

    held = counted_tallies(version.project, user).filter(case_id__in=version.cases.values("case_id"))
    found = overview(counts_of(held.newest()))
    if not found.cases:
        return ()
    return tuple(
        VersionFigure(
            label=f"{card.title} ({card.headline.label})",
            value=card.headline.text,
            interval=card.headline.interval,
            counts=card.headline.counts,
        )
        for card in found.layers
    )
