"""Submitting a case: as quick with 4,000 stored labels as with 250, and how many eight clients submit a second."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING

from bench import limit
from bench.client import Answer, Call, OverHttp, together
from bench.server import LIMIT, PRODUCT, serving
from bench.timing import Row, median, percentile
from bench.world import World, case_with_patch, in_process, seat_everybody, session_of

if TYPE_CHECKING:
    from labeling.models import Assignment

CASES = 60
FEW, MANY = 250, 4_000
ROUNDS = 3

Client = Callable[[Call], Answer]


def measure(world: World) -> Iterator[Row]:
    """Measure flatness in this process, then the rate through gunicorn beside the bare site's INSERT."""
    import time

    seats: list[list[Assignment]] = [[] for _ in world.reviewers]
    for number in range(CASES):
        for seat in seat_everybody(world, case_with_patch(world, 1000 + number), number % 4):
            seats[world.reviewers.index(seat.reviewer)].append(seat)
    every = [seat for mine in seats for seat in mine]
    clients = [in_process(user) for user in world.reviewers]
    medians = []
    for wanted in (FEW, MANY):
        store_labels(every, wanted)
        times = []
        for _ in range(2):
            reopen(every)
            for number, mine in enumerate(seats):
                for seat in mine:
                    begun = time.process_time()
                    send(clients[number], world, seat)
                    times.append((time.process_time() - begun) * 1000)
        medians.append(median(times))
    yield Row(f"submit with {MANY} labels against {FEW}, CPU", medians[1], medians[0], "ms", 1.25)
    yield from over_http(world, seats)


def send(client: Client, world: World, seat: Assignment) -> None:
    """Submit a seat as the dialogue does: the answer and the submission in one request."""
    fields = (
        ("verdict", "has_defects"),
        ("missing_context", ""),
        ("summary", "Read twice."),
        ("expected_version", "0"),
    )
    answer = client(Call(world.seat_url(seat) + "submit/", fields))
    assert answer.status == 302, f"a submission answered {answer.status}"


def insert(client: Client, case: int, author: str) -> None:
    """Submit to the bare site."""
    fields = (("author", author), ("verdict", "has_defects"), ("summary", "Read twice."))
    assert client(Call(f"/case/{case}/submit/", fields)).status == 200


def store_labels(seats: list[Assignment], wanted: int) -> None:
    """Fill up to `wanted` complete labels, spread evenly over the seats, with their revisions and places."""
    from corpus import clock
    from corpus.models import Category
    from labeling.models import Label, LabelAnchor, LabelRevision

    held = Label.objects.count()
    now = clock.now()
    category = Category.objects.filter(key="concurrency").first()
    content = {
        "title": "A time-out charges twice",
        "severity": "high",
        "category": category,
        "relation": "introduced",
        "speculative": False,
        "trigger": "When the gateway answers after the time-out",
        "impact": "the customer is charged once per attempt",
        "confidence": "high",
    }
    labels = [
        Label(
            assignment=seats[number % len(seats)],
            number=number // len(seats) + 1,
            version=1,
            created_at=now,
            saved_at=now,
            **content,
        )
        for number in range(held, wanted)
    ]
    Label.objects.bulk_create(labels, batch_size=500)
    LabelRevision.objects.bulk_create(
        [LabelRevision(label=label, number=1, saved_at=now, **content) for label in labels], batch_size=500
    )
    LabelAnchor.objects.bulk_create(
        [
            LabelAnchor(
                label=label, since=1, role="primary", level="lines", path="src/a.py", side="new",
                first_line=13, last_line=15, quote="x", quote_sha256="0" * 64,
            )
            for label in labels
        ],
        batch_size=500,
    )  # fmt: skip


def reopen(seats: list[Assignment]) -> None:
    """Set the seats back to unsubmitted."""
    from corpus.models import CaseSeat
    from labeling.models import Assignment

    Assignment.objects.filter(pk__in=[seat.pk for seat in seats]).update(
        state="active", submitted_at=None, final_at=None, verdict="", missing_context="", summary="", version=0
    )
    CaseSeat.objects.filter(case_id__in={seat.case_id for seat in seats}).update(has_submitted=False)


def over_http(world: World, seats: list[list[Assignment]]) -> Iterator[Row]:
    """Let eight clients submit all their seats, and as many rows into the bare site, in turn."""
    file = world.folder / "limit-submit.sqlite3"
    limit.prepare(file, cases=1, lines=1)
    sessions = [session_of(user) for user in world.reviewers]
    rates: tuple[list[float], list[float]] = ([], [])
    tails: tuple[list[float], list[float]] = ([], [])
    every = [seat for mine in seats for seat in mine]
    with (
        serving(PRODUCT, world.environment) as product,
        serving(LIMIT, {"BENCH_LIMIT_DATABASE": str(file)}) as bare,
    ):
        for turn in range(ROUNDS + 1):
            reopen(every)
            mine = together(
                [
                    [partial(send, OverHttp(product.port, sessions[n]), world, seat) for seat in seats[n]]
                    for n in range(8)
                ]
            )
            theirs = together(
                [
                    [partial(insert, OverHttp(bare.port), turn * 1000 + at, f"r{n}") for at in range(len(seats[n]))]
                    for n in range(8)
                ]
            )
            if turn:
                for load, rate, tail in ((mine, rates[0], tails[0]), (theirs, rates[1], tails[1])):
                    rate.append(load.rate)
                    tail.append(percentile(load.seconds, 0.95) * 1000)
    yield Row("submit, 8 clients, to limit", median(rates[0]), median(rates[1]), "/s", 3.27, is_rate=True)
    yield Row("submit, 8 clients p95, to limit", median(tails[0]), median(tails[1]), "ms", 2.86)
