"""What leaves a version comes from stored bytes, is checked, recorded, and tells no more than its format says."""

from __future__ import annotations

import hashlib
import io
import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection, transaction
from django.urls import reverse

from config.cli import main
from corpus import immutability
from corpus.domain.manifest import parse_manifest
from corpus.domain.public_manifest import inspect_public_manifest
from corpus.domain.signatures import public_key_of
from corpus.domain.vocabulary import Channel, ExposureKind, Split
from corpus.models import AuditEntry, Blob, Case, CorpusVersion, Exposure, GoldenFinding, VersionCase, VersionSignature
from corpus.services.exports import INPUTS, LABELS, MANIFEST, ExportChoice, ExportTooLarge, make_export, pack
from corpus.services.versions import freeze_version
from labeling.services.rounds import open_round
from tests.factories import BASE_FILES, head_of, make_case, make_member, make_user
from tests.labeling_factories import CHARGES_TWICE, LOST_GUARD, mark_complete, settle_case_with


@pytest.fixture
def version(people, project) -> CorpusVersion:
    """Two cases with findings, one of them on hold, and a clean one."""
    pair = [people.reviewer_a, people.reviewer_b]
    for options, labels in (
        ({"split": Split.TEST}, [CHARGES_TWICE]),
        ({"split": Split.HOLDOUT, "title": "Secret title", "message": "Secret message"}, [CHARGES_TWICE, LOST_GUARD]),
        ({"is_private": False, "licence": "MIT"}, []),
    ):
        mark_complete(settle_case_with(make_case(project, **options), pair, labels=labels))
    return freeze_version(project=project, actor=people.lead)


def run(name: str, project, **options: object) -> str:
    output = io.StringIO()
    call_command(name, project=project.slug, stdout=output, **options)
    return output.getvalue()


def export_to(folder: Path, project, format_name: str, **options: object) -> str:
    return run("export", project, number="1.0.0", format_name=format_name, out=str(folder), **options)


def files_below(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def touchstone(*arguments: str) -> tuple[int, dict]:
    done = subprocess.run(
        [sys.executable, "-m", "config.cli", *arguments], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.stdout, done.stderr
    return done.returncode, json.loads(done.stdout)


# --- The export command -------------------------------------------------------------------------------------------


def test_an_exported_manifest_is_the_stored_bytes_and_verifies_offline(project, version, tmp_path) -> None:
    said = export_to(tmp_path / "out", project, "manifest")
    data = (tmp_path / "out" / "manifest.json").read_bytes()
    assert data == bytes(version.manifest)
    assert f"{version.manifest_sha256}  manifest.json" in said
    status, answer = touchstone("verify", str(tmp_path / "out" / "manifest.json"), "--digest", version.manifest_sha256)
    assert (status, answer["ok"], answer["version"], answer["cases"]) == (0, True, "1.0.0", 3)


def test_findings_are_scored_offline_against_an_exported_manifest(project, version, tmp_path) -> None:
    export_to(tmp_path / "out", project, "manifest")
    cases = list(VersionCase.objects.select_related("case").order_by("case__public_id"))
    findings = tmp_path / "findings.jsonl"
    records: list[dict] = [{"case_id": held.case.public_id, "state": "reviewed"} for held in cases]
    records += [
        {
            "case_id": held.case.public_id,
            "id": f"f-{number}",
            "path": "pay/retry.py",
            "side": "new",
            "start": 12,
            "end": 12,
            "category": "concurrency",
            "severity": "high",
            "text": "It is charged again.",
        }
        for number, held in enumerate(cases)
    ]
    findings.write_text("".join(json.dumps(record) + "\n" for record in records))
    status, card = touchstone("score", str(tmp_path / "out" / "manifest.json"), str(findings))
    assert status == 0
    text = json.dumps(card)
    assert '"recall"' in text
    recall = _figure(card, "recall")
    assert (recall["numerator"], recall["denominator"]) == (2, 3)
    clean = _figure(card, "clean_comment_rate")
    assert (clean["numerator"], clean["denominator"]) == (1, 1)


def _figure(value: object, name: str) -> dict:
    """Find a figure in the scorecard by its name, wherever it stands."""
    if isinstance(value, dict):
        found = value.get(name)
        if isinstance(found, dict) and "numerator" in found:
            return found
        if value.get("name") == name and "numerator" in value:
            return value
        children = list(value.values())
    else:
        children = list(value) if isinstance(value, list) else []
    for child in children:
        inner = _figure(child, name)
        if inner:
            return inner
    return {}


@pytest.mark.parametrize("format_name", [name for name in LABELS if name != MANIFEST])
def test_every_file_of_an_export_has_the_hash_that_its_listing_says(project, version, tmp_path, format_name) -> None:
    said = export_to(tmp_path / "out", project, format_name)
    files = files_below(tmp_path / "out")
    listing = json.loads(files.pop("MANIFEST.json"))
    assert listing["manifest_sha256"] == version.manifest_sha256
    assert {entry["path"]: entry["sha256"] for entry in listing["files"]} == {
        path: hashlib.sha256(data).hexdigest() for path, data in files.items()
    }
    assert files
    for path, data in files.items():
        assert f"{hashlib.sha256(data).hexdigest()}  {path}" in said
    losses = [line for line in said.splitlines() if line.startswith("loss")]
    assert len(losses) == len(listing["losses"])
    assert said.splitlines()[-1] == f"{len(files) + 1} files written and checked, {len(losses)} losses"


def test_the_holdout_leaves_only_when_it_is_named(project, version, tmp_path) -> None:
    held_out = version.cases.get(split=Split.HOLDOUT).case.public_id
    export_to(tmp_path / "public", project, "expected")
    export_to(tmp_path / "all", project, "fixtures", split=["holdout", "test", "dev"])
    assert held_out not in (tmp_path / "public" / "expected.json").read_text()
    assert [path for path in files_below(tmp_path / "all") if held_out in path] == []
    export_to(tmp_path / "dataset", project, "dataset", split=["holdout"])
    assert [entry["pr_id"] for entry in json.loads((tmp_path / "dataset" / "dataset.json").read_text())] == [held_out]
    export_to(tmp_path / "open", project, "inputs", public_only=True)
    assert len(json.loads((tmp_path / "open" / "cases.json").read_text())) == 1


def test_what_a_format_cannot_say_is_listed_as_a_loss(project, version, tmp_path) -> None:
    said = export_to(tmp_path / "out", project, "expected", split=["holdout"])
    case = version.cases.get(split=Split.HOLDOUT).case.public_id
    guard = GoldenFinding.objects.get(revisions__title=LOST_GUARD.title).public_id
    assert f"loss {case} {guard}: has no line on the new side that the format could name" in said
    assert json.loads((tmp_path / "out" / "expected.json").read_text()) == []


def test_the_inputs_bundle_holds_the_change_and_both_trees_and_nothing_of_the_oracle(
    project, version, tmp_path, people
) -> None:
    export_to(tmp_path / "out", project, "inputs", split=["dev", "test", "holdout"])
    files = files_below(tmp_path / "out")
    for held in version.cases.select_related("case__patch"):
        folder = f"cases/{held.case.public_id}"
        assert files[f"{folder}/diff.patch"] == bytes(held.case.patch.data)
        for path in ("pay/retry.py", "pay/totals.py"):
            assert files[f"{folder}/base/{path}"] == BASE_FILES[path.encode()][1]
            assert files[f"{folder}/head/{path}"] == head_of(Split(held.split))[path.encode()][1]
    everything = b"\n".join([*files.values(), *(path.encode() for path in files)])
    hidden = [CHARGES_TWICE.title, CHARGES_TWICE.trigger, CHARGES_TWICE.impact, LOST_GUARD.title, LOST_GUARD.evidence]
    hidden += ["Secret title", "Secret message", "holdout", "required", people.reviewer_a.name, "concurrency"]
    hidden += list(GoldenFinding.objects.values_list("public_id", flat=True))
    assert [word for word in hidden if word.encode() in everything] == []


def test_an_export_goes_into_a_new_or_empty_folder_and_is_written_whole_or_not_at_all(
    project, version, tmp_path, monkeypatch
) -> None:
    used = tmp_path / "used"
    used.mkdir()
    (used / "mine.txt").write_text("keep")
    with pytest.raises(CommandError, match="is not empty"):
        export_to(used, project, "manifest")
    assert files_below(used) == {"mine.txt": b"keep"}
    with pytest.raises(CommandError, match="is no folder"):
        export_to(used / "mine.txt", project, "manifest")
    (tmp_path / "empty").mkdir()
    export_to(tmp_path / "empty", project, "manifest")
    assert list(files_below(tmp_path / "empty")) == ["manifest.json"]

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(CommandError, match="No space left on device"):
        export_to(tmp_path / "new", project, "inputs")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["empty", "used"]


def test_a_file_that_is_not_stored_as_written_is_noticed(project, version, tmp_path, monkeypatch) -> None:
    real = Path.read_bytes
    monkeypatch.setattr(Path, "read_bytes", lambda self: real(self)[:-1])
    with pytest.raises(CommandError, match=r"manifest\.json was not stored as it was written"):
        export_to(tmp_path / "out", project, "manifest")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"number": "9.9.9"}, r"no version '9\.9\.9'; it has 1\.0\.0"),
        ({"email": "ada.reviewer@example.org"}, "is no lead or analyst"),
        ({"split": ["dev"]}, "A manifest leaves whole"),
    ],
)
def test_an_export_that_cannot_be_is_refused_with_one_sentence(project, version, tmp_path, options, said) -> None:
    given = {"number": "1.0.0", "format_name": "manifest", "out": str(tmp_path / "out"), **options}
    with pytest.raises(CommandError, match=said):
        run("export", project, **given)
    assert not (tmp_path / "out").exists()


def test_changed_stored_bytes_do_not_leave(project, version, tmp_path) -> None:
    immutability.remove(connection, immutability.GUARDS)
    CorpusVersion.objects.filter(pk=version.pk).update(manifest=bytes(version.manifest).replace(b"dev", b"vde", 1))
    immutability.restore(connection, immutability.GUARDS)
    for format_name in LABELS:
        with pytest.raises(CommandError, match="are not those that were frozen"):
            export_to(tmp_path / "out", project, format_name)
    assert not (tmp_path / "out").exists()


def test_taking_an_export_is_an_exposure_and_an_audit_entry(project, version, people, tmp_path) -> None:
    def seen(kind: ExposureKind) -> set[str]:
        rows = Exposure.objects.filter(user=people.analyst, kind=kind, channel=Channel.COMMAND)
        return set(rows.values_list("case__public_id", flat=True))

    every = set(version.cases.values_list("case__public_id", flat=True))
    public = every - {version.cases.get(split=Split.HOLDOUT).case.public_id}
    export_to(tmp_path / "1", project, "inputs", email=people.analyst.email)
    assert (seen(ExposureKind.HIDDEN_FIELDS), seen(ExposureKind.GOLDEN_FINDING)) == (public, set())
    export_to(tmp_path / "2", project, "expected", email=people.analyst.email)
    assert seen(ExposureKind.GOLDEN_FINDING) == public
    export_to(tmp_path / "3", project, "manifest", email=people.analyst.email)
    assert seen(ExposureKind.GOLDEN_FINDING) == every
    entries = AuditEntry.objects.filter(verb="version exported", actor=people.analyst).order_by("pk")
    assert [entry.after.split(",")[0] for entry in entries] == [
        "1.0.0 as inputs of dev",
        "1.0.0 as expected of dev",
        "1.0.0 as manifest",
    ]


def test_nothing_leaves_to_somebody_with_an_open_seat_on_one_of_the_cases(project, version, people, tmp_path) -> None:
    analyst = make_user("Al Analyst")
    make_member(project, analyst, "analyst")
    make_member(project, analyst, "reviewer")
    case = version.cases.first().case
    type(case).objects.filter(pk=case.pk).update(state="stale")
    open_round(case=case, actor=people.lead, reviewers=[analyst, people.reviewer_c])
    with pytest.raises(CommandError, match="open seat"):
        export_to(tmp_path / "out", project, "manifest", email=analyst.email)


def test_withdrawn_bytes_are_left_out_and_listed(project, version, tmp_path) -> None:
    from corpus import clock

    gone = version.cases.get(split=Split.TEST).case
    Blob.objects.filter(pk=gone.patch_id).update(data=b"", withdrawn_at=clock.now())
    said = export_to(tmp_path / "out", project, "inputs")
    assert f"loss {gone.public_id}: left out: the bytes of its patch were withdrawn" in said


def test_a_zip_has_the_same_bytes_every_time_and_is_limited(version) -> None:
    choice = ExportChoice(format=INPUTS)
    first, second = (pack(make_export(version=version, choice=choice), "payments-1.0.0") for _ in range(2))
    data = first.file.read()
    assert (first.size, first.sha256) == (len(data), hashlib.sha256(data).hexdigest())
    assert second.file.read() == data
    with pytest.raises(ExportTooLarge, match="larger than 1000 bytes"):
        make_export(version=version, choice=ExportChoice(format=INPUTS, limit=1000))


def test_a_content_that_several_cases_use_is_held_once(version) -> None:
    """A thousand cases of one repository share most files; each copy would count a thousand times."""
    export = make_export(version=version, choice=ExportChoice(format=INPUTS, splits=frozenset(Split)))
    shared = [data for path, data in export.files if path.endswith("pay/totals.py") and "/base/" in path]
    assert len(shared) == 3
    assert len({id(data) for data in shared}) == 1


# --- The freeze command -------------------------------------------------------------------------------------------


def test_the_freeze_command_prints_number_digest_gates_and_counts(project, people) -> None:
    settle_case_with(make_case(project), [people.reviewer_a, people.reviewer_b], labels=[CHARGES_TWICE])
    with pytest.raises(CommandError, match="A gate has not passed: at least one case is clean"):
        run("freeze", project)
    assert "FAILED" in run("freeze", project, dry_run=True)
    assert not CorpusVersion.objects.exists()
    said = run("freeze", project, waive=["clean_case=Comes next month"], email=people.lead.email, note="First")
    version = CorpusVersion.objects.get()
    assert said.splitlines() == [
        "cases 1 (1 defects)",
        "splits 1 dev",
        "findings 1 (1 required)",
        "required by severity: 1 high",
        "required by category: 1 concurrency",
        "gate settled: passed (1 of 1 case)",
        "gate complete: passed (every case is complete)",
        "gate anchors: passed (1 place checked against the stored bytes)",
        "gate read_by_all: passed (every changed file)",
        "gate distinct_places: passed (no two on one line)",
        "gate clean_case: waived (no case is clean, so false alarms cannot be measured)",
        "gate coverage: passed (the policy asks for nothing)",
        "gate unresolved: passed (0 of 1 case, allowed are 20 %)",
        "gate one_split: passed (none is spread)",
        "gate near_duplicates: passed (0 near-duplicate pairs, none across splits)",
        "gate oracle_leaks: passed (none found in the lines of the changes)",
        "gate secrets: passed (none found in the lines of the changes)",
        "gate licence: passed (0 public, 1 private)",
        "frozen 1.0.0",
        f"sha256 {version.manifest_sha256}",
    ]
    assert (version.note, version.frozen_by) == ("First", people.lead)
    again = run("freeze", project, waive=["clean_case=Comes next month"])
    assert again.splitlines()[-2:] == ["nothing changed since 1.0.0, which stands", f"sha256 {version.manifest_sha256}"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"number": "3.0.0"}, r"3\.0\.0 was asked for"),
        ({"waive": ["clean_case"]}, "has no reason"),
        ({"without": ["nosuch"]}, "Case NOSUCH is not among"),
        ({"email": "ann.analyst@example.org"}, "is no lead"),
    ],
)
def test_a_freeze_that_cannot_be_is_refused_with_one_sentence(project, people, options, said) -> None:
    settle_case_with(make_case(project), [people.reviewer_a, people.reviewer_b])
    with pytest.raises(CommandError, match=said):
        run("freeze", project, **options)
    assert not CorpusVersion.objects.exists()


def test_the_number_can_be_given_as_an_option_of_the_console_script(project, people, tmp_path) -> None:
    from corpus.management.commands import export, freeze

    parser = freeze.Command().create_parser("touchstone", "freeze")
    assert parser.parse_args(["--project", "p", "--version", "1.2.3"]).number == "1.2.3"
    parser = export.Command().create_parser("touchstone", "export")
    options = parser.parse_args(["--project", "p", "--version", "1.2.3", "--format", "inputs", "--out", "x"])
    assert (options.number, options.format_name) == ("1.2.3", "inputs")


# --- Signature and public form --------------------------------------------------------------------------------------


def test_a_version_is_signed_at_the_freeze_and_verified_with_what_the_page_offers(
    people, project, settings, client_of, tmp_path, capsys
) -> None:
    settings.SIGNING_KEY = "11" * 32
    pair = [people.reviewer_a, people.reviewer_b]
    mark_complete(settle_case_with(make_case(project), pair))
    signed = freeze_version(project=project, actor=people.lead)
    client = client_of(people.analyst)
    address = reverse("version_signature", args=[project.slug, "1.0.0"])
    (tmp_path / "m.sig").write_bytes(client.get(address).content)
    (tmp_path / "m.json").write_bytes(bytes(signed.manifest))
    key = public_key_of("11" * 32)
    assert key in client.get(reverse("version_page", args=[project.slug, "1.0.0"])).content.decode()
    arguments = ["verify", str(tmp_path / "m.json"), "--signature", str(tmp_path / "m.sig"), "--key", key]
    assert main(arguments) == 0
    with pytest.raises(DatabaseError), transaction.atomic():
        VersionSignature.objects.update(signature="00" * 64)


def test_without_a_key_nothing_is_signed(version, project, people, client_of) -> None:
    assert not VersionSignature.objects.exists()
    address = reverse("version_signature", args=[project.slug, "1.0.0"])
    assert client_of(people.lead).get(address).status_code == 404


def test_the_public_form_leaves_the_same_each_time_and_counts_as_seen_of_what_it_holds(
    version, project, people, client_of
) -> None:
    client = client_of(people.analyst)
    address = reverse("version_export", args=[project.slug, "1.0.0", "public-manifest"])
    first = client.get(address + "?split=holdout")
    packed = first.getvalue()
    assert packed == client.get(address).getvalue()
    [name] = [name for name in zipfile.ZipFile(io.BytesIO(packed)).namelist() if name.endswith("/public-manifest.json")]
    data = zipfile.ZipFile(io.BytesIO(packed)).read(name)
    public, problems = inspect_public_manifest(
        data, whole=(parse_manifest(bytes(version.manifest)), version.manifest_sha256)
    )
    assert problems == []
    assert public is not None
    shown = {case.case_id for case in public.cases}
    assert shown == {case.public_id for case in Case.objects.filter(is_private=False)}
    seen = Exposure.objects.filter(user=people.analyst).values_list("case__public_id", flat=True)
    assert set(seen) == shown
