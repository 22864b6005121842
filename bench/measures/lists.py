"""List pages at 100 and at 10,000 cases: the same number of queries, no bytes of diffs, and flat time."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from bench.client import Call, InProcess
from bench.timing import Row, interleaved
from bench.world import World, case_with_patch, in_process

if TYPE_CHECKING:
    from corpus.models import Case

FEW, MANY = 100, 10_000
ROUTES = {
    "queue": "reviewer",
    "case_list": "lead",
    "round_list": "lead",
    "adjudication_queue": "lead",
    "version_list": "lead",
}
# What each case of the bulk has for itself.
OWN = ("id", "public_id", "identity_sha256", "state", "settled_at")
# Columns that hold bytes of changes or trees; a list reads none of them.
BYTES = ('"corpus_blob"."data"', '"corpus_highlightedblob"."runs"', '"corpus_drawnfile"."html"')


def measure(world: World) -> Iterator[Row]:
    """Measure each list with few and with many cases, beside the smallest signed-in page each time."""
    world.keep_bytes("small", b"x" * 10_000)
    lead, reviewer = in_process(world.lead), in_process(world.reviewers[0])
    template = case_with_patch(world, 900_000)
    pages = {
        route: (path, lead if who == "lead" else reviewer)
        for route, who in ROUTES.items()
        if (path := address(world, route))
    }
    grow(world, template, FEW)
    few = {route: look(path, client, lead) for route, (path, client) in pages.items()}
    grow(world, template, MANY)
    many = {route: look(path, client, lead) for route, (path, client) in pages.items()}
    for route in ROUTES:
        if route not in pages:
            yield Row(f"{route}: no such page", 0, None, "")
            continue
        (queries_few, cpu_few), (queries_many, cpu_many) = few[route], many[route]
        yield Row(f"{route}: queries at {MANY} cases", queries_many, queries_few, "", 1.0)
        yield Row(f"{route}: {MANY} cases to {FEW}, in smallest pages", cpu_many, cpu_few, "", 1.5)


def address(world: World, route: str) -> str:
    """Return the path of a list page, empty while there is none."""
    from django.urls import NoReverseMatch, reverse

    try:
        return reverse(route, kwargs={"project": world.project.slug})
    except NoReverseMatch:
        return ""


def show(client: InProcess, path: str) -> None:
    """Ask for a page."""
    answer = client(Call(path))
    assert answer.status == 200, f"{path} answered {answer.status}"


def look(path: str, client: InProcess, lead: InProcess) -> tuple[int, float]:
    """Return the queries of a page and its CPU milliseconds on a scale on which the smallest page takes one."""
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    show(client, path)
    with CaptureQueriesContext(connection) as seen:
        show(client, path)
    count = len(seen.captured_queries)
    for query in seen.captured_queries:
        assert not any(column in query["sql"] for column in BYTES), f"{path} reads bytes: {query['sql'][:300]}"
    page, small = interleaved([partial(show, client, path), partial(show, lead, "/bench/bytes/small/")], rounds=15)
    return count, page / small


def grow(world: World, template: Case, wanted: int) -> None:
    """Fill the project up to `wanted` cases in every state a list shows, with rounds, seats and disagreements."""
    import hashlib

    from django.db import transaction

    from corpus import clock
    from corpus.ids import new_public_id
    from corpus.models import Case, CaseFile
    from labeling.models import Comparison, Disagreement, Round

    held = Case.objects.filter(project=world.project).count()
    states = ("ready", "labelling", "adjudicating", "settled")
    now = clock.now()
    fields = {field.attname for field in Case._meta.concrete_fields} - set(OWN)
    common = {name: getattr(template, name) for name in fields} | {"family": "", "cluster": ""}
    file = template.files.get()
    file_fields = {field.attname for field in CaseFile._meta.concrete_fields} - {"id", "case_id"}
    with transaction.atomic():
        cases = Case.objects.bulk_create(
            [
                Case(
                    public_id=new_public_id(),
                    identity_sha256=hashlib.sha256(b"%d" % number).hexdigest(),
                    state=states[number % 4],
                    settled_at=now if number % 4 == 3 else None,
                    **common,
                )
                for number in range(held, wanted)
            ],
            batch_size=500,
        )
        CaseFile.objects.bulk_create(
            [CaseFile(case=case, **{name: getattr(file, name) for name in file_fields}) for case in cases],
            batch_size=500,
        )
        rounds = Round.objects.bulk_create(
            [
                Round(
                    case=case, number=1, seed=1, opened_by=world.lead, opened_at=now,
                    is_queue_open=case.state == "labelling",
                    state={"labelling": "open", "adjudicating": "compared"}.get(case.state, "closed"),
                )
                for case in cases
                if case.state != "ready"
            ],
            batch_size=500,
        )  # fmt: skip
        comparisons = Comparison.objects.bulk_create(
            [
                Comparison(round=round_, aligner="1", window=5, no_match_cost=8000, category_cost=5000, compared_at=now)
                for round_ in rounds
                if round_.state == "compared"
            ],
            batch_size=500,
        )
        Disagreement.objects.bulk_create(
            [
                Disagreement(comparison=comparison, kind="verdict", state="open", created_at=now)
                for comparison in comparisons
            ],
            batch_size=500,
        )
