"""The viewer of a case that is adjudicated, below the case's own address."""

from __future__ import annotations

from django.http import HttpRequest

from corpus.models import Case
from corpus.views.viewer import Mount
from labeling.models import Comparison
from labeling.views.adjudicable import case_url


def mount(request: HttpRequest, case: Case, comparison: Comparison) -> Mount:
    """Return where the viewer's pieces are."""
    return Mount(case, case_url(case), case_url(case), "Adjudication")
