"""Registration of the composition root, whose management commands span all apps."""

from django.apps import AppConfig


class ConfigConfig(AppConfig):
    """The `config` package."""

    name = "config"
