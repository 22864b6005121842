"""Let the database refuse changes of frozen versions and of histories (N6)."""

from django.db import migrations

from corpus import immutability


def create_triggers(apps, schema_editor):
    immutability.restore(schema_editor.connection, immutability.GUARDS)


def drop_triggers(apps, schema_editor):
    immutability.remove(schema_editor.connection, immutability.GUARDS)


class Migration(migrations.Migration):
    dependencies = [("corpus", "0001_initial")]

    operations = [migrations.RunPython(create_triggers, drop_triggers)]
