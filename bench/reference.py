"""What the product is measured against: logged-in views behind the same middleware that do the least."""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path

from django.db import transaction
from django.http import HttpRequest, HttpResponse, JsonResponse

from bench.models import Note


@lru_cache
def kept(name: str) -> bytes:
    """Return bytes that a measure kept for the view, read once by each process."""
    return (Path(os.environ["BENCH_BYTES_DIR"]) / name).read_bytes()


def same_bytes(request: HttpRequest, name: str) -> HttpResponse:
    """Return the bytes that the product returned, made beforehand."""
    return HttpResponse(kept(name))


def insert_note(request: HttpRequest) -> HttpResponse:
    """Insert one row in a transaction."""
    with transaction.atomic():
        note = Note.objects.create(author=request.user, text=request.POST.get("text", ""))
    return JsonResponse({"note": note.pk})
