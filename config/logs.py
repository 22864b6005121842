"""What is logged: an error, with its traceback, is always the product's own."""

from __future__ import annotations

import logging


class ClientFaults(logging.Filter):
    """Turn what a client did wrong (a forged host, a body over a limit) into one line at WARNING.

    Django logs some of it at ERROR with a traceback, in which whoever runs the site would lose sight of real errors.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        """Keep every record; strip those that a request answered below 500 has caused."""
        is_security = record.name.startswith("django.security.")
        if is_security or (record.name == "django.request" and getattr(record, "status_code", 500) < 500):
            record.exc_info = record.exc_text = None
            if record.levelno > logging.WARNING:
                record.levelno, record.levelname = logging.WARNING, "WARNING"
        return True
