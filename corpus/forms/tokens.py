"""The form that makes a token of the programming interface."""

from __future__ import annotations

from collections.abc import Iterable

from django import forms

from corpus.domain.vocabulary import TokenScope
from corpus.forms.worded import WordedForm
from corpus.services.tokens import LONGEST_DAYS, MAX_NAME

SCOPE_WORDS = {
    TokenScope.READ_VERSIONS: "Read versions: numbers, digests, counts and gates",
    TokenScope.EXPORT_VERSIONS: "Export versions: manifests and every other format",
}
DEFAULT_DAYS = 90


class TokenForm(WordedForm):
    """What the token is called, what it may do, and for how long."""

    name = forms.CharField(
        label="Name",
        max_length=MAX_NAME,
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
        help_text="Where it will be used, such as: nightly scoring.",
    )
    scopes = forms.MultipleChoiceField(label="What it may do", choices=(), widget=forms.CheckboxSelectMultiple)
    days = forms.IntegerField(
        label="Days until it ends",
        min_value=1,
        max_value=LONGEST_DAYS,
        initial=DEFAULT_DAYS,
        help_text=f"From 1 to {LONGEST_DAYS}.",
    )

    def __init__(self, *args: object, scopes: Iterable[TokenScope], **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        field = self.fields["scopes"]
        assert isinstance(field, forms.MultipleChoiceField)
        field.choices = [(scope.value, SCOPE_WORDS[scope]) for scope in scopes]
