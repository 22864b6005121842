"""Builders of rows for tests. They go through the product's services wherever one exists."""

from __future__ import annotations

from base64 import b64decode
from dataclasses import replace
from functools import cache
from typing import Any

from corpus import clock
from corpus.domain.vocabulary import Role, Split
from corpus.models import Case, Membership, Project, User
from corpus.services.cases import (
    CaseFacts,
    create_case_from_patch,
    create_case_from_trees,
    create_incomplete_case,
)
from corpus.services.projects import create_project
from corpus.services.scratch import patch_between
from corpus.services.trees import Files

PASSWORD = "correct-horse-battery"


def make_user(name: str) -> User:
    """Store a person whose address is made from the name and whose password is `PASSWORD`."""
    return User.objects.create_user(email=f"{name.lower().replace(' ', '.')}@example.org", password=PASSWORD, name=name)


def make_project(*, lead: User, name: str = "Payments corpus") -> Project:
    """Store a project with default texts."""
    return create_project(name=name, lead=lead)


def make_member(project: Project, user: User, role: Role) -> Membership:
    """Give a person a role."""
    return Membership.objects.create(
        project=project, user=user, role=role, added_by=project.created_by, added_at=clock.now()
    )


RETRY = b'''"""Charging with retries."""

import time

ATTEMPTS = 3


def charge(gateway, order):
    """Charge an order once."""
    return gateway.charge(order.total, key=order.id)


def refund(gateway, order):
    """Give the money back."""
    return gateway.refund(order.id)
'''
TOTALS = b'''"""Totals of orders."""


def total(order):
    """Sum the items of an order."""
    if order.items is None:
        return 0
    return sum(item.price * item.count for item in order.items)
'''
# One transparent point.
PNG = b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")
BASE_FILES: dict[bytes, tuple[str, bytes]] = {
    b"README.md": ("100644", b"# Payments\n\nCharges orders through the gateway.\n"),
    b"logo.png": ("100644", PNG),
    b"pay/__init__.py": ("100644", b""),
    b"pay/retry.py": ("100644", RETRY),
    b"pay/totals.py": ("100644", TOTALS),
}
# Charges twice after a time-out (new lines 8 to 16), and drops the guard for orders without items (old lines 6 and 7).
HEAD_FILES: dict[bytes, tuple[str, bytes]] = {
    **BASE_FILES,
    b"pay/retry.py": (
        "100644",
        RETRY.replace(
            b'    """Charge an order once."""\n    return gateway.charge(order.total, key=order.id)\n',
            b'    """Charge an order, again after a time-out."""\n'
            b"    for attempt in range(ATTEMPTS):\n"
            b"        try:\n"
            b"            return gateway.charge(order.total)\n"
            b"        except TimeoutError:\n"
            b"            time.sleep(2**attempt)\n"
            b"    return None\n",
        ),
    ),
    b"pay/totals.py": (
        "100644",
        TOTALS.replace(b"    if order.items is None:\n        return 0\n", b""),
    ),
}


def head_of(split: Split) -> Files:
    """Return the default head. In another split than dev a module has more to it: near-duplicates keep to one split."""
    if split is Split.DEV:
        return HEAD_FILES
    first = 10 * list(Split).index(split)
    more = b"".join(b"\n\ndef rule_%d():\n    return %d\n" % (n, n) for n in range(first, first + 4))
    mode, totals = HEAD_FILES[b"pay/totals.py"]
    return {**HEAD_FILES, b"pay/totals.py": (mode, totals + more)}


@cache
def default_patch(split: Split = Split.DEV) -> bytes:
    """Return the change of every default case: git is asked for it once, and not for each of a thousand cases."""
    return patch_between(BASE_FILES, head_of(split))


def make_case(
    project: Project,
    *,
    base: Files | None = None,
    head: Files | None = None,
    patch: bytes | None = None,
    patch_only: bool = False,
    facts: CaseFacts | None = None,
    imported_by: User | None = None,
    **fact_values: Any,
) -> Case:
    """Store a ready case: a two-file Python change with whole trees, unless told otherwise.

    `patch` or `patch_only` give a case without snapshots. Keyword arguments beyond these are fields of `CaseFacts`.
    Each call without a change of its own gets one line more in its README, so that cases are different cases.
    """
    facts = replace(facts or CaseFacts(repository="payments-api", title="Retry charges"), **fact_values)
    if patch is None and base is None and head is None:
        note = b"\nNote %d.\n" % Case.objects.filter(project=project).count()
        base, head = (
            {**files, b"README.md": ("100644", files[b"README.md"][1] + note)}
            for files in (BASE_FILES, head_of(Split(facts.split)))
        )
        if patch_only:
            patch = b"Note %d\n\n" % Case.objects.filter(project=project).count() + default_patch(Split(facts.split))
        between = default_patch(Split(facts.split))
    else:
        between = b""
    if patch is not None:
        stored = create_case_from_patch(project=project, patch=patch, facts=facts, imported_by=imported_by)
    else:
        stored = create_case_from_trees(
            project=project, base=base or {}, head=head or {}, facts=facts, imported_by=imported_by, patch=between
        )
    assert stored.created, "the project already holds this change"
    return stored.case


def make_incomplete_case(project: Project, *, reference: str = "https://example.org/pull/1") -> Case:
    """Store a case that waits for its change."""
    return create_incomplete_case(
        project=project,
        reference=reference,
        missing="The change is missing: attach its patch, or its base and head.",
        facts=CaseFacts(title="Imported without its change", external_url=reference),
    ).case
