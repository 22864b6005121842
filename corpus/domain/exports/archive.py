"""An export as one zip file whose bytes depend on nothing but the export.

Files are stored uncompressed: what deflate makes of the same bytes differs between builds of zlib, and a size and hash
that were shown once have to hold for every later download. Times are the earliest that the format knows.
"""

from __future__ import annotations

import stat
import zipfile
from typing import IO

from corpus.domain.exports.frame import Export

EARLIEST = (1980, 1, 1, 0, 0, 0)


def write_zip(export: Export, folder: str, file: IO[bytes]) -> None:
    """Write the files of `export` below `folder` into `file`, which can be sought in, in their order."""
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        for path, data in export.files:
            entry = zipfile.ZipInfo(f"{folder}/{path}", EARLIEST)
            entry.create_system = 3
            entry.external_attr = (stat.S_IFREG | 0o644) << 16
            archive.writestr(entry, data)
