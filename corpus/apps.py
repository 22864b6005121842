"""Registration of the app."""

from importlib import import_module

from django.apps import AppConfig


class CorpusConfig(AppConfig):
    """The `corpus` app."""

    name = "corpus"

    def ready(self) -> None:
        """Register job handlers."""
        import_module("corpus.job_handlers")
        import_module("corpus.services.imports")
