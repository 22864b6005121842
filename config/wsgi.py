"""WSGI entry point."""

import gc
import os

from django.core.wsgi import get_wsgi_application
from django.urls import get_resolver

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
application = get_wsgi_application()
# Routes and views are loaded here and not by the first request, so that workers share them.
assert get_resolver().url_patterns
# What is loaded by now stays: collections need not look at it again, and workers keep sharing its pages.
gc.collect()
gc.freeze()
