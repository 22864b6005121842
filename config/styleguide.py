"""Sample content for /styleguide/, which is served in debug mode only."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django import forms
from django.core.paginator import Paginator

from corpus import clock
from corpus.domain.vocabulary import CaseState, Confidence, GoldenState, Severity
from corpus.forms.worded import WordedForm


@dataclass(frozen=True)
class SampleSegment:
    """One part of a sample bar."""

    state: str
    label: str
    count: int
    url: str


class SampleLabelForm(WordedForm):
    """Fields of each kind, shaped like a label form."""

    severity = forms.ChoiceField(
        choices=[(level.value, level.value) for level in reversed(Severity)],
        widget=forms.RadioSelect,
        help_text="How bad it gets when it happens, not how likely it is.",
    )
    category = forms.ChoiceField(choices=[("", "Choose…"), ("idempotency", "Idempotency"), ("logic", "Logic")])
    condition = forms.CharField(
        label="When it happens",
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text="Input, state or timing that brings it out.",
    )
    evidence = forms.CharField(widget=forms.Textarea(attrs={"rows": 2}), required=False)
    confidence = forms.ChoiceField(
        choices=[(level.value, level.value) for level in Confidence], widget=forms.RadioSelect
    )
    requires_run = forms.BooleanField(label="Can only be shown by running it", required=False)
    notify = forms.MultipleChoiceField(
        label="Splits",
        choices=[("dev", "dev"), ("test", "test"), ("holdout", "holdout")],
        widget=forms.CheckboxSelectMultiple,
        required=False,
    )


def sample() -> dict[str, Any]:
    """Return the context of the styleguide."""
    counts = dict(zip(CaseState, (6, 41, 58, 12, 23, 214, 3, 1), strict=True))
    now = clock.now()
    return {
        "colours": ("canvas", "surface", "raised", "sunken", "accent", "ok", "warn", "danger"),
        "severities": [level.value for level in reversed(Severity)],
        "states": [state.value for state in CaseState],
        "golden_states": [state.value for state in GoldenState],
        "segments": [SampleSegment(state, state, count, f"?state={state}") for state, count in counts.items()],
        "form": SampleLabelForm({"severity": "high", "condition": ""}, auto_id="sample_%s"),
        "page_obj": Paginator(range(358), 25).page(3),
        "elided_pages": list(Paginator(range(358), 25).get_elided_page_range(3)),
        "moments": [now, now - timedelta(minutes=3), now - timedelta(hours=5), now - timedelta(days=40)],
    }
