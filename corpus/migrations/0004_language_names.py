"""Write stored languages by the names that files are recognised by: "Bash" was known to nobody's draw."""

from __future__ import annotations

from typing import Any

from django.db import migrations

from corpus.domain.languages import language_named, languages_named


# Of the column; a list of short forms may come out longer.
MOST_CHARACTERS = 60


def write_names(apps: Any, schema_editor: Any) -> None:
    """Rename expertise, without saying one thing twice of a person, and the languages of cases."""
    database = schema_editor.connection.alias
    expertise = apps.get_model("corpus", "Expertise").objects.using(database)
    known = expertise.filter(kind="language")
    for row in known.order_by("pk"):
        name = language_named(row.value)
        if name == row.value:
            continue
        if known.filter(user_id=row.user_id, value__iexact=name).exclude(pk=row.pk).exists():
            row.delete()
        else:
            expertise.filter(pk=row.pk).update(value=name)
    cases = apps.get_model("corpus", "Case").objects.using(database)
    for text in cases.order_by("language").values_list("language", flat=True).distinct():
        names = languages_named(text)
        if names != text and len(names) <= MOST_CHARACTERS:
            cases.filter(language=text).update(language=names)


class Migration(migrations.Migration):
    """Data only; what was written before is not kept, so going back changes nothing."""

    dependencies = [("corpus", "0003_preferences")]
    operations = [migrations.RunPython(write_names, migrations.RunPython.noop)]
