"""Registration of the app."""

from django.apps import AppConfig


class LabelingConfig(AppConfig):
    """The `labeling` app."""

    name = "labeling"
