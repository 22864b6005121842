"""Forms about people: invitations, expertise, profile, accounts."""

from __future__ import annotations

import re

from django import forms

from corpus.domain.vocabulary import Role
from corpus.forms.worded import WordedForm
from corpus.services.people import MAX_NAME_LENGTH

ROLE_WORDS = {
    Role.LEAD: "Lead: imports cases, assigns, edits the texts, freezes versions",
    Role.REVIEWER: "Reviewer: labels the cases given to them or taken from the queue",
    Role.ADJUDICATOR: "Adjudicator: decides where two reviewers differ",
    Role.ANALYST: "Analyst: reads versions, runs and scores",
}
_SEPARATORS = re.compile(r"[,;\n]")


class InvitationForm(WordedForm):
    """Whom to invite, and as what."""

    email = forms.EmailField(
        label="Email address",
        max_length=254,
        widget=forms.EmailInput(attrs={"autocomplete": "off"}),
        help_text="The link works for this address alone.",
    )
    role = forms.ChoiceField(
        label="Role",
        choices=[(role.value, words) for role, words in ROLE_WORDS.items()],
        initial=Role.REVIEWER.value,
        widget=forms.RadioSelect,
    )


class ExpertiseForm(WordedForm):
    """What a person can judge, as lists separated by commas or lines."""

    languages = forms.CharField(
        label="Languages",
        required=False,
        max_length=4000,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text="Separated by commas, as in: Python, TypeScript, SQL. Leave it empty if any language will do.",
    )
    areas = forms.CharField(
        label="Areas",
        required=False,
        max_length=4000,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text="Separated by commas, as in: payments, job queues. Draws prefer people who know a case's area.",
    )

    def words(self, name: str) -> list[str]:
        """Return the entries of a valid field."""
        return [part for part in _SEPARATORS.split(self.cleaned_data[name]) if part.strip()]


class ProfileForm(WordedForm):
    """A person's own name."""

    name = forms.CharField(
        label="Name", max_length=MAX_NAME_LENGTH, widget=forms.TextInput(attrs={"autocomplete": "name"})
    )


class NewAccountForm(WordedForm):
    """What an invited person without an account says; the address comes from the invitation."""

    name = forms.CharField(
        label="Your name",
        max_length=MAX_NAME_LENGTH,
        widget=forms.TextInput(attrs={"autocomplete": "name"}),
        help_text="Leads of your projects see it.",
    )
    password = forms.CharField(
        label="Password",
        max_length=256,
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
        help_text="At least 10 characters, not one of the common passwords, and not like your name.",
    )


class AppointForm(WordedForm):
    """Whom an administrator makes lead of which project."""

    email = forms.EmailField(max_length=254)
    project = forms.SlugField(max_length=20)


class MemberFilter(WordedForm):
    """The filters of the list of members, as they stand in its address."""

    q = forms.CharField(label="Find", required=False, max_length=120)
    role = forms.ChoiceField(
        label="Role", required=False, choices=[("", "any"), *((role.value, role.value) for role in Role)]
    )
    sort = forms.ChoiceField(
        label="Sort", required=False, choices=[("name", "name"), ("-name", "name"), ("since", ""), ("-since", "")]
    )
