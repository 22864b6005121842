"""Correcting the pairs of a comparison: one page a label, which says what follows before anything is done."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render

from corpus.access import person
from corpus.domain.vocabulary import CaseState
from corpus.ids import asked_id
from corpus.models import Case
from corpus.views import viewer
from labeling.models import Comparison, Label
from labeling.selectors.adjudication import adjudication_page
from labeling.selectors.pairing_page import pairing_page
from labeling.services import pairing
from labeling.services.adjudicable import NotAdjudicable
from labeling.services.pairing import PairingRefused, StalePairing
from labeling.views.adjudicable import adjudicable, case_url
from labeling.views.adjudication import is_htmx, see, to_case
from labeling.views.adjudication_viewer import mount


@adjudicable("GET", "POST")
def adjudication_pairing(request: HttpRequest, case: Case, comparison: Comparison, label: Label) -> HttpResponse:
    """Show what a label is or could be paired with and what a correction would change, or make the correction."""
    if request.method != "POST":
        return pairing_panel(request, case, comparison, label)
    data = request.POST
    chosen = asked_id(data.get("partner", ""))
    named = comparison.compared_labels.select_related("label").filter(public_id=chosen).first()
    partner = named.label if named is not None else None
    typed = {"chosen": chosen, "reason": data.get("reason", "")}
    digest = data.get(f"digest-{chosen}", "")
    try:
        if partner is None:
            raise PairingRefused("partner", "Choose the label of the other side that is the same defect.")
        if data.get("act") == "unpair":
            pairing.unpair(
                case=case, adjudicator=person(request), label=label, digest=digest, reason=data.get("reason", "")
            )
            done = "Unpaired. Each label is now decided on its own."
        else:
            pairing.pair(
                case=case,
                adjudicator=person(request),
                label=label,
                partner=partner,
                digest=digest,
                reason=data.get("reason", ""),
            )
            done = "Paired. The two labels are now decided as one defect."
    except NotAdjudicable:
        raise Http404 from None
    except PairingRefused as error:
        return pairing_panel(request, case, comparison, label, error=error.message, status=422, **typed)
    except StalePairing as error:
        return pairing_panel(request, case, comparison, label, error=str(error), status=409, **typed)
    case.refresh_from_db()
    if case.state != CaseState.ADJUDICATING:
        messages.success(request, f"{done} Nothing is left to decide: case {case.public_id} is settled.")
        return to_case(request, case)
    messages.success(request, done)
    page, sides = adjudication_page(case, comparison)
    about = [
        item
        for item in page.items
        if label.pk in {one.pk for one in sides.labels_of(comparison.disagreements.get(public_id=item.public_id))}
    ]
    return to_case(request, case, next((item for item in about if item.is_open), about[0] if about else None))


def pairing_panel(
    request: HttpRequest,
    case: Case,
    comparison: Comparison,
    label: Label,
    *,
    error: str = "",
    chosen: str = "",
    reason: str = "",
    status: int = 200,
) -> HttpResponse:
    """Render the panel of a correction: alone for script, else in the workbench."""
    see(request, case)
    page, sides = adjudication_page(case, comparison)
    context: dict[str, Any] = {
        "project": case.project,
        "case": case,
        "page": page,
        "pairing": pairing_page(sides, comparison, label),
        "pairing_url": case_url(case, "adjudication_pairing", label_id=sides.ids[label.pk]),
        "back_url": case_url(case),
        "error": error,
        "chosen": chosen,
        "reason": reason,
    }
    if is_htmx(request):
        return render(request, "labeling/_pairing_panel.html", context, status=status)
    context |= {
        "panel_template": "labeling/_pairing_panel.html",
        **viewer.page_context(request, mount(request, case, comparison)),
    }
    return render(request, "labeling/adjudication.html", context, status=status)
