"""Does anything of one seat's work reach anybody it must not? Tried on the data of an installation, and taken back.

Canaries are planted in one open seat, then everybody in the project is signed in and follows every link of every page
they get to, and every address that can be guessed for the case. All of it happens in one transaction that is rolled
back. What the crawl proves is that a planted text does not come through; that nothing else depends on it is what
`make blinding` proves, with two worlds and every byte.
"""

from __future__ import annotations

import html
import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

from django.conf import settings
from django.db import transaction
from django.test import Client
from django.urls import NoReverseMatch, URLPattern, URLResolver, get_resolver, reverse

from corpus.domain.vocabulary import CaseState, Role, RoundKind
from corpus.ids import new_secret
from corpus.models import Case, CaseSeat, Membership, Project, User
from corpus.services.claims import ClaimDraft, add_claims
from labeling.domain.label_input import LabelInput
from labeling.domain.states import AssignmentState, RoundState
from labeling.models import Assignment
from labeling.services.labels import save_label
from labeling.services.rounds import RoundRefused, open_round
from labeling.services.submission import save_answer

MOST_PAGES = 2_000
_LINK = re.compile(r'(?:href|hx-get|data-url)="(/[^"]*)"')
# Ends the session that crawls.
_LEFT_OUT = ("/accounts/logout/", settings.STATIC_URL)


class CannotPlant(Exception):
    """The project has no case to plant in; the message is one sentence for an administrator."""


@dataclass(frozen=True)
class Planted:
    """One seat with canaries in it, and the texts that must reach nobody else."""

    project: Project
    case: Case
    seat: Assignment
    canaries: tuple[str, ...]


@dataclass(frozen=True)
class Leak:
    """A planted text that came through."""

    person: str
    path: str
    what: str


@dataclass(frozen=True)
class Report:
    """What was asked, how much of it was opened, and what came through.

    `cut` names people whose pages were more than the limit.
    """

    case_id: str
    people: int
    pages: int
    opened: int
    leaks: tuple[Leak, ...]
    cut: tuple[str, ...]


@dataclass(frozen=True)
class _Walk:
    """What one person asked for, how much of it was opened, what came through, and whether pages were left."""

    asked: int
    opened: int
    leaks: list[Leak]
    is_cut: bool


class _TakeBack(Exception):
    """Rolls everything back."""


def check_blinding(project: Project, *, most_pages: int = MOST_PAGES) -> Report:
    """Plant, crawl as everybody, and take everything back. Raises CannotPlant."""
    report: Report | None = None
    try:
        with transaction.atomic():
            report = _crawl(_plant(project), most_pages)
            raise _TakeBack
    except _TakeBack:
        assert report is not None
        return report


def _plant(project: Project) -> Planted:
    seat = _open_seat(project)
    canaries = tuple(f"canary{new_secret()[:20]}" for _ in range(3))
    for text in canaries[:2]:
        fields = LabelInput(title=text, trigger=text, evidence=text, impact=text)
        saved = save_label(assignment=seat, reviewer=seat.reviewer, label=None, fields=fields, expected_version=0)
    save_answer(
        assignment=seat,
        reviewer=seat.reviewer,
        verdict="",
        missing_context="",
        summary=canaries[2],
        expected_version=Assignment.objects.values_list("version", flat=True).get(pk=seat.pk),
    )
    statement = f"canary{new_secret()[:20]}"
    add_claims(case=seat.case, drafts=[ClaimDraft(statement=statement)])
    return Planted(project, seat.case, seat, (*canaries, statement, saved.public_id))


def _open_seat(project: Project) -> Assignment:
    """Return an open seat beside another one, on a round that is opened for it where there is none."""
    live = Assignment.objects.filter(
        case__project=project, round__kind=RoundKind.INITIAL, round__state=RoundState.OPEN, state=AssignmentState.ACTIVE
    ).select_related("case__project", "reviewer", "round", "policy")
    for seat in live.order_by("pk"):
        if seat.round.assignments.exclude(pk=seat.pk).filter(state=AssignmentState.ACTIVE).exists():
            return seat
    pair = [
        row.user
        for row in Membership.objects.filter(project=project, role=Role.REVIEWER, user__is_active=True)
        .select_related("user")
        .order_by("pk")
    ]
    for case in Case.objects.filter(project=project, state=CaseState.READY).order_by("pk"):
        try:
            round_ = open_round(case=case, actor=project.created_by, reviewers=pair[:2])
        except RoundRefused:
            continue
        return round_.assignments.select_related("case__project", "reviewer", "round", "policy").order_by("slot")[0]
    raise CannotPlant(f"{project.slug} has neither an open round with two seats nor a ready case and two reviewers.")


def _crawl(planted: Planted, most_pages: int) -> Report:
    members = User.objects.filter(memberships__project=planted.project, is_active=True).distinct().order_by("pk")
    leaks: list[Leak] = []
    cut: list[str] = []
    pages = opened = 0
    people = list(members)
    for person in people:
        if _may_see(person, planted):
            continue
        walk = _walk(person, planted, most_pages)
        pages += walk.asked
        opened += walk.opened
        leaks += walk.leaks
        if walk.is_cut:
            cut.append(person.name)
    return Report(planted.case.public_id, len(people), pages, opened, tuple(leaks), tuple(cut))


def _may_see(person: User, planted: Planted) -> bool:
    """The seat's own reviewer, and leads who do not label the case."""
    if person.pk == planted.seat.reviewer_id:
        return True
    is_lead = Membership.objects.filter(project=planted.project, user=person, role=Role.LEAD).exists()
    return is_lead and not CaseSeat.objects.filter(case=planted.case, user=person, closed_at__isnull=True).exists()


def _walk(person: User, planted: Planted, most_pages: int) -> _Walk:
    """Follow every link from the start page and from every guess, as this person."""
    client = Client(raise_request_exception=False, SERVER_NAME=_host())
    client.force_login(person)
    waiting = deque(["/", *_guesses(planted)])
    seen = set(waiting)
    leaks = []
    asked = opened = 0
    while waiting and asked < most_pages:
        path = waiting.popleft()
        asked += 1
        response = client.get(path, secure=settings.SECURE_SSL_REDIRECT)
        opened += response.status_code == 200
        text = response.getvalue().decode("utf-8", "replace")
        whole = text + repr(sorted(response.headers.items()))
        # A page may repeat the address it was asked for.
        told = [canary for canary in planted.canaries if canary in whole and canary not in path]
        leaks += [Leak(person.name, path, canary) for canary in told]
        for link in [response.headers.get("Location", ""), *map(html.unescape, _LINK.findall(text))]:
            address = link.partition("#")[0]
            if address.startswith("/") and address not in seen and not address.startswith(_LEFT_OUT):
                seen.add(address)
                waiting.append(address)
    return _Walk(asked, opened, leaks, bool(waiting))


def _host() -> str:
    """Return a name that the installation answers to."""
    allowed = next((host for host in settings.ALLOWED_HOSTS if host not in ("*", "[::1]")), "localhost")
    return allowed.lstrip(".")


def _guesses(planted: Planted) -> Iterator[str]:
    """Yield the address of every route of the project that can be made of what was planted."""
    known = {
        "project": planted.project.slug,
        "case_id": planted.case.public_id,
        "seat_id": planted.seat.public_id,
        "label_id": planted.canaries[-1],
        "person_id": planted.seat.reviewer.public_id,
        "position": 0,
        "side": "new",
    }
    for name, parameters in _routes(get_resolver().url_patterns, frozenset()):
        if "project" in parameters and parameters <= known.keys():
            try:
                yield reverse(name, kwargs={key: known[key] for key in parameters})
            except NoReverseMatch:
                continue


def _routes(patterns: list[URLPattern | URLResolver], above: frozenset[str]) -> Iterator[tuple[str, frozenset[str]]]:
    for pattern in patterns:
        parameters = above | frozenset(pattern.pattern.converters)
        if isinstance(pattern, URLResolver):
            yield from _routes(pattern.url_patterns, parameters)
        elif pattern.name:
            yield pattern.name, parameters
