"""What every importer yields: a case as it was read, or the place and reason of a record that cannot be one."""

from __future__ import annotations

from dataclasses import dataclass, field

from corpus.services.case_facts import CaseFacts
from corpus.services.cases import ChangeSource
from corpus.services.claims import ClaimDraft

NO_CHANGE = "The change is missing: attach its patch, or its base and head."


class ImportRefused(Exception):
    """Nothing of a source can be read; the message is one sentence with place, value or limit, and remedy."""


class RecordRefused(Exception):
    """One record cannot be read; the message is one sentence, its place is known to whoever catches it."""


@dataclass(frozen=True)
class Source:
    """What is imported: a name for people, and bytes. A folder comes as an archive, a repository as its three names."""

    name: str
    data: bytes


@dataclass(frozen=True)
class ImportedCase:
    """One case as it was read. Without a `change` it is imported as incomplete and needs a `reference`.

    `reference` is the source's own name of the case: a change that comes later under the same name completes it.
    `notes` say what was left empty or out, for the list of what was imported.
    """

    place: str
    facts: CaseFacts
    change: ChangeSource | None = None
    reference: str = ""
    missing: str = NO_CHANGE
    claims: tuple[ClaimDraft, ...] = ()
    notes: tuple[str, ...] = field(default=())

    @property
    def summary(self) -> str:
        """Return what the list of an import calls the record."""
        return self.facts.title or self.reference or self.facts.head_commit[:12] or "change without a title"


@dataclass(frozen=True)
class Rejected:
    """A record that cannot be imported, with its place and the reason."""

    place: str
    reason: str
    summary: str = ""


Record = ImportedCase | Rejected
