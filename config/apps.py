"""Registration of the composition root, whose management commands span all apps."""

from django.apps import AppConfig
from django.conf import settings


class RootConfig(AppConfig):
    """The `config` package."""

    name = "config"

    def ready(self) -> None:
        """Bind shared tasks to the product's Celery application, where there is a broker."""
        if settings.BROKER_URL:
            from config import celery  # noqa: F401 - the import makes it the current application
