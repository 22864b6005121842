"""An article cast from its mould is what its template would draw; the tree nests its folders, however deep."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.test import RequestFactory
from django.utils.safestring import SafeString

from corpus.rendering.moulds import mould_of, place
from corpus.selectors.file_heads import FileHead
from corpus.selectors.file_tree import build_tree
from corpus.templatetags.viewer import file_tree
from corpus.views import viewer
from corpus.views.file_articles import ARTICLE, article, article_mould
from tests.factories import make_case

PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 30
LONG = b"".join(b"line %d\n" % number for number in range(1200))


def head(path: str, position: int = 0, **changes: Any) -> FileHead:
    directory, slash, name = path.rpartition("/")
    fields = {
        "position": position,
        "path": path,
        "old_path": path,
        "new_path": path,
        "directory": directory + slash,
        "name": name,
        "status": "modified",
        "badges": (),
        "added": 3,
        "removed": 1,
        "closed_because": "",
    }
    return FileHead(**fields | changes)


@pytest.fixture
def change(project):
    """A change with files of every kind: open, closed, renamed, an image, odd names."""
    old = b"".join(b"row %d\n" % number for number in range(60))
    base = {
        b"src/a.py": ("100644", b"x = 1\n"),
        b'odd/<b> & "quotes".py': ("100644", b"x = 1\n"),
        b"was/here.txt": ("100644", old),
        b"logo.png": ("100644", PNG),
        b"run.sh": ("100644", b"true\n"),
    }
    head = {
        b"src/a.py": ("100644", b"x = 2\n"),
        b'odd/<b> & "quotes".py': ("100644", b"x = 2  # \xe2\x80\xae\n"),
        b"now/there.txt": ("100644", old + b"more\n"),
        b"logo.png": ("100644", PNG + b"\0"),
        b"run.sh": ("100755", b"true\n"),
        b"poetry.lock": ("100644", b"[[package]]\n"),
        b"zz.txt": ("100644", LONG),
    }
    return make_case(project, base=base, head=head)


@pytest.mark.parametrize("tools", ["", "labeling/_file_tools.html"])
def test_an_article_is_what_its_template_draws(change, people, tools) -> None:
    request: HttpRequest = RequestFactory().get("/")
    request.user = people.reviewer_a
    files = [file for file in viewer.viewer_files(request, change, "/seat/") if file.body is not None]
    read = {files[0].head.position, files[-1].head.position}
    context = {
        "read_positions": read,
        "tools_template": tools,
        "base_url": "/seat/",
        "csrf_token": SafeString("t" * 64),
    }
    drawn = [article(file, context=context) for file in files]
    assert drawn == [render_to_string(ARTICLE, {**context, "file": file}) for file in files]
    whole = "".join(drawn)
    for words in ("Closed: lock file", "from was/here.txt", "<img src="):
        assert words in whole
    assert "odd/&lt;b&gt; &amp; &quot;quotes&quot;.py" in whole
    assert "<b> &" not in whole
    assert whole.count('class="file diff-file read"') == 2
    assert (whole.count('name="csrfmiddlewaretoken" value="' + "t" * 64) == len(files)) is bool(tools)


def test_files_of_one_shape_share_a_mould(change, people) -> None:
    request: HttpRequest = RequestFactory().get("/")
    request.user = people.reviewer_a
    (file,) = [file for file in viewer.viewer_files(request, change, "/seat/") if file.head.name == "a.py"]
    article_mould.cache_clear()
    one, other = (
        article(file, context={"base_url": url, "csrf_token": token}) for url, token in (("/one/", "1"), ("/two/", "2"))
    )
    assert article_mould.cache_info().currsize == 1
    assert one == other


def test_a_text_of_a_mould_is_escaped_unless_it_is_safe() -> None:
    mould = mould_of("_empty.html", {"title": place("title"), "text": place("words")})
    cast = mould.cast({"title": "<i>", "words": SafeString("<b>bold</b>"), "unused": "&"})
    assert "&lt;i&gt;" in cast
    assert "<b>bold</b>" in cast
    assert "\x1a" not in cast


def test_the_tree_nests_folders_and_joins_those_with_nothing_else() -> None:
    heads = [head("a/b/one.py"), head("a/b/two.py", 1), head("a/c/d/three.py", 2), head("top.py", 3)]
    html = file_tree(build_tree(heads, {1}), marks_reading=True)
    order = re.findall(r"<summary>([^<]*)|data-tree-file=\"(\d)\"|(</ul>)", html)
    assert [folder or number or end for folder, number, end in order] == [
        "a/", "b/", "0", "1", "</ul>", "c/d/", "2", "</ul>", "</ul>", "3", "</ul>",
    ]  # fmt: skip
    assert html.count(", not read") == 3
    assert html.count(' class="read"') == 1
    assert "read" not in file_tree(build_tree(heads), marks_reading=False)


def test_a_very_deep_path_neither_breaks_the_tree_nor_its_page() -> None:
    heads = [head("/".join(["d"] * depth + [f"{depth}.py"]), depth) for depth in range(1500)]
    html = file_tree(build_tree(heads), marks_reading=False)
    assert html.count("<details") == html.count("</details>") == 1499
    assert html.count("data-tree-file") == 1500
