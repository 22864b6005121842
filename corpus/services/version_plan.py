"""What freezing a version now would do.

A plan holds the settled and stale cases of a project and those of the version before, less what its lead leaves out.
Nothing drops out by itself: a case of the parent that is being labelled again, or went stale, fails a gate until it
settles or is left out, and leaving it out is a change that makes the number.

Whoever holds an open seat in the project sees a plan without those cases and without any comparison with the version
before, and may not freeze: number and changes would tell whether, and how, their case was frozen (B1, B8).
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from importlib.metadata import version as package_version

from django.db.models import Q

from corpus.access import roles_of
from corpus.domain.canonical_json import dump_canonical
from corpus.domain.manifest import ManifestError, count, digest, ordered_draft, parse_manifest
from corpus.domain.manifest_changes import FIRST_VERSION, change_list, raised, without_people
from corpus.domain.manifest_records import Manifest, ManifestChange, ManifestCounts, ManifestDraft, Tombstone
from corpus.domain.quotes import without_source
from corpus.domain.records import to_plain
from corpus.domain.vocabulary import CaseState, Role
from corpus.models import Case, CaseSeat, CorpusVersion, Project, User, VersionCase
from corpus.querysets.cases import DECIDED, CaseQuerySet
from corpus.selectors.case_records import CaseRecord, Names, case_records
from corpus.selectors.documents import documents_in_force
from corpus.services.gates import Gate, check_gates

HOLDS_A_SEAT = (
    "You hold an open seat in this project, so what you see leaves your cases out and is not compared with the version "
    "before. A lead without an open seat can freeze; so can you when your cases have settled."
)


class FreezeRefused(Exception):
    """Nothing was frozen; the message is one sentence for the lead."""


@dataclass(frozen=True)
class Plan:
    """What freezing now would do. `refusal` says why this person may not freeze, and is empty where they may."""

    project: Project
    parent: CorpusVersion | None
    records: tuple[CaseRecord, ...]
    excluded: tuple[Case, ...]
    counts: ManifestCounts
    gates: tuple[Gate, ...]
    # Computed while every included case is settled; else empty, since they would not hold.
    number: str
    changes: tuple[ManifestChange, ...]
    is_unchanged: bool
    # Stands for all of the above, so that a confirmation can be refused when something else would be frozen.
    fingerprint: str
    refusal: str
    draft: ManifestDraft

    @property
    def told(self) -> frozenset[str]:
        """Return the ids of the cases whose golden findings this plan tells of."""
        gates = {each.case_id for gate in self.gates for each in gate.failing if each.tells_truth}
        return frozenset(gates | {change.case_id for change in self.changes if change.finding_id and change.case_id})

    @property
    def is_frozen_already(self) -> bool:
        """Say whether the version before holds exactly this."""
        return self.parent is not None and self.is_unchanged


def latest_version(project: Project) -> CorpusVersion | None:
    """Return the newest version of a project without its bytes; versions of a project are one line."""
    return CorpusVersion.objects.filter(project=project).defer("manifest").order_by("-pk").first()


def plan_version(project: Project, *, actor: User, excluded: Collection[str] = ()) -> Plan:
    """Return what a freeze by `actor` would do now; `excluded` are public ids of cases that are left out.

    Raises FreezeRefused where `actor` is no lead or an excluded case is not among those that could be frozen.
    """
    return build_plan(project, actor=actor, excluded=excluded, names=lambda person: f"p{person}")


def build_plan(project: Project, *, actor: User, excluded: Collection[str], names: Names) -> Plan:
    """Return the plan with people named by `names`; see `plan_version`."""
    if Role.LEAD not in roles_of(actor, project):
        raise FreezeRefused("Only a lead of the project freezes a version.")
    holds_seat = CaseSeat.objects.filter(case__project=project, user=actor, closed_at__isnull=True).exists()
    parent = None if holds_seat else latest_version(project)
    found = list(candidates(project, actor, parent))
    unknown = sorted(set(excluded) - {case.public_id for case in found})
    if unknown:
        raise FreezeRefused(f"Case {unknown[0][:40]} is not among the cases that could be frozen.")
    documents = documents_in_force(project)
    included = [case for case in found if case.public_id not in set(excluded)]
    decided = [case for case in included if case.state in DECIDED]
    records = tuple(
        sorted(
            [
                *case_records(decided, names=names, context_allowed=documents.context_allowed),
                *(_waiting(case) for case in included if case.state not in DECIDED),
            ],
            key=lambda record: record.case.public_id,
        )
    )
    gates = check_gates(records, documents.goals)
    before = None if parent is None else _parent_manifest(parent)
    cases = tuple(record.manifest for record in records if record.manifest is not None)
    draft = ordered_draft(
        ManifestDraft(
            project=project.slug,
            severity_policy=documents.severity_policy,
            taxonomy=documents.taxonomy,
            guidelines=documents.guidelines,
            contract=documents.contract,
            gates=(),
            tools=_tools(records),
            cases=cases,
            tombstones=_tombstones(project, before, {case.case_id for case in cases}),
        )
    )
    reasons = dict(documents.notes)
    for record in records:
        reasons |= record.reasons
    is_whole = len(cases) == len(records) and all(gate.has_passed for gate in gates if gate.key == "settled")
    changes = change_list(before, draft, reasons) if is_whole else ()
    number = "" if not is_whole or holds_seat else FIRST_VERSION if before is None else raised(before.version, changes)
    return Plan(
        project=project,
        parent=parent,
        records=records,
        excluded=tuple(case for case in found if case.public_id in set(excluded)),
        counts=count(cases),
        gates=gates,
        number=number,
        changes=changes,
        is_unchanged=is_whole and before is not None and not changes,
        fingerprint=_fingerprint(parent, draft, gates),
        refusal=HOLDS_A_SEAT if holds_seat else "",
        draft=draft,
    )


def candidates(project: Project, actor: User, parent: CorpusVersion | None) -> CaseQuerySet:
    """Return the cases that a version after `parent` could hold, as far as `actor` may see them."""
    held = VersionCase.objects.filter(version=parent).values("case_id") if parent else ()
    return (
        Case.objects.managed_by(actor)
        .filter(Q(state__in=DECIDED) | Q(pk__in=held) & ~Q(state=CaseState.WITHDRAWN), project=project)
        .order_by("public_id")
    )


def _waiting(case: Case) -> CaseRecord:
    return CaseRecord(
        case=case, manifest=None, problem="", revisions=(), anchor_faults=(), reasons={}, tools=frozenset()
    )


def _parent_manifest(parent: CorpusVersion) -> Manifest:
    data = bytes(parent.manifest)
    if digest(data) != parent.manifest_sha256:
        raise FreezeRefused(
            f"The stored bytes of version {parent.number} are not those that were frozen; restore them from a backup."
        )
    try:
        return parse_manifest(data)
    except ManifestError as error:
        raise FreezeRefused(f"The manifest of version {parent.number} cannot be read: {error}.") from error


def _tools(records: Sequence[CaseRecord]) -> dict[str, str]:
    versions: dict[str, set[str]] = defaultdict(set)
    versions["touchstone"].add(package_version("touchstone"))
    for record in records:
        for name, number in record.tools:
            versions[name].add(number)
    return {name: ", ".join(sorted(numbers)) for name, numbers in versions.items()}


def _tombstones(project: Project, before: Manifest | None, present: set[str]) -> tuple[Tombstone, ...]:
    """Return what stays of withdrawn cases that an earlier version held."""
    if before is None:
        return ()
    gone = {case.case_id: case.patch_sha256 for case in before.cases if case.case_id not in present}
    gone |= {tombstone.case_id: tombstone.patch_sha256 for tombstone in before.tombstones}
    withdrawn = Case.objects.filter(project=project, public_id__in=gone, state=CaseState.WITHDRAWN)
    return tuple(
        Tombstone(
            case_id=case.public_id,
            patch_sha256=gone[case.public_id],
            reason=without_source(case.withdrawn_reason, ()) or "withdrawn",
        )
        for case in withdrawn
    )


def _fingerprint(parent: CorpusVersion | None, draft: ManifestDraft, gates: Sequence[Gate]) -> str:
    content = {
        "parent": parent.manifest_sha256 if parent else None,
        "draft": without_people(to_plain(draft)),
        "gates": [[gate.key, "passed" if gate.has_passed else "failed", gate.detail] for gate in gates],
    }
    return hashlib.sha256(dump_canonical(content)).hexdigest()
