"""Forms about tools, their configurations, and how their files are read."""

from __future__ import annotations

from typing import Any

from django import forms

from corpus.domain.vocabulary import Severity
from corpus.forms.worded import WordedForm
from reviews.domain.vocabulary import TOOL_KIND_WORDS, ContextMode, ToolKind
from reviews.models import SourceSettings
from reviews.services.tools import MAX_PROMPT, Parameter

CONTEXT_WORDS = {
    ContextMode.DIFF_ONLY: "The diff only",
    ContextMode.FILE_ONLY: "The changed files only",
    ContextMode.REPOSITORY: "The repository",
    ContextMode.NOT_EXPOSED: "Not exposed by the tool",
}
HIDDEN_MARK = "not exposed"


class ToolEditForm(WordedForm):
    """Under which further names a tool goes."""

    aliases = forms.CharField(
        label="Further names",
        required=False,
        max_length=4000,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="One a line: accounts that it writes under, such as redpen-app[bot], and words that would give it "
        "away. Rulers never see them.",
    )
    note = forms.CharField(label="Note", required=False, max_length=4000, widget=forms.Textarea(attrs={"rows": 2}))

    def alias_list(self) -> list[str]:
        """Return the names of a valid form."""
        return str(self.cleaned_data["aliases"]).splitlines()


class ToolForm(ToolEditForm):
    """A new tool."""

    field_order = ("name", "kind", "aliases", "note")
    name = forms.CharField(label="Name", max_length=80, help_text="As it is called in lists. It does not change later.")
    kind = forms.ChoiceField(
        label="Kind",
        choices=[(kind.value, words) for kind, words in TOOL_KIND_WORDS.items()],
        initial=ToolKind.AI_REVIEWER.value,
        widget=forms.RadioSelect,
    )


class ConfigurationForm(WordedForm):
    """A new configuration of a tool."""

    name = forms.CharField(label="Name", required=False, max_length=120, help_text="Such as: nightly, strict prompt.")
    context_mode = forms.ChoiceField(
        label="What it is given to read",
        choices=[(mode.value, words) for mode, words in CONTEXT_WORDS.items()],
        widget=forms.RadioSelect,
    )
    model = forms.CharField(label="Model", required=False, max_length=120)
    hides_model = forms.BooleanField(label="The tool does not expose its model", required=False)
    prompt = forms.CharField(
        label="Prompt",
        required=False,
        max_length=MAX_PROMPT,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 6, "class": "input code"}),
        help_text="Its SHA-256 is computed and goes into every scorecard.",
    )
    prompt_sha256 = forms.CharField(
        label="Hash of the prompt",
        required=False,
        max_length=64,
        help_text="Alone, where the text is kept elsewhere.",
    )
    hides_prompt = forms.BooleanField(label="The tool does not expose its prompt", required=False)
    parameters = forms.CharField(
        label="Parameters",
        required=False,
        max_length=20_000,
        widget=forms.Textarea(attrs={"rows": 3, "class": "input code"}),
        help_text=f'One a line, as in: temperature = 0. "seed = {HIDDEN_MARK}" says that the tool hides it.',
    )

    def clean_parameters(self) -> list[Parameter]:
        """Return the parameters, each line read as a name and a value."""
        found = []
        for number, line in enumerate(str(self.cleaned_data["parameters"]).splitlines(), 1):
            if not line.strip():
                continue
            name, sign, value = line.partition("=")
            if not sign or not name.strip():
                raise forms.ValidationError(f'Line {number} of "Parameters" is no "name = value": write it so.')
            hidden = value.strip().lower() == HIDDEN_MARK
            found.append(Parameter(name.strip(), "" if hidden else value.strip(), is_exposed=not hidden))
        return found

    def clean(self) -> dict[str, Any]:
        """Refuse a value for what is said to be hidden."""
        data = super().clean() or {}
        for hidden, fields in (("hides_model", ("model",)), ("hides_prompt", ("prompt", "prompt_sha256"))):
            if data.get(hidden):
                for name in fields:
                    if data.get(name):
                        self.add_error(name, "It is filled in and said to be hidden: do one of the two.")
        return data


class SettingsForm(WordedForm):
    """How files of one tool in one format are read."""

    author = forms.CharField(
        label="Author",
        required=False,
        max_length=120,
        help_text="Account whose comments are the tool's, where a file holds those of many.",
    )
    path_prefix = forms.CharField(
        label="Path prefix",
        required=False,
        max_length=500,
        help_text="Taken off every path that starts with it, such as /home/ci/build/.",
    )
    first_line_is_zero = forms.BooleanField(label="The source counts lines from 0", required=False)
    splits_bodies = forms.BooleanField(
        label="A comment that lists several findings becomes a record for each", required=False
    )
    severities = forms.CharField(
        label="Severity words",
        required=False,
        max_length=20_000,
        widget=forms.Textarea(attrs={"rows": 4, "class": "input code"}),
        help_text="One a line, as in: blocker = critical. They go before the words that the format is known to use.",
    )

    @classmethod
    def of(cls, settings: SourceSettings | None, **options: Any) -> SettingsForm:
        """Return the form filled with settings as they are, or with what holds without any."""
        if settings is None:
            return cls(initial={"splits_bodies": True}, **options)
        words = settings.severities.order_by("native").values_list("native", "severity")
        return cls(
            initial={
                "author": settings.author,
                "path_prefix": settings.path_prefix,
                "first_line_is_zero": settings.first_line_is_zero,
                "splits_bodies": settings.splits_bodies,
                "severities": "\n".join(f"{native} = {severity}" for native, severity in words),
            },
            **options,
        )

    def clean_severities(self) -> dict[str, Severity]:
        """Return the map of severity words."""
        found: dict[str, Severity] = {}
        levels = ", ".join(Severity)
        for number, line in enumerate(str(self.cleaned_data["severities"]).splitlines(), 1):
            if not line.strip():
                continue
            word, sign, level = line.partition("=")
            if not sign or level.strip().lower() not in {one.value for one in Severity}:
                raise forms.ValidationError(
                    f'Line {number} of "Severity words" is no "word = level"; levels are {levels}.'
                )
            found[word.strip()] = Severity(level.strip().lower())
        return found
