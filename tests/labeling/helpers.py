"""What tests of seats share."""

from __future__ import annotations

import html
import re

from django.http import HttpResponse

from corpus import clock
from corpus.domain.vocabulary import Verdict
from corpus.services.seats import mark_submitted
from labeling.domain.states import AssignmentState
from labeling.models import Assignment


def submit_seat(seat: Assignment) -> None:
    """Store what a submission leaves behind, for transitions and pages that only look at it."""
    now = clock.now()
    Assignment.objects.filter(pk=seat.pk).update(
        state=AssignmentState.SUBMITTED, verdict=Verdict.CLEAN, submitted_at=now, final_at=now
    )
    mark_submitted(case=seat.case, user=seat.reviewer)


def shown(response: HttpResponse) -> str:
    """Return the text of a page as a person reads it, blanks folded."""
    main = response.content.decode().split("<main", 1)[-1].split("</main>", 1)[0]
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", main.partition(">")[2])).split())
