"""Checkstyle XML. Document types are refused, so that no entity is ever expanded and nothing is ever fetched."""

from __future__ import annotations

from xml.parsers import expat

from reviews.domain.formats.records import (
    MAX_RECORDS,
    CaseReport,
    ClaimedPlace,
    FormatError,
    ParsedFile,
    ParsedRecord,
    ReadSettings,
    Statement,
    capped,
    check_size,
    clean,
    first_words,
    rejected,
)
from reviews.domain.scored import RunState
from reviews.domain.vocabulary import RecordKind

MAX_LEVELS = 40


class _Refused(Exception):
    """Stops the parser; the message is the reason."""


class _Reader:
    def __init__(self, data: bytes) -> None:
        self.data = data
        self.records: list[ParsedRecord] = []
        self.level = 0
        self.path = ""
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.StartDoctypeDeclHandler = self.doctype

    def doctype(self, *declared: object) -> None:
        raise _Refused("it declares a document type, which is not read because entities can be made to grow")

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self.level += 1
        if self.level == 1 and name != "checkstyle":
            raise _Refused(f"its outermost element is <{name[:40]}>, not <checkstyle>")
        if self.level > MAX_LEVELS:
            raise _Refused(f"it is nested deeper than {MAX_LEVELS} levels")
        if name == "file":
            self.path = clean(attributes.get("name", ""))
        elif name in {"error", "exception"}:
            if len(self.records) > MAX_RECORDS:
                raise _Refused(f"it holds more than the limit of {MAX_RECORDS} records")
            self.records.append(self.error(attributes))

    def end(self, name: str) -> None:
        self.level -= 1
        if name == "file":
            self.path = ""

    def error(self, attributes: dict[str, str]) -> ParsedRecord:
        place = f"line {self.parser.CurrentLineNumber}"
        start = self.parser.CurrentByteIndex
        closing = self.data.find(b">", start)
        data = self.data[start : closing + 1] if closing >= 0 else self.data[start : start + 2000]
        message = clean(attributes.get("message", ""))
        if not message.strip():
            return rejected(place, data, "the error has no message")
        if not self.path.strip():
            return rejected(place, data, "the error stands in no <file> with a name")
        line = attributes.get("line", "").strip()
        if line and not (line.lstrip("-").isascii() and line.lstrip("-").isdecimal() and len(line) < 12):
            return rejected(place, data, f'"line" must be a whole number, but is "{clean(line)[:40]}"')
        number = int(line) if line else 0
        severity = clean(attributes.get("severity", ""))[:100]
        is_ignored = severity.lower() == "ignore"
        statement = Statement(
            body=message,
            # Line 0 is how a whole file is named.
            places=(ClaimedPlace(self.path, ranges=((number, number),) if number else ()),),
            severity="" if is_ignored else severity,
            scale="diagnostic",
            rule_id=clean(attributes.get("source", ""))[:200],
        )
        return ParsedRecord(
            place=place,
            kind=RecordKind.SUPPRESSED if is_ignored else RecordKind.FINDING,
            data=data,
            reason='Its severity is "ignore".' if is_ignored else "",
            summary=first_words(message),
            statement=statement,
        )


def read(data: bytes, settings: ReadSettings) -> ParsedFile:
    """Read the errors of every file. What breaks the XML ends the reading; what stands before it is kept."""
    check_size(data)
    reader = _Reader(data)
    ended: ParsedRecord | None = None
    try:
        reader.parser.Parse(data, True)
    except _Refused as error:
        raise FormatError(f"The file is refused at line {reader.parser.CurrentLineNumber}: {error}.") from error
    except expat.ExpatError as error:
        place = f"line {error.lineno}, column {error.offset + 1}"
        reason = f"it is no XML there: {expat.ErrorString(error.code)}"
        if not reader.records:
            raise FormatError(f"The file cannot be read at {place}: {reason}; mend it there.") from error
        ended = rejected(place, b"", f"{reason}; nothing behind it was read")
    except (LookupError, ValueError) as error:
        raise FormatError("The file names an encoding that is not known here; save it as UTF-8.") from error
    about = ParsedRecord(
        place="the file",
        kind=RecordKind.META,
        data=b"",
        reason="The tool looked at the case.",
        report=CaseReport(state=RunState.REVIEWED),
    )
    return capped([about, *reader.records, *([ended] if ended else [])])
