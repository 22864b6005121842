"""The list of cases: filtered, sorted and paged in the database, with no patch and no file content in it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from django.db.models import Q

from corpus.domain.vocabulary import Role
from corpus.models import Case, Project, User
from corpus.querysets.cases import CaseQuerySet

PAGE_SIZE = 50
# Sort words of the address; each ends in the key, so that pages never repeat or lose a case.
SORTS: dict[str, tuple[str, ...]] = {
    "oldest": ("pk",),
    "repository": ("repository", "pk"),
    "language": ("language", "pk"),
    "state": ("state", "pk"),
    "largest": ("-added_lines", "-removed_lines", "pk"),
    "smallest": ("added_lines", "removed_lines", "pk"),
}
NEWEST = ("-pk",)
OPEN_COLUMNS = (
    "public_id",
    "project_id",
    "state",
    "repository",
    "language",
    "file_count",
    "added_lines",
    "removed_lines",
    "created_at",
)
HIDDEN_COLUMNS = ("title", "source_kind", "split", "family", "missing", "result")


@dataclass(frozen=True)
class CaseFilters:
    """What the address asks for; empty means any."""

    q: str = ""
    state: str = ""
    language: str = ""
    source_kind: str = ""
    split: str = ""
    sort: str = ""

    @property
    def is_active(self) -> bool:
        """Say whether anything is filtered out."""
        return any((self.q, self.state, self.language, self.source_kind, self.split))


def shows_hidden_columns(roles: frozenset[Role]) -> bool:
    """Say whether a list may show title, source and the like: not to a lead who also reviews here (B6).

    Seeing them bars from labelling the case, and a person who only looks for their next case would bar themselves
    from all of them.
    """
    return Role.REVIEWER not in roles


def listed_cases(user: User, project: Project, filters: CaseFilters, *, hidden: bool) -> CaseQuerySet:
    """Return the cases that `user` may see and that fit the filters, in order, with the columns of the list alone.

    Without `hidden` the filters on hidden columns do nothing: their answer would tell the columns.
    """
    cases = Case.objects.visible_to(user).filter(project=project)
    if not hidden:
        filters = replace(filters, source_kind="", split="")
    for column in ("state", "language", "source_kind", "split"):
        value = getattr(filters, column)
        if value:
            cases = cases.filter(**{column: value})
    if filters.q:
        cases = cases.filter(_text(filters.q, hidden=hidden))
    columns = OPEN_COLUMNS + (HIDDEN_COLUMNS if hidden else ())
    return cases.order_by(*SORTS.get(filters.sort, NEWEST)).only(*columns)


def _text(text: str, *, hidden: bool) -> Q:
    found = Q(public_id__istartswith=text.strip()) | Q(repository__icontains=text)
    if hidden:
        found |= Q(title__icontains=text) | Q(family__iexact=text) | Q(external_url__icontains=text)
    return found


def languages_of(user: User, project: Project) -> list[str]:
    """Return the languages of the cases that `user` may see, for the filter."""
    languages = Case.objects.visible_to(user).filter(project=project).exclude(language="")
    return list(languages.order_by("language").values_list("language", flat=True).distinct())
