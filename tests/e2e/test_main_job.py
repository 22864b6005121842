"""The whole job in a browser: from an import to a verified manifest, by four people, by mouse and by keyboard alone."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from django.urls import reverse
from playwright.sync_api import Locator, Page, expect

from corpus.domain.vocabulary import GATE_TITLES, Role
from corpus.models import Case, CorpusVersion, GoldenFinding, Project, User
from corpus.services.jobs import run_next_job
from labeling.models import Adjudication, Assignment, Disagreement, Label, LabelAnchor
from tests import factories
from tests.e2e import warehouse
from tests.e2e.conftest import OpenPage
from tests.e2e.hands import Hands, Keyboard, Mouse, saved, sign_in
from tests.e2e.warehouse import Said

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@dataclass(frozen=True)
class Team:
    """The people of the journey, and the project in which they hold their roles."""

    project: Project
    lead: User
    first: User
    second: User
    adjudicator: User


@pytest.fixture
def team(db: None) -> Team:
    lead, first, second, adjudicator = map(
        factories.make_user, ("Lea Lead", "Ada Reviewer", "Ben Reviewer", "Jo Adjudicator")
    )
    project = factories.make_project(lead=lead, name="Warehouse")
    for user, role in ((first, Role.REVIEWER), (second, Role.REVIEWER), (adjudicator, Role.ADJUDICATOR)):
        factories.make_member(project, user, role)
    return Team(project, lead, first, second, adjudicator)


@pytest.mark.parametrize("hands_of", [Mouse, Keyboard], ids=["by mouse", "by keyboard alone"])
def test_a_change_becomes_a_verified_manifest(
    hands_of: type[Hands], team: Team, open_page: OpenPage, tmp_path: Path, settings: Any
) -> None:
    settings.IMPORT_ROOT = str(tmp_path)
    patch = tmp_path / "rename.patch"
    patch.write_text(warehouse.make_repository(tmp_path / "warehouse"))

    def enter(user: User) -> Hands:
        hands = hands_of(open_page(reverse("project_home", args=[team.project.slug])))
        sign_in(hands, user.email, factories.PASSWORD)
        expect(heading(hands.page)).to_have_text("Warehouse")
        return hands

    lead = enter(team.lead)
    clean = import_patch(lead, patch)
    defective = import_commits(lead)
    draw_seats(lead, defective)
    offer_in_queue(lead, clean)
    first, second = enter(team.first), enter(team.second)
    open_own_case(first, defective)
    label_case(first, warehouse.FIRST_SAYS)
    assert Case.objects.get(pk=defective.pk).state == "labelling"
    open_own_case(second, defective)
    label_case(second, warehouse.SECOND_SAYS)
    assert sorted(rows_of(LabelAnchor.objects.filter(until__isnull=True))) == warehouse.LABELLED
    for reviewer in (first, second):
        call_clean(reviewer, clean)
    assert Case.objects.get(pk=clean.pk).result == "clean"
    adjudicate(enter(team.adjudicator), defective)
    assert golden_rows() == warehouse.GOLDEN
    for case in (clean, defective):
        call_complete(lead, case)
    manifest, digest = freeze(lead, tmp_path)
    verified = offline("verify", manifest, "--digest", digest)
    assert (verified["ok"], verified["digest"], verified["cases"], verified["problems"]) == (True, digest, 2, [])
    score(manifest, defective, clean)


# --- What the journeys look at ---------------------------------------------------------------------------------------


def heading(page: Page) -> Locator:
    return page.get_by_role("heading", level=1)


def rows_of(anchors: Any) -> list[tuple[Any, ...]]:
    return list(anchors.values_list("role", "path", "side", "first_line", "last_line", "quote_sha256"))


def golden_rows() -> set[tuple[Any, ...]]:
    """Return severity, state and anchor row of everything that is accepted now."""
    revisions = [finding.revisions.latest("number") for finding in GoldenFinding.objects.live()]
    return {(one.severity, one.state, row) for one in revisions for row in rows_of(one.anchors)}


def at_home(hands: Hands) -> None:
    """Go to the project's home by the name of the product, as from anywhere."""
    hands.go(hands.page.get_by_role("link", name="Touchstone, home"))
    expect(heading(hands.page)).to_have_text("Warehouse")


def menu(hands: Hands, name: str) -> None:
    hands.go(hands.page.get_by_role("navigation", name="Main").get_by_role("link", name=name))
    expect(heading(hands.page)).to_have_text(name)


# --- The lead: import and rounds -------------------------------------------------------------------------------------


def import_patch(lead: Hands, patch: Path) -> Case:
    page = lead.page
    lead.go(page.get_by_role("link", name="Import cases"))
    card = page.get_by_role("region", name="From a file")
    lead.attach(card.get_by_label("File", exact=True), patch)
    lead.choose(card.get_by_label("Source kind"), "clean")
    lead.write(card.get_by_label("Repository"), "warehouse")
    lead.write(card.get_by_label("Licence"), "MIT")
    lead.go(card.get_by_role("button", name="Read the file"))
    return commit_import(lead)


def import_commits(lead: Hands) -> Case:
    page = lead.page
    menu(lead, "Cases")
    lead.go(page.get_by_role("link", name="Import cases"), "i")
    card = page.get_by_role("region", name="From a repository on the server")
    lead.write(card.get_by_label("Path"), "warehouse")
    lead.write(card.get_by_label("Base"), "before")
    lead.write(card.get_by_label("Head"), "faster")
    lead.write(card.get_by_label("Repository"), "warehouse")
    lead.go(card.get_by_role("button", name="Read the change"))
    return commit_import(lead, by_worker=True)


def commit_import(lead: Hands, *, by_worker: bool = False) -> Case:
    page, before = lead.page, Case.objects.count()
    expect(page.get_by_text("Nothing is imported yet.")).to_be_visible()
    assert Case.objects.count() == before
    lead.go(page.get_by_role("button", name="Import 1 record"), "Control+Enter")
    if by_worker:
        expect(page.get_by_text("waiting for a worker")).to_be_visible()
        assert Case.objects.count() == before
        run_next_job()
    expect(page.get_by_text(re.compile("^Imported "))).to_be_visible()
    case = Case.objects.latest("pk")
    expect(page.get_by_role("link", name=case.public_id)).to_be_visible()
    assert (Case.objects.count(), case.state, case.repository) == (before + 1, "ready", "warehouse")
    return case


def draw_seats(lead: Hands, case: Case) -> None:
    page = lead.page
    menu(lead, "Rounds")
    lead.go(page.get_by_role("link", name="Plan a round").first)
    lead.tick(page.get_by_label(f"Choose case {case.public_id}"))
    lead.go(page.get_by_role("button", name="Preview a draw"))
    expect(heading(page)).to_have_text("Preview of the draw")
    for name in ("Ada Reviewer", "Ben Reviewer"):
        expect(page.get_by_role("region", name="Planned cases")).to_contain_text(name)
    lead.go(page.get_by_role("button", name="Give 2 seats"))
    expect(page.locator("#messages")).to_contain_text("Seats drawn on 1 case.")
    assert Assignment.objects.filter(case=case).count() == 2


def offer_in_queue(lead: Hands, case: Case) -> None:
    page = lead.page
    lead.go(page.get_by_role("link", name="Plan a round").first)
    lead.tick(page.get_by_label(f"Choose case {case.public_id}"))
    lead.go(page.get_by_role("button", name="Preview the queue"))
    lead.go(page.get_by_role("button", name="Offer 1 case in the queue"))
    expect(page.locator("#messages")).to_contain_text("Queue opened on 1 case.")


# --- The reviewers ---------------------------------------------------------------------------------------------------


def open_own_case(reviewer: Hands, case: Case) -> None:
    page = reviewer.page
    menu(reviewer, "Queue")
    reviewer.go(page.get_by_role("link", name=f"Open case {case.public_id}"))
    expect(heading(page)).to_have_text(f"Case {case.public_id}")


def label_case(reviewer: Hands, labels: tuple[Said, ...]) -> None:
    """Read every file, write the labels, and submit for good."""
    page = reviewer.page
    for number, said in enumerate(labels, 1):
        write_label(reviewer, said, number)
    read_files(reviewer)
    submit(reviewer, "has defects", "Submit with defects", complete=len(labels))
    seat = Assignment.objects.get(public_id=page.url.rstrip("/").rpartition("/")[2].partition("?")[0])
    assert (seat.state, seat.verdict) == ("submitted", "has_defects")
    for label, said in zip(Label.objects.filter(assignment=seat).order_by("number"), labels, strict=True):
        for name in ("title", "severity", "trigger", "evidence", "impact", "relation", "confidence", "keywords"):
            assert getattr(label, name) == getattr(said, name), name
        assert label.category is not None
        assert label.category.name == said.category
        assert label.speculative is (said.speculative == "yes")
        assert label.accept_element_list == said.accept_elements.splitlines()


def write_label(reviewer: Hands, said: Said, number: int) -> None:
    page = reviewer.page
    place, *further = said.places
    reviewer.select(place.path, place.side, place.first, place.last, drag=said.drag)
    expect(page.locator("#selection-text")).to_contain_text(f"{place.path.rpartition('/')[2]} {place.first}")
    reviewer.go(page.locator("#new-label"), "n")
    expect(page.locator("[data-form-heading]")).to_have_text(f"Label {number}")
    form = page.locator("#label-form")
    reviewer.write(form.get_by_label("In a few words"), said.title)
    reviewer.tick(form.locator(f"[name=severity][value={said.severity}]"), said.severity[0])
    reviewer.choose(form.get_by_label("Category"), said.category)
    reviewer.write(form.get_by_label("When it happens"), said.trigger)
    if said.evidence:
        reviewer.write(form.get_by_label("Evidence"), said.evidence)
    reviewer.write(form.get_by_label("Impact"), said.impact)
    reviewer.tick(form.locator(f"[name=confidence][value={said.confidence}]"))
    reviewer.tick(form.locator(f"[name=relation][value={said.relation}]"))
    reviewer.tick(form.locator(f"[name=speculative][value={said.speculative}]"))
    if said.accept_elements:
        reviewer.write(form.get_by_label("Acceptable explanation elements"), said.accept_elements)
    if said.keywords:
        reviewer.write(form.get_by_label("Keywords"), said.keywords)
    for count, place in enumerate(further, 2):
        reviewer.select(place.path, place.side, place.first, place.last)
        button = page.get_by_role("button", name=place.role.capitalize())
        reviewer.go(button, place.role[0])
        expect(page.locator(".anchor-list li")).to_have_count(count)
    saved(page)
    expect(page.locator(".label-row")).to_have_count(number)
    expect(page.locator(".label-row.incomplete")).to_have_count(0)


def read_files(reviewer: Hands) -> None:
    page = reviewer.page
    files = page.locator("#code .diff-file")
    for index in range(files.count()):
        mark = files.nth(index).locator(".read-mark button")
        if isinstance(reviewer, Keyboard):
            reviewer.press("Alt+c")
            path = files.nth(index).get_attribute("data-path-new")
            assert path is not None
            reviewer.to_file(path, "new")
        reviewer.go(mark, "x")
        expect(page.locator("#read-count")).to_contain_text(f"read {index + 1}/")


def submit(reviewer: Hands, verdict: str, button: str, *, complete: int) -> None:
    page = reviewer.page
    reviewer.go(page.locator("[data-open-submit]"), "Control+Enter")
    form = page.locator("#submit-form")
    expect(form).to_contain_text("Every file is marked as read.")
    expect(form.get_by_text("complete", exact=True)).to_have_count(complete)
    reviewer.tick(form.get_by_label(verdict))
    reviewer.tick(form.get_by_label(re.compile("^Final at once")))
    reviewer.go(form.get_by_role("button", name=button))
    expect(heading(page)).to_contain_text("submitted")


def call_clean(reviewer: Hands, case: Case) -> None:
    page = reviewer.page
    at_home(reviewer)
    reviewer.go(page.get_by_role("button", name="Next case"), "n")
    expect(heading(page)).to_have_text(f"Case {case.public_id}")
    read_files(reviewer)
    submit(reviewer, "clean", "Submit as clean", complete=0)


# --- The adjudicator -------------------------------------------------------------------------------------------------


def adjudicate(judge: Hands, case: Case) -> None:
    """Accept what agrees, and decide on the severity, on what only one found, and on what is no defect."""
    page = judge.page
    judge.go(page.get_by_role("link", name="Adjudicate").last)
    judge.go(page.get_by_role("link", name="First case"), "n")
    expect(heading(page)).to_have_text(f"Adjudicate {case.public_id}")
    expect(page.locator(".progress-strip")).to_contain_text("0 of 3 decided here")
    expect(page.locator("body")).not_to_contain_text("Reviewer")
    judge.go(page.get_by_role("button", name="Accept all 1"), "A")
    expect(page.locator(".agreed")).to_contain_text("Undo")
    for _ in range(Disagreement.objects.count()):
        decide(judge)
    expect(heading(page)).to_have_text(f"Case {case.public_id}, settled")
    expect(page.locator(".question")).to_have_text("Settled: it has defects.")
    golden = page.get_by_role("region", name="Golden findings")
    expect(golden.locator(".label-row")).to_have_count(3)
    expect(golden).to_contain_text("Two buyers get the same pieces")
    assert Case.objects.get(pk=case.pk).result == "defects"
    outcomes = Adjudication.objects.values_list("outcome", "reason_code", "rationale").order_by("reason_code")
    assert [row[1:] for row in outcomes] == [
        ("missed_by_other", "It happens on every quiet day"),
        ("out_of_contract", "The carrier bills collected pieces only"),
        ("severity_rule", "Orders are called off"),
    ]


def decide(judge: Hands) -> None:
    """Decide the disagreement that is shown, by what its question and cards say."""
    page = judge.page
    question = page.locator("#question")
    expect(question).to_be_focused()
    before = question.inner_text()
    cards = page.locator(".compare .card")
    if before.startswith("Both found it"):
        letter = "A" if "A says high" in before else "B"
        expect(question).to_have_text(re.compile("A says (high|medium), B says (high|medium)"))
        judge.go(page.get_by_role("link", name=f"Accept {letter}"), letter.lower())
        reason, rationale = "severity_rule", "Orders are called off"
    elif cards.filter(has_text="No orders, no report").count():
        judge.go(page.get_by_role("link", name="Edit"), "m")
        form = page.locator("#decision")
        judge.tick(form.locator("[name=severity][value=medium]"), "m")
        reason, rationale = "missed_by_other", "It happens on every quiet day"
    else:
        expect(cards.filter(has_text="A failed collection leaves a label behind")).to_have_count(1)
        judge.go(page.get_by_role("link", name="Reject"), "r")
        reason, rationale = "out_of_contract", "The carrier bills collected pieces only"
    form = page.locator("#decision")
    judge.tick(form.locator(f"[name=reason_code][value={reason}]"))
    judge.write(form.get_by_label("Rationale"), rationale)
    judge.go(form.locator("button[type=submit]"), "Control+Enter")
    expect(page.get_by_text(before, exact=True).and_(question)).to_have_count(0)


# --- The lead again: completeness and the version --------------------------------------------------------------------


def call_complete(lead: Hands, case: Case) -> None:
    """Say that the labels of a case cover every defect, after looking at what became of it."""
    page = lead.page
    menu(lead, "Cases")
    lead.go(page.get_by_role("link", name=case.public_id))
    expect(page.get_by_text("settled", exact=True).first).to_be_visible()
    section = page.get_by_role("region", name="Label completeness")
    lead.tick(section.get_by_label("complete", exact=True))
    lead.go(section.get_by_role("button", name="Set completeness"))
    expect(section).to_contain_text("Marked as complete by Lea Lead")
    assert Case.objects.get(pk=case.pk).completeness == "complete"
    lead.go(page.get_by_role("link", name="Decisions"))
    expect(heading(page)).to_have_text(f"Case {case.public_id}, settled")


def freeze(lead: Hands, folder: Path) -> tuple[Path, str]:
    """Freeze the first version, and return the downloaded manifest with the digest that the page shows."""
    page = lead.page
    at_home(lead)
    lead.go(page.get_by_role("link", name="Freeze a version"))
    expect(heading(page)).to_have_text("Plan version 1.0.0")
    gates = page.get_by_role("region", name="Gates")
    for gate in ("Every case is settled and not stale: 2 of 2 cases", "At least one case is clean: 1 case"):
        expect(gates.get_by_text(gate)).to_be_visible()
    expect(gates.get_by_text("✓ passed")).to_have_count(len(GATE_TITLES))
    assert not CorpusVersion.objects.exists()
    lead.write(page.get_by_label("Note"), "The first two changes of the warehouse")
    lead.go(page.get_by_role("button", name="Freeze 1.0.0"), "Control+Enter")
    expect(heading(page)).to_have_text("Version 1.0.0")
    version = CorpusVersion.objects.get()
    expect(page.locator("#digest")).to_have_text(version.manifest_sha256)
    expect(page.locator("#verify")).to_contain_text(f"--digest {version.manifest_sha256}")
    with page.expect_download() as download:
        lead.go(page.get_by_role("link", name="Download manifest"), "d")
    manifest = folder / download.value.suggested_filename
    download.value.save_as(manifest)
    return manifest, page.locator("#digest").inner_text()


def score(manifest: Path, defective: Case, clean: Case) -> None:
    """Score what a reviewer might have said: one of three defects, and a false alarm on the clean change."""
    hit = {"id": "f-1", "path": warehouse.STOCK_PY, "start": 12, "end": 12, "category": "concurrency"}
    alarm = {"id": "f-2", "path": "warehouse/shelves.py", "start": 6, "end": 6, "category": "boundary"}
    said = [
        {"case_id": defective.public_id, "side": "new", "severity": "high", "text": "Stock can be sold twice.", **hit},
        {"case_id": clean.public_id, "side": "new", "severity": "low", "text": "Rows may be mixed up.", **alarm},
    ]
    findings = manifest.with_name("findings.jsonl")
    findings.write_text("".join(json.dumps(finding) + "\n" for finding in said))
    [run] = offline("score", manifest, str(findings), "--gate", "recall=0.3")["runs"]
    figures = {name: (one["numerator"], one["denominator"]) for name, one in run["figures"].items()}
    assert (figures["recall"], figures["precision"], figures["clean_comment_rate"]) == ((1, 3), (1, 2), (1, 1))
    assert run["gates"][-1]["passed"] is True


def offline(command: str, manifest: Path, *arguments: str) -> dict[str, Any]:
    """Run an offline command as a person would in a terminal, with neither settings nor database at hand."""
    script = Path(sys.executable).with_name("touchstone")
    done = subprocess.run(
        [script, command, manifest, *arguments], env={"PATH": ""}, cwd=manifest.parent, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer
