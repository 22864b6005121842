"""Where in a case a named place lies: what is found, what is unresolved and why, and that nothing is guessed."""

from __future__ import annotations

from typing import Any

import pytest

from corpus.domain.places import Anchor, FilePair, Geometry, HunkRange, closeness
from corpus.domain.vocabulary import Side
from reviews.domain.anchoring import CaseFiles, FilePatch, SideLines, line_at_position, resolve
from reviews.domain.formats.records import ClaimedPlace, ReadSettings, Statement

HEAD, OTHER = "a" * 40, "b" * 40
# `@@ -10,4 +10,5 @@` with lines ` a`,`-b`,`+B`,`+C`,` d`,` e`.
HUNK = (10, 10, " -++  ")
FILES = (
    FilePatch("src/pay.py", "src/pay.py", (HUNK, (40, 41, " + "))),
    FilePatch("src/old_name.py", "src/new_name.py"),
    FilePatch(None, "src/added.py"),
    FilePatch("src/gone.py", None),
    FilePatch("a/real.py", "a/real.py"),
    FilePatch(".github/x.yml", ".github/x.yml"),
    FilePatch("lib/util.py", "lib/util.py"),
)
TREE = {"docs/README.md", "lib/util.py", "other/util.py", "src/pay.py"}
CASE = CaseFiles(
    FILES,
    head_commit=HEAD,
    tree_has=lambda path, side: path in TREE,
    tree_paths=lambda side: TREE,
    lines=lambda path, side: SideLines(reason="it is binary") if path.endswith(".png") else SideLines(count=50),
)


def found(*places: ClaimedPlace, settings: ReadSettings | None = None, case: CaseFiles = CASE, **more: Any) -> Any:
    return resolve(Statement("x", places=places, **more), case, settings or ReadSettings())


def at(path: str, *ranges: tuple[int, int], side: Side = Side.NEW, commit: str = "") -> ClaimedPlace:
    return ClaimedPlace(path, side, ranges, commit)


@pytest.mark.parametrize(
    ("named", "side", "path"),
    [
        ("src/pay.py", Side.NEW, "src/pay.py"),
        ("./src/pay.py", Side.NEW, "src/pay.py"),
        ("src\\pay.py", Side.NEW, "src/pay.py"),
        # A leading ./ is a prefix and no set of characters.
        (".github/x.yml", Side.NEW, ".github/x.yml"),
        ("./.github/x.yml", Side.NEW, ".github/x.yml"),
        # b/ is taken off only where what is left is a file and the whole is none.
        ("b/src/pay.py", Side.NEW, "src/pay.py"),
        ("a/src/pay.py", Side.OLD, "src/pay.py"),
        ("a/real.py", Side.NEW, "a/real.py"),
        # A renamed file has its old name on the old side, whichever name the source uses.
        ("src/old_name.py", Side.OLD, "src/old_name.py"),
        ("src/new_name.py", Side.OLD, "src/old_name.py"),
        ("src/old_name.py", Side.NEW, "src/new_name.py"),
        # A file of the snapshot that the change leaves alone.
        ("docs/README.md", Side.NEW, "docs/README.md"),
        # The end of an absolute path, where it is one file's whole path.
        ("/home/ci/build/src/pay.py", Side.NEW, "src/pay.py"),
        ("C:\\work\\repo\\docs\\README.md", Side.NEW, "docs/README.md"),
    ],
)
def test_a_path_is_found(named: str, side: Side, path: str) -> None:
    resolution = found(at(named, (12, 12), side=side))
    assert resolution.state == "resolved", resolution.note
    assert [(place.path, place.side, place.ranges) for place in resolution.places] == [(path, side, ((12, 12),))]


@pytest.mark.parametrize(
    ("named", "side", "note"),
    [
        ("src/none.py", Side.NEW, 'The case has no file "src/none.py" on the new side.'),
        ("SRC/pay.py", Side.NEW, 'The case has no file "SRC/pay.py" on the new side.'),
        ("pay.py", Side.NEW, 'The case has no file "pay.py" on the new side.'),
        ("../src/pay.py", Side.NEW, 'The path "../src/pay.py" leads out of the repository by "..".'),
        ("src/\u2400pay.py", Side.NEW, 'The case has no file "src/\u2400pay.py" on the new side.'),
        ("/dev/null", Side.NEW, "It names /dev/null, which is no file."),
        ("src/added.py", Side.OLD, 'The file "src/added.py" exists on the new side only.'),
        ("src/gone.py", Side.NEW, 'The file "src/gone.py" exists on the old side only.'),
        ("/x/util.py", Side.NEW, 'The case has no file "/x/util.py" on the new side.'),
    ],
)
def test_a_path_that_is_none_stays_unresolved(named: str, side: Side, note: str) -> None:
    resolution = found(at(named, (12, 12), side=side))
    assert (resolution.state, resolution.places, resolution.note) == ("unresolved", (), note)


def test_an_absolute_path_that_fits_two_files_is_not_guessed() -> None:
    case = CaseFiles((FilePatch("util.py", "util.py"), FilePatch("lib/util.py", "lib/util.py")))
    resolution = found(at("/ci/lib/util.py", (1, 1)), case=case)
    assert (resolution.state, resolution.note) == (
        "unresolved",
        'The absolute path "/ci/lib/util.py" may be any of lib/util.py, util.py.',
    )


def test_a_prefix_of_the_source_is_taken_off() -> None:
    settings = ReadSettings(path_prefix="checkout/repo/")
    assert found(at("checkout/repo/src/pay.py", (1, 1)), settings=settings).places[0].path == "src/pay.py"
    assert found(at("src/pay.py", (1, 1)), settings=settings).places[0].path == "src/pay.py"


def test_levels_of_file_and_change() -> None:
    assert [place.level for place in found(at("src/pay.py")).places] == ["file"]
    assert [place.level for place in found(ClaimedPlace()).places] == ["repository"]
    gone = found(at("src/gone.py"))
    assert (gone.places[0].side, gone.note) == (Side.OLD, "The file exists on the old side only.")


def test_without_room_for_a_place_the_text_speaks_alone() -> None:
    resolution = resolve(Statement("x", places=None), CASE, ReadSettings())
    assert (resolution.state, resolution.places) == ("unplaced", ())


def test_lines_beyond_the_file_inverted_zero_and_negative() -> None:
    beyond = found(at("src/pay.py", (49, 51)))
    assert (beyond.state, beyond.note) == (
        "unresolved",
        "src/pay.py has 50 lines on the new side; there is no line 51.",
    )
    inverted = found(at("src/pay.py", (14, 12)))
    assert inverted.places[0].ranges == ((12, 14),)
    assert inverted.note == "The range 14-12 was inverted and is read as 12-14."
    for line in (0, -3):
        none = found(at("src/pay.py", (line, line)))
        assert (none.places[0].level, none.note) == ("file", f"Line {line} is none; the place is the file.")
    assert found(at("src/pay.py", (1, 2**40))).state == "unresolved"
    assert found(at("pic.png", (1, 1)), case=CaseFiles((FilePatch(None, "pic.png"),), lines=CASE.lines)).note == (
        "pic.png, new side: it is binary."
    )


def test_a_source_that_counts_from_zero() -> None:
    settings = ReadSettings(first_line_is_zero=True)
    assert found(at("src/pay.py", (0, 2)), settings=settings).places[0].ranges == ((1, 3),)
    assert found(at("src/pay.py", (50, 50)), settings=settings).state == "unresolved"


def test_only_shown_lines_can_be_named_where_there_is_a_patch_alone() -> None:
    case = CaseFiles(FILES, lines=lambda path, side: SideLines(shown={10, 11, 12, 13}))
    assert found(at("src/pay.py", (11, 13)), case=case).state == "resolved"
    hidden = found(at("src/pay.py", (13, 10**9)), case=case)
    assert hidden.note == (
        "Line 14 of src/pay.py is not shown on the new side, and the case has no snapshot to look in."
    )


def test_lines_of_another_commit_are_outdated_unless_the_first_one_is_the_head() -> None:
    assert found(at("src/pay.py", (12, 12), commit=HEAD)).state == "resolved"
    assert found(at("src/pay.py", (12, 12), commit=HEAD[:12])).state == "resolved"
    moved = found(at("src/pay.py", (12, 12), commit=OTHER))
    assert (moved.state, moved.note) == (
        "unresolved",
        "Its lines count in the commit bbbbbbbbbbbb, but the head of the case is aaaaaaaaaaaa.",
    )
    first = at("src/pay.py", (9, 9), commit=HEAD)
    again = found(at("src/pay.py", (12, 12), commit=OTHER), otherwise=(first,))
    assert (again.places[0].ranges, again.note) == (((9, 9),), "Its lines are those of the commit that it was made on.")
    outdated = ClaimedPlace("src/pay.py", commit=OTHER, problem="it is outdated")
    assert found(outdated, otherwise=(first,)).places[0].ranges == ((9, 9),)
    assert found(outdated).note == "The place cannot be told: it is outdated."
    # A case without a head cannot contradict, and an outdated comment stays outdated there.
    unknown = CaseFiles(FILES, lines=CASE.lines)
    assert found(at("src/pay.py", (12, 12), commit=OTHER), case=unknown).state == "resolved"
    assert found(outdated, otherwise=(first,), case=unknown).state == "unresolved"


def test_lines_without_a_file_belong_to_a_change_of_one_file_only() -> None:
    lines = ClaimedPlace(ranges=((3, 3),))
    one = CaseFiles((FilePatch(None, "snippet.py"),))
    assert found(lines, case=one).places[0].path == "snippet.py"
    assert found(lines).note == "It names lines without a file, and the change is not one of a single file."


def test_a_related_place_that_is_none_loses_no_finding() -> None:
    resolution = found(at("src/pay.py", (12, 12)), related=(at("none.py", (1, 1)), at("docs/README.md", (2, 2))))
    assert resolution.state == "resolved"
    assert [place.path for place in resolution.related] == ["docs/README.md"]
    assert resolution.note == 'A related place was left out: the case has no file "none.py" on the new side.'


@pytest.mark.parametrize(
    ("position", "expected"),
    [
        (1, ("new", 10)),
        (2, ("old", 11)),
        (3, ("new", 11)),
        (4, ("new", 12)),
        (5, ("new", 13)),
        (6, ("new", 14)),
        # The header of the next hunk takes a position of its own.
        (7, None),
        (8, ("new", 41)),
        (9, ("new", 42)),
        (10, ("new", 43)),
        (11, None),
        (0, None),
        (-1, None),
    ],
)
def test_a_position_counts_lines_of_the_patch(position: int, expected: tuple[str, int] | None) -> None:
    place = line_at_position(FILES[0].hunks, position)
    assert (place and (place[0].value, place[1])) == expected
    resolution = found(ClaimedPlace("src/pay.py", position=position))
    assert resolution.state == ("resolved" if expected else "unresolved")


def test_the_two_sides_of_one_number_are_two_places() -> None:
    """A golden finding on the deleted line is old 11; a comment on new 11 is beside it at best."""
    geometry = Geometry([FilePair("src/pay.py", "src/pay.py")], [HunkRange("src/pay.py", (10, 13), (10, 14))])
    deleted = geometry.place([Anchor("src/pay.py", Side.OLD, ((11, 11),))])
    added = geometry.place([Anchor("src/pay.py", Side.NEW, ((11, 11),))])
    relation = closeness(deleted, added, 5)
    assert relation is not None
    assert not relation.shares_a_line
