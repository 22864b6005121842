"""Bringing a tool's output in a browser: upload, preview, settings, confirmation, the run; axe finds nothing."""

from __future__ import annotations

import json

import pytest

from corpus.services import jobs
from reviews.domain.vocabulary import ContextMode, ToolKind
from reviews.models import AIFinding, Run
from reviews.services.tools import Parameter, add_configuration, create_tool
from tests.factories import make_case

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

BODY = (
    "_⚠️ Potential issue_ | _🟠 Major_\n\n**The retry charges twice after a time-out.**\n\nThe call is repeated without "
    "the idempotency key, so the gateway cannot tell that it has charged already.\n\n```suggestion\n"
    "            return gateway.charge(order.total, key=order.id)\n```\n"
)


@pytest.fixture
def comments(project, tmp_path):
    """What a bot and a person wrote about one case, with a body of several findings and a place that is none."""
    case = make_case(project, external_url="https://github.com/acme/pay/pull/7", head_commit="c" * 40)
    bot, ann = {"login": "redpen-app[bot]", "type": "Bot"}, {"login": "ann", "type": "User"}
    at = {"commit_id": "c" * 40, "html_url": "https://github.com/acme/pay/pull/7#x", "subject_type": "line"}
    two = (
        "Two more:\n1. **Sleep grows without bound**: 2**attempt.\n2. **None is returned**: callers expect a receipt.\n"
    )
    listed = [
        {"id": 1, **at, "path": "pay/retry.py", "line": 12, "start_line": 10, "body": BODY, "user": bot},
        {"id": 2, **at, "path": "pay/retry.py", "line": 15, "body": two, "user": bot},
        {"id": 3, **at, "path": "pay/ledger.py", "line": 3, "body": "Severity: catastrophic", "user": bot},
        {"id": 4, **at, "path": "pay/retry.py", "line": 12, "in_reply_to_id": 1, "body": "Right.", "user": ann},
        {"id": 5, **at, "body": "@redpen-app review", "user": ann},
        {"id": 6, "body": "No path", "line": "x", "path": "pay/retry.py", **at, "user": bot},
    ]
    path = tmp_path / "review_comments.json"
    path.write_text(json.dumps(listed))
    return case, path


def test_a_lead_brings_comments_looks_and_confirms(people, project, comments, open_page, violations) -> None:
    case, path = comments
    tool = create_tool(
        project=project,
        name="Redpen",
        kind=ToolKind.AI_REVIEWER,
        actor=people.lead,
        aliases=["redpen-app[bot]"],
        note="The reviewer that our pull requests use.",
    )
    add_configuration(
        tool=tool,
        context_mode=ContextMode.DIFF_ONLY,
        actor=people.lead,
        model="model-3",
        prompt="Review this diff. Report real defects only.",
        parameters=[Parameter("temperature", "0"), Parameter("seed", is_exposed=False)],
    )
    page = open_page(f"/p/{project.slug}/runs/", user=people.lead)
    assert not violations(page)
    page.keyboard.press("i")
    page.get_by_role("heading", name="Import a run").wait_for()
    assert not violations(page)
    page.get_by_label("File").set_input_files(path)
    page.get_by_role("button", name="Read the file").click()
    page.get_by_role("heading", name="Upload of review_comments.json").wait_for()
    assert AIFinding.objects.count() == 0
    assert not violations(page)
    page.get_by_label("Path prefix").fill("/ci/")
    page.get_by_role("button", name="Read again").click()
    page.get_by_text("was read again with these settings").wait_for()
    page.keyboard.press("Control+Enter")
    page.get_by_text("Taken in").first.wait_for()
    while jobs.run_next_job():
        page.reload()
    page.get_by_role("link", name="Redpen, run").click()
    page.get_by_role("heading", name="Records").wait_for()
    assert not violations(page)
    page.get_by_role("link", name=case.public_id).click()
    page.get_by_role("heading", name="What it said").wait_for()
    assert "charges twice" in page.get_by_role("article").first.inner_text()
    assert not violations(page)
    assert (AIFinding.objects.count(), Run.objects.count()) == (4, 1)


@pytest.mark.parametrize(("scheme", "width"), [("light", 1440), ("dark", 480)])
def test_pages_of_tools_are_sound(people, project, open_page, violations, scheme, width) -> None:
    tool = create_tool(project=project, name="Redpen", kind=ToolKind.LINTER, actor=people.lead)
    names = ["tools/", "tools/new/", f"tools/{tool.public_id}/", f"tools/{tool.public_id}/configurations/new/"]
    for name in [*names, f"tools/{tool.public_id}/settings/sarif/", "runs/", "runs/import/"]:
        page = open_page(f"/p/{project.slug}/{name}", user=people.lead, scheme=scheme, width=width)
        assert not violations(page), name
