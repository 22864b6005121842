"""A place is a side of a file, lines of one content, and what they say; it holds for that content and no other."""

from __future__ import annotations

import hashlib

import pytest

from corpus.domain.vocabulary import AnchorLevel, AnchorRole, Side
from corpus.models import ClaimAnchor
from corpus.selectors.places import anchor_fault
from corpus.selectors.quotes import CaseText, PlaceRefused
from corpus.services.cases import CaseFacts
from tests.factories import make_case, make_project, make_user

pytestmark = pytest.mark.django_db

OLD = b"one\ntwo\nthree\r\nfour\x0cfour\nfive"
NEW = b"one\n2\nthree\r\nfour\x0cfour\nfive\n"
BASE = {b"a.txt": ("100644", OLD), b"same.txt": ("100644", b"kept\n"), b"old.txt": ("100644", b"x\n" * 30)}
HEAD = {b"a.txt": ("100644", NEW), b"same.txt": ("100644", b"kept\n"), b"new.txt": ("100644", b"x\n" * 30)}


@pytest.fixture
def project():
    return make_project(lead=make_user("lead"))


def anchor(text: CaseText, path: str, side: Side, first: int, last: int) -> ClaimAnchor:
    quote = text.quote(path, side, first, last)
    return ClaimAnchor(
        role=AnchorRole.PRIMARY,
        level=AnchorLevel.LINES,
        path=path,
        side=side,
        first_line=first,
        last_line=last,
        blob_sha256=quote.blob_sha256,
        quote_sha256=quote.quote_sha256,
        quote=quote.text,
    )


def test_a_place_binds_the_content_of_its_own_side_and_its_exact_bytes(project) -> None:
    text = CaseText(make_case(project, base=BASE, head=HEAD))
    old, new = (text.quote("a.txt", side, 2, 5) for side in (Side.OLD, Side.NEW))
    assert (old.blob_sha256, new.blob_sha256) == tuple(hashlib.sha256(data).hexdigest() for data in (OLD, NEW))
    assert old.quote_sha256 == hashlib.sha256(b"two\nthree\r\nfour\x0cfour\nfive").hexdigest()
    assert new.quote_sha256 == hashlib.sha256(b"2\nthree\r\nfour\x0cfour\nfive\n").hexdigest()
    # Files that the change leaves alone have places too, and a renamed file has each side under its own name.
    assert text.quote("same.txt", Side.NEW, 1, 1).text == "kept\n"
    assert text.quote("old.txt", Side.OLD, 30, 30).blob_sha256 == text.quote("new.txt", Side.NEW, 1, 1).blob_sha256


@pytest.mark.parametrize(
    ("path", "side", "first", "last", "reason"),
    [
        ("a.txt", Side.NEW, 5, 6, "a.txt has 5 lines on the new side; there is no line 6."),
        ("a.txt", Side.OLD, 6, 6, "a.txt has 5 lines on the old side; there is no line 6."),
        ("a.txt", Side.OLD, 1, 10**9, "there is no line 6"),
        ("new.txt", Side.OLD, 1, 1, "The case has no file new.txt on the old side."),
        ("none.txt", Side.NEW, 1, 1, "The case has no file none.txt on the new side."),
        ("../a.txt", Side.NEW, 1, 1, "The case has no file"),
    ],
)
def test_lines_that_do_not_exist_are_refused(
    project, path: str, side: Side, first: int, last: int, reason: str
) -> None:
    text = CaseText(make_case(project, base=BASE, head=HEAD))
    with pytest.raises(PlaceRefused) as caught:
        text.quote(path, side, first, last)
    assert reason in str(caught.value)


def test_a_place_survives_another_import_of_the_same_content_and_no_change_of_it(project) -> None:
    first = CaseText(make_case(project, base=BASE, head=HEAD))
    places = [anchor(first, "a.txt", Side.OLD, 2, 3), anchor(first, "a.txt", Side.NEW, 2, 2)]
    again = CaseText(make_case(make_project(lead=make_user("another"), name="Again"), base=BASE, head=HEAD))
    assert [anchor_fault(again, place) for place in places] == ["", ""]
    # Another file changed: the places hold. Their file changed: each says so, though its lines still stand there.
    beside = {**HEAD, b"same.txt": ("100644", b"changed\n")}
    elsewhere = CaseText(make_case(project, base=BASE, head=beside))
    assert [anchor_fault(elsewhere, place) for place in places] == ["", ""]
    shifted = {**HEAD, b"a.txt": ("100644", NEW + b"six\n")}
    moved = CaseText(make_case(project, base=BASE, head=shifted))
    assert anchor_fault(moved, places[0]) == ""
    assert anchor_fault(moved, places[1]) == "a.txt on the new side is not the file that the place was set in."


def test_a_place_whose_quote_was_tampered_with_is_found(project) -> None:
    text = CaseText(make_case(project, base=BASE, head=HEAD))
    place = anchor(text, "a.txt", Side.NEW, 2, 2)
    place.quote_sha256 = hashlib.sha256(b"two\n").hexdigest()
    assert anchor_fault(text, place) == "Lines 2-2 of a.txt on the new side do not say what the place quotes."


def test_without_snapshots_only_shown_lines_are_places(project) -> None:
    patch = b"--- a/f\n+++ b/f\n@@ -10,2 +20,3 @@\n a\n+b\r\n c\n\\ No newline at end of file\n"
    text = CaseText(make_case(project, patch=patch, facts=CaseFacts(repository="r", title="t")))
    quote = text.quote("f", Side.NEW, 20, 22)
    assert quote.blob_sha256 == ""
    assert quote.quote_sha256 == hashlib.sha256(b"a\nb\r\nc").hexdigest()
    assert text.quote("f", Side.OLD, 11, 11).quote_sha256 == hashlib.sha256(b"c").hexdigest()
    for side, line in ((Side.NEW, 19), (Side.NEW, 23), (Side.OLD, 12)):
        with pytest.raises(PlaceRefused, match=f"Line {line} of f is not shown on the {side} side"):
            text.quote("f", side, line, line)
