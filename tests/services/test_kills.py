"""What was acknowledged is stored, whatever the server dies of and whenever (N1, N2)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.services.campaign import comparison_differences, run_campaign
from tests.services.client import Answer, Unanswered
from tests.services.conftest import MakeServer
from tests.services.ledger import Draft, Reviewer, Save, reviewer_at
from tests.services.server import SQLITE, Stage

pytestmark = pytest.mark.services
# More steps than any request here takes; the loops end when a request is answered.
MOST_STEPS = 120


def test_every_acknowledged_save_and_submission_survives_kills_of_the_whole_server(
    stage: Stage, tmp_path: Path
) -> None:
    report = run_campaign(stage, tmp_path, kills=20, seed=20260302)
    assert report.differences == []
    assert report.kills == {"inside": 12, "between": 4, "submitting": 4}
    assert report.unanswered >= 3, "hardly a request was under way when the server was killed"
    assert report.acknowledged >= 100
    assert report.compared == 4


class Dying:
    """Sends a request again and again, dying one step later each time, until it is answered."""

    def __init__(self, one: Reviewer) -> None:
        self.one = one
        self.plain = one.browser.post
        self.deaths = 0

    def run(self, send: Any, check: Any) -> int:
        """Return at how many steps the request died; `check` looks at the rows after each death."""
        for step in range(1, MOST_STEPS):

            def post(path: str, form: Any = None, *, headers: Any = None, step: int = step, **options: Any) -> Answer:
                return self.plain(path, form, headers={**(headers or {}), "X-Crash-At": str(step)}, **options)

            self.one.browser.post = post  # type: ignore[method-assign]
            try:
                send()
                return step - 1
            except Unanswered:
                check()
            finally:
                self.one.browser.post = self.plain  # type: ignore[method-assign]
        raise AssertionError("the request never got an answer")


def test_a_process_that_dies_at_any_step_of_a_save_leaves_it_whole_or_absent(make_server: MakeServer) -> None:
    server = make_server(workers=1, application="tests.services.crashing_wsgi:application")
    one = reviewer_at(server, "ada", 0)
    dying = Dying(one)
    stored: list[int] = []

    def whole_or_absent() -> None:
        assert one.differences(server.database) == []
        stored.append(server.database.one("SELECT count(*) FROM labeling_labelrevision"))

    draft = Draft(writer="first")
    one.drafts.append(draft)
    save = Save(key="first.1", form=one.label_form("first.1"))
    draft.saves.append(save)
    before = server.database.one("SELECT count(*) FROM labeling_labelrevision")
    assert dying.run(lambda: one.send_label(draft, save), whole_or_absent) >= 10
    assert set(stored) == {before, before + 1}, "death before the commit, and death between commit and answer"
    assert stored == sorted(stored), "what was stored once is never taken back or stored twice"
    assert save.version == 1

    again = Save(key="first.2", form=one.label_form("first.2"))
    draft.saves.append(again)
    stored.clear()
    assert dying.run(lambda: one.send_label(draft, again), whole_or_absent) >= 10
    assert set(stored) == {before + 1, before + 2}
    assert again.version == 2
    assert one.differences(server.database) == []


def test_a_process_that_dies_at_any_step_of_a_submission_leaves_it_whole_or_absent(make_server: MakeServer) -> None:
    server = make_server(workers=1, application="tests.services.crashing_wsgi:application")
    ben = reviewer_at(server, "ben", 1)
    ben.act()
    ben.save_answer()
    ben.submit()
    assert ben.submissions == [True]
    one = reviewer_at(server, "ada", 1)
    one.act()
    one.save_answer()
    states: list[str] = []

    def submit() -> None:
        one.submit()
        if not one.submissions[-1]:
            raise Unanswered

    def whole_or_absent() -> None:
        assert one.differences(server.database) == []
        states.append(server.database.one("SELECT state FROM labeling_assignment WHERE public_id = ?", one.seat))

    assert Dying(one).run(submit, whole_or_absent) >= 15
    assert set(states) == {"active", "submitted"}
    assert states == sorted(states), "a submission is never taken back"
    assert one.differences(server.database) == []
    server.command("worker", "--once")
    assert comparison_differences(server, one.seat) == []


@pytest.mark.parametrize("stage", [SQLITE], indirect=True)
def test_a_ledger_tells_of_a_row_that_differs(make_server: MakeServer) -> None:
    server = make_server(workers=1)
    one = reviewer_at(server, "ada", 2)
    for _ in range(3):
        one.act()
    assert one.differences(server.database) == []
    server.database.rows("UPDATE labeling_label SET impact = 'mixed' WHERE title LIKE ?", f"{one.seat}-0.%")
    assert len(one.differences(server.database)) == 1
    one.drafts[0].saves.pop()
    assert any("never sent" in found for found in one.differences(server.database))
    one.submissions.append(True)
    assert "an acknowledged submission is not stored" in one.differences(server.database)
