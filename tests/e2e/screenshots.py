"""Pictures of the viewer in its states, for people to look at: `make screenshots`. Each is also checked by axe.

They go to build/screenshots/, which is not kept in the repository.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from labeling.domain.label_input import AnchorInput
from tests.e2e.conftest import OpenPage
from tests.e2e.gallery import BASE, HEAD
from tests.factories import make_case
from tests.labeling.adjudicating import compared, lines
from tests.labeling.seats import DEFECT, label, make_seat

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
FOLDER = Path(__file__).resolve().parents[2] / "build" / "screenshots"
Violations = Callable[[Page], list[str]]
BOOKS, ACCESS = "ledger/books.py", "ledger/access.py"


class Album:
    """Takes pictures and keeps what axe found in each state."""

    def __init__(self, open_page: OpenPage, violations: Violations) -> None:
        self.open_page = open_page
        self.violations = violations
        self.found: list[str] = []
        FOLDER.mkdir(parents=True, exist_ok=True)

    def take(self, page: Page, name: str) -> None:
        """Take a picture of what is in sight, and ask axe."""
        page.wait_for_timeout(300)
        page.screenshot(path=FOLDER / f"{name}.png", animations="disabled")
        self.found += [f"{name}: {fault}" for fault in self.violations(page)]


@pytest.fixture
def album(open_page: OpenPage, violations: Violations) -> Iterator[Album]:
    album = Album(open_page, violations)
    yield album
    assert album.found == []


@pytest.fixture
def seat(project: Any, people: Any) -> Any:
    """A reviewer's seat on the change of every kind, with two labels."""
    found = make_seat(make_case(project, base=BASE, head=HEAD), people.reviewer_a)
    limit = AnchorInput(role="primary", path=BOOKS, side="new", first_line=26, last_line=27)
    guard = AnchorInput(role="alternate", path=BOOKS, side="old", first_line=20, last_line=20)
    caller = AnchorInput(role="supporting", path=BOOKS, side="new", first_line=9, last_line=11)
    label(found, title="Paid bookings count as late", anchors=(limit, guard, caller))
    hidden = AnchorInput(role="primary", path=ACCESS, side="new", first_line=2, last_line=2)
    label(found, title="The check of rights is a comment", severity="critical", anchors=(hidden,))
    return found


def address(seat: Any) -> str:
    return reverse("workbench", kwargs={"project": seat.case.project.slug, "seat_id": seat.public_id})


def show(page: Page, path: str, side: str = "new") -> None:
    """Bring a file to the top of the pane, loaded."""
    name = path.rpartition("/")[2]
    page.locator("[data-tree-filter]").fill("")
    page.locator(f'#tree a[title="{path}"]').click()
    section = page.locator(f'.diff-file[data-path-{side}="{path}"]').first
    expect(section.locator("[data-loads]")).to_have_count(0)
    expect(section.locator(".file-name")).to_have_text(name)


KINDS = {
    "edited-with-moves": BOOKS,
    "bidi-and-invisible": ACCESS,
    "latin-1": "ledger/names.py",
    "indentation-only": "ledger/layout.py",
    "empty-file": "ledger/empty.py",
    "added": "ledger/export.py",
    "image": "assets/logo.png",
    "svg-as-text": "assets/logo.svg",
    "binary": "assets/font.bin",
    "mode-change": "bin/run",
    "symlink-retargeted": "config/current",
    "type-change": "config/defaults.toml",
    "line-ends": "docs/windows.txt",
    "final-newline": "docs/end.txt",
    "lock-file-closed": "package-lock.json",
    "notebook": "reports/fees.ipynb",
    "submodule": "vendor/audit",
    "minified-closed": "web/app.min.js",
    "renamed": "web/navigation.js",
    "long-line-closed": "web/table.js",
    "large-closed": "data/rates.csv",
}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_kind_of_file(album: Album, seat: Any, scheme: str) -> None:
    page = album.open_page(address(seat), user=seat.reviewer, scheme=scheme)
    for name, path in KINDS.items():
        show(page, path)
        album.take(page, f"kind-{name}-{scheme}")
    show(page, "docs/windows.txt")


def test_layouts_widths_and_settings(album: Album, seat: Any) -> None:
    for width in (1440, 1024, 480):
        for layout in ("unified", "split"):
            page = album.open_page(f"{address(seat)}?layout={layout}", user=seat.reviewer, width=width)
            page.locator(f'.diff-file[data-path-new="{BOOKS}"]').scroll_into_view_if_needed()
            expect(page.locator(f'.diff-file[data-path-new="{BOOKS}"] [data-loads]')).to_have_count(0)
            page.locator(f'.diff-file[data-path-new="{BOOKS}"]').evaluate("file => file.scrollIntoView()")
            album.take(page, f"layout-{layout}-{width}")
    page = album.open_page(address(seat), user=seat.reviewer)
    show(page, "ledger/layout.py")
    page.keyboard.press("w")
    album.take(page, "white-space-folded")
    page.keyboard.press("w")
    page.locator(".viewbar summary").click()
    album.take(page, "view-menu")
    page.keyboard.press("Escape")
    show(page, "web/table.js")
    page.keyboard.press("e")
    expect(page.locator('[data-path-new="web/table.js"] .cut').first).to_be_visible()
    album.take(page, "long-line-cut")
    page.keyboard.press("?")
    album.take(page, "keys")


def test_working(album: Album, seat: Any) -> None:
    page = album.open_page(address(seat), user=seat.reviewer, expected=("422",))
    show(page, BOOKS)
    number = page.locator(f'[data-path-new="{BOOKS}"] button.ln[data-side="new"]')
    number.and_(page.locator('[data-line="9"]')).click()
    number.and_(page.locator('[data-line="12"]')).click(modifiers=["Shift"])
    number.and_(page.locator('[data-line="27"]')).click(modifiers=["Control"])
    album.take(page, "selection")
    page.locator(".label-row").first.hover()
    album.take(page, "label-lights-places")
    page.locator(".label-row").first.click()
    expect(page.locator("[data-form-heading]")).to_have_text("Label 1")
    album.take(page, "label-open")
    page.keyboard.press("Alt+c")
    page.keyboard.press("*")
    album.take(page, "symbols")
    page.locator("#symbols-list button").last.click()
    expect(page.locator("#snapshot-found a").first).to_be_visible()
    album.take(page, "occurrences")
    page.locator("#snapshot-name").fill("readme")
    expect(page.locator("#snapshot-found")).to_contain_text("README.md")
    page.locator("#snapshot-found a").first.click()
    expect(page.locator("article#snapshot-file")).to_be_visible()
    album.take(page, "snapshot-file")
    page.locator("#snapshot-text").fill("(")
    page.locator("#snapshot-how").select_option("regex")
    page.locator("#snapshot-text").press("Enter")
    expect(page.locator("#snapshot-found")).to_contain_text("no regular expression")
    album.take(page, "search-refused")


def test_judging(album: Album, project: Any, people: Any) -> None:
    case = make_case(project)
    a = [DEFECT, *[]]
    b = [DEFECT.__class__(**{**DEFECT.__dict__, "severity": "medium", "anchors": (lines(11, 13),)})]
    compared(case, [people.reviewer_a, people.reviewer_b], a, b)
    path = reverse("adjudication", args=[project.slug, case.public_id])
    for scheme in ("light", "dark"):
        page = album.open_page(path, user=people.adjudicator, scheme=scheme)
        expect(page.locator(".line-mark").first).to_be_visible()
        page.locator(".compare .card").first.hover()
        album.take(page, f"adjudication-{scheme}")
    whole = album.open_page(reverse("case_files", args=[project.slug, case.public_id]), user=people.lead)
    album.take(whole, "case-change")
    assert re.search("case", whole.title(), re.I)
