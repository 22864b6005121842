"""Blind sets: cases under blind ids, in an order that was drawn and that stays sealed until judging is over.

The mapping is committed to before anybody judges: the SHA-256 over the mapping and 256 random bits is published, and
when the seal is opened everybody can check that the mapping is the one of then. Without the random bits the few orders
of a small set could be tried. The seed of the draw is sealed too, since it gives the order away.
"""

from __future__ import annotations

import hashlib
import json
import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

COMMITMENT_FORMAT = "touchstone-blind-commitment"
SEAL_FORMAT = "touchstone-blind-seal"
_NONCE = re.compile(r"[0-9a-f]{64}")


class SealError(ValueError):
    """A seal or a commitment cannot be read; the message says what is wrong."""


@dataclass(frozen=True)
class Sealed:
    """What stays sealed: the seed, the nonce, and the cases in the order of their blind ids."""

    seed: int
    nonce: str
    case_ids: tuple[str, ...]

    @property
    def mapping(self) -> dict[str, str]:
        """Return the case of each blind id."""
        return dict(zip(blind_ids(len(self.case_ids)), self.case_ids, strict=True))


def blind_ids(number: int) -> list[str]:
    """Return B-01, B-02 and so on, wide enough for all of them."""
    width = max(2, len(str(number)))
    return [f"B-{at:0{width}}" for at in range(1, number + 1)]


def shuffled(case_ids: Sequence[str], seed: int) -> tuple[str, ...]:
    """Return the cases, given in their own order, in the order that `seed` draws."""
    drawn = list(case_ids)
    random.Random(seed).shuffle(drawn)  # noqa: S311 - reproducible by whoever knows the seed
    return tuple(drawn)


def seal(case_ids: Sequence[str], *, seed: int, nonce: str) -> Sealed:
    """Draw the order of `case_ids`. `nonce` is 256 random bits in hexadecimal. Raises SealError."""
    if not _NONCE.fullmatch(nonce):
        raise SealError("the nonce is not 64 lower-case hexadecimal digits")
    if len(set(case_ids)) != len(case_ids):
        raise SealError("a case stands twice")
    return Sealed(seed, nonce, shuffled(case_ids, seed))


def commitment(sealed: Sealed) -> str:
    """Return what is published before judging: SHA-256 over the mapping, the seed and the nonce."""
    content = {"mapping": sealed.mapping, "nonce": sealed.nonce, "seed": sealed.seed}
    return hashlib.sha256(json.dumps(content, sort_keys=True, separators=(",", ":")).encode("ascii")).hexdigest()


def is_opened_by(published: str, sealed: Sealed) -> bool:
    """Say whether `sealed` is what `published` committed to, and its order the one that its seed draws."""
    return commitment(sealed) == published and sealed.case_ids == shuffled(sorted(sealed.case_ids), sealed.seed)


def seal_plain(sealed: Sealed) -> dict[str, Any]:
    """Return the seal as plain JSON values."""
    return {"format": SEAL_FORMAT, "seed": sealed.seed, "nonce": sealed.nonce, "mapping": sealed.mapping}


def commitment_plain(sealed: Sealed) -> dict[str, Any]:
    """Return what is published, as plain JSON values."""
    return {"format": COMMITMENT_FORMAT, "cases": len(sealed.case_ids), "sha256": commitment(sealed)}


def read_seal(plain: Any) -> Sealed:
    """Return the seal that JSON holds. Raises SealError."""
    if not isinstance(plain, dict) or plain.get("format") != SEAL_FORMAT:
        raise SealError(f"it does not say that it is a {SEAL_FORMAT}")
    seed, nonce, mapping = plain.get("seed"), plain.get("nonce"), plain.get("mapping")
    if not isinstance(seed, int) or isinstance(seed, bool) or not isinstance(nonce, str) or not _NONCE.fullmatch(nonce):
        raise SealError("its seed is no whole number, or its nonce is not 64 lower-case hexadecimal digits")
    if not isinstance(mapping, dict) or not all(isinstance(case_id, str) for case_id in mapping.values()):
        raise SealError("its mapping is no object of case ids")
    if set(mapping) != set(blind_ids(len(mapping))):
        raise SealError("its blind ids are not B-01, B-02 and so on")
    return Sealed(seed, nonce, tuple(mapping[blind_id] for blind_id in blind_ids(len(mapping))))


def read_commitment(plain: Any) -> str:
    """Return the published hash that JSON holds. Raises SealError."""
    sha256 = plain.get("sha256") if isinstance(plain, dict) and plain.get("format") == COMMITMENT_FORMAT else None
    if not isinstance(sha256, str) or not _NONCE.fullmatch(sha256):
        raise SealError(f"it does not say that it is a {COMMITMENT_FORMAT} with a SHA-256")
    return sha256
