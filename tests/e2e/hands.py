"""Two ways to do the same things on a page: with a mouse, and with nothing but keys.

`Keyboard` neither clicks nor calls script: it tabs to what it needs as a person without a mouse does, and uses the keys
that the page offers. Both look at the page only to see where they are.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from pathlib import Path

from playwright.sync_api import Locator, Page, expect

# More stops than any page here has between two places.
MOST_STOPS = 200


class Hands(ABC):
    """What a person can do to a page."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def line(self, path: str, side: str, number: int) -> Locator:
        """Return the number of a line in the diff."""
        return self.page.locator(f'[data-path-{side}="{path}"] button.ln[data-side="{side}"][data-line="{number}"]')

    @abstractmethod
    def go(self, target: Locator, key: str = "") -> None:
        """Follow a link or press a button; `key` is the key that the page names for it."""

    @abstractmethod
    def write(self, field: Locator, text: str) -> None:
        """Put text into a field in the place of what it holds."""

    @abstractmethod
    def choose(self, field: Locator, words: str) -> None:
        """Choose from a list that folds out."""

    @abstractmethod
    def tick(self, box: Locator, key: str = "") -> None:
        """Choose a radio button or tick a box; `key` acts while the group has the focus."""

    @abstractmethod
    def attach(self, field: Locator, file: Path) -> None:
        """Choose a file of one's own."""

    @abstractmethod
    def select(self, path: str, side: str, first: int, last: int, *, drag: bool = False) -> None:
        """Select lines of the diff: by dragging, or first and then last."""


class Mouse(Hands):
    """Points and clicks; letters are typed."""

    def go(self, target: Locator, key: str = "") -> None:
        target.click()

    def write(self, field: Locator, text: str) -> None:
        field.click()
        self.page.keyboard.press("Control+a")
        self.page.keyboard.type(text)

    def choose(self, field: Locator, words: str) -> None:
        field.select_option(label=words)

    def tick(self, box: Locator, key: str = "") -> None:
        around = box.locator("xpath=parent::label")
        (around if around.count() else box).click()

    def attach(self, field: Locator, file: Path) -> None:
        with self.page.expect_file_chooser() as chooser:
            field.click()
        chooser.value.set_files(file)

    def select(self, path: str, side: str, first: int, last: int, *, drag: bool = False) -> None:
        start, end = self.line(path, side, first), self.line(path, side, last)
        if drag:
            start.hover()
            self.page.mouse.down()
            end.hover()
            self.page.mouse.up()
            return
        start.click()
        if last != first:
            end.click(modifiers=["Shift"])


class Keyboard(Hands):
    """Presses keys."""

    def press(self, key: str) -> None:
        """Press one key, once the page is there to hear it."""
        self.page.wait_for_load_state()
        self.page.keyboard.press(key)

    def has_focus(self, target: Locator) -> bool:
        """Say whether the focus is on the target, or on one of the targets."""
        return target.and_(self.page.locator(":focus")).count() > 0

    def reach(self, target: Locator) -> None:
        """Tab on until the focus is on the target."""
        expect(target.first).to_be_attached()
        for _ in range(MOST_STOPS):
            if self.has_focus(target):
                return
            self.press("Tab")
        raise AssertionError(f"{target} is not reached by Tab")

    def go(self, target: Locator, key: str = "") -> None:
        expect(target).to_be_visible()
        if key:
            self.press(key)
            return
        self.reach(target)
        self.press("Enter")

    def write(self, field: Locator, text: str) -> None:
        self.reach(field)
        self.press("Control+a")
        self.page.keyboard.type(text)

    def choose(self, field: Locator, words: str) -> None:
        self.reach(field)
        self.page.keyboard.type(words)
        expect(field.locator("option:checked")).to_have_text(words)

    def tick(self, box: Locator, key: str = "") -> None:
        if box.get_attribute("type") == "checkbox":
            self.reach(box)
            self.press("Space")
            return
        group = box.locator("xpath=ancestor::fieldset[1]//input[@type='radio']")
        self.reach(group)
        if key:
            self.press(key)
        else:
            for _ in range(group.count()):
                if self.has_focus(box):
                    break
                self.press("ArrowRight")
            if not box.is_checked():
                self.press("Space")
        expect(box).to_be_checked()

    def attach(self, field: Locator, file: Path) -> None:
        self.reach(field)
        with self.page.expect_file_chooser() as chooser:
            self.press("Enter")
        chooser.value.set_files(file)

    def select(self, path: str, side: str, first: int, last: int, *, drag: bool = False) -> None:
        self.press("Alt+c")
        self.to_file(path, side)
        self.to_line(self.line(path, side, first))
        if last == first:
            self.press("v")
            self.press("v")
        elif drag:
            self.press("v")
            self.to_line(self.line(path, side, last))
            self.press("v")
        else:
            while not self.has_focus(self.line(path, side, last)):
                self.press("Shift+ArrowDown")

    def to_file(self, path: str, side: str) -> None:
        """Go through the files until the wanted one is current."""
        current = self.page.locator(".file.current")
        for key in ("]", "["):
            for _ in range(self.page.locator(".file").count()):
                if current.count() and current.get_attribute(f"data-path-{side}") == path:
                    return
                self.press(key)
        raise AssertionError(f"{path} is not reached by ] and [")

    def to_line(self, wanted: Locator) -> None:
        """Move the cursor line by line, towards the wanted one, and to its side."""
        goal = wanted.bounding_box()
        assert goal is not None
        at = self.page.locator("tr.cursor button.ln")
        for _ in range(MOST_STOPS):
            if self.has_focus(wanted):
                return
            here = at.first.bounding_box()
            goal = wanted.bounding_box()
            assert here is not None
            assert goal is not None
            if abs(here["y"] - goal["y"]) < 1:
                self.press("t")
            else:
                self.press("j" if here["y"] < goal["y"] else "k")
        raise AssertionError(f"{wanted} is not reached by j and k")


def sign_in(hands: Hands, email: str, password: str) -> None:
    """Sign in through the form that is shown."""
    page = hands.page
    expect(page.get_by_role("heading", level=1)).to_have_text("Sign in")
    hands.write(page.get_by_label("Email"), email)
    hands.write(page.get_by_label("Password"), password)
    hands.go(page.get_by_role("button", name="Sign in"))
    expect(page.get_by_role("heading", level=1)).not_to_have_text("Sign in")


def saved(page: Page) -> None:
    """Wait until the open form says when it was saved."""
    expect(page.locator("[data-saved-form]").first).to_have_text(re.compile("^saved [0-9]"))
