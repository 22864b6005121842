"""The change of one record of an import, read again from its bytes; nothing is stored."""

from __future__ import annotations

from itertools import islice

from corpus.importers.records import ImportedCase, ImportRefused, Source
from corpus.models import ImportBatch, ImportRecord
from corpus.services.cases import GitSource, PatchSource
from corpus.services.changes import Change, change_from_patch
from corpus.services.import_records import REFUSALS, records_of
from corpus.services.scratch import patch_between


class NothingToShow(Exception):
    """A record has no change that can be shown; the message is one sentence for the person."""


def change_of_record(*, batch: ImportBatch, record: ImportRecord) -> Change:
    """Return the change that a record brings. Raises NothingToShow where it brings none that can be read."""
    if batch.raw is None or batch.raw.withdrawn_at is not None:
        raise NothingToShow("The bytes of this import are no longer here.")
    try:
        with records_of(batch, Source(batch.source_name, bytes(batch.raw.data))) as records:
            read = next(islice(records, record.position, None), None)
            change = read.change if isinstance(read, ImportedCase) else None
            if change is None:
                raise NothingToShow("This record brings no change.")
            if isinstance(change, PatchSource):
                return change_from_patch(change.patch)
            if isinstance(change, GitSource):
                return change_from_patch(change.repository.patch(change.base, change.head))
            return change_from_patch(change.patch or patch_between(change.base, change.head))
    except (ImportRefused, *REFUSALS) as error:
        raise NothingToShow(str(error)) from error
