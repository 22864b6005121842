"""Proposing matches for a run, once all of it is there."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping

from django.conf import settings
from django.db import transaction

from corpus import clock
from corpus.models import GoldenRevision, User, VersionCase
from corpus.services import audit
from reviews.domain.matching import MatchingParameters, Proposed
from reviews.domain.questions import needs_ruling, waits
from reviews.domain.run_scoring import propose_case
from reviews.models import AIFinding, Match, Matching, Run
from reviews.selectors.rulings import answers_to, asked_by
from reviews.selectors.run_records import manifest_of, record_of

SAMPLE_PERCENT = 20
SECOND_PERCENT = 10
BATCH_ROWS = 500


class MatchingRefused(Exception):
    """Nothing can be matched; the message is one sentence for a person."""


def propose_matches(
    *, run: Run, actor: User | None, sample_percent: int = SAMPLE_PERCENT, second_percent: int = SECOND_PERCENT
) -> Matching:
    """Store what structure proposes for every finding of a run; a run of which it is known keeps it (N2).

    A run that was taken in further since is matched anew as a whole, since one finding more may change every pair.
    Certain matches are drawn for a ruling in `sample_percent`, and of all questions `second_percent` are put to two
    rulers. Both draws go by a keyed hash of the words, so they are the same whoever says them again.
    """
    if run.version is None:
        raise MatchingRefused("A shadow run has no golden findings to be matched with.")
    with transaction.atomic():
        # Two calls at once: the second waits here and then finds the proposal.
        Run.objects.select_for_update().get(pk=run.pk)
        found = run.matchings.filter(is_current=True).first()
        if found is not None:
            if found.matches.count() == AIFinding.objects.filter(case_run__run=run).counted().count():
                return found
            Match.objects.filter(matching=found, is_open=True).update(is_open=False)
            run.matchings.filter(pk=found.pk).update(is_current=False)
        parameters = MatchingParameters()
        matching = Matching.objects.create(
            run=run,
            number=run.matchings.count() + 1,
            algorithm=parameters.version,
            window=parameters.window,
            category_cost=parameters.category_cost,
            localised_lines=parameters.localised_lines,
            localised_share=parameters.localised_share,
            sample_percent=sample_percent,
            second_percent=second_percent,
            made_at=clock.now(),
        )
        matches = _proposed(run, matching)
        answers = answers_to(asked_by(match) for match in matches)
        for match in matches:
            match.is_open = waits(answers[asked_by(match)], match.wanted)
        Match.objects.bulk_create(matches, batch_size=BATCH_ROWS)
        audit.record(
            actor=actor,
            verb="matches proposed",
            subject=f"run {run.public_id}",
            project=run.project,
            after=f"{len(matches)} findings, {sum(match.is_open for match in matches)} to be ruled on",
        )
    return matching


def _proposed(run: Run, matching: Matching) -> list[Match]:
    assert run.version is not None
    manifest = manifest_of(run.version)
    frozen = {row.case.public_id: row for row in VersionCase.objects.filter(version=run.version).select_related("case")}
    golden: Mapping[tuple[str, str], GoldenRevision] = {
        (revision.finding.case.public_id, revision.finding.public_id): revision
        for revision in GoldenRevision.objects.filter(
            pk__in=run.version.cases.values("findings__revision_id")
        ).select_related("finding__case")
    }
    stored: dict[str, list[AIFinding]] = {}
    findings = AIFinding.objects.filter(case_run__run=run).counted()
    for finding in findings.select_related("case_run__case").prefetch_related("anchors").order_by("pk"):
        stored.setdefault(finding.case_run.case.public_id, []).append(finding)
    matches = []
    for case in manifest.cases:
        said = stored.get(case.case_id, [])
        by_id = {finding.public_id: finding for finding in said}
        for proposed in propose_case(manifest, case, [record_of(finding) for finding in said]).findings:
            matches.append(
                _match(
                    matching,
                    by_id[proposed.ai_id],
                    proposed,
                    frozen[case.case_id],
                    golden.get((case.case_id, proposed.golden_id or "")),
                )
            )
    return matches


def _match(
    matching: Matching, finding: AIFinding, proposed: Proposed, frozen: VersionCase, golden: GoldenRevision | None
) -> Match:
    content = finding.content_sha256
    is_sampled = proposed.certain and drawn("sample", content, matching.sample_percent)
    wanted = 0
    if needs_ruling(proposed) or is_sampled:
        wanted = 2 if drawn("second", content, matching.second_percent) else 1
    return Match(
        matching=matching,
        finding=finding,
        case=frozen.case,
        content_sha256=content,
        case_sha256=frozen.case_sha256,
        golden=golden,
        match_class=proposed.match_class,
        reason=proposed.reason or "",
        is_certain=proposed.certain,
        is_sampled=is_sampled,
        explanation=proposed.explanation,
        wanted=wanted,
        is_open=wanted > 0,
        shuffle=keyed("queue", content)[:16],
    )


def keyed(purpose: str, content_sha256: str) -> str:
    """Return a hash of the words that nobody without the server's secret can foresee."""
    key = settings.SECRET_KEY.encode()
    return hmac.new(key, f"ruling {purpose}\n{content_sha256}".encode(), hashlib.sha256).hexdigest()


def drawn(purpose: str, content_sha256: str, percent: int) -> bool:
    """Say whether the words fall into a share of all words."""
    return int(keyed(purpose, content_sha256)[:8], 16) % 100 < percent
