"""The page on which a lead looks at what would be frozen, and freezes it."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from corpus.access import person, role_required
from corpus.domain.vocabulary import GATE_TITLES, Channel, Role
from corpus.models import Project
from corpus.selectors.versions import SHOWN_CHANGES, change_lines, count_groups
from corpus.services.gates import Gate
from corpus.services.versions import (
    MAX_NOTE,
    FreezeRefused,
    GatesFailed,
    Plan,
    PlanChanged,
    freeze_version,
    latest_version,
    plan_version,
    record_telling,
)

WAIVER = "waive-"


@require_http_methods(["GET", "HEAD", "POST"])
@role_required(Role.LEAD)
def version_freeze(request: HttpRequest, project: Project) -> HttpResponse:
    """Show the plan; a POST freezes it if it still is the plan that was looked at."""
    user = person(request)
    excluded = _excluded(request)
    try:
        plan = plan_version(project, actor=user, excluded=excluded)
    except FreezeRefused as refused:
        messages.error(request, str(refused))
        return redirect("version_freeze", project=project.slug)
    record_telling(plan=plan, channel=Channel.PAGE, actor=user)
    if request.method != "POST":
        return _page(request, project, plan)
    before = latest_version(project)
    try:
        version = freeze_version(
            project=project,
            actor=user,
            waivers=_waivers(request, plan),
            expected_version=request.POST.get("version") or None,
            excluded=excluded,
            note=request.POST.get("note", ""),
            expected_plan=request.POST.get("plan", ""),
        )
    except PlanChanged:
        again = plan_version(project, actor=user, excluded=excluded)
        return _page(request, project, again, status=409, changed=True)
    except GatesFailed as failed:
        return _page(request, project, plan, status=422, failed=failed.gates)
    except FreezeRefused as refused:
        return _page(request, project, plan, status=422, refusal=str(refused))
    if version == before:
        messages.info(request, f"Nothing changed since {version.number}, which stands.")
    else:
        messages.success(request, f"{version.number} is frozen.")
    return redirect("version_page", project=project.slug, number=version.number)


def _excluded(request: HttpRequest) -> list[str]:
    """Return the ids of the cases that are left out, in the order in which they were."""
    given = request.POST if request.method == "POST" else request.GET
    return list(dict.fromkeys(word.strip().upper() for word in given.getlist("without") if word.strip()))


def _waivers(request: HttpRequest, plan: Plan) -> dict[str, str]:
    open_gates = {gate.key for gate in plan.gates if gate.waivable and not gate.has_passed}
    given = {key: request.POST.get(f"{WAIVER}{key}", "").strip() for key in GATE_TITLES}
    return {key: reason for key, reason in given.items() if reason and key in open_gates}


def _page(
    request: HttpRequest,
    project: Project,
    plan: Plan,
    *,
    status: int = 200,
    failed: tuple[Gate, ...] = (),
    refusal: str = "",
    changed: bool = False,
) -> HttpResponse:
    missed = {gate.key for gate in failed}
    can_freeze = not plan.refusal and all(gate.has_passed or gate.waivable for gate in plan.gates)
    context: dict[str, Any] = {
        "project": project,
        "plan": plan,
        "gates": [
            {
                "gate": gate,
                "failing": gate.failing[:SHOWN_CHANGES],
                "more": max(0, len(gate.failing) - SHOWN_CHANGES),
                "field": f"{WAIVER}{gate.key}",
                "reason": request.POST.get(f"{WAIVER}{gate.key}", ""),
                "is_missed": gate.key in missed and gate.waivable,
            }
            for gate in plan.gates
        ],
        "passed": [gate for gate in plan.gates if gate.has_passed],
        "counts": count_groups(plan.counts),
        "changes": change_lines(plan.changes[:SHOWN_CHANGES]),
        "hidden_changes": max(0, len(plan.changes) - SHOWN_CHANGES),
        "excluded": [case.public_id for case in plan.excluded],
        "note": request.POST.get("note", ""),
        "can_freeze": can_freeze,
        "blocking": sum(not gate.has_passed and not gate.waivable for gate in plan.gates),
        "refusal": refusal,
        "changed": changed,
        "max_note": MAX_NOTE,
    }
    return render(request, "corpus/version_freeze.html", context, status=status)
