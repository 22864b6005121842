"""Signatures: RFC 8032's own example, and every way in which one can be wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from config.cli import main
from corpus.domain.manifest import build_manifest
from corpus.domain.signatures import (
    SignatureError,
    is_signed,
    public_key_of,
    read_signature,
    sign,
    signature_bytes,
)
from tests.unit.manifest_samples import make_draft

pytestmark = pytest.mark.pure

KEY, OTHER = "11" * 32, "22" * 32


def test_the_second_example_of_rfc_8032() -> None:
    secret = "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb"
    made = sign(bytes.fromhex("72"), secret)
    assert made.public_key == "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c"
    assert made.signature == (
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
        "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"
    )
    assert is_signed(b"\x72", made)
    assert not is_signed(b"\x73", made)


def test_a_signature_is_read_as_it_was_written() -> None:
    made = sign(b"bytes", KEY)
    assert read_signature(signature_bytes(made)) == made
    assert sign(b"bytes", KEY) == made


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "not JSON"),
        (b"[]", "does not say"),
        (b'{"format":"touchstone-signature","algorithm":"RSA"}', "does not say"),
        (signature_bytes(sign(b"", KEY)).replace(b'"signature": "', b'"signature": "z'), "not 128"),
        (b"[" * 100_000, "not JSON"),
    ],
)
def test_what_is_no_signature_is_refused(data: bytes, reason: str) -> None:
    with pytest.raises(SignatureError, match=reason):
        read_signature(data)


@pytest.fixture
def signed(tmp_path: Path) -> tuple[str, str]:
    data = build_manifest(make_draft())
    (tmp_path / "m.json").write_bytes(data)
    (tmp_path / "m.sig").write_bytes(signature_bytes(sign(data, KEY)))
    return str(tmp_path / "m.json"), str(tmp_path / "m.sig")


def verify(capsys, *arguments: str) -> tuple[int, list[str]]:
    code = main(["verify", *arguments])
    told = capsys.readouterr()
    return code, [problem["reason"] for problem in json.loads(told.out)["problems"]] if told.out else [told.err]


def test_verify_checks_a_signature_by_the_key_one_trusts(signed, capsys) -> None:
    manifest, signature = signed
    trusted = public_key_of(KEY)
    assert verify(capsys, manifest, "--signature", signature, "--key", trusted.upper()) == (0, [])
    code, [reason] = verify(capsys, manifest, "--signature", signature, "--key", public_key_of(OTHER))
    assert code == 1
    assert reason == f"it was made with the key {trusted}, expected was {public_key_of(OTHER)}"
    Path(signature).write_bytes(signature_bytes(sign(b"other bytes", KEY)))
    assert verify(capsys, manifest, "--signature", signature, "--key", trusted) == (1, ["it is not over these bytes"])


def test_what_cannot_be_checked_is_bad_input(signed, capsys) -> None:
    manifest, signature = signed
    for arguments in (
        ["--signature", signature],
        ["--key", public_key_of(KEY)],
        ["--signature", manifest, "--key", public_key_of(KEY)],
        ["--signature", signature, "--key", "abc"],
        ["--signature", signature + ".none", "--key", public_key_of(KEY)],
    ):
        code, [told] = verify(capsys, manifest, *arguments)
        assert code == 2
        assert told.count("\n") == 1
