"""Who may use which route: one row each. A route without a row fails `test_every_route_has_a_row`.

A row of a project's page says its roles, its verbs, how an address of the asking person is made (`own`) and which ids
in it are foreign to them (`foreign`). `project` is added by the test.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from corpus.domain.vocabulary import Role
from corpus.models import Case, User
from corpus.services.invitations import proof_of
from corpus.services.projects import archive_project
from labeling.models import Assignment, ComparedLabel, Disagreement
from tests.route_world import Actor, RouteWorld

Params = dict[str, Any]
Own = Callable[[RouteWorld, Actor], Params]
Foreign = Callable[[RouteWorld, Actor], list[Params]]

READ = frozenset({"GET"})
WRITE = frozenset({"POST"})
BOTH = READ | WRITE
LEAD = frozenset({Role.LEAD})
MEMBERS = frozenset(Role)
READERS = frozenset({Role.LEAD, Role.ADJUDICATOR, Role.ANALYST})
LABELLERS = frozenset({Role.REVIEWER, Role.LEAD, Role.ADJUDICATOR})
ADJUDICATORS = frozenset({Role.ADJUDICATOR, Role.LEAD})
ANALYSTS = frozenset({Role.LEAD, Role.ANALYST})
REVIEWER = frozenset({Role.REVIEWER})
UNKNOWN_ID = "2222222222"


def no_params(world: RouteWorld, actor: Actor) -> Params:
    """The route names nothing but its project."""
    return {}


def no_foreign(world: RouteWorld, actor: Actor) -> list[Params]:
    """Nothing in the address can be foreign."""
    return []


@dataclass(frozen=True)
class Row:
    """A page of a project: who gets in, by which verbs, and what its address names."""

    roles: frozenset[Role]
    verbs: frozenset[str] = READ
    own: Own = no_params
    foreign: Foreign = no_foreign


@dataclass(frozen=True)
class SiteRow:
    """A page outside any project; `admits` is asked of signed-in people, `is_open` lets everybody in."""

    verbs: frozenset[str]
    admits: Callable[[Actor], bool]
    own: Own = no_params
    foreign: Foreign = no_foreign
    is_open: bool = False


# --- What addresses name ------------------------------------------------------------------------------------------


def cases(**more: Any) -> tuple[Own, Foreign]:
    """A settled case."""
    return (
        lambda world, actor: {"case_id": world.case().public_id, **more},
        lambda world, actor: [
            {"case_id": world.case(at_home=False).public_id, **more},
            {"case_id": UNKNOWN_ID, **more},
        ],
    )


def ready_cases() -> tuple[Own, Foreign]:
    """A case that waits for its round."""
    return (
        lambda world, actor: {"case_id": world.ready_case().public_id},
        lambda world, actor: [{"case_id": world.ready_case(at_home=False).public_id}, {"case_id": UNKNOWN_ID}],
    )


def seated_cases() -> tuple[Own, Foreign]:
    """A case with an open round."""
    return (
        lambda world, actor: {"case_id": world.seat(world.spare).case.public_id},
        lambda world, actor: [{"case_id": world.seat(world.reviewer(False), False).case.public_id}],
    )


def managed_seats() -> tuple[Own, Foreign]:
    """Somebody's seat, as leads manage it."""
    return (
        lambda world, actor: {"seat_id": world.seat(world.spare).public_id},
        lambda world, actor: [{"seat_id": world.seat(world.reviewer(False), False).public_id}],
    )


def labeller(world: RouteWorld, actor: Actor) -> User:
    """The person themselves where they may hold a seat at home, else somebody who does."""
    return actor.user if actor.user is not None and actor.is_signed_in and actor.at_home & LABELLERS else world.spare


def own_seats(**more: Any) -> tuple[Own, Foreign]:
    """The person's own seat; a peer's, and one of another project, even the person's own there, are foreign."""

    def foreign(world: RouteWorld, actor: Actor) -> list[Params]:
        there = actor.user if actor.user is not None and actor.elsewhere & LABELLERS else world.reviewer(False)
        return [
            {"seat_id": world.seat(world.spare).public_id, **more},
            {"seat_id": world.seat(there, False).public_id, **more},
        ]

    return lambda world, actor: {"seat_id": world.seat(labeller(world, actor)).public_id, **more}, foreign


def own_labels() -> tuple[Own, Foreign]:
    """A label in the person's own seat; a peer's label is foreign under the peer's seat and under one's own."""

    def own(world: RouteWorld, actor: Actor) -> Params:
        seat = world.seat(labeller(world, actor))
        return {"seat_id": seat.public_id, "label_id": world.label(seat).public_id}

    def foreign(world: RouteWorld, actor: Actor) -> list[Params]:
        peers = world.seat(world.spare)
        label = world.label(peers).public_id
        found = [{"seat_id": peers.public_id, "label_id": label}]
        if labeller(world, actor) == actor.user:
            found.append({"seat_id": world.seat(labeller(world, actor)).public_id, "label_id": label})
        return found

    return own, foreign


def own_claims() -> tuple[Own, Foreign]:
    """A claim in the person's own claims pass; a peer's pass is foreign, and so is a claim of another case."""

    def params(seat: Assignment, claim: str) -> Params:
        return {"seat_id": seat.public_id, "claim_id": claim}

    def foreign(world: RouteWorld, actor: Actor) -> list[Params]:
        seat, claim = world.claims_pass(world.spare)
        found = [params(seat, claim)]
        if labeller(world, actor) == actor.user:
            found.append(params(world.seat(labeller(world, actor)), claim))
        return found

    return lambda world, actor: params(*world.claims_pass(labeller(world, actor))), foreign


def compared_cases(**more: Any) -> tuple[Own, Foreign]:
    """A case whose labels were compared; one that was not, and another project's, are foreign."""
    return (
        lambda world, actor: {"case_id": world.disagreement().comparison.round.case.public_id, **more},
        lambda world, actor: [
            {"case_id": world.disagreement(at_home=False).comparison.round.case.public_id, **more},
            {"case_id": world.ready_case().public_id, **more},
        ],
    )


def compared_labels() -> tuple[Own, Foreign]:
    """A label of a compared case; one of another case is foreign under every case."""

    def params(case: Case, label: ComparedLabel) -> Params:
        return {"case_id": case.public_id, "label_id": label.public_id}

    def one(world: RouteWorld, at_home: bool = True) -> tuple[Case, ComparedLabel]:
        comparison = world.disagreement(at_home).comparison
        return comparison.round.case, comparison.compared_labels.get()

    def foreign(world: RouteWorld, actor: Actor) -> list[Params]:
        (here, _), (there, theirs), (_, other) = one(world), one(world, False), one(world)
        return [params(there, theirs), params(here, theirs), params(here, other)]

    return lambda world, actor: params(*one(world)), foreign


def disagreements() -> tuple[Own, Foreign]:
    """A disagreement; one of another case is foreign under every case."""

    def params(row: Disagreement, item: Disagreement) -> Params:
        return {"case_id": row.comparison.round.case.public_id, "item_id": item.public_id}

    def own(world: RouteWorld, actor: Actor) -> Params:
        row = world.disagreement()
        return params(row, row)

    def foreign(world: RouteWorld, actor: Actor) -> list[Params]:
        here, there = world.disagreement(), world.disagreement(at_home=False)
        return [params(there, there), params(here, there), params(here, world.disagreement())]

    return own, foreign


def versions(**more: Any) -> tuple[Own, Foreign]:
    """A frozen version; a number that only the other project has is foreign."""
    return (
        lambda world, actor: {"number": world.versions(True, 1)[0], **more},
        lambda world, actor: [{"number": world.versions(False, 2)[1], **more}, {"number": "9.9.9", **more}],
    )


def version_pairs(**more: Any) -> tuple[Own, Foreign]:
    """Two frozen versions; a pair is foreign as soon as one of them is."""

    def pair(world: RouteWorld, actor: Actor) -> Params:
        first, second = world.versions(True, 2)
        return {"number": first, "other": second, **more}

    def foreign(world: RouteWorld, actor: Actor) -> list[Params]:
        own = world.versions(True, 1)[0]
        return [{"number": own, "other": "9.9.9", **more}, {"number": "9.9.9", "other": own, **more}]

    return pair, foreign


def runs() -> tuple[Own, Foreign]:
    """A run against a version; another project's is foreign."""
    return (
        lambda world, actor: {"run_id": world.run().public_id},
        lambda world, actor: [{"run_id": world.run(at_home=False).public_id}, {"run_id": UNKNOWN_ID}],
    )


def matches() -> tuple[Own, Foreign]:
    """A match that waits for a ruling; another project's is foreign."""
    return (
        lambda world, actor: {"match_id": world.match().public_id},
        lambda world, actor: [{"match_id": world.match(at_home=False).public_id}, {"match_id": UNKNOWN_ID}],
    )


def members() -> tuple[Own, Foreign]:
    """A member; people of other projects are foreign."""
    return (
        lambda world, actor: {"person_id": world.reviewer().public_id},
        lambda world, actor: [{"person_id": world.reviewer(False).public_id}, {"person_id": UNKNOWN_ID}],
    )


def invitations() -> tuple[Own, Foreign]:
    """An invitation of the project."""
    return (
        lambda world, actor: {"invitation_id": world.invitation("new@example.org").public_id},
        lambda world, actor: [{"invitation_id": world.invitation("new@example.org", at_home=False).public_id}],
    )


def tokens() -> tuple[Own, Foreign]:
    """A token of the person themselves; another's is foreign to all but leads, and another project's to everybody."""

    def foreign(world: RouteWorld, actor: Actor) -> list[Params]:
        found = [{"token_id": world.token(world.lead(False), at_home=False)}, {"token_id": UNKNOWN_ID}]
        if Role.LEAD not in actor.at_home:
            found.append({"token_id": world.token(world.lead())})
        return found

    return lambda world, actor: {"token_id": world.token(actor.user or world.lead())}, foreign


def imports() -> tuple[Own, Foreign]:
    """An import of the project."""
    return (
        lambda world, actor: {"import_id": world.batch()},
        lambda world, actor: [{"import_id": world.batch(at_home=False)}],
    )


def jobs() -> tuple[Own, Foreign]:
    """A job of the project."""
    return (
        lambda world, actor: {"job_id": world.job().public_id},
        lambda world, actor: [{"job_id": world.job(at_home=False).public_id}],
    )


def texts(**more: Any) -> tuple[Own, Foreign]:
    """A kind of text; there is no foreign one, but unknown ones."""
    return (
        lambda world, actor: {"kind": "guidelines", **more},
        lambda world, actor: [{"kind": "unheard-of", **more}],
    )


def row(roles: frozenset[Role], verbs: frozenset[str], named: tuple[Own, Foreign] = (no_params, no_foreign)) -> Row:
    """Write a row with what its address names."""
    own, foreign = named
    return Row(roles, verbs, own, foreign)


# --- Pages of a project -------------------------------------------------------------------------------------------

PROJECT_ROWS: dict[str, Row] = {
    "project_home": row(MEMBERS, READ),
    # People and texts
    "member_list": row(LEAD, READ),
    "member_export": row(LEAD, READ),
    "member_page": row(LEAD, BOTH, members()),
    "member_role": row(LEAD, WRITE, members()),
    "invitation_new": row(LEAD, BOTH),
    "invitation_revoke": row(LEAD, WRITE, invitations()),
    "guidelines": row(MEMBERS, READ),
    "guidelines_preview": row(LEAD, WRITE),
    "project_settings": row(LEAD, READ),
    "project_edit": row(LEAD, BOTH),
    "project_archive": row(LEAD, BOTH),
    "audit_trail": row(LEAD, READ),
    "audit_trail_csv": row(LEAD, READ),
    "text_edit": row(LEAD, BOTH, texts()),
    "text_history": row(LEAD, READ, texts()),
    "text_version": row(LEAD, READ, texts(number=1)),
    # Cases
    "case_list": row(READERS, READ),
    "case_list_csv": row(READERS, READ),
    "case_page": row(READERS, READ, cases()),
    "case_edit": row(LEAD, BOTH, cases()),
    "case_completeness": row(LEAD, WRITE, cases()),
    "case_ready": row(LEAD, WRITE, cases()),
    "bytes_withdraw": row(LEAD, BOTH, cases()),
    "case_files": row(READERS, READ, cases()),
    # Imports and jobs
    "import_list": row(LEAD, READ),
    "import_new": row(LEAD, BOTH),
    "import_page": row(LEAD, READ, imports()),
    "import_progress": row(LEAD, READ, imports()),
    "import_commit": row(LEAD, WRITE, imports()),
    "import_discard": row(LEAD, WRITE, imports()),
    "job_page": row(LEAD, READ, jobs()),
    "job_progress": row(LEAD, READ, jobs()),
    # Rounds, as leads run them
    "round_list": row(LEAD, READ),
    "round_plan": row(LEAD, READ),
    "plan_preview": row(LEAD, READ),
    "plan_carry_out": row(LEAD, WRITE),
    "bulk_withdraw": row(LEAD, WRITE),
    "case_seats": row(LEAD, READ, ready_cases()),
    "round_open": row(LEAD, WRITE, ready_cases()),
    "seats_draw": row(LEAD, WRITE, seated_cases()),
    "seat_assign": row(LEAD, WRITE, seated_cases()),
    "round_queue": row(LEAD, WRITE, seated_cases()),
    "case_withdraw": row(LEAD, BOTH, ready_cases()),
    "case_restore": row(LEAD, WRITE, ready_cases()),
    "seat_release": row(LEAD, WRITE, managed_seats()),
    "seat_reassign": row(LEAD, WRITE, managed_seats()),
    "seat_extend": row(LEAD, WRITE, managed_seats()),
    "seat_reopen": row(LEAD, BOTH, managed_seats()),
    # The reviewer's own work
    "queue": row(LABELLERS, READ),
    "queue_next": row(REVIEWER, WRITE),
    "seat_decline": row(LABELLERS, BOTH, own_seats()),
    "workbench": row(LABELLERS, READ, own_seats()),
    "seat_file_read": row(LABELLERS, WRITE, own_seats(position=0)),
    "seat_guidelines": row(LABELLERS, READ, own_seats()),
    "seat_activity": row(LABELLERS, WRITE, own_seats()),
    "label_create": row(LABELLERS, WRITE, own_seats()),
    "label_new": row(LABELLERS, READ, own_seats()),
    "label_page": row(LABELLERS, BOTH, own_labels()),
    "label_withdraw": row(LABELLERS, WRITE, own_labels()),
    "label_restore": row(LABELLERS, WRITE, own_labels()),
    "seat_answer": row(LABELLERS, WRITE, own_seats()),
    "seat_submit": row(LABELLERS, BOTH, own_seats()),
    "seat_recall": row(LABELLERS, WRITE, own_seats()),
    "seat_finish": row(LABELLERS, WRITE, own_seats()),
    "claim_page": row(LABELLERS, BOTH, own_claims()),
    # Adjudication
    # Rulings and scorecards
    "ruling_queue": row(ADJUDICATORS, READ),
    "ruling_next": row(ADJUDICATORS, WRITE),
    "ruling": row(ADJUDICATORS, BOTH, matches()),
    "scorecard": row(ANALYSTS, READ, runs()),
    "scorecard_json": row(ANALYSTS, READ, runs()),
    "run_findings_file": row(ANALYSTS, READ, runs()),
    "run_rulings_file": row(ANALYSTS, READ, runs()),
    "adjudication_queue": row(ADJUDICATORS, READ),
    "adjudication": row(ADJUDICATORS, READ, compared_cases()),
    "adjudication_panel": row(ADJUDICATORS, READ, compared_cases()),
    "adjudication_agreed": row(ADJUDICATORS, WRITE, compared_cases()),
    "adjudication_confirm": row(ADJUDICATORS, WRITE, compared_cases()),
    "adjudication_decide": row(ADJUDICATORS, WRITE, disagreements()),
    "adjudication_undo": row(ADJUDICATORS, WRITE, disagreements()),
    "adjudication_pairing": row(ADJUDICATORS, BOTH, compared_labels()),
    # Versions
    "token_list": row(ANALYSTS, BOTH),
    "token_revoke": row(ANALYSTS, WRITE, tokens()),
    "version_list": row(ANALYSTS, READ),
    "version_list_csv": row(ANALYSTS, READ),
    "version_compare_choose": row(ANALYSTS, READ),
    "version_compare": row(ANALYSTS, READ, version_pairs()),
    "version_compare_as": row(ANALYSTS, READ, version_pairs(form="json")),
    "version_freeze": row(LEAD, BOTH),
    "version_page": row(ANALYSTS, READ, versions()),
    "version_manifest": row(ANALYSTS, READ, versions()),
    "version_export": row(ANALYSTS, READ, versions(format_name="dataset")),
    "version_export_facts": row(ANALYSTS, READ, versions(format_name="dataset")),
}


def viewer_rows(name: str, roles: frozenset[Role], named: Callable[..., tuple[Own, Foreign]]) -> dict[str, Row]:
    """The pieces of one page's viewer."""
    by_file, by_side = ("file", "lines", "part", "line"), ("tree", "blob", "search", "image")
    return {
        **{f"{name}_{piece}": row(roles, READ, named(position=0)) for piece in by_file},
        **{f"{name}_{piece}": row(roles, READ, named(side="new")) for piece in by_side},
    }


PROJECT_ROWS |= {
    **viewer_rows("case", READERS, cases),
    **viewer_rows("seat", LABELLERS, own_seats),
    **viewer_rows("adjudication", ADJUDICATORS, compared_cases),
}

# Views that answer a bare request with a 404 of their own, with the query that makes them answer.
PIECES = {
    "lines": "?old=1&new=1&count=2&show=2",
    "part": "?hunk=0&from=1&whole=1",
    "line": "?side=new&line=1&from=1",
    "blob": "?path=README.md",
    "image": "?path=logo.png",
}
QUERIES = {f"{page}_{piece}": query for page in ("case", "seat", "adjudication") for piece, query in PIECES.items()}
# Forms without which a view does not know what it is asked.
FORMS = {"adjudication_decide": "outcome=unresolved&reason_code=misread_code&expected_version=0"}


# --- Pages outside any project --------------------------------------------------------------------------------------


def everybody(actor: Actor) -> bool:
    """Whoever is signed in."""
    return True


def administers(actor: Actor) -> bool:
    """Administrators of accounts."""
    return actor.user is not None and actor.user.is_superuser


def leads_somewhere(actor: Actor) -> bool:
    """Leads of any project."""
    return Role.LEAD in actor.at_home | actor.elsewhere


def archived(world: RouteWorld, actor: Actor) -> Params:
    """The project at home, archived."""
    archive_project(project=world.home, actor=world.lead())
    return {"slug": world.home.slug}


def proven(secret: str) -> Params:
    """The link that is mailed to the invited address alone."""
    return {"secret": secret, "proof": proof_of(secret)}


SITE_ROWS: dict[str, SiteRow] = {
    "home": SiteRow(READ, everybody),
    "health": SiteRow(READ, everybody, is_open=True),
    "me": SiteRow(BOTH, everybody),
    "preferences": SiteRow(WRITE, everybody),
    "invitation_accept": SiteRow(
        BOTH,
        everybody,
        lambda world, actor: {"secret": world.secrets[world.invitation("new@example.org").public_id]},
        lambda world, actor: [{"secret": "0" * 64}, {"secret": world.invitation("x@example.org").secret_sha256}],
        is_open=True,
    ),
    "invitation_newcomer": SiteRow(
        BOTH,
        everybody,
        lambda world, actor: proven(world.secrets[world.invitation("new@example.org").public_id]),
        lambda world, actor: [
            proven("0" * 64),
            {"secret": world.secrets[world.invitation("x@example.org").public_id], "proof": "0" * 32},
        ],
        is_open=True,
    ),
    "account_list": SiteRow(READ, administers),
    "account_lead": SiteRow(WRITE, administers),
    "account_state": SiteRow(
        WRITE,
        administers,
        lambda world, actor: {"person_id": world.spare.public_id},
        lambda world, actor: [{"person_id": UNKNOWN_ID}],
    ),
    "project_new": SiteRow(BOTH, lambda actor: administers(actor) or leads_somewhere(actor)),
    "project_restore": SiteRow(
        WRITE,
        lambda actor: Role.LEAD in actor.at_home,
        archived,
        lambda world, actor: [{"slug": "unheard-of"}, {"slug": world.other.slug}],
    ),
}

# The programming interface, which asks for a token (`tests/test_api.py`): what its addresses name.
API_ROWS: dict[str, Params] = {
    "api-root": {},
    "openapi-json": {},
    "api_token": {},
    "api_versions": {},
    "api_version": {"number": "1.0.0"},
    "api_compare": {"number": "1.0.0", "other": "1.1.0"},
    "api_manifest": {"number": "1.0.0"},
    "api_export": {"number": "1.0.0", "format_name": "dataset"},
}

# The sign-in library's own pages: whether somebody who is not signed in sees more than the way to the sign-in page.
ACCOUNT_ROWS: dict[str, tuple[bool, Params]] = {
    "account_login": (True, {}),
    "account_logout": (True, {}),
    "account_inactive": (True, {}),
    "account_signup": (True, {}),
    "account_reset_password": (True, {}),
    "account_reset_password_done": (True, {}),
    "account_reset_password_from_key": (True, {"uidb36": "1", "key": "guessed-key"}),
    "account_reset_password_from_key_done": (True, {}),
    "account_confirm_email": (True, {"key": "guessed"}),
    "account_email_verification_sent": (True, {}),
    "account_confirm_login_code": (False, {}),
    "account_email": (False, {}),
    "account_change_password": (False, {}),
    "account_set_password": (False, {}),
    "account_reauthenticate": (False, {}),
    "account_request_reauthentication_code": (False, {}),
    "account_confirm_reauthentication_code": (False, {}),
    "mfa_index": (False, {}),
    "mfa_authenticate": (False, {}),
    "mfa_reauthenticate": (False, {}),
    "mfa_activate_totp": (False, {}),
    "mfa_deactivate_totp": (False, {}),
    "mfa_view_recovery_codes": (False, {}),
    "mfa_generate_recovery_codes": (False, {}),
    "mfa_download_recovery_codes": (False, {}),
}
