"""The one vocabulary of languages: of files by their names, of cases, and of what people can judge.

A small, fixed table: the same name gives the same language on every machine.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

BY_EXTENSION = {
    "bash": "Shell",
    "c": "C",
    "cc": "C++",
    "clj": "Clojure",
    "cpp": "C++",
    "cs": "C#",
    "css": "CSS",
    "cxx": "C++",
    "dart": "Dart",
    "erb": "Ruby",
    "erl": "Erlang",
    "ex": "Elixir",
    "exs": "Elixir",
    "fs": "F#",
    "go": "Go",
    "graphql": "GraphQL",
    "groovy": "Groovy",
    "h": "C",
    "hh": "C++",
    "hpp": "C++",
    "hs": "Haskell",
    "html": "HTML",
    "java": "Java",
    "js": "JavaScript",
    "jsx": "JavaScript",
    "kt": "Kotlin",
    "kts": "Kotlin",
    "less": "CSS",
    "lua": "Lua",
    "m": "Objective-C",
    "mjs": "JavaScript",
    "cjs": "JavaScript",
    "ml": "OCaml",
    "mm": "Objective-C",
    "php": "PHP",
    "pl": "Perl",
    "pm": "Perl",
    "proto": "Protocol Buffers",
    "ps1": "PowerShell",
    "py": "Python",
    "pyi": "Python",
    "r": "R",
    "rake": "Ruby",
    "rb": "Ruby",
    "rs": "Rust",
    "sass": "CSS",
    "scala": "Scala",
    "scss": "CSS",
    "sh": "Shell",
    "sol": "Solidity",
    "sql": "SQL",
    "svelte": "Svelte",
    "swift": "Swift",
    "tf": "Terraform",
    "ts": "TypeScript",
    "tsx": "TypeScript",
    "vb": "Visual Basic",
    "vim": "Vim script",
    "vue": "Vue",
    "xml": "XML",
    "yaml": "YAML",
    "yml": "YAML",
    "zig": "Zig",
    "zsh": "Shell",
    "json": "JSON",
    "md": "Markdown",
    "rst": "reStructuredText",
    "toml": "TOML",
}
BY_NAME = {
    "dockerfile": "Dockerfile",
    "gemfile": "Ruby",
    "jenkinsfile": "Groovy",
    "makefile": "Makefile",
    "rakefile": "Ruby",
}
# Named only when a change touches nothing else: they accompany code in almost every change.
SECONDARY = frozenset({"HTML", "JSON", "Markdown", "TOML", "XML", "YAML", "reStructuredText"})


# What people write for a language, beside its name and the endings of its files.
SPOKEN = {
    "ansi c": "C",
    "c sharp": "C#",
    "c plus plus": "C++",
    "csharp": "C#",
    "docker": "Dockerfile",
    "ecmascript": "JavaScript",
    "f sharp": "F#",
    "fsharp": "F#",
    "golang": "Go",
    "hcl": "Terraform",
    "ksh": "Shell",
    "make": "Makefile",
    "mysql": "SQL",
    "node": "JavaScript",
    "node.js": "JavaScript",
    "nodejs": "JavaScript",
    "objc": "Objective-C",
    "objective c": "Objective-C",
    "pl/sql": "SQL",
    "plpgsql": "SQL",
    "posix shell": "Shell",
    "postgres": "SQL",
    "postgresql": "SQL",
    "protobuf": "Protocol Buffers",
    "py3": "Python",
    "python 3": "Python",
    "python3": "Python",
    "shell script": "Shell",
    "shell scripts": "Shell",
    "sqlite": "SQL",
    "t-sql": "SQL",
    "vb.net": "Visual Basic",
    "viml": "Vim script",
    "vimscript": "Vim script",
}
_NAMES = {name.casefold(): name for name in (*BY_EXTENSION.values(), *BY_NAME.values())}
# One letter is the name of a language or says too little.
_ENDINGS = {ending: name for ending, name in BY_EXTENSION.items() if len(ending) > 1}
_WRITTEN = {**_ENDINGS, **SPOKEN, **_NAMES}


def language_named(text: str) -> str:
    """Return the name that files are recognised by for what a person wrote, as in "bash" or "golang".

    What the table does not know stays as it was written, without superfluous space.
    """
    words = " ".join(text.split())
    return _WRITTEN.get(words.casefold(), words)


def languages_named(text: str) -> str:
    """Return a column of languages separated by commas, each by its name and only once."""
    return ", ".join(dict.fromkeys(filter(None, map(language_named, text.split(",")))))


def language_of(path: bytes) -> str:
    """Return the language of the file at `path`, or an empty string when its name does not tell."""
    name = path.rsplit(b"/", 1)[-1].decode("utf-8", "replace").lower()
    if name in BY_NAME:
        return BY_NAME[name]
    return BY_EXTENSION.get(name.rsplit(".", 1)[-1], "") if "." in name else ""


def primary_language(changes: Iterable[tuple[bytes, int]]) -> str:
    """Return the language with the most changed lines, from (path, changed lines).

    Ties go to the first in the alphabet. Data and prose formats come second to any programming language. Empty when
    no name tells.
    """
    weights: Counter[str] = Counter()
    for path, lines in changes:
        language = language_of(path)
        if language:
            # A pure rename still says which language the change is about.
            weights[language] += max(lines, 1)
    ranked = sorted(weights, key=lambda language: (language in SECONDARY, -weights[language], language))
    return ranked[0] if ranked else ""
