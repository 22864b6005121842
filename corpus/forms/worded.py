"""What every form says of bad input: which field, what is wrong with it, and what to do.

Django's own texts ("This field is required.") name neither field nor remedy. A field's own `error_messages` go first.
"""

from __future__ import annotations

from typing import Any

from django import forms

EMPTY_WORDS: tuple[tuple[type[forms.Field], str], ...] = (
    (forms.FileField, "No file is chosen: choose one."),
    (forms.ChoiceField, 'Nothing is chosen for "{label}": choose one of its answers.'),
    (forms.BooleanField, '"{label}" is not ticked: tick it to go on.'),
    (forms.Field, '"{label}" is empty: fill it in.'),
)
INVALID_WORDS: tuple[tuple[type[forms.Field], str], ...] = (
    (forms.FileField, "The file did not arrive: choose it again."),
    (forms.EmailField, '"{label}" holds no e-mail address: write it like name@example.org.'),
    (forms.IntegerField, '"{label}" holds no whole number: write digits only, as in 12.'),
    (forms.SlugField, '"{label}" may hold only letters, digits, hyphens and underscores.'),
    (forms.Field, 'What "{label}" holds cannot be read: write it anew.'),
)
WORDS = {
    "max_length": '"{label}" has %(show_value)s characters; the limit is %(limit_value)s, so shorten it.',
    "min_length": '"{label}" has %(show_value)s characters: write at least %(limit_value)s.',
    "min_value": '"{label}" is %(show_value)s: write a number from %(limit_value)s up.',
    "max_value": '"{label}" is %(show_value)s: write a number up to %(limit_value)s.',
    "null_characters_not_allowed": '"{label}" holds a NUL character, which cannot be stored: write it anew.',
}
FILE_WORDS = {
    "missing": "The file did not arrive: choose it again.",
    "empty": "The file is empty: choose one that holds something.",
    "max_length": "The file's name has %(length)d characters; the limit is %(max)d, so rename it.",
}
CHOICE_WORDS = {"invalid_choice": '"%(value)s" is no answer to "{label}": choose one that is offered.'}


def _of_type(field: forms.Field, words: tuple[tuple[type[forms.Field], str], ...]) -> str:
    return next(text for kind, text in words if isinstance(field, kind))


def _library_messages(field: forms.Field) -> dict[str, Any]:
    """Return what the field's classes say of themselves."""
    found: dict[str, Any] = {}
    for kind in reversed(type(field).__mro__):
        found.update(getattr(kind, "default_error_messages", {}))
    return found


def say(field: forms.Field, label: str) -> None:
    """Give a field sentences of its own, where its form gave it none."""
    words = {
        **WORDS,
        **(FILE_WORDS if isinstance(field, forms.FileField) else {}),
        **(CHOICE_WORDS if isinstance(field, forms.ChoiceField) else {}),
        "required": _of_type(field, EMPTY_WORDS),
        "invalid": _of_type(field, INVALID_WORDS),
    }
    library = _library_messages(field)
    for code, text in words.items():
        if field.error_messages.get(code) in (None, library.get(code)):
            field.error_messages[code] = text.replace("{label}", label)


class WordedForm(forms.Form):
    """A form whose fields say what is wrong in sentences that name them. It can be mixed into a library's form."""

    def full_clean(self) -> None:
        """Word the fields that are there by now, then clean as usual."""
        for name, field in self.fields.items():
            say(field, str(self[name].label))
        super().full_clean()
