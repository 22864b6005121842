"""Notebooks line by line: which lines of the JSON hold a line of a cell, and what it says there.

A notebook stays the text that it is, with its own line numbers; only what is shown of a line of a cell is the string
that it stands for. It works for notebooks as Jupyter writes them, with one line of a cell on one line of the file, and
for no other.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

CellKind = Literal["code", "markdown", "raw", "output"]

_STRING = re.compile(r'^(\s*)"((?:[^"\\]|\\.)*)",?\s*$')
_OPEN = re.compile(r'^\s*"(source|text|text/plain)": \[\s*$')
_CLOSE = re.compile(r"^\s*\],?\s*$")
_KIND = re.compile(r'^\s*"cell_type": "(code|markdown|raw)",?\s*$')
_LANGUAGE = re.compile(r'^\s*"language": "([A-Za-z0-9+#-]{1,40})",?\s*$')


@dataclass(frozen=True, slots=True)
class CellLine:
    """A line of a cell or of its output: the cell's number from 1, what it is, and what the line says."""

    cell: int
    kind: CellKind
    text: str


@dataclass(frozen=True, slots=True)
class Notebook:
    """The lines of cells by their number in the file, and the language of code cells."""

    lines: dict[int, CellLine]
    language: str


def read_notebook(lines: Sequence[str]) -> Notebook | None:
    """Return what the lines of a notebook say; None if the file is not written as Jupyter writes one."""
    if not lines or lines[0].strip() != "{" or not any(line.strip() == '"cells": [' for line in lines[:5]):
        return None
    found: dict[int, CellLine] = {}
    cell = 0
    kind: CellKind = "raw"
    inside: CellKind | None = None
    language = ""
    for number, line in enumerate(lines, 1):
        if inside is not None:
            match = _STRING.match(line)
            text = _decoded(match[2]) if match else None
            if text is not None:
                found[number] = CellLine(cell, inside, text)
            elif _CLOSE.match(line):
                inside = None
            continue
        if match := _KIND.match(line):
            cell += 1
            kind = match[1]  # type: ignore[assignment]
        elif match := _OPEN.match(line):
            inside = kind if match[1] == "source" else "output"
        elif (match := _LANGUAGE.match(line)) and not language:
            language = match[1].lower()
    return Notebook(found, language or "python") if found else None


def _decoded(text: str) -> str | None:
    """Return what a JSON string says, without the newline at its end; None if it is more than one line or no string."""
    try:
        said = json.loads(f'"{text}"')
    except ValueError:
        return None
    said = said.removesuffix("\n")
    return None if "\n" in said else said
