"""Pages of agreement at 100 and at 10,000 doubly labelled cases, and alignment beside scipy's bare assignment."""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING

from bench.client import Call, InProcess
from bench.timing import Row, interleaved
from bench.world import World, case_with_patch, in_process

if TYPE_CHECKING:
    from corpus.models import Case

FEW, MANY = 100, 10_000
DASHBOARD = ("agreement",)
PAGES = (
    "agreement",
    "agreement_breakdown",
    "agreement_time",
    "agreement_confusion",
    "agreement_guidelines",
    "agreement_reviewers",
)
CATEGORIES = ("concurrency", "logic", "security", "boundary", "error_handling")
SEVERITIES = ("note", "low", "medium", "high", "critical")
SIDE = 200
ITEMS, LEVELS, RESAMPLES = 10_000, 5, 1_000


def measure(world: World) -> Iterator[Row]:
    """Measure each page with few and with many cases: again, and after every remembered interval was forgotten."""
    world.keep_bytes("small", b"x" * 10_000)
    lead = in_process(world.lead)
    template = case_with_patch(world, 950_000)
    grow(world, template, 0, FEW)
    few = {route: look(world, route, lead) for route in PAGES}
    grow(world, template, FEW, MANY)
    many = {route: look(world, route, lead) for route in PAGES}
    for route in PAGES:
        for name, at in (("", 0), (", nothing remembered", 1)):
            # The dashboard as people meet it; what is computed once for each new case is told beside it.
            demand = 3.0 if route in DASHBOARD and not name else None
            yield Row(f"{route}{name}: {MANY} cases to {FEW}, CPU", many[route][at], few[route][at], "ms", demand)
    yield from coefficient()
    yield alignment()


def look(world: World, route: str, client: InProcess) -> tuple[float, float]:
    """Return the CPU milliseconds of a page: asked for again, and with nothing remembered."""
    from django.urls import reverse

    from labeling.selectors.agreement.sample import forget

    path = reverse(route, kwargs={"project": world.project.slug})

    def show() -> None:
        answer = client(Call(path))
        assert answer.status == 200, f"{path} answered {answer.status}"

    def anew() -> None:
        forget()
        show()

    return interleaved([show], rounds=7)[0], interleaved([anew], rounds=5, warm_up=1)[0]


def coefficient() -> Iterator[Row]:
    """Alpha with its interval: beside a loop over the krippendorff library, and beside bare multinomial draws."""
    import krippendorff
    import numpy as np

    from labeling.domain.statistics.alpha import Metric, alpha, coincidences_of_table
    from labeling.domain.statistics.resampling import interval_by_case

    source = np.random.default_rng(7)
    first = source.integers(0, LEVELS, ITEMS)
    second = np.where(source.random(ITEMS) < 0.8, first, source.integers(0, LEVELS, ITEMS))
    vectors = np.zeros((ITEMS, LEVELS * LEVELS))
    vectors[np.arange(ITEMS), first * LEVELS + second] = 1

    def statistic(sums: np.ndarray) -> np.ndarray:  # type: ignore[type-arg]
        tables = sums.reshape(*sums.shape[:-1], LEVELS, LEVELS)
        return alpha(coincidences_of_table(tables), Metric.ORDINAL)

    def limit() -> None:
        draws = np.random.default_rng(7).multinomial(ITEMS, vectors.mean(axis=0), size=RESAMPLES)
        np.percentile(statistic(draws.astype(float)), [2.5, 97.5])

    def library() -> None:
        drawn = source.integers(0, ITEMS, ITEMS)
        said = np.stack([first[drawn], second[drawn]])
        krippendorff.alpha(said, level_of_measurement="ordinal", value_domain=range(LEVELS))

    def ours() -> None:
        interval_by_case(vectors, statistic, resamples=RESAMPLES)

    product, bare, one_loop = interleaved([ours, limit, library], rounds=9)
    yield Row(f"alpha and interval, {ITEMS} items, to bare draws, CPU", product, bare, "ms", 3.0)
    naive = one_loop * RESAMPLES
    note = f"{naive / product:.0f} times as fast as the loop, at least 50 asked"
    yield Row("the same, to a loop over the krippendorff library", product, naive, "ms", 1 / 50, note)


def alignment() -> Row:
    """Align 200 by 200 labels beside scipy's assignment of a matrix of that size."""
    import numpy as np
    from scipy.optimize import linear_sum_assignment

    from corpus.domain.places import Anchor
    from corpus.domain.vocabulary import Severity, Side
    from labeling.domain.alignment import Finding, align

    source = random.Random(12)

    def findings(prefix: str) -> list[Finding]:
        found = []
        for number in range(SIDE):
            first = source.randrange(1, 2000)
            place = Anchor(f"src/file_{source.randrange(20)}.py", Side.NEW, ((first, first + source.randrange(8)),))
            found.append(
                Finding(f"{prefix}{number}", source.choice(CATEGORIES), source.choice(list(Severity)), (place,))
            )
        return found

    first, second = findings("a"), findings("b")
    cost = np.random.default_rng(12).random((2 * SIDE, 2 * SIDE))
    ours, theirs = interleaved(
        [partial(align, first, second), partial(linear_sum_assignment, cost)], rounds=7, warm_up=1
    )
    return Row(f"align {SIDE} by {SIDE} labels, to scipy's assignment, CPU", ours, theirs, "ms", 10.0)


def grow(world: World, template: Case, held: int, wanted: int) -> None:
    """Insert cases that two people labelled and whose comparison was counted, all of them settled."""
    import hashlib

    from django.db import transaction

    from corpus import clock
    from corpus.ids import new_public_id
    from corpus.models import Case
    from corpus.selectors.projects import texts_in_force
    from labeling.models import Comparison, Round, Tally, TallyFinding
    from labeling.services.tallies import kind_of

    source = random.Random(held)
    own = ("id", "public_id", "identity_sha256", "state", "settled_at", "language", "source_kind")
    names = {each.attname for each in Case._meta.concrete_fields} - set(own)
    common = {name: getattr(template, name) for name in names} | {"family": "", "cluster": ""}
    now = clock.now()
    guidelines = texts_in_force(world.project).guidelines
    people = sorted(world.reviewers[:4], key=lambda user: user.pk)
    with transaction.atomic():
        cases = Case.objects.bulk_create(
            [
                Case(
                    public_id=new_public_id(),
                    identity_sha256=hashlib.sha256(b"agreement %d" % number).hexdigest(),
                    state="settled",
                    settled_at=now,
                    language=("Python", "Go", "Rust")[number % 3],
                    source_kind=("incident", "expert", "clean")[number % 3],
                    **common,
                )
                for number in range(held, wanted)
            ],
            batch_size=500,
        )
        rounds = Round.objects.bulk_create(
            [Round(case=case, number=1, seed=1, opened_by=world.lead, opened_at=now, state="closed") for case in cases],
            batch_size=500,
        )
        comparisons = Comparison.objects.bulk_create(
            [
                Comparison(round=round_, aligner="1", window=5, no_match_cost=8000, category_cost=5000, compared_at=now)
                for round_ in rounds
            ],
            batch_size=500,
        )
        tallies, found = [], []
        for number, comparison in enumerate(comparisons):
            said = [finding(source) for _ in range(source.choice((0, 1, 1, 2, 3)))]
            verdicts = ["has_defects" if said else "clean"] * 2
            if source.random() < 0.15:
                verdicts[source.randrange(2)] = "uncertain"
            low, high = sorted(source.sample(people, 2), key=lambda user: user.pk)
            tallies.append(
                Tally(
                    comparison=comparison,
                    case_id=comparison.round.case_id,
                    verdict_first=verdicts[0],
                    verdict_second=verdicts[1],
                    reviewer_low=low,
                    reviewer_high=high,
                    is_low_first=bool(source.getrandbits(1)),
                    guidelines=guidelines,
                    labelled_at=now + timedelta(minutes=number),
                )
            )
            tallies[-1].digest = kind_of(tallies[-1], [TallyFinding(**one) for one in said]).digest
            found.append(said)
        Tally.objects.bulk_create(tallies, batch_size=500)
        TallyFinding.objects.bulk_create(
            [TallyFinding(tally=tally, **one) for tally, said in zip(tallies, found, strict=True) for one in said],
            batch_size=500,
        )


def finding(source: random.Random) -> dict[str, object]:
    """Return what a finding of a tally holds: in two of three cases a pair whose sides mostly agree."""
    category, severity = source.choice(CATEGORIES), source.randrange(5)
    side = source.choice(("both", "both", "first", "second"))
    if side != "both":
        return {"found_by": side, f"category_{side}": category, f"severity_{side}": SEVERITIES[severity]}
    other = category if source.random() < 0.8 else source.choice(CATEGORIES)
    near = min(4, max(0, severity + source.choice((0, 0, 0, 1, -1))))
    union = source.randrange(1, 9)
    return {
        "found_by": side,
        "category_first": category,
        "category_second": other,
        "severity_first": SEVERITIES[severity],
        "severity_second": SEVERITIES[near],
        "shares_a_line": True,
        "shared_lines": source.randrange(1, union + 1),
        "union_lines": union,
    }
