"""The filters of the audit trail."""

from __future__ import annotations

from django import forms

from corpus.forms.worded import WordedForm
from corpus.selectors.audit_trail import AuditFilters


class AuditFilterForm(WordedForm):
    """What the address of the page asks for; what cannot be read counts as not asked."""

    q = forms.CharField(required=False, max_length=120)
    verb = forms.CharField(required=False, max_length=60)
    actor = forms.SlugField(required=False, max_length=20)
    since = forms.DateField(required=False)
    until = forms.DateField(required=False)

    def filters(self) -> AuditFilters:
        """Return what could be read."""
        self.is_valid()
        return AuditFilters(**{name: value for name, value in self.cleaned_data.items() if value})
