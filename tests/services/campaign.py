"""Kills the server again and again while people save and submit, and compares their ledgers with the rows (N1).

python -m tests.services.campaign --kills 200 [--engine sqlite|postgres] [--seed 1]
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from tests.services.ledger import Reviewer
from tests.services.server import POSTGRES, SQLITE, Server, Stage, postgres_address, wait_until

PEOPLE = ("ada", "ben")
# When the server is killed: inside a save, between two saves, or while both submit.
MOMENTS = ("inside", "inside", "between", "inside", "submitting")


@dataclass
class Report:
    """What a campaign did and found."""

    kills: Counter[str] = field(default_factory=Counter)
    acknowledged: int = 0
    # Requests that a kill left without an answer, by whether they turned out to be stored.
    unanswered: int = 0
    compared: int = 0
    differences: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        kinds = ", ".join(f"{count} {moment}" for moment, count in sorted(self.kills.items()))
        return (
            f"{sum(self.kills.values())} kills ({kinds}), {self.acknowledged} acknowledged saves,"
            f" {self.unanswered} requests left without an answer, {self.compared} rounds compared,"
            f" {len(self.differences)} differences"
        )


def run_campaign(stage: Stage, folder: Path, *, kills: int, seed: int) -> Report:
    """Kill a server `kills` times at seeded moments and return what was found; no difference is the only right end."""
    chance = random.Random(seed)
    report = Report()
    server = stage.server(folder)
    try:
        server.start()
        browsers = {name: server.sign_in(name) for name in PEOPLE}
        pairs = iter(stage.facts["pairs"])
        seated: list[Reviewer] = []
        done: list[list[Reviewer]] = []
        for number in range(kills):
            if not seated:
                pair = next(pairs)["seats"]
                seated = [
                    Reviewer(
                        browsers[name],
                        f"/p/{stage.facts['project']}/seats/{pair[name]}/",
                        pair[name],
                        seed=f"{seed}/{number}/{name}",
                    )
                    for name in PEOPLE
                ]
            moment = MOMENTS[number % len(MOMENTS)]
            one_kill(server, seated, moment, chance, report)
            report.differences += [f"kill {number} ({moment}): {found}" for found in looked_at(server, seated)]
            if moment == "submitting":
                done.append(seated)
                seated = []
        # Whoever was killed between a submission and its comparison is caught up with by the worker.
        server.command("worker", "--once")
        for reviewers in (*done, seated):
            report.acknowledged += sum(reviewer.acknowledged for reviewer in reviewers)
            report.differences += [found for one in reviewers for found in one.differences(server.database)]
        for reviewers in done:
            report.differences += comparison_differences(server, reviewers[0].seat)
            report.compared += 1
        if not server.database.is_sound():
            report.differences.append("the database is damaged")
        report.differences += [f"log: {line}" for line in server.complaints()]
    finally:
        server.stop()
    return report


def one_kill(server: Server, people: list[Reviewer], moment: str, chance: random.Random, report: Report) -> None:
    """Let people work, kill the server at the asked moment, and start it again."""
    if moment == "submitting":
        for one in people:
            one.act()
            one.save_answer()
        threads = start([one.submit for one in people])
        time.sleep(chance.uniform(0, 0.15))
    else:
        for one in people:
            one.stopping.clear()
        threads = start([one.work for one in people])
        wanted = sum(one.acknowledged for one in people) + chance.randint(2, 8)
        wait_until(lambda: sum(one.acknowledged for one in people) >= wanted or died(people), "saves are acknowledged")
        if moment == "between":
            for one in people:
                one.stopping.set()
            join(threads)
        else:
            chance.choice(people).sending.wait(timeout=5)
            time.sleep(chance.uniform(0, 0.05))
    server.kill()
    join(threads)
    report.kills[moment] += 1
    report.unanswered += sum(one.unanswered() for one in people)
    # The rows right after the kill, before any process has opened the database again.
    report.differences += [f"{moment}: {found}" for one in people for found in one.differences(server.database)]
    server.start()


def looked_at(server: Server, people: list[Reviewer]) -> list[str]:
    """Send again what was left open, and return what differs then: in rows, and on the page that is shown."""
    found = []
    for one in people:
        one.send_again()
        if one.unanswered():
            found.append(f"{one.unanswered()} requests are still without an answer")
        found += one.differences(server.database)
        page = one.browser.get(one.address)
        if page.status != 200:
            found.append(f"the workbench answers {page.status}")
        elif not one.submissions:
            missing = [draft.saves[-1].form["title"] for draft in one.drafts]
            found += [f"the page does not show {title!r}" for title in missing if title not in page.text]
    return found


def comparison_differences(server: Server, seat: str) -> list[str]:
    """Return what is wrong with the comparison of the round of a seat, both of whose seats are final."""
    rows = server.database.rows(
        "SELECT r.state, (SELECT count(*) FROM labeling_comparison c WHERE c.round_id = r.id)"
        " FROM labeling_round r JOIN labeling_assignment a ON a.round_id = r.id WHERE a.public_id = ?",
        seat,
    )
    ((state, count),) = rows
    return [] if count == 1 and state in {"compared", "closed"} else [f"round of {seat}: {state}, {count} comparisons"]


def died(people: list[Reviewer]) -> bool:
    """Say whether somebody got an answer that nobody should get, so that waiting would be in vain."""
    return any(one.surprises for one in people)


def start(acts: list[Callable[[], None]]) -> list[threading.Thread]:
    """Run every act in a thread of its own."""
    threads = [threading.Thread(target=act) for act in acts]
    for thread in threads:
        thread.start()
    return threads


def join(threads: list[threading.Thread]) -> None:
    """Wait for the threads."""
    for thread in threads:
        thread.join(timeout=90)
        assert not thread.is_alive(), "a client hangs"


def main() -> int:
    """Run a campaign on one engine or both; 1 when something was lost."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--engine", choices=[SQLITE, POSTGRES])
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    failed = False
    for engine in [options.engine] if options.engine else [SQLITE, POSTGRES]:
        if engine == POSTGRES and not postgres_address():
            parser.error("TOUCHSTONE_TEST_POSTGRES names no PostgreSQL server")
        with tempfile.TemporaryDirectory() as name:
            stage = Stage(engine, Path(name), pairs=options.kills // len(MOMENTS) + 1)
            try:
                report = run_campaign(stage, Path(name), kills=options.kills, seed=options.seed)
            finally:
                stage.close()
        print(f"{engine}: {report}")
        for found in report.differences[:50]:
            print(f"  {found[:2000]}")
        failed = failed or bool(report.differences)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
