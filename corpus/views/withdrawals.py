"""The page that withdraws bytes of a case: what goes is chosen, looked at, and destroyed (N5)."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from corpus.access import person, role_required
from corpus.domain.vocabulary import Channel, ExposureKind, Role
from corpus.forms.withdrawals import ReasonForm, WhatForm
from corpus.models import Case, CaseFile, Project
from corpus.selectors.case_page import FILE_ROWS, case_for_page
from corpus.selectors.withdrawals import WithdrawalPlan, plan_withdrawal
from corpus.services.exposures import record_exposure
from corpus.services.withdrawals import WithdrawalChanged, WithdrawalRefused, withdraw_bytes


@role_required(Role.LEAD)
@require_http_methods(["GET", "HEAD", "POST"])
def bytes_withdraw(request: HttpRequest, project: Project, case_id: str) -> HttpResponse:
    """Show what a withdrawal would destroy, and on POST destroy it, if that is still what was shown."""
    case = case_for_page(person(request), project.pk, case_id)
    if case is None:
        raise Http404
    record_exposure(user=person(request), cases=[case], kind=ExposureKind.HIDDEN_FIELDS, channel=Channel.PAGE)
    data = request.POST if request.method == "POST" else request.GET
    ticked = data.getlist("path")
    what = WhatForm(data if "what" in data else None)
    context: dict[str, Any] = {"project": project, "case": case, "what": what, "ticked": ticked}
    if not what.is_bound:
        return _page(request, context)
    if not what.is_valid():
        return _page(request, context, status=422)
    paths = what.paths(ticked)
    if paths is not None and not paths:
        what.add_error(None, "Choose at least one file, or the whole case.")
        return _page(request, context, status=422)
    if request.method == "POST":
        return _withdraw(request, context, case, paths)
    try:
        plan = plan_withdrawal(case=case, paths=paths, viewer=person(request))
    except WithdrawalRefused as refused:
        what.add_error(None, str(refused))
        return _page(request, context, status=422)
    return _page(request, context | {"plan": plan, "reason": ReasonForm(initial={"seen": plan.digest})})


def _withdraw(request: HttpRequest, context: dict[str, Any], case: Case, paths: list[str] | None) -> HttpResponse:
    reason = ReasonForm(request.POST)
    try:
        if not reason.is_valid():
            plan = plan_withdrawal(case=case, paths=paths, viewer=person(request))
            return _page(request, context | {"plan": plan, "reason": reason}, status=422)
        done = withdraw_bytes(
            case=case,
            paths=paths,
            reason=reason.cleaned_data["reason"],
            actor=person(request),
            # Without a preview nothing is confirmed, and no plan has an empty digest.
            seen=reason.cleaned_data["seen"] or "none",
        )
    except WithdrawalChanged as changed:
        again = ReasonForm({"reason": request.POST.get("reason", ""), "seen": changed.plan.digest})
        return _page(request, context | {"plan": changed.plan, "reason": again, "changed": str(changed)}, status=409)
    except WithdrawalRefused as refused:
        context["what"].add_error(None, str(refused))
        return _page(request, context, status=422)
    messages.success(request, _done(done))
    return redirect("case_page", project=case.project.slug, case_id=case.public_id)


def _done(plan: WithdrawalPlan) -> str:
    others = len(plan.touched) - 1
    more = f", {others} other case{'' if others == 1 else 's'} touched" if others > 0 else ""
    return f"{len(plan.blobs)} content{'' if len(plan.blobs) == 1 else 's'} destroyed{more}. Digests stay."


def _page(request: HttpRequest, context: dict[str, Any], status: int = 200) -> HttpResponse:
    files = CaseFile.objects.filter(case=context["case"]).order_by("position").defer("old_path", "new_path")
    shown = list(files[:FILE_ROWS])
    names = {file.new_path_text or file.old_path_text for file in shown}
    return render(
        request,
        "corpus/bytes_withdraw.html",
        context | {"files": shown, "other_paths": [path for path in context["ticked"] if path not in names]},
        status=status,
    )
