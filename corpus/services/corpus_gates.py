"""Gates on what a version holds as a whole: splits, coverage, shares, licences. Pure functions."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

from corpus.domain.goals import Goals
from corpus.domain.near_duplicates import near_duplicates
from corpus.domain.vocabulary import CaseResult, GoldenState, Severity
from corpus.selectors.case_records import CaseRecord
from corpus.services.gate import FailingCase, Gate, cases_in_words


def clean_case(records: Sequence[CaseRecord]) -> Gate:
    """At least one case is clean, so that false alarms can be measured."""
    clean = sum(record.case.result == CaseResult.CLEAN for record in records)
    detail = cases_in_words(clean) if clean else "no case is clean, so false alarms cannot be measured"
    return Gate("clean_case", clean > 0, detail, waivable=True)


def coverage(records: Sequence[CaseRecord], goals: Goals) -> Gate:
    """Each category in scope, each level above note and clean cases are there as often as the policy asks."""
    required = [
        finding
        for record in records
        if record.manifest
        for finding in record.manifest.findings
        if finding.state is GoldenState.REQUIRED
    ]
    missing = _below("category", goals.min_per_category, goals.categories, Counter(each.category for each in required))
    levels = [level.value for level in reversed(Severity) if level is not Severity.NOTE]
    missing += _below("severity", goals.min_per_severity, levels, Counter(each.severity for each in required))
    clean = sum(record.case.result == CaseResult.CLEAN for record in records)
    if 100 * clean < goals.min_clean_percent * len(records):
        missing.append(f"{clean} of {len(records)} cases are clean, asked are {goals.min_clean_percent} %")
    asked = goals.min_per_category or goals.min_per_severity or goals.min_clean_percent
    detail = "; ".join(missing) or ("as asked" if asked else "the policy asks for nothing")
    return Gate("coverage", not missing, detail, waivable=True)


def _below(kind: str, least: int, names: Sequence[str], found: Counter[str | None]) -> list[str]:
    short = [f"{name.replace('_', ' ')} {found[name]}" for name in names if found[name] < least]
    return [f"{kind}: {', '.join(short)}, asked are {least} each"] if short else []


def unresolved(records: Sequence[CaseRecord], goals: Goals) -> Gate:
    """Unresolved cases count in no score, so a version of many of them measures little."""
    held = [
        record
        for record in records
        if record.case.result == CaseResult.UNRESOLVED
        or any(
            finding.state is GoldenState.UNRESOLVED for finding in (record.manifest.findings if record.manifest else ())
        )
    ]
    has_passed = 100 * len(held) <= goals.max_unresolved_percent * len(records)
    failing = (
        ()
        if has_passed
        else tuple(
            FailingCase(record.case.public_id, "It is unresolved, or holds a finding that is.", tells_truth=True)
            for record in held
        )
    )
    detail = f"{len(held)} of {cases_in_words(len(records))}, allowed are {goals.max_unresolved_percent} %"
    return Gate("unresolved", has_passed, detail, failing, waivable=True)


def one_split(records: Sequence[CaseRecord]) -> Gate:
    """A family or cluster of near-duplicates lies in one split, so that nothing of the holdout is known from dev."""
    splits: dict[tuple[str, str], dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for record in records:
        for kind in ("family", "cluster"):
            name = getattr(record.case, kind)
            if name:
                splits[kind, name][record.case.split].append(record.case.public_id)
    failing = [
        FailingCase(case_id, f"The {kind} {name} lies in {_listed(sorted(found))}; this case is in {split}.")
        for (kind, name), found in sorted(splits.items())
        if len(found) > 1
        for split, case_ids in sorted(found.items())
        for case_id in case_ids
    ]
    spread = sum(len(found) > 1 for found in splits.values())
    detail = "none is spread" if not spread else f"{spread} spread over several splits"
    return Gate("one_split", not failing, detail, tuple(failing), waivable=True)


def near_duplicate_splits(records: Sequence[CaseRecord]) -> Gate:
    """Two changes that are nearly the same keep to one split, whether or not anybody put them into one cluster."""
    by_id = {record.case.public_id: record for record in records}
    pairs = near_duplicates({case_id: record.content.changed_lines for case_id, record in by_id.items()})
    apart = [pair for pair in pairs if by_id[pair.one].case.split != by_id[pair.other].case.split]
    failing = tuple(
        FailingCase(
            one,
            f"It shares {pair.shared} of {pair.either} changed lines with {other}, which is in "
            f"{by_id[other].case.split}; this case is in {by_id[one].case.split}. Move one of them.",
        )
        for pair in apart
        for one, other in ((pair.one, pair.other), (pair.other, pair.one))
    )
    detail = f"{len(pairs)} near-duplicate pair{'' if len(pairs) == 1 else 's'}, "
    detail += "none across splits" if not apart else f"{len(apart)} across splits"
    return Gate("near_duplicates", not apart, detail, failing, waivable=True)


def licence(records: Sequence[CaseRecord]) -> Gate:
    """Whoever takes a public case has to know under which licence; private ones leave for nobody else."""
    public = [record for record in records if not record.case.is_private]
    failing = tuple(
        FailingCase(record.case.public_id, "It is public and names no licence: name it, or make the case private.")
        for record in public
        if not record.case.licence
    )
    detail = f"{len(public)} public, {len(records) - len(public)} private"
    if failing:
        detail += f"; {len(failing)} without a licence"
    return Gate("licence", not failing, detail, failing, waivable=True)


def _listed(words: Sequence[str]) -> str:
    return f"{', '.join(words[:-1])} and {words[-1]}"
