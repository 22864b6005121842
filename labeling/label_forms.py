"""What a browser sends, as values for services. Parsing only: what may be stored is decided in `labeling.domain`."""

from __future__ import annotations

from django.http import QueryDict

from corpus.domain.vocabulary import AnchorRole
from labeling.domain.label_input import AnchorInput, FieldRefused, LabelInput
from labeling.domain.place_text import read_places
from labeling.services.claims import ClaimInput

MAX_PLACES_TEXT = 300_000
ANSWERS = {"": None, "yes": True, "no": False}


def place_texts(data: QueryDict) -> dict[str, str]:
    """Return the three texts of places as they were typed, by role."""
    return {role.value: data.get(f"places_{role.value}", "")[:MAX_PLACES_TEXT] for role in AnchorRole}


def typed_label(data: QueryDict) -> LabelInput:
    """Return the fields of a label as typed, without its places. Never raises."""
    return LabelInput(
        title=data.get("title", ""),
        severity=data.get("severity", ""),
        category=data.get("category", ""),
        relation=data.get("relation", ""),
        speculative=ANSWERS.get(data.get("speculative", "")),
        trigger=data.get("trigger", ""),
        evidence=data.get("evidence", ""),
        impact=data.get("impact", ""),
        boundary=data.get("boundary", ""),
        accept_elements=data.get("accept_elements", ""),
        keywords=data.get("keywords", ""),
        confidence=data.get("confidence", ""),
    )


def parse_label(data: QueryDict) -> LabelInput:
    """Return the fields and places of a label; FieldRefused when a place or an answer cannot be read."""
    speculative = data.get("speculative", "")
    if speculative not in ANSWERS:
        raise FieldRefused("speculative", f"{speculative[:40]!r} is no answer to speculative; choose yes or no.")
    texts = place_texts(data)
    anchors: list[AnchorInput] = []
    for role in AnchorRole:
        anchors += read_places(texts[role.value], role)
    typed = typed_label(data)
    return LabelInput(**{**typed.__dict__, "anchors": tuple(anchors)})


def parse_claim(data: QueryDict) -> ClaimInput:
    """Return an answer to a claim; FieldRefused when a place cannot be read."""
    places = data.get("places_primary", "")[:MAX_PLACES_TEXT]
    return ClaimInput(
        exists=data.get("exists", ""),
        severity=data.get("severity", ""),
        reason=data.get("reason", ""),
        anchors=tuple(read_places(places, AnchorRole.PRIMARY)),
    )


def parse_version(data: QueryDict) -> int:
    """Return the version a form was filled from; -1, which never was, when it is no number."""
    value = data.get("expected_version", "0")
    return int(value) if value.isascii() and value.isdigit() and len(value) < 10 else -1
