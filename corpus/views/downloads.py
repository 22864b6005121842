"""What leaves as a file, under its hash as entity tag."""

from __future__ import annotations

from collections.abc import Mapping
from typing import IO

from django.http import FileResponse, HttpRequest, HttpResponse, HttpResponseBase
from django.utils.cache import get_conditional_response


def attachment(
    request: HttpRequest,
    content: bytes | IO[bytes],
    *,
    kind: str,
    name: str,
    sha256: str,
    headers: Mapping[str, str] | None = None,
) -> HttpResponseBase:
    """Return bytes, or a file from its start, as a download; who has them already gets 304, and the file is closed."""
    etag = f'"{sha256}"'
    shown = {"Content-Disposition": f'attachment; filename="{name}"', "ETag": etag, **(headers or {})}
    whole = HttpResponse(headers=shown)
    answer = get_conditional_response(request, etag=etag, response=whole)
    if answer is not None and answer is not whole:
        if not isinstance(content, bytes):
            content.close()
        return answer
    if isinstance(content, bytes):
        return HttpResponse(content, content_type=kind, headers=shown)
    return FileResponse(content, content_type=kind, headers=shown)
