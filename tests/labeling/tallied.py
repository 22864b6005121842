"""Cases whose tallies are stored directly, for figures of many cases; `test_tallies.py` tests what services store."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from corpus.ids import new_public_id
from corpus.models import Case, GoldenFinding, GoldenRevision, GuidelinesVersion, Project, User
from corpus.selectors.projects import texts_in_force
from labeling.domain.statistics.kinds import CaseKind, CountedFinding
from labeling.models import Assignment, Comparison, GoldenSource, Label, Round, Tally, TallyFinding
from labeling.models.agreement import FINDING_COLUMNS
from tests.factories import make_case

START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
OWN = ("id", "public_id", "identity_sha256", "language", "source_kind", "state", "created_at")


def both(
    categories: tuple[str, str] = ("logic", "logic"),
    severities: tuple[str, str] = ("low", "low"),
    *,
    shared: int = 1,
    union: int = 1,
    **other: Any,
) -> CountedFinding:
    """A pair of labels."""
    return CountedFinding(
        "both",
        *categories,
        *severities,
        shares_a_line=other.pop("shares_a_line", shared > 0),
        shared_lines=shared,
        union_lines=union,
        **other,
    )


def alone(side: str, category: str = "logic", severity: str = "low") -> CountedFinding:
    """A label without a partner; `side` is first or second."""
    said = (category, "", severity, "") if side == "first" else ("", category, "", severity)
    return CountedFinding(side, *said)


def kind(*findings: CountedFinding, verdicts: tuple[str, str] = ("has_defects", "has_defects")) -> CaseKind:
    """What two reviewers said about a case."""
    return CaseKind(*verdicts, findings)


@dataclass
class Tallied:
    """Stores cases of one project by what was said about them."""

    project: Project
    reviewers: Sequence[User]
    count: int = 0
    template: Case | None = field(default=None)

    def add(
        self,
        said: CaseKind,
        *,
        language: str = "Python",
        source_kind: str = "expert",
        state: str = "settled",
        guidelines: int | None = 1,
        reviewers: Sequence[User] | None = None,
        is_low_first: bool = True,
    ) -> Tally:
        """Store one case that was labelled a minute after the one before."""
        if self.template is None:
            self.template = make_case(self.project)
        names = {each.attname for each in Case._meta.concrete_fields} - set(OWN)
        at = START + timedelta(minutes=self.count)
        case = Case.objects.create(
            public_id=new_public_id(),
            identity_sha256=hashlib.sha256(b"tallied %d" % self.count).hexdigest(),
            language=language,
            source_kind=source_kind,
            state=state,
            created_at=at,
            **{name: getattr(self.template, name) for name in names},
        )
        self.count += 1
        lead = self.project.created_by
        round_ = Round.objects.create(case=case, number=1, seed=1, opened_by=lead, opened_at=at, state="closed")
        comparison = Comparison.objects.create(
            round=round_, aligner="1", window=5, no_match_cost=8000, category_cost=5000, compared_at=at
        )
        low, high = sorted(reviewers or self.reviewers, key=lambda user: user.pk)
        tally = Tally.objects.create(
            comparison=comparison,
            case=case,
            verdict_first=said.verdict_first,
            verdict_second=said.verdict_second,
            reviewer_low=low,
            reviewer_high=high,
            is_low_first=is_low_first,
            guidelines=GuidelinesVersion.objects.get(project=self.project, number=guidelines) if guidelines else None,
            digest=said.digest,
            labelled_at=at,
        )
        TallyFinding.objects.bulk_create(
            TallyFinding(tally=tally, **dict(zip(FINDING_COLUMNS, one, strict=True))) for one in said.findings
        )
        return tally

    def seat(self, tally: Tally, slot: str, claims: bool = False) -> Assignment:
        """The submitted seat of a slot: the lower reviewer sits in A; `claims` means that of a claims pass."""
        texts = texts_in_force(self.project)
        round_ = tally.comparison.round
        if claims:
            round_, _ = Round.objects.get_or_create(
                case=tally.case,
                kind="claims",
                defaults={"number": 2, "seed": 1, "opened_by": round_.opened_by, "opened_at": tally.labelled_at},
            )
        return Assignment.objects.get_or_create(
            round=round_,
            case=tally.case,
            slot=slot,
            defaults={
                "reviewer": tally.reviewer_low if slot == "A" else tally.reviewer_high,
                "state": "submitted",
                "source": "lead",
                "verdict": tally.verdict_first if (slot == "A") == tally.is_low_first else tally.verdict_second,
                "assigned_at": tally.labelled_at,
                "submitted_at": tally.labelled_at,
                "final_at": tally.labelled_at,
                "taxonomy": texts.taxonomy,
                "policy": texts.policy,
            },
        )[0]

    def label(self, tally: Tally, slot: str, severity: str = "medium", claims: bool = False) -> Label:
        """A label of a slot."""
        seat = self.seat(tally, slot, claims)
        at = tally.labelled_at
        return Label.objects.create(
            assignment=seat, number=seat.labels.count() + 1, version=1, severity=severity, created_at=at, saved_at=at
        )

    def golden(
        self,
        tally: Tally,
        labels: Sequence[Label],
        state: str = "required",
        severity: str = "medium",
        category: str = "",
    ) -> GoldenFinding:
        """A golden finding that came from these labels."""
        finding = GoldenFinding.objects.create(case=tally.case, created_at=tally.labelled_at)
        kinds = texts_in_force(self.project).taxonomy.categories
        GoldenRevision.objects.create(
            finding=finding,
            number=1,
            state=state,
            severity=severity,
            category=kinds.get(key=category) if category else None,
            provenance="adjudicated",
            decided_at=tally.labelled_at,
        )
        for label in labels:
            GoldenSource.objects.create(finding=finding, label=label, label_revision=1, slot=label.assignment.slot)
        return finding
