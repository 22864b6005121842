"""The project's home page: what the person's roles have to do next, with links into every app."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import urlencode

from django.urls import NoReverseMatch, reverse

from corpus.access import roles_of
from corpus.domain.vocabulary import CaseState, Role
from corpus.models import Project, User
from labeling.selectors.home import (
    AdjudicatorHome,
    LeadHome,
    ReviewerHome,
    VersionRow,
    adjudicator_home,
    lead_home,
    newest_versions,
    reviewer_home,
)
from reviews.selectors.home import RunLine, newest_runs
from reviews.selectors.ruling_pages import MOST_COUNTED, waiting_count

NEEDED_REVIEWERS = 2


@dataclass(frozen=True)
class Segment:
    """One state of the bar, with the list of its cases."""

    state: str
    label: str
    count: int
    url: str


@dataclass(frozen=True)
class Step:
    """One thing to do: a sentence, and the link that does it."""

    text: str
    action: str
    url: str


@dataclass(frozen=True)
class HomePage:
    """The parts of the page that the person's roles have; the others are None."""

    reviewer: ReviewerHome | None
    may_pull: bool
    lead: LeadHome | None
    steps: tuple[Step, ...]
    segments: tuple[Segment, ...]
    adjudicator: AdjudicatorHome | None
    shows_versions: bool
    versions: tuple[VersionRow, ...]
    # Questions to rulers that wait for the person, counted up to a limit.
    rulings: int
    runs: tuple[RunLine, ...]


def home_page(*, project: Project, user: User) -> HomePage:
    """Put the page together from what each role sees."""
    roles = roles_of(user, project)
    own = reviewer_home(project=project, user=user)
    lead = lead_home(project=project, user=user) if Role.LEAD in roles else None
    adjudicator, rulings = None, 0
    if roles & {Role.ADJUDICATOR, Role.LEAD}:
        adjudicator = adjudicator_home(project=project, user=user)
        rulings = waiting_count(user, project)
    shows_versions = bool(roles & {Role.LEAD, Role.ANALYST})
    return HomePage(
        reviewer=own if Role.REVIEWER in roles or own.left else None,
        may_pull=Role.REVIEWER in roles,
        lead=lead,
        steps=tuple(steps(project, lead, adjudicator, rulings)) if lead and adjudicator else (),
        segments=tuple(segments(project, lead)) if lead else (),
        adjudicator=adjudicator if Role.ADJUDICATOR in roles else None,
        shows_versions=shows_versions,
        versions=newest_versions(project=project, user=user) if shows_versions else (),
        rulings=rulings,
        runs=newest_runs(project=project, user=user) if shows_versions else (),
    )


def address(project: Project, route: str, **query: str) -> str:
    """Return the address of a project's page, or an empty text when this installation has none of that name."""
    try:
        found = reverse(route, kwargs={"project": project.slug})
    except NoReverseMatch:
        return ""
    return f"{found}?{urlencode(query)}" if query else found


def segments(project: Project, lead: LeadHome) -> Iterator[Segment]:
    """Yield the states of the bar in the order of a case's life; withdrawn cases are not part of the corpus."""
    for state, count in lead.states.items():
        if state != CaseState.WITHDRAWN:
            yield Segment(state, state.value, count, address(project, "case_list", state=state))


def steps(project: Project, lead: LeadHome, adjudicator: AdjudicatorHome, rulings: int) -> Iterator[Step]:
    """Yield what a lead should do, the most pressing first."""

    def step(text: str, action: str, route: str, **query: str) -> Step:
        return Step(text, action, address(project, route, **query))

    states = lead.states
    if not lead.cases:
        yield step(
            "The project has no cases yet. Bring changes: a patch, commits of a repository, an archive, JSON lines.",
            "Import cases",
            "import_new",
        )
    if lead.reviewers < NEEDED_REVIEWERS:
        have = "no reviewer" if not lead.reviewers else "one reviewer"
        yield step(f"The project has {have}; every case needs two.", "Invite reviewers", "member_list")
    if states[CaseState.READY]:
        yield step(f"{cases(states[CaseState.READY])} ready for two blinded reviewers.", "Plan a round", "round_plan")
    if lead.rounds_missing:
        lacking = "1 open round lacks" if lead.rounds_missing == 1 else f"{lead.rounds_missing} open rounds lack"
        yield step(
            f"{lacking} a reviewer, with nothing offered in the queue.", "Fill the seats", "round_plan", show="free"
        )
    if adjudicator.cases:
        yield step(
            f"{cases(adjudicator.cases)} waiting for a decision on what the reviewers see differently.",
            "Adjudicate",
            "adjudication_queue",
        )
    if rulings:
        yield step(f"{questions(rulings)} on what tools said, to be ruled on blind.", "Rule", "ruling_queue")
    if states[CaseState.STALE]:
        yield step(
            f"{cases(states[CaseState.STALE])} stale and must be confirmed again before a version holds them.",
            "See the stale cases",
            "case_list",
            state=CaseState.STALE,
        )
    if states[CaseState.INCOMPLETE]:
        yield step(
            f"{cases(states[CaseState.INCOMPLETE])} incomplete: something is missing before anybody can label.",
            "See what is missing",
            "case_list",
            state=CaseState.INCOMPLETE,
        )
    if lead.unclean:
        yield step(
            f"{cases(lead.unclean)} settled with every label rejected, which is clean only by a fresh verdict.",
            "See them",
            "adjudication_queue",
            show="unclean",
        )
    if lead.unfrozen:
        yield step(f"{cases(lead.unfrozen)} settled and in no version yet.", "Freeze a version", "version_freeze")


def cases(count: int) -> str:
    """Return "1 case is" or "3 cases are"."""
    return "1 case is" if count == 1 else f"{count} cases are"


def questions(count: int) -> str:
    """Return "1 question waits" or "3 questions wait", and "more than" beyond what is counted."""
    if count > MOST_COUNTED:
        return f"More than {MOST_COUNTED} questions wait"
    return "1 question waits" if count == 1 else f"{count} questions wait"
