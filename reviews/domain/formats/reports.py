"""What a source says of a case as a whole: whether it was reviewed, and what that took."""

from __future__ import annotations

from reviews.domain.formats.fields import Fields
from reviews.domain.formats.records import CaseReport, RecordError, SeenFile
from reviews.domain.scored import RunState
from reviews.domain.vocabulary import ContextKind

MAX_CONTEXT = 5_000
REPORT_NAMES = (
    "state",
    "reason",
    "head_commit",
    "tokens_in",
    "tokens_out",
    "cost",
    "latency_ms",
    "declared_findings",
    "context",
)


def report_of(fields: Fields) -> CaseReport:
    """Return the report among the members of a record. Raises RecordError."""
    state = fields.text("state")
    if state and state not in {one.value for one in RunState}:
        raise RecordError(f'"state" must be one of {", ".join(RunState)}, but is "{state[:40]}"')
    context = fields.objects("context")
    if len(context) > MAX_CONTEXT:
        raise RecordError(f'"context" has {len(context)} members; the limit is {MAX_CONTEXT}')
    return CaseReport(
        state=RunState(state) if state else None,
        detail=fields.text("reason")[:500],
        head_commit=fields.text("head_commit")[:64],
        tokens_in=fields.amount("tokens_in"),
        tokens_out=fields.amount("tokens_out"),
        cost=fields.decimal("cost"),
        latency_ms=fields.amount("latency_ms"),
        declared_findings=fields.amount("declared_findings"),
        context=tuple(map(_seen, context)),
    )


def _seen(fields: Fields) -> SeenFile:
    kind = fields.text("kind") or ContextKind.FILE.value
    if kind not in {one.value for one in ContextKind}:
        raise RecordError(f'"kind" of a read file must be file or chunk, but is "{kind[:40]}"')
    first, last = fields.whole("start"), fields.whole("end")
    if first is not None and (not 1 <= first < 2**31 or not first <= (last or first) < 2**31):
        raise RecordError(f'the lines {first} to {last} in "context" are no range')
    return SeenFile(
        ContextKind(kind),
        fields.text("path", required=True)[:4096],
        first,
        (last or first) if first is not None else None,
        fields.text("sha256")[:64],
    )
