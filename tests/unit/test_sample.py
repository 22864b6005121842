"""The sample cases: valid code, right places, defects that a check confirms, and no word that gives them away."""

from __future__ import annotations

import ast
import difflib
import io
import os
import re
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tokenize
from pathlib import Path

import pytest

from corpus import sample
from corpus.defaults import load_defaults
from corpus.domain.vocabulary import AnchorLevel, AnchorRole, GoldenState, Relation, Severity, Side, SourceKind, Split
from corpus.sample import SampleAnchor, SampleCase, SampleFinding, load_samples

pytestmark = pytest.mark.pure

CASES = load_samples()
by_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.key)


def in_language(name: str) -> list[SampleCase]:
    """The cases written in that language."""
    return [case for case in CASES if case.language == name]


with_python_tests = [case for case in CASES if any(re.match(r"tests/test_\w+\.py", path) for path in case.head)]
with_checks = [case for case in CASES if case.oracle_tests]

FOLDER = Path(sample.__file__).parent
LANGUAGES = {"Python", "JavaScript", "TypeScript", "Go", "Java", "SQL", "Shell"}
TELLING = re.compile(
    r"\b(bugs?|bugg\w+|vulnerab\w+|exploit\w*|insecure|unsafe|leak\w*|race conditions?|deadlock\w*|inject(ion|ed)|"
    r"traversal|toctou|idempoten\w+|n\+1|off[- ]by[- ]one|fixme|todo|xxx|hack|oracle|seeded|planted|mutant|defect\w*|"
    r"regression|cve\S*|broken|wrong|forgot\w*|golden)\b",
    re.IGNORECASE,
)
COMMENT_MARKS = ("//", "#", "--", "*", "/*", '"""')


def tree(case: SampleCase, side: Side) -> dict[str, bytes]:
    """The tree that a side's anchors point into."""
    return case.base if side is Side.OLD else case.head


def lines(content: bytes) -> list[str]:
    """The lines of a file, without their ends."""
    return content.decode("utf-8").splitlines()


def changed_paths(case: SampleCase) -> set[str]:
    """Paths that are added, removed or edited."""
    return {path for path in {*case.base, *case.head} if case.base.get(path) != case.head.get(path)}


def changed_lines(case: SampleCase) -> dict[tuple[str, Side], set[int]]:
    """Removed lines (old side) and added lines (new side) by file, as a line diff sees them."""
    found: dict[tuple[str, Side], set[int]] = {}
    for path in changed_paths(case):
        old, new = lines(case.base.get(path, b"")), lines(case.head.get(path, b""))
        matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
        removed, added = set(range(1, len(old) + 1)), set(range(1, len(new) + 1))
        for block in matcher.get_matching_blocks():
            removed -= set(range(block.a + 1, block.a + block.size + 1))
            added -= set(range(block.b + 1, block.b + block.size + 1))
        found[path, Side.OLD], found[path, Side.NEW] = removed, added
    return found


def size(case: SampleCase) -> int:
    """Number of added and removed lines."""
    return sum(len(numbers) for numbers in changed_lines(case).values())


def write(files: dict[str, bytes], target: Path) -> None:
    for path, content in files.items():
        (target / path).parent.mkdir(parents=True, exist_ok=True)
        (target / path).write_bytes(content)


def run_unittest(folder: Path, start: str) -> tuple[int, int, str]:
    """Number of tests run, number that failed, and the output of `unittest discover` in `folder`."""
    done = subprocess.run(
        [sys.executable, "-B", "-W", "error", "-m", "unittest", "discover", "-s", start, "-t", folder],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=60,
        env={"PATH": os.environ["PATH"], "PYTHONDONTWRITEBYTECODE": "1"},
    )
    ran = re.search(r"^Ran (\d+) tests?", done.stderr, re.MULTILINE)
    assert ran, done.stderr
    failed = sum(int(number) for number in re.findall(r"(?:failures|errors)=(\d+)", done.stderr))
    return int(ran[1]), failed, done.stderr


def check_anchor(case: SampleCase, anchor: SampleAnchor) -> None:
    """Fail unless the place exists and its quote is the text of its first line."""
    if anchor.level is AnchorLevel.REPOSITORY:
        assert (anchor.path, anchor.side, anchor.ranges, anchor.quote) == ("", None, (), "")
        return
    assert anchor.side is not None
    files = tree(case, anchor.side)
    assert anchor.path in files, anchor
    if anchor.level is AnchorLevel.FILE:
        assert (anchor.ranges, anchor.quote) == ((), "")
        return
    text = lines(files[anchor.path])
    assert anchor.ranges
    for first, last in anchor.ranges:
        assert 1 <= first <= last <= len(text), anchor
    ordered = [number for span in anchor.ranges for number in span]
    assert ordered == sorted(ordered), "ranges run downwards and do not overlap"
    assert anchor.quote == text[anchor.ranges[0][0] - 1], anchor
    assert anchor.quote.strip(), "the first quoted line is empty"


def check_statement(finding: SampleFinding) -> None:
    """Fail unless the finding fills every field of the label form with something of substance."""
    for name in ("title", "mechanism", "trigger", "evidence", "impact"):
        assert len(getattr(finding, name)) >= 20, name
    assert len(finding.explanation_elements) >= 2
    assert 2 <= len(finding.keywords) <= 5
    for keyword in finding.keywords:
        assert re.fullmatch(r"[a-z0-9_-]+", keyword), keyword
    primary = [anchor for anchor in finding.anchors if anchor.role is AnchorRole.PRIMARY]
    assert len(primary) == 1


@by_case
def test_a_case_says_where_it_comes_from(case: SampleCase) -> None:
    assert re.fullmatch(r"\d\d-[a-z]+(-[a-z]+)+", case.key)
    assert case.licence == "CC0-1.0"
    assert case.language in LANGUAGES
    assert case.tier in {"easy", "medium", "hard"}
    assert re.fullmatch(r"[a-z]+/[a-z-]+", case.repository)
    assert re.fullmatch(r"[a-z]+(-[a-z]+)+", case.family)
    assert case.commit_message.startswith(case.title)
    assert case.context_allowed == "repository"


@by_case
def test_a_case_is_a_change_of_a_complete_tree(case: SampleCase) -> None:
    assert case.base
    assert len(changed_paths(case)) >= 3
    assert len(case.head) >= 3
    assert 40 <= size(case) <= 2000
    for path, content in {**case.base, **case.head, **case.fixed, **case.oracle_tests}.items():
        assert b"\r" not in content, path
        assert not content or content.endswith(b"\n"), path
        assert max((len(line) for line in lines(content)), default=0) <= 125, path


@by_case
def test_anchors_point_at_the_quoted_lines(case: SampleCase) -> None:
    for finding in case.findings:
        for anchor in finding.anchors:
            check_anchor(case, anchor)


@by_case
def test_findings_are_complete_and_use_the_default_taxonomy(case: SampleCase) -> None:
    names_boundary = {category.key: category.names_boundary for category in load_defaults().categories}
    assert [finding.key for finding in case.findings] == [f"F{n + 1}" for n in range(len(case.findings))]
    for finding in case.findings:
        check_statement(finding)
        assert bool(finding.boundary) is names_boundary[finding.category]
        optional = finding.speculative or finding.relation in {Relation.PRE_EXISTING, Relation.UNRELATED}
        if optional or finding.severity is Severity.NOTE:
            assert finding.state is GoldenState.OPTIONAL


@by_case
def test_a_required_defect_touches_a_changed_line(case: SampleCase) -> None:
    changed = changed_lines(case)
    for finding in case.findings:
        places = [anchor for anchor in finding.anchors if anchor.role is not AnchorRole.SUPPORTING and anchor.side]
        touched = any(
            number in changed.get((anchor.path, anchor.side), ())
            for anchor in places
            if anchor.side
            for first, last in anchor.ranges
            for number in range(first, last + 1)
        )
        assert touched is (finding.relation is not Relation.PRE_EXISTING), finding.key


@by_case
def test_clean_cases_hold_no_finding_above_note_and_others_hold_one(case: SampleCase) -> None:
    serious = [finding for finding in case.findings if finding.severity is not Severity.NOTE]
    assert bool(serious) is (case.source_kind is not SourceKind.CLEAN)
    if serious:
        assert any(finding.state is GoldenState.REQUIRED for finding in serious)


@by_case
def test_nothing_a_reviewer_can_read_names_a_defect(case: SampleCase) -> None:
    shown = {f"base/{path}": content for path, content in case.base.items()}
    shown |= {f"head/{path}": content for path, content in case.head.items()}
    shown |= {"key": case.key.encode(), "title": case.title.encode(), "message": case.commit_message.encode()}
    shown |= {"repository": case.repository.encode()}
    for place, content in shown.items():
        for text in (place, *lines(content)):
            found = TELLING.search(text)
            assert not found, f"{place}: {text}"


@by_case
def test_no_comment_gathers_the_keywords_of_a_finding(case: SampleCase) -> None:
    for path, content in case.head.items():
        comments = [line.lower() for line in lines(content) if line.strip().startswith(COMMENT_MARKS)]
        for finding in case.findings:
            for comment in comments:
                words = set(re.findall(r"[a-z0-9_-]+", comment))
                assert len(words & set(finding.keywords)) < 3, f"{path}: {comment}"


@by_case
def test_the_oracle_is_in_neither_tree(case: SampleCase) -> None:
    for path in {*case.base, *case.head}:
        assert "oracle" not in path
        assert not path.startswith("fixed/")
    for path, content in case.fixed.items():
        assert content != case.head.get(path), f"fixed/{path} does not differ from head"


@by_case
def test_python_files_compile(case: SampleCase) -> None:
    for files in (case.base, case.head, case.fixed, case.oracle_tests):
        for path, content in files.items():
            if path.endswith(".py"):
                compile(content, path, "exec", dont_inherit=True)


@by_case
def test_scripts_are_accepted_by_their_interpreters(case: SampleCase, tmp_path: Path) -> None:
    trees = {"base": case.base, "head": case.head, "fixed": case.fixed}
    for name, files in trees.items():
        write(files, tmp_path / name)
        for path in files:
            if name == "head" and case.base.get(path) == files[path]:
                continue
            checker = {".js": ("node", "--check"), ".sh": ("bash", "-n")}.get(Path(path).suffix)
            if checker and shutil.which(checker[0]):
                done = subprocess.run([*checker, tmp_path / name / path], capture_output=True, text=True)
                assert done.returncode == 0, done.stderr


@by_case
def test_schemas_load_in_the_order_of_their_names(case: SampleCase) -> None:
    for files in (case.base, case.head, {**case.head, **case.fixed}):
        migrations = sorted(path for path in files if re.fullmatch(r"migrations/\d+_\w+\.sql", path))
        connection = sqlite3.connect(":memory:")
        for path in migrations:
            connection.executescript(files[path].decode("utf-8"))
        if migrations:
            for path in sorted(path for path in files if path.startswith("views/")):
                connection.executescript(files[path].decode("utf-8"))
            for path in sorted(path for path in files if path.startswith("queries/")):
                connection.execute("EXPLAIN " + files[path].decode("utf-8"), _parameters(files[path].decode("utf-8")))
        connection.close()


def _parameters(statement: str) -> dict[str, int]:
    return dict.fromkeys(re.findall(r":(\w+)", statement), 1)


@pytest.mark.skipif(not shutil.which("javac"), reason="no javac on this machine")
@pytest.mark.parametrize("case", in_language("Java"), ids=lambda case: case.key)
def test_java_sources_compile_without_a_warning(case: SampleCase, tmp_path: Path) -> None:
    for name, files in (("base", case.base), ("head", case.head)):
        sources = sorted(path for path in files if path.endswith(".java") and path.startswith("src/main/"))
        assert sources
        write(files, tmp_path / name)
        command = ["javac", "-Xlint:all", "-Werror", "-d", tmp_path / f"{name}-out", *sources]
        done = subprocess.run(command, cwd=tmp_path / name, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr


@pytest.mark.skipif(not shutil.which("node"), reason="no node on this machine")
@pytest.mark.parametrize("case", in_language("JavaScript"), ids=lambda case: case.key)
def test_javascript_cases_pass_their_own_tests(case: SampleCase, tmp_path: Path) -> None:
    for name, files in (("base", case.base), ("head", case.head)):
        write(files, tmp_path / name)
        done = subprocess.run(["node", "--test", "test/"], cwd=tmp_path / name, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout
        assert int(re.search(r"^# pass (\d+)", done.stdout, re.MULTILINE)[1]) >= 2


@pytest.mark.parametrize("case", with_python_tests, ids=lambda case: case.key)
def test_the_cases_own_tests_pass_before_and_after(case: SampleCase, tmp_path: Path) -> None:
    for name, files in (("base", case.base), ("head", case.head), ("fixed", {**case.head, **case.fixed})):
        write(files, tmp_path / name)
        ran, failed, output = run_unittest(tmp_path / name, "tests")
        assert ran >= 2, output
        assert failed == 0, output


def test_every_python_case_with_a_defect_has_a_check() -> None:
    needed = {case.key for case in CASES if case.language == "Python" and case.findings}
    assert needed
    assert needed <= {case.key for case in with_checks}


@pytest.mark.parametrize("case", with_checks, ids=lambda case: case.key)
def test_every_check_fails_on_the_defect_and_passes_on_the_fix(case: SampleCase, tmp_path: Path) -> None:
    required = [finding for finding in case.findings if finding.state is GoldenState.REQUIRED]
    for name, files in (("head", case.head), ("fixed", {**case.head, **case.fixed})):
        write(files, tmp_path / name)
        for path, content in case.oracle_tests.items():
            write({f"oracle_test/{path}": content}, tmp_path / name)
        (tmp_path / name / "oracle_test" / "__init__.py").touch()
    ran, failed, output = run_unittest(tmp_path / "head", "oracle_test")
    assert ran >= len(required)
    assert failed == ran, output
    fixed_ran, failed, output = run_unittest(tmp_path / "fixed", "oracle_test")
    assert fixed_ran == ran
    assert failed == 0, output


@by_case
def test_checks_need_only_the_standard_library(case: SampleCase) -> None:
    own = {path.split("/")[0].removesuffix(".py") for path in case.head}
    for files in (case.head, case.fixed, case.oracle_tests):
        for path, content in files.items():
            if not path.endswith(".py"):
                continue
            for node in ast.walk(ast.parse(content)):
                names = []
                if isinstance(node, ast.Import):
                    names = [alias.name for alias in node.names]
                elif isinstance(node, ast.ImportFrom) and node.level == 0:
                    names = [node.module or ""]
                for name in names:
                    root = name.split(".")[0]
                    assert root in sys.stdlib_module_names or root in own, f"{path}: {name}"


@by_case
def test_no_python_file_says_in_a_comment_what_to_look_at(case: SampleCase) -> None:
    for path, content in case.head.items():
        if path.endswith(".py"):
            tokens = tokenize.tokenize(io.BytesIO(content).readline)
            for token in (token for token in tokens if token.type == tokenize.COMMENT):
                assert not re.search(r"\b(should|must be checked|careful|attention|see review)\b", token.string), path


def test_there_are_enough_cases_of_every_kind() -> None:
    assert len(CASES) >= 16
    assert sum(case.source_kind is SourceKind.CLEAN for case in CASES) >= 4
    assert {case.source_kind for case in CASES} >= {SourceKind.CLEAN, SourceKind.SECURITY, SourceKind.SEEDED}
    assert {case.split for case in CASES} == set(Split)
    assert {case.tier for case in CASES} == {"easy", "medium", "hard"}
    assert {case.language for case in CASES} == LANGUAGES


def test_every_category_of_the_taxonomy_has_a_required_finding() -> None:
    required = {
        finding.category for case in CASES for finding in case.findings if finding.state is GoldenState.REQUIRED
    }
    assert required == {category.key for category in load_defaults().categories}


def test_every_severity_above_note_occurs() -> None:
    found = {finding.severity for case in CASES for finding in case.findings}
    assert found >= {Severity.CRITICAL, Severity.HIGH, Severity.MEDIUM, Severity.LOW}


def test_sizes_are_those_of_real_changes() -> None:
    sizes = [size(case) for case in CASES]
    assert statistics.median(sizes) >= 80
    assert statistics.median(len(changed_paths(case)) for case in CASES) >= 3
    assert sum(number > 800 for number in sizes) == 1


def test_difflib_and_git_agree_on_the_size(tmp_path: Path) -> None:
    for case in CASES:
        write(case.base, tmp_path / case.key / "base")
        write(case.head, tmp_path / case.key / "head")
        done = subprocess.run(
            ["git", "diff", "--no-index", "--numstat", "--no-renames", "base", "head"],
            cwd=tmp_path / case.key,
            capture_output=True,
            text=True,
            env={"PATH": os.environ["PATH"], "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"},
        )
        rows = [line.split("\t") for line in done.stdout.splitlines()]
        assert len(rows) == len(changed_paths(case))
        counted = sum(int(added) + int(removed) for added, removed, _ in rows)
        assert abs(counted - size(case)) <= max(4, counted // 10)


def test_one_case_holds_several_findings_and_one_a_finding_across_files() -> None:
    assert any(len([f for f in case.findings if f.state is GoldenState.REQUIRED]) >= 3 for case in CASES)
    across = [
        finding
        for case in CASES
        for finding in case.findings
        if len({anchor.path for anchor in finding.anchors if anchor.role is not AnchorRole.SUPPORTING}) >= 2
    ]
    assert len(across) >= 2


def test_deleted_guards_are_anchored_on_the_old_side_on_removed_lines() -> None:
    guards = [
        (case, anchor)
        for case in CASES
        for finding in case.findings
        for anchor in finding.anchors
        if anchor.role is AnchorRole.PRIMARY and anchor.side is Side.OLD
    ]
    assert len(guards) >= 2
    for case, anchor in guards:
        removed = changed_lines(case)[anchor.path, Side.OLD]
        assert all(first in removed for first, _ in anchor.ranges)


def test_pre_existing_and_speculative_findings_occur_and_are_optional() -> None:
    findings = [finding for case in CASES for finding in case.findings]
    assert any(finding.relation is Relation.PRE_EXISTING for finding in findings)
    assert any(finding.speculative for finding in findings)


def test_repositories_and_families_do_not_cross_splits() -> None:
    for name in ("family", "repository"):
        splits: dict[str, set[Split]] = {}
        for case in CASES:
            splits.setdefault(getattr(case, name), set()).add(case.split)
        assert all(len(found) == 1 for found in splits.values())


def test_titles_do_not_tell_clean_cases_from_others() -> None:
    assert len({case.title for case in CASES}) == len(CASES)
    for case in CASES:
        assert not re.search(r"\b(fix\w*|clean\w*|refactor\w*|correct\w*|safe\w*)\b", case.title, re.IGNORECASE)


def test_loading_ignores_what_an_installer_leaves_behind(tmp_path: Path) -> None:
    (tmp_path / "a" / "__pycache__").mkdir(parents=True)
    (tmp_path / "a" / "__pycache__" / "x.cpython-311.pyc").write_bytes(b"\0")
    (tmp_path / "a" / "x.py").write_bytes(b"pass\n")
    assert sample._tree(tmp_path) == {"a/x.py": b"pass\n"}


def test_case_folders_are_no_packages_and_are_not_collected() -> None:
    for case in CASES:
        folder = FOLDER / case.key
        assert not case.key.isidentifier()
        assert not list(folder.glob("*.py"))
        assert {entry.name for entry in folder.iterdir()} <= {"case.json", "base", "head", "fixed", "oracle_test"}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", FOLDER.parent],
        cwd=FOLDER.parents[1],
        capture_output=True,
        text=True,
    )
    assert "no tests collected" in done.stdout, done.stdout
