"""Forms of a project itself; those of its texts are in `corpus.forms.texts`."""

from __future__ import annotations

from django import forms

from corpus.forms.worded import WordedForm

MAX_DESCRIPTION = 2000


class ProjectForm(WordedForm):
    """The name and purpose of a project."""

    name = forms.CharField(
        label="Name", max_length=120, help_text="What the corpus is about, as in: Payments services, 2026."
    )
    description = forms.CharField(
        label="Description",
        required=False,
        max_length=MAX_DESCRIPTION,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="One or two sentences for the people you invite.",
    )
