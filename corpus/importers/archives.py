"""Archives from strangers: weighed before anything is unpacked, and unpacked into memory only."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

from corpus.domain.bytestext import path_text
from corpus.domain.limits import MAX_FILE_BYTES, MIB, in_words
from corpus.domain.paths import PathRefused, check_path, check_paths
from corpus.importers.records import ImportRefused
from corpus.services.trees import EXECUTABLE, FILE, Files

MAX_ENTRIES = 20_000
MAX_UNPACKED_BYTES = 128 * MIB
# Text packs to a tenth or so; a file of one repeated byte to a thousandth.
MAX_RATIO = 150
RATIO_COUNTS_ABOVE = 4 * MIB
_ZIP_ENTRY = b"PK\x01\x02"
CHUNK = MIB


def is_archive(data: bytes) -> bool:
    """Say whether the bytes are a zip or a tar file, packed or not, by their own marks."""
    return data.startswith((b"PK\x03\x04", b"PK\x05\x06", b"\x1f\x8b", b"BZh", b"\xfd7zXZ\0")) or (
        data[257:262] == b"ustar"
    )


def read_archive(name: str, data: bytes) -> Files:
    """Return the files of an archive by path, with their modes. Raises ImportRefused; nothing is written anywhere."""
    try:
        files = _read_zip(name, data) if data.startswith(b"PK") else _read_tar(name, data)
        check_paths(files)
    except PathRefused as error:
        raise ImportRefused(f"{name}: {error}") from error
    if not files:
        raise ImportRefused(f"{name} holds no file; pack the folder of cases anew.")
    return files


def _read_zip(name: str, data: bytes) -> Files:
    # Counted in the bytes first: the library reads every entry of the directory before it tells their number.
    if data.count(_ZIP_ENTRY) > 4 * MAX_ENTRIES:
        raise ImportRefused(f"{name} holds more than {MAX_ENTRIES} entries, which is the limit; split it.")
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = archive.infolist()
            _check_weight(name, len(entries), sum(entry.file_size for entry in entries), len(data))
            files: dict[bytes, tuple[str, bytes]] = {}
            for entry in entries:
                path = _zip_path(entry)
                mode = entry.external_attr >> 16
                _check_entry(name, path, _kind(mode), entry.file_size)
                if entry.flag_bits & 0x1:
                    raise ImportRefused(f'{name}: "{path_text(path)}" is encrypted; pack it without a password.')
                if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                    raise ImportRefused(f'{name}: "{path_text(path)}" is packed in an uncommon way; use deflate.')
                if path.endswith(b"/"):
                    continue
                _add(files, name, path, mode, archive.read(entry))
            return files
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, OSError, ValueError) as error:
        raise ImportRefused(f"{name} is a damaged zip file ({str(error)[:80]}); pack it anew.") from error


def _zip_path(entry: zipfile.ZipInfo) -> bytes:
    return entry.orig_filename.encode("utf-8" if entry.flag_bits & 0x800 else "cp437", "surrogateescape")


def _kind(mode: int) -> str:
    """Return what a mode says that is no plain file, in words; empty for plain files and folders."""
    kind = stat.S_IFMT(mode)
    if kind in (0, stat.S_IFREG, stat.S_IFDIR):
        return ""
    return "a symbolic link" if kind == stat.S_IFLNK else "a device or another special file"


def _read_tar(name: str, data: bytes) -> Files:
    unpacked = _decompressed(name, data)
    files: dict[bytes, tuple[str, bytes]] = {}
    count = total = 0
    try:
        with tarfile.open(
            fileobj=io.BytesIO(unpacked), mode="r:", encoding="utf-8", errors="surrogateescape"
        ) as archive:
            for entry in archive:
                count += 1
                total += entry.size
                _check_weight(name, count, total, len(data))
                path = os.fsencode(entry.name)
                special = ""
                if entry.issym() or entry.islnk():
                    special = "a symbolic link" if entry.issym() else "a hard link"
                elif not (entry.isreg() or entry.isdir()) or entry.sparse is not None:
                    special = "a device or another special file"
                _check_entry(name, path, special, entry.size)
                stream = archive.extractfile(entry) if entry.isreg() else None
                if stream is not None:
                    _add(files, name, path, entry.mode, stream.read())
    except (tarfile.TarError, EOFError, OSError, ValueError, OverflowError) as error:
        raise ImportRefused(f"{name} is a damaged tar file ({str(error)[:80]}); pack it anew.") from error
    return files


def _decompressed(name: str, data: bytes) -> bytes:
    """Unpack the stream around a tar file, giving up at the limit."""
    openers: tuple[tuple[bytes, Callable[[io.BytesIO], io.BufferedIOBase]], ...] = (
        (b"\x1f\x8b", lambda stream: gzip.GzipFile(fileobj=stream)),
        (b"BZh", bz2.BZ2File),
        (b"\xfd7zXZ\0", lzma.LZMAFile),
    )
    for mark, opener in openers:
        if data.startswith(mark):
            pieces: list[bytes] = []
            size = 0
            try:
                with opener(io.BytesIO(data)) as stream:
                    while piece := stream.read(CHUNK):
                        size += len(piece)
                        _check_weight(name, 0, size, len(data))
                        pieces.append(piece)
            except (OSError, EOFError, zlib.error, lzma.LZMAError) as error:
                raise ImportRefused(f"{name} is damaged ({str(error)[:80]}); pack it anew.") from error
            return b"".join(pieces)
    return data


def _check_weight(name: str, count: int, size: int, packed: int) -> None:
    if count > MAX_ENTRIES:
        raise ImportRefused(f"{name} holds more than {MAX_ENTRIES} entries, which is the limit; split it.")
    if size > MAX_UNPACKED_BYTES:
        raise ImportRefused(
            f"{name} unpacks to more than {in_words(MAX_UNPACKED_BYTES)}, which is the limit; split it."
        )
    if size > RATIO_COUNTS_ABOVE and size > MAX_RATIO * packed:
        raise ImportRefused(
            f"{name} unpacks to more than {MAX_RATIO} times its size, which is the limit; leave out what is not source."
        )


def _check_entry(name: str, path: bytes, special: str, size: int) -> None:
    shown = path_text(path)[:200]
    # A trailing slash names a folder, a leading "./" the root itself.
    bare = path.removeprefix(b"./").rstrip(b"/")
    if bare not in (b"", b"."):
        try:
            check_path(bare)
        except PathRefused as error:
            raise ImportRefused(f"{name}: {error}") from error
    if special:
        raise ImportRefused(f'{name}: "{shown}" is {special}; put plain files only, or import the repository by git.')
    if size > MAX_FILE_BYTES:
        raise ImportRefused(f'{name}: "{shown}" has {size} bytes; the limit is {in_words(MAX_FILE_BYTES)}.')


def _add(files: dict[bytes, tuple[str, bytes]], name: str, path: bytes, mode: int, data: bytes) -> None:
    path = path.removeprefix(b"./")
    if path in files:
        raise ImportRefused(f'{name} holds "{path_text(path)}" twice; pack it anew.')
    files[path] = (EXECUTABLE if mode & 0o111 else FILE, data)


def pack_folder(folder: Path) -> bytes:
    """Return a folder of this machine as a packed archive: the same files give the same bytes. Raises ImportRefused."""
    entries = list(_walk(folder))
    packed = io.BytesIO()
    size = 0
    with (
        gzip.GzipFile(fileobj=packed, mode="wb", mtime=0, filename="") as stream,
        tarfile.open(fileobj=stream, mode="w", format=tarfile.PAX_FORMAT, errors="surrogateescape") as archive,
    ):
        for path, is_executable in entries:
            full = folder / os.fsdecode(path)
            try:
                data = full.read_bytes()
            except OSError as error:
                raise ImportRefused(f'"{path_text(path)}" cannot be read: {error.strerror}.') from error
            size += len(data)
            if size > MAX_UNPACKED_BYTES:
                raise ImportRefused(
                    f"The folder holds more than {in_words(MAX_UNPACKED_BYTES)}, which is the limit; split it."
                )
            entry = tarfile.TarInfo(os.fsdecode(path))
            entry.size = len(data)
            entry.mode = 0o755 if is_executable else 0o644
            archive.addfile(entry, io.BytesIO(data))
    return packed.getvalue()


def _walk(folder: Path) -> Iterator[tuple[bytes, bool]]:
    """Yield the plain files below a folder in the order of their path bytes; links are refused, never followed."""
    root = os.fsencode(folder)
    found: list[tuple[bytes, bool]] = []
    pending = [b""]
    while pending:
        prefix = pending.pop()
        with os.scandir(os.path.join(root, prefix)) as entries:  # noqa: PTH118 - bytes
            for entry in entries:
                path = prefix + entry.name
                if entry.is_dir(follow_symlinks=False):
                    if entry.name != b".git":
                        pending.append(path + b"/")
                elif entry.is_file(follow_symlinks=False):
                    found.append((path, bool(entry.stat(follow_symlinks=False).st_mode & 0o111)))
                else:
                    raise ImportRefused(f'"{path_text(path)}" is a link or a special file; put plain files only.')
                if len(found) > MAX_ENTRIES:
                    raise ImportRefused(
                        f"The folder holds more than {MAX_ENTRIES} files, which is the limit; split it."
                    )
    yield from sorted(found)
