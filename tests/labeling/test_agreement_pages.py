"""Pages of agreement: which cases count for whom, what is shown, and that files say the same as pages."""

from __future__ import annotations

import csv
import io
import json
import random
from dataclasses import replace

import pytest
from django.urls import reverse

from config.cli import main
from corpus.domain.vocabulary import Role
from corpus.models import Case, CaseSeat, Exposure, GuidelinesVersion
from corpus.services.projects import add_version
from labeling.domain.states import PairState
from labeling.models import Tally
from labeling.selectors.agreement.overview import overview
from labeling.selectors.agreement.sample import Choice, counted_cases, forget, left_out
from labeling.services.submission import reopen
from labeling.services.tallies import count_comparison
from tests.factories import make_case, make_member, make_project
from tests.labeling.adjudicating import GUARD, compared, hand_in, seats_of
from tests.labeling.helpers import shown
from tests.labeling.seats import DEFECT
from tests.labeling.tallied import Tallied, alone, both, kind
from tests.unit.scenarios import load

pytestmark = pytest.mark.django_db

MINI = next(entry for entry in load("agreement-reference.json") if entry["id"] == "end-to-end-mini-study")
LEAD = frozenset({Role.LEAD})


@pytest.fixture(autouse=True)
def nothing_remembered():
    forget()


@pytest.fixture
def reviewers(people):
    return [people.reviewer_a, people.reviewer_b]


@pytest.fixture
def tallied(project, reviewers):
    return Tallied(project, reviewers)


@pytest.fixture
def page(project, client_of):
    def ask(user, name="agreement", query="", status=200):
        response = client_of(user).get(reverse(name, args=[project.slug]) + query)
        assert response.status_code == status
        return response

    return ask


def add_mini(tallied):
    """Store the eight cases of the reference's study; every pair shares its line."""
    for case in MINI["data"]["cases"]:
        found = [both((a[0], b[0]), (a[1], b[1])) for a, b in case["pairs"]]
        found += [alone("first")] * case["only_first"] + [alone("second")] * case["only_second"]
        tallied.add(kind(*found, verdicts=tuple(case["verdicts"])))


def add_many(tallied, count, seed=4):
    """Store cases whose sides mostly agree."""
    source = random.Random(seed)
    names, levels = ["boundary", "logic", "security"], ["note", "low", "medium", "high", "critical"]
    for number in range(count):
        found = []
        for _ in range(source.randrange(3)):
            category, level = source.choice(names), source.choice(levels)
            other = category if source.random() < 0.8 else source.choice(names)
            near = level if source.random() < 0.7 else source.choice(levels)
            union = source.randrange(1, 6)
            found.append(both((category, other), (level, near), shared=source.randrange(1, union + 1), union=union))
        if source.random() < 0.3:
            found.append(alone(source.choice(["first", "second"]), source.choice(names), source.choice(levels)))
        verdict = "has_defects" if found else "clean"
        other = verdict if source.random() < 0.85 else "uncertain"
        tallied.add(kind(*found, verdicts=(verdict, other)), language=["Go", "Python"][number % 2])


def line(response, key):
    """The line of a figure by its key."""
    lines = [one for card in response.context["page"].layers for one in card.lines if one.key == key]
    assert len(lines) == 1, key
    return lines[0]


# --- What is shown --------------------------------------------------------------------------------------------------


def test_the_page_shows_the_reference_study_to_its_printed_digits(tallied, page, people):
    add_mini(tallied)
    response = page(people.lead)
    expected = MINI["expected"]
    for key, name in {
        "verdict_headline": "verdict_alpha",
        "verdict_raw": "verdict_po",
        "verdict_kappa": "verdict_kappa",
        "verdict_ac1": "verdict_ac1",
        "verdict_specific_has_defects": "verdict_specific_has_defects",
        "verdict_specific_clean": "verdict_specific_clean",
        "existence_headline": "detection_f1",
        "category_raw": "category_po",
        "category_headline": "category_alpha",
        "severity_exact": "severity_exact",
        "severity_within_one": "severity_within_one",
        "severity_headline": "severity_alpha_ordinal",
        "severity_kappa_quadratic": "severity_weighted_kappa_quadratic",
        "severity_kappa_linear": "severity_weighted_kappa_linear",
    }.items():
        assert line(response, key).value == pytest.approx(expected[name], abs=MINI["tolerance"]), key
    text = shown(response)
    assert f"{expected['detection_f1']:.2f}" in text
    # Eight cases: values are marked as resting on few, and no interval is given.
    assert "no interval under 10 cases; few: unstable" in text
    judged = sum("insufficient_context" not in case["verdicts"] for case in MINI["data"]["cases"])
    assert f"8 cases that two reviewers submitted, {judged} of them judged by both" in text


def test_without_any_case_the_page_says_so(project, page, people):
    text = shown(page(people.lead))
    assert "Nothing to compare yet" in text
    for name in ("agreement_breakdown", "agreement_time", "agreement_confusion", "agreement_planning"):
        assert page(people.analyst, name)
    for name in ("agreement_missed", "agreement_guidelines", "agreement_reviewers"):
        assert page(people.lead, name)


def test_agreement_without_variation_is_not_a_number_and_says_why(tallied, page, people):
    for _ in range(12):
        tallied.add(kind(verdicts=("clean", "clean")))
    response = page(people.lead)
    headline, raw = line(response, "verdict_headline"), line(response, "verdict_raw")
    assert (headline.text, headline.reason, headline.interval) == ("n/a", "no_variation", "")
    assert (raw.value, raw.counts) == (1.0, "12 of 12")
    assert line(response, "verdict_kappa").text == "n/a"
    assert "all answers are the same" in shown(response)


def test_prevalence_stands_beside_kappa(tallied, page, people):
    """Feinstein and Cicchetti's second table: 85 % raw, kappa 0.32, specific agreement 0.91 and 0.40."""
    for verdicts, count in (
        (("has_defects", "has_defects"), 80),
        (("has_defects", "clean"), 10),
        (("clean", "has_defects"), 5),
        (("clean", "clean"), 5),
    ):
        for _ in range(count):
            tallied.add(kind(verdicts=verdicts))
    response = page(people.lead)
    assert line(response, "verdict_raw").text == "0.85"
    assert line(response, "verdict_kappa").value == pytest.approx(0.32, abs=0.005)
    assert line(response, "verdict_specific_has_defects").value == pytest.approx(0.914, abs=0.001)
    assert line(response, "verdict_specific_clean").value == pytest.approx(0.40, abs=0.001)
    # 175 and 25 of 200 answers.
    assert "has defects 88 %, clean 12 %, uncertain 0 %" in shown(response)


def test_groups_of_cases_have_figures_of_their_own_and_open_them(tallied, page, people):
    for _ in range(6):
        tallied.add(kind(both(), alone("first")), language="Go")
        tallied.add(kind(both()), language="")
    response = page(people.lead, "agreement_breakdown", "?by=language")
    groups = {group.label: group for group in response.context["page"].groups}
    assert set(groups) == {"Go", "not known"}
    assert groups["Go"].lines[1].value == pytest.approx(2 / 3)
    assert groups["not known"].lines[1].value == 1
    assert "/agreement/?language=none" in response.content.decode()
    chosen = page(people.lead, query="?language=Go")
    assert chosen.context["page"].cases == 6
    assert "Only cases of language Go" in shown(chosen)
    assert page(people.lead, query="?language=none").context["page"].cases == 6


def test_guidelines_source_kinds_and_pairs_are_groups_too(project, tallied, page, people):
    add_version(GuidelinesVersion(text="# Two"), project=project, author=people.lead)
    tallied.add(kind(), guidelines=1, source_kind="incident")
    tallied.add(kind(), guidelines=2, source_kind="clean", reviewers=[people.reviewer_c, people.reviewer_a])
    tallied.add(kind(), guidelines=None, source_kind="clean")

    def groups(by, user=people.lead):
        found = page(user, "agreement_breakdown", f"?by={by}").context["page"].groups
        return {group.label: (group.cases, dict(group.query)) for group in found}

    assert groups("guidelines") == {
        "1": (1, {"guidelines": "1"}),
        "2": (1, {"guidelines": "2"}),
        "different versions": (1, {"guidelines": "none"}),
    }
    assert {label: count for label, (count, _) in groups("source_kind").items()} == {"incident": 1, "clean": 2}
    pairs = groups("pair")
    assert {label: count for label, (count, _) in pairs.items()} == {
        "Ada Reviewer and Ben Reviewer": 2,
        "Ada Reviewer and Cid Reviewer": 1,
    }
    for by in ("guidelines", "source_kind", "pair"):
        for _, (count, query) in groups(by).items():
            [(name, value)] = query.items()
            assert page(people.lead, query=f"?{name}={value}").context["page"].cases == count


def test_labels_are_broken_down_by_what_they_say(tallied, page, people):
    for _ in range(3):
        tallied.add(kind(both(("logic", "security"), ("low", "high")), alone("first", "logic", "high")))
    by = {
        group.value: [line.counts for line in group.lines]
        for name in ("category", "severity")
        for group in page(people.analyst, "agreement_breakdown", f"?by={name}").context["page"].groups
    }
    assert by["logic"] == ["3 of 6", "0 of 3"]
    assert by["security"] == ["3 of 3", "0 of 3"]
    assert by["high"] == ["3 of 6", "0 of 3"]
    assert by["low"] == ["3 of 3", "0 of 3"]


def test_cells_of_a_table_lead_to_their_cases_and_looking_is_exposure(tallied, page, people):
    mixed = tallied.add(kind(both(("security", "logic"), ("low", "high"))))
    other_way = tallied.add(kind(both(("logic", "security"))), state="adjudicating")
    tallied.add(kind(both(), both(("logic", "security"), shares_a_line=False)))
    found_alone = tallied.add(kind(alone("second", "boundary")))
    tables = {table.layer: table for table in page(people.lead, "agreement_confusion").context["tables"]}
    counts = {(one, cell.other): cell.count for one, cells in tables["category"].rows for cell in cells if cell.count}
    assert counts == {("security", "logic"): 2, ("logic", "logic"): 1, ("not_found", "boundary"): 1}
    assert not Exposure.objects.exists()
    response = page(people.lead, "agreement_cases", "?layer=category&one=logic&other=security")
    assert [row.case for row in response.context["rows"]] == [other_way.case, mixed.case]
    assert [row.said for row in response.context["rows"]] == [
        (("logic, low", "security, low"),),
        (("security, low", "logic, high"),),
    ]
    exposed = Exposure.objects.values_list("case_id", "user_id", "kind")
    assert set(exposed) == {(one.case_id, people.lead.pk, "peer_label") for one in (mixed, other_way)}
    alone_page = page(people.lead, "agreement_cases", "?layer=category&one=not_found&other=boundary")
    assert [row.case for row in alone_page.context["rows"]] == [found_alone.case]
    assert (
        page(people.lead, "agreement_cases", "?layer=severity&one=high&other=low").context["rows"][0].case == mixed.case
    )
    verdicts = page(people.lead, "agreement_cases", "?layer=verdict&one=has_defects&other=has_defects")
    assert len(verdicts.context["rows"]) == 4
    assert page(people.lead, "agreement_cases").context["rows"] == ()
    page(people.lead, "agreement_cases", "?layer=place&one=a&other=b", status=404)


def test_who_said_what_is_never_told(tallied, page, people, reviewers):
    """The order of sides is that of adjudication, whoever of the two said it; no name stands beside it."""
    tallied.add(kind(both(("security", "logic"))), is_low_first=True)
    tallied.add(kind(both(("security", "logic"))), is_low_first=False)
    response = page(people.lead, "agreement_cases", "?layer=category&one=logic&other=security")
    assert {row.said for row in response.context["rows"]} == {(("security, low", "logic, low"),)}
    for reviewer in reviewers:
        assert reviewer.name not in response.content.decode()


def test_analysts_see_figures_and_no_ones_labels(tallied, page, people):
    tallied.add(kind(both(("security", "logic"))))
    confusion = page(people.analyst, "agreement_confusion").content.decode()
    assert "agreement/cases/" not in confusion
    assert [tab["title"] for tab in page(people.analyst).context["tabs"]] == [
        "Layers", "Breakdown", "Over time", "Confusion", "Planning",
    ]  # fmt: skip
    for name in ("agreement_cases", "agreement_missed", "agreement_guidelines", "agreement_reviewers"):
        page(people.analyst, name, status=404)
    page(people.analyst, "agreement_breakdown", "?by=pair", status=404)
    pair = f"{people.reviewer_a.public_id}.{people.reviewer_c.public_id}"
    assert page(people.analyst, query=f"?pair={pair}").context["page"].cases == 1


def test_development_is_shown_by_window_and_so_far_with_marks(project, tallied, page, people):
    for _ in range(25):
        tallied.add(kind(both()))
    newer = add_version(GuidelinesVersion(text="# Two"), project=project, author=people.lead)
    GuidelinesVersion.objects.filter(pk=newer.pk).update(created_at=Tally.objects.latest("labelled_at").labelled_at)
    for _ in range(25):
        tallied.add(kind(alone("first")))
    response = page(people.lead, "agreement_time")
    points = response.context["page"].points
    assert (points[0].cases, points[-1].cases) == (25, 50)
    assert (points[0].rolling.value, points[-1].rolling.value) == (1.0, 0.0)
    # 25 pairs, 25 alone: 50 / 75.
    assert points[-1].cumulative.value == pytest.approx(2 / 3)
    assert [(mark.cases, mark.label) for mark in response.context["page"].marks] == [(24, "guidelines 2")]
    assert response.content.count(b'class="dot"') == len(points) + 1
    page(people.lead, "agreement_time", "?layer=mood", status=404)


@pytest.mark.parametrize("typed", ["wide", "0", "2", "nan", "-0.1", "1e400"])
def test_a_width_that_makes_no_sense_is_refused_with_what_is_wanted(tallied, page, people, typed):
    response = page(people.lead, "agreement_planning", f"?width={typed}", status=422)
    assert "Give a width from 0.01 to 1.0, such as 0.2." in shown(response)


def test_a_plan_takes_four_times_the_cases_for_half_the_width(tallied, page, people):
    add_many(tallied, 40)
    first = page(people.lead, "agreement_planning").context["page"].layers[1]
    width = first.headline.high - first.headline.low
    half = page(people.lead, "agreement_planning", f"?width={width / 2:.6f}").context["page"].layers[1]
    assert half.plan.cases == pytest.approx(160, abs=1)
    assert half.plan.more == half.plan.cases - 40
    assert page(people.lead, "agreement_planning", "?width=1").context["page"].layers[1].plan.more == 0


# --- Which cases count ----------------------------------------------------------------------------------------------


def test_cases_on_which_the_viewer_sits_are_in_no_figure(tallied, project, page, people):
    tallied.add(kind(both()))
    held = tallied.add(kind(alone("first")), state="adjudicating")
    assert line(page(people.lead), "existence_headline").units == 2
    CaseSeat.objects.create(case=held.case, user=people.lead, opened_at=held.labelled_at)
    response = page(people.lead)
    assert line(response, "existence_headline").units == 1
    assert "1 : you hold a seat on them that has not settled." in shown(response)
    cell = "?layer=category&one=logic&other=not_found"
    assert page(people.lead, "agreement_cases", cell).context["rows"] == ()
    study = json.loads(page(people.lead, "agreement_study").content)
    assert len(study[0]["data"]["cases"]) == 1
    assert b"not_found" not in page(people.lead, "agreement_csv").getvalue()


def test_an_analyst_sees_settled_cases_and_is_told_what_that_does(tallied, page, people):
    tallied.add(kind(both()))
    tallied.add(kind(alone("first")), state="adjudicating")
    response = page(people.analyst)
    assert response.context["page"].cases == 1
    assert "1 : they are being adjudicated" in shown(response)
    assert "is too high" in shown(response)
    assert page(people.lead).context["page"].cases == 2


def test_every_case_that_is_left_out_has_its_reason(project, tallied, people, reviewers):
    tallied.add(kind(both()))
    tallied.add(kind(alone("first"), verdicts=("has_defects", "insufficient_context")))
    withdrawn = tallied.add(kind())
    Case.objects.filter(pk=withdrawn.case_id).update(state="withdrawn")
    waiting, _ = seats_of(make_case(project, family="a"), reviewers)
    again = compared(make_case(project, family="b"), reviewers, [DEFECT], [DEFECT])
    reopen(assignment=again.round.assignments.first(), lead=people.lead, reason="Wrong file")
    reasons = {one.reason.split(",")[0]: one.count for one in left_out(project, people.lead, LEAD)}
    assert reasons == {
        "a seat was reopened": 1,
        "the case was withdrawn": 1,
        "their reviewers have not both submitted for good": 1,
    }
    assert counted_cases(project, people.lead).total == 2
    assert overview(counted_cases(project, people.lead)).judged == 1
    assert waiting.case.state == "labelling"


def test_a_corrected_pairing_counts_and_the_proposal_is_told_beside_it(project, page, people, reviewers):
    comparison = compared(make_case(project), reviewers, [DEFECT], [replace(DEFECT, severity="low")])
    assert "paired the labels otherwise" not in shown(page(people.lead))
    comparison.pairs.update(state=PairState.SPLIT)
    count_comparison(comparison)
    response = page(people.lead)
    assert line(response, "detection_alone").text == "2"
    assert response.context["corrected"].cases == 1
    assert "In 1 case an adjudicator paired the labels otherwise than the aligner proposed" in shown(response)
    assert counted_cases(project, people.lead, proposal=True).key != counted_cases(project, people.lead).key


def test_cases_of_other_projects_do_not_count(tallied, project, page, people, reviewers):
    tallied.add(kind(both()))
    elsewhere = make_project(lead=people.lead, name="Elsewhere")
    for reviewer in reviewers:
        make_member(elsewhere, reviewer, Role.REVIEWER)
    Tallied(elsewhere, reviewers, count=500).add(kind(both()))
    assert page(people.lead).context["page"].cases == 1


# --- Nothing is stale -----------------------------------------------------------------------------------------------


def figures_of(project, user):
    """What the pages show: every line of the layers, the breakdowns' rows, the reasons for leaving out."""
    found = overview(counted_cases(project, user))
    lines = [(one.key, one.text, one.interval, one.counts) for card in found.layers for one in card.lines]
    by_language = counted_cases(project, user, by="language")
    return lines, {str(name): times.sum() for name, times in by_language.groups.items()}, left_out(project, user, LEAD)


def test_what_is_remembered_is_never_stale(project, people, reviewers, tallied):
    """After each act the figures from memory are those of a process that remembers nothing, and differ from before."""
    add_many(tallied, 12)
    seen = []

    def settle_down():
        warm = figures_of(project, people.lead)
        forget()
        assert warm == figures_of(project, people.lead)
        assert warm not in seen
        seen.append(warm)

    settle_down()
    comparison = compared(make_case(project, family="a", language="Rust"), reviewers, [DEFECT], [GUARD])
    settle_down()
    Case.objects.filter(pk=comparison.round.case_id).update(language="Go")
    settle_down()
    CaseSeat.objects.update_or_create(
        case=comparison.round.case, user=people.lead, defaults={"opened_at": comparison.compared_at, "closed_at": None}
    )
    settle_down()
    CaseSeat.objects.filter(user=people.lead).delete()
    seat = comparison.round.assignments.get(reviewer=reviewers[0])
    reopen(assignment=seat, lead=people.lead, reason="Wrong file")
    settle_down()
    hand_in(seat, [replace(GUARD, title="Again")])
    other = compared(make_case(project, family="b"), reviewers, verdicts=("clean", "uncertain"))
    settle_down()
    Case.objects.filter(pk=other.round.case_id).update(state="withdrawn")
    settle_down()


def test_every_tally_is_what_counting_anew_gives(project, people, reviewers):
    """Tallies hold what comparison says at any time: counting again after decisions finds nothing else."""
    for number, (a, b) in enumerate([([DEFECT], [GUARD]), ([DEFECT, GUARD], [replace(DEFECT, severity="low")])]):
        comparison = compared(make_case(project, family=str(number)), reviewers, a, b)
        before = Tally.objects.get(comparison=comparison)
        again = count_comparison(comparison)
        assert (again.number, again.digest) == (1, before.digest)
        assert (again.verdict_first, again.is_low_first) == (before.verdict_first, before.is_low_first)


# --- Files ----------------------------------------------------------------------------------------------------------


def agree_of(tmp_path, capsys, entries):
    """Run the offline command on a download."""
    path = tmp_path / "study.json"
    path.write_bytes(entries)
    assert main(["agree", str(path)]) == 0
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("query", ["", "?language=Go"])
def test_the_download_gives_the_page_s_numbers_offline(tallied, page, people, tmp_path, capsys, query):
    add_many(tallied, 60)
    tallied.add(kind(alone("first"), verdicts=("has_defects", "insufficient_context")))
    tallied.add(kind(both(shared=0, union=0, shares_a_line=False, line_gap=2)), language="Go")
    response = page(people.lead, query=query)
    download = page(people.lead, "agreement_study", query)
    entries = json.loads(download.content)
    study, *rest = agree_of(tmp_path, capsys, download.content)
    by_title = {entry["title"]: found for entry, found in zip(entries[1:], rest, strict=True)}
    for layer in ("verdict", "existence", "category", "severity", "place"):
        ours, theirs = line(response, f"{layer}_headline"), study["intervals"][layer]
        assert theirs["value"] is not None
        assert (ours.value, ours.low, ours.high) == pytest.approx((theirs["value"], theirs["low"], theirs["high"]))
        assert ours.units == theirs["units"]
    for key, name in {
        "verdict_kappa": "verdict_kappa",
        "verdict_ac1": "verdict_ac1",
        "category_headline": "category_alpha",
        "existence_headline": "detection_f1",
        "severity_headline": "severity_alpha_ordinal",
        "severity_kappa_quadratic": "severity_weighted_kappa_quadratic",
        "place_headline": "place_median_iou",
    }.items():
        assert line(response, key).value == pytest.approx(study[name]), key
    for key in (
        "category_raw",
        "severity_exact",
        "severity_within_one",
        "place_common_line",
        "category_specific_logic",
    ):
        ours, theirs = line(response, key), by_title[key]
        assert ours.value == pytest.approx(theirs["recall"]), key
        assert [ours.low, ours.high] == pytest.approx(theirs["wilson_effective_n"]), key
    raw = line(response, "verdict_raw")
    assert raw.value == pytest.approx(by_title["verdict_raw"]["share"])
    assert [raw.low, raw.high] == pytest.approx(by_title["verdict_raw"]["ci"])
    found = page(people.lead, "agreement_breakdown", "?by=category" + query.replace("?", "&")).context["page"]
    logic = next(group for group in found.groups if group.value == "logic")
    assert logic.lines[0].value == pytest.approx(by_title["category_found_logic"]["recall"])


def test_the_download_names_no_case_and_no_person(tallied, page, people, reviewers):
    add_many(tallied, 5)
    body = page(people.lead, "agreement_study").content.decode()
    for case in Case.objects.all():
        assert case.public_id not in body
    for reviewer in reviewers:
        assert reviewer.public_id not in body
        assert reviewer.name not in body


def test_the_csv_holds_every_figure_of_the_page_and_of_the_breakdowns(tallied, page, people):
    add_many(tallied, 30)
    rows = list(csv.DictReader(io.StringIO(page(people.lead, "agreement_csv").getvalue().decode())))
    response = page(people.lead)
    lines = {one.key: one for card in response.context["page"].layers for one in card.lines}
    held = {row["figure"]: row for row in rows if not row["breakdown"]}
    assert held.keys() == lines.keys()
    for key, one in lines.items():
        assert held[key]["value"] == ("" if one.value is None else repr(one.value))
        assert held[key]["low"] == ("" if one.low is None else repr(one.low))
    assert {row["breakdown"] for row in rows} == {
        "", "category", "severity", "language", "source_kind", "guidelines", "pair",
    }  # fmt: skip
    go = next(row for row in rows if row["group"] == "Go" and row["figure"] == "existence_headline")
    assert int(go["cases"]) == counted_cases(people.lead and tallied.project, people.lead, Choice(language="Go")).total


def test_a_language_that_looks_like_a_formula_stays_text(tallied, page, people):
    tallied.add(kind(both()), language="=cmd()")
    assert "'=cmd()" in page(people.lead, "agreement_csv").getvalue().decode()


@pytest.mark.parametrize("query", ["?guidelines=9999999999999", "?guidelines=x", "?pair=.", "?page=x"])
def test_a_choice_that_names_nothing_is_no_error(tallied, page, people, query):
    tallied.add(kind(both()))
    for name in ("agreement", "agreement_breakdown", "agreement_csv", "agreement_study", "agreement_time"):
        page(people.lead, name, query)
