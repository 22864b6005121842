"""Forms of a withdrawal of bytes: what goes, and why."""

from __future__ import annotations

from django import forms

from corpus.forms.worded import WordedForm
from corpus.services.withdrawals import MAX_REASON

WHOLE, FILES = "whole", "files"


class WhatForm(WordedForm):
    """The whole case or some of its files; all of it stands in the address."""

    what = forms.ChoiceField(
        label="What goes",
        choices=[
            (FILES, "Some files, on both sides, wherever they are used"),
            (WHOLE, "The whole case: its patch, and every file that no other case uses"),
        ],
        widget=forms.RadioSelect,
        initial=FILES,
    )
    more = forms.CharField(
        label="Other files of the snapshot",
        required=False,
        max_length=3000,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text="Paths from the root of the repository, one a line.",
    )

    def paths(self, ticked: list[str]) -> list[str] | None:
        """Return the paths of a valid form, each once, and None for the whole case."""
        if self.cleaned_data["what"] == WHOLE:
            return None
        written = [line.strip() for line in self.cleaned_data["more"].splitlines()]
        return list(dict.fromkeys(filter(None, [*ticked, *written])))


class ReasonForm(WordedForm):
    """Why bytes are destroyed."""

    reason = forms.CharField(
        label="Reason",
        max_length=MAX_REASON,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text="It stays on record and stands in manifests, so do not repeat the secret here.",
        error_messages={"required": "Say why the bytes are withdrawn: the reason stays on record."},
    )
    seen = forms.CharField(required=False, max_length=64, widget=forms.HiddenInput)
