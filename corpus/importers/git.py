"""One change of a local git repository, by base and head.

The bytes of such an import are three names as JSON, the commits in full: a branch that moves between preview and commit
changes nothing.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from corpus.gitrepo import GitRefused, GitRepository
from corpus.importers.records import ImportedCase, ImportRefused, RecordRefused, Source
from corpus.importers.shapes import Shape, load_json
from corpus.services.case_facts import CaseFacts, printable
from corpus.services.cases import GitSource
from corpus.services.git_trees import GIT_LIMITS


@dataclass(frozen=True)
class GitReference:
    """A change of a repository of this machine; the commits are full object names."""

    repository: str
    base: str
    head: str


def reference_of(*, repository: str, base: str, head: str) -> GitReference:
    """Return the change that the names mean now; the base defaults to the first parent. Raises ImportRefused."""
    if not head.strip():
        raise ImportRefused("A repository needs a head: the commit, branch or tag that holds the change.")
    try:
        with GitRepository(repository, limits=GIT_LIMITS) as opened:
            head_oid = opened.resolve(head.strip())
            base_oid = opened.resolve(base.strip()) if base.strip() else _first_parent(opened, head_oid)
    except GitRefused as error:
        raise ImportRefused(f"{sentence(str(error))}") from error
    if base_oid == head_oid:
        raise ImportRefused(f"Base and head are both commit {head_oid[:12]}; give two different ones.")
    return GitReference(str(Path(repository).resolve()), base_oid, head_oid)


def _first_parent(repository: GitRepository, head: str) -> str:
    parents = repository.commit_info(head).parents
    return parents[0] if parents else repository.empty_tree


def sentence(text: str) -> str:
    """Return a message as a sentence."""
    return text[:1].upper() + text[1:] + ("" if text.endswith(".") else ".")


def source_of(reference: GitReference) -> Source:
    """Return the bytes that stand for the change."""
    fields = {"repository": reference.repository, "base": reference.base, "head": reference.head}
    name = f"{Path(reference.repository).name} {reference.base[:12]}..{reference.head[:12]}"
    return Source(name, json.dumps(fields, sort_keys=True).encode())


@contextmanager
def read(source: Source, defaults: CaseFacts) -> Iterator[Iterator[ImportedCase]]:
    """Open the repository and give its one case while the block runs. Raises ImportRefused."""
    try:
        shape = Shape(load_json(source.data, what=source.name))
        reference = GitReference(*(shape.text(name, required=True) for name in ("repository", "base", "head")))
    except RecordRefused as error:
        raise ImportRefused(str(error)) from error
    try:
        with GitRepository(reference.repository, limits=GIT_LIMITS) as repository:
            yield iter([_case(repository, reference, source.name, defaults)])
    except GitRefused as error:
        raise ImportRefused(sentence(str(error))) from error


def _case(repository: GitRepository, reference: GitReference, place: str, defaults: CaseFacts) -> ImportedCase:
    info = repository.commit_info(reference.head)
    author = f"{info.author_name} <{info.author_email}>" if info.author_email else info.author_name
    message = printable(info.message)
    path = Path(reference.repository)
    name = path.parent.name if path.name == ".git" else path.name
    facts = replace(
        defaults,
        repository=defaults.repository or printable(name.removesuffix(".git"))[:200],
        title=message.partition("\n")[0],
        message=message[:100_000],
        change_author=printable(author)[:200],
        base_commit=reference.base,
        head_commit=reference.head,
    )
    return ImportedCase(place, facts, GitSource(repository, reference.base, reference.head))
