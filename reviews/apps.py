"""Registration of the app."""

from importlib import import_module

from django.apps import AppConfig

from corpus import immutability


class ReviewsConfig(AppConfig):
    """The `reviews` app."""

    name = "reviews"

    def ready(self) -> None:
        """Register the handler of intakes, and the evidence the database guards."""
        import_module("reviews.services.intakes")
        immutability.register(import_module("reviews.immutability").GUARDS)
