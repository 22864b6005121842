"""How the files of a tool in a format are read at present."""

from __future__ import annotations

from corpus.domain.vocabulary import Severity
from reviews.domain.formats.records import ReadSettings
from reviews.models import SourceSettings, Tool


def latest_settings(tool: Tool | None, format_name: str) -> SourceSettings | None:
    """Return the settings in force, None where none were saved."""
    if tool is None:
        return None
    return SourceSettings.objects.filter(tool=tool, format=format_name).order_by("-number").first()


def read_settings(tool: Tool | None, settings: SourceSettings | None) -> ReadSettings:
    """Return settings as readers take them."""
    names = tuple(tool.names) if tool is not None else ()
    if settings is None:
        return ReadSettings(names=names)
    return ReadSettings(
        author=settings.author,
        names=names,
        first_line_is_zero=settings.first_line_is_zero,
        path_prefix=settings.path_prefix,
        splits_bodies=settings.splits_bodies,
        severities={word: Severity(level) for word, level in settings.severities.values_list("native", "severity")},
    )
