"""Registration of the app."""

from importlib import import_module

from django.apps import AppConfig

from corpus import immutability


class LabelingConfig(AppConfig):
    """The `labeling` app."""

    name = "labeling"

    def ready(self) -> None:
        """Register the periodic work, what versions say of people's work, and the histories the database guards."""
        import_module("labeling.periodic")
        import_module("labeling.services.staleness")
        import_module("labeling.services.withdrawals")
        import_module("labeling.selectors.provenance")
        import_module("labeling.selectors.version_agreement")
        immutability.register(import_module("labeling.immutability").GUARDS)
