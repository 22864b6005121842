"""Intakes: a tool's output is read and previewed first, then taken into its runs or discarded (N2, N8)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models import Max

from corpus import clock
from corpus.domain.places import Anchor
from corpus.domain.vocabulary import AnchorLevel, AnchorRole, Side
from corpus.importers.records import Source
from corpus.models import Blob, Case, CaseSeat, CorpusVersion, Job, Project, User
from corpus.selectors.quotes import CaseText, PlaceRefused
from corpus.services import audit, jobs
from corpus.services.blobs import BlobRefused, store_blob
from corpus.services.case_facts import printable
from reviews.domain.anchoring import FoundPlace, Level, claimed_words
from reviews.domain.neutral import content_digest, neutral_suggestion, neutral_text
from reviews.domain.vocabulary import CaseRunState, RecordKind, ToolKind
from reviews.models import (
    AIAnchor,
    AIFinding,
    CaseRun,
    Intake,
    IntakeRecord,
    IntakeRemark,
    JudgeVerdict,
    RawRecord,
    Run,
    SeenContext,
    Tool,
    ToolConfiguration,
)
from reviews.selectors.source_settings import latest_settings, read_settings
from reviews.services.intake_plan import (
    SPOKEN,
    CasePlan,
    Plan,
    Planned,
    existing_run,
    make_plan,
    note_held,
    where_words,
)
from reviews.services.matching import propose_matches
from reviews.services.sources import IntakeRefused, format_of, pieces_of, read_pieces
from reviews.services.tools import create_tool

JOB_KIND = "import_run"
# Intakes of at most so many records are taken in within the request that confirms them.
AT_ONCE = 50
LOT = 200
MAX_BODY = 400_000
MAX_NATIVE = 100

__all__ = [
    "IntakeRefused",
    "IntakeStateRefused",
    "Target",
    "Trial",
    "commit_intake",
    "discard_intake",
    "keep_trial",
    "preview_intake",
    "read_again",
    "try_intake",
]


class IntakeStateRefused(Exception):
    """The intake is in no state for this; the message is one sentence for the person."""


@dataclass(frozen=True)
class Target:
    """The run that an intake is for: tool (None: each that the file names), configuration, version (None: shadow).

    Without a configuration the tool's latest is taken. `for_case` is the case of a file that names none.
    """

    tool: Tool | None = None
    configuration: ToolConfiguration | None = None
    version: CorpusVersion | None = None
    name: str = ""
    repeat: int = 1
    scores_suppressed: bool = False
    for_case: Case | None = None


@dataclass(frozen=True)
class Trial:
    """What an intake would bring: an intake that is not stored, its plan, and the source it was read from."""

    source: Source
    intake: Intake
    plan: Plan


def try_intake(*, project: Project, source: Source, target: Target, created_by: User, format_name: str = "") -> Trial:
    """Read a source and say what would become of every record; nothing is stored.

    Raises IntakeRefused when nothing of it can be taken in, and for whoever labels in the project at present: what a
    preview tells may be about their case (B1).
    """
    if CaseSeat.objects.filter(case__project=project, user=created_by, closed_at__isnull=True).exists():
        raise IntakeRefused(
            "You hold an open seat in this project, so you may not see what tools said; ask somebody else to import it."
        )
    _check_target(project, target)
    pieces = pieces_of(source)
    found = format_of(source, pieces, format_name)
    settings = latest_settings(target.tool, found.name)
    intake = Intake(
        project=project,
        tool=target.tool,
        configuration=target.configuration,
        version=target.version,
        for_case=target.for_case,
        name=_cut(target.name, 120),
        repeat=target.repeat,
        scores_suppressed=target.scores_suppressed,
        format=found.name,
        format_reason=_cut(found.reason, 300),
        source_name=_cut(source.name, 500),
        settings=settings,
        created_by=created_by,
        created_at=clock.now(),
    )
    return Trial(source, intake, _plan(intake, source))


def _check_target(project: Project, target: Target) -> None:
    if target.tool is not None and target.tool.project_id != project.pk:
        raise IntakeRefused("The tool belongs to another project; choose one of this project.")
    if target.configuration is not None and (target.tool is None or target.configuration.tool_id != target.tool.pk):
        raise IntakeRefused("The configuration belongs to another tool; choose one of the tool's own.")
    if target.version is not None and target.version.project_id != project.pk:
        raise IntakeRefused("The version belongs to another project; choose one of this project.")
    if not 1 <= target.repeat <= 1_000:
        raise IntakeRefused("The number of a repeat is from 1 to 1000.")


def _plan(intake: Intake, source: Source) -> Plan:
    settings = read_settings(intake.tool, intake.settings)
    return make_plan(intake, read_pieces(pieces_of(source), intake.format, settings), settings)


@transaction.atomic
def keep_trial(*, trial: Trial) -> Intake:
    """Store a trial as a preview that can be confirmed: its bytes and its list of records, nothing of any run."""
    intake = trial.intake
    try:
        intake.raw = store_blob(trial.source.data)
    except BlobRefused as error:
        raise IntakeRefused(f"{trial.source.name}: {error}") from error
    intake.save(force_insert=True)
    IntakeRecord.objects.bulk_create(
        (_row(intake, position, one) for position, one in enumerate(trial.plan.records)), batch_size=400
    )
    IntakeRemark.objects.bulk_create(_remarks(intake, trial.plan))
    audit.record(
        actor=intake.created_by,
        verb="intake previewed",
        subject=f"intake {intake.public_id}",
        project=intake.project,
        after=_counts_in_words(intake),
    )
    return intake


def preview_intake(
    *, project: Project, source: Source, target: Target, created_by: User, format_name: str = ""
) -> Intake:
    """Try an intake and keep what it would bring. Raises IntakeRefused; then nothing is stored."""
    return keep_trial(
        trial=try_intake(project=project, source=source, target=target, created_by=created_by, format_name=format_name)
    )


def read_again(*, intake: Intake, actor: User) -> Intake:
    """Preview the kept bytes of an intake anew, with the settings of its source as they are by now.

    The earlier preview is discarded. Raises IntakeRefused, or IntakeStateRefused once it was confirmed.
    """
    if intake.state != Intake.PREVIEWED:
        raise IntakeStateRefused("Only a preview can be read again; upload the file anew.")
    source = Source(intake.source_name, bytes(Blob.objects.get(pk=intake.raw_id).data))
    target = Target(
        tool=intake.tool,
        configuration=intake.configuration,
        version=intake.version,
        name=intake.name,
        repeat=intake.repeat,
        scores_suppressed=intake.scores_suppressed,
        for_case=intake.for_case,
    )
    trial = try_intake(
        project=intake.project, source=source, target=target, created_by=actor, format_name=intake.format
    )
    with transaction.atomic():
        discard_intake(intake=intake, actor=actor)
        return keep_trial(trial=trial)


def commit_intake(*, intake: Intake, actor: User) -> Intake:
    """Take an intake into its runs: at once where it is little, else by a job that a killed worker's successor resumes.

    Confirming again changes nothing, and takes up an intake that broke off.
    """
    with transaction.atomic():
        taken = Intake.objects.filter(
            pk=intake.pk, state=Intake.PREVIEWED, records__outcome=IntakeRecord.NEW
        ).exists() and Intake.objects.filter(pk=intake.pk, state=Intake.PREVIEWED).update(state=Intake.COMMITTING)
        intake.refresh_from_db()
        if not taken and intake.state == Intake.PREVIEWED:
            raise IntakeStateRefused("Nothing of this file is new; there is nothing to confirm.")
        if intake.state == Intake.DISCARDED:
            raise IntakeStateRefused("This upload was discarded; upload the file again.")
        if intake.state == Intake.COMMITTED:
            return intake
        job = jobs.enqueue(kind=JOB_KIND, project=intake.project, subject=intake.public_id, created_by=actor)
    if intake.records.count() <= AT_ONCE:
        jobs.run_job(job.public_id)
    intake.refresh_from_db()
    return intake


def discard_intake(*, intake: Intake, actor: User) -> Intake:
    """Set a preview aside. Raises IntakeStateRefused once it was confirmed."""
    with transaction.atomic():
        taken = Intake.objects.filter(pk=intake.pk, state=Intake.PREVIEWED).update(state=Intake.DISCARDED)
        intake.refresh_from_db()
        if not taken and intake.state != Intake.DISCARDED:
            raise IntakeStateRefused("This upload was confirmed and cannot be discarded; what tools said is kept.")
        if taken:
            audit.record(
                actor=actor,
                verb="intake discarded",
                subject=f"intake {intake.public_id}",
                project=intake.project,
                before=Intake.PREVIEWED,
                after=Intake.DISCARDED,
            )
    return intake


@jobs.handles(JOB_KIND)
def run_intake(job: Job, progress: jobs.Progress) -> str:
    """Take the records of an intake in from the cursor on, one transaction for each lot, and close it."""
    intake = Intake.objects.select_related(
        "project", "tool", "configuration", "version", "for_case", "settings", "raw", "created_by"
    ).get(public_id=job.subject)
    if intake.state == Intake.COMMITTED:
        return _counts_in_words(intake)
    try:
        plan = _plan(intake, Source(intake.source_name, bytes(Blob.objects.get(pk=intake.raw_id).data)))
    except IntakeRefused as error:
        raise jobs.JobFailed(str(error)) from error
    progress.total(len(plan.records))
    with transaction.atomic():
        Project.objects.select_for_update().get(pk=intake.project_id)
        runs = _runs(intake, plan, job.created_by)
        case_runs = _case_runs(plan, runs)
    position = progress.cursor
    while position < len(plan.records):
        lot = plan.records[position : position + LOT]
        with transaction.atomic():
            _store_lot(intake, position, lot, plan, runs, case_runs)
            position += len(lot)
            progress.advance(position)
    with transaction.atomic():
        intake.state = Intake.COMMITTED
        intake.committed_at = clock.now()
        intake.save(update_fields=["state", "committed_at"])
        audit.record(
            actor=job.created_by,
            verb="intake committed",
            subject=f"intake {intake.public_id}",
            project=intake.project,
            before=Intake.COMMITTING,
            after=_counts_in_words(intake),
        )
        for run in runs.values():
            if run.version is not None:
                propose_matches(run=run, actor=job.created_by)
    return _counts_in_words(intake)


# --- Runs and their cases --------------------------------------------------------------------------------------------


def _runs(intake: Intake, plan: Plan, actor: User) -> dict[str, Run]:
    """Return the run of each tool, made where it is not there yet; an intake without a tool adds those it lacks."""
    runs = {}
    for name in plan.tools:
        run = existing_run(intake, name)
        if run is None:
            tool = intake.tool or Tool.objects.filter(project=intake.project, name__iexact=name).first()
            tool = tool or create_tool(
                project=intake.project, name=name, kind=ToolKind.AI_REVIEWER, actor=actor, is_from_intake=True
            )
            run = Run.objects.create(
                project=intake.project,
                configuration=intake.configuration or tool.configurations.latest("number"),
                version=intake.version,
                name=intake.name,
                repeat=intake.repeat,
                scores_suppressed=intake.scores_suppressed,
                created_by=actor,
                created_at=clock.now(),
            )
            audit.record(
                actor=actor,
                verb="run added",
                subject=f"run {run.public_id}",
                project=intake.project,
                after=f"{tool.name}, repeat {run.repeat}",
            )
        runs[name] = run
    return runs


def _case_runs(plan: Plan, runs: dict[str, Run]) -> dict[tuple[str, int], CaseRun]:
    """Return what each run says of each case. Against a version every case of it has a row: not run, unless told."""
    found: dict[tuple[str, int], CaseRun] = {}
    for name, run in runs.items():
        held = {row.case_id: row for row in run.case_runs.all()}
        missing = {pk for tool, pk in plan.cases if tool == name} - held.keys()
        if run.version is not None:
            missing |= set(run.version.cases.values_list("case_id", flat=True)) - held.keys()
        created = CaseRun.objects.bulk_create(
            [CaseRun(run=run, case_id=pk, state=CaseRunState.NOT_RUN) for pk in sorted(missing)]
        )
        held |= {row.case_id: row for row in created}
        for (tool, pk), told in plan.cases.items():
            if tool == name:
                _tell(held[pk], told)
        found |= {(name, pk): row for pk, row in held.items()}
    return found


# What a later file may add to: who found nothing, or was not run, may turn out to have said something.
_OPEN = {
    CaseRunState.NOT_RUN: frozenset(CaseRunState),
    CaseRunState.REVIEWED_SILENT: frozenset({CaseRunState.REVIEWED_WITH_FINDINGS}),
}


def _tell(row: CaseRun, told: CasePlan) -> None:
    """Note what a source says of a case, where nothing was told before or it says more."""
    report = told.report
    changed: dict[str, Any] = {}
    if told.state != row.state and told.state in _OPEN.get(CaseRunState(row.state), frozenset()):
        changed |= {"state": told.state, "detail": _cut(report.detail, 500)}
    for name in ("tokens_in", "tokens_out", "cost", "latency_ms", "declared_findings"):
        value = getattr(report, name)
        if value is not None and getattr(row, name) is None:
            changed[name] = value
    if report.head_commit and not row.head_commit:
        changed["head_commit"] = printable(report.head_commit)[:64]
    if changed:
        for name, value in changed.items():
            setattr(row, name, value)
        row.save(update_fields=sorted(changed))
    if report.context and not row.seen_context.exists():
        SeenContext.objects.bulk_create(
            SeenContext(
                case_run=row,
                position=position,
                kind=one.kind,
                path=one.path,
                first_line=one.first_line,
                last_line=one.last_line,
                sha256=one.sha256,
            )
            for position, one in enumerate(report.context, 1)
        )


# --- Records ---------------------------------------------------------------------------------------------------------


def _store_lot(
    intake: Intake,
    first: int,
    lot: Sequence[Planned],
    plan: Plan,
    runs: dict[str, Run],
    case_runs: dict[tuple[str, int], CaseRun],
) -> None:
    """Store what is new of some records that follow each other, and note where it became otherwise than previewed."""
    held: dict[str, set[str]] = {}
    for name, run in runs.items():
        # Another import into the same run waits here, so that no record comes into it twice.
        Run.objects.select_for_update().get(pk=run.pk)
        wanted = [one.identity for one in lot if one.tool == name]
        found = RawRecord.objects.filter(run=run, identity_sha256__in=wanted) if wanted else RawRecord.objects.none()
        held[name] = set(found.values_list("identity_sha256", flat=True))
    note_held(lot, held)
    _note_changes(intake, first, lot)
    taken = [(first + index, one) for index, one in enumerate(lot) if one.is_taken]
    parents = _stored_parents(intake, taken)
    only_run = next(iter(runs.values())) if len(runs) == 1 else None
    # Whole records first: parts of a body name the record they were split off.
    for is_part in (False, True):
        chosen = [(position, one) for position, one in taken if (one.record.parent is not None) == is_part]
        rows = RawRecord.objects.bulk_create(
            _raw_row(intake, position, one, runs.get(one.tool, only_run), case_runs, parents)
            for position, one in chosen
        )
        parents |= {row.position: row for row in rows}
        _store_findings([(one, row) for (_, one), row in zip(chosen, rows, strict=True)], plan)


def _stored_parents(intake: Intake, taken: Sequence[tuple[int, Planned]]) -> dict[int, RawRecord]:
    wanted = {one.record.parent for _, one in taken if one.record.parent is not None}
    return {row.position: row for row in RawRecord.objects.filter(intake=intake, position__in=wanted)}


def _raw_row(
    intake: Intake,
    position: int,
    one: Planned,
    run: Run | None,
    case_runs: dict[tuple[str, int], CaseRun],
    parents: dict[int, RawRecord],
) -> RawRecord:
    case_run = case_runs.get((one.tool, one.case.pk)) if one.case is not None else None
    return RawRecord(
        intake=intake,
        position=position,
        parent=None if one.record.parent is None else parents.get(one.record.parent),
        run=run,
        case_run=case_run,
        kind=one.kind,
        place=_cut(one.record.place, 300),
        reason=_cut(one.reason, 500),
        author=_cut(one.record.author, 120),
        data=one.record.data,
        identity_sha256=one.identity,
    )


def _store_findings(rows: Sequence[tuple[Planned, RawRecord]], plan: Plan) -> None:
    said = [(one, row) for one, row in rows if one.kind in SPOKEN]
    last = dict(
        AIFinding.objects.filter(case_run_id__in={row.case_run_id for _, row in said})
        .values("case_run_id")
        .annotate(last=Max("position"))
        .values_list("case_run_id", "last")
    )
    findings, anchors, verdicts = [], [], []
    for one, row in said:
        assert row.case_run_id is not None
        last[row.case_run_id] = last.get(row.case_run_id, 0) + 1
        finding, places = _finding(one, row, last[row.case_run_id], plan)
        findings.append(finding)
        anchors += places
        verdicts += [_verdict(finding, judged) for judged in one.record.judged]
    AIFinding.objects.bulk_create(findings, batch_size=100)
    AIAnchor.objects.bulk_create(anchors, batch_size=100)
    JudgeVerdict.objects.bulk_create(verdicts, batch_size=100)


def _finding(one: Planned, row: RawRecord, position: int, plan: Plan) -> tuple[AIFinding, list[AIAnchor]]:
    statement, resolution = one.record.statement, one.resolution
    assert statement is not None
    assert resolution is not None
    assert one.case is not None
    assert row.run is not None
    assert row.case_run_id is not None
    names = row.run.configuration.tool.names
    body = statement.body[:MAX_BODY]
    text = neutral_text(statement.title, body, names)
    suggestion = neutral_suggestion(statement.suggestion[:MAX_BODY], names)
    first = statement.places[0] if statement.places else None
    finding = AIFinding(
        case_run_id=row.case_run_id,
        raw=row,
        position=position,
        source_id=one.record.source_id[:200],
        is_suppressed=one.kind is RecordKind.SUPPRESSED,
        title=_cut(statement.title, 300),
        body=body,
        suggestion=statement.suggestion[:MAX_BODY],
        neutral_text=text,
        neutral_suggestion=suggestion,
        content_sha256=content_digest(one.case.public_id, text, suggestion, map(_as_anchor, resolution.places)),
        severity_native=_cut(statement.severity, MAX_NATIVE),
        severity=one.severity or "",
        category_native=_cut(statement.category, 200),
        category_key=one.category_key,
        rule_id=_cut(statement.rule_id, 200),
        confidence_native=_cut(statement.confidence, 60),
        path=printable(first.path)[:4096] if first else "",
        side=first.side if first and first.path else "",
        lines=_cut(claimed_words(first), 300) if first else "",
        place_state=resolution.state,
        place_note=_cut(resolution.note, 500),
    )
    text_of_case = plan.files[one.case.pk][1]
    anchors = [
        anchor
        for role, places in ((AnchorRole.PRIMARY, resolution.places), (AnchorRole.SUPPORTING, resolution.related))
        for place in places
        for anchor in _anchors(finding, role, place, text_of_case)
    ]
    return finding, anchors


def _as_anchor(place: FoundPlace) -> Anchor:
    return Anchor(place.path or None, place.side if place.path else None, place.ranges)


def _anchors(finding: AIFinding, role: AnchorRole, place: FoundPlace, text: CaseText) -> Iterator[AIAnchor]:
    """Yield one row for each range, bound to the bytes it quotes."""
    if place.level is Level.REPOSITORY or place.side is None:
        yield AIAnchor(finding=finding, role=role, level=AnchorLevel.REPOSITORY)
        return
    if place.level is Level.FILE:
        digest = _file_digest(place.path, place.side, text)
        yield AIAnchor(
            finding=finding,
            role=role,
            level=AnchorLevel.FILE,
            path=place.path,
            side=place.side,
            blob_sha256=digest,
        )
        return
    for first, last in place.ranges:
        quote = text.quote(place.path, place.side, first, last)
        yield AIAnchor(
            finding=finding,
            role=role,
            level=AnchorLevel.LINES,
            path=place.path,
            side=place.side,
            first_line=first,
            last_line=last,
            blob_sha256=quote.blob_sha256,
            quote_sha256=quote.quote_sha256,
            quote=quote.text,
        )


def _file_digest(path: str, side: Side, text: CaseText) -> str:
    try:
        return text.side_file(path, side).blob_sha256
    except PlaceRefused:
        return ""


def _verdict(finding: AIFinding, judged: Any) -> JudgeVerdict:
    return JudgeVerdict(
        finding=finding,
        judge=judged.judge,
        is_match=judged.is_match,
        golden_text=judged.golden_text,
        golden_index=judged.golden_index,
        confidence=judged.confidence,
        reasoning=judged.reasoning,
    )


# --- The list of records ---------------------------------------------------------------------------------------------


def _row(intake: Intake, position: int, one: Planned) -> IntakeRecord:
    return IntakeRecord(
        intake=intake,
        position=position,
        parent_position=one.record.parent,
        place=_cut(one.record.place, 300),
        kind=one.kind,
        outcome=one.outcome,
        tool_name=_cut(one.tool, 80),
        case=one.case,
        summary=_cut(one.record.summary, 300),
        where=_cut(where_words(one.record.statement), 300),
        reason=_cut(one.reason, 500),
    )


def _remarks(intake: Intake, plan: Plan) -> Iterator[IntakeRemark]:
    counted: dict[tuple[str, str], int] = {}
    for kind, words in (
        (IntakeRemark.UNKNOWN_SEVERITY, plan.unknown_severities),
        (IntakeRemark.UNKNOWN_CATEGORY, plan.unknown_categories),
    ):
        for word, count in words:
            counted[kind, _cut(word, 100)] = counted.get((kind, _cut(word, 100)), 0) + count
    if plan.zero_lines:
        counted[IntakeRemark.ZERO_LINE, ""] = plan.zero_lines
    for (kind, word), count in counted.items():
        yield IntakeRemark(intake=intake, kind=kind, word=word, count=count)


def _note_changes(intake: Intake, first: int, lot: Sequence[Planned]) -> None:
    """Note on the list where a record became something else than the preview said."""
    rows = {row.position: row for row in intake.records.filter(position__gte=first, position__lt=first + len(lot))}
    changed = []
    for index, one in enumerate(lot):
        row = rows.get(first + index)
        if row is not None and (row.kind, row.outcome) != (one.kind, one.outcome):
            row.kind, row.outcome, row.reason = one.kind, one.outcome, _cut(one.reason, 500)
            changed.append(row)
    IntakeRecord.objects.bulk_update(changed, ["kind", "outcome", "reason"], batch_size=100)


def _counts_in_words(intake: Intake) -> str:
    counts: dict[str, int] = {}
    for kind, outcome in intake.records.values_list("kind", "outcome"):
        word = kind if outcome in (IntakeRecord.NEW, IntakeRecord.REJECTED) else outcome
        counts[word] = counts.get(word, 0) + 1
    return ", ".join(f"{count} {word.replace('_', ' ')}" for word, count in sorted(counts.items())) or "nothing"


def _cut(text: str, limit: int) -> str:
    text = " ".join(printable(text).split())
    return text if len(text) <= limit else text[: limit - 1] + "…"
