"""Matches are proposed once, people rule on them blind, and the figures follow, on the page as offline."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from django.urls import reverse

from config.cli import main
from corpus.domain.vocabulary import Role
from corpus.models import CorpusVersion, Exposure
from corpus.services.versions import freeze_version
from reviews.domain.matching import MatchClass
from reviews.domain.rulings import RulingValue
from reviews.domain.vocabulary import CaseRunState, EvidenceGrade, ImpactGrade, LocalisationGrade, SuggestionGrade
from reviews.models import Match, Matching, Ruling, Run
from reviews.selectors.rulings import rulings_of
from reviews.services.matching import MatchingRefused, propose_matches
from reviews.services.rulings import AlreadyRuled, RulingInput, RulingRefused, rule
from tests import factories
from tests.factories import make_case
from tests.labeling_factories import CHARGES_TWICE, LOST_GUARD, mark_complete, settle_case_with
from tests.reviews.builders import make_case_run, make_finding, make_run, make_tool

pytestmark = pytest.mark.django_db

GRADED = {
    "localisation": LocalisationGrade.EXACT,
    "evidence": EvidenceGrade.SHOWN,
    "impact": ImpactGrade.RIGHT,
    "suggestion": SuggestionGrade.NONE,
}
WRONG = RulingInput(RulingValue.UNSUPPORTED, "Nothing of the kind is there.")


@pytest.fixture
def version(project, people) -> CorpusVersion:
    """A case with two golden findings, and a clean one; both complete."""
    pair = [people.reviewer_a, people.reviewer_b]
    mark_complete(settle_case_with(make_case(project), pair, labels=[CHARGES_TWICE, LOST_GUARD]))
    mark_complete(settle_case_with(make_case(project), pair))
    return freeze_version(project=project, actor=people.lead)


@pytest.fixture
def case(version):
    return next(row.case for row in version.cases.select_related("case") if row.findings.exists())


@pytest.fixture
def clean(version):
    return next(row.case for row in version.cases.select_related("case") if not row.findings.exists())


def proposed(run: Run, **shares: int) -> list[Match]:
    propose_matches(run=run, actor=None, **{"sample_percent": 0, "second_percent": 0, **shares})
    current = Match.objects.filter(matching__run=run, matching__is_current=True)
    return list(current.select_related("case", "finding").order_by("finding_id"))


def spoken(version, case, *said, state=CaseRunState.REVIEWED_WITH_FINDINGS, **run_fields) -> Run:
    """Store a run that says these things of a case: (text, line, category)."""
    run = make_run(version.project, version=version, **run_fields)
    case_run = make_case_run(run, case, state)
    for text, line, category in said:
        make_finding(case_run, text, line=line, category_key=category)
    return run


HIT = ("It charges twice after a time-out.", 11, "concurrency")
FAR = ("The name is unclear.", 1, "")
TEXT_ONLY = ("Money may be lost.", None, "")


def golden_revision(case, title: str):
    [found] = [one.revisions.get() for one in case.golden_findings.all() if one.revisions.get().title == title]
    return found


def test_structure_proposes_and_only_what_is_beyond_doubt_needs_nobody(version, case) -> None:
    hit, far, text_only = proposed(spoken(version, case, HIT, FAR, TEXT_ONLY))
    assert (hit.match_class, hit.is_certain, hit.is_open, hit.wanted) == (MatchClass.MATCH, True, False, 0)
    assert hit.golden == golden_revision(case, CHARGES_TWICE.title)
    assert hit.explanation.startswith("Proposed because both name line 11 of pay/retry.py")
    assert (far.match_class, far.golden, far.is_open, far.wanted) == (MatchClass.FALSE_POSITIVE, None, True, 1)
    assert (text_only.match_class, text_only.is_open) == (MatchClass.FALSE_POSITIVE, True)


def test_a_share_of_certain_matches_is_ruled_on_all_the_same(version, case) -> None:
    [hit] = proposed(spoken(version, case, HIT), sample_percent=100)
    assert (hit.is_certain, hit.is_sampled, hit.is_open, hit.wanted) == (True, True, True, 1)


def test_proposing_again_changes_nothing(version, case) -> None:
    run = spoken(version, case, HIT, FAR)
    first = proposed(run)
    assert proposed(run, sample_percent=100) == first
    assert Matching.objects.get().sample_percent == 0


def test_a_run_that_grew_is_matched_anew(version, case, people) -> None:
    run = spoken(version, case, FAR)
    [far] = proposed(run)
    rule(match=far, ruler=people.adjudicator, said=WRONG)
    make_finding(run.case_runs.get(), HIT[0], line=HIT[1], category_key=HIT[2])
    again, hit = proposed(run)
    assert (again.finding, again.is_open) == (far.finding, False)
    assert hit.match_class == MatchClass.MATCH
    assert list(run.matchings.order_by("number").values_list("number", "is_current")) == [(1, False), (2, True)]
    assert set(rulings_of(run).values()) == {RulingValue.UNSUPPORTED}


def test_a_shadow_run_has_nothing_to_be_matched_with(project) -> None:
    with pytest.raises(MatchingRefused, match="no golden findings"):
        propose_matches(run=make_run(project), actor=None)


def test_a_ruling_closes_its_question_for_every_run_that_says_the_same(version, case, people) -> None:
    [first] = proposed(spoken(version, case, FAR))
    other = make_tool(version.project, name="Bluepen")
    [second] = proposed(spoken(version, case, FAR, tool=other))
    rule(match=first, ruler=people.adjudicator, said=WRONG)
    assert not Match.objects.filter(is_open=True).exists()
    assert set(rulings_of(second.matching.run).values()) == {RulingValue.UNSUPPORTED}
    # The next import of the same words does not ask again.
    [third] = proposed(spoken(version, case, FAR, tool=other, repeat=2))
    assert third.is_open is False
    with pytest.raises(AlreadyRuled):
        rule(match=second, ruler=people.lead, said=WRONG)


def test_a_match_names_its_golden_finding_and_is_graded(version, case, people) -> None:
    [match] = proposed(spoken(version, case, TEXT_ONLY))
    golden = golden_revision(case, LOST_GUARD.title)
    for said, field in (
        (replace(WRONG, rationale=" "), "rationale"),
        (RulingInput(RulingValue.MATCH, "It is.", **GRADED), "golden"),
        (RulingInput(RulingValue.MATCH, "It is.", golden), "grades"),
        (RulingInput(RulingValue.UNSUPPORTED, "No.", golden), "golden"),
        (RulingInput(RulingValue.UNSUPPORTED, "No.", None, **GRADED), "grades"),
    ):
        with pytest.raises(RulingRefused) as refusal:
            rule(match=match, ruler=people.adjudicator, said=said)
        assert refusal.value.field == field
    assert not Ruling.objects.exists()
    stored = rule(
        match=match,
        ruler=people.adjudicator,
        said=RulingInput(RulingValue.MATCH, " It says so. ", golden, **GRADED, seconds=12),
    )
    assert (stored.value, stored.golden, stored.rationale, stored.seconds) == ("match", golden, "It says so.", 12)
    key = (case.public_id, match.finding.public_id, golden.finding.public_id)
    assert rulings_of(match.matching.run) == {key: RulingValue.MATCH}


def test_two_rulers_answer_a_share_and_a_third_settles_their_difference(version, case, people) -> None:
    [match] = proposed(spoken(version, case, FAR), second_percent=100)
    third = factories.make_user("Tia Third")
    factories.make_member(version.project, third, Role.ADJUDICATOR)
    rule(match=match, ruler=people.adjudicator, said=WRONG)
    match.refresh_from_db()
    assert match.is_open
    rule(match=match, ruler=people.lead, said=RulingInput(RulingValue.OUT_OF_SCOPE, "Style."))
    match.refresh_from_db()
    assert match.is_open
    assert rulings_of(match.matching.run) == {}
    assert rule(match=match, ruler=third, said=WRONG).is_final
    match.refresh_from_db()
    assert not match.is_open
    assert set(rulings_of(match.matching.run).values()) == {RulingValue.UNSUPPORTED}


def test_a_ruler_may_think_again(version, case, people) -> None:
    [match] = proposed(spoken(version, case, FAR))
    rule(match=match, ruler=people.adjudicator, said=WRONG)
    rule(match=match, ruler=people.adjudicator, said=RulingInput(RulingValue.VALID_NOT_IN_GOLD, "It is real."))
    assert set(rulings_of(match.matching.run).values()) == {RulingValue.VALID_NOT_IN_GOLD}
    assert Ruling.objects.count() == 2


# --- Pages --------------------------------------------------------------------------------------------------------


def address(match: Match) -> str:
    return reverse("ruling", args=[match.case.project.slug, match.public_id])


def test_the_page_shows_the_words_and_no_mark_of_the_tool(version, case, people, client_of) -> None:
    tool = make_tool(version.project, name="Redpenfullname", aliases="redpen-bot[bot]")
    run = make_run(version.project, tool=tool, version=version, name="nightly-secret-run")
    make_finding(
        make_case_run(run, case, CaseRunState.REVIEWED_WITH_FINDINGS),
        "It charges twice.",
        line=11,
        title="Redpenfullname found",
        body="**Redpenfullname** says: It charges twice.",
    )
    [match] = proposed(run)
    client = client_of(people.adjudicator)
    queue = client.get(reverse("ruling_queue", args=[version.project.slug])).content.decode()
    assert "<strong>1</strong> question waits for you" in " ".join(queue.split())
    answer = client.post(reverse("ruling_next", args=[version.project.slug]), follow=True)
    assert answer.redirect_chain == [(address(match), 302)]
    text = answer.content.decode()
    assert "It charges twice." in text
    assert CHARGES_TWICE.title in text
    assert "pay/retry.py:11 (new)" in text
    for word in ("redpen", "nightly-secret-run", run.public_id, match.finding.public_id):
        assert word not in (text + repr(answer.headers)).lower().replace("nightly", "nightly")
    kinds = set(Exposure.objects.filter(user=people.adjudicator, case=case).values_list("kind", flat=True))
    assert {"ai_output", "golden_finding"} <= kinds


def test_an_answer_is_stored_and_leads_on(version, case, people, client_of) -> None:
    matches = proposed(spoken(version, case, FAR, TEXT_ONLY))
    client = client_of(people.adjudicator)
    first, second = sorted(matches, key=lambda match: match.shuffle)
    refused = client.post(address(first), {"value": "match", "golden": "", "rationale": "It <b>is</b>."})
    assert refused.status_code == 422
    text = refused.content.decode()
    assert "Choose the golden finding that is meant." in text
    assert "It &lt;b&gt;is&lt;/b&gt;." in text
    stored = client.post(address(first), {"value": "unsupported", "rationale": "Not there."})
    assert stored["Location"] == address(second)
    assert Ruling.objects.get().ruler == people.adjudicator
    golden = golden_revision(case, LOST_GUARD.title)
    grades = {name: value.value for name, value in GRADED.items()}
    last = client.post(
        address(second), {"value": "partial", "golden": golden.finding.public_id, "rationale": "Half.", **grades}
    )
    assert last["Location"] == reverse("ruling_queue", args=[version.project.slug])
    assert Ruling.objects.get(value="partial").golden == golden
    assert "Nothing waits for you" in client.get(last["Location"]).content.decode()


def test_labellers_do_not_rule_on_their_case(version, case, people, client_of) -> None:
    factories.make_member(version.project, people.reviewer_a, Role.ADJUDICATOR)
    [match] = proposed(spoken(version, case, FAR))
    client = client_of(people.reviewer_a)
    assert client.get(address(match)).status_code == 404
    assert client.post(address(match), {"value": "unsupported", "rationale": "r"}).status_code == 404
    assert "Nothing waits for you" in client.get(reverse("ruling_queue", args=[version.project.slug])).content.decode()


# --- Scorecard ----------------------------------------------------------------------------------------------------


def test_the_page_and_the_command_give_the_same_figures(
    version, case, clean, people, client_of, tmp_path: Path, capsys
) -> None:
    run = spoken(version, case, HIT, FAR, TEXT_ONLY)
    make_finding(make_case_run(run, clean, CaseRunState.REVIEWED_WITH_FINDINGS), "Slow.", line=2)
    matches = proposed(run)
    by_text = {match.finding.neutral_text: match for match in matches}
    golden = golden_revision(case, LOST_GUARD.title)
    said = RulingInput(RulingValue.MATCH, "The guard.", golden, **GRADED)
    rule(match=by_text[TEXT_ONLY[0]], ruler=people.adjudicator, said=said)
    rule(match=by_text["Slow."], ruler=people.adjudicator, said=WRONG)

    client = client_of(people.analyst)
    files = {}
    for name, route in (("findings", "run_findings_file"), ("rulings", "run_rulings_file")):
        answer = client.get(reverse(route, args=[version.project.slug, run.public_id]))
        files[name] = tmp_path / f"{name}.jsonl"
        files[name].write_bytes(answer.getvalue())
    manifest = tmp_path / "manifest.json"
    manifest.write_bytes(bytes(version.manifest))
    code = main(["score", str(manifest), str(files["findings"]), "--rulings", str(files["rulings"])])
    assert code == 0
    [offline] = json.loads(capsys.readouterr().out)["runs"]
    online = client.get(reverse("scorecard_json", args=[version.project.slug, run.public_id])).json()
    for name in ("counts", "figures", "bounds", "provisional", "unreviewed", "cases"):
        assert online[name] == offline[name], name

    # By hand: both golden findings are hit; one finding is wrong on each case, one of them still waits.
    assert online["counts"]["match"] == 2
    assert online["counts"]["false_positive"] == 2
    assert online["counts"]["open"] == 1
    assert (online["figures"]["recall"]["numerator"], online["figures"]["recall"]["denominator"]) == (2, 2)
    assert (online["figures"]["precision"]["numerator"], online["figures"]["precision"]["denominator"]) == (2, 4)
    assert online["bounds"]["precision"] == {"lowest": 0.5, "highest": 2 / 3}
    page = client.get(reverse("scorecard", args=[version.project.slug, run.public_id]) + "?class=open")
    text = " ".join(page.content.decode().split())
    assert "Provisional: 1 finding waits for a ruling." in text
    assert "2 / 4" in text
    assert by_text[FAR[0]].finding.public_id in text
    assert by_text[HIT[0]].finding.public_id not in text


def test_a_case_that_failed_is_missed_and_not_silent(version, case, clean, people, client_of) -> None:
    run = spoken(version, case, state=CaseRunState.FAILED)
    make_case_run(run, clean, CaseRunState.REVIEWED_SILENT)
    proposed(run)
    record = client_of(people.lead).get(reverse("scorecard_json", args=[version.project.slug, run.public_id])).json()
    assert record["unreviewed"] == [{"case_id": case.public_id, "state": "failed"}]
    assert (record["counts"]["reviewed"], record["counts"]["failed"]) == (1, 1)
    assert record["figures"]["recall"]["denominator"] == 2
    assert record["figures"]["precision"]["value"] is None
    assert record["figures"]["precision"]["reason"] == "no judged finding"


def test_two_runs_are_compared_by_golden_finding(version, case, clean, people, client_of) -> None:
    first, second = spoken(version, case, HIT), spoken(version, case, repeat=2)
    for run in (first, second):
        make_case_run(run, clean, CaseRunState.REVIEWED_SILENT)
    make_finding(second.case_runs.get(case=case), "The guard is gone.", line=None)
    proposed(first)
    [match] = proposed(second)
    golden = golden_revision(case, LOST_GUARD.title)
    rule(match=match, ruler=people.adjudicator, said=RulingInput(RulingValue.MATCH, "Yes.", golden, **GRADED))
    client = client_of(people.analyst)
    address = reverse("run_comparison", args=[version.project.slug])
    chooser = client.get(address).content.decode()
    assert chooser.count("Redpen on 1.0.0") == 4
    page = client.get(f"{address}?first={first.public_id}&second={second.public_id}").content.decode()
    text = " ".join(page.split())
    assert '<th scope="row">found by the first</th><td class="num">0</td><td class="num">1</td>' in text
    assert '<th scope="row">missed by the first</th><td class="num">1</td><td class="num">0</td>' in text
    assert "0.000 (no interval: fewer than 5 cases with golden findings)" in text
    assert "p = 1.0000, taking findings as independent" in text
    assert f"{golden.finding.public_id}</th>" in text
    assert client.get(f"{address}?first={first.public_id}&second=2222222222").status_code == 404


def test_the_home_page_tells_of_questions_and_runs_by_role(version, case, people, client_of) -> None:
    run = spoken(version, case, FAR, TEXT_ONLY)
    proposed(run)

    def home(user) -> str:
        page = client_of(user).get(reverse("project_home", args=[version.project.slug]))
        return " ".join(page.content.decode().split())

    assert "2 questions wait on what tools said, to be ruled on blind." in home(people.lead)
    assert 'id="rulings-title">To rule on' in home(people.adjudicator)
    analyst = home(people.analyst)
    assert f"/runs/{run.public_id}/scorecard/" in analyst
    assert "Redpen on 1.0.0, repeat 1</a>, 2 findings to be ruled on" in analyst
    reviewer = home(people.reviewer_a)
    assert "Redpen" not in reviewer
    assert "rul" not in reviewer.split("<main")[1]
