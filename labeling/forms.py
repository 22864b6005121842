"""Forms of rounds and seats."""

from __future__ import annotations

from django import forms

from corpus.forms.worded import WordedForm
from labeling.domain.states import DeclineReason

DECLINE_WORDS = {
    DeclineReason.CONFLICT: "Conflict of interest",
    DeclineReason.EXPERTISE: "Not my expertise",
    DeclineReason.OTHER: "Another reason",
}


class DeclineForm(WordedForm):
    """Why a seat is given back; details are not asked."""

    reason = forms.ChoiceField(
        label="Reason",
        choices=[(reason.value, words) for reason, words in DECLINE_WORDS.items()],
        widget=forms.RadioSelect,
        help_text="The lead sees which of the three, nothing else is asked.",
        error_messages={"required": "Choose the reason that fits best."},
    )


SHOW_CHOICES = (
    ("ready", "ready for a round"),
    ("free", "with free seats"),
    ("open", "being labelled"),
    ("settled", "settled"),
    ("all", "all but withdrawn"),
)


class CaseFilterForm(WordedForm):
    """Which cases the planning page lists. Unknown values fall back to the first list, never to an error page."""

    show = forms.ChoiceField(label="Show", choices=SHOW_CHOICES, required=False)
    q = forms.CharField(label="Repository or case", max_length=200, required=False)
    language = forms.CharField(label="Language", max_length=60, required=False)

    def chosen(self) -> dict[str, str]:
        """Return the valid filters, with defaults for what is missing or unknown."""
        self.is_valid()
        values = {name: str(self.cleaned_data.get(name) or "") for name in ("show", "q", "language")}
        return {**values, "show": values["show"] or "ready"}


class PlanForm(WordedForm):
    """What to plan for which cases."""

    SEED_LIMIT = 2**60

    act = forms.ChoiceField(choices=[("draw", "draw"), ("queue", "queue"), ("withdraw", "withdraw")])
    scope = forms.ChoiceField(choices=[("selected", "selected"), ("all", "all")])
    seed = forms.IntegerField(
        label="Seed",
        min_value=0,
        max_value=SEED_LIMIT - 1,
        required=False,
        error_messages={"invalid": "The seed must be a whole number."},
    )


class WithdrawForm(WordedForm):
    """Why cases leave the corpus."""

    reason = forms.CharField(
        label="Reason",
        max_length=300,
        widget=forms.Textarea(attrs={"rows": 2}),
        error_messages={"required": "Say why: the reason stays on record."},
    )


class ReopenForm(WordedForm):
    """Why a submitted seat is given back to its owner."""

    reason = forms.CharField(
        label="Reason",
        max_length=300,
        widget=forms.Textarea(attrs={"rows": 2}),
        error_messages={"required": "Say why: the reason stays on record."},
    )


class ExtendForm(WordedForm):
    """How many days from now a reservation ends."""

    days = forms.TypedChoiceField(
        choices=[(1, "1 day"), (3, "3 days"), (7, "7 days"), (14, "14 days"), (30, "30 days")], coerce=int
    )
