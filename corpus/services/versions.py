"""Freezing a corpus version: one transaction, whose result nothing changes any more (N6)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from django.conf import settings
from django.db import transaction

from corpus import clock
from corpus.domain.manifest import ManifestError, build_manifest, digest, parse_manifest
from corpus.domain.manifest_records import GateState, ManifestGate
from corpus.domain.quotes import without_source
from corpus.domain.signatures import sign
from corpus.domain.vocabulary import Channel, ExposureKind
from corpus.ids import new_public_id
from corpus.models import Case, CorpusVersion, Project, User, VersionCase, VersionFinding, VersionGate, VersionSignature
from corpus.services import audit
from corpus.services.case_facts import FactsRefused, check_text
from corpus.services.exposures import record_exposure
from corpus.services.gates import MAX_DETAIL, Gate
from corpus.services.version_plan import FreezeRefused, Plan, build_plan, candidates, latest_version, plan_version

__all__ = [
    "FreezeRefused",
    "GatesFailed",
    "Plan",
    "PlanChanged",
    "freeze_version",
    "latest_version",
    "plan_version",
    "record_telling",
]

MAX_NOTE = 2_000
LOCKED_AT_ONCE = 500


class GatesFailed(FreezeRefused):
    """Gates have neither passed nor been waived; `gates` are those."""

    def __init__(self, gates: Sequence[Gate]) -> None:
        named = "; ".join(f"{gate.title.lower()} ({gate.key}): {gate.detail}" for gate in gates)
        can_waive = any(gate.waivable for gate in gates)
        remedy = " Mend it, or waive what can be waived with a reason." if can_waive else " Mend it first."
        super().__init__(
            f"{'A gate has' if len(gates) == 1 else f'{len(gates)} gates have'} not passed: {named}.{remedy}"
        )
        self.gates = tuple(gates)


class PlanChanged(FreezeRefused):
    """What would be frozen is no longer what the lead looked at."""


def record_telling(*, plan: Plan, channel: Channel, actor: User) -> None:
    """Note which cases a shown plan tells golden findings of: those named in a change or a failing gate (B2)."""
    told = plan.told
    cases = [record.case for record in plan.records if record.case.public_id in told]
    if cases:
        record_exposure(user=actor, cases=cases, kind=ExposureKind.GOLDEN_FINDING, channel=channel)


@transaction.atomic
def freeze_version(
    *,
    project: Project,
    actor: User,
    waivers: Mapping[str, str] | None = None,
    expected_version: str | None = None,
    excluded: Collection[str] = (),
    note: str = "",
    expected_plan: str | None = None,
) -> CorpusVersion:
    """Freeze the project's truth as a version and return it.

    `waivers` give a reason by the key of a gate. `expected_version` and `expected_plan` (a plan's fingerprint) refuse
    the freeze where something else would come about. Where nothing changed since the newest version, that one is
    returned and nothing is stored (N2).

    Raises FreezeRefused, GatesFailed or PlanChanged; nothing is stored then.
    """
    reasons = {key: _checked(f"waiver of {key}", reason) for key, reason in (waivers or {}).items()}
    note = _checked("note", note)
    Project.objects.select_for_update(no_key=True).get(pk=project.pk)
    _lock(candidates(project, actor, latest_version(project)))
    pseudonyms: dict[int, str] = defaultdict(new_public_id)
    plan = build_plan(project, actor=actor, excluded=excluded, names=lambda person: pseudonyms[person])
    if plan.refusal:
        raise FreezeRefused(plan.refusal)
    if expected_plan is not None and expected_plan != plan.fingerprint:
        raise PlanChanged("Something else would be frozen than you looked at; look at the plan again.")
    lasting = [gate for gate in plan.gates if not gate.has_passed and not gate.waivable]
    if lasting:
        raise GatesFailed(lasting)
    if plan.is_frozen_already and plan.parent is not None:
        if expected_version not in (None, plan.parent.number):
            raise FreezeRefused(
                f"{expected_version[:40]} was asked for, but nothing changed since {plan.parent.number}, which stands."
            )
        return plan.parent
    gates = _answered(plan.gates, reasons)
    data = _manifest_bytes(plan, gates, expected_version, note)
    return _store(plan, actor, data, gates, reasons, note)


def _lock(cases: Iterable[Case]) -> None:
    """Hold the cases as they are until the version is stored; comparing and deciding take the same lock."""
    keys = sorted(case.pk for case in cases)
    for at in range(0, len(keys), LOCKED_AT_ONCE):
        chunk = Case.objects.filter(pk__in=keys[at : at + LOCKED_AT_ONCE]).order_by("pk")
        list(chunk.select_for_update(no_key=True).values_list("pk"))


def _checked(name: str, words: str) -> str:
    """Return the words of a person without blanks at the ends, if a database can hold them."""
    words = words.strip()
    if len(words) > MAX_NOTE:
        raise FreezeRefused(f"The {name[:80]} has {len(words)} characters; the limit is {MAX_NOTE}, so shorten it.")
    try:
        return check_text(name[:80], words, multiline=True)
    except FactsRefused as error:
        raise FreezeRefused(str(error)) from error


def _answered(gates: Sequence[Gate], reasons: Mapping[str, str]) -> tuple[ManifestGate, ...]:
    """Return the gates as the manifest states them. Raises GatesFailed or FreezeRefused."""
    known = {gate.key: gate for gate in gates}
    for key in reasons:
        if key not in known:
            raise FreezeRefused(f"There is no gate {key[:40]!r}; the gates are {', '.join(known)}.")
        if known[key].has_passed:
            raise FreezeRefused(f"The gate {key} has passed and needs no waiver; leave the waiver out.")
    failed = [gate for gate in gates if not gate.has_passed and not reasons.get(gate.key)]
    if failed:
        raise GatesFailed(failed)
    return tuple(
        ManifestGate(
            key=gate.key,
            state=GateState.PASSED if gate.has_passed else GateState.WAIVED,
            detail=gate.detail[:MAX_DETAIL],
            waiver_reason=None if gate.has_passed else without_source(reasons[gate.key], ()),
        )
        for gate in gates
    )


def _manifest_bytes(plan: Plan, gates: tuple[ManifestGate, ...], expected_version: str | None, note: str) -> bytes:
    reasons = {change.finding_id or change.case_id or change.document or "": change.reason for change in plan.changes}
    kept = {subject: reason for subject, reason in reasons.items() if reason}
    for case in plan.excluded:
        if note:
            kept[case.public_id] = without_source(note, ())
    try:
        return build_manifest(
            replace(plan.draft, gates=gates),
            parent=None if plan.parent is None else bytes(plan.parent.manifest),
            reasons=kept,
            version=expected_version,
        )
    except ManifestError as error:
        if error.place == "version":
            raise FreezeRefused(f"{error.reason.capitalize()}; leave the number out, or give that one.") from error
        raise FreezeRefused(f"{error.place}: {error.reason}.") from error


def _store(
    plan: Plan,
    actor: User,
    data: bytes,
    gates: Sequence[ManifestGate],
    reasons: Mapping[str, str],
    note: str,
) -> CorpusVersion:
    manifest = parse_manifest(data)
    version = CorpusVersion.objects.create(
        project=plan.project,
        number=manifest.version,
        parent=plan.parent,
        manifest=data,
        manifest_sha256=digest(data),
        note=note,
        frozen_by=actor,
        frozen_at=clock.now(),
    )
    digests = {case.case_id: case.sha256 for case in manifest.cases}
    held = VersionCase.objects.bulk_create(
        VersionCase(
            version=version,
            case=record.case,
            split=record.case.split,
            case_sha256=digests[record.case.public_id],
        )
        for record in plan.records
    )
    VersionFinding.objects.bulk_create(
        VersionFinding(version_case=row, revision=revision)
        for row, record in zip(held, plan.records, strict=True)
        for revision in record.revisions
    )
    VersionGate.objects.bulk_create(
        VersionGate(
            version=version,
            key=gate.key,
            has_passed=gate.state is GateState.PASSED,
            detail=gate.detail or "",
            waiver_reason="" if gate.state is GateState.PASSED else reasons[gate.key],
        )
        for gate in gates
    )
    if settings.SIGNING_KEY:
        made = sign(data, settings.SIGNING_KEY)
        VersionSignature.objects.create(version=version, public_key=made.public_key, signature=made.signature)
    # The published digest also stands in the audit trail, which is only ever added to.
    audit.record(
        actor=actor,
        verb="version frozen",
        subject=f"version {version.public_id}",
        project=plan.project,
        before=plan.parent.number if plan.parent else "",
        after=f"{version.number}, {len(held)} cases, sha256 {version.manifest_sha256}",
    )
    return version
