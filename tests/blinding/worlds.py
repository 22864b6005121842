"""Two worlds that differ only in hidden work.

The visible part of a world is built first, then the hidden work. Clock, ids, secrets, session keys and CSRF tokens come
from sources that are set again before each part, so that nothing but the hidden work can make a difference.
"""

from __future__ import annotations

import json
import random
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest

from corpus import ids
from corpus.domain.vocabulary import DisagreementKind, Role, Severity
from corpus.importers.records import Source
from corpus.models import Case, Claim, Project, User, WorkingPolicyVersion
from corpus.services.claims import ClaimDraft, add_claims
from corpus.services.projects import add_version
from labeling.domain.label_input import AnchorInput, LabelInput
from labeling.domain.states import DeclineReason
from labeling.models import Assignment, Disagreement
from labeling.services import adjudication, labels, reading, rounds, seating, submission
from labeling.services.comparison import compare_due_rounds
from reviews.domain.vocabulary import CaseRunState, ToolKind
from reviews.models import Run, Tool
from reviews.services.intakes import Target, commit_intake, preview_intake
from reviews.services.tools import create_tool
from tests import factories
from tests.reviews.builders import make_case_run, make_finding, make_match, make_run

START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


class Moment:
    """The frozen clock; hidden work may happen at its own times, after which the clock is set as in the other world."""

    def __init__(self) -> None:
        self.now = START

    def set(self, minutes: int) -> None:
        """Set the clock to `minutes` after the start."""
        self.now = START + timedelta(minutes=minutes)

    def __call__(self) -> datetime:
        return self.now


@contextmanager
def seeded_secrets(seed: int) -> Iterator[None]:
    """Draw public ids, session keys, CSRF tokens and the like from one seed while the block runs."""
    source = random.Random(seed)
    patch = pytest.MonkeyPatch()
    patch.setattr(secrets, "choice", source.choice)
    patch.setattr(secrets, "token_bytes", lambda size=32: source.randbytes(size))
    patch.setattr(secrets, "token_hex", lambda size=32: source.randbytes(size).hex())
    patch.setattr(secrets, "token_urlsafe", lambda size=32: source.randbytes(size).hex())
    try:
        with ids.seeded(seed):
            yield
    finally:
        patch.undo()


@dataclass
class World:
    """The visible part: a project, its people, and a case on which `subject` and `partner` are seated."""

    project: Project
    lead: User
    subject: User
    partner: User
    spare: User
    adjudicator: User
    case: Case
    seat: Assignment
    other_case: Case
    run: Run
    moment: Moment

    @property
    def partner_seat(self) -> Assignment:
        """The other seat, which the subject must not learn about."""
        return Assignment.objects.get(case=self.case, reviewer=self.partner)


def build_world(moment: Moment, *, also: Role | None = None, third: bool = False) -> World:
    """Build the visible part: the subject's seat is open, and they hold the role `also` beside that of a reviewer.

    With `third` the working policy calls a third seat on all but full agreement.
    """
    with seeded_secrets(1):
        moment.set(0)
        lead = factories.make_user("Lea Lead")
        subject = factories.make_user("Sam Subject")
        partner = factories.make_user("Pat Partner")
        spare = factories.make_user("Sue Spare")
        adjudicator = factories.make_user("Jo Adjudicator")
        project = factories.make_project(lead=lead)
        for user in (subject, partner, spare):
            factories.make_member(project, user, Role.REVIEWER)
        factories.make_member(project, adjudicator, Role.ADJUDICATOR)
        if also is not None:
            factories.make_member(project, subject, also)
        if third:
            policy = WorkingPolicyVersion(third_seat_below=100, third_seat_on_verdict=True, third_seat_share=5)
            add_version(policy, project=project, author=lead)
        case = factories.make_case(project, repository="payments-api")
        other_case = factories.make_case(project, repository="ledger", family="other")
        round_ = rounds.open_round(case=case, actor=lead, seed=7, reviewers=[subject, partner])
        seat = round_.assignments.get(reviewer=subject)
        create_tool(project=project, name="Redpen", kind=ToolKind.AI_REVIEWER, actor=lead)
        run = tools_say(project, lead, finding_line(other_case, "shown"))
    return World(project, lead, subject, partner, spare, adjudicator, case, seat, other_case, run, moment)


def finding_line(case: Case, words: str) -> dict[str, object]:
    """Return one finding about a case as a tool's file holds it."""
    where = {"path": "pay/retry.py", "start": 9}
    return {"case_id": case.public_id, "id": words, **where, "severity": "major", "text": words}


def tools_say(project: Project, lead: User, *lines: dict[str, object]) -> Run:
    """Let the project's tool say something of its cases, in one and the same run."""
    data = "\n".join(map(json.dumps, lines)).encode()
    target = Target(tool=Tool.objects.get(project=project, name="Redpen"))
    intake = preview_intake(project=project, source=Source("said.jsonl", data), target=target, created_by=lead)
    commit_intake(intake=intake, actor=lead)
    return Run.objects.get(project=project, configuration__tool__name="Redpen")


def complete_label(seat: Assignment, *, title: str, severity: Severity = Severity.HIGH, line: int = 1) -> LabelInput:
    """Return a label that can be submitted, on a line of the first changed file's new side."""
    path = seat.case.files.exclude(new_path_text="").order_by("position")[0].new_path_text
    category = seat.taxonomy.categories.filter(names_boundary=False).order_by("position")[0]
    return LabelInput(
        title=title,
        severity=severity,
        category=category.key,
        relation="introduced",
        speculative=False,
        trigger=f"{title}: when it is called twice",
        evidence=f"{title}: the line says so",
        impact=f"{title}: money is lost",
        confidence="high",
        anchors=(AnchorInput(role="primary", path=path, side="new", first_line=line, last_line=line),),
    )


def submit_with(seat: Assignment, reviewer: User, *, titles: list[str], verdict: str, final: bool = True) -> None:
    """Write labels, give the verdict, and submit."""
    for title in titles:
        labels.save_label(
            assignment=seat,
            reviewer=reviewer,
            label=None,
            fields=complete_label(seat, title=title),
            expected_version=0,
        )
    answer = submission.save_answer(
        assignment=seat, reviewer=reviewer, verdict=verdict, missing_context="", summary="", expected_version=0
    )
    submission.submit(assignment=seat, reviewer=reviewer, expected_version=answer.version, final=final)


Hidden = Callable[[World], None]


def nothing(world: World) -> None:
    """The other seat has not been touched."""


def partner_drafts(world: World) -> None:
    """The partner reads, writes two labels, and withdraws one."""
    world.moment.set(3)
    seat = world.partner_seat
    reading.note_opened(assignment=seat, reviewer=world.partner)
    reading.mark_file(assignment=seat, reviewer=world.partner, position=0, is_read=True)
    for title in ("SECRET draft one", "SECRET draft two"):
        saved = labels.save_label(
            assignment=seat,
            reviewer=world.partner,
            label=None,
            fields=complete_label(seat, title=title),
            expected_version=0,
        )
    labels.withdraw_label(assignment=seat, reviewer=world.partner, label=saved.public_id)


def partner_finds_defects(world: World) -> None:
    """The partner has submitted two labels for good."""
    world.moment.set(4)
    submit_with(world.partner_seat, world.partner, titles=["SECRET one", "SECRET two"], verdict="has_defects")


def partner_says_clean(world: World) -> None:
    """The partner has submitted the case as clean for good."""
    world.moment.set(4)
    submit_with(world.partner_seat, world.partner, titles=[], verdict="clean")


def partner_may_recall(world: World) -> None:
    """The partner has submitted and could still recall."""
    world.moment.set(5)
    submit_with(world.partner_seat, world.partner, titles=["SECRET one"], verdict="has_defects", final=False)


def partner_declines(world: World) -> None:
    """The partner gave the seat back and another reviewer has drafts in it."""
    world.moment.set(2)
    seating.decline(assignment=world.partner_seat, reviewer=world.partner, reason=DeclineReason.CONFLICT)
    seat = seating.assign_seat(round=world.seat.round, reviewer=world.spare, actor=world.lead)
    labels.save_label(
        assignment=seat,
        reviewer=world.spare,
        label=None,
        fields=complete_label(seat, title="SECRET of the spare"),
        expected_version=0,
    )


def adjudicator_decides(world: World) -> None:
    """The partner has submitted; where the subject has too, the adjudicator has decided all differences but one."""
    partner_finds_defects(world)
    world.moment.set(5)
    compare_due_rounds()
    for disagreement in Disagreement.objects.open().order_by("pk")[1:]:
        adjudication.decide(
            disagreement=disagreement,
            adjudicator=world.adjudicator,
            outcome="reject" if disagreement.kind == DisagreementKind.EXISTENCE else "unresolved",
            reason_code="other",
            rationale="SECRET rationale",
            expected_version=disagreement.version,
        )


def claims_wait(world: World) -> None:
    """An AI's statement about the case and an imported one wait for their pass."""
    world.moment.set(2)
    add_claims(case=world.case, drafts=[ClaimDraft(statement="SECRET claim", severity=Severity.HIGH)])
    Claim.objects.create(
        case=world.case, position=9, origin=Claim.AI, statement="SECRET of a tool", created_at=world.moment.now
    )


# The id of what a tool said in the worlds where it spoke; it is asked for in the others too.
TOLD = "MMMMMMMMMM"


def a_tool_speaks(world: World) -> None:
    """A tool has said something of the case, and a ruling on it is asked for."""
    world.moment.set(3)
    run = make_run(world.project, repeat=7, public_id=TOLD)
    finding = make_finding(make_case_run(run, world.case, CaseRunState.REVIEWED_WITH_FINDINGS), "SECRET of a tool")
    make_match(finding, public_id=TOLD)


def ai_findings_exist(world: World) -> None:
    """In the run that everybody knows of a tool speaks of the case too, badly in part; a file brings further tools."""
    world.moment.set(2)
    tools_say(
        world.project,
        world.lead,
        finding_line(world.case, "SECRET finding"),
        {**finding_line(world.case, "SECRET place"), "path": "none.py"},
        {**finding_line(world.case, "SECRET range"), "start": 9, "end": 3},
        {"id": "SECRET without a case"},
    )
    world.moment.set(3)
    said = {world.case.public_id: {"SECRET tool": [{"text": "SECRET"}], "SECRET silence": []}}
    first, _ = (
        preview_intake(
            project=world.project,
            source=Source("SECRET.json", json.dumps(said).encode()),
            target=Target(repeat=repeat),
            created_by=world.lead,
            format_name="martian_candidates",
        )
        for repeat in (1, 2)
    )
    commit_intake(intake=first, actor=world.lead)


HIDDEN: dict[str, Hidden] = {
    "the partner drafts": partner_drafts,
    "the partner finds defects": partner_finds_defects,
    "the partner says clean": partner_says_clean,
    "the partner may recall": partner_may_recall,
    "the partner declines and another sits down": partner_declines,
    "the adjudicator decides": adjudicator_decides,
    "claims wait": claims_wait,
    "a tool speaks": a_tool_speaks,
    "AI findings exist": ai_findings_exist,
}
