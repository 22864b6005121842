"""`touchstone assign`: open rounds on ready cases and fill free seats, by one seeded draw."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from corpus.domain.vocabulary import Role
from corpus.models import Project, User
from labeling.selectors.plans import MAX_PLANNED, Plan, PlanKind, make_plan
from labeling.selectors.rounds import filtered_cases
from labeling.services.planning import carry_out
from labeling.services.rounds import new_seed


class Command(BaseCommand):
    """Draw seats for a project, as a lead would with the same seed."""

    help = "Draw two reviewers for every ready case, and fill the free seats of open rounds."

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the options."""
        parser.add_argument("--project", required=True, help="slug of the project, as in its address")
        parser.add_argument("--seed", type=int, help="seed of the draw; a fresh one is used and printed when missing")
        parser.add_argument("--limit", type=int, default=MAX_PLANNED, help=f"at most this many cases ({MAX_PLANNED})")
        parser.add_argument("--by", help="address of the lead who acts; the first lead of the project when missing")
        parser.add_argument("--dry-run", action="store_true", help="print the draw and change nothing")

    def handle(self, *args: Any, **options: Any) -> None:
        """Draw, print who sits where and what could not be drawn."""
        project = Project.objects.filter(slug=options["project"], archived_at__isnull=True).first()
        if project is None:
            raise CommandError(f"There is no project {options['project']!r}; give its slug, as in its address.")
        if not 1 <= options["limit"] <= MAX_PLANNED:
            raise CommandError(f"--limit {options['limit']}: give a number from 1 to {MAX_PLANNED}.")
        if options["seed"] is not None and not 0 <= options["seed"] < 2**60:
            raise CommandError(f"--seed {options['seed']}: give a number from 0 to {2**60 - 1}.")
        lead = self.acting_lead(project, options["by"])
        seed = new_seed() if options["seed"] is None else options["seed"]
        cases = [
            case
            for show in ("ready", "free")
            for case in filtered_cases(project=project, viewer=lead, show=show)[: options["limit"]]
        ][: options["limit"]]
        plan = make_plan(project=project, viewer=lead, cases=cases, kind=PlanKind.DRAW, seed=seed)
        self.stdout.write(f"seed {seed}, {len(plan.planned)} cases to draw, {len(plan.left_out)} left out")
        done = None if options["dry_run"] else set(carry_out_and_report(self, plan, lead))
        for one in plan.planned:
            if done is None or one.case.public_id in done:
                self.stdout.write(
                    f"{one.case.public_id}: {', '.join(user.name for user in one.people)};"
                    f" {one.remaining} still eligible"
                )
        for left in plan.left_out:
            self.stdout.write(f"{left.case.public_id}: left out. {left.reason}")

    def acting_lead(self, project: Project, address: str | None) -> User:
        """Return the lead in whose name the draw is recorded."""
        leads = User.objects.filter(is_active=True, memberships__project=project, memberships__role=Role.LEAD).order_by(
            "memberships__added_at", "pk"
        )
        if address:
            leads = leads.filter(email=address.lower())
        found = leads.first()
        if found is None:
            raise CommandError(f"--by {address}: no such lead." if address else "The project has no active lead.")
        return found


def carry_out_and_report(command: BaseCommand, plan: Plan, lead: User) -> tuple[str, ...]:
    """Carry the plan out, write what was refused to standard error, and return the cases that were done."""
    outcome = carry_out(plan=plan, actor=lead)
    for case_id, reason in outcome.refused:
        command.stderr.write(f"{case_id}: {reason}")
    return outcome.done
