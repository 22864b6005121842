"""The look-up every page of an adjudication starts with: what a person may not adjudicate does not exist (B3, B5)."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.http import Http404, HttpRequest, HttpResponseBase, HttpResponseNotAllowed
from django.shortcuts import get_object_or_404
from django.urls import reverse

from corpus.access import person, role_required
from corpus.domain.vocabulary import Role
from corpus.models import Case, Project
from labeling.models import Disagreement
from labeling.selectors.adjudication_queue import adjudicable_cases
from labeling.services.adjudicable import current_comparison

CaseView = Callable[..., HttpResponseBase]


def adjudicable(*methods: str) -> Callable[[CaseView], CaseView]:
    """Call the view with a case the person may adjudicate, its comparison, and what else the route names.

    That is a disagreement (`row`) or a `label` of the comparison. Everything else answers 404 on every verb; a wrong
    verb answers 405 only to those who may.
    """
    allowed = [*methods, "HEAD"] if "GET" in methods else list(methods)

    def decorate(view: CaseView) -> CaseView:
        @role_required(Role.ADJUDICATOR, Role.LEAD)
        @wraps(view)
        def checked(request: HttpRequest, project: Project, case_id: str, **kwargs: Any) -> HttpResponseBase:
            cases = adjudicable_cases(project=project, user=person(request))
            case = get_object_or_404(cases.select_related("project", "base_tree", "head_tree"), public_id=case_id)
            comparison = current_comparison(case)
            if comparison is None:
                raise Http404
            if "item_id" in kwargs:
                rows = Disagreement.objects.visible_to(person(request)).select_related("pair", "label", "comparison")
                kwargs["row"] = get_object_or_404(rows, comparison=comparison, public_id=kwargs.pop("item_id"))
            if "label_id" in kwargs:
                named = comparison.compared_labels.select_related("label")
                kwargs["label"] = get_object_or_404(named, public_id=kwargs.pop("label_id")).label
            if request.method not in allowed:
                return HttpResponseNotAllowed(allowed)
            return view(request, case, comparison, **kwargs)

        checked.looks_first = True  # type: ignore[attr-defined]
        return checked

    return decorate


def case_url(case: Case, name: str = "adjudication", **kwargs: Any) -> str:
    """Return the address of a page of the case's adjudication."""
    return reverse(name, kwargs={"project": case.project.slug, "case_id": case.public_id, **kwargs})
