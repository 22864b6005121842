"""People's blind rulings on what AI findings say."""

from __future__ import annotations

from dataclasses import dataclass

from django.db import transaction

from corpus import clock
from corpus.models import Case, GoldenRevision, User
from corpus.services import audit
from reviews.domain.questions import is_disputed, waits
from reviews.domain.rulings import ON_PAIR, RulingValue
from reviews.domain.vocabulary import EvidenceGrade, ImpactGrade, LocalisationGrade, SuggestionGrade
from reviews.models import Match, Ruling
from reviews.selectors.rulings import answers_to, asked_by

MOST_SECONDS = 3600
MAX_RATIONALE = 4000


class RulingRefused(Exception):
    """The ruling was not stored; `field` names what to change, the message is one sentence for a person."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


class AlreadyRuled(Exception):
    """Enough people answered the question meanwhile; nothing was stored."""


@dataclass(frozen=True)
class RulingInput:
    """What a ruler says. `golden` is the revision that an answer on a pair names; grades are given for a match only."""

    value: RulingValue
    rationale: str
    golden: GoldenRevision | None = None
    localisation: LocalisationGrade | None = None
    evidence: EvidenceGrade | None = None
    impact: ImpactGrade | None = None
    suggestion: SuggestionGrade | None = None
    seconds: int = 0


def rule(*, match: Match, ruler: User, said: RulingInput) -> Ruling:
    """Store a ruling on the question of a match and close every match that asks the same.

    The same ruler's later answer replaces an earlier one. Where two others answered differently, this one settles it.
    Raises RulingRefused, or AlreadyRuled when the question needs no further answer.
    """
    rationale = said.rationale.strip()
    if not rationale:
        raise RulingRefused("rationale", "Say in a sentence why: the next person cannot ask you.")
    if len(rationale) > MAX_RATIONALE:
        raise RulingRefused("rationale", f"The rationale has {len(rationale)} characters; at most {MAX_RATIONALE} fit.")
    if (said.value in ON_PAIR) != (said.golden is not None):
        raise RulingRefused("golden", "Choose the golden finding that is meant, or an answer that names none.")
    if said.golden is not None and said.golden.finding.case_id != match.case_id:
        raise RulingRefused("golden", "That golden finding belongs to another case; choose one of this case.")
    is_match = said.value in (RulingValue.MATCH, RulingValue.PARTIAL)
    grades = (said.localisation, said.evidence, said.impact, said.suggestion)
    if is_match and None in grades:
        raise RulingRefused("grades", "Grade localisation, evidence, impact and suggestion: a match needs all four.")
    if not is_match and any(grades):
        raise RulingRefused("grades", "Only a match is graded; take the grades away.")
    with transaction.atomic():
        # Rulers of one case wait for each other here.
        Case.objects.select_for_update(no_key=True).get(pk=match.case_id)
        question = asked_by(match)
        [answers] = answers_to([question]).values()
        others = [answer for answer in answers if answer.ruler != ruler.pk]
        has_answered = len(others) < len(answers)
        # Only somebody who has not answered can settle what others differ on.
        settles = is_disputed(answers) and not has_answered and len({answer.ruler for answer in others}) > 1
        if not has_answered and not waits(answers, match.wanted):
            raise AlreadyRuled
        ruling = Ruling.objects.create(
            project_id=match.case.project_id,
            case_id=match.case_id,
            content_sha256=match.content_sha256,
            case_sha256=match.case_sha256,
            golden=said.golden,
            value=said.value,
            rationale=rationale,
            localisation=said.localisation or "",
            evidence=said.evidence or "",
            impact=said.impact or "",
            suggestion=said.suggestion or "",
            is_final=settles,
            ruler=ruler,
            seconds=min(max(said.seconds, 0), MOST_SECONDS),
            ruled_at=clock.now(),
        )
        _reopen_and_close(match)
        audit.record(
            actor=ruler,
            verb="finding ruled on",
            subject=f"ruling {ruling.public_id}",
            case=match.case,
            after=f"{said.value}{' of ' + said.golden.finding.public_id if said.golden else ''}",
        )
    return ruling


def _reopen_and_close(match: Match) -> None:
    """Set whether each match that asks the same question still waits."""
    current = Match.objects.filter(matching__is_current=True)
    same = list(current.filter(case_id=match.case_id, content_sha256=match.content_sha256))
    answers = answers_to(asked_by(each) for each in same)
    for each in same:
        is_open = waits(answers[asked_by(each)], each.wanted)
        if is_open != each.is_open:
            Match.objects.filter(pk=each.pk).update(is_open=is_open)
