"""Planning, freezing and reading a version in a browser."""

from __future__ import annotations

import json

import pytest

from corpus.domain.manifest import verify_manifest
from corpus.domain.vocabulary import Split
from corpus.models import CorpusVersion
from corpus.services.versions import freeze_version
from tests.factories import make_case
from tests.labeling_factories import CHARGES_TWICE, LOST_GUARD, mark_complete, settle_case_with

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def settled(people, project):
    """Two settled cases with findings and none that is clean."""
    pair = [people.reviewer_a, people.reviewer_b]
    return [
        mark_complete(settle_case_with(make_case(project, split=split), pair, labels=labels))
        for split, labels in ((Split.TEST, [CHARGES_TWICE, LOST_GUARD]), (Split.DEV, [CHARGES_TWICE]))
    ]


def test_a_lead_freezes_by_keyboard_and_downloads_the_manifest(people, project, settled, open_page, tmp_path) -> None:
    page = open_page(f"/p/{project.slug}/versions/", user=people.lead, expected=(r"status of 422",))
    page.keyboard.press("f")
    page.get_by_role("heading", name="Plan version 1.0.0").wait_for()
    page.keyboard.press("Control+Enter")
    page.get_by_text("This gate has not passed").wait_for()
    assert not CorpusVersion.objects.exists()
    page.get_by_label("Reason for a waiver").fill("Clean changes come next month")
    page.keyboard.press("Control+Enter")
    page.get_by_role("heading", name="Version 1.0.0", exact=True).wait_for()
    assert "waived" in page.get_by_role("article").inner_text()
    with page.expect_download() as started:
        page.keyboard.press("d")
    path = tmp_path / "manifest.json"
    started.value.save_as(path)
    version = CorpusVersion.objects.get()
    assert started.value.suggested_filename == f"{project.slug}-1.0.0.json"
    assert path.read_bytes() == bytes(version.manifest)
    assert verify_manifest(path.read_bytes(), version.manifest_sha256) == []
    assert json.loads(path.read_bytes())["version"] == "1.0.0"


def test_sizes_and_hashes_of_exports_come_into_the_receipt(people, project, settled, open_page) -> None:
    freeze_version(project=project, actor=people.lead, waivers={"clean_case": "None yet"})
    page = open_page(f"/p/{project.slug}/versions/1.0.0/", user=people.analyst)
    for name in ("fixtures", "dataset", "expected"):
        page.locator(f"#export-{name} .digest").wait_for()
    assert page.locator("#export-inputs .digest").count() == 0
    page.get_by_role("link", name="Compute size and hash of inputs").click()
    page.locator("#export-inputs .digest").wait_for()
    assert len(page.locator("#export-inputs .digest").inner_text().strip()) == 64


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 420])
def test_the_pages_of_versions_pass_axe(people, project, settled, open_page, violations, scheme, width) -> None:
    base = f"/p/{project.slug}/versions"
    page = open_page(f"{base}/", user=people.lead, scheme=scheme, width=width)
    assert violations(page) == []
    page.goto(f"{base}/freeze/?without={settled[0].public_id}")
    assert violations(page) == []
    freeze_version(
        project=project, actor=people.lead, waivers={"clean_case": "None yet"}, excluded=[settled[0].public_id]
    )
    page.goto(f"{base}/")
    assert violations(page) == []
    page.goto(f"{base}/freeze/")
    assert violations(page) == []
    freeze_version(project=project, actor=people.lead, waivers={"clean_case": "None yet"}, note="All of them")
    page.goto(f"{base}/1.1.0/")
    page.locator("#export-expected .digest").wait_for()
    assert violations(page) == []
    page.goto(f"{base}/")
    page.get_by_role("button", name="Compare").click()
    page.get_by_role("heading", name="From 1.0.0 to 1.1.0").wait_for()
    assert violations(page) == []
    page.goto(f"/p/{project.slug}/tokens/")
    assert violations(page) == []
    page.get_by_label("Name").fill("nightly scoring")
    page.get_by_label("Export versions").check()
    page.get_by_role("button", name="Make the token").click()
    page.get_by_role("heading", name="The token nightly scoring").wait_for()
    assert violations(page) == []
