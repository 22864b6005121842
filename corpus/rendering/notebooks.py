"""A notebook's lines as they are shown: those of cells as text in their language, the JSON around them faint."""

from __future__ import annotations

from itertools import groupby

from corpus.domain.notebooks import CellLine, read_notebook
from corpus.rendering.highlight import Runs, highlight
from corpus.rendering.lexers import is_lexer
from corpus.rendering.text import DecodedText

# The class of what is there but is not what a reader looks for.
ASIDE = "c"


def notebook_lines(text: DecodedText) -> tuple[list[str], list[Runs]] | None:
    """Return the shown lines of a notebook and their colours; None for what is no notebook as Jupyter writes one."""
    notebook = read_notebook(text.lines)
    if notebook is None:
        return None
    shown = list(text.lines)
    runs: list[Runs] = [[(ASIDE, len(line))] if line else [] for line in shown]
    language = notebook.language if is_lexer(notebook.language) else "python"
    lexers = {"code": language, "markdown": "markdown"}

    def cell_of(item: tuple[int, CellLine]) -> tuple[int, str]:
        return item[1].cell, item[1].kind

    for (_, kind), group in groupby(sorted(notebook.lines.items()), key=cell_of):
        held = list(group)
        said = [line.text for _, line in held]
        coloured = highlight(DecodedText(said, text.encoding, True, text.has_bidi), lexers.get(kind, ""))
        for at, (number, line) in enumerate(held):
            shown[number - 1] = line.text
            runs[number - 1] = coloured[at] if coloured else [("", len(line.text))]
    return shown, runs
