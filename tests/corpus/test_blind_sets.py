"""Blind sets of a frozen version: what is open tells nothing, what is sealed opens it, and both are recorded."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from config.cli import main
from corpus.domain.vocabulary import Channel, ExposureKind, Split
from corpus.models import AuditEntry, Case, Exposure, GoldenFinding
from corpus.services.versions import freeze_version
from tests.factories import BASE_FILES, HEAD_FILES, make_case
from tests.labeling_factories import CHARGES_TWICE, mark_complete, settle_case_with


@pytest.fixture
def cases(people, project) -> dict[str, Case]:
    """A case with a finding, a clean one, one that tells, and one of the holdout; frozen."""
    pair = [people.reviewer_a, people.reviewer_b]
    mode, retry = HEAD_FILES[b"pay/retry.py"]
    telling = {**HEAD_FILES, b"pay/retry.py": (mode, retry + b"# BUG: charges twice\n")}
    made = {
        "defect": settle_case_with(make_case(project), pair, labels=[CHARGES_TWICE]),
        "clean": settle_case_with(make_case(project), pair),
        "telling": settle_case_with(make_case(project, base=BASE_FILES, head=telling), pair, labels=[CHARGES_TWICE]),
        "held": settle_case_with(make_case(project, split=Split.HOLDOUT), pair),
    }
    for case in made.values():
        mark_complete(case)
    freeze_version(project=project, actor=people.lead, waivers={"oracle_leaks": "To be replaced"})
    return made


def make(project, folder: Path, *more: str) -> str:
    said = io.StringIO()
    words = ["blind_set", "--project", project.slug, "--version", "1.0.0", "--out", str(folder), *more]
    call_command(*words, stdout=said)
    return said.getvalue()


def below(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_the_open_part_tells_nothing_and_the_sealed_part_opens_it(people, project, cases, tmp_path, capsys) -> None:
    said = make(project, tmp_path / "set", "--as", people.analyst.email)
    open_part = below(tmp_path / "set" / "open")
    assert set(open_part) == {"commitment.json", "blind/B-01/diff.patch", "blind/B-02/diff.patch"}
    everything = b"".join(open_part.values())
    hidden = [case.public_id for case in cases.values()]
    hidden += [*GoldenFinding.objects.values_list("public_id", flat=True), CHARGES_TWICE.title, "dev", "payments-api"]
    assert [word for word in hidden if word.encode() in everything] == []
    published = json.loads(open_part["commitment.json"])["sha256"]
    assert f"2 cases, commitment {published}" in said
    assert f"loss {cases['telling'].public_id}: left out: its change holds words that tell" in said
    sealed = tmp_path / "set" / "sealed"
    assert main(["open-seal", str(tmp_path / "set" / "open" / "commitment.json"), str(sealed / "seal.json")]) == 0
    mapping = json.loads(capsys.readouterr().out)["mapping"]
    assert set(mapping.values()) == {cases["defect"].public_id, cases["clean"].public_id}
    rows = {row["blind_id"]: row for row in csv.DictReader((sealed / "mapping.csv").read_text().splitlines())}
    assert {blind_id: row["mutant_id"] for blind_id, row in rows.items()} == mapping
    [defect] = [row for row in rows.values() if row["mutant_id"] == cases["defect"].public_id]
    assert (defect["category"], defect["file"]) == (CHARGES_TWICE.category, "pay/retry.py")
    seen = Exposure.objects.filter(user=people.analyst, kind=ExposureKind.GOLDEN_FINDING, channel=Channel.COMMAND)
    assert cases["defect"].pk in set(seen.values_list("case_id", flat=True))
    assert AuditEntry.objects.filter(verb="version exported", after__contains="blind set").exists()


def test_a_seed_gives_the_order_and_each_set_a_nonce_of_its_own(project, cases, tmp_path) -> None:
    for name in ("one", "two"):
        make(project, tmp_path / name, "--seed", "20261027")
    one, two = (json.loads((tmp_path / name / "sealed" / "seal.json").read_text()) for name in ("one", "two"))
    assert one["mapping"] == two["mapping"]
    assert one["seed"] == 20_261_027
    assert one["nonce"] != two["nonce"]
    opened = [
        json.loads((tmp_path / name / "open" / "commitment.json").read_text())["sha256"] for name in ("one", "two")
    ]
    assert opened[0] != opened[1]


def test_nothing_is_written_over_and_nothing_made_of_an_unknown_version(project, cases, tmp_path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "x").write_text("keep")
    with pytest.raises(CommandError, match="is not empty"):
        make(project, tmp_path / "mine")
    with pytest.raises(CommandError, match="has no version"):
        call_command("blind_set", "--project", project.slug, "--version", "9.9.9", "--out", str(tmp_path / "new"))
    assert not (tmp_path / "new").exists()
