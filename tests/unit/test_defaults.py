"""The defaults that a new project starts from: complete, consistent, and inside the wheel."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from corpus import defaults
from corpus.defaults import BadDefaults, load_defaults
from corpus.domain.vocabulary import DEFAULT_SEVERITY_WEIGHTS, Confidence, Relation, Severity, Verdict

pytestmark = pytest.mark.pure

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = Path(defaults.__file__).parent

# One telling word for each kind of defect that the taxonomy has to hold.
KINDS = {
    "boundary": ("off-by-one", "comparison"),
    "authorization": ("tenant", "ownership"),
    "injection": ("query", "deserializer"),
    "resource": ("handle", "clean-up"),
    "concurrency": ("lock", "twice"),
    "error_handling": ("retries", "swallowed"),
    "data_loss": ("transaction", "commit"),
    "compatibility": ("migration", "field"),
    "test_quality": ("assertion", "pass while"),
    "performance": ("load", "query"),
}

# Heading → what its section must settle.
GUIDELINE_TOPICS = {
    "What you may look at": ("both complete trees", "decline"),
    "What makes a defect": ("Trigger", "Consequence", "Quoted line"),
    "One label, one defect": ("the same cause", "two causes"),
    "Places: the anchor": ("Primary", "Alternate", "Supporting", "old** side", "repository", "deleted"),
    "Changed lines only?": ("No.", "untouched file"),
    "Relation to the change": ("Introduced", "Made worse", "Pre-existing", "Unrelated", "optional"),
    "Speculative risks": ("speculative", "fact"),
    "Severity": ("critical", "high", "medium", "low", "note", "reach"),
    "Security": ("boundary", "untrusted"),
    "Category": ("mechanism",),
    "Other ways to say the same": ("Acceptable explanation elements", "Keywords", "cause"),
    "Style and taste": ("note", "clean", "linter"),
    "Confidence": ("high", "medium", "low"),
    "The verdict": ("Has defects", "Clean", "Uncertain", "Insufficient context"),
    "Insufficient context": ("named artefact",),
    "Text inside the code": ("not instructions",),
}


def sections(markdown: str) -> dict[str, str]:
    """The text under each second-level heading."""
    parts = re.split(r"^## (.+)$", markdown, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def test_the_taxonomy_holds_the_ten_categories_each_explained_with_examples() -> None:
    categories = {category.key: category for category in load_defaults().categories}
    assert set(categories) == set(KINDS)
    for key, words in KINDS.items():
        category = categories[key]
        text = " ".join((category.description, *category.belongs)).lower()
        for word in words:
            assert word in text, f"{key}: {word}"
        assert category.in_scope
        assert len(category.key) <= 16
        assert len(category.belongs) >= 2
        assert 2 <= len(category.examples) <= 3
        assert len(category.description) >= 60


def test_what_a_category_excludes_is_sent_to_an_existing_category_or_to_no_label() -> None:
    keys = {category.key for category in load_defaults().categories}
    for category in load_defaults().categories:
        assert len(category.excludes) >= 2
        for sentence in category.excludes:
            target = sentence.split(":")[-1]
            named = {key for key in keys if key in target}
            assert named - {category.key} or "label" in target or "note" in target, sentence


def test_no_two_categories_share_an_example() -> None:
    examples = [example for category in load_defaults().categories for example in category.examples]
    assert len(examples) == len(set(examples))


def test_severity_runs_from_critical_to_note_with_the_agreed_weights() -> None:
    levels = load_defaults().severity_policy.levels
    assert [(level.severity.value, level.weight) for level in levels] == [
        ("critical", 8),
        ("high", 5),
        ("medium", 3),
        ("low", 1),
        ("note", 0),
    ]
    assert {level.severity: level.weight for level in levels} == DEFAULT_SEVERITY_WEIGHTS


def test_every_severity_defines_impact_and_reach_apart() -> None:
    policy = load_defaults().severity_policy
    assert len(policy.rules) >= 4
    for level in policy.levels:
        assert len(level.impact) >= 40
        assert len(level.reach) >= 40
        assert len(level.examples) == 2
    assert len({level.impact for level in policy.levels}) == len({level.reach for level in policy.levels}) == 5


@pytest.mark.parametrize("heading", GUIDELINE_TOPICS)
def test_the_guidelines_settle(heading: str) -> None:
    text = sections(load_defaults().guidelines)[heading]
    for word in GUIDELINE_TOPICS[heading]:
        assert word in text, word


def test_the_guidelines_can_be_read_beside_the_code() -> None:
    guidelines = load_defaults().guidelines
    for heading, text in sections(guidelines).items():
        assert len(text.split()) <= 260, f"{heading} is too long to read beside the code"
    assert max(len(line) for line in guidelines.splitlines()) <= 110
    assert "<" not in guidelines.replace("<=", ""), "raw HTML would be shown as text"


def test_the_guidelines_name_every_answer_that_the_form_offers() -> None:
    text = load_defaults().guidelines.lower()
    for value in (*Severity, *Verdict, *Relation, *Confidence):
        word = value.value.replace("_", " ")
        assert word in text or word.replace(" ", "-") in text, word


def test_the_guidelines_name_only_categories_that_exist() -> None:
    keys = {category.key for category in load_defaults().categories}
    named = set(re.findall(r"\b(?:category|Category:|is|be|,) ([a-z]+_[a-z]+)\b", load_defaults().guidelines))
    assert named, "the guidelines give no example of a category"
    assert named <= keys


def test_the_contract_answers_every_question() -> None:
    contract = load_defaults().contract
    assert contract.context_allowed in defaults.CONTEXTS
    assert contract.pre_existing in defaults.TREATMENTS
    assert contract.speculative in defaults.TREATMENTS
    assert contract.intended_authority in defaults.AUTHORITIES
    assert contract.changed_lines_only is False
    assert len(contract.exclusions) >= 3
    for name in contract.__dataclass_fields__:
        if name.endswith("_note") or name in {"bounded_claim", "owner"}:
            assert getattr(contract, name).strip(), name


def test_contract_and_guidelines_agree_on_what_is_optional_and_on_unchanged_lines() -> None:
    contract = load_defaults().contract
    text = sections(load_defaults().guidelines)
    assert contract.pre_existing == "optional"
    assert "kept as optional" in text["Relation to the change"]
    assert text["Changed lines only?"].strip().startswith("No.") is not contract.changed_lines_only


@pytest.mark.parametrize(
    ("name", "spoil", "message"),
    [
        ("taxonomy.json", lambda data: data["categories"].append(data["categories"][0]), "occurs twice"),
        ("taxonomy.json", lambda data: data["categories"][0].update(key="Bad Key"), "'Bad Key'"),
        ("severity.json", lambda data: data["levels"].pop(), "each level once"),
        ("contract.json", lambda data: data.update(pre_existing="sometimes"), "pre_existing is 'sometimes'"),
        ("contract.json", lambda data: data.update(context_allowed="all"), "context_allowed is 'all'"),
    ],
)
def test_a_spoilt_data_file_is_refused_by_name(
    name: str, spoil: object, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = json.loads((PACKAGE / name).read_text(encoding="utf-8"))
    assert callable(spoil)
    spoil(data)
    original = defaults._json
    monkeypatch.setattr(defaults, "_json", lambda wanted: data if wanted == name else original(wanted))
    load_defaults.cache_clear()
    try:
        with pytest.raises(BadDefaults, match=message) as caught:
            load_defaults()
        assert name in str(caught.value)
    finally:
        load_defaults.cache_clear()


def test_a_wheel_holds_the_defaults_and_the_sample_cases(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    shutil.copy(ROOT / "pyproject.toml", source)
    (source / "README.md").write_text("Touchstone\n", encoding="utf-8")
    for package in ("config", "corpus", "labeling", "reviews"):
        shutil.copytree(ROOT / package, source / package, ignore=shutil.ignore_patterns("__pycache__"))
    build = "from setuptools import build_meta; build_meta.build_wheel('dist')"
    subprocess.run(
        [sys.executable, "-W", "ignore", "-c", build],
        cwd=source,
        check=True,
        capture_output=True,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
    )
    (wheel,) = (source / "dist").glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    expected = {
        path.relative_to(ROOT).as_posix()
        for folder in ("defaults", "sample")
        for path in (ROOT / "corpus" / folder).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert expected
    assert expected <= names
