"""Note of each comparison made before which labels took part: its seats' labels, and those it pairs or asks about.

Claims passes that such a comparison left open are compared as well: an open round keeps adjudicators away.
"""

from django.db import migrations

from corpus.ids import new_public_id


def fill(apps, schema_editor):
    Comparison = apps.get_model("labeling", "Comparison")
    ComparedLabel = apps.get_model("labeling", "ComparedLabel")
    Disagreement = apps.get_model("labeling", "Disagreement")
    Label = apps.get_model("labeling", "Label")
    LabelPair = apps.get_model("labeling", "LabelPair")
    Round = apps.get_model("labeling", "Round")
    for comparison in Comparison.objects.all():
        named = set(Disagreement.objects.filter(comparison=comparison, label__isnull=False).values_list("label", flat=True))
        for pair in LabelPair.objects.filter(comparison=comparison).values_list("label_a", "label_b"):
            named |= set(pair)
        own = Label.objects.filter(
            assignment__round=comparison.round_id, assignment__state="submitted", withdrawn_at__isnull=True
        )
        rows = {label.pk: label.version for label in (*own, *Label.objects.filter(pk__in=named))}
        ComparedLabel.objects.bulk_create(
            ComparedLabel(comparison=comparison, label_id=pk, revision=version, public_id=new_public_id()) for pk, version in sorted(rows.items())
        )
    Round.objects.filter(kind="claims", state="open", case__state="adjudicating").update(state="compared")


class Migration(migrations.Migration):
    dependencies = [("labeling", "0003_pair_corrections")]

    operations = [migrations.RunPython(fill, migrations.RunPython.noop)]
