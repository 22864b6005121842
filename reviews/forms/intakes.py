"""The form that brings a tool's output."""

from __future__ import annotations

from typing import Any

from django import forms

from corpus.forms.imports import too_large, upload_limit
from corpus.forms.worded import WordedForm
from corpus.models import Case, CorpusVersion, Project, User
from reviews.domain.formats.catalogue import FORMATS
from reviews.models import Tool, ToolConfiguration
from reviews.services.intakes import Target

EACH_TOOL = "each"


class IntakeForm(WordedForm):
    """A file, and the run that it is for."""

    file = forms.FileField(
        label="File",
        allow_empty_file=True,
        help_text="What the tool wrote, or a zip with a file or a folder for each case.",
    )
    format = forms.ChoiceField(
        label="Format",
        required=False,
        choices=[("", "told by the file"), *((one.name, one.title) for one in FORMATS.values())],
    )
    tool = forms.ChoiceField(label="Tool")
    version = forms.ChoiceField(label="Against", required=False)
    case = forms.CharField(
        label="Case",
        required=False,
        max_length=20,
        help_text="Its id, where the file names no case.",
    )
    author = forms.CharField(
        label="Author",
        required=False,
        max_length=120,
        help_text="Account whose comments are the tool's, where the file holds those of many. It is remembered.",
    )
    name = forms.CharField(
        label="Name of the run", required=False, max_length=120, help_text="Only to tell two runs apart."
    )
    repeat = forms.IntegerField(label="Repeat", min_value=1, max_value=1000, initial=1)
    scores_suppressed = forms.BooleanField(label="Findings that the tool itself held back count too", required=False)

    def __init__(self, *args: Any, user: User, project: Project, **options: Any) -> None:
        super().__init__(*args, **options)
        self.user, self.project = user, project
        self.tools = {
            tool.public_id: tool
            for tool in Tool.objects.managed_by(user).filter(project=project).order_by("name", "pk")
        }
        self.configurations = {
            configuration.public_id: configuration
            for configuration in ToolConfiguration.objects.filter(tool__in=self.tools.values())
            .select_related("tool")
            .order_by("tool__name", "-number")
        }
        versions = CorpusVersion.objects.visible_to(user).filter(project=project).defer("manifest")
        self.versions = {version.number: version for version in versions.order_by("-pk")}
        self.fields["tool"].choices = self._tool_choices()  # type: ignore[attr-defined]
        self.fields["version"].choices = [  # type: ignore[attr-defined]
            *((number, f"version {number}") for number in self.versions),
            ("", "no version: a shadow run, without gold"),
        ]

    def _tool_choices(self) -> list[tuple[str, Any]]:
        """Return the tools with their configurations; a tool alone stands for its latest."""
        groups: list[tuple[str, Any]] = []
        for public_id, tool in self.tools.items():
            own = [one for one in self.configurations.values() if one.tool_id == tool.pk]
            choices = [(public_id, f"{tool.name}, latest configuration")]
            if len(own) > 1:
                choices += [
                    (one.public_id, f"{tool.name}, configuration {one.number} {one.name}".strip()) for one in own
                ]
            groups.append((tool.name, choices))
        return [*groups, (EACH_TOOL, "each tool that the file names, added where it is new")]

    def clean_file(self) -> Any:
        """Refuse a file over the limit before it is read."""
        file = self.cleaned_data["file"]
        if file.size > upload_limit():
            raise forms.ValidationError(too_large(file.name, file.size))
        return file

    def clean_case(self) -> Case | None:
        """Return the case of that id, among those the person may see."""
        asked = str(self.cleaned_data["case"]).strip().upper()
        if not asked:
            return None
        found = Case.objects.visible_to(self.user).filter(project=self.project, public_id=asked).first()
        if found is None:
            raise forms.ValidationError(f'There is no case "{asked[:20]}" that you may see: write the id of one.')
        return found

    @property
    def chosen_tool(self) -> Tool | None:
        """The tool of a valid form; None: each that the file names."""
        chosen = self.cleaned_data["tool"]
        configuration = self.configurations.get(chosen)
        return configuration.tool if configuration else self.tools.get(chosen)

    def target(self) -> Target:
        """Return the run of a valid form."""
        data = self.cleaned_data
        return Target(
            tool=self.chosen_tool,
            configuration=self.configurations.get(data["tool"]),
            version=self.versions.get(data["version"]),
            name=data["name"],
            repeat=data["repeat"],
            scores_suppressed=data["scores_suppressed"],
            for_case=data["case"],
        )
