"""Blind sets: the published order of an earlier experiment, and a seal that holds."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from pathlib import Path

import pytest

from config.cli import main
from corpus.domain.blind_sets import (
    SealError,
    blind_ids,
    commitment,
    commitment_plain,
    is_opened_by,
    read_seal,
    seal,
    seal_plain,
)

pytestmark = pytest.mark.pure

# Twenty mutants in their own order; two replaced ones stand in the places of those they replace.
MUTANTS = [f"M-{number:02}" for number in range(1, 21)]
MUTANTS[17], MUTANTS[19] = "M-18R", "M-20B"
# B-01 to B-20 as the experiment published them.
PUBLISHED = [f"M-{name}" for name in ("03", "14", "10", "13", "06", "11", "18R", "09", "15", "08")]
PUBLISHED += [f"M-{name}" for name in ("12", "01", "04", "19", "16", "17", "07", "20B", "02", "05")]
NONCE = "ab" * 32


def test_the_published_order_comes_of_its_seed() -> None:
    sealed = seal(MUTANTS, seed=20_261_027, nonce=NONCE)
    assert list(sealed.case_ids) == PUBLISHED
    assert sealed.mapping["B-01"] == "M-03"
    assert sealed.mapping["B-20"] == "M-05"
    assert list(sealed.mapping) == [f"B-{number:02}" for number in range(1, 21)]


def test_ids_are_wide_enough_for_all() -> None:
    assert blind_ids(1) == ["B-01"]
    assert blind_ids(100)[0] == "B-001"


def test_the_commitment_is_over_mapping_seed_and_nonce() -> None:
    sealed = seal(["a", "b"], seed=1, nonce=NONCE)
    first, second = sealed.case_ids
    stated = f'{{"mapping":{{"B-01":"{first}","B-02":"{second}"}},"nonce":"{NONCE}","seed":1}}'
    assert commitment(sealed) == hashlib.sha256(stated.encode()).hexdigest()
    assert is_opened_by(commitment(sealed), sealed)
    for other in (
        replace(sealed, seed=2),
        replace(sealed, nonce="cd" * 32),
        replace(sealed, case_ids=sealed.case_ids[::-1]),
    ):
        assert not is_opened_by(commitment(sealed), other)


def test_an_order_that_its_seed_does_not_draw_opens_nothing() -> None:
    """Whoever chose the order by hand and committed to it is found out when it is opened."""
    sealed = seal(sorted("abcdefgh"), seed=5, nonce=NONCE)
    chosen = replace(sealed, case_ids=sealed.case_ids[::-1])
    assert not is_opened_by(commitment(chosen), chosen)


@pytest.mark.parametrize("nonce", ["", "AB" * 32, "ab" * 31, "zz" * 32])
def test_a_nonce_of_fewer_bits_is_refused(nonce: str) -> None:
    with pytest.raises(SealError, match="nonce"):
        seal(["a"], seed=1, nonce=nonce)


def test_a_seal_is_read_as_it_was_written_and_nothing_else_is() -> None:
    sealed = seal(["a", "b", "c"], seed=7, nonce=NONCE)
    plain = json.loads(json.dumps(seal_plain(sealed)))
    assert read_seal(plain) == sealed
    assert "seed" not in commitment_plain(sealed)
    for wrong in (
        None,
        [],
        {},
        plain | {"seed": "7"},
        plain | {"nonce": "x"},
        plain | {"mapping": {"B-02": "a"}},
        plain | {"mapping": {"B-01": 1}},
    ):
        with pytest.raises(SealError):
            read_seal(wrong)


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    sealed = seal(["a", "b", "c", "d"], seed=7, nonce=NONCE)
    (tmp_path / "commitment.json").write_text(json.dumps(commitment_plain(sealed)))
    (tmp_path / "seal.json").write_text(json.dumps(seal_plain(sealed)))
    return [str(tmp_path / "commitment.json"), str(tmp_path / "seal.json")]


def test_the_command_opens_a_seal(files, capsys) -> None:
    assert main(["open-seal", *files]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["ok"] is True
    assert set(told["mapping"].values()) == {"a", "b", "c", "d"}


def test_the_command_says_that_a_mapping_was_changed(files, capsys) -> None:
    path = Path(files[1])
    plain = json.loads(path.read_text())
    plain["mapping"]["B-01"], plain["mapping"]["B-02"] = plain["mapping"]["B-02"], plain["mapping"]["B-01"]
    path.write_text(json.dumps(plain))
    assert main(["open-seal", *files]) == 1
    assert json.loads(capsys.readouterr().out) == {"ok": False, "mapping": None}
    path.write_text("{}")
    assert main(["open-seal", *files]) == 2
    assert "seal.json: it does not say that it is a touchstone-blind-seal" in capsys.readouterr().err
    assert main(["open-seal", files[1], files[0]]) == 2
