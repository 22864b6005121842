"""The command imports what the page imports, and prints both counts and every rejection with its place."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from corpus.domain.vocabulary import CaseState
from corpus.models import Blob, Case, ImportBatch
from corpus.services.scratch import patch_between
from tests import factories
from tests.corpus.test_imports import MARTIAN, PATCH, case_folder, git, repository, zip_of
from tests.factories import BASE_FILES, HEAD_FILES

__all__ = ["repository"]


def run(source: object, project, **options: object) -> str:
    output = io.StringIO()
    call_command("import_cases", str(source), project=project.slug, stdout=output, **options)
    return output.getvalue()


def test_a_patch_is_imported_once_however_often_the_command_runs(project, people, tmp_path) -> None:
    path = tmp_path / "change.patch"
    path.write_bytes(PATCH)
    assert run(path, project, email=people.lead.email) == "1 accepted, 0 rejected, 0 already there (patch)\n"
    case = Case.objects.get()
    assert case.imported_by == people.lead
    batches = ImportBatch.objects.count()
    assert run(path, project) == (
        "0 accepted, 0 rejected, 1 already there (patch)\n"
        f"duplicate change.patch: It is already case {case.public_id}.\n"
    )
    assert (Case.objects.count(), ImportBatch.objects.count()) == (1, batches)


def test_a_dry_run_stores_nothing(project, tmp_path) -> None:
    path = tmp_path / "change.patch"
    path.write_bytes(PATCH)
    assert run(path, project, dry_run=True) == "1 would be accepted, 0 rejected, 0 already there (patch)\n"
    assert not any(model.objects.exists() for model in (Case, ImportBatch, Blob))


def test_a_folder_on_this_machine_is_imported(project, tmp_path) -> None:
    for name, data in case_folder().items():
        path = tmp_path / "cases" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    assert run(tmp_path / "cases", project).startswith("1 accepted, 0 rejected")
    assert Case.objects.get().file_count == 2
    assert run(tmp_path / "cases", project).startswith("0 accepted, 0 rejected, 1 already there")


def test_a_folder_with_a_link_is_refused(project, tmp_path) -> None:
    (tmp_path / "cases" / "a").mkdir(parents=True)
    (tmp_path / "cases" / "a" / "base").symlink_to("/etc")
    with pytest.raises(CommandError, match="is a link"):
        run(tmp_path / "cases", project)
    assert not ImportBatch.objects.exists()


def test_a_repository_is_imported_by_base_and_head(project, repository: Path) -> None:
    assert "1 accepted" in run(repository, project, base="base", head="head", split="test", licence="MIT")
    case = Case.objects.get()
    assert (case.head_commit, case.split, case.licence) == (git(repository, "rev-parse", "head"), "test", "MIT")
    assert not (repository.parent / "ran").exists()
    assert "1 already there" in run(repository, project)


def test_rejections_are_printed_with_their_place(project, tmp_path) -> None:
    path = tmp_path / "cases.zip"
    path.write_bytes(zip_of({"a/x.patch": b"no", "b/x.patch": PATCH}))
    output = run(path, project).splitlines()
    assert output[0] == "1 accepted, 1 rejected, 0 already there (folder)"
    assert output[1].startswith("rejected a/: Line 1 of the patch: no file found")


def test_golden_comments_are_imported_and_one_is_completed(project, tmp_path) -> None:
    assert run(MARTIAN, project).startswith("50 accepted, 0 rejected")
    case = Case.objects.order_by("pk")[7]
    path = tmp_path / "change.patch"
    path.write_bytes(patch_between(BASE_FILES, HEAD_FILES))
    assert "completes case" in run(path, project, case=case.public_id).lower()
    case.refresh_from_db()
    assert (case.state, case.file_count, Case.objects.count()) == (CaseState.READY, 2, 50)
    with pytest.raises(CommandError, match="waits for its change"):
        run(path, project, case=case.public_id)


BAD_SOURCES = [
    ("empty.patch", b"", "is empty"),
    ("words.patch", b"no diff here\n", "no file found"),
    ("cut.patch", PATCH[:-5], "Line "),
    ("huge.patch", b"+" * 50 * 1024 * 1024, "limit is 32 MiB"),
    ("bomb.zip", zip_of({"a/b": b"\0" * 30_000_000}), "more than 150 times its size"),
    ("dots.zip", zip_of({"../b": b""}), r"\.\."),
    ("type.json", b'[{"case_id": 3, "findings": []}]', "must be a text that is not empty, but is 3"),
]


@pytest.mark.parametrize(("name", "data", "says"), BAD_SOURCES, ids=[name for name, _, _ in BAD_SOURCES])
def test_bad_input_is_answered_by_one_sentence(project, tmp_path, name: str, data: bytes, says: str) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(CommandError, match=says) as refusal:
        run(path, project)
    assert name in str(refusal.value)
    assert "\n" not in str(refusal.value)
    assert not any(model.objects.exists() for model in (Case, ImportBatch, Blob))


def test_an_unknown_severity_is_left_empty_and_printed(project, tmp_path) -> None:
    path = tmp_path / "expected.json"
    findings = [{"summary": "s", "severity": "blocker"}]
    path.write_text(json.dumps([{"case_id": "c", "findings": findings}]))
    assert 'the severity "blocker" is unknown and was left empty' in run(path, project)


def test_wrong_arguments_are_answered_by_one_sentence(project, people, tmp_path) -> None:
    path = tmp_path / "change.patch"
    path.write_bytes(PATCH)
    with pytest.raises(CommandError, match="is no lead of this project"):
        run(path, project, email=people.reviewer_a.email)
    with pytest.raises(CommandError, match="cannot be read: No such file"):
        run(tmp_path / "none.patch", project)
    with pytest.raises(CommandError, match="belong to a git repository"):
        run(path, project, base="x", format="patch")
    with pytest.raises(CommandError, match="There is no project"):
        call_command("import_cases", str(path), project="nowhere")
    assert factories.make_project(lead=people.lead).slug != project.slug
