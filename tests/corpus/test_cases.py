"""A case holds its change exactly, once, and proved against its snapshots."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from corpus.domain.bytestext import unescape_text
from corpus.domain.diff import parse_patch
from corpus.domain.paths import PathRefused
from corpus.domain.vocabulary import CaseState, SourceKind, Split
from corpus.models import AuditEntry, Blob, Case, CaseFile, CaseHunk, CaseTag, Tree
from corpus.services.case_facts import FactsRefused
from corpus.services.cases import (
    CaseFacts,
    CaseRefused,
    PatchSource,
    TreesSource,
    attach_change,
    create_case_from_patch,
    create_case_from_trees,
)
from corpus.services.changes import ChangeRefused
from corpus.services.scratch import patch_between
from tests import factories
from tests.factories import BASE_FILES, HEAD_FILES

PAIRS = [
    path
    for path in sorted((Path(__file__).parent.parent / "data" / "diffs").glob("*.expected.json"))
    if '"format": "git"' in path.read_text() and '"head"' in path.read_text()
]
PATCH = b"--- a/x.py\n+++ b/x.py\n@@ -1 +1,2 @@\n one\n+two\n"


def nothing_is_stored() -> bool:
    return not any(model.objects.exists() for model in (Case, CaseFile, Blob, Tree))


def test_a_patch_becomes_a_ready_case_with_its_exact_bytes(project, people) -> None:
    facts = CaseFacts(source_kind=SourceKind.SECURITY, split=Split.TEST, title="T", tags=("b", "a", "b", " "))
    stored = create_case_from_patch(project=project, patch=PATCH, facts=facts, imported_by=people.lead)
    case = Case.objects.get(pk=stored.case.pk)
    assert stored.created
    assert bytes(case.patch.data) == PATCH
    assert (case.state, case.missing, case.language) == (CaseState.READY, "", "Python")
    assert (case.file_count, case.added_lines, case.removed_lines) == (1, 1, 0)
    assert (case.source_kind, case.split, case.base_tree, case.head_tree) == ("security", "test", None, None)
    assert sorted(case.tags.values_list("name", flat=True)) == ["a", "b"]
    assert AuditEntry.objects.filter(case=case, actor=people.lead, verb="case imported").count() == 1


def test_the_same_patch_twice_is_one_case(project, people) -> None:
    first = create_case_from_patch(project=project, patch=PATCH, facts=CaseFacts())
    second = create_case_from_patch(project=project, patch=PATCH, facts=CaseFacts(title="other"))
    assert (second.created, second.case.pk, Case.objects.count()) == (False, first.case.pk, 1)
    assert Case.objects.get().title == ""
    other = factories.make_project(lead=people.lead, name="Other")
    assert create_case_from_patch(project=other, patch=PATCH, facts=CaseFacts()).created


def test_each_file_points_to_its_section_of_the_patch(project) -> None:
    mail = b"From: A <a@example.org>\nSubject: s\n\ntext\n---\n x | 1 +\n\n" + patch_between(BASE_FILES, HEAD_FILES)
    case = create_case_from_patch(project=project, patch=mail, facts=CaseFacts()).case
    whole = parse_patch(mail)
    for file, entry in zip(case.files.order_by("position"), whole.files, strict=True):
        section = bytes(case.patch.data)[file.patch_offset : file.patch_offset + file.patch_length]
        assert section.startswith(b"diff --git ")
        alone = parse_patch(section).files
        assert [(one.path, one.hunks) for one in alone] == [(entry.path, entry.hunks)]


def test_a_case_of_trees_binds_files_to_blobs_and_hunks_to_lines(project) -> None:
    case = factories.make_case(project)
    retry, totals = case.files.order_by("position")
    assert (retry.new_path_text, totals.new_path_text) == ("pay/retry.py", "pay/totals.py")
    assert bytes(retry.old_blob.data) == BASE_FILES[b"pay/retry.py"][1]
    assert bytes(retry.new_blob.data) == HEAD_FILES[b"pay/retry.py"][1]
    hunk = CaseHunk.objects.get(case_file=totals)
    assert (hunk.old_start, hunk.old_count, hunk.new_start, hunk.new_count) == (3, 6, 3, 4)
    assert hunk.kinds == "   -- "
    assert (case.file_count, case.added_lines, case.removed_lines, case.language) == (2, 7, 4, "Python")


def test_the_same_trees_are_one_case_whoever_made_the_patch(project) -> None:
    first = create_case_from_trees(project=project, base=BASE_FILES, head=HEAD_FILES, facts=CaseFacts())
    patch = b"A word first.\n\n" + patch_between(BASE_FILES, HEAD_FILES)
    second = create_case_from_trees(project=project, base=BASE_FILES, head=HEAD_FILES, facts=CaseFacts(), patch=patch)
    assert (first.created, second.created, first.case.pk == second.case.pk) == (True, False, True)


@pytest.mark.parametrize("given", [True, False], ids=["patch-given", "patch-made"])
@pytest.mark.parametrize("expected", PAIRS, ids=lambda path: path.name.removesuffix(".expected.json"))
def test_reference_trees_are_stored_with_every_changed_file_intact(project, expected: Path, given: bool) -> None:
    wanted = json.loads(expected.read_text())
    trees = [
        {unescape_text(path): (entry["mode"], unescape_text(entry["data"])) for path, entry in wanted[side].items()}
        for side in ("base", "head")
    ]
    patch = expected.with_name(expected.name.replace(".expected.json", ".patch")).read_bytes() if given else b""
    case = create_case_from_trees(project=project, base=trees[0], head=trees[1], facts=CaseFacts(), patch=patch).case
    stored = {}
    for file in case.files.select_related("old_blob", "new_blob"):
        for side, path, blob in ((0, file.old_path, file.old_blob), (1, file.new_path, file.new_blob)):
            if path is not None:
                stored[side, bytes(path)] = bytes(blob.data) if blob else None
    for side in (0, 1):
        for path, entry in trees[side].items():
            if trees[1 - side].get(path) != entry and entry[0] != "160000":
                assert stored[side, path] == entry[1]


@pytest.mark.parametrize(
    ("patch", "says"),
    [
        (b"", "The patch is empty"),
        (b" \n\n", "The patch is empty"),
        (b"Dear all,\nno change here.\n", "no file found"),
        (b"--- a/x\n+++ b/x\n@@ -1,3 +1,4 @@\n one\n+two\n", "Line "),
        (b"@@ -1 +1 @@\n-a\n+b\n", "Line "),
    ],
)
def test_what_is_no_change_is_refused_in_one_sentence(project, patch: bytes, says: str) -> None:
    with pytest.raises(ChangeRefused, match=says) as refusal:
        create_case_from_patch(project=project, patch=patch, facts=CaseFacts())
    assert "\n" not in str(refusal.value)
    assert nothing_is_stored()


def test_a_patch_over_the_limit_is_refused_with_the_limit(project) -> None:
    with pytest.raises(ChangeRefused, match="has 52428800 bytes; the limit is 24 MiB"):
        create_case_from_patch(project=project, patch=b"+" * 50 * 1024 * 1024, facts=CaseFacts())
    assert nothing_is_stored()


def test_one_bad_file_refuses_the_whole_patch(project) -> None:
    good = b"diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n"
    bad = b"diff --git a/y b/y\n--- a/y\n+++ b/y\n@@ -1,9 +1,9 @@\n-a\n+b\n"
    with pytest.raises(ChangeRefused, match=r"Line \d+ of the patch, file 2"):
        create_case_from_patch(project=project, patch=good + bad, facts=CaseFacts())
    assert nothing_is_stored()


@pytest.mark.parametrize("path", [b"../../etc/passwd", b"/etc/passwd", b".git/hooks/post-checkout"])
def test_a_patch_that_leads_out_of_the_repository_is_refused(project, path: bytes) -> None:
    patch = b"--- a/%s\n+++ b/%s\n@@ -1 +1 @@\n-a\n+b\n" % (path, path)
    with pytest.raises(PathRefused, match="The path"):
        create_case_from_patch(project=project, patch=patch, facts=CaseFacts())
    assert nothing_is_stored()


def test_equal_trees_hold_no_change(project) -> None:
    with pytest.raises(ChangeRefused, match="Base and head are the same"):
        create_case_from_trees(project=project, base=BASE_FILES, head=BASE_FILES, facts=CaseFacts())
    assert nothing_is_stored()


def test_a_patch_of_other_trees_is_refused(project) -> None:
    patch = patch_between(BASE_FILES, HEAD_FILES)
    third = {**HEAD_FILES, b"more.txt": ("100644", b"x\n")}
    with pytest.raises(ChangeRefused, match=r'"more\.txt" differs between base and head but is not in the patch'):
        create_case_from_trees(project=project, base=BASE_FILES, head=third, facts=CaseFacts(), patch=patch)
    wrong = patch.replace(b"time.sleep(2**attempt)", b"time.sleep(3**attempt)")
    with pytest.raises(ChangeRefused, match="base with its lines applied is not head"):
        create_case_from_trees(project=project, base=BASE_FILES, head=HEAD_FILES, facts=CaseFacts(), patch=wrong)
    other = {**BASE_FILES, b"pay/totals.py": ("100644", b"nothing\n")}
    with pytest.raises(ChangeRefused, match=r"is not the one in hunk 1|does not fit"):
        create_case_from_trees(project=project, base=other, head=HEAD_FILES, facts=CaseFacts(), patch=patch)
    assert nothing_is_stored()


@pytest.mark.parametrize(
    ("facts", "says"),
    [
        (CaseFacts(family="f" * 81), '"family" has 81 characters; the limit is 80'),
        (CaseFacts(repository="a\0b"), r"control character U\+0000"),
        (CaseFacts(title="\ud800"), "surrogate"),
        (CaseFacts(tags=("t" * 61,)), "61 characters; the limit is 60"),
        (CaseFacts(tags=tuple(str(number) for number in range(31))), "31 tags; the limit is 30"),
        (CaseFacts(external_url="javascript:alert(1)"), "http:// or https://"),
    ],
)
def test_facts_that_no_column_can_hold_are_refused(project, facts: CaseFacts, says: str) -> None:
    with pytest.raises(FactsRefused, match=says):
        create_case_from_patch(project=project, patch=PATCH, facts=facts)
    assert nothing_is_stored()


def test_a_long_title_is_shortened_and_the_message_kept_whole(project) -> None:
    facts = CaseFacts(title="t" * 400, message="line\n" * 1000)
    case = create_case_from_patch(project=project, patch=PATCH, facts=facts).case
    assert (len(case.title), case.title[-1], len(case.message)) == (300, "…", 4999)


def test_the_author_is_recognised_by_address_and_may_not_label(project, people) -> None:
    from corpus.services.seats import may_label

    facts = CaseFacts(change_author="Somebody <ADA.Reviewer@example.org>")
    case = create_case_from_patch(project=project, patch=PATCH, facts=facts).case
    assert case.change_author_user == people.reviewer_a
    assert not may_label(user=people.reviewer_a, case=case)


def test_an_incomplete_case_waits_and_is_imported_once(project) -> None:
    case = factories.make_incomplete_case(project)
    assert case.state == CaseState.INCOMPLETE
    assert "change is missing" in case.missing
    assert factories.make_incomplete_case(project).pk == case.pk


def test_an_incomplete_case_becomes_ready_with_its_change(project, people) -> None:
    case = factories.make_incomplete_case(project)
    attach_change(case=case, source=TreesSource(BASE_FILES, HEAD_FILES), actor=people.lead)
    case.refresh_from_db()
    assert (case.state, case.missing, case.file_count, case.language) == (CaseState.READY, "", 2, "Python")
    assert case.files.count() == 2
    assert factories.make_incomplete_case(project).pk == case.pk, "the same reference is still the same case"
    again = create_case_from_trees(project=project, base=BASE_FILES, head=HEAD_FILES, facts=CaseFacts())
    assert (again.created, again.case.pk) == (False, case.pk)


def test_a_change_is_attached_once_and_only_where_it_is_missing(project, people) -> None:
    case = factories.make_incomplete_case(project)
    with pytest.raises(ChangeRefused):
        attach_change(case=case, source=PatchSource(b"nothing"), actor=people.lead)
    case.refresh_from_db()
    assert case.state == CaseState.INCOMPLETE
    attach_change(case=case, source=PatchSource(PATCH), actor=people.lead)
    with pytest.raises(CaseRefused, match="already has its change"):
        attach_change(case=case, source=TreesSource(BASE_FILES, HEAD_FILES), actor=people.lead)
    other = factories.make_incomplete_case(project, reference="https://example.org/pull/2")
    with pytest.raises(CaseRefused, match=f"already case {case.public_id}"):
        attach_change(case=other, source=PatchSource(PATCH), actor=people.lead)
    assert Case.objects.filter(state=CaseState.INCOMPLETE).get() == other
    assert CaseTag.objects.count() == 0
