"""Overrides for tests; everything else is the product's own settings."""

import os
from pathlib import Path

os.environ.setdefault("TOUCHSTONE_SECRET_KEY", "tests-only-secret-key-that-is-long-enough-0123456789")

from config.settings import *  # noqa: F403
from config.settings import DATA_DIR, DATABASES, STATIC_ROOT, database_settings

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
DATA_DIR.mkdir(parents=True, exist_ok=True)
STATIC_ROOT.mkdir(parents=True, exist_ok=True)
WHITENOISE_USE_FINDERS = True

# A file and not shared memory: claims rest on conditional updates seen by several connections.
TEST_DATABASE_URL = os.environ.get("TOUCHSTONE_TEST_DATABASE_URL", "")
if TEST_DATABASE_URL:
    DATABASES["default"] = database_settings(TEST_DATABASE_URL)
    DATABASES["default"]["OPTIONS"].pop("pool", None)
if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    worker = os.environ.get("PYTEST_XDIST_WORKER", "main")
    DATABASES["default"]["TEST"] = {"NAME": str(Path(DATA_DIR) / f"test-{os.getpid()}-{worker}.sqlite3")}
