"""The sample work of `make demo`, made through the product's own services alone."""

from __future__ import annotations

from dataclasses import dataclass

from django.db import transaction

from corpus import clock
from corpus.domain.vocabulary import Completeness, Role
from corpus.models import Case, Expertise, Membership, Project, User
from corpus.sample import (
    SampleAnchor,
    SampleCase,
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
from labeling.domain.label_input import AnchorInput, LabelInput
from labeling.models import Assignment
from labeling.services import labels, reading, rounds, submission

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
SECOND = DemoPerson("Ben Reviewer", "ben@demo.example", (Role.REVIEWER,), ("Python", "TypeScript", "Bash"))
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
    """Let the two reviewers of a labelling do their work on a case."""
    round_ = rounds.open_round(case=case, actor=users[LEAD], reviewers=[users[FIRST], users[SECOND]])
    for review, person in ((labelling.a, FIRST), (labelling.b, SECOND)):
        seat = round_.assignments.get(reviewer=users[person])
        replay_review(seat, users[person], review)


def replay_review(seat: Assignment, reviewer: User, review: SampleReview) -> None:
    """Read every file, write the labels, answer and submit."""
    reading.note_opened(assignment=seat, reviewer=reviewer)
    for position in seat.case.files.order_by("position").values_list("position", flat=True):
        reading.mark_file(assignment=seat, reviewer=reviewer, position=position, is_read=True)
    for label in review.labels:
        labels.save_label(assignment=seat, reviewer=reviewer, label=None, fields=as_input(label), expected_version=0)
    answer = submission.save_answer(
        assignment=seat,
        reviewer=reviewer,
        verdict=review.verdict,
        missing_context=review.missing,
        summary="",
        expected_version=0,
    )
    submission.submit(assignment=seat, reviewer=reviewer, expected_version=answer.version, final=True)


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
