"""Martian's golden comments: `golden_comments/REPOSITORY.json`, for a judge that sees a comment's text alone."""

from __future__ import annotations

import re
from typing import Any

from corpus.domain.exports.frame import Export, Ledger, Selection, full_text, json_bytes, judgeable_cases
from corpus.domain.manifest_records import Manifest
from corpus.domain.vocabulary import Severity

NAME = "martian"


def export_martian(manifest: Manifest, manifest_digest: str, selection: Selection | None = None) -> Export:
    """Return one file a repository, `[{pr_title, url, comments: [{comment, severity}]}]`."""
    ledger = Ledger(manifest, manifest_digest, NAME)
    repositories: dict[str, list[dict[str, Any]]] = {}
    findings = cases = 0
    for case, required in judgeable_cases(ledger, selection or Selection()):
        comments = []
        for finding in required:
            if finding.severity is Severity.NOTE or finding.severity is None:
                ledger.lose("a note: left out, the format has levels from low to critical", case, finding)
                continue
            comments.append({"comment": full_text(finding), "severity": finding.severity.value.title()})
        if required and not comments:
            continue
        if not comments:
            ledger.lose("clean: its scorer skips a case without comments, so false alarms on it are not counted", case)
        cases, findings = cases + 1, findings + len(comments)
        url = f"urn:touchstone:{manifest.project}:{manifest.version}:{case.case_id}"
        entry = {"pr_title": case.case_id, "url": url, "comments": comments}
        repositories.setdefault(_file_name(case.repository), []).append(entry)
    if findings:
        ledger.lose("places, categories and keywords of all findings: the format holds text and severity alone")
    for name, entries in sorted(repositories.items()):
        ledger.files.append((f"golden_comments/{name}.json", json_bytes(entries)))
    return ledger.finish(cases, findings)


def _file_name(repository: str | None) -> str:
    """Return a name of a file for a repository; two that become alike share it, which the format allows."""
    return re.sub(r"[^A-Za-z0-9_-]+", "-", repository or "").strip("-")[:80].lower() or "unnamed"
