"""A change with every kind of file that the viewer tells apart, for browser tests and pictures."""

from __future__ import annotations

import json
import struct
import zlib

from corpus.services.trees import Files

FILE, SCRIPT, LINK, MODULE = "100644", "100755", "120000", "160000"


def picture(red: int, green: int, blue: int, size: int = 96) -> bytes:
    """Return a PNG with a lighter disc on one colour."""
    rows = b""
    for y in range(size):
        rows += b"\0"
        for x in range(size):
            inside = (x - size / 2) ** 2 + (y - size / 2) ** 2 < (size / 3) ** 2
            rows += bytes((min(255, tone + 90) if inside else tone) for tone in (red, green, blue))

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", size, size, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def notebook(source: list[str], output: str) -> bytes:
    """Return a notebook with one text and one code cell, written as Jupyter writes it."""
    cells = [
        {"cell_type": "markdown", "metadata": {}, "source": ["# Late fees\n", "By branch and month."]},
        {
            "cell_type": "code",
            "execution_count": 3,
            "metadata": {},
            "outputs": [{"name": "stdout", "output_type": "stream", "text": [output]}],
            "source": source,
        },
    ]
    meta = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    return json.dumps({"cells": cells, "metadata": meta, "nbformat": 4, "nbformat_minor": 5}, indent=1).encode() + b"\n"


LEDGER = b'''"""The ledger of a branch: bookings, balances, and what is overdue."""

import datetime
import logging

log = logging.getLogger(__name__)


def balance(bookings):
    """Return the sum of all bookings."""
    total = 0
    for booking in bookings:
        total += booking.amount
    return total


def overdue(bookings, today):
    """Return bookings that nobody paid within thirty days."""
    limit = today - datetime.timedelta(days=30)
    late = [booking for booking in bookings if booking.due < limit and not booking.paid]
    log.info("found %d late bookings", len(late))
    return sorted(late, key=lambda booking: booking.due)


def statement(account, bookings):
    """Return the lines of an account's statement."""
    lines = [f"Statement of {account.name}"]
    for booking in bookings:
        lines.append(f"{booking.due:%Y-%m-%d}  {booking.amount:>10}")
    lines.append(f"Total {balance(bookings)}")
    return lines


def remind(account, late):
    """Write to an account that something is overdue."""
    text = "\\n".join(statement(account, late))
    account.mail(subject="Overdue", text=text)
    log.info("reminded %s", account.name)
'''
_REMIND = LEDGER[LEDGER.index(b"def remind") :]
_INDENTED = b"    for booking in bookings:\n        total += booking.amount\n"
LEDGER_NOW = (
    LEDGER.replace(b"\n\n" + _REMIND, b"\n")
    .replace(b"def balance(", _REMIND + b"\n\ndef balance(", 1)
    .replace(b"days=30", b"days=21")
    .replace(b"thirty days", b"three weeks")
    .replace(b"booking.due < limit and not booking.paid", b"booking.due <= limit")
    .replace(_INDENTED, _INDENTED.replace(b"        total", b"      total"))
)
# The check of rights stands in a comment, which bidirectional controls hide.
ACCESS = (
    "def may_read(user):\n"
    "    # read only \u202e } \u2066if user.is_admin\u2069 \u2066 begin\n"
    "    return user.is_admin or user\u200b.is_guest\n"
)
EXPORT = b'''"""Exports."""


def export(path):
    with open(path, "w") as file:
        file.write("id;sum\\n")
'''
LAYOUT = b"def rows(items):\n  for item in items:\n    yield item.name\n    yield item.sum\n"
LOGO = b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8">\n  <rect width="8" height="8"/>\n</svg>\n'
ROUTES = b"export const routes = {\n" + b"".join(b'  "page-%d": "/pages/%d",\n' % (n, n) for n in range(60)) + b"};\n"
LONG = b"const table = [" + b",".join(b"%d" % (n * 7919 % 10007) for n in range(1200)) + b"];\n"
LOCK = b'{\n  "lockfileVersion": 3\n}\n'

BASE: Files = {
    b"README.md": (FILE, b"# Ledger\n\nKeeps the books of a branch.\n"),
    b"assets/logo.png": (FILE, picture(40, 90, 150)),
    b"assets/logo.svg": (FILE, LOGO),
    b"assets/font.bin": (FILE, bytes(range(256)) * 8),
    b"bin/run": (FILE, b"#!/bin/sh\nexec python -m ledger\n"),
    b"config/current": (LINK, b"staging.toml"),
    b"config/defaults.toml": (FILE, b'currency = "EUR"\n'),
    b"docs/old-notes.txt": (FILE, b"Nobody reads this any more.\nIt goes.\n"),
    b"docs/windows.txt": (FILE, b"first\r\nsecond\r\nthird\r\n"),
    b"docs/end.txt": (FILE, b"The last line\n"),
    b"ledger/__init__.py": (FILE, b""),
    b"ledger/books.py": (FILE, LEDGER),
    b"ledger/access.py": (FILE, b"def may_read(user):\n    return user.is_admin\n"),
    b"ledger/names.py": (FILE, "def greet(name):\n    return 'Grüße, ' + name\n".encode("latin-1")),
    b"ledger/layout.py": (FILE, LAYOUT),
    b"package-lock.json": (FILE, LOCK),
    b"reports/fees.ipynb": (FILE, notebook(["fees = load('2026')\n", "print(fees.sum())"], "812\n")),
    b"vendor/audit": (MODULE, b"1" * 40),
    b"web/app.min.js": (FILE, b"!function(){console.log(1)}();\n"),
    b"web/routes.js": (FILE, ROUTES),
    b"web/table.js": (FILE, LONG),
}
GONE = {b"docs/old-notes.txt", b"config/defaults.toml", b"web/routes.js"}
HEAD: Files = {
    **{path: entry for path, entry in BASE.items() if path not in GONE},
    b"assets/logo.png": (FILE, picture(150, 60, 40)),
    b"assets/logo.svg": (FILE, LOGO.replace(b'rect width="8" height="8"', b'circle cx="4" cy="4" r="4"')),
    b"assets/font.bin": (FILE, bytes(range(256)) * 9),
    b"bin/run": (SCRIPT, b"#!/bin/sh\nexec python -m ledger\n"),
    b"config/current": (LINK, b"production.toml"),
    b"config/defaults.toml": (LINK, b"current"),
    b"docs/windows.txt": (FILE, b"first\nsecond\nthird\n"),
    b"docs/end.txt": (FILE, b"The last line"),
    b"ledger/books.py": (FILE, LEDGER_NOW),
    b"ledger/access.py": (FILE, ACCESS.encode()),
    b"ledger/names.py": (FILE, "def greet(name):\n    return 'Schöne Grüße, ' + name\n".encode("latin-1")),
    b"ledger/layout.py": (FILE, LAYOUT.replace(b"  ", b"    ")),
    b"ledger/empty.py": (FILE, b""),
    b"ledger/export.py": (FILE, EXPORT),
    b"package-lock.json": (FILE, LOCK.replace(b"3", b"4")),
    b"reports/fees.ipynb": (
        FILE,
        notebook(["fees = load('2026')\n", "late = fees[fees.days > 21]\n", "print(late.sum())"], "640\n"),
    ),
    b"vendor/audit": (MODULE, b"2" * 40),
    b"web/app.min.js": (FILE, b"!function(){console.log(2)}();\n"),
    b"web/navigation.js": (FILE, ROUTES.replace(b"/pages/30", b"/help/30")),
    b"web/table.js": (FILE, LONG.replace(b"];", b",7];")),
    b"data/rates.csv": (FILE, b"".join(b"2026-%02d;%d\n" % (n % 12 + 1, n) for n in range(1_500))),
}
