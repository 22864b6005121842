"""What is said about a case beside its change: checked here, for every source and for edits alike."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from django.db import models

from corpus.domain.languages import languages_named
from corpus.domain.vocabulary import SourceKind, Split
from corpus.models import Case, CaseTag, User

MAX_TEXT = 100_000
MAX_TAGS = 30
_ADDRESS = re.compile(r"<([^<>\s]+@[^<>\s]+)>\s*$")


class FactsRefused(Exception):
    """A fact of a case cannot be stored; the message is one sentence that names the field and what it may hold."""


@dataclass(frozen=True)
class CaseFacts:
    """Provenance and description of a case. Reviewers see repository and language of it, no more (B6)."""

    source_kind: SourceKind = SourceKind.EXPERT
    split: Split = Split.DEV
    repository: str = ""
    # Empty means: told by the names of the changed files.
    language: str = ""
    area: str = ""
    title: str = ""
    message: str = ""
    change_author: str = ""
    base_commit: str = ""
    head_commit: str = ""
    external_url: str = ""
    family: str = ""
    cluster: str = ""
    variant: str = ""
    tier: str = ""
    licence: str = ""
    is_private: bool = True
    context_allowed: str = ""
    build: str = ""
    language_versions: str = ""
    tags: tuple[str, ...] = ()

    def digest(self) -> str:
        """Return a hash of all of them, by which a stale edit is told (N3)."""
        values = [(field.name, _in_words(getattr(self, field.name))) for field in fields(self)]
        return hashlib.sha256(repr(values).encode()).hexdigest()

    def differences(self, other: CaseFacts) -> list[tuple[str, str, str]]:
        """Return name, value here and value there of each fact that differs, in words."""
        return [
            (field.name, _in_words(getattr(self, field.name)), _in_words(getattr(other, field.name)))
            for field in fields(self)
            if getattr(self, field.name) != getattr(other, field.name)
        ]


def _in_words(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)


TEXT_FIELDS = tuple(
    field.name for field in fields(CaseFacts) if field.name not in {"source_kind", "split", "is_private", "tags"}
)
MULTILINE = frozenset({"message", "context_allowed"})


def checked_facts(facts: CaseFacts) -> CaseFacts:
    """Return the facts with blanks at the ends removed. Raises FactsRefused; a title that is too long is shortened."""
    texts: dict[str, Any] = {}
    for name in TEXT_FIELDS:
        value = check_text(name, getattr(facts, name).strip(), multiline=name in MULTILINE)
        limit = _limit_of(name)
        if name == "language":
            value = languages_named(value)
        if name == "title" and len(value) > limit:
            value = value[: limit - 1] + "…"
        if len(value) > limit:
            raise FactsRefused(f'"{name}" has {len(value)} characters; the limit is {limit}, so shorten it.')
        texts[name] = value
    if texts["external_url"] and not re.match(r"https?://", texts["external_url"]):
        raise FactsRefused('"external_url" must start with http:// or https://.')
    return replace(facts, **texts, tags=checked_tags(facts.tags))


def checked_tags(tags: tuple[str, ...]) -> tuple[str, ...]:
    """Return the tags once each, in the order of the alphabet. Raises FactsRefused."""
    limit = _limit_of("name", CaseTag)
    cleaned = dict.fromkeys(check_text("tags", tag.strip()) for tag in tags)
    cleaned.pop("", None)
    for tag in cleaned:
        if len(tag) > limit:
            raise FactsRefused(f'The tag "{tag[:20]}…" has {len(tag)} characters; the limit is {limit}.')
    if len(cleaned) > MAX_TAGS:
        raise FactsRefused(f"The case has {len(cleaned)} tags; the limit is {MAX_TAGS}.")
    return tuple(sorted(cleaned))


def check_text(name: str, value: str, *, multiline: bool = False) -> str:
    """Return `value` if every database can hold it as text. Raises FactsRefused with the field's name."""
    try:
        value.encode("utf-8")
    except UnicodeEncodeError as error:
        raise FactsRefused(f'"{name}" holds half of a surrogate pair, which is no text; write it anew.') from error
    for character in value:
        if (character < " " and not (character == "\t" or (multiline and character in "\r\n"))) or character == "\x7f":
            raise FactsRefused(f'"{name}" holds the control character U+{ord(character):04X}; remove it.')
    return value


def printable(text: str) -> str:
    """Return `text` with what no column can hold replaced: for words of commits, mails and foreign records."""
    text = text.encode("utf-8", "replace").decode("utf-8").replace("\r\n", "\n")
    return "".join(
        "\ufffd" if (character < " " and character not in "\n\t") or character == "\x7f" else character
        for character in text
    )


def facts_of_case(case: Case) -> CaseFacts:
    """Return the facts that are stored, in the form that an edit compares with."""
    tags = sorted(CaseTag.objects.filter(case=case).values_list("name", flat=True))
    return CaseFacts(
        **{name: getattr(case, name) for name in TEXT_FIELDS},
        source_kind=SourceKind(case.source_kind),
        split=Split(case.split),
        is_private=case.is_private,
        tags=tuple(tags),
    )


def author_address(facts: CaseFacts) -> str:
    """Return the address of the change's author in lower case, or an empty string when it is not given."""
    address = _ADDRESS.search(facts.change_author)
    return address[1].lower() if address else ""


def columns_of(facts: CaseFacts, authors: Mapping[str, User] | None = None) -> dict[str, Any]:
    """Return the columns of a case that checked facts fill; the author is recognised by their address (B7).

    `authors` are people by address, for those who have looked them up already.
    """
    columns: dict[str, Any] = {name: getattr(facts, name) for name in TEXT_FIELDS}
    columns |= {"source_kind": facts.source_kind, "split": facts.split, "is_private": facts.is_private}
    address = author_address(facts)
    if authors is not None:
        columns["change_author_user"] = authors.get(address)
    else:
        columns["change_author_user"] = User.objects.filter(email=address).first() if address else None
    return columns


def _limit_of(name: str, model: type[models.Model] = Case) -> int:
    return getattr(model._meta.get_field(name), "max_length", None) or MAX_TEXT
