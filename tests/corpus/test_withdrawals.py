"""A secret surfaced: its bytes are destroyed wherever they are kept, and what was frozen still verifies (N5)."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from django.apps import apps
from django.core.management import CommandError, call_command
from django.db import IntegrityError, connection, models, transaction
from django.urls import reverse

from corpus import immutability
from corpus.domain.vocabulary import CaseState, Role
from corpus.importers.records import Source
from corpus.models import (
    AuditEntry,
    Blob,
    Case,
    CaseFile,
    CaseHunk,
    Claim,
    DrawnFile,
    GoldenAnchor,
    HighlightedBlob,
    ImportBatch,
    Project,
    User,
)
from corpus.models.findings import AnchorFields
from corpus.rendering.diff_rows import LAYOUTS
from corpus.selectors.diff_files import Wanted, changed_files, file_bodies
from corpus.selectors.withdrawals import plan_withdrawal
from corpus.services.blobs import BlobRefused, store_blob
from corpus.services.exports import FIXTURES, INPUTS, ExportChoice, make_export, manifest_bytes
from corpus.services.imports import commit_import, preview_import
from corpus.services.versions import freeze_version
from corpus.services.withdrawals import WithdrawalChanged, WithdrawalRefused, withdraw_bytes
from labeling.domain.label_input import AnchorInput
from labeling.models import Assignment, LabelAnchor
from labeling.services.rounds import RoundRefused, open_round, restore_case
from tests import factories
from tests.labeling.seats import DEFECT, label, make_seat
from tests.labeling_factories import mark_complete, settle_case_with

SECRET = b"AKIA-hunter2-do-not-tell"
PLAIN = b"def pay(order):\n    return charge(order)\n"
BASE = {b"pay.py": ("100644", PLAIN), b"docs/a.md": ("100644", b"# Pay\n"), b"keys.env": ("100644", SECRET + b"\n")}
HEAD = {
    **BASE,
    b"pay.py": ("100644", b"KEY = '" + SECRET + b"'\n" + PLAIN),
    b"new.py": ("100644", b"def new():\n    return 1\n"),
}
PLACE = AnchorInput(role="primary", path="pay.py", side="new", first_line=1, last_line=1)
PATCH = b"--- a/x.py\n+++ b/x.py\n@@ -1 +1,2 @@ def " + SECRET + b"():\n one\n+" + SECRET + b"\n"


def case_with_secret(project: Project, **facts: str) -> Case:
    return factories.make_case(project, base=BASE, head=HEAD, **facts)


def rows_with(secret: bytes) -> list[str]:
    """Return every column of every row of the database that holds the secret, by table and column."""
    found = []
    for model in apps.get_models():
        for field in model._meta.concrete_fields:
            if isinstance(field, models.BinaryField | models.CharField | models.TextField | models.JSONField):
                for value in model._default_manager.values_list(field.attname, flat=True):
                    raw = bytes(value) if isinstance(value, bytes | memoryview) else str(value).encode()
                    if secret in raw:
                        found.append(f"{model._meta.label}.{field.name}")
    return sorted(set(found))


def draw(case: Case) -> None:
    """Look at the change, so that its rows are drawn and kept."""
    for layout in LAYOUTS:
        file_bodies(case, changed_files(case), wanted=Wanted(layout), base_url="/")


@pytest.fixture
def secret_case(people, project) -> Case:
    """A case whose change and snapshot hold the secret, settled on a label that quotes it."""
    case = case_with_secret(project, family="one")
    found = replace(DEFECT, anchors=(PLACE,))
    mark_complete(settle_case_with(case, [people.reviewer_a, people.reviewer_b], labels=[found]))
    draw(case)
    case.refresh_from_db()
    return case


def test_whatever_repeats_the_bytes_is_destroyed_and_digests_stay(people, project, secret_case) -> None:
    claim = Claim.objects.create(
        case=secret_case, position=1, origin="imported_golden", statement="A key", raw=SECRET.decode(),
        created_at=secret_case.created_at,
    )  # fmt: skip
    before = dict(Blob.objects.values_list("sha256", "size"))
    quotes = set(LabelAnchor.objects.values_list("quote_sha256", flat=True))
    assert {"corpus.Blob.data", "labeling.LabelAnchor.quote", "corpus.GoldenAnchor.quote"} <= set(rows_with(SECRET))
    plan = withdraw_bytes(case=secret_case, paths=["pay.py", "keys.env"], reason="A key leaked", actor=people.lead)
    assert rows_with(SECRET) == []
    assert dict(Blob.objects.values_list("sha256", "size")) == before
    gone = set(Blob.objects.filter(withdrawn_at__isnull=False).values_list("pk", flat=True))
    assert gone == set(plan.blobs)
    assert bytes(Blob.objects.get(pk=secret_case.patch_id).data) == b""
    assert set(LabelAnchor.objects.values_list("quote_sha256", flat=True)) == quotes
    assert not DrawnFile.objects.filter(case_file__case=secret_case).exists()
    assert not HighlightedBlob.objects.filter(
        blob_sha256__in=Blob.objects.filter(pk__in=gone).values("sha256")
    ).exists()
    claim.refresh_from_db()
    assert (claim.raw, claim.statement) == ("", "A key")
    # What was not named stays.
    assert Blob.objects.filter(data=HEAD[b"new.py"][1], withdrawn_at__isnull=True).exists()
    secret_case.refresh_from_db()
    assert (secret_case.state, secret_case.withdrawn_reason) == (CaseState.WITHDRAWN, "Bytes withdrawn: A key leaked")
    entry = AuditEntry.objects.get(verb="bytes withdrawn")
    assert (entry.actor, entry.case, entry.before, entry.after) == (
        people.lead, secret_case, "its change", "A key leaked",
    )  # fmt: skip
    with pytest.raises(BlobRefused, match="were withdrawn"):
        store_blob(HEAD[b"pay.py"][1])
    with pytest.raises(RoundRefused, match="bytes of this case were destroyed"):
        restore_case(case=secret_case, actor=people.lead)


def test_every_table_of_places_says_where_its_case_is() -> None:
    for model in AnchorFields.__subclasses__():
        assert model._default_manager.filter(**{f"{model.case_lookup}__public_id": "x"}).query


def test_a_case_of_a_patch_alone_loses_patch_upload_and_headings(people, project, client_of) -> None:
    batch = commit_import(
        batch=preview_import(project=project, source=Source("x.patch", PATCH), created_by=people.lead),
        actor=people.lead,
    )
    case = Case.objects.get()
    label(make_seat(case, people.reviewer_a), anchors=(replace(PLACE, path="x.py", first_line=2, last_line=2),))
    assert LabelAnchor.objects.get().quote.strip() == SECRET.decode()
    assert SECRET in bytes(CaseHunk.objects.get().section)
    plan = withdraw_bytes(case=case, paths=["x.py"], reason="A key leaked", actor=people.lead)
    assert (plan.uploads, plan.quotes, len(plan.blobs)) == (1, 1, 1)
    assert rows_with(SECRET) == []
    batch.refresh_from_db()
    assert batch.raw.withdrawn_at is not None
    page = client_of(people.lead).get(reverse("case_files", args=[project.slug, case.public_id])).content.decode()
    assert "The old content was withdrawn; only its digest is kept." in page
    assert not Assignment.objects.filter(state="active").exists()
    with pytest.raises(WithdrawalRefused, match="withdrawn already"):
        withdraw_bytes(case=case, paths=["x.py"], reason="Again", actor=people.lead)


def test_frozen_versions_verify_and_exports_leave_the_case_out(people, project, secret_case, tmp_path) -> None:
    other = factories.make_case(project)
    mark_complete(settle_case_with(other, [people.reviewer_a, people.reviewer_b]))
    version = freeze_version(project=project, actor=people.lead)
    before = manifest_bytes(version)
    withdraw_bytes(case=secret_case, paths=None, reason="No right to the code", actor=people.lead)
    assert manifest_bytes(version) == before
    (tmp_path / "manifest.json").write_bytes(before)
    asked = ["verify", str(tmp_path / "manifest.json"), "--digest", version.manifest_sha256]
    verified = subprocess.run(
        [sys.executable, "-m", "config.cli", *asked], capture_output=True, text=True, timeout=60, check=False
    )
    assert (verified.returncode, json.loads(verified.stdout)["ok"]) == (0, True)
    for name in (INPUTS, FIXTURES):
        export = make_export(version=version, choice=ExportChoice(name))
        assert ("left out: the bytes of its patch were withdrawn", secret_case.public_id) in {
            (loss.reason, loss.case_id) for loss in export.losses
        }
        assert not [path for path, data in export.files if secret_case.public_id in path or SECRET in data]
        assert [path for path, _ in export.files if other.public_id in path]
    later = freeze_version(project=project, actor=people.lead)
    [tombstone] = json.loads(bytes(later.manifest))["tombstones"]
    assert tombstone["case_id"] == secret_case.public_id
    assert tombstone["reason"] == "Bytes withdrawn: No right to the code"
    assert tombstone["patch_sha256"] == Blob.objects.get(pk=secret_case.patch_id).sha256


def test_the_receipt_of_a_version_says_that_bytes_of_a_case_are_gone(people, project, secret_case, client_of) -> None:
    factories.make_case(project)
    version = freeze_version(project=project, actor=people.lead, waivers={"clean_case": "None yet"})
    address = reverse("version_page", args=[project.slug, version.number])
    assert "withdrawn after the freeze" not in client_of(people.analyst).get(address).content.decode()
    withdraw_bytes(case=secret_case, paths=None, reason="No right to the code", actor=people.lead)
    page = client_of(people.analyst).get(address).content.decode()
    assert "The bytes of 1 of its cases were withdrawn after the freeze." in page
    assert "bytes as frozen" in page


def test_a_case_that_shares_a_file_loses_it_too_and_a_settled_snapshot_is_stale(people, project) -> None:
    changed, apart = case_with_secret(project), factories.make_case(project)
    tree = {**BASE, b"pay.py": HEAD[b"pay.py"]}
    snapshot = factories.make_case(project, base=tree, head={**tree, b"z.py": ("100644", b"z = 1\n")})
    settle_case_with(snapshot, [people.reviewer_a, people.reviewer_b])
    plan = withdraw_bytes(case=changed, paths=["pay.py"], reason="A key leaked", actor=people.lead)
    assert {(one.case, one.loses_change) for one in plan.touched} == {(changed, True), (snapshot, False)}
    states = {case.pk: case.state for case in Case.objects.all()}
    assert (states[changed.pk], states[snapshot.pk], states[apart.pk]) == ("withdrawn", "stale", "ready")
    assert Case.objects.get(pk=snapshot.pk).stale_reason == "Files of its snapshot were withdrawn."
    assert bytes(Blob.objects.get(pk=snapshot.patch_id).data) != b""
    # keys.env was not named.
    assert SECRET + b"\n" in [bytes(data) for data in Blob.objects.values_list("data", flat=True)]


def test_the_whole_case_leaves_what_other_cases_use(people, project) -> None:
    first = case_with_secret(project)
    second = factories.make_case(
        project, base=HEAD, head={**HEAD, b"new.py": ("100644", b"def new():\n    return 2\n")}
    )
    plan = withdraw_bytes(case=first, paths=None, reason="No right to the code", actor=people.lead)
    assert plan.losing == (first,)
    assert plan.kept == 4  # pay.py and new.py as the second case has them, keys.env, docs/a.md
    destroyed = {bytes(data) for data in Blob.objects.filter(withdrawn_at__isnull=False).values_list("data", flat=True)}
    assert destroyed == {b""}
    assert Case.objects.get(pk=second.pk).state == CaseState.READY
    for file in CaseFile.objects.filter(case=second).select_related("old_blob", "new_blob"):
        assert file.new_blob.withdrawn_at is None
    assert Blob.objects.get(pk=CaseFile.objects.get(case=first, new_path_text="pay.py").old_blob_id).withdrawn_at


def test_a_lead_destroys_nothing_that_cases_of_others_use(people, project, capsys) -> None:
    other = factories.make_project(lead=people.outsider, name="Other")
    theirs, ours = case_with_secret(other), case_with_secret(project)
    with pytest.raises(WithdrawalRefused, match="an administrator of this server can destroy them"):
        plan_withdrawal(case=ours, paths=["pay.py"], viewer=people.lead)
    with pytest.raises(WithdrawalRefused, match="Other cases use all of these bytes"):
        withdraw_bytes(case=ours, paths=None, reason="A key leaked", actor=people.lead)
    assert not Blob.objects.filter(withdrawn_at__isnull=False).exists()
    with pytest.raises(CommandError, match="Other cases use all"):
        call_command("withdraw_bytes", case=ours.public_id, path=["pay.py"], reason="A key leaked")
    asked = {"case": ours.public_id, "path": ["pay.py", "keys.env"], "reason": "A key leaked", "everywhere": True}
    call_command("withdraw_bytes", **asked, dry_run=True)
    assert not Blob.objects.filter(withdrawn_at__isnull=False).exists()
    said = io.StringIO()
    call_command("withdraw_bytes", **asked, stdout=said)
    assert f"{theirs.public_id} in {other.slug}: its change" in said.getvalue()
    assert rows_with(SECRET) == []
    assert set(Case.objects.values_list("state", flat=True)) == {CaseState.WITHDRAWN}


def test_a_case_on_which_the_lead_has_a_seat_is_out_of_reach(people, project) -> None:
    factories.make_member(project, people.lead, Role.REVIEWER)
    first = case_with_secret(project)
    second = factories.make_case(project, base=HEAD, head={**HEAD, b"q.py": ("100644", b"q = 1\n")})
    open_round(case=second, actor=people.lead, reviewers=[people.lead])
    plan = plan_withdrawal(case=first, paths=["pay.py", "new.py"], viewer=people.lead)
    assert plan.losing == (first,)
    assert plan.kept == 2
    assert not plan.blobs & {file.new_blob_id for file in CaseFile.objects.filter(case=first, new_path_text="new.py")}


@pytest.mark.parametrize(
    ("paths", "reason", "says"),
    [
        (["nowhere.py"], "x", 'The case has no file "nowhere.py"'),
        (["../etc/passwd"], "x", "The case has no file"),
        (["docs"], "x", 'The case has no file "docs"'),
        (["\\x"], "x", "The case has no file"),
        (["pay.py"], "  ", "Say why the bytes are withdrawn"),
        (["pay.py"], "x" * 201, "The reason has 201 characters; the limit is 200"),
        (["pay.py"] * 51, "x", "51 files are named"),
    ],
)
def test_what_cannot_be_withdrawn_is_refused_and_nothing_is_destroyed(people, project, paths, reason, says) -> None:
    case = case_with_secret(project)
    with pytest.raises(WithdrawalRefused) as refused:
        withdraw_bytes(case=case, paths=paths, reason=reason, actor=people.lead)
    assert says in str(refused.value)
    assert not Blob.objects.filter(withdrawn_at__isnull=False).exists()
    assert not AuditEntry.objects.filter(verb="bytes withdrawn").exists()
    assert Case.objects.get(pk=case.pk).state == CaseState.READY


def test_a_plan_that_changed_since_it_was_shown_is_shown_again(people, project) -> None:
    case = case_with_secret(project)
    seen = plan_withdrawal(case=case, paths=["pay.py"], viewer=people.lead).digest
    factories.make_case(project, base=HEAD, head={**HEAD, b"q.py": ("100644", b"q = 1\n")})
    with pytest.raises(WithdrawalChanged) as changed:
        withdraw_bytes(case=case, paths=["pay.py"], reason="A key leaked", actor=people.lead, seen=seen)
    assert len(changed.value.plan.touched) == 2
    assert not Blob.objects.filter(withdrawn_at__isnull=False).exists()


def test_an_import_that_waits_with_these_bytes_is_discarded(people, project) -> None:
    lines = json.dumps({"patch": PATCH.decode()}).encode() + b"\n"
    source = Source("x.jsonl", lines)
    commit_import(batch=preview_import(project=project, source=source, created_by=people.lead), actor=people.lead)
    waiting = preview_import(project=project, source=source, created_by=people.lead)
    assert waiting.state == ImportBatch.PREVIEWED
    withdraw_bytes(case=Case.objects.get(), paths=None, reason="A key leaked", actor=people.lead)
    waiting.refresh_from_db()
    assert waiting.state == ImportBatch.DISCARDED
    assert rows_with(SECRET) == []


def test_a_quote_may_be_emptied_and_never_be_rewritten(people, project, secret_case) -> None:
    quoted = GoldenAnchor.objects.exclude(quote="").order_by("pk")[0]
    for change in (
        {"quote": "forged"},
        {"quote": "", "path": "other.py"},
        {"first_line": 2},
        {"quote_sha256": "0" * 64},
    ):
        with pytest.raises(IntegrityError, match="only ever added"), transaction.atomic():
            GoldenAnchor.objects.filter(pk=quoted.pk).update(**change)
    GoldenAnchor.objects.filter(pk=quoted.pk).update(quote="")
    with pytest.raises(IntegrityError, match="only ever added"), transaction.atomic():
        GoldenAnchor.objects.filter(pk=quoted.pk).update(quote=quoted.quote)
    with pytest.raises(IntegrityError, match="only ever added"), transaction.atomic():
        GoldenAnchor.objects.filter(pk=quoted.pk).delete()
    assert immutability.missing_triggers(connection, immutability.registered()) == []


# --- Pages --------------------------------------------------------------------------------------------------------


def test_a_lead_sees_what_goes_says_why_and_the_pages_show_the_tombstone(
    people, project, secret_case, client_of
) -> None:
    lead = client_of(people.lead)
    address = reverse("bytes_withdraw", args=[project.slug, secret_case.public_id])
    case_page = reverse("case_page", args=[project.slug, secret_case.public_id])
    assert address in lead.get(case_page).content.decode()
    assert "new.py" in lead.get(address).content.decode()
    chosen = {"what": "files", "path": ["pay.py"], "more": "keys.env"}
    page = lead.get(address, chosen)
    text = page.content.decode()
    assert page.status_code == 200
    assert "withdrawn: no more labelling, no new version" in text
    assert SECRET.decode() not in text
    assert not Blob.objects.filter(withdrawn_at__isnull=False).exists()
    seen = page.context["plan"].digest
    without = lead.post(address, {**chosen, "seen": seen, "reason": " "})
    assert without.status_code == 422
    assert "Say why the bytes are withdrawn" in without.content.decode()
    unseen = lead.post(address, {**chosen, "reason": "A key leaked"})
    assert unseen.status_code == 409
    assert not Blob.objects.filter(withdrawn_at__isnull=False).exists()
    done = lead.post(address, {**chosen, "seen": seen, "reason": "A key leaked"}, follow=True)
    assert done.redirect_chain == [(case_page, 302)]
    text = done.content.decode()
    for words in ("contents destroyed", "Withdrawn: Bytes withdrawn: A key leaked", "bytes withdrawn</span>"):
        assert words in text
    files = lead.get(reverse("case_files", args=[project.slug, secret_case.public_id])).content.decode()
    assert "The new content was withdrawn; only its digest is kept." in files
    assert "def new():" in re.sub(r"<[^>]*>", "", files)
    assert SECRET.decode() not in files
    blob = reverse("case_blob", args=[project.slug, secret_case.public_id, "new"])
    assert "The content was withdrawn" in lead.get(blob, {"path": "keys.env"}).content.decode()
    assert "Nothing is left to destroy" in lead.get(address, chosen).content.decode()


@pytest.mark.parametrize(
    ("data", "says"),
    [
        ({"what": "files"}, "Choose at least one file, or the whole case."),
        ({"what": "everything"}, "is no answer to"),
        ({"what": "files", "more": "a\0b"}, "holds a NUL character"),
        ({"what": "files", "path": ["nowhere.py"]}, "The case has no file"),
    ],
)
def test_a_wrong_choice_is_answered_on_the_page(people, project, client_of, data, says) -> None:
    case = case_with_secret(project)
    address = reverse("bytes_withdraw", args=[project.slug, case.public_id])
    page = client_of(people.lead).post(address, data | {"reason": "x"})
    assert page.status_code == 422
    assert says in page.content.decode()


@pytest.mark.django_db(transaction=True)
def test_the_database_file_holds_the_secret_no_more(people: object, project: Project) -> None:
    if connection.vendor != "sqlite":
        pytest.skip("PostgreSQL gives freed space back by VACUUM")
    lead: User = project.created_by
    long = b"".join(b"%s %d\n" % (SECRET, number) for number in range(4000))
    case = factories.make_case(project, base={b"a.py": ("100644", b"a\n")}, head={b"a.py": ("100644", long)})
    name = str(connection.settings_dict["NAME"])

    def stored() -> bytes:
        return b"".join(Path(name + suffix).read_bytes() for suffix in ("", "-wal"))

    assert SECRET in stored()
    withdraw_bytes(case=case, paths=["a.py"], reason="A key leaked", actor=lead)
    assert SECRET not in stored()
