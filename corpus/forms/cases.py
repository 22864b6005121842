"""The forms of a case: its list's filters, its facts, the completeness of its labels."""

from __future__ import annotations

from typing import Any

from django import forms

from corpus.domain.vocabulary import CaseState, Completeness, SourceKind, Split
from corpus.forms.worded import WordedForm
from corpus.models import Case
from corpus.models.fields import choices_of
from corpus.selectors.case_list import SORTS, CaseFilters
from corpus.services.case_facts import MULTILINE, TEXT_FIELDS, CaseFacts, facts_of_case

# What the change itself tells is not edited.
FIXED = frozenset({"base_commit", "head_commit"})
LABELS = {
    "external_url": "Address",
    "message": "Commit message",
    "context_allowed": "Context allowed",
    "language_versions": "Language versions",
    "change_author": "Author of the change",
}


class FilterForm(WordedForm):
    """The filters of the case list, all in the address; what is unknown there is ignored."""

    q = forms.CharField(label="Find", max_length=200, required=False)
    state = forms.ChoiceField(choices=[("", "any"), *choices_of(CaseState)], required=False)
    language = forms.CharField(max_length=60, required=False)
    source_kind = forms.ChoiceField(label="Source", choices=[("", "any"), *choices_of(SourceKind)], required=False)
    split = forms.ChoiceField(choices=[("", "any"), *choices_of(Split)], required=False)
    sort = forms.ChoiceField(choices=[("", "newest"), *((name, name) for name in SORTS)], required=False)

    def filters(self) -> CaseFilters:
        """Return the filters that make sense."""
        self.is_valid()
        return CaseFilters(**{name: self.cleaned_data.get(name, "") for name in self.fields})


class CompletenessForm(WordedForm):
    """Whether the labels of a case are known to cover all its defects."""

    completeness = forms.ChoiceField(choices=choices_of(Completeness), widget=forms.RadioSelect)


class FactsForm(WordedForm):
    """Every fact of a case that may be edited, and what the person saw before they edited it."""

    seen = forms.CharField(widget=forms.HiddenInput)
    source_kind = forms.ChoiceField(label="Source", choices=choices_of(SourceKind))
    split = forms.ChoiceField(choices=choices_of(Split))
    is_private = forms.BooleanField(label="Private: kept out of public exports", required=False)
    tags = forms.CharField(max_length=2000, required=False, help_text="Separated by commas.")

    def __init__(self, case: Case, *args: Any, **kwargs: Any) -> None:
        """Offer a text field for each column; an unbound form shows what is stored."""
        self.stored = facts_of_case(case)
        if not args:
            kwargs["initial"] = {
                **{name: getattr(self.stored, name) for name in self._names()},
                "source_kind": self.stored.source_kind,
                "split": self.stored.split,
                "is_private": self.stored.is_private,
                "tags": ", ".join(self.stored.tags),
                "seen": self.stored.digest(),
            }
        super().__init__(*args, **kwargs)
        for name in self._names():
            widget = forms.Textarea(attrs={"rows": 4}) if name in MULTILINE else forms.TextInput()
            self.fields[name] = forms.CharField(
                label=LABELS.get(name, name.replace("_", " ").capitalize()),
                required=False,
                max_length=Case._meta.get_field(name).max_length,  # type: ignore[union-attr]
                widget=widget,
                strip=True,
            )

    @staticmethod
    def _names() -> list[str]:
        return [name for name in TEXT_FIELDS if name not in FIXED]

    def facts(self) -> CaseFacts:
        """Return the facts as the person wants them."""
        data = self.cleaned_data
        return CaseFacts(
            # Browsers send line ends as CR LF whatever was stored.
            **{name: data[name].replace("\r\n", "\n") for name in self._names()},
            base_commit=self.stored.base_commit,
            head_commit=self.stored.head_commit,
            source_kind=SourceKind(data["source_kind"]),
            split=Split(data["split"]),
            is_private=data["is_private"],
            tags=tuple(tag for tag in data["tags"].split(",") if tag.strip()),
        )
