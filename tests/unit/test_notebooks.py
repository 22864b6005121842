"""Notebooks line by line, with the line numbers of the file."""

from __future__ import annotations

import json

import pytest

from corpus.domain.notebooks import read_notebook


def written(cells: list[dict[str, object]], language: str = "python", **options: object) -> list[str]:
    meta = {"kernelspec": {"language": language, "name": language}}
    value = {"cells": cells, "metadata": meta, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(value, **{"indent": 1, "sort_keys": True, "ensure_ascii": False, **options}).split("\n")


CODE = {
    "cell_type": "code",
    "execution_count": 1,
    "metadata": {},
    "outputs": [{"name": "stdout", "output_type": "stream", "text": ["a\t1\n"]}],
    "source": ['print("a\\t1")\n', "\n", "# grün"],
}
TEXT = {"cell_type": "markdown", "metadata": {}, "source": ["# Title"]}


def test_each_line_of_a_cell_says_what_it_stands_for_at_its_own_number() -> None:
    lines = written([TEXT, CODE])
    found = read_notebook(lines)
    assert found is not None
    said = [(line.cell, line.kind, line.text) for _, line in sorted(found.lines.items())]
    assert said == [
        (1, "markdown", "# Title"),
        (2, "output", "a\t1"),
        (2, "code", 'print("a\\t1")'),
        (2, "code", ""),
        (2, "code", "# grün"),
    ]
    for number, line in found.lines.items():
        assert json.loads(lines[number - 1].strip().rstrip(",")).rstrip("\n") == line.text


def test_the_language_is_the_kernels() -> None:
    found = read_notebook(written([CODE], "julia"))
    assert found is not None
    assert found.language == "julia"


@pytest.mark.parametrize(
    "lines",
    [
        [],
        ["{"],
        ['{"cells": []}'],
        written([CODE], indent=None),
        written([{**CODE, "source": "one string\nof two lines", "outputs": []}]),
        ["{", ' "cells": [', '  "source": [', "   broken", "  ]"],
    ],
)
def test_what_jupyter_did_not_write_is_left_as_it_is(lines: list[str]) -> None:
    assert read_notebook(lines) is None
