"""The one settings module and the only reader of the environment. docs/settings.md lists every name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import dj_database_url
from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured

from config import env
from corpus.domain.signatures import SignatureError, public_key_of

BASE_DIR = Path(__file__).resolve().parent.parent
DATA_DIR = Path(env.text("TOUCHSTONE_DATA_DIR", str(BASE_DIR / "var")))

DEBUG = env.boolean("TOUCHSTONE_DEBUG")
SECRET_KEY = env.text("TOUCHSTONE_SECRET_KEY")
if len(SECRET_KEY) < 32:
    raise ImproperlyConfigured(
        "TOUCHSTONE_SECRET_KEY (or TOUCHSTONE_SECRET_KEY_FILE) needs at least 32 characters; "
        "make one with: python -c 'import secrets; print(secrets.token_urlsafe(48))'"
    )
ALLOWED_HOSTS = env.words("TOUCHSTONE_ALLOWED_HOSTS", "127.0.0.1,localhost,[::1]")
CSRF_TRUSTED_ORIGINS = env.origins("TOUCHSTONE_TRUSTED_ORIGINS")
HTTPS = env.boolean("TOUCHSTONE_HTTPS")

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.humanize",
    "django.contrib.messages",
    "django.contrib.sessions",
    "django.contrib.staticfiles",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "django_htmx",
    "csp",
    "config",
    "corpus",
    "labeling",
    "reviews",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "config.middleware.ApiErrorMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.auth.middleware.LoginRequiredMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "config.middleware.OriginMiddleware",
    "config.middleware.PrivateResponseMiddleware",
    "config.middleware.HtmxSignInMiddleware",
    "config.middleware.UnknownVerbMiddleware",
    "config.middleware.StorableAddressMiddleware",
]

ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"

TEMPLATES: list[dict[str, Any]] = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "config.context.navigation",
            ],
        },
    },
]

# --- Database ---------------------------------------------------------------------------------------------------

DATABASE_URL = env.url(
    "DATABASE_URL",
    f"sqlite:///{DATA_DIR / 'touchstone.sqlite3'}",
    schemes=frozenset({"sqlite", "postgres", "postgresql"}),
)


def database_settings(address: str) -> dict[str, Any]:
    """Return Django's settings for `address`, with the options each engine needs to keep what was acknowledged."""
    settings: dict[str, Any] = dict(dj_database_url.parse(address))
    if settings["ENGINE"].endswith("sqlite3"):
        # The last connection to close writes the whole log back and removes it; opening one for each request would
        # make every request pay for that.
        settings["CONN_MAX_AGE"] = 60
        settings["OPTIONS"] = {
            # Row locks do nothing on SQLite: taking the write lock at BEGIN is what serialises writers.
            "transaction_mode": "IMMEDIATE",
            "timeout": 20,
            # With recursive triggers, INSERT OR REPLACE fires the triggers that refuse a DELETE. Two MB of pages, which
            # is the default, are read again and again by a list of ten thousand cases.
            "init_command": (
                "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON; "
                "PRAGMA recursive_triggers=ON; PRAGMA cache_size=-16000;"
            ),
        }
    else:
        settings["OPTIONS"] = {
            **settings.get("OPTIONS", {}),
            "pool": {
                "min_size": 1,
                "max_size": env.integer("TOUCHSTONE_DB_POOL", 4, minimum=1, maximum=100),
                # Shorter than the container's health check waits, so that it hears the reason.
                "timeout": 3,
                # Ends the growing pauses between attempts: a database that is back is used again within seconds.
                "reconnect_timeout": 5,
            },
        }
        # A restarted server leaves dead connections in the pool: each is tried before a request gets it.
        settings["CONN_HEALTH_CHECKS"] = True
    return settings


DATABASES = {"default": database_settings(DATABASE_URL)}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# --- Jobs and cache ---------------------------------------------------------------------------------------------

# Without a broker, `touchstone worker` takes the same jobs straight from the database.
BROKER_URL = env.url("TOUCHSTONE_BROKER_URL", "", schemes=frozenset({"redis", "rediss", "amqp", "amqps", "memory"}))
CELERY_BROKER_URL = BROKER_URL
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
# A request that enqueues must not hang while the broker is away: the job's row waits for the next sweep anyway.
CELERY_BROKER_TRANSPORT_OPTIONS = {
    "max_retries": 0,
    "connect_retries_timeout": 0.5,
    "socket_connect_timeout": 2,
    "socket_timeout": 10,
}
CELERY_TASK_DEFAULT_QUEUE = env.text("TOUCHSTONE_QUEUE", "touchstone")

# Rate limits count in this cache, so it is shared by all processes: Redis where given, else a database table.
CACHE_URL = env.url("TOUCHSTONE_CACHE_URL", "", schemes=frozenset({"redis", "rediss"}))
CACHES: dict[str, Any] = {
    "default": (
        {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": CACHE_URL}
        if CACHE_URL
        else {"BACKEND": "django.core.cache.backends.db.DatabaseCache", "LOCATION": "touchstone_cache"}
    )
}

# --- People and sessions ----------------------------------------------------------------------------------------

AUTH_USER_MODEL = "corpus.User"
AUTHENTICATION_BACKENDS = ["allauth.account.auth_backends.AuthenticationBackend"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "home"
ACCOUNT_ADAPTER = "config.accounts.InvitationOnlyAdapter"
ACCOUNT_USER_MODEL_USERNAME_FIELD = None
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*"]
ACCOUNT_EMAIL_VERIFICATION = "none"
ACCOUNT_PREVENT_ENUMERATION = True
ACCOUNT_LOGOUT_ON_GET = False
ACCOUNT_EMAIL_SUBJECT_PREFIX = ""
ACCOUNT_SESSION_REMEMBER = True
ACCOUNT_FORMS = {
    "login": "config.account_forms.LoginForm",
    "reset_password": "config.account_forms.ResetPasswordForm",
    "reset_password_from_key": "config.account_forms.ResetPasswordKeyForm",
    "change_password": "config.account_forms.ChangePasswordForm",
    "set_password": "config.account_forms.SetPasswordForm",
    "add_email": "config.account_forms.AddEmailForm",
    "reauthenticate": "config.account_forms.ReauthenticateForm",
}
MFA_ADAPTER = "config.accounts.SecondStepAdapter"
MFA_FORMS = {
    "authenticate": "config.account_forms.AuthenticateForm",
    "reauthenticate": "config.account_forms.SecondStepAgainForm",
    "activate_totp": "config.account_forms.ActivateTOTPForm",
    "deactivate_totp": "config.account_forms.DeactivateTOTPForm",
    "generate_recovery_codes": "config.account_forms.GenerateRecoveryCodesForm",
}
MFA_SUPPORTED_TYPES = ["totp", "recovery_codes"]
SESSION_COOKIE_AGE = 14 * 24 * 3600
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS
SESSION_COOKIE_HTTPONLY = True
SECURE_SSL_REDIRECT = HTTPS
SECURE_HSTS_SECONDS = 31536000 if HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = HTTPS
BEHIND_PROXY = env.boolean("TOUCHSTONE_BEHIND_PROXY")
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if BEHIND_PROXY else None
# Whose address rate limits count: the one that the proxy in front names, or the one that is connected.
ALLAUTH_TRUSTED_PROXY_COUNT = 1 if BEHIND_PROXY else 0
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF],
        "font-src": [SELF],
        "connect-src": [SELF],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
        "base-uri": [NONE],
        "manifest-src": [SELF],
    }
}

EMAIL_BACKEND = (
    "django.core.mail.backends.smtp.EmailBackend"
    if env.text("TOUCHSTONE_EMAIL_HOST")
    else "django.core.mail.backends.console.EmailBackend"
)
EMAIL_HOST = env.text("TOUCHSTONE_EMAIL_HOST", "localhost")
EMAIL_PORT = env.integer("TOUCHSTONE_EMAIL_PORT", 587, minimum=1, maximum=65535)
EMAIL_HOST_USER = env.text("TOUCHSTONE_EMAIL_USER")
EMAIL_HOST_PASSWORD = env.text("TOUCHSTONE_EMAIL_PASSWORD")
EMAIL_USE_TLS = env.boolean("TOUCHSTONE_EMAIL_TLS", True)
DEFAULT_FROM_EMAIL = env.text("TOUCHSTONE_EMAIL_FROM", "touchstone@localhost")

# Signs the manifests of versions as they are frozen; without it they are published by their digest alone.
SIGNING_KEY = env.text("TOUCHSTONE_SIGNING_KEY")
if SIGNING_KEY:
    try:
        public_key_of(SIGNING_KEY)
    except SignatureError as error:
        raise ImproperlyConfigured(
            f"TOUCHSTONE_SIGNING_KEY: {error}; make one with: python -c 'import secrets; print(secrets.token_hex(32))'"
        ) from None

# --- Pages and files --------------------------------------------------------------------------------------------

STATIC_URL = "static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
STATIC_ROOT = Path(env.text("TOUCHSTONE_STATIC_ROOT", str(BASE_DIR / "staticfiles")))
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
}
# Uploads above this are refused with the limit named, before they are read.
UPLOAD_LIMIT_BYTES = env.integer("TOUCHSTONE_UPLOAD_LIMIT_MB", 32, minimum=1, maximum=2048) * 1024 * 1024
FILE_UPLOAD_HANDLERS = [
    "corpus.uploads.CappedUploadHandler",
    "django.core.files.uploadhandler.MemoryFileUploadHandler",
    "django.core.files.uploadhandler.TemporaryFileUploadHandler",
]
# Below this directory leads may import repositories of the server by page; empty: by command only.
IMPORT_ROOT = env.text("TOUCHSTONE_IMPORT_ROOT")
if IMPORT_ROOT and not Path(IMPORT_ROOT).is_dir():
    raise ImproperlyConfigured(
        f"TOUCHSTONE_IMPORT_ROOT is {IMPORT_ROOT!r}, which is no directory; create it or unset it"
    )
DATA_UPLOAD_MAX_MEMORY_SIZE = 4 * 1024 * 1024
DATA_UPLOAD_MAX_NUMBER_FIELDS = 2000

LANGUAGE_CODE = "en"
USE_I18N = False
USE_TZ = True
TIME_ZONE = "UTC"

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "%(asctime)s %(levelname)s %(name)s: %(message)s"}},
    "filters": {"clients": {"()": "config.logs.ClientFaults"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line", "filters": ["clients"]}},
    "root": {"handlers": ["stderr"], "level": env.text("TOUCHSTONE_LOG_LEVEL", "INFO")},
}
