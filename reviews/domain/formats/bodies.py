"""Bodies of review comments in Markdown: severity in badges and headings, several findings in one, counts declared.

Observed shapes of several tools, told by what stands in the text and not by who wrote it. A severity is found by its
vocabulary wherever it stands, never by its column, since tools move it about.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from reviews.domain.formats.records import LineRange

# Words by scale; the first in a text decides.
CODERABBIT_WORDS = "critical|major|minor|trivial|info|nitpick"
_ITALIC = re.compile(r"_([^_\n]{1,80})_")
_CODERABBIT = re.compile(rf"\b({CODERABBIT_WORDS})\b", re.IGNORECASE)
_CODERABBIT_LINE = re.compile(r"^\s*(?:>\s?)*_[^_\n]+_(?:\s*\|\s*_[^_\n]+_)*\s*(?:\|.*)?$")
_BADGE_IMAGE = re.compile(r"!\[([^\]\n]{0,80})\]\(([^)\n]{0,400})\)|<img\b([^>\n]{0,400})>", re.IGNORECASE)
_P_BADGE = re.compile(
    r"\bP([0-3])\b(?:\s*badge)?|/badges?/P([0-3])\b|badge/P([0-3])[-_.]|/p([0-3])\.svg", re.IGNORECASE
)
_PRIORITY_BADGE = re.compile(r"\b(critical|high|medium|low)(?:-priority)?(?:\.svg)?\b", re.IGNORECASE)
# A known word, or any word alone on its line: an unknown severity is listed, not overlooked.
_SEVERITY_WORD = re.compile(
    r"^[*_#> \t-]{0,20}(?:severity|priority)[*_ \t]{0,8}[:=][*_` \t]{0,8}"
    r"(critical\b|high\b|medium\b|low\b|note\b|major\b|minor\b|[a-z]{2,20}(?:[ -][a-z]{2,20})?(?=[*_`. \t]{0,8}$))",
    re.IGNORECASE | re.MULTILINE,
)
_HEADING = re.compile(
    r"^#{2,5}[ \t]+[^\w\n]{0,20}(critical|high|medium|low|major|minor|nitpick)\b", re.IGNORECASE | re.MULTILINE
)
_NUMBERED = re.compile(
    r"^\d{1,2}[.)][ \t]+(?=\*\*|__|`[^`\n]{1,200}`[ \t]*[:(]|\[(?:critical|high|medium|low)\])",
    re.IGNORECASE | re.MULTILINE,
)
_FENCE = re.compile(r"[ \t>]*(`{3,}|~{3,})([^\n]*)$")
_ALSO = re.compile(r"^[ \t>*_]*Also applies to:\s*([0-9,;\s–-]+)", re.IGNORECASE | re.MULTILINE)
_RANGE = re.compile(r"(\d{1,9})(?:\s*[-–]\s*(\d{1,9}))?")
_BOLD = re.compile(r"^\s*(?:>\s?)*\*\*(.+?)\*\*", re.MULTILINE)
_CHECK_RUN = re.compile(r'<!--\s*tool-meta:\s*\{[^}]*"kind"\s*:\s*"check_run"', re.IGNORECASE)
_QUOTE = re.compile(r"^(?:[ \t]*>[ \t]?)+")
_DETAILS = re.compile(r"<(/?)details\b[^<>]{0,200}>", re.IGNORECASE)
_DECLARED = re.compile(r"\*\*Actionable comments posted:\s*(\d{1,6})\*\*")
_SUMMARY = re.compile(r"<summary>([^\0]{0,1000}?)</summary>", re.IGNORECASE)
_SECTION = re.compile(
    r"(outside diff range comments|duplicate comments|critical comments|major comments|minor comments|"
    r"trivial comments|nitpick comments|suppressed comments|comments suppressed due to low confidence)\s*\((\d{1,6})\)",
    re.IGNORECASE,
)
_FILE_SUMMARY = re.compile(r"^\s*(\S.*?)\s*\((\d{1,6})\)\s*$")
_TAG = re.compile(r"<[^<>]{0,400}>")
_CODERABBIT_ITEM = re.compile(r"^[ \t]*`(\d{1,9})(?:\s*[-–]\s*(\d{1,9}))?`\s*:\s*", re.MULTILINE)
_COPILOT_ITEM = re.compile(
    r"^[ \t]*\*\*([^*\n]{1,1000}):(\d{1,9})(?:[ \t]*[-–][ \t]*(\d{1,9}))?\*\*[ \t]*$", re.MULTILINE
)
_TRIGGER = re.compile(
    r"^\s*(?:@[\w./-]+(?:\[bot\])?|/[a-z][\w-]*(?:\s+[a-z][\w-]*)?|[\w-]+\s+(?:review|run)|(?:cursor|bugbot)\s+(?:review|run))"
    r"(?:\s+(?:please|review|run|full|again|this|pr|re-?review|verbose=\w+))*\s*[.!]?\s*$",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Part:
    """One finding of a body, or the whole body where it holds one."""

    text: str
    title: str = ""
    severity: str = ""
    scale: str = ""
    category: str = ""
    suggestion: str = ""
    # Where the part itself names its place.
    path: str = ""
    ranges: tuple[LineRange, ...] = ()
    is_suppressed: bool = False
    note: str = ""


@dataclass(frozen=True)
class Section:
    """One declared section of a review body and how many of its findings were read."""

    name: str
    declared: int
    read: int


@dataclass(frozen=True)
class ReviewBody:
    """The body of a whole review: findings inside it, the count of inline comments it declares, its sections."""

    parts: tuple[Part, ...]
    declared_inline: int | None
    sections: tuple[Section, ...]

    @property
    def notes(self) -> tuple[str, ...]:
        """Where what is declared differs from what was read."""
        return tuple(
            f"{one.name} declares {one.declared}, {one.read} were read"
            for one in self.sections
            if one.declared != one.read
        )


def is_trigger(text: str) -> bool:
    """Say whether a text does nothing but call a tool."""
    return len(text) <= 120 and bool(_TRIGGER.match(text.strip()))


def is_check_run(text: str) -> bool:
    """Say whether a body is marked as the output of a check run."""
    return bool(_CHECK_RUN.search(text))


def read_part(text: str) -> Part:
    """Return a body as one finding: severity, category, title and suggestion as far as it tells them."""
    severity, scale, category = severity_of(text)
    return Part(
        text=text,
        title=_title_of(text),
        severity=severity,
        scale=scale,
        category=category,
        suggestion="\n".join(content for word, content in fenced(unquoted(text)) if word == "suggestion"),
    )


def severity_of(text: str) -> tuple[str, str, str]:
    """Return severity word, scale and category of a body; empty texts where it tells none."""
    head = without_comments(text).strip()
    for line in head[:2000].splitlines()[:3]:
        if _CODERABBIT_LINE.match(line):
            found = _of_italics([segment.strip() for segment in _ITALIC.findall(line)])
            if found:
                return found
    for image in _BADGE_IMAGE.finditer(head[:4000]):
        badge = " ".join(part for part in image.groups() if part)
        level = _P_BADGE.search(badge)
        if level:
            return f"P{next(number for number in level.groups() if number)}", "priority", ""
        word = _PRIORITY_BADGE.search(badge)
        if word:
            return word[1].lower(), "levels", ""
    named = _SEVERITY_WORD.search(head[:4000])
    if named:
        return named[1].strip().lower(), "levels", ""
    heading = _HEADING.search(head[:400])
    if heading and heading.start() == 0:
        return heading[1].lower(), "levels", ""
    return "", "", ""


def _of_italics(segments: list[str]) -> tuple[str, str, str] | None:
    for index, segment in enumerate(segments):
        word = _CODERABBIT.search(segment)
        if word:
            others = [other for number, other in enumerate(segments) if number != index]
            category = re.sub(r"^[^\w]+", "", others[0]).strip() if others else ""
            return word[1].lower(), "coderabbit", category
    return None


def _title_of(text: str) -> str:
    for line in without_comments(text)[:20_000].splitlines():
        bold = _BOLD.match(_BADGE_IMAGE.sub("", line))
        if bold:
            return _TAG.sub("", _BADGE_IMAGE.sub("", bold[1])).strip()[:300]
    return ""


def unquoted(text: str) -> str:
    """Return a text whose lines lose their quotation marks, where most lines carry them."""
    lines = text.splitlines()
    quoted = sum(bool(_QUOTE.match(line)) for line in lines if line.strip())
    if quoted * 2 <= sum(bool(line.strip()) for line in lines):
        return text
    return "\n".join(_QUOTE.sub("", line) for line in lines)


def without_comments(text: str) -> str:
    """Return a text without HTML comments; one that is not closed reaches to the end."""
    pieces = []
    at = 0
    while (start := text.find("<!--", at)) >= 0:
        pieces.append(text[at:start])
        end = text.find("-->", start)
        if end < 0:
            return "".join(pieces)
        at = end + 3
    return "".join([*pieces, text[at:]])


def fenced(text: str) -> list[tuple[str, str]]:
    """Return first word and content of every fenced block that is closed."""
    found = []
    mark, word = "", ""
    content: list[str] = []
    for line in text.splitlines():
        fence = _FENCE.match(line)
        if not mark:
            if fence:
                mark, word, content = fence[1], (fence[2].split() or [""])[0].lower(), []
        elif fence and fence[1].startswith(mark) and not fence[2].strip():
            found.append((word, "\n".join(content)))
            mark = ""
        else:
            content.append(line)
    return found


def split_body(text: str) -> list[Part]:
    """Return the findings of an inline body: one, or several where it lists them or repeats itself at other lines."""
    parts = _listed(text, _HEADING) or _listed(text, _NUMBERED) or [read_part(text)]
    if len(parts) == 1:
        also = _ALSO.search(unquoted(text))
        if also:
            ranges = [_range(found) for found in _RANGE.finditer(also[1])]
            whole = parts[0]
            parts += [replace(whole, ranges=(one,), note="the body says that it applies here too") for one in ranges]
    return parts


def _listed(text: str, mark: re.Pattern[str]) -> list[Part]:
    """Return the parts that start with `mark`, where there are two or more outside of code."""
    masked = _masked(text)
    starts = [found.start() for found in mark.finditer(masked)]
    if len(starts) < 2:
        return []
    pieces = [text[start:end] for start, end in zip(starts, [*starts[1:], len(text)], strict=True)]
    return [read_part(_NUMBERED.sub("", piece, count=1).strip()) for piece in pieces]


def _masked(text: str) -> str:
    """Return a text of the same length in which fenced code is blank."""
    kept = []
    mark = ""
    for line in text.splitlines(keepends=True):
        fence = _FENCE.match(line.rstrip("\r\n"))
        is_code = bool(mark or fence)
        if fence and not mark:
            mark = fence[1]
        elif fence and fence[1].startswith(mark) and not fence[2].strip():
            mark = ""
        kept.append(re.sub(r"[^\r\n]", " ", line) if is_code else line)
    return "".join(kept)


def _range(found: re.Match[str]) -> LineRange:
    first = int(found[1])
    return first, int(found[2] or first)


def read_review(text: str) -> ReviewBody:
    """Return what the body of a whole review holds beside its summary."""
    declared = _DECLARED.search(text)
    parts: list[Part] = []
    sections: list[Section] = []
    for name, count, content in _sections(text):
        found = list(_section_parts(name, content))
        parts += found
        sections.append(Section(name, count, len(found)))
    return ReviewBody(tuple(parts), int(declared[1]) if declared else None, tuple(sections))


def _sections(text: str) -> Iterator[tuple[str, int, str]]:
    """Yield name, declared count and content of every section of findings; sections may be quoted at any depth."""
    text = "\n".join(_QUOTE.sub("", line) for line in text.splitlines())
    masked = _masked(text)
    at = 0
    while True:
        heading = _SECTION.search(masked, at)
        if heading is None:
            return
        start = masked.rfind("<details", 0, heading.start())
        if start >= 0 and "</details>" not in masked[start : heading.start()]:
            begin, end = _details(masked, start)
        else:
            begin, end = heading.end(), len(text)
        yield heading[1].strip().lower(), int(heading[2]), text[max(begin, heading.end()) : end]
        at = max(end, heading.end())


def _details(text: str, start: int) -> tuple[int, int]:
    """Return where the content of a `<details>` begins and ends, nested ones inside it."""
    depth = 0
    begin = text.find(">", start) + 1
    for tag in _DETAILS.finditer(text, start):
        depth += -1 if tag[1] else 1
        if depth == 0:
            return begin, tag.start()
    return begin, len(text)


def _section_parts(name: str, content: str) -> Iterator[Part]:
    if "suppressed" in name:
        yield from _suppressed(content)
        return
    default = next((word for word in CODERABBIT_WORDS.split("|") if name.startswith(word)), "")
    for path, inside in _files(content):
        for ranges, words in _items(inside):
            part = read_part(words)
            if not part.severity and default:
                part = replace(part, severity=default, scale="coderabbit")
            note = f"from the section {name} of the review" if "minor" not in name else ""
            yield replace(part, path=path, ranges=ranges, note=note)


def _files(content: str) -> Iterator[tuple[str, str]]:
    """Yield path and content of every `<details>` whose summary is `path (n)`."""
    masked = _masked(content)
    at = 0
    while True:
        start = masked.find("<details", at)
        if start < 0:
            return
        _, end = _details(masked, start)
        summary = _SUMMARY.search(masked, start, end)
        named = _FILE_SUMMARY.match(_TAG.sub("", summary[1][:1000])) if summary else None
        if named and summary:
            yield named[1].strip(" `*"), content[summary.end() : end]
        at = max(end, start + 1)


def _items(content: str) -> Iterator[tuple[tuple[LineRange, ...], str]]:
    """Yield lines and words of every item of a file."""
    found = list(_CODERABBIT_ITEM.finditer(_masked(content)))
    for index, item in enumerate(found):
        end = found[index + 1].start() if index + 1 < len(found) else len(content)
        words = content[item.end() : end].strip()
        yield (_range(item),), words.removesuffix("---").strip() if words.endswith("\n---") else words


def _suppressed(content: str) -> Iterator[Part]:
    found = list(_COPILOT_ITEM.finditer(_masked(content)))
    for index, item in enumerate(found):
        end = found[index + 1].start() if index + 1 < len(found) else len(content)
        words = re.sub(r"^\s*[*-]\s+", "", content[item.end() : end]).strip()
        first = int(item[2])
        part = read_part(words)
        yield replace(
            part,
            path=item[1].strip(" `"),
            ranges=((first, int(item[3] or first)),),
            is_suppressed=True,
            note="held back by the tool itself",
        )
