"""Seeded data in a temporary database, made through the product's services; only sheer bulk is inserted as rows."""

from __future__ import annotations

import os
import random
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit, urlunsplit

from bench.client import Call, InProcess

if TYPE_CHECKING:
    from corpus.models import Case, Project, User
    from labeling.models import Assignment

FILES = 3
BLOCKS = 5
BLOCK_LINES = 5
WORDS = ("order", "total", "charge", "refund", "retry", "queue", "lease", "batch", "cursor", "token", "stock", "price")


@dataclass
class World:
    """A project with its people and cases, and where everything is kept."""

    folder: Path
    environment: dict[str, str]
    project: Project = field(init=False)
    lead: User = field(init=False)
    reviewers: list[User] = field(init=False)
    seats: dict[int, list[Assignment]] = field(default_factory=dict)

    def keep_bytes(self, name: str, body: bytes) -> None:
        """Leave bytes for the reference view."""
        (self.folder / "bytes" / name).write_bytes(body)

    def seat_url(self, seat: Assignment) -> str:
        """Return the address of a seat's workbench."""
        return f"/p/{self.project.slug}/seats/{seat.public_id}/"


@contextmanager
def database(server: str, folder: Path) -> Iterator[str]:
    """Yield the address of a new database: a SQLite file, or one on the given PostgreSQL server."""
    if not server:
        yield f"sqlite:///{folder / 'bench.sqlite3'}"
        return
    import psycopg

    name = f"ts_bench_{os.getpid()}"
    parts = urlsplit(server)
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"')
    try:
        yield urlunsplit(parts._replace(path=f"/{name}"))
    finally:
        with suppress(Exception):
            from django.db import connections

            connections["default"].close_pool()
        with psycopg.connect(server, autocommit=True) as connection:
            connection.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


@contextmanager
def new_world(server: str = "") -> Iterator[World]:
    """Set Django up on a new database in a temporary folder, with people and no cases yet."""
    folder = Path(tempfile.mkdtemp(prefix="touchstone-bench-"))
    try:
        (folder / "bytes").mkdir()
        with database(server, folder) as address:
            environment = {
                "DJANGO_SETTINGS_MODULE": "bench.settings",
                "TOUCHSTONE_SECRET_KEY": "bench-only-secret-key-that-is-long-enough-0123456789",
                "TOUCHSTONE_DATA_DIR": str(folder),
                "TOUCHSTONE_STATIC_ROOT": str(folder / "static"),
                "TOUCHSTONE_LOG_LEVEL": "ERROR",
                "DATABASE_URL": address,
                "BENCH_BYTES_DIR": str(folder / "bytes"),
            }
            os.environ.update(environment)
            world = World(folder, environment)
            fill(world)
            yield world
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def fill(world: World) -> None:
    """Make the tables, the static files and the people."""
    import django

    django.setup()
    from django.core.management import call_command
    from django.db import connection

    from bench.models import Note

    call_command("migrate", verbosity=0)
    # After the tables it refers to: PostgreSQL asks for them at once.
    with connection.schema_editor() as editor:
        editor.create_model(Note)
    call_command("createcachetable", verbosity=0)
    call_command("collectstatic", interactive=False, verbosity=0)
    from corpus import clock
    from corpus.domain.vocabulary import Role
    from corpus.models import Membership, User
    from corpus.services.projects import create_project

    world.lead = User.objects.create_user(email="lead@bench.example", name="Lead")
    world.project = create_project(name="Bench", lead=world.lead)
    world.reviewers = [
        User.objects.create_user(email=f"reviewer-{number}@bench.example", name=f"Reviewer {number}")
        for number in range(8)
    ]
    Membership.objects.bulk_create(
        Membership(project=world.project, user=user, role=Role.REVIEWER, added_by=world.lead, added_at=clock.now())
        for user in world.reviewers
    )


def session_of(user: User) -> str:
    """Return the key of a signed-in session."""
    from django.test import Client

    client = Client(headers={"host": "localhost"})
    client.force_login(user)
    return client.cookies["sessionid"].value


def in_process(user: User) -> InProcess:
    """Return a client of this process, signed in."""
    return InProcess(session_of(user))


def code_line(source: random.Random, number: int) -> bytes:
    """Return one line of Python such as a change would hold."""
    one, two, three = source.sample(WORDS, 3)
    return (
        f'    {one}_{number} = compute_{two}({three}["{one}-{number}"], limit={source.randrange(999)})'
        f"  # {two} of {one}\n"
    ).encode()


def trees(seed: int) -> tuple[dict[bytes, tuple[str, bytes]], dict[bytes, tuple[str, bytes]]]:
    """Return two trees of three files that differ in 150 lines: 15 places of 5 lines removed and 5 added."""
    source = random.Random(seed)
    base, head = {}, {}
    for number in range(FILES):
        lines = [b"def step_%d_%d(order, ledger):\n" % (seed, number)]
        lines += [code_line(source, line) for line in range(200)]
        changed = list(lines)
        for block in range(BLOCKS):
            for line in range(BLOCK_LINES):
                at = 12 + block * 38 + line
                changed[at] = changed[at].replace(b"compute_", b"derive_").replace(b"limit=", b"most=")
        path = f"src/part_{number}/step_{seed}.py".encode()
        base[path], head[path] = ("100644", b"".join(lines)), ("100644", b"".join(changed))
    return base, head


def patch_of(seed: int) -> bytes:
    """Return a git patch of one file with 150 lines of hunk, about 7 kB."""
    source = random.Random(seed)
    path = f"src/{source.choice(WORDS)}/change_{seed}.py"
    out = [f"diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n".encode()]
    for hunk in range(5):
        start = 10 + hunk * 60
        out.append(b"@@ -%d,18 +%d,18 @@ def step_%d(order):\n" % (start, start, hunk))
        out += [b" " + code_line(source, line)[:48] + b"\n" for line in range(3)]
        out += [b"-" + code_line(source, line)[:48] + b"\n" for line in range(12)]
        out += [b"+" + code_line(source, line)[:48] + b"\n" for line in range(12)]
        out += [b" " + code_line(source, line)[:48] + b"\n" for line in range(3)]
    return b"".join(out)


def case_with_trees(world: World, seed: int) -> Case:
    """Store a case of 150 changed lines in three files, with its whole trees."""
    from corpus.services.cases import CaseFacts, create_case_from_trees

    base, head = trees(seed)
    facts = CaseFacts(repository="bench/shop", title="Change", family=f"family-{seed}")
    stored = create_case_from_trees(project=world.project, base=base, head=head, facts=facts, imported_by=world.lead)
    assert stored.case.added_lines + stored.case.removed_lines == 150, "the case must change 150 lines"
    return stored.case


def case_with_patch(world: World, seed: int) -> Case:
    """Store a small case from a patch alone."""
    from corpus.services.cases import CaseFacts, create_case_from_patch

    facts = CaseFacts(repository="bench/shop", title="Change", family=f"patch-{seed}")
    return create_case_from_patch(project=world.project, patch=patch_of(seed), facts=facts, imported_by=world.lead).case


def seat_everybody(world: World, case: Case, pair: int) -> list[Assignment]:
    """Open a round on the case for one of the four pairs of reviewers, and remember the seats by reviewer."""
    from labeling.models import Assignment
    from labeling.services.rounds import open_round

    people = world.reviewers[2 * pair : 2 * pair + 2]
    round_ = open_round(case=case, actor=world.lead, reviewers=people)
    seats = list(Assignment.objects.filter(round=round_).select_related("reviewer", "case").order_by("slot"))
    for seat in seats:
        world.seats.setdefault(world.reviewers.index(seat.reviewer), []).append(seat)
    return seats


LABEL_FIELDS = {
    "title": "A time-out charges twice",
    "severity": "high",
    "category": "concurrency",
    "relation": "introduced",
    "speculative": "no",
    "trigger": "When the gateway answers after the time-out",
    "evidence": "The call is repeated without its key.",
    "impact": "the customer is charged once per attempt",
    "boundary": "",
    "accept_elements": "",
    "keywords": "",
    "confidence": "high",
    "places_alternate": "",
    "places_supporting": "",
}


def label_call(world: World, seat: Assignment, label: str, *, version: int, key: str, text: str) -> Call:
    """Return the request that saves a label of the seat; an empty `label` makes a new one."""
    path = seat.case.files.order_by("position").values_list("new_path_text", flat=True)[0]
    fields = {
        **LABEL_FIELDS,
        "trigger": text,
        "places_primary": f"{path} new 13-15",
        "expected_version": str(version),
        "save_key": key,
    }
    url = world.seat_url(seat) + (f"labels/{label}/" if label else "labels/")
    return Call(url, tuple(fields.items()), accept="application/json")
