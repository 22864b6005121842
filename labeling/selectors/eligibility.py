"""Who may sit on which case, and how many people remain for a draw (B2, B3, B4, B7)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from django.db.models import Count, Q

from corpus.access import Answer, Denied, roles_of
from corpus.domain.vocabulary import Role, RoundKind
from corpus.models import Case, CaseSeat, Expertise, Exposure, Project, User
from corpus.services.seats import may_label
from labeling.domain.assigning import Candidate, Demand
from labeling.domain.states import AssignmentState, RoundState
from labeling.models import Assignment, Round

# Draws take reviewers; a lead may also seat a lead or an adjudicator by hand (design: label own assignments).
SEATABLE = frozenset({Role.REVIEWER, Role.LEAD, Role.ADJUDICATOR})

NOT_A_MEMBER = "They are not an active reviewer, adjudicator or lead of this project."
IN_THIS_ROUND = "They have or had a seat in this round."
DECLINED = "They declined this case."
LABELLED_BEFORE = "They labelled this case in an earlier round."
NO_OPEN_PASS = "They have not submitted an open pass of this case, so they may not see its claims."  # noqa: S105
AUTHOR = "They wrote this change."
EXPOSED = "They have already seen labels, findings or hidden fields of this case."
FAMILY = "They label or labelled another case of the same family."


def may_sit(*, user: User, case: Case, kind: RoundKind = RoundKind.INITIAL, round: Round | None = None) -> Answer:
    """Say whether `user` may be given a seat in `round`, or in a new round of `kind` where none is given."""
    if not roles_of(user, case.project) & SEATABLE:
        return Denied(NOT_A_MEMBER)
    mine = Assignment.objects.filter(case=case, reviewer=user)
    if round is not None:
        kind = RoundKind(round.kind)
        if mine.filter(round=round).exists():
            return Denied(IN_THIS_ROUND)
    if mine.filter(state=AssignmentState.DECLINED).exists():
        return Denied(DECLINED)
    submitted = mine.filter(state=AssignmentState.SUBMITTED)
    if kind == RoundKind.CLAIMS:
        if not submitted.filter(round__kind=RoundKind.INITIAL).exists():
            return Denied(NO_OPEN_PASS)
    elif submitted.exists():
        return Denied(LABELLED_BEFORE)
    return may_label(user=user, case=case)


@dataclass(frozen=True)
class Pool:
    """The reviewers of a project with what decides who of them may sit on some cases; no query is left to do."""

    reviewers: tuple[User, ...]
    candidates: tuple[Candidate, ...]
    exposed: frozenset[tuple[int, int]] = frozenset()
    in_open_round: frozenset[tuple[int, int]] = frozenset()
    declined: frozenset[tuple[int, int]] = frozenset()
    submitted: frozenset[tuple[int, int]] = frozenset()
    # (person, "family NAME" or "cluster NAME") to the cases held or submitted.
    siblings: dict[tuple[int, str], frozenset[int]] = field(default_factory=dict)

    def refusal(self, user: User, case: Case) -> str:
        """Return why `user` may not be drawn for an initial round of `case`, or an empty text."""
        key = (case.pk, user.pk)
        if key in self.in_open_round:
            return IN_THIS_ROUND
        if key in self.declined:
            return DECLINED
        if key in self.submitted:
            return LABELLED_BEFORE
        if case.change_author_user_id == user.pk:
            return AUTHOR
        if key in self.exposed:
            return EXPOSED
        if any(self.siblings.get((user.pk, group), frozenset()) - {case.pk} for group in groups_of(case)):
            return FAMILY
        return ""

    def eligible(self, case: Case) -> tuple[User, ...]:
        """Return the reviewers who may be drawn for the case."""
        return tuple(user for user in self.reviewers if not self.refusal(user, case))

    def refusals(self, case: Case) -> tuple[tuple[User, str], ...]:
        """Return the reviewers who may not be drawn for the case, each with the reason."""
        answers = ((user, self.refusal(user, case)) for user in self.reviewers)
        return tuple((user, reason) for user, reason in answers if reason)

    def demand(self, case: Case, *, seats: int) -> Demand:
        """Return the case as the draw needs it."""
        return Demand(
            case=case.public_id,
            seats=seats,
            eligible=frozenset(user.public_id for user in self.eligible(case)),
            language=case.language,
            area=case.area,
            groups=frozenset(groups_of(case)),
        )

    def by_public_id(self) -> dict[str, User]:
        """Return the reviewers by their public id."""
        return {user.public_id: user for user in self.reviewers}


def groups_of(case: Case) -> list[str]:
    """Name the family and the cluster of a case; a person labels at most one case of each (B7)."""
    return [f"{kind} {name}" for kind, name in (("family", case.family), ("cluster", case.cluster)) if name]


def pool_for(*, project: Project, cases: Sequence[Case], viewer: User | None = None) -> Pool:
    """Work out who may be drawn for `cases`, with a number of queries that does not grow with their number.

    Loads leave out cases on which `viewer` holds an open seat (B8). They count unsettled cases, submitted or not, so
    that a draw does not tell who is done.
    """
    reviewers = tuple(
        User.objects.filter(is_active=True, memberships__project=project, memberships__role=Role.REVIEWER)
        .order_by("name", "pk")
        .distinct()
    )
    ids = [case.pk for case in cases]
    people = [user.pk for user in reviewers]
    mine = Assignment.objects.filter(case_id__in=ids, reviewer_id__in=people)
    return Pool(
        reviewers=reviewers,
        candidates=candidates_of(project=project, reviewers=reviewers, viewer=viewer),
        exposed=frozenset(Exposure.objects.filter(case_id__in=ids, user_id__in=people).values_list("case", "user")),
        in_open_round=frozenset(mine.filter(round__state=RoundState.OPEN).values_list("case", "reviewer")),
        declined=frozenset(mine.filter(state=AssignmentState.DECLINED).values_list("case", "reviewer")),
        submitted=frozenset(mine.filter(state=AssignmentState.SUBMITTED).values_list("case", "reviewer")),
        siblings=sibling_cases(project=project, cases=cases),
    )


def candidates_of(*, project: Project, reviewers: Iterable[User], viewer: User | None) -> tuple[Candidate, ...]:
    """Return `reviewers` with their loads and expertise."""
    held = CaseSeat.objects.filter(case__project=project, closed_at__isnull=True)
    if viewer is not None:
        held = held.filter(case_id__in=Case.objects.filter(project=project).without_open_seat(viewer).values("pk"))
    loads = dict(held.values_list("user").annotate(count=Count("pk")))
    words: dict[tuple[int, str], set[str]] = {}
    for user_id, kind, value in Expertise.objects.filter(
        user__memberships__project=project, user__memberships__role=Role.REVIEWER
    ).values_list("user", "kind", "value"):
        words.setdefault((user_id, kind), set()).add(value)
    return tuple(
        Candidate(
            id=user.public_id,
            load=loads.get(user.pk, 0),
            languages=frozenset(words.get((user.pk, Expertise.LANGUAGE), set())),
            areas=frozenset(words.get((user.pk, Expertise.AREA), set())),
        )
        for user in reviewers
    )


def sibling_cases(*, project: Project, cases: Iterable[Case]) -> dict[tuple[int, str], frozenset[int]]:
    """Return, by person and family or cluster of `cases`, the cases they hold or have submitted."""
    families = {case.family for case in cases if case.family}
    clusters = {case.cluster for case in cases if case.cluster}
    if not families and not clusters:
        return {}
    seats = (
        CaseSeat.objects.filter(Q(case__family__in=families) | Q(case__cluster__in=clusters), case__project=project)
        .filter(Q(closed_at__isnull=True) | Q(has_submitted=True))
        .select_related("case")
        .only("user_id", "case__family", "case__cluster")
    )
    found: dict[tuple[int, str], set[int]] = {}
    for seat in seats:
        for group in groups_of(seat.case):
            found.setdefault((seat.user_id, group), set()).add(seat.case_id)
    return {key: frozenset(held) for key, held in found.items()}


def remaining(*, project: Project, cases: Sequence[Case]) -> dict[str, int]:
    """Return how many reviewers may still be drawn for each case, by public id."""
    pool = pool_for(project=project, cases=cases)
    return {case.public_id: len(pool.eligible(case)) for case in cases}
