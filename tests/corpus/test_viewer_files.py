"""Each kind of file shown as what it is: moves, blanks, long lines, long files, images, notebooks, other languages."""

from __future__ import annotations

import html
import re

import pytest
from django.contrib.auth.models import AnonymousUser
from django.http import Http404
from django.test import RequestFactory
from django.urls import reverse

from corpus.domain.vocabulary import Side
from corpus.models import DrawnFile
from corpus.rendering.images import image_type
from corpus.selectors.file_heads import closed_because
from corpus.views import viewer
from tests.e2e.gallery import BASE, HEAD, picture
from tests.factories import PNG, make_case


def text_of(markup: str) -> str:
    return html.unescape(re.sub(r"<[^>]*>", "", markup))


@pytest.fixture
def ask(rf: RequestFactory):
    """Return a function that asks a piece of a case's viewer as htmx does."""

    def asked(act, case, *args, query: str = ""):
        request = rf.get(f"/{query}", headers={"HX-Request": "true"})
        request.user = AnonymousUser()
        return act(request, viewer.Mount(case, "/base/", "/base/", "Back"), *args)

    return asked


@pytest.fixture
def gallery(project):
    return make_case(project, base=BASE, head=HEAD)


def position(case, path: str) -> int:
    return case.files.filter(new_path_text=path).get().position


def drawn(ask, case, path: str, query: str = "") -> str:
    return ask(viewer.file_piece, case, position(case, path), query=query).content.decode()


def two(project, before: bytes, after: bytes, name: bytes = b"a.py"):
    return make_case(project, base={name: ("100644", before)}, head={name: ("100644", after)})


def test_moved_lines_are_named_and_linked_both_ways(ask, gallery) -> None:
    page = drawn(ask, gallery, "ledger/books.py")
    at = position(gallery, "ledger/books.py")
    assert f'data-at="{at}-old-34">moved from 34</a>' in page
    assert f'data-at="{at}-new-9">moved to 9</a>' in page
    assert "9<i> new, added, moved from 34</i>" in page
    assert "38<i> old, removed, moved to 13</i>" in page


def test_changes_of_white_space_alone_are_told_apart(ask, gallery) -> None:
    page = drawn(ask, gallery, "ledger/layout.py")
    assert "Only indentation changed." in page
    assert page.count('<tr class="del w">') == page.count('<tr class="add w">') == 3
    mixed = drawn(ask, gallery, "ledger/books.py")
    assert re.findall(r'<tr class="(?:add|del) w">.*?data-line="(\d+)"', mixed) == ["13", "20"]
    assert "20<i> new, added, white space only</i>" in mixed


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("docs/windows.txt", ["Only line ends changed (CR LF or LF).", "Line ends changed: CR LF before, LF now."]),
        ("docs/end.txt", ["Only the newline at the end of the file changed.", "No newline at end of file (new)"]),
        ("ledger/access.py", ["bidirectional control characters", "1 invisible character in these lines"]),
        ("ledger/names.py", ["Not UTF-8"]),
        ("config/current", ["symbolic link", "the path that it leads to"]),
        ("config/defaults.toml", ["file → symbolic link"]),
        ("vendor/audit", ["submodule", "Subproject commit " + "2" * 40]),
        ("bin/run", ["file → executable file", "mode 100644 → 100755"]),
        ("web/navigation.js", ["renamed", "from web/routes.js", "Renamed, "]),
        ("assets/logo.svg", ['circle cx="4"']),
        ("assets/font.bin", ["Binary files differ."]),
        ("ledger/empty.py", ["added", "Nothing of the content changed."]),
    ],
)
def test_each_kind_of_file_is_named(ask, gallery, path: str, said: list[str]) -> None:
    text = text_of(drawn(ask, gallery, path))
    for words in said:
        assert words in text


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("package-lock.json", "lock file"),
        ("web/app.min.js", "minified"),
        ("api/user_pb2.py", "generated"),
        ("node_modules/left-pad/index.js", "somebody else's code, kept in this repository"),
        ("src/vendored.py", ""),
        ("src/lock.py", ""),
    ],
)
def test_a_file_is_closed_by_its_name_for_a_reason(path: str, reason: str) -> None:
    assert closed_because(path, 3) == reason


def test_a_file_is_closed_for_its_size_or_its_longest_line() -> None:
    assert closed_because("a.py", 1_000, 5_000) == ""
    assert closed_because("a.py", 1_001) == "1,001 changed lines"
    assert closed_because("a.js", 2, 5_001) == "minified or data, with a line of 5,001 bytes"


def test_all_lines_of_a_file_are_drawn_once_in_order(ask, gallery) -> None:
    page = drawn(ask, gallery, "ledger/books.py", "?whole=1")
    for side, source in (("old", BASE), ("new", HEAD)):
        count = source[b"ledger/books.py"][1].count(b"\n")
        shown = [int(line) for line in re.findall(rf'data-side="{side}" data-line="(\d+)"', page)]
        assert shown == list(range(1, count + 1))
    assert 'class="gap"' not in page
    assert "Changes only" in page


def test_the_parts_of_a_long_file_are_its_lines_and_there_is_none_beyond(project, ask) -> None:
    lines = [b"line %d" % number for number in range(1, 2_001)]
    case = make_case(project, base={}, head={b"long.txt": ("100644", b"\n".join(lines) + b"\n")})
    first = drawn(ask, case, "long.txt")
    parts = re.findall(r'data-new="(\d+)-(\d+)" data-part="([^"]+)"', first)
    assert parts[0][:2] == ("401", "500")
    assert parts[-1][:2] == ("1901", "2000")
    shown = re.findall(r'<td class="c">(line \d+)</td>', first)
    for *_, url in parts:
        query = "?" + html.unescape(url).split("?")[1]
        shown += re.findall(
            r'<td class="c">(line \d+)</td>', ask(viewer.part_piece, case, 0, query=query).content.decode()
        )
    assert shown == [line.decode() for line in lines]
    with pytest.raises(Http404):
        ask(viewer.part_piece, case, 0, query="?hunk=0&from=2001")
    with pytest.raises(Http404):
        ask(viewer.part_piece, case, 0, query="?hunk=9&from=1")


def pieces(ask, act, case, where, page: str, number: int) -> str:
    """Put a cut line together by pressing all that shows more of it."""
    row = next(row for row in page.split("<tr ") if f'data-side="new" data-line="{number}"' in row)
    code = row[row.index('<td class="c">') + len('<td class="c">') : row.index("</td></tr>")]
    while match := re.search(r'<button class="cut" hx-get="([^"]+)"[^>]*>[^<]*</button>', code):
        query = "?" + html.unescape(match[1]).split("?")[1]
        code = code[: match.start()] + ask(act, case, where, query=query).content.decode() + code[match.end() :]
    return text_of(code)


def test_a_very_long_line_is_cut_around_its_change_and_can_be_had_whole(project, ask) -> None:
    words = [b"word%d" % number for number in range(6_000)]
    before, after = b" ".join(words), b" ".join([*words[:4_000], b"CHANGED", *words[4_000:]])
    case = two(project, before + b"\n", after + b"\n", b"data.txt")
    page = drawn(ask, case, "data.txt")
    assert len(page) < 20_000
    assert "CHANGED" in text_of(page)
    assert "characters before" in page
    assert pieces(ask, viewer.line_piece, case, 0, page, 1) == after.decode()
    whole = ask(viewer.blob_piece, case, Side.NEW, query="?path=data.txt").content.decode()
    assert pieces(ask, viewer.blob_piece, case, Side.NEW, whole, 1) == after.decode()


def test_another_language_is_shown_and_not_kept(ask, gallery) -> None:
    path = "ledger/export.py"
    usual = drawn(ask, gallery, path)
    kept = DrawnFile.objects.count()
    plain = drawn(ask, gallery, path, "?as=")
    assert '<span class="k">def</span>' in usual
    assert '<span class="k">def</span>' not in plain
    assert text_of(plain.split("<tbody>")[1]) == text_of(usual.split("<tbody>")[1])
    assert DrawnFile.objects.count() == kept
    assert drawn(ask, gallery, path) == usual
    assert '<option value="go">Go</option>' in drawn(ask, gallery, path, "?choose=1")
    with pytest.raises(Http404):
        drawn(ask, gallery, path, "?as=no-such-language")


def test_lines_of_a_notebook_read_as_code_with_the_numbers_of_the_file(ask, gallery) -> None:
    page = drawn(ask, gallery, "reports/fees.ipynb")
    added = re.findall(r'<tr class="add">.*?data-line="(\d+)".*?<td class="c">(.*?)</td>', page)
    said = {text_of(code): int(line) for line, code in added}
    lines = HEAD[b"reports/fees.ipynb"][1].decode().split("\n")
    assert "late = fees[fees.days > 21]" in said
    assert "late = fees[fees.days > 21]\\n" in lines[said["late = fees[fees.days > 21]"] - 1]
    raw = text_of(drawn(ask, gallery, "reports/fees.ipynb", "?as=json"))
    assert '"late = fees[fees.days > 21]\\n"' in raw


def test_a_changed_image_is_shown_on_both_sides_and_nothing_in_it_runs(client_of, people, gallery) -> None:
    client = client_of(people.lead)
    names = {"project": gallery.project.slug, "case_id": gallery.public_id}
    page = client.get(
        reverse("case_file", kwargs={**names, "position": position(gallery, "assets/logo.png")}), HTTP_HX_REQUEST="true"
    ).content.decode()
    urls = re.findall(r'<img src="([^"]+)"', page)
    assert len(urls) == 2
    for url, tree in zip(urls, (BASE, HEAD), strict=True):
        answer = client.get(html.unescape(url))
        assert answer.content == tree[b"assets/logo.png"][1]
        assert answer["Content-Type"] == "image/png"
        assert answer["X-Content-Type-Options"] == "nosniff"
        assert answer["Content-Security-Policy"] == "default-src 'none'; sandbox"
        assert answer["Cache-Control"] == "private, no-store"


@pytest.mark.parametrize(
    ("name", "data"),
    [
        (b"page.png", b"<html><script>alert(1)</script>"),
        (b"drawing.svg", b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'),
        (b"logo.png.html", PNG),
        (b"empty.gif", b""),
    ],
)
def test_what_is_no_image_is_never_sent_as_one(project, ask, name: bytes, data: bytes) -> None:
    case = make_case(project, base={}, head={name: ("100644", data), b"a.py": ("100644", b"1\n")})
    with pytest.raises(Http404):
        ask(viewer.image_piece, case, Side.NEW, query=f"?path={name.decode()}")


def test_images_are_told_by_how_they_begin() -> None:
    assert image_type(picture(1, 2, 3)) == "image/png"
    assert image_type(b"\xff\xd8\xff\xe0rest") == "image/jpeg"
    assert image_type(b"RIFF\0\0\0\0WEBPVP8 ") == "image/webp"
    assert image_type(b"RIFF\0\0\0\0WAVEfmt ") is None
    assert image_type(b"GIF88a") is None


def test_the_file_that_an_address_leads_to_is_open(rf, gallery) -> None:
    request = rf.get(f"/?at={position(gallery, 'web/table.js')}-new-1")
    request.user = AnonymousUser()
    shown = {file.head.path: file.body for file in viewer.viewer_files(request, gallery, "/base/")}
    assert shown["web/table.js"].html is not None
    assert shown["web/app.min.js"].is_closed
    assert shown["vendor/audit"] is None, "a submodule is no vendored code"


@pytest.mark.parametrize("layout", ["unified", "split"])
def test_a_line_costs_less_than_300_bytes_without_its_colours(ask, project, layout: str) -> None:
    lines = [b"    value_%d = compute(%d)\n" % (n, n) for n in range(380)]
    changed = [line.replace(b"compute", b"derive") if n % 7 == 0 else line for n, line in enumerate(lines)]
    case = two(project, b"".join(lines), b"".join(changed))
    page = drawn(ask, case, "a.py", f"?layout={layout}&whole=1")
    rows = re.findall(r"<tr.*?</tr>", page.split("<tbody>")[1])
    bare = sum(len(re.sub(r"</?(span|mark)[^>]*>", "", row)) for row in rows)
    sides = sum(max(1, row.count("data-line=")) for row in rows) if layout == "split" else len(rows)
    assert bare / sides < 300


def test_a_wide_change_reads_only_what_is_first_in_sight(rf, project) -> None:
    body = b"".join(b"line %d\n" % number for number in range(100))
    head = {b"src/part_%03d.py" % number: ("100644", b"# %d\n" % number + body) for number in range(100)}
    case = make_case(project, base={b"README.md": ("100644", b"x\n")}, head={b"README.md": ("100644", b"x\n"), **head})
    request = rf.get("/")
    request.user = AnonymousUser()
    shown = viewer.viewer_files(request, case, "/base/")
    assert [file.body is not None for file in shown] == [True] + [False] * 99
