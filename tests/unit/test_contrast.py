"""The tokens' colours keep WCAG AA in both schemes for every pair that meets on a page."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

TOKENS = Path(__file__).resolve().parents[2] / "static" / "css" / "tokens.css"
TOKEN = re.compile(r"--([\w-]+):\s*light-dark\((#[0-9a-f]{6}),\s*(#[0-9a-f]{6})\)")
TEXT = 4.5
SHAPE = 3.0

SURFACES = ("canvas", "surface", "raised", "sunken")
DIFF_SURFACES = (
    "surface",
    "diff-add",
    "diff-del",
    "diff-add-mark",
    "diff-del-mark",
    "diff-pick",
    "diff-note",
    "mark-warn",
)
CODE = ("comment", "keyword", "string", "number", "name", "type", "meta", "error")
SEVERITIES = ("critical", "high", "medium", "low", "note")
STATES = (
    "incomplete",
    "ready",
    "labelling",
    "claims",
    "adjudicating",
    "settled",
    "stale",
    "withdrawn",
)

TEXT_PAIRS = [
    *[(ink, on) for ink in ("ink", "ink-muted") for on in (*SURFACES, "hover", "accent-soft", *DIFF_SURFACES)],
    *[("ink-faint", on) for on in SURFACES],
    *[(ink, on) for ink in ("accent", "accent-strong") for on in (*SURFACES, "accent-soft", "hover", "diff-note")],
    ("on-accent", "accent"),
    ("on-accent", "accent-strong"),
    ("on-danger", "danger"),
    *[(tone, on) for tone in ("ok", "warn", "danger") for on in (*SURFACES, "hover", f"{tone}-soft")],
    *[("ink", f"{tone}-soft") for tone in ("ok", "warn", "danger")],
    *[(f"sev-{level}", on) for level in SEVERITIES for on in (*SURFACES, "hover", "accent-soft")],
    *[("surface", f"sev-{level}") for level in ("critical", "high")],
    *[(f"code-{name}", on) for name in CODE for on in DIFF_SURFACES],
    *[("ink", on) for on in ("diff-add-num", "diff-del-num", "diff-pick-num")],
    ("ok", "diff-add"),
    ("danger", "diff-del"),
]
SHAPE_PAIRS = [
    *[("line-strong", on) for on in ("canvas", "surface", "raised")],
    *[("focus", on) for on in (*SURFACES, "accent-soft", "hover", "diff-add-num", "diff-del-num")],
    *[(f"state-{state}", on) for state in STATES for on in ("canvas", "surface")],
    *[(f"sev-{level}", on) for level in SEVERITIES for on in ("surface", "diff-add-num", "diff-del-num")],
    ("accent", "surface"),
    ("accent", "diff-add-num"),
    ("accent", "diff-pick-num"),
]


def tokens() -> dict[str, tuple[str, str]]:
    """Return the colour tokens as (light, dark)."""
    return {name: (light, dark) for name, light, dark in TOKEN.findall(TOKENS.read_text(encoding="utf-8"))}


def luminance(colour: str) -> float:
    """Return the relative luminance of "#rrggbb" (WCAG 2.2, definition of relative luminance)."""
    channels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = [
        channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4 for channel in channels
    ]
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(first: str, second: str) -> float:
    """Return the contrast ratio of two colours, 1 to 21 (WCAG 2.2)."""
    brighter, darker = sorted((luminance(first), luminance(second)), reverse=True)
    return (brighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize(
    ("first", "second", "ratio"),
    [
        ("#000000", "#ffffff", 21.0),
        ("#777777", "#ffffff", 4.48),
        ("#0000ff", "#ffffff", 8.59),
        ("#123456", "#123456", 1.0),
    ],
)
def test_contrast_gives_the_published_ratios(first: str, second: str, ratio: float) -> None:
    assert contrast(first, second) == pytest.approx(ratio, abs=0.005)


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize(("needed", "pairs"), [(TEXT, TEXT_PAIRS), (SHAPE, SHAPE_PAIRS)], ids=["text", "shape"])
def test_pairs_that_meet_are_readable(needed: float, pairs: list[tuple[str, str]], scheme: int) -> None:
    colours = tokens()
    poor = {
        f"{ink} on {on}": round(contrast(colours[ink][scheme], colours[on][scheme]), 2)
        for ink, on in pairs
        if contrast(colours[ink][scheme], colours[on][scheme]) < needed
    }
    assert poor == {}


def test_every_colour_outside_the_tokens_is_a_token() -> None:
    """Other stylesheets hold no colour of their own except shadows, hatching, masks and the brand's two."""
    brand_and_effects = {"#2c2a27", "#5b564e", "#e0b04c", "#1c1b1912", "#ebe8e214", "#1c1b1966", "#000000a6", "#000"}
    found = {
        f"{sheet.name}: {colour}"
        for sheet in TOKENS.parent.glob("*.css")
        if sheet != TOKENS
        for colour in re.findall(r"#[0-9a-fA-F]{3,8}\b", sheet.read_text(encoding="utf-8"))
        if colour not in brand_and_effects
    }
    assert found == set()


def test_every_token_that_is_used_exists() -> None:
    sheets = "\n".join(sheet.read_text(encoding="utf-8") for sheet in TOKENS.parent.glob("*.css"))
    assert set(re.findall(r"var\((--[\w-]+)", sheets)) - set(re.findall(r"(--[\w-]+):", sheets)) == set()
