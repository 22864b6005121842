"""The sample work of `make demo`, made through the product's own services alone."""

from __future__ import annotations

from dataclasses import dataclass, replace

from django.db import transaction

from config.demo_runs import load_runs
from corpus import clock
from corpus.domain.vocabulary import CaseState, Completeness, Outcome, Role
from corpus.models import Case, Expertise, Membership, Project, User
from corpus.sample import (
    SampleAnchor,
    SampleCase,
    SampleDecision,
    SampleLabel,
    SampleLabelling,
    SampleReview,
    load_labellings,
    load_samples,
)
from corpus.services.case_facts import CaseFacts
from corpus.services.cases import create_case_from_trees
from corpus.services.projects import create_project
from corpus.services.trees import Files
from corpus.services.versions import freeze_version
from labeling.domain.adjudicating import GoldenInput
from labeling.domain.label_input import AnchorInput, LabelInput
from labeling.models import Assignment, Disagreement
from labeling.services import adjudication, labels, reading, rounds, submission

PROJECT = "Sample corpus"
PASSWORD = "touchstone-demo"  # noqa: S105 - printed for everybody who runs the demonstration


@dataclass(frozen=True)
class DemoPerson:
    """A person of the demonstration."""

    name: str
    email: str
    roles: tuple[Role, ...]
    languages: tuple[str, ...] = ()


LEAD = DemoPerson("Lena Lead", "lead@demo.example", (Role.LEAD,))
FIRST = DemoPerson("Ada Reviewer", "ada@demo.example", (Role.REVIEWER,), ("Python", "Go", "Java", "SQL"))
SECOND = DemoPerson("Ben Reviewer", "ben@demo.example", (Role.REVIEWER,), ("Python", "TypeScript", "Shell"))
NEWCOMER = DemoPerson("Cleo Reviewer", "cleo@demo.example", (Role.REVIEWER,), ("Python", "TypeScript"))
PARTNER = DemoPerson("Dan Reviewer", "dan@demo.example", (Role.REVIEWER,), ("Python", "TypeScript"))
ADJUDICATOR = DemoPerson("Jo Adjudicator", "jo@demo.example", (Role.ADJUDICATOR,))
ANALYST = DemoPerson("Ann Analyst", "ann@demo.example", (Role.ANALYST,))
PEOPLE = (LEAD, FIRST, SECOND, NEWCOMER, PARTNER, ADJUDICATOR, ANALYST)


@transaction.atomic
def load_demo() -> bool:
    """Store the sample work once; False if it is there already."""
    if Project.objects.filter(name=PROJECT).exists():
        return False
    users = {person: store_person(person) for person in PEOPLE}
    project = create_project(
        name=PROJECT,
        lead=users[LEAD],
        description="Eighteen small changes to try the whole way on: label, adjudicate, freeze, verify.",
    )
    for person in PEOPLE:
        for role in person.roles:
            if role is not Role.LEAD:
                give_role(project, users[person], role, users[LEAD])
    cases = {sample.key: store_case(project, sample, users[LEAD]) for sample in load_samples()}
    for labelling in load_labellings():
        replay_labelling(cases[labelling.case], labelling, users)
    for case in cases.values():
        case.refresh_from_db()
        if case.state == CaseState.READY:
            rounds.open_round(case=case, actor=users[LEAD], queue_open=True)
    version = freeze_version(
        project=project,
        actor=users[LEAD],
        note="The first cases that settled.",
        waivers={"secrets": "The key in the receiver's test is made up for it and opens nothing."},
    )
    load_runs(project, version, cases, users[LEAD])
    return True


def store_person(person: DemoPerson) -> User:
    """Store one person with their expertise."""
    user = User.objects.create_user(email=person.email, password=PASSWORD, name=person.name)
    Expertise.objects.bulk_create(
        Expertise(user=user, kind=Expertise.LANGUAGE, value=language) for language in person.languages
    )
    return user


def give_role(project: Project, user: User, role: Role, by: User) -> None:
    """Give a person a role in the sample project."""
    Membership.objects.create(project=project, user=user, role=role, added_by=by, added_at=clock.now())


def store_case(project: Project, sample: SampleCase, lead: User) -> Case:
    """Import one sample case from its two trees."""
    stored = create_case_from_trees(
        project=project,
        base=as_files(sample.base),
        head=as_files(sample.head),
        facts=CaseFacts(
            source_kind=sample.source_kind,
            split=sample.split,
            repository=sample.repository,
            language=sample.language,
            title=sample.title,
            message=sample.commit_message,
            family=sample.family,
            tier=sample.tier,
            licence=sample.licence,
            is_private=False,
            context_allowed=sample.context_allowed,
        ),
        imported_by=lead,
    )
    Case.objects.filter(pk=stored.case.pk).update(
        completeness=Completeness.COMPLETE, completeness_set_by=lead, completeness_set_at=clock.now()
    )
    return stored.case


def as_files(tree: dict[str, bytes]) -> Files:
    """Return a sample tree as the importer takes it; shell scripts are executable."""
    return {path.encode(): ("100755" if path.endswith(".sh") else "100644", content) for path, content in tree.items()}


def replay_labelling(case: Case, labelling: SampleLabelling, users: dict[DemoPerson, User]) -> None:
    """Let the two reviewers of a labelling do their work on a case, and the adjudicator decide what differs."""
    round_ = rounds.open_round(case=case, actor=users[LEAD], reviewers=[users[FIRST], users[SECOND]])
    stored: dict[str, str] = {}
    for review, person in ((labelling.a, FIRST), (labelling.b, SECOND)):
        seat = round_.assignments.get(reviewer=users[person])
        stored |= replay_review(seat, users[person], review)
    inputs = {label.key: label for label in (*labelling.a.labels, *labelling.b.labels)}
    for decision in labelling.decisions:
        replay_decision(case, decision, stored, inputs, users[ADJUDICATOR])


def replay_review(seat: Assignment, reviewer: User, review: SampleReview) -> dict[str, str]:
    """Read every file, write the labels, answer and submit; return the public id of each label by its key."""
    reading.note_opened(assignment=seat, reviewer=reviewer)
    for position in seat.case.files.order_by("position").values_list("position", flat=True):
        reading.mark_file(assignment=seat, reviewer=reviewer, position=position, is_read=True)
    stored = {}
    for label in review.labels:
        saved = labels.save_label(
            assignment=seat, reviewer=reviewer, label=None, fields=as_input(label), expected_version=0
        )
        stored[label.key] = saved.public_id
    answer = submission.save_answer(
        assignment=seat,
        reviewer=reviewer,
        verdict=review.verdict,
        missing_context=review.missing,
        summary="",
        expected_version=0,
    )
    submission.submit(assignment=seat, reviewer=reviewer, expected_version=answer.version, final=True)
    return stored


def replay_decision(
    case: Case,
    decision: SampleDecision,
    stored: dict[str, str],
    inputs: dict[str, SampleLabel],
    adjudicator: User,
) -> None:
    """Decide the one disagreement that a sample decision is about."""
    keys = [key for key in (decision.label_a, decision.label_b) if key]
    about = Disagreement.objects.filter(comparison__round__case=case, kind=decision.kind)
    if len(keys) == 2:
        about = about.filter(pair__label_a__public_id=stored[keys[0]], pair__label_b__public_id=stored[keys[1]])
    elif keys:
        about = about.filter(label__public_id=stored[keys[0]])
    disagreement = about.get()
    edited = None
    if decision.outcome is Outcome.MERGE and keys:
        edited = as_edited(inputs[keys[0]], decision)
    adjudication.decide(
        disagreement=disagreement,
        adjudicator=adjudicator,
        outcome=decision.outcome,
        edited=edited,
        golden_state=decision.state or "",
        reason_code=decision.reason_code,
        rationale=decision.rationale,
        confidence=decision.confidence,
        is_guideline_gap=decision.guideline_gap,
        expected_version=disagreement.version,
        verdict=decision.verdict if decision.outcome is Outcome.MERGE else None,
    )


def as_edited(label: SampleLabel, decision: SampleDecision) -> GoldenInput:
    """Return the merged finding: the first label with what the decision changes."""
    changed = replace(
        label,
        severity=decision.severity or label.severity,
        category=decision.category or label.category,
        anchors=decision.anchors or label.anchors,
    )
    return GoldenInput(**vars(as_input(changed)))


def as_input(label: SampleLabel) -> LabelInput:
    """Return a sample label as the form would send it."""
    return LabelInput(
        title=label.title,
        severity=label.severity,
        category=label.category,
        relation=label.relation,
        speculative=label.speculative,
        trigger=label.trigger,
        evidence=label.evidence,
        impact=label.impact,
        boundary=label.boundary,
        accept_elements="\n".join(label.explanation_elements),
        keywords=" ".join(label.keywords),
        confidence=label.confidence,
        anchors=tuple(anchor for place in enumerate(label.anchors) for anchor in as_anchors(*place)),
    )


def as_anchors(number: int, place: SampleAnchor) -> list[AnchorInput]:
    """Return the ranges of one sample place; each alternate is an alternate of its own."""
    group = number + 1 if place.role == "alternate" else 0
    if not place.ranges:
        return [AnchorInput(role=place.role, level=place.level, path=place.path, side=place.side or "", group=group)]
    return [
        AnchorInput(
            role=place.role,
            level=place.level,
            path=place.path,
            side=place.side or "",
            first_line=first,
            last_line=last,
            group=group,
        )
        for first, last in place.ranges
    ]
