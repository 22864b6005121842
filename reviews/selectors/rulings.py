"""The rulings that hold, as scoring takes them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from corpus.models import GoldenRevision
from reviews.domain.questions import Answer, settled_answer
from reviews.domain.rulings import ON_NO_GOLDEN, RulingValue
from reviews.models import Match, Ruling, Run

Question = tuple[int, str]


@dataclass(frozen=True)
class Asked:
    """A question as one run asks it: the words, the case as frozen, and the golden revisions it holds."""

    case: int
    content_sha256: str
    case_sha256: str


def answers_to(questions: Iterable[Asked]) -> dict[Asked, list[Answer]]:
    """Return the answers that apply to each question, oldest first, in one query.

    An answer on a pair applies wherever the revision it names is asked about; one on the words alone only while the
    frozen content of the case is the same.
    """
    wanted = list(dict.fromkeys(questions))
    rows: dict[Question, list[Ruling]] = {}
    cases = {one.case for one in wanted}
    for row in Ruling.objects.filter(case_id__in=cases).order_by("pk"):
        rows.setdefault((row.case_id, row.content_sha256), []).append(row)
    return {
        one: [
            Answer(row.ruler_id, RulingValue(row.value), row.golden_id, row.is_final)
            for row in rows.get((one.case, one.content_sha256), [])
            if row.golden_id is not None or row.case_sha256 == one.case_sha256
        ]
        for one in wanted
    }


def asked_by(match: Match) -> Asked:
    """Return the question of a match."""
    return Asked(match.case_id, match.content_sha256, match.case_sha256)


def rulings_of(run: Run) -> Mapping[tuple[str, str, str], RulingValue]:
    """Return the rulings that hold for a run, by case, AI finding and golden finding, as scoring takes them."""
    matches = list(Match.objects.filter(matching__run=run, matching__is_current=True).select_related("case", "finding"))
    answers = answers_to(asked_by(match) for match in matches)
    names = _golden_ids({answer.golden for given in answers.values() for answer in given if answer.golden is not None})
    found = {}
    for match in matches:
        settled = settled_answer(answers[asked_by(match)])
        if settled is not None:
            golden = ON_NO_GOLDEN if settled.golden is None else names[settled.golden]
            found[match.case.public_id, match.finding.public_id, golden] = settled.value
    return found


def _golden_ids(revisions: Iterable[int]) -> dict[int, str]:
    rows = GoldenRevision.objects.filter(pk__in=revisions).values_list("pk", "finding__public_id")
    return dict(rows)
