"""`touchstone agree` on the published and derived values, and on input that is wrong in every other way."""

from __future__ import annotations

import copy
import json
import math
import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from config.cli import main
from config.offline.agree_command import STATISTICS
from tests.unit.scenarios import load

ENTRIES = load("agreement-reference.json")
IDS = [entry["id"] for entry in ENTRIES]
BY_ID = dict(zip(IDS, ENTRIES, strict=True))
# Resampled with another generator and another number of resamples: only `tolerance` can hold.
RESAMPLED = "bca-efron-tibshirani-1993-interval"


@pytest.fixture
def agree(tmp_path, capsys):
    def run(document):
        path = tmp_path / "entry.json"
        path.write_text(document if isinstance(document, str) else json.dumps(document))
        code = main(["agree", str(path)])
        shown = capsys.readouterr()
        return code, shown.out, shown.err.replace(str(path), "entry.json")

    return run


@pytest.fixture
def values(agree):
    def run(statistic, data, **params):
        code, out, err = agree({"statistic": statistic, "data": data, "params": params})
        assert (code, err) == (0, "")
        return json.loads(out)

    return run


def agrees(found, expected, tolerance):
    """Assert that every leaf of `expected` is in `found`, numbers within `tolerance`."""
    if isinstance(expected, dict):
        for name, value in expected.items():
            assert name in found
            agrees(found[name], value, tolerance)
    elif isinstance(expected, list):
        assert len(found) == len(expected)
        for one, other in zip(found, expected, strict=True):
            agrees(one, other, tolerance)
    elif isinstance(expected, int | float) and not isinstance(expected, bool):
        # Values of a million have twelve printed digits, so the tolerance grows with them.
        assert found == pytest.approx(expected, abs=tolerance, rel=1e-9)
    else:
        assert found == expected


@pytest.mark.parametrize("entry", ENTRIES, ids=IDS)
def test_the_published_value_is_reached(entry, agree):
    code, out, _ = agree(entry)
    assert code == 0
    agrees(json.loads(out), entry["expected"], entry["tolerance"])


@pytest.mark.parametrize("entry", [one for one in ENTRIES if one["id"] != RESAMPLED], ids=lambda one: one["id"])
def test_the_value_in_full_precision_is_reached(entry, agree):
    agrees(json.loads(agree(entry)[1]), entry["computed"], 1e-9)


def test_a_list_is_answered_in_its_order_by_the_same_values(agree):
    chosen = [BY_ID["fleiss-1971"], BY_ID["wilson-newcombe-1998-0-20"], BY_ID["fleiss-1971"]]
    answers = json.loads(agree(chosen)[1])
    assert answers == [json.loads(agree(entry)[1]) for entry in chosen]


def test_only_statistic_data_and_params_matter(agree):
    entry = BY_ID["end-to-end-mini-study"]
    bare = {name: entry[name] for name in ("statistic", "data", "params")}
    assert agree(bare)[1] == agree(entry)[1]


def test_the_bca_interval_lies_clearly_right_of_the_percentile_interval(agree):
    found = json.loads(agree(BY_ID[RESAMPLED])[1])
    assert found["bca"][0] - found["percentile"][0] > 10
    assert found["bca"][1] - found["percentile"][1] > 15


def test_resampling_repeats_itself_exactly(agree):
    assert agree(BY_ID[RESAMPLED])[1] == agree(BY_ID[RESAMPLED])[1]


@pytest.mark.parametrize(
    ("statistic", "data", "params", "name", "reason"),
    [
        ("cohen_kappa", {"table": [[9, 0], [0, 0]]}, {}, "kappa", "no_variation"),
        ("cohen_kappa", {"table": [[0, 0], [0, 0]]}, {}, "kappa", "no_overlap"),
        ("cohen_kappa", {"table": [[0, 0], [0, 0]]}, {}, "po", "no_overlap"),
        ("weighted_kappa", {"table": [[9, 0], [0, 0]]}, {}, "kappa", "no_variation"),
        ("cohen_kappa_ase", {"table": [[9, 0], [0, 0]]}, {}, "ase", "no_variation"),
        ("krippendorff_alpha", {"ratings": [["a", "a"], ["a", "a"]]}, {}, "alpha", "no_variation"),
        ("krippendorff_alpha", {"ratings": [["a", None], [None, "b"]]}, {}, "alpha", "no_overlap"),
        ("fleiss_kappa", {"counts": [[3, 0], [3, 0]]}, {}, "kappa", "no_variation"),
        ("fleiss_kappa", {"counts": [[3, 0], [1, 1]]}, {}, "kappa", "unequal_ratings"),
        ("multi_rater_kappas", {"ratings": [["a", "a"]] * 4}, {}, "hubert_conger_kappa", "no_variation"),
        ("specific_agreement", {"table": [[4, 0], [0, 0]], "levels": ["x", "y"]}, {}, "y", "empty_denominator"),
        ("gwet_ac1_multi", {"ratings": [["a", None]]}, {"levels": ["a", "b"]}, "ac1", "no_overlap"),
        ("detection_f1", {"both": 0, "only_first": 0, "only_second": 0}, {}, "f1", "empty_denominator"),
        ("lincoln_petersen", {"n1": 3, "n2": 4, "m": 0}, {}, "n_hat", "no_overlap"),
        ("chao1", {"observed": 5, "f1": 5, "f2": 0}, {}, "n_hat", "no_overlap"),
        ("capture_mt_mle", {"n": [[2, 3]], "observed": [5]}, {}, "n_hat_two_reviewers", "no_overlap"),
        ("mcnemar", {"table": [[4, 0], [0, 9]]}, {}, "exact_p", "empty_denominator"),
        ("paired_difference_ci", {"table": [[0, 0], [0, 0]]}, {}, "difference", "empty_denominator"),
        ("wilson_interval", {"x": 0, "n": 0}, {}, "share", "empty_denominator"),
        ("cluster_ratio", {"cases": [{"golden": 0, "hit": 0}]}, {}, "recall", "empty_denominator"),
        ("cluster_ratio", {"cases": [{"golden": 4, "hit": 1}]}, {}, "se_cluster", "too_few_cases"),
        (
            "cluster_bootstrap",
            {"cases": [{"matched": 0, "unmatched": 0}]},
            {"enumerate": True},
            "mean",
            "empty_denominator",
        ),
        ("dashboard_bundle", {"cases": []}, {}, "verdict_alpha", "no_overlap"),
        ("dashboard_bundle", {"cases": []}, {}, "severity_within_one", "empty_denominator"),
        ("gamma_best_alignment", {"a": [], "b": []}, {}, "disorder", "empty_denominator"),
    ],
)
def test_what_is_undefined_is_null_with_its_reason(statistic, data, params, name, reason, values):
    found = values(statistic, data, **params)
    assert found[name] is None
    assert found["reasons"][name] == reason


def test_a_share_without_units_has_no_interval(values):
    assert values("wilson_interval", {"x": 0, "n": 0})["ci"] is None


def test_few_matched_pairs_are_reported_as_unstable(agree):
    found = json.loads(agree(BY_ID["end-to-end-mini-study"])[1])
    assert found["unstable"] == ["verdict_alpha", "category_alpha", "severity_alpha_ordinal"]
    assert found["completeness_reliable"] is False


def test_a_cluster_bootstrap_without_enumeration_gives_an_interval_by_case(values):
    source = random.Random(4)
    cases = [{"matched": source.randint(0, 3), "unmatched": source.randint(0, 2)} for _ in range(40)]
    found = values("cluster_bootstrap", {"cases": cases})
    assert found["method"] == "bca"
    assert found["ci"][0] < found["f1"] < found["ci"][1]
    few = values("cluster_bootstrap", {"cases": cases[:9]})
    assert (few["ci"], few["ci_reason"]) == (None, "too_few_cases")


def broken(name, path, value):
    document = {key: copy.deepcopy(BY_ID[name][key]) for key in ("statistic", "data", "params")}
    target = document
    *steps, last = [int(step) if step.isdigit() else step for step in path.split(".")]
    for step in steps:
        target = target[step]
    target[last] = value
    return document


KAPPA, ALPHA = "kappa-cohen-1960-p45", "alpha-krippendorff-2011-missing-nominal"
MINI = "end-to-end-mini-study"


@pytest.mark.parametrize(
    ("document", "message"),
    [
        (broken(KAPPA, "statistic", "kappa"), 'statistic: "kappa" is unknown; allowed are agreement_family'),
        (broken(KAPPA, "statistic", None), 'top level: "statistic" is missing'),
        (broken(KAPPA, "data", None), 'top level: "data" is missing'),
        (broken(KAPPA, "data", [1]), "data: an object is needed, not [1]"),
        (broken(KAPPA, "params", [1]), "params: an object is needed, not [1]"),
        (broken(KAPPA, "data.table", [[1, 2]]), "data.table: the table has 1 rows and 2 columns; it has to be"),
        (broken(KAPPA, "data.table", [[1, 2], [3]]), "data.table: the rows are not equally long"),
        (broken(KAPPA, "data.table.1.2", -1), "data.table[1][2]: -1 is not between 0 and 1000000000"),
        (broken(KAPPA, "data.table.1.2", "7"), 'data.table[1][2]: a whole number is needed, not "7"'),
        (broken(KAPPA, "data.table", []), "data.table: 0 members, 1 are needed"),
        (broken(KAPPA, "data", {}), 'data: "table" or "ratings" is missing'),
        (broken(ALPHA, "params.metric", "cardinal"), 'params.metric: "cardinal" is unknown; allowed are nom'),
        (broken(ALPHA, "data.ratings", []), "data.ratings: there is no rating"),
        (broken(ALPHA, "data.ratings.0.0", {}), "data.ratings[0][0]: a number is needed, not {}"),
        (broken(ALPHA, "params.levels", [1, 2]), "data.ratings[1][2]: 3 is not one of the declared levels"),
        (broken(ALPHA, "params.levels", [1, 1]), "params.levels: a level is listed twice"),
        (
            {"statistic": "krippendorff_alpha", "data": {"ratings": [["a", "b"]]}, "params": {"metric": "ordinal"}},
            'data: the metric ordinal needs "levels" in order',
        ),
        (
            {"statistic": "krippendorff_alpha", "data": {"ratings": [["a", "b"]]}, "params": {"metric": "ratio"}},
            "data: the metric ratio needs numbers",
        ),
        (broken("kappa-ase-sas-3x3", "params.conf", 1), "params.conf: 1 is not between 0 and 1"),
        (
            broken("weighted-kappa-cohen-1968", "params.disagreement_weights", [[0, 1], [1, 0]]),
            "params.disagreement_weights: 2 rows do not fit 3 levels",
        ),
        (broken("wilson-newcombe-1998-0-20", "data.x", 21), "data: x is 21, above n, which is 20"),
        (broken("capture-no-overlap", "data.m", 5), "data: m must lie between 0 and the smaller of n1 and n2"),
        (broken("capture-mt-mle", "data.observed", [14, 61]), "data.n[1]: the different findings must lie"),
        (broken("capture-mt-mle", "data.observed", [14]), "data.observed: 1 members, 2 are needed"),
        (broken("recall-cluster-robust-ratio", "data.cases.1.hit", 4), "data.cases[1]: hit is 4, above golden"),
        (broken("paired-recall-sign-flip", "data.cases.5.hit_b", 2), "data.cases[5].hit_b: 2 is not between 0"),
        (broken(MINI, "data.cases.0.verdicts.1", "fine"), 'data.cases[0].verdicts[1]: "fine" is unknown; allo'),
        (broken(MINI, "data.cases.0.pairs.0.1.1", "huge"), 'pairs[0][1][1]: "huge" is unknown; allowed are no'),
        (broken(MINI, "params.verdict_levels", ["no"]), 'params.verdict_levels[0]: "no" is unknown'),
        (broken("dawid-skene-1979", "data.responses.3", [[1]]), "data.responses: every unit needs a list for"),
        (broken("dawid-skene-1979", "data.responses.3.2", [9]), "data.responses[3][2][0]: 9 is not one of the"),
        (broken("line-iou-and-gap", "data.pairs.0.0", [9, 1]), "data.pairs[0][0]: the range is inverted"),
        (
            broken("u-alpha-krippendorff-2004-p254", "data.observers.0.c.1", [230, 9]),
            "data: the units of c overlap, are empty or leave the continuum",
        ),
        (
            broken("cluster-bootstrap-f1-enumerated", "data.cases", [{"matched": 1, "unmatched": 1}] * 9),
            "data.cases: 9 cases; at most 8 can be enumerated",
        ),
        ([BY_ID[KAPPA], {"statistic": "cohen_kappa"}], '[1]: "data" is missing'),
        ('{"statistic": "cohen_kappa", "data": {"table": [[NaN]]}}', "NaN is not a JSON number"),
    ],
)
def test_bad_input_is_refused_in_one_line_with_its_place(document, message, agree):
    code, out, err = agree(document)
    assert (code, out) == (2, "")
    assert err.startswith("entry.json: ")
    assert message in err
    assert err.count("\n") == 1


ODD = [None, True, -1, 0, 1, 2, 7.5, 1e308, -1e308, 10**12, "", "x", "clean", [], {}, [[]], [1], [[1, 2]], [None]]


def places(value, path=()):
    yield path
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, member in members:
        yield from places(member, (*path, name))


@settings(max_examples=400, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(entry=st.sampled_from(ENTRIES), seed=st.integers(0, 10**6), changes=st.integers(1, 3))
def test_any_changed_entry_is_either_answered_or_refused_in_one_line(entry, seed, changes, agree):
    source = random.Random(seed)
    document = {name: copy.deepcopy(entry[name]) for name in ("statistic", "data", "params")}
    for _ in range(changes):
        *steps, last = source.choice([path for path in places(document) if len(path) > 1] or [("data",)])
        target = document
        for step in steps:
            target = target[step]
        target[last] = copy.deepcopy(source.choice(ODD))
    code, out, err = agree(document)
    if code == 0:
        assert err == ""
        json.loads(out, parse_constant=lambda name: pytest.fail(f"{name} printed"))
    else:
        assert (code, out, err.count("\n")) == (2, "", 1)


def test_every_statistic_has_a_reference_value():
    assert {entry["statistic"] for entry in ENTRIES} == set(STATISTICS)


def test_the_tolerance_of_the_comparison_notices_a_wrong_digit():
    with pytest.raises(AssertionError):
        agrees({"kappa": 0.4921}, {"kappa": 0.4915}, 0.0005)
    assert math.isclose(BY_ID[KAPPA]["computed"]["kappa"], 0.491525423729)
