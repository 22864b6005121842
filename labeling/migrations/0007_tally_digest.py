"""Give each tally the digest of its content.

Tallies are functions of what was compared: those without a digest are dropped, and the worker's next sweep counts
their comparisons again.
"""

from django.db import migrations, models

from corpus import immutability
from labeling.immutability import GUARDS

TABLES = ("labeling_tally", "labeling_tallyfinding")


def drop_tallies(apps, schema_editor):
    immutability.remove(schema_editor.connection, [guard for guard in GUARDS if guard.table in TABLES])
    apps.get_model("labeling", "TallyFinding").objects.all().delete()
    apps.get_model("labeling", "Tally").objects.all().delete()


class Migration(migrations.Migration):
    dependencies = [("labeling", "0006_third_seat")]

    operations = [
        migrations.RunPython(drop_tallies, migrations.RunPython.noop),
        migrations.AddField("tally", "digest", models.CharField(max_length=64, default=""), preserve_default=False),
        migrations.AddIndex("tally", models.Index(fields=["digest"], name="tally_digest")),
    ]
