"""Keep source text out of what people wrote about a defect.

Evidence often quotes the line it speaks of. A manifest must not carry source, so a quote is replaced by a mark and
stays only as the hash of its anchor.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

MARK = "[code]"
# Shorter lines, and lines of letters alone, are words that a sentence may need.
SHORTEST_LINE = 8

_FENCE = re.compile(r"^[ \t]*(```+|~~~+)[^\n]*\n.*?(?:^[ \t]*\1[ \t]*$|\Z)", re.DOTALL | re.MULTILINE)


def without_source(text: str, source_lines: Iterable[str]) -> str:
    """Return `text` with fenced blocks and verbatim source lines replaced by `MARK`.

    Source lines are compared without leading and trailing blanks and with any run of blanks as one; only those of
    `SHORTEST_LINE` characters or more that hold something besides letters and blanks count.
    """
    kept = _FENCE.sub(MARK, text)
    flat = " ".join(kept.split())
    lines = {" ".join(line.split()) for line in source_lines}
    quoted = [line for line in lines if len(line) >= SHORTEST_LINE and not _is_prose(line) and line in flat]
    for line in sorted(quoted, key=lambda line: (-len(line), line)):
        kept = re.sub(r"\s+".join(re.escape(word) for word in line.split()), MARK, kept)
    return kept


def _is_prose(line: str) -> bool:
    return line.replace(" ", "").isalpha()
