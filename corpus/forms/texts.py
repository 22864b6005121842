"""Forms of a project's texts. Each turns what was typed into the value that `edit_text` stores.

Every one of them has `is_valid()`, `values()` for valid input, and `refuse(sentence)` for what a service refused.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, Protocol

from django import forms
from django.http import QueryDict

from corpus.defaults import CategoryDefault, ContractDefault, SeverityDefault, SeverityPolicyDefault
from corpus.domain.text_parts import WorkingPolicyValues
from corpus.domain.vocabulary import EditKind, Severity
from corpus.forms.worded import WordedForm
from corpus.models import ContractVersion
from corpus.selectors.project_texts import lines
from corpus.services.project_texts import (
    LIMITS,
    MAX_CATEGORIES,
    MAX_GUIDELINES,
    MAX_KEY,
    MAX_NOTE,
    MAX_TEXT,
    MAX_WEIGHT,
    Edit,
)

KIND_WORDS = {
    EditKind.EDITORIAL: "Editorial: the meaning stays, so every decision stands",
    EditKind.SUBSTANTIVE: "Substantive: the meaning changes, so the decisions in its scope become stale",
}
CONTEXT_WORDS = {"diff": "the diff alone", "changed_files": "the changed files in full", "repository": "both trees"}
TREATMENT_WORDS = {
    "required": "required: counts like any other defect",
    "optional": "optional: in no denominator",
    "excluded": "excluded: not to be labelled",
}
AUTHORITY_WORDS = {
    "private": "private: informs its operator",
    "advisory": "advisory: comments on the change",
    "blocking": "blocking: may stop a merge",
}


class TextForm(Protocol):
    """What the edit page asks of every form here."""

    def is_valid(self) -> bool: ...
    def values(self) -> Any: ...
    def refuse(self, sentence: str) -> None: ...


class Prose(forms.CharField):
    """Text of several lines; browsers send CRLF, versions hold LF."""

    def __init__(self, *, rows: int = 3, **options: Any) -> None:
        options.setdefault("max_length", MAX_TEXT)
        super().__init__(widget=forms.Textarea(attrs={"rows": rows}), **options)

    def to_python(self, value: Any) -> Any:
        text = super().to_python(value)
        return text.replace("\r\n", "\n").replace("\r", "\n") if isinstance(text, str) else text


class EditForm(WordedForm):
    """What an edit means; it stands below every text."""

    edit_kind = forms.ChoiceField(
        label="Kind of edit",
        choices=[(kind.value, words) for kind, words in KIND_WORDS.items()],
        widget=forms.RadioSelect,
    )
    scope = forms.ChoiceField(
        label="Scope",
        required=False,
        help_text="Which decisions a substantive edit makes stale.",
    )
    note = forms.CharField(
        label="Note",
        required=False,
        max_length=MAX_NOTE,
        help_text="Why, in a sentence. It stands in the history and beside the guidelines.",
    )

    def __init__(self, *args: Any, keys: Sequence[str], **options: Any) -> None:
        super().__init__(*args, **options)
        scope = self.fields["scope"]
        assert isinstance(scope, forms.ChoiceField)
        scope.choices = [("", "all categories"), *((key, f"decisions of category {key}") for key in keys)]
        scope.error_messages["invalid_choice"] = (
            'The scope "%(value)s" is no category of this project; choose one, or all of them.'
        )

    def edit(self) -> Edit:
        """Return the meaning of a valid form."""
        return Edit(
            kind=EditKind(self.cleaned_data["edit_kind"]),
            scope=self.cleaned_data["scope"],
            note=self.cleaned_data["note"],
        )


class SingleForm(WordedForm):
    """A text that one plain form holds."""

    def values(self) -> Any:
        """Return what the valid form holds."""
        raise NotImplementedError

    @staticmethod
    def initial_of(values: Any) -> dict[str, Any]:
        """Return what the form of a stored version shows."""
        raise NotImplementedError

    def refuse(self, sentence: str) -> None:
        """Show why a service refused it."""
        self.add_error(None, sentence)


class GuidelinesForm(SingleForm):
    """The labelling guidelines."""

    text = Prose(
        label="Guidelines",
        rows=30,
        max_length=MAX_GUIDELINES,
        help_text="Markdown with tables. Links and images are shown as text; HTML is shown as it was typed.",
    )

    def values(self) -> str:
        """Return the Markdown."""
        return str(self.cleaned_data["text"])

    @staticmethod
    def initial_of(values: str) -> dict[str, Any]:
        """Return what the form of a stored version shows."""
        return {"text": values}


def _choices(words: Mapping[str, str]) -> list[tuple[str, str]]:
    return list(words.items())


class ContractForm(SingleForm):
    """The reviewer contract."""

    bounded_claim = Prose(label="Bounded claim", rows=3, help_text="What the AI reviewer is claimed to do, and where.")
    context_allowed = forms.ChoiceField(
        label="Context that may be seen", choices=_choices(CONTEXT_WORDS), widget=forms.RadioSelect
    )
    context_note = Prose(label="Note on context", rows=2, required=False)
    changed_lines_only = forms.BooleanField(label="Only defects whose place is on a changed line count", required=False)
    changed_lines_note = Prose(label="Note on changed lines", rows=2, required=False)
    pre_existing = forms.ChoiceField(
        label="Defects that were there before", choices=_choices(TREATMENT_WORDS), widget=forms.RadioSelect
    )
    pre_existing_note = Prose(label="Note on pre-existing defects", rows=2, required=False)
    speculative = forms.ChoiceField(
        label="Speculative defects", choices=_choices(TREATMENT_WORDS), widget=forms.RadioSelect
    )
    speculative_note = Prose(label="Note on speculative defects", rows=2, required=False)
    intended_authority = forms.ChoiceField(
        label="Authority it is meant for", choices=_choices(AUTHORITY_WORDS), widget=forms.RadioSelect
    )
    intended_authority_note = Prose(label="Note on authority", rows=2, required=False)
    exclusions = Prose(label="Exclusions", rows=4, required=False, help_text="What is never labelled, one a line.")
    owner = forms.CharField(
        label="Owner",
        required=False,
        max_length=ContractVersion._meta.get_field("owner").max_length,
        help_text="Who answers questions about this contract.",
    )

    def values(self) -> ContractDefault:
        """Return the clauses."""
        return ContractDefault(**{**self.cleaned_data, "exclusions": lines(self.cleaned_data["exclusions"])})

    @staticmethod
    def initial_of(values: ContractDefault) -> dict[str, Any]:
        """Return what the form of a stored version shows."""
        return {**asdict(values), "exclusions": "\n".join(values.exclusions)}


def _number(name: str, label: str, help_text: str) -> forms.IntegerField:
    lowest, highest, _ = LIMITS[name]
    return forms.IntegerField(label=label, min_value=lowest, max_value=highest, help_text=help_text)


class WorkingPolicyForm(SingleForm):
    """How the project works."""

    uses_claims = forms.BooleanField(
        label="Every case gets a claims pass after its open pass",
        required=False,
        help_text="Reviewers then judge given claims, decoys among them, once their own labels are submitted.",
    )
    reservation_hours = _number(
        "reservation_hours",
        "Reservation, hours",
        "How long a case taken from the queue stays with its reviewer. The draft stays theirs in any case.",
    )
    idle_cutoff_seconds = _number(
        "idle_cutoff_seconds",
        "Idle cut-off, seconds",
        "Longer pauses between two acts do not count as active time.",
    )
    recall_minutes = _number(
        "recall_minutes",
        "Own recall, minutes",
        "How long a reviewer can take a submission back. Comparison waits for it.",
    )
    shows_labels_after_settlement = forms.BooleanField(
        label="Reviewers see each other's labels of a case once it is settled",
        required=False,
        help_text="Whoever looks is exposed and cannot be assigned to that case again.",
    )
    min_clean_percent = _number(
        "min_clean_percent",
        "Clean cases of a version, at least percent",
        "A version with fewer is frozen only with the reason for a waiver. One clean case is asked for in any event.",
    )
    min_per_category = _number(
        "min_per_category",
        "Required findings of each category in scope, at least",
        "A version that covers a category less needs a waiver. 0 asks for none.",
    )
    min_per_severity = _number(
        "min_per_severity",
        "Required findings of each level above note, at least",
        "A version that covers a level less needs a waiver. 0 asks for none.",
    )
    max_unresolved_percent = _number(
        "max_unresolved_percent",
        "Unresolved cases of a version, at most percent",
        "Unresolved cases stay in the version and count in no gate of a score. More than this needs a waiver.",
    )
    severity_tolerance = _number(
        "severity_tolerance",
        "Severities that need no decision, levels apart",
        "0 asks about every difference. Within the tolerance the more severe level holds. Whether a defect exists, its "
        "category and the verdict are always decided by a person where they differ.",
    )
    asks_about_places = forms.BooleanField(
        label="Somebody decides where two labels of one defect share no line",
        required=False,
        help_text="Otherwise the narrower place is primary and the other one an accepted alternate.",
    )
    third_seat_below = _number(
        "third_seat_below",
        "Third seat below this agreement on a case, per cent",
        "Of the labels of both, how many have a partner that differs in nothing. 0 never calls one for that.",
    )
    third_seat_on_verdict = forms.BooleanField(label="Third seat where the two verdicts differ", required=False)
    third_seat_share = _number(
        "third_seat_share",
        "Third seat on this share of all other cases, per cent",
        "Drawn by the server's secret, so that being called tells nobody whether the first two differ.",
    )

    def values(self) -> WorkingPolicyValues:
        """Return the settings."""
        return WorkingPolicyValues(**self.cleaned_data)

    @staticmethod
    def initial_of(values: WorkingPolicyValues) -> dict[str, Any]:
        """Return what the form of a stored version shows."""
        return asdict(values)


class RulesForm(WordedForm):
    """How to choose among the levels."""

    rules = Prose(label="Rules", rows=6, required=False, help_text="How to choose among the levels, one rule a line.")


class LevelForm(WordedForm):
    """One severity level."""

    name = forms.CharField(label="Name", max_length=60)
    impact = Prose(label="Impact", rows=3, help_text="What must be observable about the consequence.")
    reach = Prose(label="Reach", rows=2, help_text="Who meets it, and how often.")
    examples = Prose(label="Examples", rows=3, required=False, help_text="One a line.")
    weight = forms.IntegerField(label="Weight in scores", min_value=0, max_value=MAX_WEIGHT)


class SeverityForms:
    """The rules and one form a level, most severe first."""

    levels_in_order = sorted(Severity, key=lambda severity: -severity.rank)

    def __init__(self, data: QueryDict | None = None, *, initial: SeverityPolicyDefault | None = None) -> None:
        rules = {"rules": "\n".join(initial.rules)} if initial else None
        self.rules = RulesForm(data, initial=rules, prefix="policy")
        stored = {level.severity: level for level in initial.levels} if initial else {}
        self.levels = [
            (
                severity,
                LevelForm(
                    data,
                    prefix=severity.value,
                    initial=_with_lines(stored[severity], "examples") if severity in stored else None,
                ),
            )
            for severity in self.levels_in_order
        ]
        self.sentences: list[str] = []

    def is_valid(self) -> bool:
        """Say whether every form is complete; all of them are asked, so that all gaps show at once."""
        answers = [self.rules.is_valid(), *(form.is_valid() for _, form in self.levels)]
        return all(answers) and not self.sentences

    def refuse(self, sentence: str) -> None:
        """Show why a service refused it."""
        self.sentences.append(sentence)

    def values(self) -> SeverityPolicyDefault:
        """Return levels and rules."""
        return SeverityPolicyDefault(
            rules=lines(self.rules.cleaned_data["rules"]),
            levels=tuple(
                SeverityDefault(
                    severity=severity,
                    **{**form.cleaned_data, "examples": lines(form.cleaned_data["examples"])},
                )
                for severity, form in self.levels
            ),
        )


class CategoryForm(WordedForm):
    """One category of the taxonomy."""

    key = forms.CharField(
        label="Key",
        max_length=MAX_KEY,
        help_text="Lower-case words joined by underscores. It stays the same for good: labels and manifests name it.",
    )
    name = forms.CharField(label="Name", max_length=120)
    description = Prose(label="Description", rows=2)
    belongs = Prose(label="What belongs here", rows=3, required=False, help_text="One a line.")
    excludes = Prose(
        label="What goes elsewhere", rows=3, required=False, help_text="One a line, with the category it goes to."
    )
    examples = Prose(label="Examples", rows=3, required=False, help_text="One a line.")
    in_scope = forms.BooleanField(label="In scope: labels of this category count", required=False)
    names_boundary = forms.BooleanField(
        label="A defect of this category must name the trust boundary that is crossed", required=False
    )
    # Said of a category that the version in force has: its key is shown, not edited.
    is_stored = forms.BooleanField(required=False, widget=forms.HiddenInput)


LISTS = ("belongs", "excludes", "examples")


class TaxonomyForms:
    """One form a category, in order. Categories are added, moved and removed before anything is stored."""

    def __init__(
        self,
        data: QueryDict | None = None,
        *,
        initial: Sequence[CategoryDefault] = (),
        rows: Sequence[Mapping[str, Any]] | None = None,
        focus: int | None = None,
    ) -> None:
        if data is not None:
            self.forms = [CategoryForm(data, prefix=f"c{place}") for place in range(_count(data))]
        else:
            shown = [{**_with_lines(one, *LISTS), "is_stored": True} for one in initial] if rows is None else rows
            self.forms = [CategoryForm(initial=dict(row), prefix=f"c{place}") for place, row in enumerate(shown)]
        self.focus = focus
        self.sentences: list[str] = []

    @classmethod
    def rearranged(cls, data: QueryDict, act: str) -> TaxonomyForms:
        """Return the forms after "add", or "up", "down" or "remove" with a place as in "up-2"; typed text stays."""
        names = list(CategoryForm.base_fields)
        rows = [{name: _typed(data, f"c{place}-{name}", name) for name in names} for place in range(_count(data))]
        verb, _, number = act.partition("-")
        place = int(number) if number.isdecimal() and int(number) < len(rows) else None
        focus = place
        if verb == "add" and len(rows) < MAX_CATEGORIES:
            rows.append({"in_scope": True})
            focus = len(rows) - 1
        elif place is not None and verb == "remove":
            del rows[place]
            focus = min(place, len(rows) - 1) if rows else None
        elif place is not None and verb in {"up", "down"}:
            other = place + (1 if verb == "down" else -1)
            if 0 <= other < len(rows):
                rows[place], rows[other] = rows[other], rows[place]
                focus = other
        return cls(rows=rows, focus=focus)

    def is_valid(self) -> bool:
        """Say whether every form is complete; all of them are asked, so that all gaps show at once."""
        answers = [form.is_valid() for form in self.forms]
        return all(answers) and not self.sentences

    def refuse(self, sentence: str) -> None:
        """Show why a service refused it."""
        self.sentences.append(sentence)

    def values(self) -> tuple[CategoryDefault, ...]:
        """Return the categories in order."""
        found = []
        for form in self.forms:
            fields = {name: value for name, value in form.cleaned_data.items() if name != "is_stored"}
            found.append(CategoryDefault(**{**fields, **{name: lines(fields[name]) for name in LISTS}}))
        return tuple(found)


def _with_lines(value: Any, *names: str) -> dict[str, Any]:
    fields: dict[str, Any] = asdict(value)
    return {**fields, **{name: "\n".join(fields[name]) for name in names}}


def _count(data: QueryDict) -> int:
    """Return how many categories were sent; one more than the limit is kept, for the refusal to name it."""
    text = data.get("count", "")
    return min(int(text), MAX_CATEGORIES + 1) if text.isdecimal() and len(text) < 6 else 0


def _typed(data: QueryDict, field: str, name: str) -> Any:
    if isinstance(CategoryForm.base_fields[name], forms.BooleanField):
        return data.get(field, "") not in {"", "False", "false"}
    return data.get(field, "")
