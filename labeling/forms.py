"""Forms of rounds and seats."""

from __future__ import annotations

from django import forms

from labeling.domain.states import DeclineReason

DECLINE_WORDS = {
    DeclineReason.CONFLICT: "Conflict of interest",
    DeclineReason.EXPERTISE: "Not my expertise",
    DeclineReason.OTHER: "Another reason",
}


class DeclineForm(forms.Form):
    """Why a seat is given back; details are not asked."""

    reason = forms.ChoiceField(
        label="Reason",
        choices=[(reason.value, words) for reason, words in DECLINE_WORDS.items()],
        widget=forms.RadioSelect,
        help_text="The lead sees which of the three, nothing else is asked.",
    )
