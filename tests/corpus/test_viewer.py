"""The diff as HTML: exact text, nothing executed, nothing invisible, colours right across hunks."""

from __future__ import annotations

import html
import re
import zlib

import pytest
from django.contrib.auth.models import AnonymousUser
from django.test import RequestFactory
from hypothesis import given
from hypothesis import strategies as st

from corpus import clock
from corpus.models import Blob, Case, DrawnFile, HighlightedBlob
from corpus.rendering import drawn
from corpus.rendering.diff_rows import ShownLines, View, gap_row
from corpus.rendering.highlight import highlight, pack, unpack
from corpus.rendering.lines import line_html
from corpus.rendering.text import code_html, decode
from corpus.services.drawings import draw_waiting
from corpus.views import viewer
from tests.factories import make_case


def text_of(markup: str) -> str:
    """Return the text a person would copy from markup."""
    return html.unescape(re.sub(r"<[^>]*>", "", markup))


@pytest.fixture
def request_(rf: RequestFactory):
    """Return a request with an empty session and the given query."""

    def build(query: str = ""):
        request = rf.get(f"/{query}")
        request.session = {}
        request.user = AnonymousUser()
        return request

    return build


def mount(case) -> viewer.Mount:
    return viewer.Mount(case, "/base/", "/base/", "Back")


def piece(act, request, case, *args) -> str:
    """Return what a piece of the viewer answers to htmx."""
    request.META["HTTP_HX_REQUEST"] = "true"
    return act(request, mount(case), *args).content.decode()


def rows_of(request, case, **options) -> str:
    files = viewer.viewer_files(request, case, "/base/")
    return "".join(str(file.body.html) for file in files if file.body and file.body.html)


def test_every_changed_line_is_drawn_once_with_its_number_and_side(project, request_) -> None:
    base = {b"a.py": ("100644", b"one\ntwo\nthree\n")}
    head = {b"a.py": ("100644", b"one\n2\nthree\nfour\n")}
    rows = rows_of(request_(), make_case(project, base=base, head=head))
    cells = re.findall(r'<tr class="(ctx|add|del)">(.*?)</tr>', rows)
    shown = [
        (state, re.findall(r'data-side="(\w+)" data-line="(\d+)"', row), text_of(row.split('<td class="c">')[1]))
        for state, row in cells
    ]
    assert shown == [
        ("ctx", [("old", "1"), ("new", "1")], "one"),
        ("del", [("old", "2")], "two"),
        ("add", [("new", "2")], "2"),
        ("ctx", [("old", "3"), ("new", "3")], "three"),
        ("add", [("new", "4")], "four"),
    ]


def test_both_layouts_offer_the_same_places(project, request_) -> None:
    case = make_case(project)
    places = [
        sorted(re.findall(r'data-side="(\w+)" data-line="(\d+)"', rows_of(request_(f"?layout={layout}"), case)))
        for layout in ("unified", "split")
    ]
    assert places[0] == places[1]
    assert places[0]


def test_a_string_that_starts_outside_the_hunk_keeps_its_colour_inside(project, request_) -> None:
    before = b'TEXT = """\n' + b"".join(b"text of line %d\n" % i for i in range(1, 30)) + b'"""\nprint(TEXT)\n'
    case = make_case(
        project,
        base={b"a.py": ("100644", before)},
        head={b"a.py": ("100644", before.replace(b"line 20\n", b"line twenty\n"))},
    )
    rows = rows_of(request_(), case)
    assert '<span class="s2">text of line </span><mark><span class="s2">twenty</span></mark>' in rows
    assert 'TEXT = "' not in text_of(rows)


def test_markup_in_code_and_paths_is_shown_and_not_obeyed(project, request_, client_of) -> None:
    hostile = b"<script>alert(1)</script>"
    path = b'<img src=x onerror="alert(1)">.txt'
    case = make_case(project, base={}, head={path: ("100644", hostile + b"\n")})
    page = piece(viewer.file_piece, request_(), case, 0)
    assert "<script" not in page
    assert "<img" not in page
    assert "&lt;script&gt;" in page


@pytest.mark.parametrize("character", ["\u202e", "\u200b", "\x0c", "\x85", "\u2028", "\ufeff", "\x1b"])
def test_invisible_characters_become_marks_and_no_line_ends(project, request_, character: str) -> None:
    line = f"a{character}b\n".encode()
    case = make_case(project, base={}, head={b"a.txt": ("100644", line)})
    rows = rows_of(request_(), case)
    assert f'data-c="U+{ord(character):04X}"' in rows
    assert character not in rows
    assert rows.count('<tr class="add">') == 1


def test_accented_letters_and_tabs_are_no_invisible_characters() -> None:
    assert code_html("é\të") == "é\të"


def test_a_change_of_the_final_newline_alone_is_visible(project, request_) -> None:
    case = make_case(project, base={b"a.txt": ("100644", b"last\n")}, head={b"a.txt": ("100644", b"last")})
    rows = rows_of(request_(), case)
    assert "No newline at end of file (new)" in rows
    assert "No newline at end of file (old)" not in rows


def test_a_change_of_line_ends_alone_is_visible(project, request_) -> None:
    case = make_case(project, base={b"a.txt": ("100644", b"x\r\n")}, head={b"a.txt": ("100644", b"x\n")})
    assert 'data-c="CR"' in rows_of(request_(), case)


def test_bytes_that_are_no_utf8_are_drawn_as_latin1(project, request_) -> None:
    case = make_case(project, base={}, head={b"a.txt": ("100644", b"caf\xe9\n")})
    assert "café" in rows_of(request_(), case)


def test_gaps_expand_to_exactly_the_lines_between(project, request_) -> None:
    lines = [b"line %d\n" % i for i in range(1, 101)]
    changed = [*lines]
    changed[49] = b"changed\n"
    case = make_case(
        project, base={b"a.txt": ("100644", b"".join(lines))}, head={b"a.txt": ("100644", b"".join(changed))}
    )
    rows = rows_of(request_(), case)
    gaps = re.findall(r"old=(\d+)&amp;new=(\d+)&amp;count=(\d+)&amp;show=\3&", rows)
    assert gaps == [("1", "1", "46"), ("54", "54", "47")]
    answer = piece(viewer.lines_piece, request_("?old=1&new=1&count=46&show=20&at=end"), case, 0)
    assert re.findall(r'data-side="new" data-line="(\d+)"', answer) == [str(i) for i in range(27, 47)]
    assert "count=26" in answer
    assert text_of(answer.split('<td class="c">')[1].split("</td>")[0]) == "line 27"


def test_a_gap_beyond_the_file_is_not_found(project, request_) -> None:
    from django.http import Http404

    case = make_case(project)
    for query in ("?old=1&new=1&count=99999&show=5", "?old=x&new=1&count=1&show=1", "?old=0&new=1&count=1&show=1"):
        with pytest.raises(Http404):
            piece(viewer.lines_piece, request_(query), case, 0)


def test_a_pasted_patch_is_drawn_from_its_own_lines(project, request_) -> None:
    case = make_case(project, patch_only=True)
    files = viewer.viewer_files(request_(), case, "/base/")
    assert any("Only the patch is known" in note for note in files[0].body.notes)
    assert "gap" not in rows_of(request_(), case)
    assert '<tr class="add">' in rows_of(request_(), case)


def test_lock_files_and_large_changes_start_closed_and_open_on_demand(project, request_) -> None:
    long = b"".join(b"value %d\n" % i for i in range(1_200))
    case = make_case(project, base={}, head={b"package-lock.json": ("100644", b"{}\n"), b"big.txt": ("100644", long)})
    closed = {file.head.path: file.body for file in viewer.viewer_files(request_(), case, "/base/")}
    assert closed["package-lock.json"].is_closed
    assert closed["big.txt"].head.closed_because == "1,200 changed lines"
    position = closed["big.txt"].head.position
    opened = piece(viewer.file_piece, request_(), case, position)
    rest = [
        piece(viewer.part_piece, request_(f"?hunk=0&from={start}"), case, position)
        for start in re.findall(r"<a href=\"[^\"]*part/\?hunk=0&amp;from=(\d+)", opened)
    ]
    assert [text.count('<tr class="add">') for text in (opened, *rest)] == [400] + [100] * 8
    assert "value 1199" in text_of(rest[-1])


def test_a_change_is_drawn_once_for_each_layout_and_then_read(project, request_, django_assert_num_queries) -> None:
    case = make_case(project)
    first = rows_of(request_(), case)
    split = rows_of(request_("?layout=split"), case)
    assert HighlightedBlob.objects.exists()
    assert DrawnFile.objects.count() == 2 * case.files.count()
    with django_assert_num_queries(2) as seen:
        assert rows_of(request_(), case) == first
    assert not any('"corpus_blob"."data"' in query["sql"] for query in seen.captured_queries)
    assert rows_of(request_("?layout=split"), case) == split != first


def test_what_older_code_drew_is_drawn_anew(project, request_) -> None:
    case = make_case(project)
    first = rows_of(request_(), case)
    DrawnFile.objects.update(version="older", html=zlib.compress(b"<tr>stale</tr>"))
    assert rows_of(request_(), case) == first
    assert set(DrawnFile.objects.values_list("version", flat=True)) == {drawn.version()}


def test_nothing_drawn_is_shown_or_kept_of_a_file_with_withdrawn_bytes(project, request_) -> None:
    base, head = ({b"a.py": ("100644", b"password = '%s'\n" % word)} for word in (b"hunter2", b"hunter3"))
    case = make_case(project, base=base, head=head)
    assert "hunter2" in text_of(rows_of(request_(), case))
    Blob.objects.filter(sha256=case.files.get().old_blob.sha256).update(data=b"", withdrawn_at=clock.now())
    DrawnFile.objects.all().update(html=zlib.compress(b"<tr>hunter2</tr>"))
    files = viewer.viewer_files(request_(), case, "/base/")
    assert "hunter2" not in str(files[0].body.html)
    assert any("withdrawn" in note for note in files[0].body.notes)


def test_text_that_looks_like_the_mark_of_a_gap_stays_text(project, request_) -> None:
    lines = b"".join(b"line %d\n" % number for number in range(40))
    base, head = ({b"a.txt": ("100644", lines + word + b"\n")} for word in (b"<address>old", b"<address>new"))
    rows = rows_of(request_(), make_case(project, base=base, head=head))
    assert "<address>old" in text_of(rows)
    assert 'hx-get="/base/files/0/lines/?old=1' in rows


def test_the_worker_draws_what_is_about_to_be_read(project, request_, django_assert_num_queries) -> None:
    waiting, later = make_case(project), make_case(project)
    Case.objects.filter(pk=waiting.pk).update(state="labelling")
    assert draw_waiting() == waiting.files.count()
    assert draw_waiting() == 0
    assert not DrawnFile.objects.filter(case_file__case=later).exists()
    with django_assert_num_queries(2):
        assert "ATTEMPTS" in text_of(rows_of(request_(), waiting))


def test_the_snapshot_is_browsed_by_level_and_file(project, request_) -> None:
    from corpus.domain.vocabulary import Side

    case = make_case(
        project,
        base={b"src/pay/a.py": ("100644", b"x = 1\n"), b"README.md": ("100644", b"read me\n")},
        head={b"src/pay/a.py": ("100644", b"x = 2\n"), b"README.md": ("100644", b"read me\n")},
    )
    top = piece(viewer.tree_piece, request_(), case, Side.NEW)
    assert "src/" in text_of(top)
    assert "README.md" in text_of(top)
    file = piece(viewer.blob_piece, request_("?path=README.md"), case, Side.NEW)
    assert "read me" in text_of(file)
    old = piece(viewer.blob_piece, request_("?path=src/pay/a.py"), case, Side.OLD)
    assert "x = 1" in text_of(old)


@given(st.text(alphabet=st.characters(exclude_characters="\n", exclude_categories=["Cs"]), max_size=80), st.data())
def test_marks_never_break_the_markup_or_the_text(text: str, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.sets(st.integers(0, len(text)), max_size=6)))
    runs = [("k", end - start) for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True) if end > start]
    points = sorted(data.draw(st.sets(st.integers(0, len(text)), max_size=6)))
    marks = [pair for pair in zip(points[::2], points[1::2], strict=False) if pair[0] < pair[1]]
    markup = line_html(text, runs, marks)
    depth: list[str] = []
    for closing, name in re.findall(r"<(/?)(span|mark)\b[^>]*>", markup):
        if closing:
            assert depth.pop() == name
        else:
            depth.append(name)
    assert depth == []
    assert text_of(markup) == text_of(code_html(text))


@given(st.binary(max_size=300))
def test_highlighting_keeps_every_line_of_any_bytes(data: bytes) -> None:
    text = decode(data)
    assert len(text.lines) == data.count(b"\n") + (not data.endswith(b"\n") and data != b"")
    for lexer in ("python", "javascript", "c"):
        runs = highlight(text, lexer)
        if runs is not None:
            assert [sum(length for _, length in line) for line in runs] == [len(line) for line in text.lines]
            assert unpack(pack(runs)) == runs


def test_a_gap_says_one_line_or_how_many() -> None:
    view = View("unified", 0, "/files/0/", "a.py")
    assert ">The unchanged line</button>" in gap_row(1, 1, 1, view)
    assert ">All 2 unchanged lines</button>" in gap_row(1, 1, 2, view)
    assert ">1000 of 5000 unchanged lines</button>" in gap_row(1, 1, 5000, view)


def test_lines_that_a_patch_shows_are_found_by_number_and_no_others() -> None:
    shown = ShownLines()
    for number in (3, 4, 9):
        shown.add(number, f"line {number}")
    assert [shown.line(number) for number in (3, 4, 9)] == ["line 3", "line 4", "line 9"]
    assert len(shown) == 3
    for number in (2, 5, 8, 10):
        with pytest.raises(KeyError):
            shown.line(number)
