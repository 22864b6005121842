"""Tokens of the programming interface. Only a hash of a token's secret is kept."""

from __future__ import annotations

from datetime import datetime

from django.db import models

from corpus.domain.vocabulary import TokenScope
from corpus.models.fields import enum_check, enum_field, public_id_field, sha256_field
from corpus.models.people import User
from corpus.models.projects import Project
from corpus.querysets.tokens import ApiTokenQuerySet


class ApiToken(models.Model):
    """A key to one project for programs. It acts as its creator and sees no more than they may at that moment."""

    public_id = public_id_field()
    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="tokens")
    created_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="tokens")
    name = models.CharField(max_length=80)
    secret_sha256 = sha256_field(unique=True)
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True)
    # The day alone: a request must not cost a write each time.
    last_used_on = models.DateField(null=True)

    objects = ApiTokenQuerySet.as_manager()

    class Meta:
        constraints = (
            models.CheckConstraint(
                name="api_token_expires_later", condition=models.Q(expires_at__gt=models.F("created_at"))
            ),
        )

    def __str__(self) -> str:
        return f"token {self.public_id}"

    def is_live(self, now: datetime) -> bool:
        """Say whether the token was neither revoked nor is over at `now`."""
        return self.revoked_at is None and self.expires_at > now


class ApiTokenScope(models.Model):
    """One thing a token may do."""

    token = models.ForeignKey(ApiToken, on_delete=models.CASCADE, related_name="scopes")
    scope = enum_field(TokenScope)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["token", "scope"], name="api_token_scope_unique"),
            enum_check("api_token_scope_known", "scope", TokenScope),
        )

    def __str__(self) -> str:
        return self.scope
