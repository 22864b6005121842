"""People, their roles per project, what they know, and how they are invited."""

from __future__ import annotations

from typing import Any, ClassVar

from django.contrib.auth.base_user import BaseUserManager
from django.contrib.auth.models import AbstractUser
from django.db import models, transaction
from django.db.models.functions import Lower

from corpus.domain.preferences import SETTINGS
from corpus.domain.vocabulary import Role
from corpus.models.fields import enum_check, enum_field, public_id_field, sha256_field
from corpus.querysets.people import InvitationQuerySet, MembershipQuerySet


class UserManager(BaseUserManager["User"]):
    """Creates people by e-mail address."""

    def create_user(self, email: str, password: str | None = None, **fields: Any) -> User:
        """Store a person; without a password they cannot sign in until they set one.

        The address counts as theirs: an invitation's mail has proven it, or whoever runs the server says so. Another
        one takes its place only once it is proven as well, since people are known, invited and barred by it.
        """
        from allauth.account.models import EmailAddress

        user = self.model(email=self.normalize_email(email).lower(), **fields)
        user.set_password(password)
        with transaction.atomic(using=self._db):
            user.save(using=self._db)
            EmailAddress.objects.using(self._db).create(user=user, email=user.email, primary=True, verified=True)
        return user

    def create_superuser(self, email: str, password: str | None = None, **fields: Any) -> User:
        """Store an administrator of accounts, who is blinded like anybody."""
        return self.create_user(email, password, is_staff=True, is_superuser=True, **fields)


def setting(name: str) -> models.CharField:  # type: ignore[type-arg]
    """Return the column of a setting: the first of its values until the person chooses."""
    values = SETTINGS[name]
    return models.CharField(max_length=8, choices=[(value, value) for value in values], default=values[0])


class User(AbstractUser):
    """A person. Deactivated, never deleted: every protected foreign key to a person relies on that.

    Settings are columns here and not a row of their own, since every page that shows code needs them.
    """

    username = None  # type: ignore[assignment]
    first_name = None  # type: ignore[assignment]
    last_name = None  # type: ignore[assignment]
    public_id = public_id_field()
    email = models.EmailField("e-mail address", max_length=254, unique=True)
    name = models.CharField(max_length=120)
    layout = setting("layout")
    wrap = setting("wrap")
    blank_changes = setting("blank_changes")
    tab_size = setting("tab_size")
    theme = setting("theme")
    code_size = setting("code_size")
    # The person's own keys by the id of the shortcut, which script alone knows.
    keys = models.JSONField(default=dict)

    USERNAME_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = ["name"]
    objects = UserManager()  # type: ignore[assignment,misc]

    class Meta:
        constraints = (models.UniqueConstraint(Lower("email"), name="user_email_unique"),)

    def __str__(self) -> str:
        return self.name

    def get_full_name(self) -> str:
        """Return the name people see."""
        return self.name

    get_short_name = get_full_name


class Membership(models.Model):
    """One role of one person in one project; a person may hold several."""

    project = models.ForeignKey("corpus.Project", on_delete=models.PROTECT, related_name="memberships")
    user = models.ForeignKey(User, on_delete=models.PROTECT, related_name="memberships")
    role = enum_field(Role)
    added_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+", null=True)
    added_at = models.DateTimeField()

    objects = MembershipQuerySet.as_manager()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["project", "user", "role"], name="membership_unique"),
            enum_check("membership_role_known", "role", Role),
        )

    def __str__(self) -> str:
        return f"{self.user} is {self.role} of {self.project}"


class Expertise(models.Model):
    """A language or an area a person can judge; draws prefer people who know the case's language."""

    LANGUAGE, AREA = "language", "area"

    user = models.ForeignKey(User, on_delete=models.PROTECT, related_name="expertise")
    kind = models.CharField(max_length=16, choices=[(LANGUAGE, "language"), (AREA, "area")])
    value = models.CharField(max_length=60)

    class Meta:
        constraints = (models.UniqueConstraint("user", "kind", Lower("value"), name="expertise_unique"),)

    def __str__(self) -> str:
        return f"{self.user}: {self.kind} {self.value}"


class Invitation(models.Model):
    """An offer of a role by link. Only a hash of the link's secret is kept."""

    public_id = public_id_field()
    project = models.ForeignKey("corpus.Project", on_delete=models.PROTECT, related_name="invitations")
    email = models.EmailField(max_length=254)
    role = enum_field(Role)
    secret_sha256 = sha256_field(unique=True)
    invited_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    invited_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    accepted_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+", null=True)
    accepted_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)

    objects = InvitationQuerySet.as_manager()

    class Meta:
        constraints = (enum_check("invitation_role_known", "role", Role),)

    def __str__(self) -> str:
        return f"invitation of {self.email} as {self.role}"
