"""Who sits where: a seeded, balanced draw by expertise, and the order of a reviewer's queue.

Nothing here depends on the order of its arguments. Ties are broken by keyed hashes and never by ids or names, so that a
draw can be repeated from its seed and no order tells of anybody's work.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Candidate:
    """A person who may be drawn. `load` counts the unsettled cases they hold; words are compared without case."""

    id: str
    load: int = 0
    languages: frozenset[str] = frozenset()
    areas: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Demand:
    """A case with free seats. Only members of `eligible` may be drawn; `groups` are its family and cluster (B7)."""

    case: str
    seats: int
    eligible: frozenset[str]
    language: str = ""
    area: str = ""
    groups: frozenset[str] = frozenset()


def keyed_hash(key: bytes, *parts: str) -> bytes:
    """Return HMAC-SHA256 of `parts` under `key`; parts are length-prefixed, so that no two lists collide."""
    message = b"".join(len(raw).to_bytes(4, "big") + raw for raw in (part.encode() for part in parts))
    return hmac.new(key, message, hashlib.sha256).digest()


def queue_order(*, key: bytes, person: str, case: str) -> bytes:
    """Return the sort key of a case in a person's queue (B7)."""
    return keyed_hash(key, "queue", person, case)


def words_of(text: str) -> frozenset[str]:
    """Return the comma-separated words of a language or area column, folded for comparison."""
    return frozenset(word.strip().casefold() for word in text.split(",") if word.strip())


def misfit(candidate: Candidate, *, language: str, area: str) -> int:
    """Return 0 for one who knows the language and the area, 1 language only, 2 area only, 3 neither.

    What a case does not say is known to everybody.
    """
    languages, areas = words_of(language), words_of(area)
    knows_language = not languages or bool(languages & frozenset(word.casefold() for word in candidate.languages))
    knows_area = not areas or bool(areas & frozenset(word.casefold() for word in candidate.areas))
    return (0 if knows_language else 2) + (0 if knows_area else 1)


def choose(
    candidates: Iterable[Candidate], demand: Demand, *, seed: int, loads: Mapping[str, int] | None = None
) -> tuple[str, ...]:
    """Return the ids of the eligible candidates in the order in which they would be seated.

    Expertise comes first, then the smaller load, then a hash keyed with the seed. `loads` overrides the
    candidates' own.
    """
    key = str(seed).encode()
    now = loads or {}

    def rank(candidate: Candidate) -> tuple[int, int, bytes]:
        fit = misfit(candidate, language=demand.language, area=demand.area)
        return fit, now.get(candidate.id, candidate.load), keyed_hash(key, "seat", demand.case, candidate.id)

    return tuple(one.id for one in sorted((c for c in candidates if c.id in demand.eligible), key=rank))


def draw(candidates: Iterable[Candidate], demands: Iterable[Demand], *, seed: int) -> dict[str, tuple[str, ...]]:
    """Seat people on many cases at once; return the drawn ids by case, in slot order.

    Cases with the fewest eligible people are served first, ties by a hash keyed with the seed. Each seat raises its
    holder's load, and nobody is drawn for two cases that share a group. A case for which too few people remain is left
    out whole.
    """
    people = tuple(candidates)
    key = str(seed).encode()
    loads = {person.id: person.load for person in people}
    taken: dict[str, set[str]] = {}
    drawn: dict[str, tuple[str, ...]] = {}
    for demand in sorted(demands, key=lambda one: (len(one.eligible), keyed_hash(key, "case", one.case))):
        barred: set[str] = set().union(*(taken.get(group, set()) for group in demand.groups))
        order = [one for one in choose(people, demand, seed=seed, loads=loads) if one not in barred]
        if len(order) < demand.seats:
            continue
        drawn[demand.case] = tuple(order[: demand.seats])
        for one in drawn[demand.case]:
            loads[one] += 1
            for group in demand.groups:
                taken.setdefault(group, set()).add(one)
    return drawn
