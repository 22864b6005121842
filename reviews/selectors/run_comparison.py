"""Two runs side by side, on the cases that both versions hold unchanged."""

from __future__ import annotations

from dataclasses import dataclass

from corpus.models import CorpusVersion, Project, User
from reviews.domain.comparing import PairedGolden, RunComparison, compare_runs
from reviews.models import Run
from reviews.selectors.scorecards import Scorecard, scorecard

# Drawn once: the same two runs give the same interval whenever they are looked at.
SEED = 20_261_130


@dataclass(frozen=True)
class ComparedRuns:
    """What a page shows of two runs. `left_out` counts cases of either that the other's version does not hold so."""

    first: Scorecard
    second: Scorecard
    comparison: RunComparison
    left_out: int

    def only(self, *, first: bool) -> list[PairedGolden]:
        """Return the golden findings that only one of the runs found."""
        return [row for row in self.comparison.golden if row.first != row.second and row.first == first]

    @property
    def only_first(self) -> list[PairedGolden]:
        """The golden findings that only the first found."""
        return self.only(first=True)

    @property
    def only_second(self) -> list[PairedGolden]:
        """The golden findings that only the second found."""
        return self.only(first=False)

    @property
    def table(self) -> dict[str, int]:
        """How many golden findings both, one and neither found."""
        count = self.comparison.count
        return {
            "both": count(first=True, second=True),
            "first": count(first=True, second=False),
            "second": count(first=False, second=True),
            "neither": count(first=False, second=False),
        }


def comparable_runs(user: User, project: Project) -> list[Run]:
    """Return the runs against versions that a person may see, newest first."""
    found = Run.objects.visible_to(user).filter(project=project, version__isnull=False)
    return list(found.select_related("version", "configuration__tool").order_by("-pk"))


def compared_runs(first: Run, second: Run, *, viewer: User) -> ComparedRuns:
    """Return two runs compared over the cases whose frozen content is the same in both versions."""
    assert first.version is not None
    assert second.version is not None
    one, other = scorecard(first, viewer=viewer), scorecard(second, viewer=viewer)
    common = _digests(first.version).items() & _digests(second.version).items()
    shared = {case_id for case_id, _ in common}
    left = [case for case in one.cases if case.case_id in shared]
    right = [case for case in other.cases if case.case_id in shared]
    every = {case.case_id for case in (*one.cases, *other.cases)}
    return ComparedRuns(one, other, compare_runs(left, right, seed=SEED), len(every) - len(left))


def _digests(version: CorpusVersion) -> dict[str, str]:
    return dict(version.cases.values_list("case__public_id", "case_sha256"))
