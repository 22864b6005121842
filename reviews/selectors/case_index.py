"""Which case a record of a tool's output is about."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from corpus.domain.vocabulary import CaseState
from corpus.models import Case, CorpusVersion, Project
from corpus.services.cases import cases_by_reference


class CaseIndex:
    """The cases that a run may speak of, by every name a source may have for them.

    A name is a case's public id, the address it came from (whole, never a part of it), the name it was imported under,
    its head commit, or its title where no other case has that. Without a version the project's cases count.
    """

    def __init__(self, project: Project, version: CorpusVersion | None, names: Iterable[str]) -> None:
        cases = Case.objects.filter(project=project)
        if version is not None:
            cases = cases.filter(version_cases__version=version)
        else:
            cases = cases.exclude(state=CaseState.WITHDRAWN)
        self.version = version
        self.cases = {case.pk: case for case in cases.defer("message", "context_allowed")}
        self._by_name: dict[str, set[int]] = defaultdict(set)
        for pk, case in self.cases.items():
            self._by_name[case.public_id.lower()].add(pk)
            for name in (case.external_url, case.head_commit.lower(), case.title):
                if name:
                    self._by_name[name].add(pk)
        for name, pk in cases_by_reference(project, names).items():
            if pk in self.cases:
                self._by_name[name] = {pk}

    def find(self, keys: Iterable[str]) -> tuple[Case | None, str]:
        """Return the case of the first key that names one alone, or None with the reason as a sentence."""
        named = [key for key in keys if key]
        for key in named:
            found = self._by_name.get(key) or self._by_name.get(key.lower())
            if found and len(found) == 1:
                return self.cases[next(iter(found))], ""
            if found:
                return None, f'"{key[:120]}" names {len(found)} cases; name one by its id.'
        where = f"version {self.version.number}" if self.version else "the project"
        if not named:
            return None, "It names no case; choose the one that the file is about."
        return None, f'No case of {where} is named "{named[0][:160]}".'
