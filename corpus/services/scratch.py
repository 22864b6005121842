"""The patch between two trees in memory, made by git in a repository that lives for one call."""

from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path

from corpus.gitrepo import GitRefused, GitRepository
from corpus.services.trees import SUBMODULE, Files

TIMEOUT_SECONDS = 120
ENVIRONMENT = {
    "PATH": os.environ.get("PATH", os.defpath),
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}


def patch_between(base: Files, head: Files) -> bytes:
    """Return what git prints as the difference of two trees. Only files that differ are given to git."""
    changed_base = {path: entry for path, entry in base.items() if head.get(path) != entry}
    changed_head = {path: entry for path, entry in head.items() if base.get(path) != entry}
    with tempfile.TemporaryDirectory(prefix="touchstone-") as folder:
        repository = Path(folder)
        _make_repository(repository, sha256=_has_long_names(changed_base) or _has_long_names(changed_head))
        stream = _commit(b"refs/heads/base", changed_base) + _commit(b"refs/heads/head", changed_head)
        _fast_import(repository, stream)
        with GitRepository(repository) as opened:
            return opened.patch(opened.resolve("base"), opened.resolve("head"))


def _make_repository(folder: Path, *, sha256: bool) -> None:
    """Write by hand what `git init` would, less its templates and hooks."""
    (folder / "objects").mkdir()
    (folder / "refs").mkdir()
    (folder / "HEAD").write_text("ref: refs/heads/base\n")
    version, extension = (1, "[extensions]\n\tobjectFormat = sha256\n") if sha256 else (0, "")
    (folder / "config").write_text(
        f"[core]\n\trepositoryformatversion = {version}\n\tbare = true\n\tquotePath = true\n{extension}"
    )


def _has_long_names(files: Files) -> bool:
    return any(mode == SUBMODULE and len(data) == 64 for mode, data in files.values())


def _commit(branch: bytes, files: Files) -> bytes:
    pieces = [b"commit %s\ncommitter t <t@localhost> 0 +0000\ndata 0\n\n" % branch]
    for path, (mode, data) in files.items():
        quoted = b'"%s"' % path.replace(b"\\", b"\\\\").replace(b'"', b'\\"').replace(b"\n", b"\\n")
        if mode == SUBMODULE:
            pieces.append(b"M %s %s %s\n" % (mode.encode(), data, quoted))
        else:
            pieces.append(b"M %s inline %s\ndata %d\n%s\n" % (mode.encode(), quoted, len(data), data))
    return b"".join(pieces)


def _fast_import(repository: Path, stream: bytes) -> None:
    try:
        done = subprocess.run(
            ["git", f"--git-dir={repository}", "fast-import", "--quiet", "--date-format=raw"],
            input=stream,
            capture_output=True,
            check=False,
            timeout=TIMEOUT_SECONDS,
            env=ENVIRONMENT,
        )
    except subprocess.TimeoutExpired as error:
        raise GitRefused(
            f"Git needed more than {TIMEOUT_SECONDS} seconds for this change; import its patch."
        ) from error
    except FileNotFoundError as error:
        raise GitRefused("Git is not installed on this server; install it or import a patch.") from error
    if done.returncode != 0:
        raise GitRefused(f"Git could not read the trees: {done.stderr.decode('utf-8', 'replace')[:200]}")
