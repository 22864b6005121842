"""What people wrote about a case, without the source lines they quoted (S3)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from corpus.domain.quotes import SHORTEST_LINE, without_source
from corpus.domain.vocabulary import Side
from corpus.models import CaseFile
from corpus.selectors.quotes import CaseText, PlaceRefused

# People often quote a line without what ends it.
_ENDS = " \t:;,{"


class Wording:
    """Takes the source lines of one case out of words about it.

    Compared are the lines of every changed file on both sides, and of every file that a place names.
    """

    def __init__(self, text: CaseText, files: Sequence[CaseFile]) -> None:
        self._text = text
        self._files = files
        self._quoted: list[str] = []

    def expect(self, words: Iterable[str], places: Iterable[tuple[str, str]]) -> None:
        """Find the source lines that occur in any of `words`; `places` are path and side of the anchored files."""
        flat = " ".join(" ".join(words).split())
        if not flat:
            return
        wanted = {(file.old_path_text, Side.OLD) for file in self._files}
        wanted |= {(file.new_path_text, Side.NEW) for file in self._files}
        wanted |= {(path, Side(side)) for path, side in places if side}
        seen: set[str] = set()
        for path, side in sorted(wanted):
            if path:
                seen |= self._lines(path, side)
        self._quoted = sorted(line for line in seen if len(line) >= SHORTEST_LINE and line in flat)

    def plain(self, words: str) -> str:
        """Return the words with each quoted source line and fenced block replaced by a mark."""
        return without_source(words, self._quoted)

    def _lines(self, path: str, side: Side) -> set[str]:
        try:
            data = b"".join(self._text.side_file(path, side).lines.values())
        except PlaceRefused:
            return set()
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError:
            text = data.decode("latin-1")
        lines = {" ".join(line.split()) for line in text.split("\n")}
        return lines | {line.rstrip(_ENDS) for line in lines}
