"""The public form of a manifest: what is withheld is in it as a salted digest and in no other way."""

from __future__ import annotations

import hashlib
import hmac
import json
from pathlib import Path

import pytest

from config.cli import main
from corpus.domain.canonical_json import dump_canonical
from corpus.domain.manifest import build_manifest, count, digest, parse_manifest
from corpus.domain.manifest_records import GateState, ManifestGate, YesNo
from corpus.domain.public_manifest import build_public_manifest, inspect_public_manifest
from corpus.domain.records import to_plain
from corpus.domain.vocabulary import Split
from tests.unit.manifest_samples import make_case, make_draft, make_finding

pytestmark = pytest.mark.pure

HIDDEN = make_finding("G-held", claim="Hidden claim")
HELD = make_case("held-out", split=Split.HOLDOUT, repository="secret-repo", findings=(HIDDEN,))
OWN = make_case("own-case", private=YesNo.YES, findings=())
GATES = (ManifestGate(key="licence", state=GateState.WAIVED, detail="1 of 4", waiver_reason="held-out is ours"),)
DRAFT = make_draft(make_case("case-a"), make_case("case-b", findings=()), HELD, OWN, gates=GATES)
WHOLE = build_manifest(DRAFT)
PUBLIC = build_public_manifest(parse_manifest(WHOLE), digest(WHOLE))


def test_public_cases_are_whole_and_the_rest_are_digests() -> None:
    public, problems = inspect_public_manifest(PUBLIC)
    assert problems == []
    assert [case.case_id for case in public.cases] == ["case-a", "case-b"]
    assert public.counts.cases == 2
    assert public.manifest_sha256 == digest(WHOLE)
    told = PUBLIC.decode()
    for word in ("held-out", "own-case", "secret-repo", "Hidden claim", "G-held", "is ours", "1 of 4"):
        assert word not in told


def test_a_withheld_case_can_be_shown_by_whoever_has_the_whole() -> None:
    whole = parse_manifest(WHOLE)
    expected = {
        hmac.new(bytes.fromhex(whole.content_sha256), bytes.fromhex(case.sha256), hashlib.sha256).hexdigest()
        for case in whole.cases
        if case.case_id in {"held-out", "own-case"}
    }
    public, _ = inspect_public_manifest(PUBLIC)
    assert set(public.withheld) == expected
    # The key of the salt is not among what is published, and the next version has another.
    assert whole.content_sha256 not in PUBLIC.decode()
    following = build_manifest(make_draft(make_case("case-a", tier="hard"), HELD, OWN), parent=WHOLE)
    other, _ = inspect_public_manifest(build_public_manifest(parse_manifest(following), digest(following)))
    assert not set(other.withheld) & expected


def test_a_flipped_byte_is_found_and_named() -> None:
    changed = PUBLIC.replace(b"can never be opened", b"can often be opened")
    _, problems = inspect_public_manifest(changed)
    assert str(problems[0]) == "cases[0] (case-a): the case is not what its sha256 says"
    for at in range(0, len(PUBLIC), 97):
        flipped = bytearray(PUBLIC)
        flipped[at] ^= 1
        assert inspect_public_manifest(bytes(flipped))[1], at
        assert inspect_public_manifest(bytes(flipped), digest(PUBLIC))[1][0].place == "digest"
    assert inspect_public_manifest(PUBLIC + b" ")[1]


def test_a_withheld_case_among_the_published_is_found_though_every_digest_fits() -> None:
    plain = json.loads(PUBLIC)
    plain["cases"].append(json.loads(WHOLE)["cases"][2])
    whole = parse_manifest(WHOLE)
    plain["counts"] = to_plain(count([*whole.cases[:2], whole.cases[2]]))
    del plain["content_sha256"]
    plain["content_sha256"] = hashlib.sha256(dump_canonical(plain)).hexdigest()
    _, problems = inspect_public_manifest(dump_canonical(plain))
    assert [problem.reason for problem in problems] == ["a case that is withheld stands among the published ones"]


def test_the_command_verifies_it_alone_and_against_the_whole(tmp_path: Path, capsys) -> None:
    public, whole = tmp_path / "public.json", tmp_path / "whole.json"
    public.write_bytes(PUBLIC)
    whole.write_bytes(WHOLE)
    assert main(["verify", str(public), "--digest", digest(PUBLIC)]) == 0
    assert json.loads(capsys.readouterr().out)["cases"] == 2
    assert main(["verify", str(public), "--against", str(whole)]) == 0
    other = build_manifest(make_draft(make_case("case-a"), make_case("case-b", findings=())))
    whole.write_bytes(other)
    assert main(["verify", str(public), "--against", str(whole)]) == 1
    assert "not the public form of version 1.0.0" in capsys.readouterr().out
    assert main(["verify", str(whole), "--against", str(public)]) == 2
    assert "is not a public manifest" in capsys.readouterr().err
