"""Opening a case of 150 changed lines: the page and every fragment it loads, against a view that returns the same."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial

from bench import limit
from bench.client import Answer, Call, InProcess, OverHttp, together
from bench.server import LIMIT, PRODUCT, serving
from bench.timing import Row, interleaved, median, percentile
from bench.world import World, case_with_trees, in_process, seat_everybody, session_of

ROUNDS = 40
HTTP_ROUNDS = 3
# CPU of servers is counted in hundredths of a second, so the quick ones are asked more often.
ONE_CLIENT = {"product": 60, "reference": 200, "limit": 200}
# What a browser asks for by itself once it has the page.
LOADED = re.compile(rb'hx-get="([^"]+)"[^>]*hx-trigger="[^"]*(?:load|intersect|revealed)')

Client = Callable[[Call], Answer]


def fetch(client: Client, path: str) -> bytes:
    """Do what a browser does to open a case and return all bytes."""
    page = client(Call(path))
    assert page.status == 200, f"{path} answered {page.status}"
    parts = [page.body]
    for fragment in LOADED.findall(page.body):
        answer = client(Call(fragment.decode().replace("&amp;", "&")))
        assert answer.status == 200, f"{fragment!r} answered {answer.status}"
        parts.append(answer.body)
    return b"".join(parts)


def expect_200(client: Client, path: str) -> None:
    """Ask for one page."""
    assert client(Call(path)).status == 200


def measure(world: World) -> Iterator[Row]:
    """Measure in this process (CPU), then through gunicorn with one client and with eight."""
    for pair in range(4):
        for number in range(3):
            seat_everybody(world, case_with_trees(world, 100 * pair + number), pair)
    clients = [in_process(user) for user in world.reviewers]
    urls = [[world.seat_url(seat) for seat in world.seats[number]] for number in range(8)]
    first = first_time(clients, urls)
    whole = fetch(clients[0], urls[0][0])
    world.keep_bytes("case", whole)
    turn = iter(range(10**6))

    def product() -> None:
        at = next(turn) % 8
        fetch(clients[at], urls[at][at % len(urls[at])])

    cpu, reference = interleaved(
        [product, partial(expect_200, clients[0], "/bench/bytes/case/")], rounds=ROUNDS, warm_up=24
    )
    yield Row("open a case, CPU", cpu, reference, "ms", 4.0, f"{len(whole) / 1000:.0f} kB")
    yield Row("open a case nobody opened, CPU", first, reference, "ms")
    yield from over_http(world, urls)


def first_time(clients: list[InProcess], urls: list[list[str]]) -> float:
    """Return the median CPU milliseconds of opening each case for the first time since its import."""
    import time

    times = []
    for number, client in enumerate(clients):
        if number % 2 == 0:
            for url in urls[number]:
                begun = time.process_time()
                fetch(client, url)
                times.append((time.process_time() - begun) * 1000)
    return median(times)


def over_http(world: World, urls: list[list[str]]) -> Iterator[Row]:
    """Measure through real servers: the product, the reference view in it, and the bare site."""
    file = world.folder / "limit-open.sqlite3"
    limit.prepare(file, cases=40, lines=240)
    sessions = [session_of(user) for user in world.reviewers]
    with (
        serving(PRODUCT, world.environment) as product,
        serving(LIMIT, {"BENCH_LIMIT_DATABASE": str(file)}) as bare,
    ):

        def works(kind: str, client: int, count: int) -> list[Callable[[], object]]:
            if kind == "limit":
                http = OverHttp(bare.port)
                return [partial(expect_200, http, f"/case/{n % 40}/") for n in range(count)]
            http = OverHttp(product.port, sessions[client])
            if kind == "reference":
                return [partial(expect_200, http, "/bench/bytes/case/") for _ in range(count)]
            return [partial(fetch, http, urls[client][n % len(urls[client])]) for n in range(count)]

        kinds = ("product", "reference", "limit")
        cpu: dict[str, list[float]] = {kind: [] for kind in kinds}
        for kind in kinds:
            together([works(kind, client, 6) for client in range(8)])
        one: dict[str, list[float]] = {kind: [] for kind in kinds}
        eight: dict[str, list[float]] = {kind: [] for kind in kinds}
        for _ in range(HTTP_ROUNDS):
            for kind in kinds:
                server, count = (bare if kind == "limit" else product), ONE_CLIENT[kind]
                spent = server.cpu_seconds()
                one[kind].append(percentile(together([works(kind, 0, count)]).seconds, 0.5) * 1000)
                cpu[kind].append((server.cpu_seconds() - spent) / count * 1000)
            for kind in kinds:
                load = together([works(kind, client, 25) for client in range(8)])
                eight[kind].append(percentile(load.seconds, 0.95) * 1000)
    yield Row("open a case, server CPU", median(cpu["product"]), median(cpu["reference"]), "ms", 4.0)
    yield Row("open a case, server CPU, to limit", median(cpu["product"]), median(cpu["limit"]), "ms", 6.25)
    yield Row("open a case, 1 client p50", median(one["product"]), median(one["reference"]), "ms", 4.0)
    yield Row("open a case, 8 clients p95", median(eight["product"]), median(eight["reference"]), "ms", 4.0)
    yield Row("open a case, 1 client p50, to limit", median(one["product"]), median(one["limit"]), "ms", 6.25)
    yield Row("open a case, 8 clients p95, to limit", median(eight["product"]), median(eight["limit"]), "ms", 6.25)
