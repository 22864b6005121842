"""Registration of the app."""

from django.apps import AppConfig


class CorpusConfig(AppConfig):
    """The `corpus` app."""

    name = "corpus"
