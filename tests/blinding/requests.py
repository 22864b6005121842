"""What a person can ask for: for every route, the requests that are made in both worlds.

A new route without an entry fails `test_every_route_is_asked_for`. The only exemption is static files.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from urllib.parse import urlencode

from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import URLPattern, URLResolver, get_resolver, reverse

from corpus.domain.vocabulary import Role
from corpus.importers.records import Source
from corpus.models import ImportBatch, Invitation, Job
from corpus.services.imports import preview_import
from corpus.services.invitations import invite, proof_of
from labeling.models import Label
from reviews.models import Intake
from tests.api_tokens import make_token
from tests.blinding.worlds import TOLD, World, complete_label


@dataclass(frozen=True)
class Ask:
    """One request: method, path, and form data for a POST."""

    method: str
    path: str
    data: dict[str, object] = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)


Asks = Callable[[World], list[Ask]]


def get(name: str, query: str = "", **kwargs: object) -> Asks:
    """Ask for a page of the project; callables among the arguments are given the world."""
    return lambda world: [Ask("GET", address(world, name, **kwargs) + query)]


def post(name: str, data: dict[str, object] | None = None, **kwargs: object) -> Asks:
    """Send a form to a route of the project."""
    return lambda world: [Ask("POST", address(world, name, **kwargs), data or {})]


def both(*parts: Asks) -> Asks:
    """Make all requests of the parts, in order."""
    return lambda world: [ask for part in parts for ask in part(world)]


def address(world: World, name: str, **kwargs: object) -> str:
    """Return the address of a route of the world's project."""
    resolved = {key: value(world) if callable(value) else value for key, value in kwargs.items()}
    return reverse(name, kwargs={"project": world.project.slug, **resolved})


def site(path: str) -> Asks:
    """Ask for a page outside any project."""
    return lambda world: [Ask("GET", path)]


def seat_id(world: World) -> str:
    """The subject's own seat."""
    return world.seat.public_id


def partner_id(world: World) -> str:
    """The partner's seat, which is foreign to the subject."""
    return world.partner_seat.public_id


def case_id(world: World) -> str:
    """The case both sit on."""
    return world.case.public_id


def other_case_id(world: World) -> str:
    """A case of the project on which nobody sits yet."""
    return world.other_case.public_id


def spare_id(world: World) -> str:
    """A reviewer who sits nowhere in the world without hidden work."""
    return world.spare.public_id


def on_cases(name: str, data: Callable[[World], dict[str, object]] | None = None) -> Asks:
    """Send a form about the case both sit on, then about the other one."""
    return lambda world: [
        Ask("POST", address(world, name, case_id=one), data(world) if data else {}) for one in (case_id, other_case_id)
    ]


def on_seats(name: str, data: Callable[[World], dict[str, object]] | None = None, **kwargs: object) -> Asks:
    """Send a form about the subject's own seat and about the partner's, as a lead or as their owner would."""
    return lambda world: [
        Ask("POST", address(world, name, seat_id=one, **kwargs), data(world) if data else {})
        for one in (seat_id, partner_id)
    ]


def of_seats(name: str, *queries: str, **kwargs: object) -> Asks:
    """Ask for a page of the subject's own seat, with each query, and of the partner's."""
    return lambda world: [
        Ask("GET", address(world, name, seat_id=one, **kwargs) + query)
        for one, wanted in ((seat_id, queries or ("",)), (partner_id, queries[:1] or ("",)))
        for query in wanted
    ]


def as_fragment(asks: Asks) -> Asks:
    """Ask for the same as htmx does, which wants a fragment."""
    return lambda world: [replace(one, headers={**one.headers, "HX-Request": "true"}) for one in asks(world)]


def by_script(asks: Asks) -> Asks:
    """Send the same as script does, which wants data where a plain form gets a page."""
    return lambda world: [replace(one, headers={**one.headers, "Accept": "application/json"}) for one in asks(world)]


def own_label(world: World) -> str:
    """The subject's first label, or an id that never was."""
    label = Label.objects.filter(assignment=world.seat).order_by("number").first()
    return label.public_id if label else "2345678923"


def plan_of(act: str, **more: object) -> Asks:
    """Preview an act on all that the filter finds, then on both cases by name."""

    def asks(world: World) -> list[Ask]:
        found = {"act": act, "scope": "all", "show": "all", **more}
        named = {"act": act, "scope": "selected", "case": [case_id(world), other_case_id(world)], **more}
        return [
            Ask("GET", f"{address(world, 'plan_preview')}?{urlencode(data, doseq=True)}") for data in (found, named)
        ]

    return asks


def label_fields(world: World) -> dict[str, object]:
    """A label of the subject as the form sends it."""
    label = complete_label(world.seat, title="my own finding")
    anchor = label.anchors[0]
    return {
        "title": label.title,
        "severity": label.severity,
        "category": label.category,
        "relation": label.relation,
        "speculative": "no",
        "trigger": label.trigger,
        "evidence": label.evidence,
        "impact": label.impact,
        "confidence": label.confidence,
        "places_primary": f"{anchor.path} new {anchor.first_line}",
        "expected_version": "0",
    }


def a_job(world: World) -> str:
    """A job of the project."""
    return Job.objects.get_or_create(
        project=world.project, kind="echo", created_by=world.lead, defaults={"created_at": world.moment.now}
    )[0].public_id


def a_batch(world: World) -> str:
    """A previewed import of the project."""
    found = ImportBatch.objects.filter(project=world.project).first()
    if found is None:
        patch = b"--- a/x.py\n+++ b/x.py\n@@ -1 +1,2 @@\n one\n+two\n"
        found = preview_import(project=world.project, source=Source("x.patch", patch), created_by=world.lead)
    return found.public_id


def of_cases(name: str, query: str = "", **kwargs: object) -> Asks:
    """Ask for a page of the case both sit on, then of the other one."""
    return both(*(get(name, query, case_id=one, **kwargs) for one in (case_id, other_case_id)))


def on_item(name: str) -> Asks:
    """Decide or undo: ids of disagreements cannot be guessed, so the subject sends one that never was."""
    fields = {"outcome": "reject", "reason_code": "duplicate", "expected_version": "0"}
    return lambda world: [Ask("POST", address(world, name, case_id=case_id, item_id="2345678923"), fields)]


def a_token(world: World) -> str:
    """A token of the subject by its id, made while their roles allowed it, whatever they are now."""
    return make_token(world.project, world.subject)[0].public_id


def by_token(path: str, query: str = "") -> Asks:
    """Ask the programming interface with a token of the subject."""
    return lambda world: [
        Ask(
            "GET",
            f"/api/v1/{path}{query}",
            headers={"Authorization": f"Bearer {make_token(world.project, world.subject)[1]}"},
        )
    ]


def of_version(name: str, query: str = "", **kwargs: object) -> Asks:
    """Ask for the first version, frozen or not."""
    return get(name, query, number="1.0.0", **kwargs)


def an_invitation(world: World) -> str:
    """An invitation of the project whose link still works."""
    found = Invitation.objects.filter(project=world.project, revoked_at__isnull=True).first()
    if found is None:
        found = invite(project=world.project, email="new@example.org", role=Role.ANALYST, actor=world.lead).invitation
    return found.public_id


def a_secret(world: World) -> str:
    """The secret of an invitation for the subject themselves."""
    return invite(project=world.project, email=world.subject.email, role=Role.REVIEWER, actor=world.lead).secret


def subject_id(world: World) -> str:
    """The subject as a member of the project."""
    return world.subject.public_id


PEOPLE: dict[str, Asks] = {
    "member_list": both(get("member_list"), get("member_list", "?q=reviewer&sort=-since")),
    "member_export": get("member_export"),
    "member_page": both(
        get("member_page", person_id=subject_id),
        get("member_page", person_id=spare_id),
        post("member_page", {"languages": "Go", "areas": ""}, person_id=spare_id),
    ),
    "member_role": post("member_role", {"role": "analyst", "act": "grant"}, person_id=spare_id),
    "invitation_new": both(get("invitation_new"), post("invitation_new", {"email": "x@example.org", "role": "lead"})),
    "invitation_revoke": post("invitation_revoke", invitation_id=an_invitation),
    "invitation_accept": lambda world: [
        Ask(method, reverse("invitation_accept", args=[a_secret(world)])) for method in ("GET", "POST")
    ],
    "invitation_newcomer": lambda world: [
        Ask("GET", reverse("invitation_newcomer", args=[secret, proof_of(secret)])) for secret in [a_secret(world)]
    ],
    "me": both(site("/me/"), lambda world: [Ask("POST", "/me/", {"name": "Sam", "languages": "Go"})]),
    "preferences": lambda world: [Ask("POST", "/me/preferences/", {"layout": "split", "theme": "dark"})],
    "account_list": site("/people/"),
    "account_lead": lambda world: [Ask("POST", "/people/lead/")],
    "account_state": lambda world: [Ask("POST", reverse("account_state", args=[spare_id(world)]))],
    "project_new": both(site("/projects/new/"), lambda world: [Ask("POST", "/projects/new/", {"name": "Second"})]),
    "project_restore": lambda world: [Ask("POST", reverse("project_restore", args=[world.project.slug]))],
    "guidelines": get("guidelines"),
    "project_settings": get("project_settings"),
    "project_edit": both(get("project_edit"), post("project_edit", {"name": "Renamed"})),
    "audit_trail": both(get("audit_trail"), get("audit_trail", "?verb=disagreement+decided&q=a&since=2026-01-01")),
    "audit_trail_csv": get("audit_trail_csv"),
    "project_archive": both(get("project_archive"), post("project_archive", {"name": "not its name"})),
    "guidelines_preview": post("guidelines_preview", {"text": "# Typed"}),
    "text_edit": both(
        get("text_edit", kind="guidelines"),
        get("text_edit", kind="policy"),
        post("text_edit", {"base": "1", "text": "# New", "edit_kind": "editorial"}, kind="guidelines"),
    ),
    "text_history": get("text_history", kind="taxonomy"),
    "text_version": get("text_version", kind="taxonomy", number=1),
}
"""Pages of people and of the project's texts. Members stay as they are until all pages were asked for."""


def of_viewer(name: str, ask: Callable[..., Asks]) -> dict[str, Asks]:
    """Ask for each piece of one page's viewer, as a fragment and as a page of its own."""
    pieces = {
        "file": (ask(f"{name}_file", position=0), ask(f"{name}_file", "?whole=1&as=go&choose=1", position=0)),
        "lines": (ask(f"{name}_lines", "?old=1&new=1&count=5&show=5", position=0),),
        "part": (ask(f"{name}_part", "?hunk=0&from=1&whole=1", position=0),),
        "line": (ask(f"{name}_line", "?side=new&line=1&from=1", position=0),),
        "tree": (ask(f"{name}_tree", side="old"), ask(f"{name}_tree", side="new")),
        "blob": (
            ask(f"{name}_blob", "?path=pay/retry.py", side="new"),
            ask(f"{name}_blob", "?path=README.md", side="old"),
        ),
        "search": (
            ask(f"{name}_search", "?q=charge&in=text", side="old"),
            ask(f"{name}_search", "?q=charge&in=text&how=word&paths=*.py", side="new"),
            ask(f"{name}_search", "?q=retry", side="new"),
        ),
        "image": (ask(f"{name}_image", "?path=logo.png", side="new"),),
    }
    return {f"{name}_{piece}": both(*asks, as_fragment(asks[0])) for piece, asks in pieces.items()}


def run_id(world: World) -> str:
    """The run that says something of the other case."""
    return world.run.public_id


def tool_id(world: World) -> str:
    """The tool of that run."""
    return world.run.configuration.tool.public_id


def an_intake(world: World) -> str:
    """The upload that brought that run."""
    intake = Intake.objects.filter(project=world.project).order_by("pk").first()
    assert intake is not None
    return intake.public_id


def an_upload(world: World) -> list[Ask]:
    """Bring a file of one's own about the other case."""
    line = json.dumps({"case_id": other_case_id(world), "id": "mine", "text": "It fails."}).encode()
    fields = {"file": SimpleUploadedFile("mine.jsonl", line), "tool": tool_id(world), "repeat": "1"}
    return [Ask("POST", address(world, "intake_new"), fields)]


RUNS: dict[str, Asks] = {
    "run_list": get("run_list"),
    "run_list_csv": get("run_list_csv"),
    "run_page": both(
        get("run_page", run_id=run_id),
        get("run_page", "?sort=findings&state=reviewed_with_findings", run_id=run_id),
    ),
    "run_cases_csv": get("run_cases_csv", run_id=run_id),
    "run_case": both(
        get("run_case", run_id=run_id, case_id=case_id), get("run_case", run_id=run_id, case_id=other_case_id)
    ),
    "intake_new": both(get("intake_new"), an_upload),
    "intake_page": get("intake_page", intake_id=an_intake),
    "intake_progress": get("intake_progress", intake_id=an_intake),
    "intake_commit": post("intake_commit", intake_id=an_intake),
    "intake_discard": post("intake_discard", intake_id=an_intake),
    "intake_reread": post("intake_reread", {"severities": "major = high"}, intake_id=an_intake),
    "tool_list": get("tool_list"),
    "tool_new": both(get("tool_new"), post("tool_new", {"name": "Mine", "kind": "linter"})),
    "tool_page": get("tool_page", tool_id=tool_id),
    "tool_edit": post("tool_edit", {"aliases": "mine"}, tool_id=tool_id),
    "configuration_new": both(
        get("configuration_new", tool_id=tool_id),
        post("configuration_new", {"context_mode": "diff_only"}, tool_id=tool_id),
    ),
    "source_settings": both(
        get("source_settings", tool_id=tool_id, format_name="sarif"),
        post("source_settings", {"path_prefix": "/ci/"}, tool_id=tool_id, format_name="sarif"),
    ),
}
"""Pages of tools and of what they said."""
AGREEMENT: dict[str, Asks] = {
    "agreement": both(get("agreement"), get("agreement", "?language=Python")),
    "agreement_breakdown": both(
        *(get("agreement_breakdown", f"?by={name}") for name in ("category", "language", "guidelines", "pair"))
    ),
    "agreement_time": both(get("agreement_time"), get("agreement_time", "?layer=verdict")),
    "agreement_confusion": get("agreement_confusion"),
    "agreement_cases": both(
        get("agreement_cases", "?layer=category&one=concurrency&other=not_found"),
        get("agreement_cases", "?layer=verdict&one=clean&other=has_defects"),
    ),
    "agreement_missed": get("agreement_missed"),
    "agreement_guidelines": get("agreement_guidelines"),
    "agreement_reviewers": get("agreement_reviewers"),
    "agreement_planning": both(get("agreement_planning"), get("agreement_planning", "?width=0.1")),
    "agreement_csv": get("agreement_csv"),
    "agreement_study": get("agreement_study"),
}
"""Figures of agreement: nothing of the case that the subject sits on may be in any of them."""

ROUTES: dict[str, Asks] = {
    **PEOPLE,
    **of_viewer("case", of_cases),
    **of_viewer("seat", of_seats),
    **of_viewer("adjudication", lambda name, query="", **kwargs: get(name, query, case_id=case_id, **kwargs)),
    "token_list": both(
        get("token_list"),
        post("token_list", {"name": "scorer", "scopes": ["read_versions", "export_versions"], "days": "30"}),
        post("token_list", {"name": "", "days": "0"}),
    ),
    "token_revoke": post("token_revoke", token_id=a_token),
    "api-root": by_token(""),
    "openapi-json": by_token("openapi.json"),
    "api_token": both(by_token("token"), site("/api/v1/token")),
    "api_versions": by_token("versions"),
    "api_version": by_token("versions/1.0.0"),
    "api_compare": by_token("versions/1.0.0/compare/1.1.0"),
    "api_manifest": by_token("versions/1.0.0/manifest"),
    "api_export": both(
        by_token("versions/1.0.0/exports/dataset"), by_token("versions/1.0.0/exports/inputs", "?split=holdout")
    ),
    **RUNS,
    **AGREEMENT,
    "version_list": get("version_list"),
    "version_list_csv": get("version_list_csv"),
    "version_page": of_version("version_page"),
    "version_compare_choose": get("version_compare_choose", "?from=1.0.0&to=1.1.0"),
    "version_compare": of_version("version_compare", other="1.1.0"),
    "version_compare_as": both(
        of_version("version_compare_as", other="1.1.0", form="json"),
        of_version("version_compare_as", other="1.0.0", form="markdown"),
    ),
    "version_manifest": of_version("version_manifest"),
    "version_signature": of_version("version_signature"),
    "version_export": both(
        *(of_version("version_export", format_name=name) for name in ("fixtures", "dataset", "expected", "inputs")),
        of_version("version_export", "?split=holdout", format_name="dataset"),
    ),
    "version_export_facts": of_version("version_export_facts", format_name="dataset"),
    "version_freeze": both(
        get("version_freeze"),
        lambda world: [
            Ask("GET", address(world, "version_freeze") + f"?without={case_id(world)}"),
            Ask("POST", address(world, "version_freeze"), {"note": "Now", "waive-clean_case": "None yet"}),
        ],
    ),
    "case_list": both(get("case_list"), get("case_list", "?state=labelling"), get("case_list", "?sort=state&q=pay")),
    "case_list_csv": both(get("case_list_csv"), get("case_list_csv", "?sort=state")),
    "case_page": of_cases("case_page"),
    "case_edit": both(of_cases("case_edit"), on_cases("case_edit", lambda world: {"title": "x", "seen": ""})),
    "case_completeness": on_cases("case_completeness", lambda world: {"completeness": "complete"}),
    "case_ready": on_cases("case_ready", lambda world: {}),
    "bytes_withdraw": both(
        of_cases("bytes_withdraw"),
        of_cases("bytes_withdraw", "?what=whole"),
        of_cases("bytes_withdraw", "?what=files&path=README.md"),
        on_cases("bytes_withdraw", lambda world: {"what": "whole", "reason": "A licence", "seen": ""}),
    ),
    "case_files": of_cases("case_files"),
    "import_list": get("import_list"),
    "import_new": both(
        get("import_new"),
        lambda world: [Ask("GET", address(world, "import_new") + f"?case={case_id(world)}")],
        post("import_new", {"from": "upload"}),
    ),
    "import_page": both(
        get("import_page", import_id=a_batch), get("import_page", "?outcome=rejected", import_id=a_batch)
    ),
    "import_record": get("import_record", import_id=a_batch, position=0),
    "import_progress": get("import_progress", import_id=a_batch),
    "import_commit": post("import_commit", import_id=a_batch),
    "import_discard": post("import_discard", import_id=a_batch),
    "job_page": get("job_page", job_id=a_job),
    "job_progress": get("job_progress", job_id=a_job),
    "home": site("/"),
    "health": site("/healthz"),
    "project_home": get("project_home"),
    "queue": get("queue"),
    "workbench": of_seats("workbench", "", "?layout=split", "?label=new"),
    "seat_file_read": on_seats("seat_file_read", lambda world: {"read": "1"}, position=0),
    "seat_guidelines": of_seats("seat_guidelines"),
    "seat_activity": on_seats("seat_activity"),
    "label_new": as_fragment(of_seats("label_new")),
    "label_create": both(on_seats("label_create", label_fields), by_script(on_seats("label_create", label_fields))),
    "label_page": both(
        as_fragment(of_seats("label_page", label_id=own_label)),
        by_script(on_seats("label_page", label_fields, label_id=own_label)),
    ),
    "label_withdraw": on_seats("label_withdraw", label_id=own_label),
    "label_restore": on_seats("label_restore", label_id=own_label),
    "claim_page": of_seats("claim_page", claim_id="2345678923"),
    "seat_answer": by_script(
        on_seats("seat_answer", lambda world: {"verdict": "has_defects", "expected_version": "0"})
    ),
    "seat_submit": both(
        as_fragment(of_seats("seat_submit")),
        on_seats("seat_submit", lambda world: {"verdict": "has_defects", "expected_version": "1"}),
        of_seats("workbench"),
    ),
    "seat_recall": on_seats("seat_recall"),
    # After the recall: with both seats final the case is compared, and then the worlds may differ by right.
    "seat_finish": on_seats("seat_finish"),
    "round_list": both(get("round_list"), get("round_list", "?seats=submitted"), get("round_list", "?seats=free")),
    "round_list_csv": get("round_list_csv"),
    "round_plan": both(get("round_plan"), get("round_plan", "?show=all"), get("round_plan", "?show=open")),
    "plan_preview": both(plan_of("draw", seed="5"), plan_of("queue", seed="5"), plan_of("withdraw")),
    "plan_carry_out": lambda world: [
        Ask(
            "POST",
            address(world, "plan_carry_out"),
            {"act": "draw", "seed": "5", "case": [case_id(world), other_case_id(world)]},
        )
    ],
    "case_seats": both(get("case_seats", case_id=case_id), get("case_seats", case_id=other_case_id)),
    "round_open": on_cases("round_open", lambda world: {"how": "queue"}),
    "seats_draw": on_cases("seats_draw"),
    "seat_assign": on_cases("seat_assign", lambda world: {"reviewer": spare_id(world)}),
    "round_queue": on_cases("round_queue", lambda world: {"open": "1"}),
    "round_without_third": on_cases("round_without_third"),
    "seat_release": on_seats("seat_release"),
    "seat_reassign": on_seats("seat_reassign", lambda world: {"reviewer": spare_id(world)}),
    "seat_extend": on_seats("seat_extend", lambda world: {"days": "3"}),
    "seat_outcome": of_seats("seat_outcome"),
    "seat_reopen": both(of_seats("seat_reopen"), on_seats("seat_reopen", lambda world: {"reason": "By mistake"})),
    "case_withdraw": both(
        get("case_withdraw", case_id=case_id),
        get("case_withdraw", case_id=other_case_id),
        on_cases("case_withdraw", lambda world: {"reason": "No longer wanted"}),
    ),
    "case_restore": on_cases("case_restore"),
    "bulk_withdraw": lambda world: [
        Ask("POST", address(world, "bulk_withdraw"), {"case": [case_id(world)], "reason": "No longer wanted"})
    ],
    "queue_next": post("queue_next"),
    "seat_decline": get("seat_decline", seat_id=seat_id),
    "ruling_queue": get("ruling_queue"),
    "ruling_next": post("ruling_next"),
    "ruling": both(
        get("ruling", match_id=TOLD), post("ruling", {"value": "unsupported", "rationale": "r"}, match_id=TOLD)
    ),
    "run_comparison": both(get("run_comparison"), get("run_comparison", f"?first={TOLD}&second={TOLD}")),
    "scorecard": get("scorecard", run_id=TOLD),
    "scorecard_json": get("scorecard_json", run_id=TOLD),
    "run_findings_file": get("run_findings_file", run_id=TOLD),
    "run_rulings_file": get("run_rulings_file", run_id=TOLD),
    "adjudication_queue": both(get("adjudication_queue"), get("adjudication_queue", "?show=all&sort=oldest")),
    "adjudication_queue_csv": both(get("adjudication_queue_csv"), get("adjudication_queue_csv", "?show=all")),
    "adjudication": get("adjudication", case_id=case_id),
    "adjudication_panel": get("adjudication_panel", case_id=case_id),
    "adjudication_agreed": post("adjudication_agreed", case_id=case_id),
    "adjudication_confirm": post("adjudication_confirm", {"stale_reason": "Anything"}, case_id=case_id),
    "adjudication_decide": on_item("adjudication_decide"),
    "adjudication_undo": on_item("adjudication_undo"),
    "adjudication_pairing": both(
        get("adjudication_pairing", case_id=case_id, label_id=own_label),
        post("adjudication_pairing", {"act": "unpair", "partner": "2345678923"}, case_id=case_id, label_id=own_label),
    ),
}


def route_names() -> Iterator[str]:
    """Yield the name of every route of the product, but the account pages of the sign-in library."""

    def walk(patterns: list[URLPattern | URLResolver], prefix: str) -> Iterator[tuple[str, str]]:
        for pattern in patterns:
            path = prefix + str(pattern.pattern)
            if isinstance(pattern, URLResolver):
                yield from walk(pattern.url_patterns, path)
            else:
                yield pattern.name or path, path

    for name, path in walk(get_resolver().url_patterns, ""):
        if not path.startswith(("accounts/", "static/")):
            yield name
