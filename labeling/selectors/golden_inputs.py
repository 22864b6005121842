"""Golden findings and their edited form as one value, for forms and for telling whether two decisions are the same."""

from __future__ import annotations

from corpus.models.findings import AnchorFields
from corpus.services.golden import GoldenContent
from labeling.domain.adjudicating import GoldenInput
from labeling.domain.completeness import LabelFacts
from labeling.domain.label_input import AnchorInput, LabelInput, clean_anchors
from labeling.selectors.labels import CONTENT


def input_of(content: GoldenContent) -> GoldenInput:
    """Return the content of a golden finding as it would be typed."""
    fields = {name: content.defect[name] for name in CONTENT if name in content.defect}
    return GoldenInput(
        **fields,  # type: ignore[arg-type]
        confidence=content.confidence,
        category=content.category.key if content.category else "",
        anchors=clean_anchors(anchor_of(row) for row in content.anchors),
        mechanism=content.mechanism,
    )


def anchor_of(row: AnchorFields) -> AnchorInput:
    """Return a stored range of any kind of place as it was typed."""
    return AnchorInput(
        role=row.role,
        level=row.level,
        path=row.path,
        side=row.side,
        first_line=row.first_line,
        last_line=row.last_line,
        group=row.group,
    )


def facts_of(fields: LabelInput, *, names_boundary: bool, number: int = 0) -> LabelFacts:
    """Return what completeness asks of a typed finding."""
    return LabelFacts(
        number=number,
        severity=fields.severity,
        category=fields.category,
        names_boundary=names_boundary,
        relation=fields.relation,
        speculative=fields.speculative,
        trigger=fields.trigger,
        evidence=fields.evidence,
        impact=fields.impact,
        boundary=fields.boundary,
        confidence=fields.confidence,
        places=frozenset((anchor.role, anchor.level) for anchor in fields.anchors),
    )
