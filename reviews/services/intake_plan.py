"""What an intake would bring: of every record its kind, its case, its place, and whether it is there already.

Nothing is stored here. A preview lists a plan; the job that takes an intake in makes it again from the kept bytes.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from corpus.domain.canonical_json import CanonicalError
from corpus.domain.manifest import ManifestError, parse_manifest
from corpus.domain.vocabulary import Severity
from corpus.models import Case, Category, CorpusVersion, Project
from corpus.selectors.projects import texts_in_force
from corpus.selectors.quotes import CaseText
from reviews.domain.anchoring import CaseFiles, Resolution, claimed_words, resolve
from reviews.domain.formats.records import CaseReport, ParsedFile, ParsedRecord, ReadSettings, Statement
from reviews.domain.scored import RunState
from reviews.domain.severities import severity_for
from reviews.domain.vocabulary import CaseRunState, PlaceState, RecordKind
from reviews.models import Intake, IntakeRecord, RawRecord, Run, Tool
from reviews.selectors.case_files import case_files
from reviews.selectors.case_index import CaseIndex
from reviews.services.sources import IntakeRefused

SPOKEN = frozenset({RecordKind.FINDING, RecordKind.SUPPRESSED})


@dataclass
class Planned:
    """One record with what becomes of it. `tool` is the name of whoever said it, empty where that is not told."""

    record: ParsedRecord
    kind: RecordKind
    outcome: str
    reason: str
    tool: str
    case: Case | None = None
    identity: str = ""
    severity: Severity | None = None
    category_key: str = ""
    resolution: Resolution | None = None
    # The run holds it already, also where it was rejected then as it is now.
    is_held: bool = False

    @property
    def is_taken(self) -> bool:
        """Say whether the record goes into its run."""
        return self.outcome in (IntakeRecord.NEW, IntakeRecord.REJECTED) and not self.is_held


@dataclass
class CasePlan:
    """What a run says of one case as a whole."""

    state: CaseRunState
    report: CaseReport


@dataclass
class Plan:
    """Everything an intake would bring, in the order of its file."""

    records: list[Planned]
    # By name of the tool and primary key of the case.
    cases: dict[tuple[str, int], CasePlan]
    tools: tuple[str, ...]
    unknown_severities: tuple[tuple[str, int], ...]
    unknown_categories: tuple[tuple[str, int], ...]
    zero_lines: int
    files: dict[int, tuple[CaseFiles, CaseText]] = field(default_factory=dict)

    def counts(self) -> Counter[RecordKind]:
        """Return how many records of each kind there are; they sum to the number of records."""
        return Counter(one.kind for one in self.records)


def make_plan(intake: Intake, parsed: ParsedFile, settings: ReadSettings) -> Plan:
    """Say what becomes of every record. Raises IntakeRefused where no record can have a case or a tool."""
    project = intake.project
    keys = {key for record in parsed.records for key in record.case_keys}
    index = CaseIndex(project, intake.version, keys)
    if len(parsed.records) == 1 and parsed.records[0].kind is RecordKind.REJECTED:
        only = parsed.records[0]
        raise IntakeRefused(f"{intake.source_name}, {only.place}: {only.reason}")
    if intake.for_case is None and not keys and parsed.count(RecordKind.REJECTED) < len(parsed.records):
        raise IntakeRefused(f"{intake.source_name} names no case; choose the case that it is about.")
    tools = _tools(intake, parsed)
    categories = _categories(project, intake.version)
    are_several = len(parsed.tools) > 1
    planned = [_first_look(record, intake, index, are_several=are_several) for record in parsed.records]
    _follow_parents(planned)
    _refuse_other_commits(planned)
    _identify(planned, intake.format)
    note_held(planned, _existing(intake, tools))
    plan = Plan(planned, {}, tools, (), (), 0)
    unknown: dict[str, Counter[str]] = {"severity": Counter(), "category": Counter()}
    for one in planned:
        if one.kind in SPOKEN and one.outcome != IntakeRecord.LEFT_OUT and one.record.statement is not None:
            _interpret(one, one.record.statement, settings, categories, plan, unknown)
    plan.unknown_severities = tuple(unknown["severity"].most_common(50))
    plan.unknown_categories = tuple(unknown["category"].most_common(50))
    plan.cases = _case_plans(planned)
    return plan


def _tools(intake: Intake, parsed: ParsedFile) -> tuple[str, ...]:
    """Return the names of the tools whose records are taken. Raises IntakeRefused."""
    named = parsed.tools
    if intake.tool is None:
        if not named:
            raise IntakeRefused(f"{intake.source_name} does not name its tool; choose one.")
        return named
    if len(named) <= 1:
        return (intake.tool.name,)
    known = {name.lower() for name in intake.tool.names}
    if not any(name.lower() in known for name in named):
        listed = ", ".join(named[:15])
        raise IntakeRefused(
            f'{intake.source_name} holds what {listed} said, and nothing of "{intake.tool.name}"; choose one of them.'
        )
    return (intake.tool.name,)


def _first_look(record: ParsedRecord, intake: Intake, index: CaseIndex, *, are_several: bool) -> Planned:
    """Return a record with its tool and case; rejected where it has no case."""
    tool = _speaker(record, intake, are_several=are_several)
    reason = " ".join(part for part in (record.reason, *_sentences(record.notes)) if part)
    one = Planned(record, record.kind, IntakeRecord.NEW, reason, tool or "")
    if tool is None:
        one.outcome, one.reason = IntakeRecord.LEFT_OUT, f"Said by {record.tool}, whose output this import leaves out."
        return one
    found, why = index.find(record.case_keys)
    chosen = intake.for_case
    if chosen is not None:
        if found is not None and found.pk != chosen.pk:
            why = f"It is about case {found.public_id}, not about {chosen.public_id}."
            found = None
        else:
            found = index.cases.get(chosen.pk)
    one.case = found
    if record.kind is RecordKind.REJECTED:
        one.outcome = IntakeRecord.REJECTED
    elif found is None:
        _reject(one, why)
    return one


def _sentences(notes: Iterable[str]) -> list[str]:
    return [f"{note[0].upper()}{note[1:]}." if not note.endswith(".") else note for note in notes if note]


def _speaker(record: ParsedRecord, intake: Intake, *, are_several: bool) -> str | None:
    """Return the name of the record's tool, None where the import leaves that tool out."""
    if intake.tool is None:
        return record.tool
    if are_several and record.tool.lower() not in {name.lower() for name in intake.tool.names}:
        return None
    return intake.tool.name


def _reject(one: Planned, reason: str) -> None:
    one.kind, one.outcome, one.reason = RecordKind.REJECTED, IntakeRecord.REJECTED, reason


def _follow_parents(planned: Sequence[Planned]) -> None:
    """Reject the parts of a body whose record was rejected."""
    for one in planned:
        parent = None if one.record.parent is None else planned[one.record.parent]
        if parent is not None and parent.kind is RecordKind.REJECTED and one.kind is not RecordKind.REJECTED:
            _reject(one, f"The record it is part of was rejected: {parent.reason}")


def _refuse_other_commits(planned: Sequence[Planned]) -> None:
    """Reject all of a source about a case whose head is not the commit that was reviewed."""
    wrong: dict[tuple[str, int], str] = {}
    for one in planned:
        commit = one.record.report.head_commit.lower() if one.record.report else ""
        if one.case is not None and commit and one.case.head_commit:
            head = one.case.head_commit.lower()
            if not (head.startswith(commit) and len(commit) >= 7):
                wrong[one.tool, one.case.pk] = (
                    f"The tool reviewed commit {commit[:12]}, but the head of case {one.case.public_id} is {head[:12]}."
                )
    for one in planned:
        if one.case is not None and (one.tool, one.case.pk) in wrong and one.kind is not RecordKind.REJECTED:
            _reject(one, wrong[one.tool, one.case.pk])


def _identify(planned: Sequence[Planned], format_name: str) -> None:
    """Give each record what makes it the same when it comes again; refuse an id that stands for two things."""
    seen: dict[str, bytes] = {}
    times: Counter[str] = Counter()
    for one in planned:
        about = f"{format_name}\0{one.case.public_id if one.case else ''}"
        if one.record.source_id and one.kind is not RecordKind.REJECTED:
            one.identity = _hash(f"{about}\0id\0{one.record.source_id}".encode())
            key = f"{one.tool}\0{one.identity}"
            earlier = seen.setdefault(key, one.record.data)
            if earlier is not one.record.data:
                if earlier == one.record.data:
                    one.outcome, one.reason = IntakeRecord.PRESENT, "The same record stands earlier in the file."
                    continue
                _reject(one, f'The id "{one.record.source_id[:80]}" stands twice, with different content.')
            else:
                continue
        data = f"{about}\0{one.kind}\0{one.record.place if not one.record.data else ''}\0".encode() + one.record.data
        digest = _hash(data)
        times[f"{one.tool}\0{digest}"] += 1
        one.identity = _hash(f"{digest}\0{times[f'{one.tool}{chr(0)}{digest}']}".encode())


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _existing(intake: Intake, tools: Sequence[str]) -> Mapping[str, set[str]]:
    """Return the identities that the runs of this intake hold already, by the tool's name."""
    found: dict[str, set[str]] = {}
    for name in tools:
        run = existing_run(intake, name)
        if run is not None:
            found[name] = set(RawRecord.objects.filter(run=run).values_list("identity_sha256", flat=True))
    return found


def existing_run(intake: Intake, tool_name: str) -> Run | None:
    """Return the run that an intake adds to, if it is there already."""
    tool = intake.tool or Tool.objects.filter(project=intake.project, name__iexact=tool_name).first()
    if tool is None:
        return None
    configuration = intake.configuration or tool.configurations.order_by("-number").first()
    if configuration is None:
        return None
    return Run.objects.filter(
        configuration=configuration, version=intake.version, name=intake.name, repeat=intake.repeat
    ).first()


def note_held(planned: Iterable[Planned], held: Mapping[str, Collection[str]]) -> None:
    """Note which records the runs hold already, given their identities by the tool's name."""
    for one in planned:
        if one.is_taken and one.identity in held.get(one.tool, ()):
            one.is_held = True
            if one.outcome == IntakeRecord.NEW:
                one.outcome, one.reason = IntakeRecord.PRESENT, one.reason or "The run holds it already."


def _categories(project: Project, version: CorpusVersion | None) -> frozenset[str]:
    """Return the keys of the taxonomy that holds: the version's own, else the project's in force."""
    if version is not None:
        try:
            manifest = parse_manifest(bytes(version.manifest))
        except (ManifestError, CanonicalError) as error:
            raise IntakeRefused(f"Version {version.number} cannot be read: {error}") from error
        return frozenset(category.key for category in manifest.taxonomy.categories)
    taxonomy = texts_in_force(project).taxonomy
    return frozenset(Category.objects.filter(taxonomy=taxonomy).values_list("key", flat=True))


def _interpret(
    one: Planned,
    statement: Statement,
    settings: ReadSettings,
    categories: frozenset[str],
    plan: Plan,
    unknown: Mapping[str, Counter[str]],
) -> None:
    """Map severity and category, and look the place up in the case."""
    one.severity = severity_for(statement.severity, statement.scale, settings.severities)
    if statement.severity and one.severity is None:
        unknown["severity"][statement.severity[:100]] += 1
    if statement.category in categories:
        one.category_key = statement.category
    elif statement.category:
        unknown["category"][statement.category[:100]] += 1
    assert one.case is not None
    if one.case.pk not in plan.files:
        plan.files[one.case.pk] = case_files(one.case)
    one.resolution = resolve(statement, plan.files[one.case.pk][0], settings)
    plan.zero_lines += any(0 in span for place in statement.places or () for span in place.ranges)
    if one.resolution.note and one.resolution.state is not PlaceState.UNPLACED:
        one.reason = " ".join(part for part in (one.reason, one.resolution.note) if part)


def where_words(statement: Statement | None) -> str:
    """Return the place that a finding names, as people write it."""
    if statement is None or not statement.places:
        return ""
    place = statement.places[0]
    if not place.path:
        return "the whole change"
    lines = ", ".join(filter(None, (claimed_words(each) for each in statement.places)))
    return f"{place.path}:{lines} ({place.side})" if lines else f"{place.path} ({place.side})"


def _case_plans(planned: Sequence[Planned]) -> dict[tuple[str, int], CasePlan]:
    """Return what each tool says of each case as a whole. A failure that the source tells is never silence."""
    groups: dict[tuple[str, int], list[Planned]] = defaultdict(list)
    for one in planned:
        if one.case is not None and one.outcome != IntakeRecord.LEFT_OUT:
            groups[one.tool, one.case.pk].append(one)
    return {key: _case_plan(group) for key, group in groups.items()}


UNREVIEWED = {
    RunState.FAILED: CaseRunState.FAILED,
    RunState.TIMED_OUT: CaseRunState.TIMED_OUT,
    RunState.NOT_RUN: CaseRunState.NOT_RUN,
}


def _case_plan(group: Sequence[Planned]) -> CasePlan:
    report = CaseReport()
    for one in group:
        if one.record.report is not None and (one.kind is not RecordKind.REJECTED or _tells_failure(one)):
            report = _merged(report, one.record.report)
    findings = sum(one.kind is RecordKind.FINDING for one in group)
    refused = sum(one.kind is RecordKind.REJECTED for one in group)
    if report.state in UNREVIEWED:
        state = UNREVIEWED[report.state]
    elif findings:
        state = CaseRunState.REVIEWED_WITH_FINDINGS
    elif refused:
        # Whatever it said could not be read: that is no silence.
        state = CaseRunState.FAILED
        report = replace(report, detail=report.detail or f"Records that could not be read: {refused}.")
    elif report.state is RunState.REVIEWED or any(one.kind in SPOKEN for one in group):
        state = CaseRunState.REVIEWED_SILENT
    else:
        state = CaseRunState.NOT_RUN
    return CasePlan(state, report)


def _tells_failure(one: Planned) -> bool:
    return one.record.kind is RecordKind.REJECTED and one.record.report is not None


def _merged(first: CaseReport, second: CaseReport) -> CaseReport:
    """Return both reports as one; of states that differ the one that is no review holds."""
    states = [one.state for one in (first, second) if one.state is not None]
    unreviewed = next((state for state in states if state is not RunState.REVIEWED), None)
    return CaseReport(
        state=unreviewed or (states[0] if states else None),
        detail=first.detail or second.detail,
        head_commit=first.head_commit or second.head_commit,
        tokens_in=first.tokens_in if first.tokens_in is not None else second.tokens_in,
        tokens_out=first.tokens_out if first.tokens_out is not None else second.tokens_out,
        cost=first.cost if first.cost is not None else second.cost,
        latency_ms=first.latency_ms if first.latency_ms is not None else second.latency_ms,
        declared_findings=(
            first.declared_findings if first.declared_findings is not None else second.declared_findings
        ),
        context=first.context or second.context,
    )
