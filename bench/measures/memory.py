"""The most memory that a process needs for the largest input it takes: the command, a worker, and a web worker."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from bench.timing import Row
from bench.world import World

if TYPE_CHECKING:
    from corpus.models import Project, User

MOST = 400
MB = 1_000_000
LINE = b"+a line of a million lines of\n"


def added(lines: int) -> bytes:
    """Return a patch that adds a file of so many lines of 30 bytes."""
    header = b"diff --git a/f b/f\nnew file mode 100644\n--- /dev/null\n+++ b/f\n@@ -0,0 +1,%d @@\n" % lines
    return header + LINE * lines


def peak(command: Sequence[str], environment: dict[str, str]) -> float:
    """Run a command and return the most megabytes that it held."""
    process = subprocess.Popen(command, env={**os.environ, **environment}, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, f"{command[-2:]} ended with {process.returncode}"
    return usage.ru_maxrss * 1024 / MB


def measure(world: World) -> Iterator[Row]:
    """Measure each in a process of its own."""
    from corpus.services.changes import MAX_PATCH_BYTES

    patch = world.folder / "million.patch"
    patch.write_bytes(added(1_000_000))
    command = [sys.executable, "-m", "config.cli", "diff", str(patch)]
    yield row("touchstone diff, 1,000,000 added lines", peak(command, world.environment), patch.stat().st_size)
    most = (MAX_PATCH_BYTES - 200) // len(LINE)
    patch.write_bytes(added(most))
    child = [sys.executable, "-W", "ignore", "-m", "bench.measures.memory"]
    for kind, what, size in (
        ("patch", f"patch of {most:,} lines", patch.stat().st_size),
        ("tree", "file of 100,000 lines", 3_500_000),
    ):
        yield row(f"import a {what}", peak([*child, "import", kind, str(patch)], world.environment), size)
        yield row(f"open a {what}", peak([*child, "open", kind, ""], world.environment), size)


def row(name: str, megabytes: float, size: int) -> Row:
    """Return a row of the table."""
    return Row(name, megabytes, None, "MB", MOST, f"{size / MB:.0f} MB of input", absolute=True)


def work(act: str, kind: str, name: str) -> None:
    """Import a change as the worker does, or open its file as a web worker does; run in a process of its own."""
    import django

    django.setup()
    from bench.client import Call
    from bench.world import in_process
    from corpus.models import Case, Project

    project = Project.objects.get()
    lead = project.memberships.get(role="lead").user
    if act == "import":
        store(project, lead, kind, name)
        return
    case = Case.objects.get(family=kind)
    answer = in_process(lead)(Call(f"/p/{project.slug}/cases/{case.public_id}/files/0/", by_htmx=True))
    assert answer.status == 200, answer.status


def store(project: Project, lead: User, kind: str, name: str) -> None:
    """Store a large case."""
    from corpus.services.cases import CaseFacts, create_case_from_patch, create_case_from_trees

    facts = CaseFacts(repository="bench/large", title="Large", family=kind)
    if kind == "patch":
        data = Path(name).read_bytes()
        create_case_from_patch(project=project, patch=data, facts=facts, imported_by=lead)
        return
    base = b"".join(b"line_%09d = compute(order, 3)\n" % number for number in range(100_000))
    head = base.replace(b"7 = compute", b"7 = recompute")
    trees = ({b"large.py": ("100644", text)} for text in (base, head))
    create_case_from_trees(project=project, base=next(trees), head=next(trees), facts=facts, imported_by=lead)


if __name__ == "__main__":
    work(*sys.argv[1:])
