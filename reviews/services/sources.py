"""Uploaded bytes as records: one file, or an archive with a file or a folder for each case."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from corpus.domain.bytestext import path_text
from corpus.importers.archives import is_archive, read_archive
from corpus.importers.records import ImportRefused, Source
from reviews.domain.formats.catalogue import FORMATS, detect_format, read_file
from reviews.domain.formats.records import FormatError, ParsedFile, ParsedRecord, ReadSettings, capped, rejected


class IntakeRefused(Exception):
    """Nothing of a source can be taken in; the message is one sentence with place, reason and remedy."""


@dataclass(frozen=True)
class Piece:
    """One file of a source, with the names that its place in an archive gives its case."""

    name: str
    data: bytes
    case_keys: tuple[str, ...] = ()


@dataclass(frozen=True)
class NamedFormat:
    """The format of a source, and why it was taken for it; no reason where it was named."""

    name: str
    reason: str = ""


def pieces_of(source: Source) -> list[Piece]:
    """Return the files of a source. Files of one folder are read behind each other where their format allows it."""
    if not is_archive(source.data):
        return [Piece(source.name, source.data)]
    try:
        files = read_archive(source.name, source.data)
    except ImportRefused as error:
        raise IntakeRefused(str(error)) from error
    pieces = []
    for path, (_, data) in sorted(files.items()):
        parts = path_text(path).split("/")
        stem = parts[-1].split(".")[0] if not parts[-1].startswith(".") else ""
        if stem and not parts[-1].startswith("__MACOSX") and parts[0] != "__MACOSX":
            pieces.append(Piece("/".join(parts), data, (stem, parts[-1], *reversed(parts[:-1]))))
    if not pieces:
        raise IntakeRefused(f"{source.name} holds no file; pack the tool's output anew.")
    return pieces


def format_of(source: Source, pieces: list[Piece], format_name: str) -> NamedFormat:
    """Return the format, named or told by the bytes. Raises IntakeRefused."""
    if format_name:
        if format_name not in FORMATS:
            raise IntakeRefused(f'The format "{format_name[:40]}" is unknown; known are {", ".join(FORMATS)}.')
        return NamedFormat(format_name)
    found: NamedFormat | None = None
    for piece in pieces:
        try:
            one = detect_format(piece.data)
        except FormatError as error:
            raise IntakeRefused(f"{piece.name}: {error}") from error
        if found is not None and found.name != one.name:
            two = f"{found.name} and {one.name} ({piece.name})"
            raise IntakeRefused(f"{source.name} holds files of two formats, {two}; import them apart.")
        found = found or NamedFormat(one.name, one.reason)
    assert found is not None
    return found


def read_pieces(pieces: list[Piece], format_name: str, settings: ReadSettings) -> ParsedFile:
    """Return the records of every piece. A piece that cannot be read is one rejected record, unless it is the only one.

    Raises IntakeRefused.
    """
    if len(pieces) == 1 and not pieces[0].case_keys:
        try:
            return read_file(pieces[0].data, format_name, settings)
        except FormatError as error:
            raise IntakeRefused(f"{pieces[0].name}: {error}") from error
    try:
        return capped(_of_pieces(_joined(pieces, format_name), format_name, settings))
    except FormatError as error:
        raise IntakeRefused(str(error)) from error


def _joined(pieces: list[Piece], format_name: str) -> list[Piece]:
    """Return the pieces with those of one folder as one: comments beside the reviews that declare their number."""
    if format_name != "github":
        return pieces
    folders: dict[str, list[Piece]] = {}
    for piece in pieces:
        folder = piece.name.rpartition("/")[0]
        folders.setdefault(folder or piece.name, []).append(piece)
    return [
        same[0]
        if len(same) == 1
        else Piece(folder, b"\n".join(one.data for one in same), tuple(reversed(folder.split("/"))))
        for folder, same in folders.items()
    ]


def _of_pieces(pieces: list[Piece], format_name: str, settings: ReadSettings) -> Iterator[ParsedRecord]:
    count = 0
    for piece in pieces:
        try:
            records: tuple[ParsedRecord, ...] = read_file(piece.data, format_name, settings).records
        except FormatError as error:
            records = (rejected("the file", piece.data[:2000], str(error)),)
        for record in records:
            yield replace(
                record,
                place=f"{piece.name}: {record.place}",
                case_keys=(*record.case_keys, *piece.case_keys),
                parent=None if record.parent is None else record.parent + count,
            )
        count += len(records)
