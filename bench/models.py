"""The one table that a reference view writes to."""

from __future__ import annotations

from django.conf import settings
from django.db import models


class Note(models.Model):
    """A row such as the smallest autosave would insert."""

    author = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    text = models.TextField()
    saved_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        app_label = "bench"

    def __str__(self) -> str:
        return self.text[:40]
