"""Registration of the composition root, whose management commands span all apps."""

from django.apps import AppConfig
from django.conf import settings


class RootConfig(AppConfig):
    """The `config` package."""

    name = "config"

    def ready(self) -> None:
        """Bind shared tasks to the product's Celery application, where there is a broker, and word the last form."""
        if settings.BROKER_URL:
            from config import celery  # noqa: F401 - the import makes it the current application
        # The one form of the sign-in library that no setting replaces.
        from allauth.account.views import RequestReauthenticationCodeView

        from config.account_forms import RequestReauthenticationCodeForm

        RequestReauthenticationCodeView.form_class = RequestReauthenticationCodeForm
