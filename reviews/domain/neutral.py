"""AI text without the marks of who wrote it (B3): no badges, headings, footers, hidden markers, calls or names.

What is said of the code stays, word for word. The same text in two wrappings comes out the same, so that rulers are
asked about it once. A change of these rules changes `NEUTRAL_VERSION`, part of the digest that rulings bind to.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable
from functools import lru_cache

from corpus.domain.places import Anchor
from reviews.domain.formats.bodies import fenced, unquoted, without_comments

NEUTRAL_VERSION = "1"
NAME_MARK = "the tool"

# Names of products and accounts, beside those a project gives its tools.
KNOWN_NAMES = (
    "coderabbitai",
    "code rabbit",
    "coderabbit",
    "github copilot",
    "copilot-pull-request-reviewer",
    "copilot",
    "gemini-code-assist",
    "gemini code assist",
    "chatgpt-codex-connector",
    "greptileai",
    "greptile-apps",
    "greptile",
    "cursor bugbot",
    "bugbot",
    "graphite-app",
    "graphite agent",
    "qodo-merge-pro",
    "qodo-merge",
    "qodo",
    "augmentcode",
    "augment code",
    "propel-code-bot",
    "baz-reviewer",
    "claude code",
    "sourcery-ai",
    "ellipsis-dev",
    "devin-ai-integration",
    "korbit",
    "kodus",
    "monkeycode",
)
# Also plain words, libraries or names in code: taken for a name only behind an @ or before [bot].
ACCOUNTS = (
    "codex",
    "chatgpt",
    "openai",
    "gemini",
    "graphite",
    "diamond",
    "codium",
    "augment",
    "propel",
    "baz",
    "anthropic",
    "claude",
    "deepseek",
    "sourcery",
    "devin",
    "bito",
    "cursor",
)

_IMAGE = re.compile(r"!\[[^\]\n]{0,200}\]\([^)\n]{0,1000}\)|<img\b[^>\n]{0,1000}>", re.IGNORECASE)
_LINK = re.compile(r"\[([^\]\n]{0,500})\]\((?:https?:|mailto:)[^)\n]{0,1000}\)", re.IGNORECASE)
_ADDRESS = re.compile(r"https?://[^\s<>()\"'`\]]{1,1000}", re.IGNORECASE)
_TAG = re.compile(
    r"</?(?:details|summary|sub|sup|b|i|u|em|strong|br|hr|p|div|span|picture|source|a|blockquote|kbd|h[1-6])\b"
    r"[^<>\n]{0,400}>",
    re.IGNORECASE,
)
# Words in italics that grade or sort the comment: each starts with a sign, or is a word of the vocabulary.
_LABELS = re.compile(
    r"^\s*_(?:[^\w\s`_][^_\n]{0,80}|critical|major|minor|trivial|info|nitpick|potential issue|refactor suggestion)_"
    r"(?:\s*\|\s*_[^_\n]{1,80}_)*\s*$",
    re.IGNORECASE,
)
_HEADING = re.compile(r"^\s{0,3}#{1,6}\s+")
_SEVERITY_LINE = re.compile(
    r"^[\W_]{0,20}(?:severity|priority|category|confidence|effort|impact score|issue type)[*_ \t]{0,6}[:=]"
    r"[\W_]{0,6}[\w /&-]{1,40}[\W_]{0,6}$",
    re.IGNORECASE,
)
_GRADE = r"(?:critical|high|medium|low|major|minor|trivial|nitpick|nit|P[0-3])"
_SEVERITY_PREFIX = re.compile(
    rf"^[^\w\n`]{{0,12}}(?:\[{_GRADE}\]|{_GRADE}(?: (?:priority|severity|risk|issue|bug))?"
    r"(?:[*_]{0,3}[ \t]*[:|]|[*_]{0,3}[ \t]+[–—-](?=[ \t])|[*_]{0,3}[ \t]*$))[*_ \t]{0,6}",
    re.IGNORECASE,
)
_EMOJI = re.compile("[\U0001f000-\U0001faff\u2600-\u27bf\u2b00-\u2bff\ufe0f\u200d\u20e3]+")
# What a line about the comment itself begins with.
_FOOTER = re.compile(
    r"^[\W_]*(?:useful\? |was this (?:comment |suggestion |review )?(?:helpful|useful)|react with |"
    r"prompt for ai agents?|fix (?:in|with) (?:cursor|codex|claude)|open in (?:cursor|web)|verify each finding against|"
    r"committable suggestion|carefully review the code before committing|ensure that it accurately replaces|"
    r"(?:this (?:is an |comment (?:is|was) |review (?:is|was) )?)?auto(?:matically|-)? ?generated\b.{0,80}$|"
    r"(?:(?:comment|review) )?generated (?:by|with) [^.\n]{0,40}$|reviewed by |powered by |"
    r"if (?:this|the) (?:suggestion|comment) (?:is|was) |reply with |give (?:a )?thumbs|learn more about |"
    r"configure here|suggestion importance|also applies to:? ?[\d,; –-]+$|fingerprinting: |script executed|"
    r"analysis chain)",
    re.IGNORECASE,
)
_BOLD_ONLY = re.compile(r"^\s*(\*\*|__)([^\n]+?)\1\s*$")
# Folded parts that help people or machines to work with the comment and say nothing of the code.
_FOLDED = re.compile(
    r"prompt for|committable suggestion|analysis chain|script executed|^\W*tools\b|learnings|"
    r"fix in|fix with|review details|^\W*about\b|web query",
    re.IGNORECASE,
)
_DETAILS = re.compile(r"<(/?)details\b[^<>]{0,200}>", re.IGNORECASE)
_SUMMARY = re.compile(r"\s{0,20}<summary>([^<]{0,1000}(?:<(?!/summary)[^<]{0,1000}){0,20})</summary>", re.IGNORECASE)


def neutral_text(title: str, body: str, names: Iterable[str] = ()) -> str:
    """Return what a finding says without marks of the tool; `names` are those it goes by in its project.

    A title that the body does not begin with stands above it.
    """
    text = _without_marks(body)
    head = _without_marks(title).strip()
    if head and _flat(head) not in _flat(text[: len(head) * 3 + 200]):
        text = f"{head}\n\n{text}"
    return without_names(text, names).strip()


def neutral_suggestion(text: str, names: Iterable[str] = ()) -> str:
    """Return a suggested change without names; its code stays as it is otherwise."""
    return without_names(without_comments(text), names).strip("\n")


def without_names(text: str, names: Iterable[str] = ()) -> str:
    """Return a text in which names of tools are replaced, whole words in any case of letters."""
    own = {name.strip().lower().removesuffix("[bot]").lstrip("@") for name in names if len(name.strip()) > 2}
    return _names_pattern(tuple(sorted(own))).sub(NAME_MARK, text)


@lru_cache(maxsize=100)
def _names_pattern(own: tuple[str, ...]) -> re.Pattern[str]:
    words = _either({*own, *KNOWN_NAMES})
    accounts = _either({*own, *KNOWN_NAMES, *ACCOUNTS})
    return re.compile(
        rf"@(?:{accounts})(?:\[bot\])?(?![\w-])|(?<![\w./-])(?:{accounts})\[bot\]|"
        rf"(?<![\w./])(?:{words})(?:'s\b)?(?![\w-])",
        re.IGNORECASE,
    )


def _either(names: set[str]) -> str:
    longest_first = sorted(names, key=lambda name: (-len(name), name))
    return "|".join(re.escape(name).replace(r"\ ", "[ -]") for name in longest_first)


def _without_marks(text: str) -> str:
    text = _without_folded(unquoted(without_comments(text)))
    kept: list[str] = []
    fence = ""
    for line in text.splitlines():
        mark = re.match(r"\s*(`{3,}|~{3,})", line)
        if fence:
            kept.append(line)
            if mark and mark[1].startswith(fence) and not line.strip().strip(mark[1][0]):
                fence = ""
            continue
        if mark:
            fence = mark[1]
            # What a fence is called tells the tool's habits and not the code.
            kept.append(f"{mark[0]}{'' if 'suggestion' in line.lower() else line[mark.end() :]}")
            continue
        kept += [one for one in _line(line) if one or kept[-1:] != [""]]
    return "\n".join(kept).strip()


def _line(line: str) -> list[str]:
    """Return what stays of a line outside of code; nothing of one that is about the comment alone."""
    if _LABELS.match(line) or _SEVERITY_LINE.match(line):
        return []
    plain = _LINK.sub(lambda found: found[1], _IMAGE.sub("", line))
    plain = _EMOJI.sub("", _TAG.sub("", _ADDRESS.sub(_foreign_address, plain)))
    if _FOOTER.match(plain):
        return []
    plain = _HEADING.sub("", plain)
    bold = _BOLD_ONLY.match(plain)
    if bold:
        plain = bold[2].strip()
    graded = _SEVERITY_PREFIX.match(plain)
    if graded:
        plain = plain[graded.end() :]
    if not re.search(r"\w", plain):
        return [] if line.strip() else [""]
    return [plain.rstrip()]


def _foreign_address(found: re.Match[str]) -> str:
    """Return an address unless it is one of a tool."""
    address = found[0].lower()
    return "" if any(name.replace(" ", "") in address for name in (*KNOWN_NAMES, "cursor.com")) else found[0]


def _without_folded(text: str) -> str:
    """Return a text without the folded parts that are about the comment and not about the code."""
    kept: list[str] = []
    folded: list[bool] = []
    at = 0
    for tag in _DETAILS.finditer(text):
        if not any(folded[-1:]):
            kept.append(text[at : tag.start()])
        at = tag.end()
        if tag[1]:
            del folded[-1:]
            continue
        summary = _SUMMARY.match(text, at)
        # What is inside a folded part is folded too.
        folded.append(any(folded[-1:]) or bool(summary and _FOLDED.search(summary[1])))
        at = summary.end() if summary else at
    return "".join(kept if any(folded[-1:]) else [*kept, text[at:]])


def _flat(text: str) -> str:
    return " ".join(re.sub(r"[*_`#]", "", text).lower().split())


def content_digest(case_id: str, text: str, suggestion: str, anchors: Iterable[Anchor]) -> str:
    """Return the digest of what a finding says and where, whoever said it: what a ruling on it binds to."""
    places = sorted(
        [anchor.path or "", anchor.side.value if anchor.side else "", [list(one) for one in anchor.ranges]]
        for anchor in anchors
    )
    plain = ["finding", NEUTRAL_VERSION, case_id, _flat_code(text), suggestion, places]
    return hashlib.sha256(json.dumps(plain, ensure_ascii=True, separators=(",", ":")).encode()).hexdigest()


def _flat_code(text: str) -> str:
    """Return a text in which blanks outside of code do not count."""
    if fenced(text):
        return text
    return " ".join(text.split())
