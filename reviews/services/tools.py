"""Tools, their configurations, and how their files are read."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db import IntegrityError, transaction
from django.db.models import Max

from corpus import clock
from corpus.domain.vocabulary import Severity
from corpus.models import Project, User
from corpus.services import audit
from corpus.services.case_facts import printable
from reviews.domain.vocabulary import ContextMode, ToolKind
from reviews.models import ConfigurationParameter, SeverityMapping, SourceSettings, Tool, ToolConfiguration

MAX_PARAMETERS = 100
MAX_PROMPT = 1_000_000


class ToolRefused(Exception):
    """A tool, configuration or setting cannot be stored; the message is one sentence for the person."""


@dataclass(frozen=True)
class Parameter:
    """One named setting of a configuration; `is_exposed` false says that the tool hides its value."""

    name: str
    value: str = ""
    is_exposed: bool = True


def create_tool(
    *,
    project: Project,
    name: str,
    kind: ToolKind,
    actor: User,
    aliases: Sequence[str] = (),
    note: str = "",
    is_from_intake: bool = False,
) -> Tool:
    """Store a tool with a first configuration, of which nothing is known.

    Raises ToolRefused where the project has a tool of that name.
    """
    name = " ".join(printable(name).split())
    if not name or len(name) > 80:
        raise ToolRefused("A tool needs a name of at most 80 characters.")
    try:
        with transaction.atomic():
            tool = Tool.objects.create(
                project=project,
                name=name,
                kind=kind,
                aliases=_lines(aliases),
                note=printable(note),
                is_from_intake=is_from_intake,
                created_by=actor,
                created_at=clock.now(),
            )
            audit.record(actor=actor, verb="tool added", subject=f"tool {tool.public_id}", project=project, after=name)
            add_configuration(tool=tool, context_mode=ContextMode.NOT_EXPOSED, actor=actor, model=None, prompt=None)
    except IntegrityError as error:
        raise ToolRefused(f'The project already has a tool "{name}"; choose it, or another name.') from error
    return tool


@transaction.atomic
def edit_tool(*, tool: Tool, aliases: Sequence[str], note: str, actor: User) -> Tool:
    """Change under which further names a tool goes, and the note about it. Its name stays: runs are told by it."""
    before = tool.aliases
    tool.aliases, tool.note = _lines(aliases), printable(note)
    tool.save(update_fields=["aliases", "note"])
    audit.record(
        actor=actor,
        verb="tool edited",
        subject=f"tool {tool.public_id}",
        project=tool.project,
        before=before,
        after=tool.aliases,
    )
    return tool


def _lines(words: Sequence[str]) -> str:
    return "\n".join(dict.fromkeys(" ".join(printable(word).split()) for word in words if word.strip()))


@transaction.atomic
def add_configuration(
    *,
    tool: Tool,
    context_mode: ContextMode,
    actor: User,
    name: str = "",
    model: str | None = "",
    prompt: str | None = "",
    prompt_sha256: str = "",
    parameters: Sequence[Parameter] = (),
) -> ToolConfiguration:
    """Store the tool's next configuration. A model or prompt of None says that the tool does not expose it.

    The hash of a prompt is computed from its text; alone it may be given where the text is kept elsewhere.
    Raises ToolRefused.
    """
    Tool.objects.select_for_update().get(pk=tool.pk)
    names = [parameter.name.strip() for parameter in parameters]
    if len(set(names)) != len(names) or "" in names or len(names) > MAX_PARAMETERS:
        raise ToolRefused(f"Parameters need names of their own, at most {MAX_PARAMETERS}.")
    if prompt is not None and len(prompt) > MAX_PROMPT:
        raise ToolRefused(f"The prompt has {len(prompt)} characters; the limit is {MAX_PROMPT}.")
    digest = "" if prompt is None else prompt_sha256.strip().lower()
    if prompt:
        computed = hashlib.sha256(prompt.encode()).hexdigest()
        if digest not in {"", computed}:
            raise ToolRefused("The hash is not that of the prompt; leave it out, it is computed.")
        digest = computed
    if digest and (len(digest) != 64 or not set(digest) <= set("0123456789abcdef")):
        raise ToolRefused("The hash of a prompt is a SHA-256: 64 hexadecimal digits.")
    last = tool.configurations.aggregate(last=Max("number"))["last"] or 0
    configuration = ToolConfiguration.objects.create(
        tool=tool,
        number=last + 1,
        name=printable(name)[:120],
        model=printable(model or "")[:120],
        is_model_exposed=model is not None,
        prompt=prompt or "",
        prompt_sha256=digest,
        is_prompt_exposed=prompt is not None,
        context_mode=context_mode,
        created_by=actor,
        created_at=clock.now(),
    )
    ConfigurationParameter.objects.bulk_create(
        ConfigurationParameter(
            configuration=configuration,
            name=parameter.name.strip()[:80],
            value=printable(parameter.value)[:500] if parameter.is_exposed else "",
            is_exposed=parameter.is_exposed,
        )
        for parameter in parameters
    )
    audit.record(
        actor=actor,
        verb="configuration added",
        subject=f"tool {tool.public_id}",
        project=tool.project,
        after=f"configuration {configuration.number}",
    )
    return configuration


@transaction.atomic
def save_source_settings(
    *,
    tool: Tool,
    format_name: str,
    actor: User,
    author: str = "",
    first_line_is_zero: bool = False,
    path_prefix: str = "",
    splits_bodies: bool = True,
    severities: Mapping[str, Severity] | None = None,
) -> SourceSettings:
    """Remember how files of a tool in a format are read; equal settings are not stored again."""
    Tool.objects.select_for_update().get(pk=tool.pk)
    wanted = {" ".join(word.lower().split())[:100]: level for word, level in (severities or {}).items()}
    values = {
        "author": printable(author).strip()[:120],
        "first_line_is_zero": first_line_is_zero,
        "path_prefix": printable(path_prefix).strip()[:500],
        "splits_bodies": splits_bodies,
    }
    latest = SourceSettings.objects.filter(tool=tool, format=format_name).order_by("-number").first()
    if (
        latest is not None
        and all(getattr(latest, key) == value for key, value in values.items())
        and dict(latest.severities.values_list("native", "severity")) == wanted
    ):
        return latest
    stored = SourceSettings.objects.create(
        tool=tool,
        format=format_name,
        number=latest.number + 1 if latest else 1,
        created_by=actor,
        created_at=clock.now(),
        **values,
    )
    SeverityMapping.objects.bulk_create(
        SeverityMapping(settings=stored, native=word, severity=level) for word, level in sorted(wanted.items())
    )
    audit.record(
        actor=actor,
        verb="source settings saved",
        subject=f"tool {tool.public_id}",
        project=tool.project,
        after=f"{format_name} {stored.number}",
    )
    return stored


def remember_author(*, tool: Tool, format_name: str, author: str, actor: User) -> SourceSettings:
    """Remember whose records are the tool's in files of a format, and leave its other settings as they are."""
    latest = SourceSettings.objects.filter(tool=tool, format=format_name).order_by("-number").first()
    if latest is None:
        return save_source_settings(tool=tool, format_name=format_name, actor=actor, author=author)
    return save_source_settings(
        tool=tool,
        format_name=format_name,
        actor=actor,
        author=author,
        first_line_is_zero=latest.first_line_is_zero,
        path_prefix=latest.path_prefix,
        splits_bodies=latest.splits_bodies,
        severities={word: Severity(level) for word, level in latest.severities.values_list("native", "severity")},
    )
