"""An export as one zip file whose bytes depend on nothing but the export.

Files are stored uncompressed: what deflate makes of the same bytes differs between builds of zlib, and a size and hash
that were shown once have to hold for every later download. Times are the earliest that the format knows.
"""

from __future__ import annotations

import io
import stat
import zipfile

from corpus.domain.exports.frame import Export

EARLIEST = (1980, 1, 1, 0, 0, 0)


def zip_bytes(export: Export, folder: str) -> bytes:
    """Return the files of `export` below `folder`, in their order."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for path, data in export.files:
            entry = zipfile.ZipInfo(f"{folder}/{path}", EARLIEST)
            entry.create_system = 3
            entry.external_attr = (stat.S_IFREG | 0o644) << 16
            archive.writestr(entry, data)
    return buffer.getvalue()
