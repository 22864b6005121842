"""The assertion that leaves with the promptfoo export, as source text: it runs where nothing of Touchstone is."""

from __future__ import annotations

SCORER = '''"""Score a review against the golden findings of its case: same file, and at most 2 lines from a place.

Each comment counts for one golden finding and each finding once; the largest number of pairs is taken. On a clean case
the score is 1 without a comment and 0 with any.
"""

import json

NEAR = 2


def places(finding):
    for place in finding["places"]:
        if place["role"] != "supporting" and place["side"] == "new" and place["first_line"]:
            yield place["path"], place["first_line"], place["last_line"]


def is_near(comment, finding):
    line = comment.get("line")
    return isinstance(line, int) and any(
        comment.get("file") == path and first - NEAR <= line <= last + NEAR for path, first, last in places(finding)
    )


def largest_matching(comments, findings):
    taken = {}

    def place(at, tried):
        for index, comment in enumerate(comments):
            if index in tried or not is_near(comment, findings[at]):
                continue
            tried.add(index)
            if index not in taken or place(taken[index], tried):
                taken[index] = at
                return True
        return False

    return sum(place(at, set()) for at in range(len(findings)))


def get_assert(output, context):
    expected = context["vars"]["expected"]
    findings = json.loads(expected) if isinstance(expected, str) else expected
    try:
        comments = json.loads(output) if isinstance(output, str) else output
    except ValueError:
        return {"pass": False, "score": 0.0, "reason": "the answer is not JSON"}
    if not isinstance(comments, list) or not all(isinstance(comment, dict) for comment in comments):
        return {"pass": False, "score": 0.0, "reason": "the answer is no list of objects"}
    if not findings:
        clean = not comments
        return {"pass": clean, "score": float(clean), "reason": f"{len(comments)} comments on a clean case"}
    found = largest_matching(comments, findings)
    score = found / len(findings)
    return {"pass": score >= 0.8, "score": score, "reason": f"{found} of {len(findings)} golden findings"}
'''
