"""One name for one language, whoever says it: a file's name, a case, or a person."""

from __future__ import annotations

import pytest

from corpus.domain.languages import language_named, language_of, languages_named


@pytest.mark.parametrize(
    ("written", "file"),
    [
        ("Bash", "deploy.sh"),
        ("zsh", "deploy.sh"),
        ("posix  Shell", "deploy.sh"),
        ("golang", "main.go"),
        ("py", "main.py"),
        ("Python 3", "main.py"),
        ("ts", "main.ts"),
        ("NodeJS", "main.js"),
        ("PostgreSQL", "schema.sql"),
        ("c sharp", "Main.cs"),
        ("cpp", "main.cpp"),
        ("C", "main.c"),
        ("r", "plot.r"),
        ("docker", "Dockerfile"),
    ],
)
def test_what_people_write_is_the_name_that_files_are_recognised_by(written: str, file: str) -> None:
    assert language_named(written) == language_of(file.encode()) != ""


@pytest.mark.parametrize(
    ("written", "kept"),
    [("COBOL", "COBOL"), ("  Modula   2 ", "Modula 2"), ("h", "h"), ("", ""), ("shellfish", "shellfish")],
)
def test_what_the_table_does_not_know_stays_as_it_was_written(written: str, kept: str) -> None:
    assert language_named(written) == kept


def test_a_column_names_each_language_once() -> None:
    assert languages_named("bash, Shell ,, python3,COBOL, sh") == "Shell, Python, COBOL"
