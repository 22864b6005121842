"""The people and things that the table of routes is checked with: two projects, every role in both."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cached_property

from corpus import clock
from corpus.domain.vocabulary import CaseState, Role, RoundKind
from corpus.importers.records import Source
from corpus.models import Case, Invitation, Job, Project, User, WorkingPolicyVersion
from corpus.services.imports import preview_import
from corpus.services.invitations import invite
from corpus.services.projects import add_version
from corpus.services.versions import freeze_version
from labeling.models import Assignment, Disagreement, Label
from labeling.selectors.claims import claims_of
from labeling.services.labels import save_label
from labeling.services.rounds import open_round
from reviews.domain.vocabulary import CaseRunState, ToolKind
from reviews.models import CaseRun, Intake, Match, Run, Tool
from reviews.services.intakes import Target, commit_intake, preview_intake
from reviews.services.matching import propose_matches
from reviews.services.tools import create_tool
from tests import factories
from tests.api_tokens import make_token
from tests.blinding.worlds import complete_label
from tests.labeling.adjudicating import compared, hand_in
from tests.labeling.seats import DEFECT
from tests.labeling_factories import mark_complete, settle_case_with
from tests.reviews.builders import make_case_run, make_finding, make_run

PATCH = b"--- a/x.py\n+++ b/x.py\n@@ -1 +1,2 @@\n one\n+two\n"


@dataclass(frozen=True)
class Actor:
    """Somebody who makes requests, with their roles in the project at home and in the other one."""

    name: str
    user: User | None
    at_home: frozenset[Role] = frozenset()
    elsewhere: frozenset[Role] = frozenset()

    @property
    def is_signed_in(self) -> bool:
        """Say whether the sign-in ring lets them through."""
        return self.user is not None and self.user.is_active


@dataclass
class RouteWorld:
    """Two projects; what a route names is made when it is asked for."""

    home: Project
    other: Project
    actors: list[Actor]
    secrets: dict[str, str] = field(default_factory=dict)
    frozen: dict[bool, list[str]] = field(default_factory=dict)

    def project_of(self, at_home: bool) -> Project:
        """Return the project at home or the other one."""
        return self.home if at_home else self.other

    def lead(self, at_home: bool = True) -> User:
        """Return the lead of a project."""
        return self.project_of(at_home).created_by

    def reviewer(self, at_home: bool = True) -> User:
        """Return the reviewer of a project."""
        [actor] = [one for one in self.actors if one.name == f"reviewer {'at home' if at_home else 'elsewhere'}"]
        assert actor.user is not None
        return actor.user

    @cached_property
    def spare(self) -> User:
        """Another reviewer at home, who makes no requests."""
        user = factories.make_user("Sue Spare")
        factories.make_member(self.home, user, Role.REVIEWER)
        return user

    def case(self, at_home: bool = True) -> Case:
        """Return a settled case, which every role that reads cases may read."""
        case = factories.make_case(self.project_of(at_home))
        Case.objects.filter(pk=case.pk).update(state=CaseState.SETTLED, settled_at=clock.now())
        return case

    def ready_case(self, at_home: bool = True) -> Case:
        """Return a case that waits for its round."""
        return factories.make_case(self.project_of(at_home))

    def seat(self, user: User, at_home: bool = True) -> Assignment:
        """Return an open seat of `user` on a case of its own."""
        round_ = open_round(case=self.ready_case(at_home), actor=self.lead(at_home), reviewers=[user])
        return round_.assignments.get(reviewer=user)

    def label(self, seat: Assignment) -> Label:
        """Return a label of a seat."""
        return save_label(
            assignment=seat,
            reviewer=seat.reviewer,
            label=None,
            fields=complete_label(seat, title="one"),
            expected_version=0,
        )

    def claims_pass(self, user: User, at_home: bool = True) -> tuple[Assignment, str]:
        """Return the claims seat of `user` on a case of its own, and the id of a claim in it."""
        project = self.project_of(at_home)
        add_version(WorkingPolicyVersion(uses_claims=True), project=project, author=self.lead(at_home))
        hand_in(self.seat(user, at_home), verdict="clean")
        seat = Assignment.objects.filter(reviewer=user, round__kind=RoundKind.CLAIMS).order_by("-pk")[0]
        return seat, claims_of(seat)[0].public_id

    def disagreement(self, at_home: bool = True) -> Disagreement:
        """Return a disagreement on a case that two people labelled who make no requests."""
        project = self.project_of(at_home)
        pair = [factories.make_user(f"{word} {clock.now().timestamp()}") for word in ("Ann", "Ben")]
        for user in pair:
            factories.make_member(project, user, Role.REVIEWER)
        return compared(
            self.ready_case(at_home), pair, [DEFECT], [], verdicts=("has_defects", "clean")
        ).disagreements.all()[0]

    def settled_seat(self, user: User, at_home: bool = True) -> Assignment:
        """Return a seat of `user` on a settled case, in a project that shows its reviewers what became of it."""
        project = self.project_of(at_home)
        policy = WorkingPolicyVersion(shows_labels_after_settlement=True)
        add_version(policy, project=project, author=self.lead(at_home))
        partner = factories.make_user(f"Pia {clock.now().timestamp()}")
        factories.make_member(project, partner, Role.REVIEWER)
        case = settle_case_with(self.ready_case(at_home), [user, partner])
        return Assignment.objects.get(case=case, reviewer=user)

    def versions(self, at_home: bool, wanted: int) -> list[str]:
        """Return the numbers of the project's versions, after freezing as many as are wanted."""
        project = self.project_of(at_home)
        numbers = self.frozen.setdefault(at_home, [])
        while len(numbers) < wanted:
            pair = [factories.make_user(f"{word} {len(numbers)} {project.slug}") for word in ("Ann", "Ben")]
            for user in pair:
                factories.make_member(project, user, Role.REVIEWER)
            mark_complete(settle_case_with(self.ready_case(at_home), pair))
            numbers.append(freeze_version(project=project, actor=self.lead(at_home)).number)
        return numbers

    def run(self, at_home: bool = True) -> Run:
        """Return a run against a frozen version, with one finding that waits for a ruling."""
        [number] = self.versions(at_home, 1)[:1]
        version = self.project_of(at_home).versions.get(number=number)
        run = make_run(self.project_of(at_home), version=version, name=f"run {Run.objects.count()}")
        case_run = make_case_run(run, version.cases.get().case, CaseRunState.REVIEWED_WITH_FINDINGS)
        make_finding(case_run, f"Charges twice, says {run.public_id}.")
        propose_matches(run=run, actor=self.lead(at_home), second_percent=0)
        return run

    def match(self, at_home: bool = True) -> Match:
        """Return a match that waits for a ruling."""
        return Match.objects.get(matching__run=self.run(at_home))

    def job(self, at_home: bool = True) -> Job:
        """Return a job."""
        return Job.objects.create(
            project=self.project_of(at_home), kind="echo", created_by=self.lead(at_home), created_at=clock.now()
        )

    def token(self, user: User, at_home: bool = True) -> str:
        """Return the id of a token of `user`, whatever roles they have now."""
        return make_token(self.project_of(at_home), user)[0].public_id

    def batch(self, at_home: bool = True) -> str:
        """Return the id of a previewed import."""
        found = preview_import(
            project=self.project_of(at_home), source=Source("x.patch", PATCH), created_by=self.lead(at_home)
        )
        return found.public_id

    def tool(self, at_home: bool = True) -> Tool:
        """Return a tool."""
        project = self.project_of(at_home)
        name = f"Redpen {project.tools.count()}"
        return create_tool(project=project, name=name, kind=ToolKind.AI_REVIEWER, actor=self.lead(at_home))

    def intake(self, at_home: bool = True) -> str:
        """Return the id of a previewed upload of a tool's output."""
        case = self.case(at_home)
        line = {"case_id": case.public_id, "id": "f-1", "path": "pay/retry.py", "start": 9, "text": "Charges twice."}
        found = preview_intake(
            project=case.project,
            source=Source("findings.jsonl", json.dumps(line).encode()),
            target=Target(tool=self.tool(at_home)),
            created_by=self.lead(at_home),
        )
        return found.public_id

    def case_run(self, at_home: bool = True) -> CaseRun:
        """Return what a run of its own says of a case."""
        intake = Intake.objects.get(public_id=self.intake(at_home))
        commit_intake(intake=intake, actor=self.lead(at_home))
        return CaseRun.objects.select_related("run", "case").latest("pk")

    def invitation(self, email: str, at_home: bool = True) -> Invitation:
        """Return an open invitation and keep its secret by its id."""
        issued = invite(project=self.project_of(at_home), email=email, role=Role.ANALYST, actor=self.lead(at_home))
        self.secrets[issued.invitation.public_id] = issued.secret
        return issued.invitation


def build_route_world() -> RouteWorld:
    """Store both projects and everybody who makes requests."""
    people = {
        place: {role: factories.make_user(f"{role} {place}".title()) for role in Role} for place in ("home", "away")
    }
    home = factories.make_project(lead=people["home"][Role.LEAD], name="Home")
    other = factories.make_project(lead=people["away"][Role.LEAD], name="Other")
    actors = [Actor("nobody", None)]
    for place, project in (("home", home), ("away", other)):
        for role, user in people[place].items():
            if role != Role.LEAD:
                factories.make_member(project, user, role)
            held = frozenset({role})
            if place == "home":
                actors.append(Actor(f"{role} at home", user, at_home=held))
            else:
                actors.append(Actor(f"{role} elsewhere", user, elsewhere=held))
    both = factories.make_user("Bo Both")
    gone = factories.make_user("Gus Gone")
    for role in Role:
        factories.make_member(home, both, role)
        factories.make_member(other, both, role)
        factories.make_member(home, gone, role)
    gone.is_active = False
    gone.save(update_fields=["is_active"])
    admin = User.objects.create_superuser(email="root@example.org", password=factories.PASSWORD, name="Rut Root")
    every = frozenset(Role)
    actors += [
        Actor("outsider", factories.make_user("Otto Outsider")),
        Actor("administrator", admin),
        Actor("deactivated", gone, at_home=every),
        Actor("every role in both", both, at_home=every, elsewhere=every),
    ]
    return RouteWorld(home, other, actors)
