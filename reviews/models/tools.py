"""Tools whose output is judged, how they were configured, and how their files are read."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.db.models.functions import Lower

from corpus.domain.vocabulary import Severity
from corpus.models import Project, User
from corpus.models.fields import enum_check, enum_field, public_id_field, sha256_field
from reviews.domain.vocabulary import TOOL_KIND_WORDS, ContextMode, ToolKind
from reviews.querysets.runs import ToolQuerySet


class Tool(models.Model):
    """An AI reviewer, a linter, a person, or one of the trivial baselines."""

    public_id = public_id_field()
    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="tools")
    name = models.CharField(max_length=80)
    kind = enum_field(ToolKind)
    # Further names, one a line: accounts it writes under, products, words that neutral texts must not show (B3).
    aliases = models.TextField(blank=True)
    note = models.TextField(blank=True)
    # A file named it: that the tool is there tells that it spoke.
    is_from_intake = models.BooleanField(default=False)
    created_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField()

    objects = ToolQuerySet.as_manager()

    class Meta:
        constraints = (
            models.UniqueConstraint("project", Lower("name"), name="tool_name_unique"),
            models.CheckConstraint(name="tool_named", condition=~Q(name="")),
            enum_check("tool_kind_known", "kind", ToolKind),
        )

    def __str__(self) -> str:
        return self.name

    @property
    def alias_list(self) -> list[str]:
        """Return the further names, one string each."""
        return [line.strip() for line in self.aliases.splitlines() if line.strip()]

    @property
    def kind_words(self) -> str:
        """Return what the tool is, as people say it."""
        return TOOL_KIND_WORDS[ToolKind(self.kind)]

    @property
    def names(self) -> list[str]:
        """Return every name the tool goes by."""
        return [self.name, *self.alias_list]


class ToolConfiguration(models.Model):
    """How a tool was set up. Inserted, never changed: whatever changes is a new configuration.

    What a tool does not expose is said so, which is something else than an empty value.
    """

    public_id = public_id_field()
    tool = models.ForeignKey(Tool, on_delete=models.PROTECT, related_name="configurations")
    number = models.PositiveIntegerField()
    name = models.CharField(max_length=120, blank=True)
    model = models.CharField(max_length=120, blank=True)
    is_model_exposed = models.BooleanField(default=True)
    # Only the hash may be known; with a text it is the text's.
    prompt = models.TextField(blank=True)
    prompt_sha256 = sha256_field(blank=True)
    is_prompt_exposed = models.BooleanField(default=True)
    context_mode = enum_field(ContextMode)
    created_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["tool", "number"], name="tool_configuration_number_unique"),
            enum_check("tool_configuration_context_known", "context_mode", ContextMode),
            models.CheckConstraint(
                name="tool_configuration_model_exposed", condition=Q(is_model_exposed=True) | Q(model="")
            ),
            models.CheckConstraint(
                name="tool_configuration_prompt_exposed",
                condition=Q(is_prompt_exposed=True) | Q(prompt="", prompt_sha256=""),
            ),
            models.CheckConstraint(
                name="tool_configuration_prompt_hashed", condition=Q(prompt="") | ~Q(prompt_sha256="")
            ),
        )

    def __str__(self) -> str:
        return f"{self.tool} configuration {self.number}"


class ConfigurationParameter(models.Model):
    """One named setting of a configuration, such as a temperature, or that the tool does not expose it."""

    configuration = models.ForeignKey(ToolConfiguration, on_delete=models.PROTECT, related_name="parameters")
    name = models.CharField(max_length=80)
    value = models.CharField(max_length=500, blank=True)
    is_exposed = models.BooleanField(default=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["configuration", "name"], name="configuration_parameter_unique"),
            models.CheckConstraint(name="configuration_parameter_exposed", condition=Q(is_exposed=True) | Q(value="")),
        )

    def __str__(self) -> str:
        return f"{self.name} = {self.value}"


class SourceSettings(models.Model):
    """How the files of one tool in one format are read. Inserted, never changed; the highest number is in force."""

    tool = models.ForeignKey(Tool, on_delete=models.PROTECT, related_name="source_settings")
    format = models.CharField(max_length=40)
    number = models.PositiveIntegerField()
    # Whose comments are the tool's, where a file holds those of many.
    author = models.CharField(max_length=120, blank=True)
    first_line_is_zero = models.BooleanField(default=False)
    # Taken off every path that starts with it.
    path_prefix = models.CharField(max_length=500, blank=True)
    # A body that lists several findings becomes a record for each.
    splits_bodies = models.BooleanField(default=True)
    created_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField()

    class Meta:
        constraints = (models.UniqueConstraint(fields=["tool", "format", "number"], name="source_settings_unique"),)

    def __str__(self) -> str:
        return f"{self.format} of {self.tool}"


class SeverityMapping(models.Model):
    """What one severity word of a source means here. Words differ in meaning, so there is no map for all sources."""

    settings = models.ForeignKey(SourceSettings, on_delete=models.PROTECT, related_name="severities")
    native = models.CharField(max_length=100)
    severity = enum_field(Severity)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["settings", "native"], name="severity_mapping_unique"),
            enum_check("severity_mapping_known", "severity", Severity),
        )

    def __str__(self) -> str:
        return f"{self.native} is {self.severity}"
