"""Gunicorn's configuration, used by `touchstone serve` and by the container alike."""

import os

bind = os.environ.get("TOUCHSTONE_BIND", "127.0.0.1:8000")
workers = int(os.environ.get("TOUCHSTONE_WEB_WORKERS", "2"))
# Sync workers: threads make SQLite writers slower, and one request at a time keeps memory bounded.
worker_class = "sync"
# Loaded once and shared: no connection is opened while the application is imported.
preload_app = True
timeout = 60
graceful_timeout = 20
accesslog = None
# Its control interface would leave a socket in the home directory, one for all servers of an account.
control_socket_disable = True
