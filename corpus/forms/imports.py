"""The forms of an import: an upload, or base and head of a repository below the allowed directory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django import forms
from django.conf import settings

from corpus.domain.limits import MAX_FILE_BYTES, in_words
from corpus.domain.vocabulary import SourceKind, Split
from corpus.forms.worded import WordedForm
from corpus.importers.formats import GIT, LABELS
from corpus.models.fields import choices_of
from corpus.services.imports import Options


def upload_limit() -> int:
    """Return the most bytes that an upload may have."""
    return min(int(settings.UPLOAD_LIMIT_BYTES), MAX_FILE_BYTES)


class OptionsForm(WordedForm):
    """What holds for every case of the import that does not say otherwise."""

    source_kind = forms.ChoiceField(
        choices=choices_of(SourceKind), initial=SourceKind.EXPERT, help_text="Where the cases come from."
    )
    split = forms.ChoiceField(choices=choices_of(Split), initial=Split.DEV)
    repository = forms.CharField(max_length=200, required=False, help_text="Name that reviewers see.")
    licence = forms.CharField(max_length=80, required=False)

    def options(self) -> Options:
        """Return the parsed options."""
        data = self.cleaned_data
        return Options(
            source_kind=SourceKind(data["source_kind"]),
            split=Split(data["split"]),
            repository=data["repository"],
            licence=data["licence"],
        )


class UploadForm(OptionsForm):
    """A file with one or many cases."""

    field_order = ("file", "format", "source_kind", "split", "repository", "licence")
    file = forms.FileField(
        label="File",
        allow_empty_file=True,
        error_messages={"required": "Choose a file: a patch, a mailbox, an archive, JSON or JSON lines."},
    )
    format = forms.ChoiceField(
        label="Format",
        required=False,
        choices=[("", "told by the file"), *((name, label) for name, label in LABELS.items() if name != GIT)],
    )

    def clean_file(self) -> Any:
        """Refuse a file over the limit before it is read."""
        file = self.cleaned_data["file"]
        if file.size > upload_limit():
            raise forms.ValidationError(too_large(file.name, file.size))
        return file


def too_large(name: str, size: int) -> str:
    """Return the sentence that refuses a file over the limit."""
    return f"{name} has {size} bytes; the limit is {in_words(upload_limit())}, so split it or leave files out."


class RepositoryForm(OptionsForm):
    """A change of a repository on the server, below the directory that the setting allows."""

    field_order = ("path", "base", "head", "source_kind", "split", "repository", "licence")
    path = forms.CharField(
        label="Path", max_length=1000, help_text="Of a repository below the import directory, such as payments.git."
    )
    base = forms.CharField(
        max_length=250, required=False, help_text="Commit, branch or tag before the change; empty: parent of head."
    )
    head = forms.CharField(max_length=250, help_text="Commit, branch or tag that holds the change.")

    def clean_path(self) -> str:
        """Return the whole path, refused unless it lies below the allowed directory after every link is followed."""
        root = Path(settings.IMPORT_ROOT).resolve()
        given = self.cleaned_data["path"]
        if "\0" in given:
            raise forms.ValidationError("The path holds a NUL character; write it anew.")
        try:
            path = (root / given).resolve()
        except (OSError, RuntimeError) as error:
            raise forms.ValidationError("The path cannot be followed; write it anew.") from error
        if path == root or not path.is_relative_to(root):
            raise forms.ValidationError("The path leads out of the import directory; name a repository below it.")
        if not path.is_dir():
            raise forms.ValidationError(f'There is no repository "{given[:100]}" in the import directory.')
        return str(path)
