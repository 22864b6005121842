"""Patches: one change in a file, or a mailbox of `git format-patch` with one change in each mail."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from email.header import decode_header, make_header
from email.message import Message
from email.parser import BytesParser

from corpus.importers.records import ImportedCase, ImportRefused, Record, Rejected, Source
from corpus.services.case_facts import CaseFacts, printable
from corpus.services.cases import PatchSource

MAX_MAILS = 5_000
# A mailbox separates mails by a line that starts with "From ", and no line of a patch body starts so.
_SEPARATOR = re.compile(rb"^From (?:[0-9a-f]{40}|\S+@\S+|\S+) .*[0-9]{4}\r?$", re.MULTILINE)
_COMMIT = re.compile(rb"From ([0-9a-f]{40}) ")
_HEADER = re.compile(rb"(?:From [^\n]*\n)?(?:From|Subject|Date|Message-Id|MIME-Version): ", re.IGNORECASE)
_SUBJECT_PREFIX = re.compile(r"^\s*(?:\[[^\]]*\]\s*)+")
_DIFF_START = re.compile(rb"^(?:diff --git |Index: |--- [^\n]*\n\+\+\+ )", re.MULTILINE)


def read(source: Source, defaults: CaseFacts) -> Iterator[Record]:
    """Yield one case for the patch, or one for each mail of a mailbox."""
    if not source.data.strip():
        raise ImportRefused(f"{source.name} is empty; give the output of git diff, git format-patch or diff -u.")
    mails = split_mails(source.data)
    if len(mails) > MAX_MAILS:
        raise ImportRefused(f"{source.name} holds {len(mails)} mails; the limit is {MAX_MAILS}, so split it.")
    for number, mail in enumerate(mails, 1):
        place = source.name if len(mails) == 1 else f"mail {number}"
        yield read_one(mail, defaults, place, cover_letter_allowed=len(mails) > 1)


def split_mails(data: bytes) -> list[bytes]:
    """Return the mails of a mailbox, or the data as they are when they are none."""
    if not data.startswith(b"From "):
        return [data]
    starts = [found.start() for found in _SEPARATOR.finditer(data)]
    if not starts or starts[0] != 0:
        return [data]
    return [data[start:end] for start, end in zip(starts, [*starts[1:], len(data)], strict=True)]


def read_one(data: bytes, defaults: CaseFacts, place: str, *, cover_letter_allowed: bool = False) -> Record:
    """Return the case of one patch; its mail headers, where it has some, tell title, author and message."""
    facts = defaults
    notes: tuple[str, ...] = ()
    if _HEADER.match(data):
        facts, data, notes = _read_mail(data, defaults)
    if cover_letter_allowed and not _DIFF_START.search(data):
        return Rejected(place, "It holds no patch, so it is a cover letter or a plain mail; leave it out.", facts.title)
    return ImportedCase(place, facts, PatchSource(data), notes=notes)


def _read_mail(data: bytes, defaults: CaseFacts) -> tuple[CaseFacts, bytes, tuple[str, ...]]:
    commit = _COMMIT.match(data)
    head, _, _ = data.partition(b"\n")
    offset = len(head) + 1 if data.startswith(b"From ") else 0
    message = BytesParser().parsebytes(data[offset:])
    notes: tuple[str, ...] = ()
    if not message.is_multipart() and str(message.get("Content-Transfer-Encoding", "")).lower() in {
        "quoted-printable",
        "base64",
    }:
        decoded = message.get_payload(decode=True)
        if isinstance(decoded, bytes):
            data = decoded
            notes = ("the patch was decoded from its mail; the mail as it came is kept with the import",)
    facts = replace(
        defaults,
        title=_SUBJECT_PREFIX.sub("", " ".join(_header(message, "Subject").split())),
        change_author=_header(message, "From")[:200],
        message=_body(message),
        head_commit=commit[1].decode() if commit else defaults.head_commit,
    )
    return facts, data, notes


def _header(message: Message, name: str) -> str:
    value = str(message.get(name, ""))
    try:
        text = str(make_header(decode_header(value)))
    except (ValueError, LookupError, UnicodeError):
        text = value
    return printable(text)


def _body(message: Message) -> str:
    """Return the words above the `---` line."""
    payload = message.get_payload(decode=True)
    if not isinstance(payload, bytes):
        return ""
    words = re.split(rb"^---\r?$|^(?:diff --git |Index: |--- )", payload, maxsplit=1, flags=re.MULTILINE)[0]
    return printable(words.decode("utf-8", "replace").replace("\r\n", "\n")).strip()[:100_000]
