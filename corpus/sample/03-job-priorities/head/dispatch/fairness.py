"""Which of several ready jobs comes next."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Candidate:
    """A ready job, as far as the order depends on it."""

    id: int
    tenant: str
    priority: int


def choose(candidates: Sequence[Candidate], leases: Mapping[str, int]) -> Candidate:
    """The candidate to take next: priority, then fewest leases of its tenant, then age.

    `leases` counts the jobs that each tenant holds at the moment; a missing tenant holds none.
    """
    if not candidates:
        raise ValueError("nothing to choose from")
    return min(candidates, key=lambda job: (-job.priority, leases.get(job.tenant, 0), job.id))
