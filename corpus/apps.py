"""Registration of the app."""

from importlib import import_module
from typing import Any

from django.apps import AppConfig
from django.db import connections
from django.db.models.signals import post_migrate


def restore_triggers(*, using: str, **_: Any) -> None:
    """Put back the triggers that a migration may have lost; SQLite drops them when it rebuilds a table."""
    from corpus import immutability

    immutability.restore(connections[using], immutability.registered())


class CorpusConfig(AppConfig):
    """The `corpus` app."""

    name = "corpus"

    def ready(self) -> None:
        """Register job handlers and the guard of what is only ever added."""
        import_module("corpus.job_handlers")
        import_module("corpus.services.audit_seals")
        import_module("corpus.services.drawings")
        # Fires once all migrations of all apps are done.
        post_migrate.connect(restore_triggers, sender=self, dispatch_uid="corpus.immutability")
