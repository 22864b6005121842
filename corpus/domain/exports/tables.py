"""Tables for data sets: the Hugging Face layout with a card, and the same rows described by Croissant 1.0."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from corpus.domain.exports.frame import (
    Export,
    Ledger,
    PatchSource,
    Selection,
    finding_row,
    json_bytes,
    jsonl_bytes,
    readable_patch,
)
from corpus.domain.manifest_records import Manifest, ManifestCase
from corpus.domain.vocabulary import GoldenState, Split

HUGGINGFACE, CROISSANT = "huggingface", "croissant"
_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))
_CASE_COLUMNS = ("case_id", "split", "repository", "language", "completeness", "result", "licence", "diff")
_FINDING_COLUMNS = ("case_id", "finding_id", "state", "category", "severity", "claim", "trigger", "evidence", "impact")


def export_huggingface(
    manifest: Manifest, manifest_digest: str, patch_of: PatchSource, selection: Selection | None = None
) -> Export:
    """Return `README.md` and `data/{cases,findings}-SPLIT.jsonl`: every row has every column, null where nothing is."""
    ledger = Ledger(manifest, manifest_digest, HUGGINGFACE)
    cases, findings, licences = _write_tables(ledger, patch_of, selection)
    paths = [path for path, _ in ledger.files]
    ledger.files.insert(0, ("README.md", _card(manifest, manifest_digest, paths, cases, licences).encode("utf-8")))
    return ledger.finish(cases, findings)


def export_croissant(
    manifest: Manifest,
    manifest_digest: str,
    patch_of: PatchSource,
    selection: Selection | None = None,
    *,
    published: str,
) -> Export:
    """Return `croissant.json` beside the same tables; `published` is the date of the freeze."""
    ledger = Ledger(manifest, manifest_digest, CROISSANT)
    cases, findings, licences = _write_tables(ledger, patch_of, selection)
    described = _croissant(manifest, ledger.files, licences, published)
    ledger.files.append(("croissant.json", json_bytes(described)))
    ledger.lose("places of findings are not described as fields: they are lists of records in the rows")
    return ledger.finish(cases, findings)


def _write_tables(
    ledger: Ledger, patch_of: PatchSource, selection: Selection | None
) -> tuple[int, int, tuple[str, ...]]:
    """Add the tables by split; return numbers of cases and findings, and the licences."""
    rows: dict[Split, tuple[list[dict[str, Any]], list[dict[str, Any]]]] = {}
    licences: set[str] = set()
    for case in (selection or Selection()).cases(ledger.manifest):
        patch = readable_patch(ledger, case, patch_of)
        if patch is None:
            continue
        cases, findings = rows.setdefault(case.split, ([], []))
        cases.append(_case_row(case, patch.decode("utf-8")))
        for finding in case.findings:
            if finding.state is GoldenState.UNRESOLVED:
                ledger.lose("unresolved: left out, nothing is known to be true of it", case, finding)
            else:
                findings.append({"case_id": case.case_id} | finding_row(finding))
        licences.add(case.licence or "unknown")
    for split in Split:
        for name, table in zip(("cases", "findings"), rows.get(split, ([], [])), strict=True):
            if table:
                ledger.files.append((f"data/{name}-{split.value}.jsonl", jsonl_bytes(table)))
    ledger.lose("labels, verdicts and adjudications behind the findings: they are in the manifest")
    return (
        sum(len(cases) for cases, _ in rows.values()),
        sum(len(findings) for _, findings in rows.values()),
        tuple(sorted(licences)),
    )


def _case_row(case: ManifestCase, diff: str) -> dict[str, Any]:
    return {
        "case_id": case.case_id,
        "split": case.split.value,
        "repository": case.repository,
        "base_revision": case.base_revision,
        "head_revision": case.head_revision,
        "language": case.language,
        "area": case.area,
        "source_kind": case.source_kind.value,
        "completeness": case.completeness.value,
        "result": case.result.value,
        "licence": case.licence,
        "diff": diff,
    }


def _card(manifest: Manifest, manifest_digest: str, paths: list[str], cases: int, licences: tuple[str, ...]) -> str:
    """Return the data set's card. Its head is written as JSON, which is YAML, so that no value needs quoting rules."""

    def files(table: str) -> list[dict[str, str]]:
        held = {split.value: f"data/{table}-{split.value}.jsonl" for split in Split}
        return [{"split": split, "path": path} for split, path in held.items() if path in paths]

    head = {
        "pretty_name": f"{manifest.project} {manifest.version}",
        "license": licences[0].lower() if len(licences) == 1 and licences[0] != "unknown" else "other",
        "size_categories": [next((word for limit, word in _SIZES if cases < limit), "n>1M")],
        "configs": [{"config_name": name, "data_files": files(name)} for name in ("cases", "findings")],
    }
    yaml = "\n".join(f"{name}: {json.dumps(value)}" for name, value in head.items())
    return (
        f"---\n{yaml}\n---\n\n# {manifest.project} {manifest.version}\n\n"
        "Changes under review with golden findings, labelled by two blinded reviewers and adjudicated.\n\n"
        f"- Version {manifest.version}, manifest SHA-256 `{manifest_digest}`\n"
        f"- Cases: {cases}. Licences of the changes: {', '.join(licences) or 'none'}; each row names its own.\n"
        "- `cases` holds the changes, `findings` their golden findings: `required` ones count, `optional` ones are in\n"
        "  no denominator, `decoy` ones are known to be wrong.\n"
        "- A comment without a golden finding is a false alarm only on a case whose `completeness` is `complete`.\n"
    )


def _croissant(
    manifest: Manifest, files: list[tuple[str, bytes]], licences: tuple[str, ...], published: str
) -> dict[str, Any]:
    def record_set(table: str, columns: tuple[str, ...]) -> dict[str, Any]:
        sources = [path for path, _ in files if path.startswith(f"data/{table}-")]
        return {
            "@type": "cr:RecordSet",
            "@id": table,
            "name": table,
            "field": [
                {
                    "@type": "cr:Field",
                    "@id": f"{table}/{column}",
                    "name": column,
                    "dataType": "sc:Text",
                    "source": {"fileSet": {"@id": f"{table}-files"}, "extract": {"jsonPath": f"$.{column}"}},
                }
                for column in columns
            ],
            "description": f"Rows of {', '.join(sources)}",
        }

    tables = [table for table in ("cases", "findings") if any(path.startswith(f"data/{table}-") for path, _ in files)]
    columns = {"cases": _CASE_COLUMNS, "findings": _FINDING_COLUMNS}
    return {
        "@context": {
            "@language": "en",
            "@vocab": "https://schema.org/",
            "sc": "https://schema.org/",
            "cr": "http://mlcommons.org/croissant/",
            "dct": "http://purl.org/dc/terms/",
            "conformsTo": "dct:conformsTo",
            "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
            "extract": "cr:extract",
            "field": "cr:field",
            "fileObject": "cr:fileObject",
            "fileSet": "cr:fileSet",
            "includes": "cr:includes",
            "jsonPath": "cr:jsonPath",
            "recordSet": "cr:recordSet",
            "source": "cr:source",
        },
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": manifest.project,
        "description": "Changes under review with golden findings, labelled by two blinded reviewers and adjudicated.",
        "license": list(licences) or ["unknown"],
        "url": f"urn:touchstone:{manifest.project}:{manifest.version}",
        "creator": {"@type": "sc:Organization", "name": manifest.project},
        "datePublished": published,
        "version": manifest.version,
        "distribution": [
            {
                "@type": "cr:FileObject",
                "@id": path,
                "name": path,
                "contentUrl": path,
                "encodingFormat": "application/jsonlines",
                "sha256": hashlib.sha256(data).hexdigest(),
            }
            for path, data in files
        ]
        + [
            {
                "@type": "cr:FileSet",
                "@id": f"{table}-files",
                "name": f"{table}-files",
                "encodingFormat": "application/jsonlines",
                "includes": f"data/{table}-*.jsonl",
            }
            for table in tables
        ],
        "recordSet": [record_set(table, columns[table]) for table in tables],
    }
