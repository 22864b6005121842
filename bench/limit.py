"""How far Django goes on this machine: no middleware, one SELECT or one INSERT for each request.

Run by gunicorn as `bench.limit:application`; `BENCH_LIMIT_DATABASE` names its own SQLite file, which `prepare` fills.
"""

from __future__ import annotations

import os
import sqlite3
from html import escape
from pathlib import Path

import django
from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.db import connection, transaction
from django.http import HttpRequest, HttpResponse
from django.urls import path
from django.views.decorators.csrf import csrf_exempt

SCHEMA = """
CREATE TABLE line (case_id INTEGER, number INTEGER, kind TEXT, text TEXT, PRIMARY KEY (case_id, number));
CREATE TABLE submission (id INTEGER PRIMARY KEY, case_id INTEGER, author TEXT, body TEXT, UNIQUE (case_id, author));
CREATE TABLE patch (id INTEGER PRIMARY KEY, data BLOB);
"""


def prepare(file: Path, *, cases: int, lines: int) -> None:
    """Make the limit site's database."""
    with sqlite3.connect(file) as database:
        database.executescript("PRAGMA journal_mode=WAL;" + SCHEMA)
        database.executemany(
            "INSERT INTO line VALUES (?, ?, ?, ?)",
            (
                (
                    case,
                    number,
                    "+-"[number % 2],
                    f"    value = compute(order[{number}], retries=3) & 0x{case:x} < limit",
                )
                for case in range(cases)
                for number in range(lines)
            ),
        )
    database.close()


def open_case(request: HttpRequest, case: int) -> HttpResponse:
    """Return a page made from one SELECT, each line escaped."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT number, kind, text FROM line WHERE case_id = %s ORDER BY number", [case])
        rows = [
            f'<tr class="{kind}"><td class="n">{number}</td><td class="m">{kind}</td><td class="c"><span class="k">'
            f'{escape(text)}</span></td><td class="a"><button type="button" data-line="{number}">+</button></td></tr>'
            for number, kind, text in cursor.fetchall()
        ]
    return HttpResponse("<!doctype html><title>Case</title><table>" + "\n".join(rows) + "</table>")


@csrf_exempt
def submit(request: HttpRequest, case: int) -> HttpResponse:
    """Store one submission by one INSERT."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO submission (case_id, author, body) VALUES (%s, %s, %s)",
            [case, request.POST["author"], request.body.decode()],
        )
    return HttpResponse("ok")


def health(request: HttpRequest) -> HttpResponse:
    """Answer at once."""
    return HttpResponse("ok")


urlpatterns = [
    path("healthz", health),
    path("case/<int:case>/", open_case),
    path("case/<int:case>/submit/", submit),
]

if "BENCH_LIMIT_DATABASE" in os.environ and not settings.configured:
    settings.configure(
        SECRET_KEY="limit" * 10,
        ALLOWED_HOSTS=["*"],
        ROOT_URLCONF=__name__,
        MIDDLEWARE=[],
        USE_TZ=True,
        DATABASES={
            "default": {
                "ENGINE": "django.db.backends.sqlite3",
                "NAME": os.environ["BENCH_LIMIT_DATABASE"],
                "CONN_MAX_AGE": None,
                "OPTIONS": {
                    "transaction_mode": "IMMEDIATE",
                    "timeout": 20,
                    "init_command": "PRAGMA synchronous=NORMAL;",
                },
            }
        },
    )
    django.setup()
    application = get_wsgi_application()
