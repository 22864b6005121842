"""Adjudication: the queue, the workbench of a case, and the acts on it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render

from corpus.access import person, roles_of
from corpus.domain.vocabulary import CaseState, Channel, DisagreementKind, ExposureKind, Outcome, Role
from corpus.ids import asked_id
from corpus.models import Case, Category
from corpus.selectors.projects import stamps_in_force
from corpus.services.exposures import record_exposure
from corpus.views import viewer
from labeling.decision_forms import (
    SEVERITY_KEYS,
    DecisionForm,
    filled,
    outcome_buttons,
    sent_finding,
    typed_decision,
)
from labeling.domain.adjudicating import ABOUT_ANSWERS, allowed_outcomes
from labeling.domain.label_input import FieldRefused
from labeling.domain.states import DisagreementState, PairOrigin
from labeling.label_forms import parse_version
from labeling.models import Comparison, Disagreement
from labeling.selectors.adjudication import Item, adjudication_page, question_rows
from labeling.selectors.adjudication_cards import cards_of
from labeling.selectors.adjudication_queue import (
    queue_totals,
)
from labeling.selectors.changes_since import label_changes_since, text_changes_since, texts_in_force
from labeling.selectors.decisions import golden_rows, history_of, superseded_decisions, told_decision
from labeling.selectors.eligibility import pool_for
from labeling.selectors.golden_inputs import input_of
from labeling.selectors.pairing_page import cost_words, past_corrections
from labeling.selectors.pseudonyms import pseudonyms_of
from labeling.selectors.sides import Sides, letters_of
from labeling.services import adjudication, agreed, golden_content
from labeling.services.adjudicable import NotAdjudicable
from labeling.services.adjudication import QuestionSuperseded, StaleDecision
from labeling.services.decision_input import DecisionRefused
from labeling.services.rounds import needs_fresh_verdict
from labeling.services.staleness import ConfirmationRefused, confirm_again
from labeling.views.adjudicable import adjudicable, case_url
from labeling.views.adjudication_viewer import mount

PAGE = 25
RESULT_WORDS = {
    "defects": "it has defects",
    "clean": "it is clean",
    "no_finding_adjudicated": "every label was rejected, which is not yet clean",
    "unresolved": "it stays unresolved",
}


@adjudicable("GET")
def adjudication_case(request: HttpRequest, case: Case, comparison: Comparison) -> HttpResponse:
    """Show the workbench of a case, or, once it is settled, what was decided."""
    if case.state != CaseState.ADJUDICATING:
        return summary(request, case, comparison)
    return workbench(request, case, comparison, **asked(request, case, comparison))


@adjudicable("GET")
def adjudication_panel(request: HttpRequest, case: Case, comparison: Comparison) -> HttpResponse:
    """Return the panel with the disagreement and the form that the address asks for."""
    if case.state != CaseState.ADJUDICATING:
        return to_case(request, case)
    return panel(request, case, comparison, **asked(request, case, comparison))


def asked(request: HttpRequest, case: Case, comparison: Comparison) -> dict[str, Any]:
    """Return the disagreement and the outcome that the address names; unknown ones answer 404."""
    item = request.GET.get("item", "")
    outcome = request.GET.get("outcome", "")
    if not item:
        return {}
    row = question_rows(comparison).filter(public_id=item).first()
    if row is None:
        raise Http404
    if row.state == DisagreementState.SUPERSEDED:
        # The labels are paired otherwise by now: what is asked instead is shown.
        return {}
    return {"row": row, "form": new_form(case, row, outcome) if outcome else None}


def new_form(case: Case, row: Disagreement, outcome: str) -> DecisionForm:
    """Return the form for an outcome (in letters) as it starts."""
    kind = DisagreementKind(row.kind)
    names = pseudonyms_of(case.public_id, seats=row.comparison.seat_count)
    letters = letters_of(row, names)
    if outcome not in {one.value for one in allowed_outcomes(kind, sides=letters)}:
        raise Http404
    shown = Outcome(outcome)
    form = DecisionForm(outcome=shown, kind=kind, expected_version=row.version, sides=len(letters))
    if kind in ABOUT_ANSWERS:
        return form
    proposal = golden_content.proposed(case, row, names.stored(shown))
    if shown not in (Outcome.REJECT, Outcome.UNRESOLVED):
        form = replace(form, golden_state=proposal.state.value)
    return filled(form, input_of(proposal.content)) if shown is Outcome.MERGE else form


def panel_context(
    request: HttpRequest,
    case: Case,
    comparison: Comparison,
    *,
    row: Disagreement | None = None,
    form: DecisionForm | None = None,
    conflict: StaleDecision | None = None,
    superseded_text: str | None = None,
) -> dict[str, Any]:
    """Return what the panel shows: one disagreement, open ones first.

    `superseded_text` is what was typed on a question that is no longer asked.
    """
    page, sides = adjudication_page(case, comparison)
    item = page.item(row.public_id) if row is not None else page.next_open("")
    if item is None:
        item = page.items[0]
    if row is None:
        rows = question_rows(comparison)
        row = rows.get(public_id=item.public_id)
    before, after = page.neighbours(item)
    kind = DisagreementKind(row.kind)
    return {
        "project": case.project,
        "case": case,
        "page": page,
        "item": item,
        "number": page.items.index(item) + 1,
        "before": before,
        "after": after,
        "cards": cards_of(sides, row),
        "why": why_paired(row),
        "pairing_url": case_url(case, "adjudication_pairing", label_id=item.label_id) if item.label_id else "",
        "superseded": superseded_decisions(sides, sides.labels_of(row)) if item.label_id else (),
        "label_changes": label_changes_since(sides, sides.labels_of(row)) if item.label_id else (),
        "corrections": past_corrections(sides, comparison),
        "history": history_of(sides, row),
        "buttons": outcome_buttons(kind, letters=letters_of(row, sides.names), chosen=form.outcome if form else None),
        "form": form,
        "conflict": told_conflict(sides, conflict) if conflict is not None else None,
        "superseded_text": superseded_text,
        "totals": queue_totals(project=case.project, user=person(request)),
        "page_url": case_url(case),
        "panel_url": case_url(case, "adjudication_panel"),
        "decide_url": case_url(case, "adjudication_decide", item_id=row.public_id),
        "undo_url": case_url(case, "adjudication_undo", item_id=row.public_id),
        "categories": category_choices(case, sides) if form is not None and form.fields is not None else (),
        "severities": SEVERITY_KEYS,
    }


def why_paired(row: Disagreement) -> dict[str, Any] | None:
    """Return why the labels of a disagreement are taken for one defect, from the stored relation and cost."""
    if row.pair is None:
        return None
    return {
        "explanation": row.pair.explanation,
        "cost": cost_words(row.pair.cost),
        "limit": cost_words(2 * row.comparison.no_match_cost),
        "is_by_person": row.pair.origin == PairOrigin.ADJUDICATOR,
    }


def category_choices(case: Case, sides: Sides) -> list[Category]:
    """Return the categories in force, and those of labels that were given under an older taxonomy."""
    found = list(Category.objects.filter(taxonomy_id=stamps_in_force(case.project).taxonomy_id).order_by("position"))
    keys = {category.key for category in found}
    for label in sides.in_order(sides.labels.values()):
        if label.category is not None and label.category.key not in keys:
            keys.add(label.category.key)
            found.append(label.category)
    return found


def told_conflict(sides: Sides, error: StaleDecision) -> dict[str, Any]:
    """Return what stands now instead of the version that the form was filled from."""
    stored = told_decision(sides, error.stored, holds=True) if error.stored is not None else None
    return {"stored": stored}


def see(request: HttpRequest, case: Case) -> None:
    """Note that the person sees the labels of a case (B2)."""
    record_exposure(user=person(request), cases=[case], kind=ExposureKind.PEER_LABEL, channel=Channel.PAGE)


def panel(request: HttpRequest, case: Case, comparison: Comparison, *, status: int = 200, **parts: Any) -> HttpResponse:
    """Render the panel alone."""
    see(request, case)
    context = panel_context(request, case, comparison, **parts)
    return render(request, "labeling/_adjudication_panel.html", context, status=status)


def workbench(
    request: HttpRequest, case: Case, comparison: Comparison, *, status: int = 200, **parts: Any
) -> HttpResponse:
    """Render the whole workbench."""
    see(request, case)
    context = {
        **panel_context(request, case, comparison, **parts),
        "panel_template": "labeling/_adjudication_panel.html",
        **viewer.page_context(request, mount(request, case, comparison)),
    }
    return render(request, "labeling/adjudication.html", context, status=status)


def summary(request: HttpRequest, case: Case, comparison: Comparison) -> HttpResponse:
    """Show what was decided on a settled case, with nothing left to do but to open it again."""
    see(request, case)
    page, sides = adjudication_page(case, comparison)
    rows = {row.public_id: row for row in question_rows(comparison).asked()}
    return render(
        request,
        "labeling/adjudication_summary.html",
        {
            "project": case.project,
            "case": case,
            "page": page,
            "result": RESULT_WORDS.get(case.result, ""),
            "decisions": [(item, history_of(sides, rows[item.public_id])) for item in page.items],
            "golden": golden_rows(case),
            "fresh_verdict": fresh_verdict(request, case),
            "text_changes": text_changes_since(case) if case.state == CaseState.STALE else (),
            "texts": texts_in_force(case.project) if case.state == CaseState.STALE else "",
            "label_changes": label_changes_since(sides),
            "superseded": superseded_decisions(sides),
            "corrections": past_corrections(sides, comparison),
            "confirm_url": case_url(case, "adjudication_confirm") if case.result else "",
            "undo_urls": {
                item.public_id: case_url(case, "adjudication_undo", item_id=item.public_id) for item in page.items
            },
            **viewer.page_context(request, mount(request, case, comparison)),
        },
    )


def fresh_verdict(request: HttpRequest, case: Case) -> int | None:
    """Return how many people a lead may draw for a fresh verdict on a case whose labels were all rejected."""
    user = person(request)
    if not needs_fresh_verdict(case) or Role.LEAD not in roles_of(user, case.project):
        return None
    return len(pool_for(project=case.project, cases=[case], viewer=user).eligible(case))


def is_htmx(request: HttpRequest) -> bool:
    """Say whether htmx asks for a fragment."""
    return request.headers.get("HX-Request") == "true"


def to_case(request: HttpRequest, case: Case, item: Item | None = None) -> HttpResponse:
    """Lead to the case's page, with one disagreement shown; script is told to load the page."""
    address = case_url(case) + (f"?item={item.public_id}" if item else "")
    if is_htmx(request):
        response = HttpResponse(status=204)
        response["HX-Redirect"] = address
        return response
    return redirect(address)


def answer(
    request: HttpRequest, case: Case, comparison: Comparison, *, status: int = 200, **parts: Any
) -> HttpResponse:
    """Answer an act that changed nothing with what it was about: the panel to script, else the whole page."""
    show = panel if is_htmx(request) else workbench
    return show(request, case, comparison, status=status, **parts)


@adjudicable("POST")
def adjudication_decide(request: HttpRequest, case: Case, comparison: Comparison, row: Disagreement) -> HttpResponse:
    """Store a decision and go on with the next disagreement; the last one leads to the settled case."""
    form = new_form(case, row, request.POST.get("outcome", ""))
    names = pseudonyms_of(case.public_id, seats=comparison.seat_count)
    data = request.POST
    try:
        adjudication.decide(
            disagreement=row,
            adjudicator=person(request),
            outcome=names.stored(form.outcome),
            edited=sent_finding(data) if form.fields is not None else None,
            golden_state=data.get("golden_state", ""),
            reason_code=data.get("reason_code", ""),
            rationale=data.get("rationale", ""),
            confidence=data.get("confidence", ""),
            is_guideline_gap=data.get("is_guideline_gap", "") == "on",
            expected_version=parse_version(data),
            verdict=data.get("verdict", "") if form.verdicts else None,
        )
    except NotAdjudicable:
        raise Http404 from None
    except QuestionSuperseded as error:
        case.refresh_from_db()
        if case.state != CaseState.ADJUDICATING:
            messages.warning(request, str(error))
            return to_case(request, case)
        return answer(request, case, comparison, superseded_text=typed_text(data), status=409)
    except FieldRefused as error:
        form = typed_decision(data, form, [(error.field, error.message)])
        return answer(request, case, comparison, row=row, form=form, status=422)
    except DecisionRefused as error:
        form = typed_decision(data, form, error.errors)
        return answer(request, case, comparison, row=row, form=form, status=422)
    except StaleDecision as error:
        row.refresh_from_db()
        form = typed_decision(data, replace(form, expected_version=error.version))
        return answer(request, case, comparison, row=row, form=form, conflict=error, status=409)
    return go_on(request, case, comparison, row)


def typed_text(data: QueryDict) -> str:
    """Return the prose of a decision that was sent, so that nothing typed is lost."""
    names = ("title", "trigger", "evidence", "impact", "rationale")
    return "\n\n".join(text for name in names if (text := data.get(name, "").strip()))


def go_on(request: HttpRequest, case: Case, comparison: Comparison, row: Disagreement) -> HttpResponse:
    """Show the next open disagreement after an act, or the settled case."""
    case.refresh_from_db()
    if case.state != CaseState.ADJUDICATING:
        messages.success(request, f"Case {case.public_id} is settled: {RESULT_WORDS[case.result]}.")
        return to_case(request, case)
    page, _ = adjudication_page(case, comparison)
    following = page.next_open(row.public_id)
    if following is None or not is_htmx(request):
        return to_case(request, case, following)
    after = question_rows(comparison).get(public_id=following.public_id)
    response = panel(request, case, comparison, row=after)
    response["HX-Push-Url"] = f"{case_url(case)}?item={following.public_id}"
    return response


@adjudicable("POST")
def adjudication_undo(request: HttpRequest, case: Case, comparison: Comparison, row: Disagreement) -> HttpResponse:
    """Open a disagreement again; a settled case is being adjudicated again."""
    was_settled = case.state != CaseState.ADJUDICATING
    try:
        adjudication.undo_decision(
            disagreement=row, adjudicator=person(request), expected_version=parse_version(request.POST)
        )
    except NotAdjudicable:
        raise Http404 from None
    except StaleDecision as error:
        if was_settled:
            messages.warning(request, "Somebody decided on this since you opened the page; this is what stands now.")
            return to_case(request, case)
        row.refresh_from_db()
        return answer(request, case, comparison, row=row, conflict=error, status=409)
    case.refresh_from_db()
    row.refresh_from_db()
    if was_settled:
        messages.success(request, f"Case {case.public_id} is being adjudicated again.")
    page, _ = adjudication_page(case, comparison)
    if was_settled or not is_htmx(request):
        return to_case(request, case, page.item(row.public_id))
    return panel(request, case, comparison, row=row)


@adjudicable("POST")
def adjudication_agreed(request: HttpRequest, case: Case, comparison: Comparison) -> HttpResponse:
    """Accept everything on which nothing differs, or take that back (`undo=1`)."""
    try:
        if request.POST.get("undo") == "1":
            agreed.undo_accept_all(case=case, adjudicator=person(request))
        else:
            agreed.accept_all_agreed(case=case, adjudicator=person(request))
    except NotAdjudicable:
        raise Http404 from None
    except DecisionRefused:
        return to_case(request, case)
    row = question_rows(comparison).filter(public_id=asked_id(request.POST.get("item", "")))
    found = row.first()
    if not is_htmx(request) or case.state != CaseState.ADJUDICATING:
        page, _ = adjudication_page(case, comparison)
        return to_case(request, case, page.item(found.public_id) if found else None)
    return panel(request, case, comparison, row=found)


@adjudicable("POST")
def adjudication_confirm(request: HttpRequest, case: Case, comparison: Comparison) -> HttpResponse:
    """Confirm the decisions on a stale case, so that it is settled again."""
    try:
        confirm_again(
            case=case,
            actor=person(request),
            stale_reason=request.POST.get("stale_reason", ""),
            texts=request.POST.get("texts", ""),
        )
    except NotAdjudicable:
        raise Http404 from None
    except ConfirmationRefused as error:
        messages.warning(request, str(error))
    else:
        messages.success(request, f"The decisions on case {case.public_id} are confirmed.")
    return to_case(request, case)
