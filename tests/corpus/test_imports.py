"""An import shows what it would do, does it once, and says of every record what became of it."""

from __future__ import annotations

import gzip
import io
import json
import subprocess
import tarfile
import zipfile
from pathlib import Path

import pytest

from corpus.domain.vocabulary import CaseState, Severity, SourceKind, Split
from corpus.importers.git import reference_of, source_of
from corpus.importers.records import ImportRefused, Source
from corpus.models import Blob, Case, Claim, ClaimAnchor, ImportBatch, ImportRecord, Job, Tree
from corpus.selectors.trees import list_tree
from corpus.services import import_records, imports, jobs
from corpus.services.case_facts import FactsRefused
from corpus.services.imports import (
    ImportStateRefused,
    Options,
    commit_import,
    discard_import,
    preview_import,
)
from corpus.services.scratch import patch_between
from tests import factories
from tests.factories import BASE_FILES, HEAD_FILES

MARTIAN = Path(__file__).parent.parent / "data" / "martian-golden.json"
PATCH = b"--- a/x.py\n+++ b/x.py\n@@ -1 +1,2 @@\n one\n+two\n"


def other_patch(number: int) -> bytes:
    return PATCH.replace(b"two", b"two %d" % number)


def lines_of(*records: object) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def preview(project, people, data: bytes, name: str = "changes.patch", **options) -> ImportBatch:
    return preview_import(
        project=project, source=Source(name, data), created_by=people.lead, options=Options(**options)
    )


def outcomes(batch: ImportBatch) -> list[tuple[str, str]]:
    return list(batch.records.order_by("position").values_list("place", "outcome"))


def counts(batch: ImportBatch) -> tuple[int, int, int]:
    batch.refresh_from_db()
    return batch.accepted, batch.rejected, batch.duplicates


# --- The way of an import ---------------------------------------------------------------------------------------------


def test_a_preview_stores_nothing_but_itself(project, people) -> None:
    trees = {"base": {"a.py": "x\n"}, "head": {"a.py": "y\n"}}
    batch = preview(project, people, lines_of({"patch": PATCH.decode()}, trees), "cases.jsonl")
    assert outcomes(batch) == [("line 1", "accepted"), ("line 2", "accepted")]
    assert (Case.objects.count(), Tree.objects.count(), Job.objects.count()) == (0, 0, 0)
    assert [blob.pk for blob in Blob.objects.all()] == [batch.raw_id]
    assert bytes(batch.raw.data) == lines_of({"patch": PATCH.decode()}, trees)


def test_a_commit_stores_what_the_preview_accepted_with_its_options(project, people) -> None:
    batch = preview(
        project,
        people,
        PATCH,
        source_kind=SourceKind.INCIDENT,
        split=Split.HOLDOUT,
        repository="pay",
        licence="MIT",
    )
    commit_import(batch=batch, actor=people.lead)
    case = Case.objects.get()
    assert (case.source_kind, case.split, case.repository, case.licence) == ("incident", "holdout", "pay", "MIT")
    assert case.imported_by == people.lead
    record = batch.records.get()
    assert (record.outcome, record.case, batch.state) == ("accepted", case, ImportBatch.COMMITTED)
    assert batch.committed_at is not None


def test_committing_twice_changes_nothing(project, people) -> None:
    batch = preview(project, people, PATCH)
    commit_import(batch=batch, actor=people.lead)
    first = ImportBatch.objects.values().get()
    commit_import(batch=batch, actor=people.lead)
    assert (Case.objects.count(), Job.objects.count()) == (1, 1)
    assert ImportBatch.objects.values().get() == first


def test_importing_twice_adds_nothing_and_names_the_case(project, people) -> None:
    commit_import(batch=preview(project, people, PATCH), actor=people.lead)
    again = preview(project, people, PATCH)
    assert counts(again) == (0, 0, 1)
    assert again.records.get().reason == f"It is already case {Case.objects.get().public_id}."
    with pytest.raises(ImportStateRefused, match="Nothing of this import can be accepted"):
        commit_import(batch=again, actor=people.lead)
    assert Case.objects.count() == 1


def test_a_change_twice_in_one_import_is_counted_once(project, people) -> None:
    batch = preview(project, people, lines_of({"patch": PATCH.decode()}, {"patch": PATCH.decode()}), "c.jsonl")
    assert counts(batch) == (1, 0, 1)
    commit_import(batch=batch, actor=people.lead)
    assert counts(batch) == (1, 0, 1)
    assert Case.objects.count() == 1


def test_what_came_between_preview_and_commit_is_a_duplicate(project, people) -> None:
    batch = preview(project, people, PATCH)
    case = factories.make_case(project, patch=PATCH)
    commit_import(batch=batch, actor=people.lead)
    assert counts(batch) == (0, 0, 1)
    assert batch.records.get().case == case


def test_a_discarded_import_cannot_be_committed_nor_a_committed_one_discarded(project, people) -> None:
    batch = preview(project, people, PATCH)
    discard_import(batch=batch, actor=people.lead)
    discard_import(batch=batch, actor=people.lead)
    with pytest.raises(ImportStateRefused, match="was discarded"):
        commit_import(batch=batch, actor=people.lead)
    assert not Case.objects.exists()
    other = preview(project, people, PATCH)
    commit_import(batch=other, actor=people.lead)
    with pytest.raises(ImportStateRefused, match="was committed"):
        discard_import(batch=other, actor=people.lead)


def test_good_and_bad_records_are_both_counted_with_place_and_reason(project, people) -> None:
    data = (
        lines_of({"patch": PATCH.decode()}, {"patch": 7}, {"title": "none"})
        + b'{"patch": \n'
        + lines_of({"patch": "no diff"}, {"pach": "x"}, ["list"])
    )
    batch = preview(project, people, data, "cases.jsonl")
    assert counts(batch) == (1, 6, 0)
    reasons = dict(batch.records.values_list("place", "reason"))
    assert '"patch" must be a text, but is 7' in reasons["line 2"]
    assert 'needs an "id"' in reasons["line 3"]
    assert "no JSON at line 1, column" in reasons["line 4"]
    assert "no file found" in reasons["line 5"]
    assert 'unknown field "pach"' in reasons["line 6"]
    assert "must be an object, not a list" in reasons["line 7"]
    commit_import(batch=batch, actor=people.lead)
    assert counts(batch) == (1, 6, 0)
    assert Case.objects.count() == 1


def test_a_killed_import_goes_on_where_it_stopped(project, people, monkeypatch) -> None:
    records = [{"patch": other_patch(number).decode()} for number in range(5)]
    batch = preview(project, people, lines_of(*records), "cases.jsonl")
    monkeypatch.setattr(imports, "AT_ONCE", 0)
    monkeypatch.setattr(imports, "LOT", 1)
    commit_import(batch=batch, actor=people.lead)
    assert (batch.state, Case.objects.count()) == (ImportBatch.COMMITTING, 0)
    real, calls = imports._commit_lot, []

    def dies_at_the_third(*arguments: object) -> None:
        calls.append(arguments[1])
        if len(calls) == 3:
            raise KeyboardInterrupt
        real(*arguments)

    monkeypatch.setattr(imports, "_commit_lot", dies_at_the_third)
    with pytest.raises(KeyboardInterrupt):
        jobs.run_next_job()
    assert Case.objects.count() == 2
    Job.objects.update(lease_until="2000-01-01T00:00Z")
    jobs.run_next_job()
    assert calls == [0, 1, 2, 2, 3, 4]
    assert Case.objects.count() == 5
    assert counts(batch) == (5, 0, 0)
    assert batch.state == ImportBatch.COMMITTED


def test_a_case_that_cannot_be_stored_whole_leaves_nothing_behind(project, people, monkeypatch) -> None:
    record = {"patch": PATCH.decode(), "findings": [{"summary": "s"}]}
    batch = preview(project, people, lines_of(record), "cases.jsonl")

    def refuses(**_: object) -> list[str]:
        raise FactsRefused("no claim can be stored")

    monkeypatch.setattr(import_records, "add_claims", refuses)
    commit_import(batch=batch, actor=people.lead)
    assert counts(batch) == (0, 1, 0)
    assert batch.records.get().reason == "No claim can be stored."
    assert not Case.objects.exists()


def test_many_patches_are_stored_in_few_queries_and_as_one_by_one(
    project, people, django_assert_max_num_queries
) -> None:
    records = [{"patch": other_patch(number).decode(), "tags": ["t"], "title": f"{number}"} for number in range(150)]
    batch = preview(project, people, lines_of(*records), "cases.jsonl")
    commit_import(batch=batch, actor=people.lead)
    with django_assert_max_num_queries(60):
        jobs.run_next_job()
    assert counts(batch) == (150, 0, 0)
    cases = Case.objects.filter(project=project).order_by("pk")
    assert [case.title for case in cases] == [str(number) for number in range(150)]
    alone = factories.make_case(factories.make_project(lead=people.lead, name="B"), patch=other_patch(7), title="7")
    together = cases.get(title="7")
    for column in ("identity_sha256", "patch_id", "language", "file_count", "added_lines", "removed_lines", "state"):
        assert getattr(together, column) == getattr(alone, column)
    one, other = together.files.get(), alone.files.get()
    assert (one.new_path_text, one.patch_offset, one.patch_length) == (
        other.new_path_text,
        other.patch_offset,
        other.patch_length,
    )
    assert one.hunks.get().kinds == other.hunks.get().kinds == " +"
    assert together.tags.get().name == "t"
    assert together.audit_entries.get().verb == "case imported"


# --- Patches and mails ------------------------------------------------------------------------------------------------

MAIL = b"""From 0123456789abcdef0123456789abcdef01234567 Mon Sep 17 00:00:00 2001
From: =?UTF-8?q?J=C3=BCrgen?= <j@example.org>
Date: Mon, 1 Jan 2024 00:00:00 +0000
Subject: [PATCH %d/2] Add a second
 line

It was missing.
---
 x.py | 1 +
 1 file changed, 1 insertion(+)

%s--
2.39.0

"""


def test_a_mailbox_gives_one_case_for_each_mail(project, people) -> None:
    cover = (
        b"From 0123456789abcdef0123456789abcdef01234567 Mon Sep 17 00:00:00 2001\nSubject: [PATCH 0/2] Cover\n\nx\n\n"
    )
    data = cover + b"".join(MAIL % (number, other_patch(number)) for number in (1, 2))
    batch = preview(project, people, data, "series.mbox")
    assert outcomes(batch) == [("mail 1", "rejected"), ("mail 2", "accepted"), ("mail 3", "accepted")]
    assert "cover letter" in batch.records.get(position=0).reason
    commit_import(batch=batch, actor=people.lead)
    first, second = Case.objects.order_by("pk")
    assert first.title == second.title == "Add a second line"
    assert first.message == "It was missing."
    assert first.change_author == "Jürgen <j@example.org>"
    assert first.head_commit == "0123456789abcdef0123456789abcdef01234567"
    assert bytes(first.patch.data) == MAIL % (1, other_patch(1))
    assert first.added_lines == 1


def test_a_mail_in_quoted_printable_is_decoded_and_says_so(project, people) -> None:
    body = PATCH.replace(b"two", b"two =3D \xc3\xbc".replace(b"\xc3\xbc", b"=C3=BC"))
    mail = b"From: a@example.org\nSubject: s\nContent-Transfer-Encoding: quoted-printable\n\nwords\n---\n" + body
    batch = preview(project, people, mail)
    assert "decoded from its mail" in batch.records.get().reason
    commit_import(batch=batch, actor=people.lead)
    assert "+two = ü\n".encode() in bytes(Case.objects.get().patch.data)


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "is empty"),
        (b"\n \n", "is empty"),
        (b"Just words.\n", "no file found"),
        (PATCH[:-5], "Line "),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "no file found"),
        (b"--- a/../../x\n+++ b/../../x\n@@ -1 +1 @@\n-a\n+b\n", "\\.\\."),
        (b"+" * 50 * 1024 * 1024, "limit is 24 MiB"),
    ],
    ids=["empty", "blank", "words", "truncated", "picture", "dots", "50-mb"],
)
def test_a_source_without_a_change_is_refused_in_one_sentence(project, people, data: bytes, says: str) -> None:
    with pytest.raises(ImportRefused, match=says) as refusal:
        preview(project, people, data)
    assert "changes.patch" in str(refusal.value)
    assert "\n" not in str(refusal.value)
    assert not ImportBatch.objects.exists()
    assert not Blob.objects.exists()


# --- Archives and folders ---------------------------------------------------------------------------------------------


def zip_of(files: dict[str, bytes], compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", compression) as archive:
        for name, data in files.items():
            archive.writestr(zipfile.ZipInfo(name), data, compression)
    return stream.getvalue()


def tar_of(entries: list[tuple[tarfile.TarInfo, bytes]], mode: str = "w") -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode=mode) as archive:
        for entry, data in entries:
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    return stream.getvalue()


def case_folder(prefix: str = "") -> dict[str, bytes]:
    files = {f"{prefix}retry/base/{path.decode()}": data for path, (_, data) in BASE_FILES.items()} | {
        f"{prefix}retry/head/{path.decode()}": data for path, (_, data) in HEAD_FILES.items()
    }
    files[f"{prefix}retry/case.json"] = json.dumps({"source_kind": "seeded", "family": "f", "tags": ["t"]}).encode()
    files[f"{prefix}retry/findings.json"] = json.dumps(
        [
            {
                "file": "pay/retry.py",
                "line": 12,
                "severity": "HIGH",
                "summary": "charges twice",
                "category": "concurrency",
            },
            {"file": "pay/retry.py", "line": 99, "severity": "grave", "summary": "far away", "category": "nonsense"},
            {"file": "pay/none.py", "line": 1, "summary": "nowhere"},
        ]
    ).encode()
    return files


@pytest.mark.parametrize("pack", ["zip", "tar", "tar.gz", "tar.bz2", "tar.xz", "outer"])
def test_a_folder_of_cases_is_read_from_every_archive(project, people, pack: str) -> None:
    files = case_folder("export/" if pack == "outer" else "")
    if pack in ("zip", "outer"):
        data = zip_of(files)
    else:
        mode = "w" if pack == "tar" else f"w:{pack.removeprefix('tar.')}"
        data = tar_of([(tarfile.TarInfo(f"./{name}"), content) for name, content in files.items()], mode)
    batch = preview(project, people, data, f"cases.{pack}")
    assert outcomes(batch) == [("retry/", "accepted")]
    commit_import(batch=batch, actor=people.lead)
    case = Case.objects.get()
    assert (case.title, case.source_kind, case.family, case.file_count) == ("retry", "seeded", "f", 2)
    assert {file.path for file in list_tree(case.head_tree)} == set(HEAD_FILES)


def test_findings_of_a_folder_become_claims_at_their_places(project, people) -> None:
    batch = preview(project, people, zip_of(case_folder()), "cases.zip")
    reason = batch.records.get().reason
    assert 'finding 2: the severity "grave" is unknown and was left empty' in reason.lower()
    assert "has 20 lines on the new side; there is no line 99. Its location is the file" in reason
    assert "has no file pay/none.py on the new side. It needs a location" in reason
    assert 'the category "nonsense" is not in the taxonomy' in reason
    commit_import(batch=batch, actor=people.lead)
    first, second, third = Claim.objects.order_by("position")
    assert (first.origin, first.severity, first.category_key) == ("imported_golden", "high", "concurrency")
    place = first.anchors.get()
    assert (place.path, place.side, place.first_line, place.last_line) == ("pay/retry.py", "new", 12, 12)
    assert place.quote == "            return gateway.charge(order.total)\n"
    assert place.blob_sha256 == first.case.files.get(new_path_text="pay/retry.py").new_blob.sha256
    assert (second.severity, second.anchors.get().level, second.anchors.get().first_line) == ("", "file", None)
    assert not third.anchors.exists()
    assert json.loads(second.raw)["severity"] == "grave"


def test_fixtures_with_bugs_become_cases_with_claims(project, people) -> None:
    patch = patch_between(BASE_FILES, HEAD_FILES)
    data = zip_of(
        {
            "fixtures/01-retry/diff.patch": patch,
            "fixtures/01-retry/bugs.json": b'[{"file": "pay/retry.py", "line": 13, "issue": "charges twice"}]',
            "fixtures/02-clean/diff.patch": other_patch(2),
            "fixtures/02-clean/bugs.json": b"[]",
            "fixtures/03-wrong/diff.patch": other_patch(3),
            "fixtures/03-wrong/bugs.json": b'[{"file": "x.py", "line": "13", "issue": "i"}]',
        }
    )
    batch = preview(project, people, data, "fixtures.zip")
    assert [outcome for _, outcome in outcomes(batch)] == ["accepted", "accepted", "rejected"]
    assert '"line" must be a line number from 1 on, but is a text' in batch.records.get(position=2).reason
    commit_import(batch=batch, actor=people.lead)
    claim = Claim.objects.get()
    assert (claim.case.title, claim.statement, claim.severity) == ("01-retry", "charges twice", "")
    assert claim.anchors.get().quote == "        except TimeoutError:\n"


def link(name: str, kind: bytes, target: str = "") -> tarfile.TarInfo:
    entry = tarfile.TarInfo(name)
    entry.type, entry.linkname = kind, target
    return entry


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (zip_of({"a/../../x": b"x"}), r'leads out of the repository by "\.\."'),
        (zip_of({"/etc/x": b"x"}), "is absolute"),
        (zip_of({"a/case.json": b"{}", "a/b": b"\0" * 30_000_000}), "more than 150 times its size"),
        (tar_of([(tarfile.TarInfo("a/b"), b"\0" * 30_000_000)], "w:gz"), "more than 150 times its size"),
        (tar_of([(link("a/b", tarfile.SYMTYPE, "/etc/passwd"), b"")]), "is a symbolic link"),
        (tar_of([(link("a/b", tarfile.LNKTYPE, "a/c"), b"")]), "is a hard link"),
        (tar_of([(link("a/b", tarfile.CHRTYPE), b"")]), "is a device"),
        (tar_of([(tarfile.TarInfo("../x"), b"x")]), r'by "\.\."'),
        (zip_of({"a/case.json": b"{}"})[:-30], "damaged zip"),
        (gzip.compress(b"no tar" * 100), "damaged tar"),
        (gzip.compress(b"x" * 5000)[:-20], "damaged"),
        (zip_of({}), "holds no file"),
    ],
    ids=[
        "dots",
        "absolute",
        "zip-bomb",
        "tar-bomb",
        "symlink",
        "hardlink",
        "device",
        "tar-dots",
        "cut-zip",
        "no-tar",
        "cut-gzip",
        "none",
    ],
)
def test_a_hostile_archive_is_refused_before_it_is_unpacked(project, people, data: bytes, says: str) -> None:
    with pytest.raises(ImportRefused, match=says):
        preview(project, people, data, "cases.bin")
    assert not ImportBatch.objects.exists()
    assert not Blob.objects.exists()


def test_an_archive_with_too_many_entries_is_refused(project, people, monkeypatch) -> None:
    monkeypatch.setattr("corpus.importers.archives.MAX_ENTRIES", 3)
    data = zip_of({f"a/{number}": b"" for number in range(5)})
    with pytest.raises(ImportRefused, match="more than 3 entries, which is the limit"):
        preview(project, people, data, "cases.zip")


def test_two_patches_in_one_folder_are_rejected_beside_the_good_folder(project, people) -> None:
    data = zip_of({"a/1.patch": PATCH, "a/2.patch": PATCH, "b/1.diff": PATCH, "loose.txt": b"?", "README.md": b""})
    batch = preview(project, people, data, "cases.zip")
    assert outcomes(batch) == [("loose.txt", "rejected"), ("a/", "rejected"), ("b/", "accepted")]
    assert "2 patches (1.patch, 2.patch)" in batch.records.get(place="a/").reason


# --- JSON -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"[]", "known shape"),
        (b"[1]", "known shape"),
        (b'[{"case_id": 1, "findings": []}', r"no JSON at line 1, column"),
        (b'[{"case_id": "a", "findings": NaN}]', "NaN"),
        (b"[" * 100_000, "nested deeper than 40 levels"),
        (b'[{"case_id": "a", "findings": "none"}]', '"findings" must be a list, but is a text'),
        (b'[{"case_id": 5, "findings": []}]', '"case_id" must be a text that is not empty, but is 5'),
        (b'[{"case_id": "\\ud800", "findings": []}]', "surrogate"),
        (b'[{"case_id": "a\xff", "findings": []}]', "not UTF-8 at byte"),
        (b'[{"case_id": "a", "findings": [{"summary": "s", "line": 1%s}]}]' % (b"0" * 5000), "number"),
    ],
)
def test_json_that_cannot_be_used_is_refused_with_its_place(project, people, data: bytes, says: str) -> None:
    with pytest.raises(ImportRefused, match=says):
        preview(project, people, data, "golden.json")
    assert not ImportBatch.objects.exists()


def test_golden_comments_become_50_waiting_cases_with_137_claims(project, people) -> None:
    batch = preview(project, people, MARTIAN.read_bytes(), "martian-golden.json")
    assert batch.format == "martian"
    assert counts(batch) == (50, 0, 0)
    commit_import(batch=batch, actor=people.lead)
    while jobs.run_next_job():
        pass
    assert counts(batch) == (50, 0, 0)
    cases = Case.objects.filter(state=CaseState.INCOMPLETE)
    assert (cases.count(), Case.objects.count(), Claim.objects.count()) == (50, 50, 137)
    assert all("attach the patch of https://github.com/" in case.missing for case in cases)
    assert {case.repository for case in cases if "calcom" in case.external_url} == {"calcom/cal.com"}
    wanted = [comment["severity"].lower() for entry in json.loads(MARTIAN.read_text()) for comment in entry["comments"]]
    assert sorted(Claim.objects.values_list("severity", flat=True)) == sorted(wanted)
    assert set(Claim.objects.values_list("origin", flat=True)) == {"imported_golden"}
    again = preview(project, people, MARTIAN.read_bytes(), "martian-golden.json")
    assert counts(again) == (0, 0, 50)


def test_an_unknown_severity_stays_empty_and_is_listed(project, people) -> None:
    data = json.dumps(
        [{"url": "https://e.org/o/r/pull/1", "pr_title": "T", "comments": [{"comment": "c", "severity": "Blocker"}]}]
    ).encode()
    batch = preview(project, people, data, "golden.json")
    assert batch.records.get().reason == 'Comment 1: the severity "Blocker" is unknown and was left empty.'
    commit_import(batch=batch, actor=people.lead)
    assert Claim.objects.get().severity == ""


def test_defects_by_keywords_wait_for_change_and_location(project, people) -> None:
    defects = [{"id": "d1", "keywords": ["Null", "null pointer"]}]
    data = json.dumps([{"pr_id": "pr-1", "defects": defects}, {"pr_id": "pr-1", "defects": []}]).encode()
    batch = preview(project, people, data, "dataset.json")
    assert (batch.format, counts(batch)) == ("dataset", (1, 1, 0))
    assert "stands in an earlier record" in batch.records.get(position=1).reason
    assert "need a location" in batch.records.get(position=0).reason
    commit_import(batch=batch, actor=people.lead)
    claim = Claim.objects.get()
    assert (claim.keywords, claim.title, claim.severity) == ("null pointer", "d1", "")


def test_expected_findings_find_their_place_when_the_change_comes_under_the_same_name(project, people) -> None:
    golden = [
        {
            "case_id": "retry",
            "findings": [
                {
                    "id": "G-1",
                    "file": "pay/retry.py",
                    "line": 12,
                    "category": "concurrency",
                    "severity": "high",
                    "summary": "s",
                }
            ],
        }
    ]
    commit_import(batch=preview(project, people, json.dumps(golden).encode(), "expected.json"), actor=people.lead)
    case = Case.objects.get()
    assert (case.state, ClaimAnchor.objects.get().quote) == (CaseState.INCOMPLETE, "")
    files = {name: data for name, data in case_folder().items() if "findings" not in name}
    batch = preview(project, people, zip_of(files), "cases.zip")
    assert f"Completes case {case.public_id}" in batch.records.get().reason
    assert Case.objects.get().state == CaseState.INCOMPLETE
    commit_import(batch=batch, actor=people.lead)
    case.refresh_from_db()
    assert (Case.objects.count(), case.state, case.file_count) == (1, CaseState.READY, 2)
    assert ClaimAnchor.objects.get().quote == "            return gateway.charge(order.total)\n"


def test_an_import_for_a_case_completes_that_case(project, people) -> None:
    case = factories.make_incomplete_case(project)
    two = lines_of({"patch": PATCH.decode()}, {"patch": other_patch(1).decode()})
    with pytest.raises(ImportRefused, match="more than one case"):
        preview(project, people, two, "c.jsonl", for_case=case)
    with pytest.raises(ImportRefused, match="holds no change"):
        preview(project, people, lines_of({"id": "x"}), "c.jsonl", for_case=case)
    commit_import(batch=preview(project, people, PATCH, for_case=case), actor=people.lead)
    case.refresh_from_db()
    assert (case.state, Case.objects.count()) == (CaseState.READY, 1)
    with pytest.raises(ImportRefused, match="already has its change"):
        preview(project, people, other_patch(1), for_case=case)


def test_a_claim_on_a_patch_alone_may_name_only_lines_that_it_shows(project, people) -> None:
    record = {
        "patch": PATCH.decode(),
        "findings": [
            {"summary": "shown", "file": "x.py", "line": 2},
            {"summary": "not shown", "file": "x.py", "line": 3},
        ],
    }
    batch = preview(project, people, lines_of(record), "c.jsonl")
    assert "Line 3 of x.py is not shown on the new side" in batch.records.get().reason
    commit_import(batch=batch, actor=people.lead)
    shown, hidden = Claim.objects.order_by("position")
    assert (shown.anchors.get().quote, shown.anchors.get().blob_sha256) == ("two\n", "")
    assert hidden.anchors.get().level == "file"


def test_every_severity_word_is_read_in_any_case_of_letters(project, people) -> None:
    findings = [{"summary": "s", "severity": severity.value.title()} for severity in Severity]
    batch = preview(project, people, lines_of({"id": "x", "findings": findings}), "c.jsonl")
    commit_import(batch=batch, actor=people.lead)
    assert list(Claim.objects.order_by("position").values_list("severity", flat=True)) == list(Severity)


# --- Repositories -----------------------------------------------------------------------------------------------------


def git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", "-c", "user.name=Ada", "-c", "user.email=ada.reviewer@example.org", *arguments],
        cwd=folder,
        check=True,
        capture_output=True,
        text=True,
        env={
            "PATH": "/usr/bin:/bin",
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": "/dev/null",
            "HOME": str(folder),
        },
    )
    return done.stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository of two commits whose hooks, filters and configuration would leave a mark if they ran."""
    folder = tmp_path / "payments"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    for name, files in (("base", BASE_FILES), ("head", HEAD_FILES)):
        for path, (_, data) in files.items():
            full = folder / path.decode()
            full.parent.mkdir(exist_ok=True)
            full.write_bytes(data)
        (folder / "picture.bin").write_bytes(b"\0\1" + name.encode())
        (folder / "latin.txt").write_bytes(b"caf\xe9 " + name.encode() + b"\r\n")
        git(folder, "add", "-A")
        git(folder, "commit", "-q", "-m", f"State {name}\n\nWith words.")
        git(folder, "tag", name)
    mark = tmp_path / "ran"
    for hook in ("post-checkout", "reference-transaction", "pre-auto-gc", "post-index-change"):
        path = folder / ".git" / "hooks" / hook
        path.write_text(f"#!/bin/sh\ntouch {mark}\n")
        path.chmod(0o755)
    (folder / ".git" / "info" / "attributes").write_text("* filter=evil diff=evil\n")
    with (folder / ".git" / "config").open("a") as config:
        config.write(
            f'[diff "evil"]\n\ttextconv = touch {mark};cat\n\tcommand = touch {mark}\n'
            f'[filter "evil"]\n\tsmudge = touch {mark}\n[core]\n\tfsmonitor = touch {mark}\n\tpager = touch {mark}\n'
        )
    return folder


def preview_git(project, people, repository: Path, base: str = "", head: str = "head", **options) -> ImportBatch:
    source = source_of(reference_of(repository=str(repository), base=base, head=head))
    return preview_import(
        project=project, source=source, created_by=people.lead, format_name="git", options=Options(**options)
    )


def test_a_repository_is_imported_by_base_and_head_with_every_file_intact(project, people, repository) -> None:
    batch = preview_git(project, people, repository, "base", "main")
    assert batch.records.get().reason == "4 files, 8 lines added, 5 removed"
    assert not Case.objects.exists()
    commit_import(batch=batch, actor=people.lead)
    jobs.run_next_job()
    case = Case.objects.get()
    assert (case.title, case.message, case.repository) == (
        "State head",
        "State head\n\nWith words.\n".strip(),
        "payments",
    )
    assert case.change_author_user == people.reviewer_a
    assert case.head_commit == git(repository, "rev-parse", "head")
    assert case.base_commit == git(repository, "rev-parse", "base")
    for tree, tag in ((case.base_tree, "base"), (case.head_tree, "head")):
        listed = {file.path: bytes(Blob.objects.get(pk=file.blob_id).data) for file in list_tree(tree)}
        assert listed == {
            **{path: data for path, (_, data) in (BASE_FILES if tag == "base" else HEAD_FILES).items()},
            b"picture.bin": b"\0\1" + tag.encode(),
            b"latin.txt": b"caf\xe9 " + tag.encode() + b"\r\n",
        }
    assert case.files.get(new_path_text="picture.bin").is_binary
    assert not (repository.parent / "ran").exists()
    assert counts(batch) == (1, 0, 0)


def test_the_same_commits_again_are_the_same_case_and_a_moved_branch_changes_nothing(
    project, people, repository
) -> None:
    batch = preview_git(project, people, repository, "base", "main")
    git(repository, "branch", "-f", "main2", "base")
    (repository / "README.md").write_text("later\n")
    git(repository, "commit", "-qam", "Later")
    commit_import(batch=batch, actor=people.lead)
    jobs.run_next_job()
    assert Case.objects.get().head_commit == git(repository, "rev-parse", "head")
    again = preview_git(project, people, repository, "", "head")
    assert counts(again) == (0, 0, 1)


def test_a_root_commit_is_compared_with_nothing(project, people, repository) -> None:
    commit_import(batch=preview_git(project, people, repository, "", "base"), actor=people.lead)
    jobs.run_next_job()
    case = Case.objects.get()
    assert case.file_count == len(BASE_FILES) + 2
    assert list_tree(case.base_tree) == []


def test_a_repository_completes_a_waiting_case(project, people, repository) -> None:
    case = factories.make_incomplete_case(project)
    commit_import(batch=preview_git(project, people, repository, "base", "head", for_case=case), actor=people.lead)
    jobs.run_next_job()
    case.refresh_from_db()
    assert (case.state, case.file_count, case.title) == (CaseState.READY, 4, "Imported without its change")


@pytest.mark.parametrize(
    ("base", "head", "says"),
    [
        ("base", "", "needs a head"),
        ("base", "nowhere", "No commit is named"),
        ("head", "head", "are both commit"),
        ("--upload-pack=x", "head", "not the name of one commit"),
    ],
)
def test_a_revision_that_means_no_change_is_refused(project, people, repository, base, head, says) -> None:
    with pytest.raises(ImportRefused, match=says):
        preview_git(project, people, repository, base, head)


def test_a_folder_that_is_no_repository_is_refused(project, people, tmp_path) -> None:
    with pytest.raises(ImportRefused, match="is no git repository"):
        preview_git(project, people, tmp_path)


def test_a_repository_that_went_away_fails_the_job_with_a_sentence(project, people, repository) -> None:
    batch = preview_git(project, people, repository)
    repository.rename(repository.with_name("moved"))
    commit_import(batch=batch, actor=people.lead)
    job = jobs.run_next_job()
    assert job is not None
    assert (job.state, "cannot be read" in job.message) == ("failed", True)
    assert not Case.objects.exists()
    repository.with_name("moved").rename(repository)
    commit_import(batch=batch, actor=people.lead)
    jobs.run_next_job()
    assert (Case.objects.count(), counts(batch)) == (1, (1, 0, 0))


def test_records_say_what_they_became_only_in_their_own_batch(project, people) -> None:
    first = preview(project, people, PATCH)
    second = preview(project, people, PATCH)
    commit_import(batch=first, actor=people.lead)
    commit_import(batch=second, actor=people.lead)
    assert ImportRecord.objects.get(batch=first).outcome == "accepted"
    assert ImportRecord.objects.get(batch=second).outcome == "duplicate"
