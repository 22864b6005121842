"""Which Pygments lexer colours a file: by its name, then by its content, and by choice.

Pygments' own look-up scans the installed packages for plugins at every call; here its table is read once. A name that
several lexers claim is decided by content where content tells, else by a fixed order, so that a file has the same
colours on every machine.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fnmatch import translate
from functools import cache, lru_cache

from pygments.lexer import Lexer
from pygments.lexers import find_lexer_class, get_all_lexers, get_lexer_by_name

# As much of a file as is looked at where its name does not tell.
HEAD = 4_000

# Names that Pygments does not know or takes for something rare.
NAMED = {
    ".babelrc": "json",
    ".eslintrc": "json",
    ".prettierrc": "json",
    "Cargo.lock": "toml",
    "Jenkinsfile": "groovy",
    "Pipfile": "toml",
    "Pipfile.lock": "json",
    "composer.lock": "json",
    "go.mod": "go",
    "go.sum": "",
    "poetry.lock": "toml",
    "uv.lock": "toml",
}
SUFFIXED = {".erb": "rhtml", ".ipynb": "json", ".jsonl": "json", ".svelte": "html", ".webmanifest": "json"}
# Which of the lexers that claim a suffix is meant where content does not tell.
USUAL = (
    "c",
    "cpp",
    "objective-c",
    "objective-c++",
    "perl",
    "php",
    "sql",
    "fsharp",
    "xml",
    "gas",
    "nasm",
    "tex",
    "python",
    "turtle",
    "verilog",
    "gdscript",
)
INTERPRETERS = {
    "awk": "awk",
    "bash": "bash",
    "dash": "bash",
    "deno": "typescript",
    "escript": "erlang",
    "fish": "fish",
    "gawk": "awk",
    "groovy": "groovy",
    "julia": "julia",
    "ksh": "bash",
    "lua": "lua",
    "make": "make",
    "node": "javascript",
    "nodejs": "javascript",
    "osascript": "applescript",
    "perl": "perl",
    "php": "php",
    "pwsh": "powershell",
    "python": "python",
    "Rscript": "splus",
    "ruby": "ruby",
    "runghc": "haskell",
    "sh": "bash",
    "tclsh": "tcl",
    "ts-node": "typescript",
    "zsh": "bash",
}
BEGINNINGS = (("<?php", "php"), ("<?xml", "xml"), ("<!doctype html", "html"), ("<html", "html"), ("%!PS", "postscript"))

_SHEBANG = re.compile(r"#![ \t]*(?:\S*/)?(?:env[ \t]+(?:-\S+[ \t]+)*)?([A-Za-z][A-Za-z-]*)[0-9.]*(?=\s|$)")
_MODELINE = re.compile(
    r"\bvim?:[^\n]{0,80}?\b(?:ft|filetype|syntax)=([\w+-]+)|-\*-[^\n]{0,80}?(?:mode:[ \t]*|-\*-[ \t]+)([\w+-]+)"
    r"|-\*-[ \t]+([\w+-]+)[ \t]+-\*-"
)
_GLOB = re.compile(r"[*?\[]")


@dataclass(frozen=True, slots=True)
class _Table:
    """Pygments' lexers: title by alias, and first alias by whole name, by suffix and by any other pattern."""

    titles: dict[str, str]
    aliases: dict[str, str]
    names: dict[str, list[str]]
    suffixes: dict[str, list[str]]
    patterns: list[tuple[re.Pattern[str], str]]


@cache
def _table() -> _Table:
    table = _Table({}, {}, {}, {}, [])
    for title, aliases, patterns, _ in get_all_lexers(plugins=False):
        if not aliases or aliases[0] == "text":
            continue
        alias = aliases[0]
        table.titles[alias] = title
        table.aliases.update((other.lower(), alias) for other in aliases)
        for pattern in patterns:
            if not _GLOB.search(pattern):
                table.names.setdefault(pattern, []).append(alias)
            elif pattern.startswith("*.") and not _GLOB.search(pattern[1:]):
                table.suffixes.setdefault(pattern[1:], []).append(alias)
            else:
                table.patterns.append((re.compile(translate(pattern)), alias))
    return table


def lexer_name(file_name: str, head: str = "") -> str:
    """Return the alias of the lexer for a file, by its last path segment and the beginning of its text.

    Empty means plain text: neither name nor content tells.
    """
    claims = _claims(file_name)
    if len(claims) == 1:
        return claims[0]
    return _of_several(claims, head[:HEAD]) if claims else _by_content(head[:HEAD])


def lexer_title(name: str) -> str:
    """Return what people call the language of a lexer."""
    return _table().titles.get(name, "Plain text")


def is_lexer(name: str) -> bool:
    """Say whether `name` is one of `lexer_choices`."""
    return not name or name in _table().titles


@cache
def lexer_choices() -> tuple[tuple[str, str], ...]:
    """Return every lexer as (alias, title), by title; plain text, whose alias is empty, comes first."""
    titles = _table().titles
    return (("", "Plain text"), *sorted(titles.items(), key=lambda choice: (choice[1].casefold(), choice[0])))


@lru_cache(maxsize=64)
def lexer_of(name: str) -> Lexer:
    """Return the lexer with this alias, which leaves the text as it is."""
    return get_lexer_by_name(name, stripnl=False, ensurenl=False, encoding=None)


@lru_cache(maxsize=4096)
def _claims(file_name: str) -> tuple[str, ...]:
    """Return the lexers that claim a name: by the whole name, else by its longest suffix, else by another pattern."""
    table = _table()
    for name in dict.fromkeys((file_name, file_name.lower())):
        if name in NAMED:
            return (NAMED[name],)
        if name in table.names:
            return tuple(table.names[name])
        dot = name.find(".")
        while dot >= 0:
            suffix = name[dot:]
            if suffix in SUFFIXED:
                return (SUFFIXED[suffix],)
            if suffix in table.suffixes:
                return tuple(table.suffixes[suffix])
            dot = name.find(".", dot + 1)
        matching = [alias for pattern, alias in table.patterns if pattern.match(name)]
        if matching:
            return tuple(matching)
    return ()


def _of_several(claims: tuple[str, ...], head: str) -> str:
    """Return the lexer that its own look at the content rates highest; else the usual one, else the first."""
    usual = {alias: -at for at, alias in enumerate(USUAL)}

    def rating(alias: str) -> tuple[float, int]:
        kind = find_lexer_class(_table().titles[alias])
        return (kind.analyse_text(head) if kind and head else 0.0, usual.get(alias, -len(USUAL)))

    return max(claims, key=rating)


def _by_content(head: str) -> str:
    """Return the lexer that an interpreter line, an editor's mode line or a well-known beginning names."""
    match = _SHEBANG.match(head)
    if match:
        return INTERPRETERS.get(match.group(1), "")
    beginning = head.lstrip("\ufeff \t\r\n")[:20].lower()
    for start, alias in BEGINNINGS:
        if beginning.startswith(start.lower()):
            return alias
    match = _MODELINE.search("\n".join(head.split("\n", 5)[:5]))
    if match:
        return _table().aliases.get(next(filter(None, match.groups())).lower(), "")
    return ""
