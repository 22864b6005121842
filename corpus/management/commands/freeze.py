"""`touchstone freeze`: freeze a project's truth as a version."""

from __future__ import annotations

import argparse
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from corpus.domain.vocabulary import Channel
from corpus.management.actors import lead_named, project_named
from corpus.services.versions import (
    FreezeRefused,
    GatesFailed,
    Plan,
    freeze_version,
    latest_version,
    plan_version,
    record_telling,
)


class Command(BaseCommand):
    """Freeze a version, and print its number, digest, gates and changes."""

    help = "Freeze the settled cases of a project as a version; its number is computed from what changed."

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        """Let `--version` name a corpus version; Django's own option of that name shows its release."""
        return super().create_parser(prog_name, subcommand, conflict_handler="resolve", **kwargs)

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument("--project", required=True, help="the project's name in addresses (its slug)")
        parser.add_argument("--version", dest="number", default=None, help="refuse to freeze any other number")
        parser.add_argument("--as", dest="email", default="", help="address of the lead who freezes")
        parser.add_argument("--waive", action="append", default=[], metavar="GATE=REASON", help="waive a gate")
        parser.add_argument("--without", action="append", default=[], metavar="CASE", help="leave a case out")
        parser.add_argument("--note", default="", help="what this version is for, kept beside it")
        parser.add_argument("--dry-run", action="store_true", help="say what would be frozen and store nothing")

    def handle(self, *args: Any, **options: Any) -> None:
        """Plan, print, and freeze unless it is a dry run."""
        project = project_named(options["project"])
        lead = lead_named(project, options["email"])
        waivers = dict(map(_waiver, options["waive"]))
        excluded = {case_id.upper() for case_id in options["without"]}
        try:
            plan = plan_version(project, actor=lead, excluded=excluded)
            record_telling(plan=plan, channel=Channel.COMMAND, actor=lead)
            self._print_plan(plan, waivers)
            if options["dry_run"]:
                if plan.refusal:
                    raise CommandError(plan.refusal)
                return
            before = latest_version(project)
            version = freeze_version(
                project=project,
                actor=lead,
                waivers=waivers,
                expected_version=options["number"],
                excluded=excluded,
                note=options["note"],
            )
        except GatesFailed as failed:
            raise CommandError(str(failed)) from failed
        except FreezeRefused as refused:
            raise CommandError(str(refused)) from refused
        if version == before:
            self.stdout.write(f"nothing changed since {version.number}, which stands\n")
        else:
            self.stdout.write(f"frozen {version.number}\n")
        self.stdout.write(f"sha256 {version.manifest_sha256}\n")

    def _print_plan(self, plan: Plan, waivers: dict[str, str]) -> None:
        counts = plan.counts
        self.stdout.write(f"cases {counts.cases} ({_listed(counts.cases_by_result)})\n")
        self.stdout.write(f"splits {_listed(counts.cases_by_split)}\n")
        self.stdout.write(f"findings {counts.findings} ({_listed(counts.findings_by_state)})\n")
        self.stdout.write(f"required by severity: {_listed(counts.required_by_severity)}\n")
        self.stdout.write(f"required by category: {_listed(counts.required_by_category)}\n")
        for gate in plan.gates:
            waived = "waived" if gate.waivable and waivers.get(gate.key) else "FAILED"
            self.stdout.write(f"gate {gate.key}: {'passed' if gate.has_passed else waived} ({gate.detail})\n")
            for failing in gate.failing:
                self.stdout.write(f"  {failing.case_id}: {failing.reason}\n")
        for change in plan.changes:
            subject = " ".join(filter(None, (change.document, change.case_id, change.finding_id)))
            more = "; ".join(filter(None, (change.detail, change.reason)))
            self.stdout.write(f"change {change.kind} {subject}{f': {more}' if more else ''}\n")


def _waiver(argument: str) -> tuple[str, str]:
    key, separator, reason = argument.partition("=")
    if not separator or not reason.strip():
        raise CommandError(f"--waive {argument!r} has no reason; write it as GATE=REASON.")
    return key.strip(), reason.strip()


def _listed(counts: dict[str, int]) -> str:
    return ", ".join(f"{number} {word}" for word, number in counts.items() if number) or "none"
