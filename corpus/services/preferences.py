"""Keeping how a person wants things shown. Nobody else sees it, so it leaves no trace in the audit trail."""

from __future__ import annotations

from collections.abc import Mapping

from django.db import transaction

from corpus.domain.preferences import checked_setting, with_key
from corpus.models import User


def keep_settings(*, user: User, settings: Mapping[str, str]) -> None:
    """Store settings by name; raises PreferenceRefused, and then stores none."""
    checked = {name: checked_setting(name, value) for name, value in settings.items()}
    if checked:
        User.objects.filter(pk=user.pk).update(**checked)


@transaction.atomic
def keep_key(*, user: User, shortcut: str, key: str) -> None:
    """Give a shortcut the person's own key; raises PreferenceRefused."""
    keys = User.objects.select_for_update().values_list("keys", flat=True).get(pk=user.pk)
    User.objects.filter(pk=user.pk).update(keys=with_key(keys, shortcut, key))


def restore_keys(*, user: User) -> None:
    """Give every shortcut its default key again."""
    User.objects.filter(pk=user.pk).update(keys={})
