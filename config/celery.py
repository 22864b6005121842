"""The Celery application: it only carries job ids; the `Job` row is the truth."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
app = Celery("touchstone")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
# Started with -B, every worker sweeps; a sweep is safe to run twice at once.
app.conf.beat_schedule = {"sweep": {"task": "touchstone.sweep", "schedule": 10.0}}
