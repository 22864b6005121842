"""`touchstone withdraw_bytes`: destroy bytes of a case, also where cases of other projects use them."""

from __future__ import annotations

import argparse
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from corpus.management.actors import lead_named
from corpus.models import Case
from corpus.selectors.withdrawals import WithdrawalPlan, plan_withdrawal
from corpus.services.withdrawals import WithdrawalRefused, withdraw_bytes


class Command(BaseCommand):
    """Print what goes, and destroy it unless it is a dry run."""

    help = "Destroy bytes of a case: a secret or a licence surfaced. Digests and a tombstone stay."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument("--case", required=True, help="the case's id")
        parser.add_argument("--path", action="append", default=[], help="a file of it; without one the whole case goes")
        parser.add_argument("--reason", required=True, help="why; it stays on record and stands in manifests")
        parser.add_argument("--as", dest="email", default="", help="address of the lead who withdraws")
        parser.add_argument("--everywhere", action="store_true", help="reach cases of other projects, too")
        parser.add_argument("--dry-run", action="store_true", help="say what would be destroyed and destroy nothing")

    def handle(self, *args: Any, **options: Any) -> None:
        """Plan, print, and destroy."""
        case = Case.objects.filter(public_id=options["case"].upper()).select_related("project__created_by").first()
        if case is None:
            raise CommandError(f"There is no case {options['case']!r}; give its id as on its page.")
        lead = lead_named(case.project, options["email"])
        everywhere = options["everywhere"]
        paths = options["path"] or None
        try:
            if options["dry_run"]:
                plan = plan_withdrawal(case=case, paths=paths, viewer=None if everywhere else lead)
            else:
                plan = withdraw_bytes(
                    case=case, paths=paths, reason=options["reason"], actor=lead, everywhere=everywhere
                )
        except WithdrawalRefused as refused:
            raise CommandError(str(refused)) from refused
        self._print(plan, "would be destroyed" if options["dry_run"] else "destroyed")

    def _print(self, plan: WithdrawalPlan, what: str) -> None:
        self.stdout.write(f"{len(plan.blobs)} contents {what}, {plan.size} bytes; {plan.kept} stay\n")
        for one in plan.touched:
            loss = "its change" if one.loses_change else "files of its snapshot"
            self.stdout.write(f"{one.case.public_id} in {one.case.project.slug}: {loss}\n")
