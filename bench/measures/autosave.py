"""An autosave of a label against a logged-in view that inserts one row in a transaction."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import partial

from bench.client import Answer, Call, OverHttp, together
from bench.server import PRODUCT, serving
from bench.timing import Row, interleaved, median, percentile
from bench.world import World, case_with_trees, in_process, label_call, seat_everybody, session_of

ROUNDS = 60
HTTP_ROUNDS = 3

Client = Callable[[Call], Answer]


class Typist:
    """Somebody who writes one label: each save changes its text and names the version it was filled from."""

    def __init__(self, world: World, reviewer: int, client: Client, key: str) -> None:
        self.world, self.client, self.key = world, client, key
        self.seat = world.seats[reviewer][0]
        self.count = 1
        self.template = label_call(world, self.seat, "", version=0, key=f"{key}.1", text="First words")
        saved = json.loads(self.sent(self.template).body)
        self.label, self.version = saved["label"], saved["version"]
        # The form is kept: making it again is no part of a save.
        self.template = label_call(world, self.seat, self.label, version=0, key="", text="")

    def sent(self, call: Call) -> Answer:
        """Send a save and insist on its acknowledgement."""
        answer = self.client(call)
        assert answer.status == 200, f"an autosave answered {answer.status}: {answer.body[:200]!r}"
        return answer

    def save(self) -> None:
        """Save once."""
        self.count += 1
        fields = dict(self.template.fields or ())
        fields |= {
            "trigger": f"When the gateway answers after the time-out, word {self.count}",
            "expected_version": str(self.version),
            "save_key": f"{self.key}.{self.count}",
        }
        answer = self.sent(Call(self.template.path, tuple(fields.items()), accept="application/json"))
        self.version = json.loads(answer.body)["version"]


def insert(client: Client) -> None:
    """Let the reference view insert its row."""
    fields = (("text", "When the gateway answers after the time-out"),)
    assert client(Call("/bench/note/", fields)).status == 200


def measure(world: World) -> Iterator[Row]:
    """Measure in this process (CPU), then through gunicorn with one client and with eight."""
    if not world.seats:
        for pair in range(4):
            seat_everybody(world, case_with_trees(world, 500 + pair), pair)
    client = in_process(world.reviewers[0])
    typist = Typist(world, 0, client, "benchInProcess01")
    cpu, reference = interleaved([typist.save, partial(insert, client)], rounds=ROUNDS, warm_up=5)
    yield Row("autosave, CPU", cpu, reference, "ms", 4.0)
    sessions = [session_of(user) for user in world.reviewers]
    with serving(PRODUCT, world.environment) as product:
        https = [OverHttp(product.port, session) for session in sessions]
        typists = [Typist(world, n, http, f"benchOverHttp{n:03}") for n, http in enumerate(https)]
        one: tuple[list[float], list[float]] = ([], [])
        eight: tuple[list[float], list[float]] = ([], [])
        cpu: tuple[list[float], list[float]] = ([], [])
        for _ in range(HTTP_ROUNDS):
            for at, (work, count) in enumerate(((typists[0].save, 80), (partial(insert, https[0]), 200))):
                spent = product.cpu_seconds()
                one[at].append(percentile(together([[work] * count]).seconds, 0.5) * 1000)
                cpu[at].append((product.cpu_seconds() - spent) / count * 1000)
            eight[0].append(percentile(together([[typist.save] * 25 for typist in typists]).seconds, 0.95) * 1000)
            eight[1].append(percentile(together([[partial(insert, http)] * 25 for http in https]).seconds, 0.95) * 1000)
    yield Row("autosave, server CPU", median(cpu[0]), median(cpu[1]), "ms", 4.0)
    yield Row("autosave, 1 client p50", median(one[0]), median(one[1]), "ms", 4.0)
    yield Row("autosave, 8 clients p95", median(eight[0]), median(eight[1]), "ms", 4.0)
