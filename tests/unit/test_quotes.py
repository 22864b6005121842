from __future__ import annotations

import pytest

from corpus.domain.quotes import without_source

SOURCE = ["    whole = len(rows) // size\n", "return whole", "}", "import os.path", "pass"]


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("`whole = len(rows) // size` rounds down", "`[code]` rounds down"),
        ("it says whole  =\tlen(rows)\n // size here", "it says [code] here"),
        ("we return whole pages only", "we return whole pages only"),
        ("the list may pass empty", "the list may pass empty"),
        ("see\n```python\nanything(at, all)\n```\nthere", "see\n[code]\nthere"),
        ("open fence\n~~~\nanything(at, all)", "open fence\n[code]"),
        ("`len` of the rows", "`len` of the rows"),
        ("", ""),
    ],
)
def test_source_lines_and_fenced_blocks_become_a_mark(text: str, kept: str) -> None:
    assert without_source(text, SOURCE) == kept


def test_the_longer_of_two_lines_is_replaced_whole() -> None:
    assert (
        without_source("x: total = price * count + tax", ["price * count", "total = price * count + tax"])
        == "x: [code]"
    )


def test_special_characters_of_source_are_taken_literally() -> None:
    assert without_source("why a.b(c)[0]+? is wrong", ["a.b(c)[0]+?"]) == "why [code] is wrong"
