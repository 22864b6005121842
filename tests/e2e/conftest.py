"""A real browser for the journeys: one Chromium per session, pages that fail on a console error, and axe."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.conf import settings
from django.test import Client
from playwright.sync_api import Browser, ConsoleMessage, Page, expect, sync_playwright

# The synchronous Playwright API runs an event loop in this thread, which Django would take for asynchronous code.
os.environ.setdefault("DJANGO_ALLOW_ASYNC_UNSAFE", "true")

CHROMIUM = os.environ.get("TOUCHSTONE_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
QUIET = (
    "--no-sandbox",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)
OpenPage = Callable[..., Page]
# A machine that does much else at once is slow, and that is no fault of a page.
expect.set_options(timeout=15_000)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """The distribution's Chromium; TOUCHSTONE_CHROMIUM names another one."""
    if not CHROMIUM:
        pytest.skip("no Chromium found: install the distribution's, or set TOUCHSTONE_CHROMIUM")
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=list(QUIET))
        yield started
        started.close()


@pytest.fixture
def open_page(browser: Browser, live_server: Any) -> Iterator[OpenPage]:
    """Open a path as a person, in a scheme and width; `expected` are patterns of console errors that belong there."""
    contexts = []
    errors: list[str] = []

    def opened(
        path: str,
        *,
        user: Any = None,
        scheme: str = "light",
        width: int = 1440,
        expected: tuple[str, ...] = (),
    ) -> Page:
        context = browser.new_context(
            base_url=live_server.url,
            color_scheme=scheme,  # type: ignore[arg-type]
            viewport={"width": width, "height": 900},
        )
        contexts.append(context)
        if user is not None:
            client = Client()
            client.force_login(user)
            cookie = client.cookies[settings.SESSION_COOKIE_NAME]
            context.add_cookies([{"name": cookie.key, "value": cookie.value, "url": live_server.url}])
        page = context.new_page()

        def heard(message: ConsoleMessage) -> None:
            if message.type == "error" and not any(re.search(known, message.text) for known in expected):
                errors.append(message.text)

        page.on("console", heard)
        # The browser hands choosers of files over only from some time after the first listener is there.
        page.on("filechooser", lambda chooser: None)
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(path)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert errors == []


@pytest.fixture
def violations() -> Callable[[Page], list[str]]:
    """Return a function that runs axe, with nothing excluded, and lists what it finds."""

    def found(page: Page) -> list[str]:
        return [
            f"{rule['id']}: {node['target']} {node['failureSummary']}"
            for rule in Axe().run(page).response["violations"]
            for node in rule["nodes"]
        ]

    return found
