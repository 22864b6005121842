"""People, tabs and clicks at the same moment, each through a connection and a process of its own."""

from __future__ import annotations

import random
import re
import threading
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from tests.services.client import Answer, Browser
from tests.services.conftest import MakeServer
from tests.services.ledger import Reviewer, reviewer_at, stored_labels, stored_revisions
from tests.services.seed import PULLERS, QUEUED
from tests.services.server import Server

pytestmark = pytest.mark.services


def at_once(acts: list[Callable[[], Any]]) -> list[Any]:
    """Run every act in its own thread, let go at the same moment; return results or exceptions in order."""
    results: list[Any] = [None] * len(acts)
    barrier = threading.Barrier(len(acts))

    def run(index: int) -> None:
        try:
            barrier.wait(timeout=30)
            results[index] = acts[index]()
        except Exception as error:
            results[index] = error

    threads = [threading.Thread(target=run, args=(index,)) for index in range(len(acts))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=120)
        assert not thread.is_alive(), "a client hangs"
    return results


def the_label(severity: str, lines: str) -> dict[str, str]:
    """Return a whole label on lines of the changed file."""
    return {
        "title": "A time-out charges twice",
        "severity": severity,
        "category": "concurrency",
        "relation": "introduced",
        "speculative": "no",
        "trigger": "When the gateway answers after the time-out",
        "impact": "The customer pays once per attempt",
        "confidence": "high",
        "places_primary": f"pay/retry.py new {lines}",
        "expected_version": "0",
    }


# What Ada and Ben say, and what has to come of it, worked out by hand: equal answers settle by themselves with one
# golden finding, a severity two levels off is one disagreement, and so on.
HIGH, LOW, ELSEWHERE = the_label("high", "10-14"), the_label("low", "10-14"), the_label("high", "2")
ANSWERS: list[tuple[list[dict[str, str]], str, list[dict[str, str]], str, Counter[str], str]] = [
    ([HIGH], "has_defects", [HIGH], "has_defects", Counter(), "settled"),
    ([HIGH], "has_defects", [LOW], "has_defects", Counter(severity=1), "adjudicating"),
    ([HIGH], "has_defects", [], "clean", Counter(verdict=1, existence=1), "adjudicating"),
    ([], "clean", [], "clean", Counter(), "settled"),
    ([HIGH], "has_defects", [HIGH, ELSEWHERE], "has_defects", Counter(existence=1), "adjudicating"),
    ([], "insufficient_context", [], "insufficient_context", Counter(), "incomplete"),
]


def prepare(one: Reviewer, labels: list[dict[str, str]], verdict: str) -> Callable[[], Answer]:
    """Save labels and the answer, and return the act of submitting them for good."""
    for number, label in enumerate(labels, 1):
        assert one.browser.save(f"{one.address}labels/", {**label, "save_key": f"tab{number}.1"}).status == 200
    answer = {
        "verdict": verdict,
        "missing_context": "The gateway's contract" if verdict == "insufficient_context" else "",
        "summary": "",
    }
    saved = one.browser.save(f"{one.address}answer/", {**answer, "expected_version": "0"})
    assert saved.status == 200, saved.text
    form = {**answer, "final": "1", "expected_version": str(saved.json["version"])}
    return lambda: one.browser.post(f"{one.address}submit/", form)


def submissions(server: Server, seat: str) -> int:
    """Return how often the history of a seat says "submitted"."""
    return int(
        server.database.one(
            "SELECT count(*) FROM labeling_assignmentevent e JOIN labeling_assignment a ON a.id = e.assignment_id"
            " WHERE a.public_id = ? AND e.state = 'submitted'",
            seat,
        )
    )


def test_two_people_who_submit_at_the_same_moment_are_compared_once(make_server: MakeServer) -> None:
    server = make_server(workers=4)
    for pair, (labels_a, verdict_a, labels_b, verdict_b, kinds, state) in enumerate(ANSWERS):
        ada, ben = reviewer_at(server, "ada", pair), reviewer_at(server, "ben", pair)
        acts = [prepare(ada, labels_a, verdict_a), prepare(ben, labels_b, verdict_b)]
        answers = at_once([*acts, *acts] if pair % 2 else acts)
        assert {answer.status for answer in answers} == {302}, answers
        assert [submissions(server, one.seat) for one in (ada, ben)] == [1, 1]
        stored = server.database.rows(
            "SELECT c.id, k.state FROM labeling_comparison c JOIN labeling_round r ON r.id = c.round_id"
            " JOIN corpus_case k ON k.id = r.case_id WHERE k.public_id = ?",
            server.facts["pairs"][pair]["case"],
        )
        assert [row[1] for row in stored] == [state], f"one comparison, and the case is {state}"
        found = server.database.rows("SELECT kind FROM labeling_disagreement WHERE comparison_id = ?", stored[0][0])
        assert Counter(row[0] for row in found) == kinds
        golden = server.database.one(
            "SELECT count(*) FROM corpus_goldenfinding g JOIN corpus_case k ON k.id = g.case_id WHERE k.public_id = ?",
            server.facts["pairs"][pair]["case"],
        )
        assert golden == (1 if labels_a and state == "settled" else 0)
    assert server.complaints() == []


def test_a_double_click_on_submit_is_one_submission_and_the_same_answer(make_server: MakeServer) -> None:
    server = make_server(workers=4)
    for pair in range(3):
        one = reviewer_at(server, "ada", pair)
        click = prepare(one, [HIGH], "has_defects")
        answers = at_once([click] * 4)
        assert {(answer.status, answer.header("Location")) for answer in answers} == {(302, one.address)}
        assert submissions(server, one.seat) == 1
        later = click()
        assert (later.status, later.header("Location")) == (302, one.address)
        assert submissions(server, one.seat) == 1
    assert server.complaints() == []


def test_an_autosave_that_meets_the_submission_is_stored_before_it_or_refused(make_server: MakeServer) -> None:
    server = make_server(workers=4)
    ends: Counter[int] = Counter()
    for pair in range(8):
        one = reviewer_at(server, "ada", pair)
        submit = prepare(one, [HIGH], "has_defects")
        ((label, *_),) = [(row["label"],) for row in stored_labels(server.database, one.seat)]
        form = {**HIGH, "impact": "Changed at the last moment", "expected_version": "1", "save_key": "tab1.2"}
        saved, submitted = at_once([lambda: one.browser.save(f"{one.address}labels/{label}/", form), submit])  # noqa: B023
        assert submitted.status == 302
        assert submissions(server, one.seat) == 1
        assert saved.status in {200, 409}, saved.text
        ends[saved.status] += 1
        held = [row["impact"] for row in stored_revisions(server.database, one.seat)]
        last = ["Changed at the last moment"] if saved.status == 200 else []
        assert held == [HIGH["impact"], *last]
        assert [row["impact"] for row in stored_labels(server.database, one.seat)] == held[-1:]
        # What is submitted takes nothing more, whoever asks and however often.
        refused = one.browser.save(f"{one.address}labels/{label}/", {**form, "save_key": "tab1.3"})
        assert refused.status == 409
        assert len(stored_revisions(server.database, one.seat)) == len(held)
    assert sum(ends.values()) == 8
    assert server.complaints() == []


def test_fifty_saves_and_looks_at_once_never_lessen_what_is_stored(make_server: MakeServer) -> None:
    server = make_server(workers=4)
    one = reviewer_at(server, "ada", 0)
    for _ in range(4):
        one.save_label(one.new_draft())
    chance = random.Random(5)
    writers = [reviewer_at(server, "ada", 0) for _ in range(25)]
    for number, writer in enumerate(writers):
        writer.new_draft(f"tab{number}")
    shown: list[tuple[int, int, int]] = []
    seen_labels = re.compile(r"<strong>[0-9]+\. ")

    def look() -> None:
        before = len(stored_labels(server.database, one.seat))
        path = chance.choice([one.address, f"{one.address}submit/", f"{one.address}files/0/"])
        browser = Browser(server.port)
        browser.cookies = dict(one.browser.cookies)
        answer = browser.get(path)
        count = len(seen_labels.findall(answer.text)) if path == f"{one.address}submit/" else before
        shown.append((answer.status, before, count))

    acts: list[Callable[[], Any]] = [lambda w=writer: w.save_label(w.drafts[0]) for writer in writers]
    acts += [look] * 25
    chance.shuffle(acts)
    assert [result for result in at_once(acts) if result is not None] == []
    assert server.complaints() == []
    assert {status for status, _, _ in shown} == {200}
    assert all(count >= before for _, before, count in shown), "a look shows all that was stored before it"
    everybody = Reviewer(one.browser, one.address, one.seat, seed="all")
    everybody.drafts = [*one.drafts, *(writer.drafts[0] for writer in writers)]
    everybody.surprises = [found for writer in writers for found in writer.surprises]
    assert everybody.differences(server.database) == []
    stored = stored_labels(server.database, one.seat)
    assert len(stored) == 29
    numbers = server.database.rows(
        "SELECT l.number FROM labeling_label l JOIN labeling_assignment a ON a.id = l.assignment_id"
        " WHERE a.public_id = ? ORDER BY l.number",
        one.seat,
    )
    assert [number for (number,) in numbers] == list(range(1, 30))
    page = one.browser.get(one.address).text
    assert all(row["title"] in page for row in stored)
    assert server.complaints() == []


def test_twenty_reviewers_who_pull_at_once_never_overfill_a_round(make_server: MakeServer) -> None:
    server = make_server(workers=4)
    project = server.facts["project"]
    browsers = [server.signed_in(name) for name in PULLERS]

    def pull() -> list[str]:
        answers = at_once([lambda b=browser: b.post(f"/p/{project}/queue/next/") for browser in browsers])
        assert {getattr(answer, "status", answer) for answer in answers} == {302}
        return [answer.header("Location") for answer in answers]

    places = pull()
    assert len(set(places)) == len(PULLERS), "everybody got a seat of their own"
    assert all("/seats/" in place for place in places)
    assert pull() == places, "asking again before the case was opened answers the same"
    for browser, place in zip(browsers, places, strict=True):
        assert browser.get(place).status == 200
    later = pull()
    seats = [place for place in later if "/seats/" in place]
    assert len(set(seats)) == len(seats) == 2 * QUEUED - len(PULLERS), "the seats that were left, each once"
    live = server.database.rows(
        "SELECT r.public_id, count(*), count(DISTINCT a.reviewer_id), count(DISTINCT a.slot)"
        " FROM labeling_assignment a JOIN labeling_round r ON r.id = a.round_id"
        " WHERE r.is_queue_open AND a.state = 'active' GROUP BY r.public_id"
    )
    assert {row[0] for row in live} == set(server.facts["queued"])
    assert {row[1:] for row in live} == {(2, 2, 2)}
    assert server.complaints() == []
