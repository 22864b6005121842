"""Reading a change: how soon the first file of a wide change is there, and whether huge files hold the browser up."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, Page, sync_playwright

from bench.client import Call
from bench.server import PRODUCT, serving
from bench.timing import Row, interleaved, median
from bench.world import World, case_with_trees, code_line, in_process, seat_everybody, session_of

ROUNDS = 15
VISITS = 5
LINES = 100_000
LONG = 5_000_000
# What a browser may be busy with at once while a person types or scrolls.
MOST_TASK = 100.0
# A fixed loop, which tells how fast this machine's browser is just now.
LOOP = """() => {
  const begun = performance.now();
  let sum = 0;
  for (let n = 0; n < 2e7; n += 1) sum += n % 7;
  return sum && performance.now() - begun;
}"""
SCRIPTED = "() => document.documentElement.matches('.scripted')"
READY = (
    "() => document.querySelector('.diff-file button.ln') && document.documentElement.classList.contains('scripted')"
)
OBSERVE = """() => {
  window.longest = 0;
  new PerformanceObserver((list) => {
    for (const task of list.getEntries()) window.longest = Math.max(window.longest, task.duration);
  }).observe({ type: "longtask" });
}"""


def wide_case(world: World, seed: int) -> str:
    """Store a change of 10,000 lines in 100 files and return the address of a reviewer's seat on it."""
    import random

    source = random.Random(seed)
    head = {
        f"src/part_{number:03}.py".encode(): ("100644", b"".join(code_line(source, line) for line in range(100)))
        for number in range(100)
    }
    return seat_on(world, {}, head, seed)


def seat_on(world: World, base: dict[bytes, tuple[str, bytes]], head: dict[bytes, tuple[str, bytes]], seed: int) -> str:
    """Store a case of two trees and return the address of the first reviewer's seat on it."""
    from corpus.services.cases import CaseFacts, create_case_from_trees

    kept = {b"README.md": ("100644", b"# Bench %d\n" % seed)}
    facts = CaseFacts(repository="bench/shop", title="Change", family=f"viewing-{seed}")
    stored = create_case_from_trees(
        project=world.project, base={**kept, **base}, head={**kept, **head}, facts=facts, imported_by=world.lead
    )
    return world.seat_url(seat_everybody(world, stored.case, 0)[0])


def measure(world: World) -> Iterator[Row]:
    """Measure the page in this process, then in a browser."""
    small = world.seat_url(seat_everybody(world, case_with_trees(world, 9_000), 0)[0])
    wide = wide_case(world, 9_001)
    client = in_process(world.reviewers[0])

    def page(path: str) -> int:
        answer = client(Call(path))
        assert answer.status == 200, f"{path} answered {answer.status}"
        return len(answer.body)

    sizes = f"{page(wide) / 1000:.0f} and {page(small) / 1000:.0f} kB"
    cpu, reference = interleaved([lambda: page(wide), lambda: page(small)], rounds=ROUNDS)
    yield Row("first file of 10,000 lines, to 150, CPU", cpu, reference, "ms", 1.5, sizes)
    numbers = b"".join(b"value %d of the table\n" % number for number in range(LINES))
    table = {b"data/table.json": ("100644", b"[" + b"1234567," * (LONG // 8) + b"0]\n")}
    heavy = seat_on(world, table, {**table, b"data/numbers.txt": ("100644", numbers)}, 9_002)
    # Before the browser: its library runs an event loop, in which the database must not be asked.
    session = session_of(world.reviewers[0])
    with serving(PRODUCT, world.environment) as server, chromium() as browser:
        context = browser.new_context(
            base_url=f"http://127.0.0.1:{server.port}", viewport={"width": 1440, "height": 900}
        )
        cookie = {
            "name": "sessionid",
            "value": session,
            "url": f"http://127.0.0.1:{server.port}",
        }
        context.add_cookies([cookie])  # type: ignore[list-item]
        visit = context.new_page()
        seconds: dict[str, list[float]] = {wide: [], small: []}
        for _ in range(VISITS):
            for path in (wide, small):
                visit.goto(path, wait_until="commit")
                visit.wait_for_function(READY)
                seconds[path].append(visit.evaluate("() => performance.now()"))
        yield Row(
            "first file of 10,000 lines, to 150, browser", median(seconds[wide]), median(seconds[small]), "ms", 1.5
        )
        yield busy(visit, heavy, "data/numbers.txt", "100,000 lines")
        yield busy(visit, f"{heavy}?open=data/table.json&side=new", "data/table.json", "a line of 5 MB")
        context.close()


def busy(page: Page, address: str, path: str, words: str) -> Row:
    """Open a huge file, scroll in it and type beside it, and return the longest task of the main thread."""
    page.goto(address)
    page.wait_for_function(SCRIPTED)
    page.locator("#new-label").click()
    field = page.get_by_label("When it happens")
    field.wait_for()
    section = page.locator(f'.file[data-path-new="{path}"]')
    section.first.wait_for()
    if section.locator("[data-open-file]").count():
        section.locator("[data-open-file]").click()
    section.locator("button.ln").first.wait_for()
    page.wait_for_timeout(500)
    page.evaluate(OBSERVE)
    loop = page.evaluate(LOOP)
    page.evaluate("() => { window.longest = 0; }")
    page.locator("#code").hover()
    for step in range(40):
        page.mouse.wheel(0, 2_500)
        page.wait_for_timeout(40)
        if step % 10 == 9:
            field.press_sequentially("it stays quick ", delay=15)
    page.evaluate("() => { const pane = document.getElementById('code'); pane.scrollTop = pane.scrollHeight / 2; }")
    page.wait_for_timeout(600)
    field.press_sequentially("and in the middle", delay=15)
    page.wait_for_timeout(300)
    longest = page.evaluate("() => window.longest")
    note = f"a fixed loop took {loop:.0f} ms"
    return Row(f"longest task, {words}, at most", longest or 50.0, None, "ms", MOST_TASK, note, absolute=True)


@contextmanager
def chromium() -> Iterator[Browser]:
    """Start the distribution's browser; TOUCHSTONE_CHROMIUM names another one."""
    found = os.environ.get("TOUCHSTONE_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield browser
        browser.close()
