"""What a reviewer may know of a case (B6): repository, language, size, the change and the two trees. Nothing else."""

from __future__ import annotations

from dataclasses import dataclass

from corpus.domain.vocabulary import Side
from corpus.models import Case, Tree


@dataclass(frozen=True)
class BlindedCase:
    """A case without its hidden columns; pages for reviewers are given this and never the row."""

    public_id: str
    repository: str
    language: str
    file_count: int
    added_lines: int
    removed_lines: int
    has_old_tree: bool
    has_new_tree: bool

    @property
    def has_snapshot(self) -> bool:
        """Say whether there are whole trees to open files of."""
        return self.has_old_tree or self.has_new_tree


def blinded_case(case: Case) -> BlindedCase:
    """Return what of `case` a reviewer may see. No query."""
    return BlindedCase(
        public_id=case.public_id,
        repository=case.repository,
        language=case.language,
        file_count=case.file_count,
        added_lines=case.added_lines,
        removed_lines=case.removed_lines,
        has_old_tree=case.base_tree_id is not None,
        has_new_tree=case.head_tree_id is not None,
    )


def tree_of(case: Case, side: Side) -> Tree | None:
    """Return one side's snapshot of a case."""
    return case.base_tree if side is Side.OLD else case.head_tree
