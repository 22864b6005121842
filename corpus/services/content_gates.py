"""Gates on what reviewers and receivers of a bundle can see of the cases. Pure functions over what was found."""

from __future__ import annotations

from collections.abc import Sequence

from corpus.selectors.case_records import CaseRecord
from corpus.services.gate import FailingCase, Gate, cases_in_words


def oracle_leaks(records: Sequence[CaseRecord]) -> Gate:
    """No change shows id or wording of its golden finding, or a phrase by which fixtures give themselves away."""
    failing = tuple(
        FailingCase(
            record.case.public_id,
            f"Line {leak.line} of {leak.path} holds {leak.what}. Replace the change by one that does not tell.",
            tells_truth=leak.tells_truth,
        )
        for record in records
        for leak in record.content.leaks
    )
    cases = {each.case_id for each in failing}
    detail = (
        "none found in the lines of the changes"
        if not failing
        else f"{cases_in_words(len(cases))} with words that tell"
    )
    return Gate("oracle_leaks", not failing, detail, failing, waivable=True)


def secrets(records: Sequence[CaseRecord]) -> Gate:
    """No change holds what looks like a key, a password or a token."""
    failing = tuple(
        FailingCase(
            record.case.public_id,
            f"Line {secret.line} of {secret.path} looks like a secret ({secret.kind}). Withdraw the case if it is one; "
            "else say in the waiver why it is none.",
        )
        for record in records
        for secret in record.content.secrets
    )
    cases = {each.case_id for each in failing}
    detail = "none found in the lines of the changes" if not failing else f"{cases_in_words(len(cases))} to look at"
    return Gate("secrets", not failing, detail, failing, waivable=True)
