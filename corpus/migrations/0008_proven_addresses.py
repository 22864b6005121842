"""Count the address of every account as proven, so that no other takes its place without a proof of its own."""

from __future__ import annotations

from typing import Any

from django.db import migrations


def prove_addresses(apps: Any, schema_editor: Any) -> None:
    """Give each account a proven address of the sign-in library, unless it has one."""
    database = schema_editor.connection.alias
    addresses = apps.get_model("account", "EmailAddress").objects.using(database)
    proven = addresses.filter(verified=True).values("user")
    for user in apps.get_model("corpus", "User").objects.using(database).exclude(pk__in=proven):
        addresses.filter(user_id=user.pk).exclude(email=user.email).update(primary=False)
        addresses.update_or_create(user_id=user.pk, email=user.email, defaults={"primary": True, "verified": True})


class Migration(migrations.Migration):
    """Data only."""

    dependencies = [
        ("corpus", "0007_version_goals"),
        ("account", "0009_emailaddress_unique_primary_email"),
    ]
    operations = [migrations.RunPython(prove_addresses, migrations.RunPython.noop)]
