"""What the change of a case holds that gates ask about: its lines, words that tell, secrets.

What is found in a change depends on its bytes alone, so a process remembers it by their digest: a plan is looked at
often, and searching is most of its cost.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from corpus.domain.bytestext import path_text
from corpus.domain.diff import PatchRefused, parse_patch
from corpus.domain.diff_model import ParsedDiff
from corpus.domain.near_duplicates import changed_lines
from corpus.domain.oracle_leaks import Leak, leaks_in
from corpus.models import Blob, GoldenRevision
from corpus.secret_scan import FoundSecret, secrets_in

REMEMBERED = 20_000


@dataclass(frozen=True)
class CaseContent:
    """What was found in the lines that a change shows."""

    changed_lines: frozenset[bytes] = frozenset()
    leaks: tuple[Leak, ...] = ()
    secrets: tuple[FoundSecret, ...] = ()


NOTHING = CaseContent()
_remembered: dict[str, CaseContent] = {}


def contents_of(
    patches: Mapping[int, str], revisions: Mapping[int, Sequence[GoldenRevision]]
) -> dict[int, CaseContent]:
    """Return what each patch holds, by its key; `patches` gives digests, `revisions` the findings of its case.

    Of withdrawn bytes nothing is known.
    """
    unread = [key for key, sha256 in patches.items() if sha256 not in _remembered or revisions.get(key)]
    data = dict(Blob.objects.filter(pk__in=unread, withdrawn_at__isnull=True).values_list("pk", "data"))
    return {
        key: _content(sha256, bytes(data[key]) if key in data else b"", revisions.get(key, ()))
        for key, sha256 in patches.items()
    }


def _content(sha256: str, patch: bytes, revisions: Sequence[GoldenRevision]) -> CaseContent:
    known = _remembered.get(sha256)
    if not patch:
        return known or NOTHING
    try:
        diff = parse_patch(patch)
    except PatchRefused:
        return NOTHING
    texts = shown_lines(diff)
    if known is None:
        known = CaseContent(changed_lines(diff), tuple(leaks_in(texts)), tuple(secrets_in(texts)))
        while len(_remembered) >= REMEMBERED:
            _remembered.pop(next(iter(_remembered)))
        _remembered[sha256] = known
    if not revisions:
        return known
    ids = [revision.finding.public_id for revision in revisions]
    summaries = {revision.finding.public_id: revision.title for revision in revisions}
    telling = [leak for leak in leaks_in(texts, ids=ids, summaries=summaries) if leak.tells_truth]
    return CaseContent(known.changed_lines, (*known.leaks, *telling), known.secrets)


def shown_lines(diff: ParsedDiff) -> dict[str, list[tuple[int, bytes]]]:
    """Return the lines that a change shows, by file and with their numbers; removed ones under the old side's name."""
    texts: dict[str, list[tuple[int, bytes]]] = {}
    for file in diff.files:
        for hunk in file.hunks:
            for line in hunk.lines:
                if line.side_new is not None:
                    name = path_text(file.new_path or file.old_path or b"")
                    texts.setdefault(name, []).append((line.side_new, line.text))
                elif line.side_old is not None:
                    name = f"the old side of {path_text(file.old_path or file.new_path or b'')}"
                    texts.setdefault(name, []).append((line.side_old, line.text))
    return texts
