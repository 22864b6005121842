"""The texts of a project: what is in force, how it came about, what the guidelines say, and editing."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from corpus.access import person, role_required
from corpus.domain.text_changes import compare
from corpus.domain.vocabulary import Role, Severity
from corpus.forms.texts import (
    AUTHORITY_WORDS,
    CONTEXT_WORDS,
    TREATMENT_WORDS,
    ContractForm,
    EditForm,
    GuidelinesForm,
    SeverityForms,
    SingleForm,
    TaxonomyForms,
    TextForm,
    WorkingPolicyForm,
)
from corpus.models import Project
from corpus.rendering.markdown import render as render_markdown
from corpus.selectors.project_texts import (
    KINDS,
    TextKind,
    category_keys,
    changes_between,
    lines,
    text_states,
)
from corpus.selectors.projects import texts_in_force
from corpus.services.project_texts import ChangedMeanwhile, NothingChanged, TextRefused, edit_text

SINGLE: dict[str, type[SingleForm]] = {
    "guidelines": GuidelinesForm,
    "contract": ContractForm,
    "policy": WorkingPolicyForm,
}


@role_required(Role.LEAD)
@require_safe
def project_settings(request: HttpRequest, project: Project) -> HttpResponse:
    """Show each text with the version in force: who, when, why."""
    return render(request, "corpus/project_settings.html", {"project": project, "states": text_states(project)})


@role_required()
@require_safe
def guidelines(request: HttpRequest, project: Project) -> HttpResponse:
    """Show every member what they label by: guidelines, categories, severities, contract, versions."""
    texts = texts_in_force(project)
    rendered = render_markdown(texts.guidelines.text, top_level=2, prefix="guide")
    contract = texts.contract
    return render(
        request,
        "corpus/guidelines.html",
        {
            "project": project,
            "texts": texts,
            "states": text_states(project),
            "rendered": rendered,
            "categories": KINDS["taxonomy"].values_of(texts.taxonomy),
            "severity": KINDS["severity"].values_of(texts.severity_policy),
            "contract": contract,
            "clauses": [
                ("Context that may be seen", CONTEXT_WORDS[contract.context_allowed], contract.context_note),
                (
                    "Changed lines only",
                    "yes" if contract.changed_lines_only else "no",
                    contract.changed_lines_note,
                ),
                ("Pre-existing defects", TREATMENT_WORDS[contract.pre_existing], contract.pre_existing_note),
                ("Speculative defects", TREATMENT_WORDS[contract.speculative], contract.speculative_note),
                ("Authority", AUTHORITY_WORDS[contract.intended_authority], contract.intended_authority_note),
            ],
            "exclusions": lines(contract.exclusions),
            "is_lead": Role.LEAD in request.roles,  # type: ignore[attr-defined]
        },
    )


@role_required(Role.LEAD)
@require_safe
def text_history(request: HttpRequest, project: Project, kind: str) -> HttpResponse:
    """List the versions of a text."""
    text = _kind(kind)
    return render(
        request,
        "corpus/text_history.html",
        {"project": project, "kind": text, "versions": text.versions(project)},
    )


@role_required(Role.LEAD)
@require_safe
def text_version(request: HttpRequest, project: Project, kind: str, number: int) -> HttpResponse:
    """Show one version as what changed from the one before, or from the one that `since` names."""
    text = _kind(kind)
    versions = {version.number: version for version in text.versions(project)}
    shown = versions.get(number)
    if shown is None:
        raise Http404
    wanted = request.GET.get("since", "")
    since = int(wanted) if wanted.isdecimal() and len(wanted) < 9 else number - 1
    earlier = versions.get(since)
    return render(
        request,
        "corpus/text_version.html",
        {
            "project": project,
            "kind": text,
            "version": shown,
            "earlier": earlier,
            "others": [other for other in versions.values() if other.number != number],
            "changes": changes_between(text, earlier, shown),
            "is_in_force": number == max(versions),
        },
    )


@role_required(Role.LEAD)
@require_http_methods(["GET", "HEAD", "POST"])
def text_edit(request: HttpRequest, project: Project, kind: str) -> HttpResponse:
    """Edit a text; a save inserts a version, unless another came into force meanwhile (409, typed text kept)."""
    text = _kind(kind)
    current = text.in_force(project)
    keys = category_keys(project)
    if request.method != "POST":
        values = text.values_of(current)
        return _edit_page(request, project, text, current.number, _shown(kind, values), EditForm(keys=keys))
    act = request.POST.get("do", "save")
    base = _number(request.POST.get("base", ""))
    if act != "save":
        asked = EditForm(
            keys=keys, initial={name: request.POST.get(name, "") for name in ("edit_kind", "scope", "note")}
        )
        return _rearranged(request, project, text, base, asked, act)
    form = _sent(kind, request)
    if kind == "taxonomy" and form.is_valid():
        keys = tuple(dict.fromkeys([*keys, *(category.key for category in form.values())]))
    meaning = EditForm(request.POST, keys=keys)
    answers = [form.is_valid(), meaning.is_valid()]
    if not all(answers):
        return _edit_page(request, project, text, base, form, meaning, status=422)
    try:
        version = edit_text(
            kind=text,
            project=project,
            author=person(request),
            base=base,
            values=form.values(),
            edit=meaning.edit(),
        )
    except NothingChanged:
        messages.info(request, f"Nothing differs from version {current.number}, so no new version was made.")
        return redirect("text_edit", project=project.slug, kind=kind)
    except TextRefused as refused:
        form.refuse(str(refused))
        return _edit_page(request, project, text, base, form, meaning, status=422)
    except ChangedMeanwhile as changed:
        conflict = _conflict(text, project, base, changed, form)
        return _edit_page(request, project, text, changed.in_force.number, form, meaning, status=409, conflict=conflict)
    messages.success(request, f"{text.title}: version {version.number} is in force.")
    return redirect("project_settings", project=project.slug)


@role_required(Role.LEAD)
@require_POST
def guidelines_preview(request: HttpRequest, project: Project) -> HttpResponse:
    """Return the fragment that shows typed guidelines as they will look; nothing is stored."""
    form = GuidelinesForm(request.POST)
    rendered = render_markdown(form.values(), prefix="preview", top_level=3) if form.is_valid() else None
    return render(
        request,
        "corpus/_guidelines_preview.html",
        {"rendered": rendered, "form": form},
        status=200 if rendered else 422,
    )


def _kind(slug: str) -> TextKind:
    if slug not in KINDS:
        raise Http404
    return KINDS[slug]


def _number(text: str) -> int:
    """Return the number of a version; what is none is no version's."""
    return int(text) if text.isdecimal() and len(text) < 9 else 0


def _shown(kind: str, values: Any) -> TextForm:
    """Return the form of a stored version."""
    if kind == "taxonomy":
        return TaxonomyForms(initial=values)
    if kind == "severity":
        return SeverityForms(initial=values)
    form = SINGLE[kind]
    return form(initial=form.initial_of(values))


def _sent(kind: str, request: HttpRequest) -> TextForm:
    """Return the form of what was typed."""
    if kind == "taxonomy":
        return TaxonomyForms(request.POST)
    if kind == "severity":
        return SeverityForms(request.POST)
    return SINGLE[kind](request.POST)


def _rearranged(
    request: HttpRequest, project: Project, kind: TextKind, base: int, meaning: EditForm, act: str
) -> HttpResponse:
    """Answer the acts that store nothing: the preview without script, and the moves of categories."""
    if kind.slug == "taxonomy":
        return _edit_page(request, project, kind, base, TaxonomyForms.rearranged(request.POST, act), meaning)
    form = _sent(kind.slug, request)
    rendered = None
    if kind.slug == "guidelines" and act == "preview" and form.is_valid():
        rendered = render_markdown(form.values(), prefix="preview", top_level=3)
    return _edit_page(request, project, kind, base, form, meaning, rendered=rendered)


def _conflict(kind: TextKind, project: Project, base: int, changed: ChangedMeanwhile, form: TextForm) -> dict[str, Any]:
    """Say what the others changed and what saving would change of that."""
    in_force = changed.in_force
    started_from = kind.versions(project).filter(number=base).first()
    return {
        "in_force": in_force,
        "base": base if started_from else None,
        "theirs": changes_between(kind, started_from, in_force) if started_from else (),
        "yours": compare(kind.parts(in_force), kind.parts_of(form.values())),
    }


def _edit_page(
    request: HttpRequest,
    project: Project,
    kind: TextKind,
    base: int,
    form: TextForm,
    meaning: EditForm,
    *,
    status: int = 200,
    **more: Any,
) -> HttpResponse:
    return render(
        request,
        "corpus/text_edit.html",
        {
            "project": project,
            "kind": kind,
            "base": base,
            "form": form,
            "meaning": meaning,
            "form_template": f"corpus/_text_{kind.slug}.html",
            "severities": [severity.value for severity in Severity],
            **more,
        },
        status=status,
    )
