"""WSGI entry point."""

import gc
import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
application = get_wsgi_application()
# What is loaded by now stays: collections need not look at it again, and workers keep sharing its pages.
gc.collect()
gc.freeze()
