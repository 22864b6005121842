"""A cap on uploads that acts while they arrive, so that a file over the limit is never held or written."""

from __future__ import annotations

from typing import Any

from django.core.files.uploadhandler import FileUploadHandler, SkipFile

from corpus.forms.imports import upload_limit


class CappedUploadHandler(FileUploadHandler):
    """Skip the rest of a file at the limit. The request keeps its other fields, and in `upload_refused` the name."""

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        """Start counting anew for each file."""
        super().new_file(*args, **kwargs)
        self.received = 0

    def receive_data_chunk(self, raw_data: bytes, start: int) -> bytes:
        """Count, and pass the bytes on to the handlers that keep them."""
        self.received += len(raw_data)
        if self.received > upload_limit():
            self.request.upload_refused = self.file_name  # type: ignore[union-attr]
            raise SkipFile
        return raw_data

    def file_complete(self, file_size: int) -> None:
        """Leave the file to the handlers that keep it."""
