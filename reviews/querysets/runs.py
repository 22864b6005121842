"""Filters on what tools said: whoever holds an open seat on a case sees nothing of it (B1, B8)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from django.db import models
from django.db.models import Exists, OuterRef, Q

from corpus.domain.vocabulary import Role
from corpus.querysets.people import projects_with_role

if TYPE_CHECKING:
    from corpus.models import User
    from reviews.models import (  # noqa: F401 - type parameters
        AIFinding,
        CaseRun,
        Intake,
        IntakeRecord,
        RawRecord,
        Run,
        Tool,
    )

READERS = (Role.LEAD, Role.ANALYST)


def open_seats(user: User, **on: object) -> Exists:
    """Return the condition that `user` holds an open seat on a case that fits `on`."""
    from corpus.models import CaseSeat

    return Exists(CaseSeat.objects.filter(user_id=user.pk, closed_at__isnull=True, **on))


class ToolQuerySet(models.QuerySet["Tool"]):
    """Filters on tools."""

    def visible_to(self, user: User) -> Self:
        """Leads and analysts see their project's tools.

        One that came with a file is hidden, from whoever labels in the project, with the last of its runs.
        """
        from reviews.models import CaseRun

        spoke = CaseRun.objects.filter(run__configuration__tool_id=OuterRef("pk")).without_open_seat(user)
        return self.filter(project_id__in=projects_with_role(user, READERS)).filter(
            Q(is_from_intake=False) | Exists(spoke) | ~open_seats(user, case__project_id=OuterRef("project_id"))
        )

    def managed_by(self, user: User) -> Self:
        """Leads keep the tools that they see."""
        return self.visible_to(user).filter(project_id__in=projects_with_role(user, [Role.LEAD]))


class RunQuerySet(models.QuerySet["Run"]):
    """Filters on runs."""

    def visible_to(self, user: User) -> Self:
        """Leads and analysts see the runs of which a case is left that they do not label at present.

        What a page tells of a run comes from `CaseRun`, `RawRecord` and `AIFinding` through their own `visible_to`.
        """
        from reviews.models import CaseRun

        shown = CaseRun.objects.filter(run_id=OuterRef("pk")).without_open_seat(user)
        return self.filter(project_id__in=projects_with_role(user, READERS)).filter(
            Exists(shown) | ~open_seats(user, case__project_id=OuterRef("project_id"))
        )


class CaseRunQuerySet(models.QuerySet["CaseRun"]):
    """Filters on cases of runs."""

    def without_open_seat(self, user: User) -> Self:
        """Leave out cases on which `user` holds an unsettled seat."""
        return self.filter(~open_seats(user, case_id=OuterRef("case_id")))

    def visible_to(self, user: User) -> Self:
        """Leads and analysts see what became of the cases that they do not label at present."""
        return self.filter(run__project_id__in=projects_with_role(user, READERS)).without_open_seat(user)


class AIFindingQuerySet(models.QuerySet["AIFinding"]):
    """Filters on AI findings."""

    def visible_to(self, user: User) -> Self:
        """Leads and analysts see what was said of cases that they do not label at present; reviewers see nothing.

        It holds raw words and names. Rulers do not come through here: they see neutral texts of pairs (B3).
        """
        return self.filter(case_run__run__project_id__in=projects_with_role(user, READERS)).filter(
            ~open_seats(user, case_id=OuterRef("case_run__case_id"))
        )

    def counted(self) -> Self:
        """Findings that count: those a tool held back count only where their run says so."""
        return self.filter(Q(is_suppressed=False) | Q(case_run__run__scores_suppressed=True))


class RawRecordQuerySet(models.QuerySet["RawRecord"]):
    """Filters on raw records."""

    def visible_to(self, user: User) -> Self:
        """Leads and analysts see the records of cases that they do not label at present.

        A record that belongs to no case may be about any: whoever labels at present in the project sees none of them.
        """
        of_case = Q(case_run__isnull=False) & ~open_seats(user, case_id=OuterRef("case_run__case_id"))
        of_none = Q(case_run__isnull=True) & ~open_seats(user, case__project_id=OuterRef("intake__project_id"))
        return self.filter(intake__project_id__in=projects_with_role(user, READERS)).filter(of_case | of_none)


class IntakeQuerySet(models.QuerySet["Intake"]):
    """Filters on intakes."""

    def visible_to(self, user: User) -> Self:
        """Leads see their project's intakes, unless they label in it at present: its counts may be of their case."""
        return self.filter(project_id__in=projects_with_role(user, [Role.LEAD])).filter(
            ~open_seats(user, case__project_id=OuterRef("project_id"))
        )


class IntakeRecordQuerySet(models.QuerySet["IntakeRecord"]):
    """Filters on the records of intakes."""

    def visible_to(self, user: User) -> Self:
        """The records of intakes that the user may see."""
        from reviews.models import Intake

        return self.filter(intake_id__in=Intake.objects.visible_to(user).values("pk"))
