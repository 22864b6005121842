"""Cases, imports and jobs."""

from __future__ import annotations

from typing import Any

from tests.routes.rows import BOTH, LEAD, READ, READERS, UNKNOWN_ID, WRITE, Foreign, Own, Row, row, viewer_rows


def cases(**more: Any) -> tuple[Own, Foreign]:
    """A settled case."""
    return (
        lambda world, actor: {"case_id": world.case().public_id, **more},
        lambda world, actor: [
            {"case_id": world.case(at_home=False).public_id, **more},
            {"case_id": UNKNOWN_ID, **more},
        ],
    )


def imports(**more: Any) -> tuple[Own, Foreign]:
    """An import of the project."""
    return (
        lambda world, actor: {"import_id": world.batch(), **more},
        lambda world, actor: [{"import_id": world.batch(at_home=False), **more}],
    )


def jobs() -> tuple[Own, Foreign]:
    """A job of the project."""
    return (
        lambda world, actor: {"job_id": world.job().public_id},
        lambda world, actor: [{"job_id": world.job(at_home=False).public_id}],
    )


ROWS: dict[str, Row] = {
    "case_list": row(READERS, READ),
    "case_list_csv": row(READERS, READ),
    "case_page": row(READERS, READ, cases()),
    "case_edit": row(LEAD, BOTH, cases()),
    "case_completeness": row(LEAD, WRITE, cases()),
    "case_ready": row(LEAD, WRITE, cases()),
    "bytes_withdraw": row(LEAD, BOTH, cases()),
    "case_files": row(READERS, READ, cases()),
    "import_list": row(LEAD, READ),
    "import_new": row(LEAD, BOTH),
    "import_page": row(LEAD, READ, imports()),
    "import_record": row(LEAD, READ, imports(position=0)),
    "import_progress": row(LEAD, READ, imports()),
    "import_commit": row(LEAD, WRITE, imports()),
    "import_discard": row(LEAD, WRITE, imports()),
    "job_page": row(LEAD, READ, jobs()),
    "job_progress": row(LEAD, READ, jobs()),
    **viewer_rows("case", READERS, cases),
}
