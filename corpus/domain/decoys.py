"""Decoy claims: statements nobody made, put before reviewers so that a claims pass tells nothing by its existence (B4).

A decoy names a category and a file and sounds like any short claim. It is believed by nobody: a reviewer who finds it
true has found something.
"""

from __future__ import annotations

import hashlib

# By category key; "{file}" is the last name of the file.
STATEMENTS: dict[str, tuple[str, ...]] = {
    "boundary": (
        "An empty or smallest value takes the wrong branch in {file}.",
        "The last element is left out by a comparison in {file}.",
    ),
    "authorization": (
        "{file} acts on an object without checking that the caller may see it.",
        "A check of the caller's right in {file} comes after the act it guards.",
    ),
    "injection": (
        "Text from outside reaches an interpreter unescaped in {file}.",
        "A path or address taken from outside is used without being confined in {file}.",
    ),
    "resource": (
        "A handle opened in {file} is not closed when an error is raised.",
        "{file} registers something on each call that is never removed.",
    ),
    "concurrency": (
        "Two requests at once can both pass the check in {file} and both act.",
        "A repeated delivery makes {file} act a second time.",
    ),
    "error_handling": (
        "A failure in {file} is swallowed and reported as success.",
        "{file} retries without a limit or a pause.",
    ),
    "data_loss": (
        "Two writes in {file} that belong together are not in one transaction.",
        "{file} drops the old state before the new one is stored.",
    ),
    "compatibility": (
        "Callers that rely on the earlier form of an interface in {file} break.",
        "A default changed in {file} gives an unchanged name another meaning.",
    ),
    "test_quality": (
        "A test around {file} passes although the behaviour it is named for is broken.",
        "An assertion around {file} is never reached.",
    ),
    "performance": (
        "{file} issues a query or request for each element of an unbounded list.",
        "Work in {file} grows with the square of its input.",
    ),
}
OTHER = ("{file} has a defect of the kind: {category}.", "There is a defect of the kind {category} in {file}.")


def decoy_statement(*, category_key: str, category_name: str, path: str, seed: bytes) -> str:
    """Return the statement of a decoy; the same inputs give the same one."""
    choices = STATEMENTS.get(category_key, OTHER)
    chosen = choices[pick(seed, len(choices), "statement")]
    return chosen.format(file=path.rpartition("/")[2], category=category_name.lower())


def pick(seed: bytes, count: int, what: str) -> int:
    """Return a number below `count`, decided by `seed` and `what` alone."""
    return int.from_bytes(hashlib.sha256(seed + b"\0" + what.encode()).digest()[:8], "big") % count
