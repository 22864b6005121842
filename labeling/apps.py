"""Registration of the app."""

from importlib import import_module

from django.apps import AppConfig


class LabelingConfig(AppConfig):
    """The `labeling` app."""

    name = "labeling"

    def ready(self) -> None:
        """Register the periodic work."""
        import_module("labeling.periodic")
