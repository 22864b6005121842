from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

from config.cli import main
from corpus.domain.manifest import build_manifest, digest
from tests.unit.manifest_samples import make_draft


@pytest.fixture
def manifest(tmp_path: Path) -> Path:
    path = tmp_path / "manifest.json"
    path.write_bytes(build_manifest(make_draft()))
    return path


def test_an_intact_manifest_is_confirmed(manifest: Path, capsys: pytest.CaptureFixture[str]) -> None:
    published = digest(manifest.read_bytes())
    assert main(["verify", str(manifest), "--digest", published.upper()]) == 0
    assert json.loads(capsys.readouterr().out) == {
        "ok": True,
        "digest": published,
        "version": "1.0.0",
        "cases": 2,
        "tombstones": [],
        "problems": [],
    }


def test_a_changed_case_is_named_and_the_exit_code_is_one(manifest: Path, capsys: pytest.CaptureFixture[str]) -> None:
    manifest.write_bytes(manifest.read_bytes().replace(b"can never be opened", b"can often be opened"))
    assert main(["verify", str(manifest)]) == 1
    answer = json.loads(capsys.readouterr().out)
    assert answer["ok"] is False
    assert answer["problems"][0] == {
        "place": "cases[0] (case-a)",
        "reason": "the case is not what its sha256 says",
    }


def test_another_digest_than_the_published_one_fails(manifest: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", str(manifest), "--digest", "0" * 64]) == 1
    [problem] = json.loads(capsys.readouterr().out)["problems"]
    assert problem["place"] == "digest"


@pytest.mark.parametrize("change", ["\n", "{}"])
def test_bytes_after_the_document_fail(manifest: Path, capsys: pytest.CaptureFixture[str], change: str) -> None:
    manifest.write_bytes(manifest.read_bytes() + change.encode())
    assert main(["verify", str(manifest)]) == 1
    [problem] = json.loads(capsys.readouterr().out)["problems"]
    assert "follow the end of the document" in problem["reason"]


def test_a_key_that_stands_twice_fails(manifest: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = manifest.read_bytes()
    manifest.write_bytes(data.replace(b'"version":"1.0.0"', b'"version":"1.0.0","version":"1.0.0"'))
    assert main(["verify", str(manifest)]) == 1
    [problem] = json.loads(capsys.readouterr().out)["problems"]
    assert problem == {"place": "document", "reason": "the key 'version' stands twice"}


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"", "the input is empty"),
        (b"{}", "nowhere says 'touchstone-manifest', so this is not a manifest"),
        (b"\x00\xff", "nowhere says 'touchstone-manifest', so this is not a manifest"),
    ],
)
def test_what_is_no_manifest_is_bad_input_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], data: bytes, sentence: str
) -> None:
    path = tmp_path / "some.json"
    path.write_bytes(data)
    assert main(["verify", str(path)]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err == f"{path}: {sentence}\n"


def test_a_missing_file_and_an_ill_formed_digest_are_bad_input(
    tmp_path: Path, manifest: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["verify", str(tmp_path / "none.json")]) == 2
    assert "none.json: No such file or directory\n" in capsys.readouterr().err
    assert main(["verify", str(manifest), "--digest", "abc"]) == 2
    assert "--digest: 'abc' is not a SHA-256" in capsys.readouterr().err


def test_the_manifest_can_come_by_standard_input(
    manifest: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(manifest.read_bytes())))
    assert main(["verify", "-"]) == 0
    assert json.loads(capsys.readouterr().out)["ok"] is True


def test_verifying_imports_no_django(manifest: Path) -> None:
    program = (
        "import sys; from config.cli import main; code = main(['verify', sys.argv[1]]);"
        "sys.exit(code or any(name.split('.')[0] in {'django', 'celery'} for name in sys.modules) * 9)"
    )
    done = subprocess.run([sys.executable, "-c", program, str(manifest)], capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
