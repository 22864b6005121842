"""One pass over the lines of a patch: where files start, what goes wrong with each, where reading goes on."""

from __future__ import annotations

import re

from corpus.domain.diff_model import DiffFile, FileError, PatchFormat, PatchLimits, PatchRefused, PatchWarning, Status
from corpus.domain.patch_headers import (
    GIT_KEYS,
    Header,
    binary_names,
    git_names,
    is_submodule_log,
    read_git_header,
    read_plain_header,
    without_prefixes,
)
from corpus.domain.patch_hunks import (
    LONGER,
    SHORTER,
    RawHunk,
    SectionProblem,
    check_order,
    cut_hunk,
    has_word_mark,
    is_plain_header,
    read_lines,
    skip_hunk,
)

WORD_DIFF = "word diff: make it without --word-diff"
COLOURED = "coloured diff: make it with --no-color"
CONTEXT = "context diff: make it with diff -u"
COMBINED = "combined diff: choose one parent"
SUBMODULE_LOG = "submodule in log form: make it with --submodule=short"
NO_CHANGE = "no change follows the header"
NO_BINARY_DATA = "binary patch without data"

_COLOURED = re.compile(rb"(?:\x1b\[[0-9;]*[mK])+(?:diff |--- |\+\+\+ |@@ |index |[-+])")
_HG = re.compile(rb"diff -r [0-9a-f]{12,40} (?:-r [0-9a-f]{12,40} )?(.+)")
_HUNK_START = re.compile(rb"@@ -[0-9]")
_MAIL_HEADER = re.compile(rb"From |(?!Index: )[A-Z][-A-Za-z]*: ")
_NEXT_MAIL = re.compile(rb"From [0-9a-f]{40} ")
_ENCODED_MAIL = re.compile(rb"content-transfer-encoding:\s*(quoted-printable|base64)\s*$", re.IGNORECASE)
_BINARY_BLOCK = re.compile(rb"(?:literal|delta) [0-9]{1,12}")
# git's base 85 with a letter for the length before it.
_BINARY_LINE = re.compile(rb"[A-Za-z][0-9A-Za-z!#$%&()*+;<=>?@^_`{|}~-]+")
# What Subversion writes behind the name of a file whose text it leaves out.
_INDEX_REMARKS: dict[bytes, Status] = {b" (added)": "added", b" (deleted)": "deleted"}
# First letters of all lines that can start or end something outside a hunk; most other lines are passed by.
_TELLING = frozenset(b"d-@*IBOSPCcF\x1b")


class PatchReader:
    """One pass over the lines of a patch."""

    def __init__(
        self, lines: list[bytes], limits: PatchLimits, warnings: list[PatchWarning], first_offset: int, size: int
    ) -> None:
        self.lines = lines
        # A line of the patch (from 0) and where it begins; `_offset` moves on from there.
        self.measured = (0, first_offset)
        self.size = size
        self.limits = limits
        self.warnings = warnings
        self.files: list[DiffFile] = []
        self.errors: list[FileError] = []
        self.format: PatchFormat | None = None
        # In a git patch, lines between files that only plain diffs print are prose.
        self.has_git = any(line.startswith(b"diff --git ") for line in lines)
        self.is_mail = _MAIL_HEADER.match(lines[0]) is not None
        # In the message of a mail with a git patch, nothing but the patch is looked for.
        self.in_message = self.is_mail and self.has_git
        # The transfer encoding of the part of a mail that is being read, and the line that names it.
        self.encoded: tuple[str, int] | None = None
        self.recovering = False
        # The `diff --git` line of the file whose header was read last.
        self.git_line = b""

    def run(self) -> None:
        """Read every section; lines between sections are passed by unless they tell something."""
        lines, at = self.lines, 0
        while at < len(lines):
            if not lines[at] or lines[at][0] not in _TELLING:
                at += 1
                continue
            try:
                at = self._step(at)
            except SectionProblem as problem:
                self._note_error(problem)
                at = max(problem.resume, at + 1)
                self.recovering = True
            if len(self.files) + len(self.errors) > self.limits.max_files:
                raise PatchRefused(f"more files than the limit of {self.limits.max_files}", at)
        if not self.files:
            self._refuse_encoded()
        self._warn_of_repeats()

    def _warn_of_repeats(self) -> None:
        """Say when a file is changed more than once, as in a series of mails; a type change is no repeat."""
        seen: set[bytes] = set()
        before: DiffFile | None = None
        for file in self.files:
            is_type_change = before is not None and (before.status, file.status) == ("deleted", "added")
            if file.path in seen and not (is_type_change and before is not None and before.path == file.path):
                self.warnings.append(PatchWarning("the file is changed more than once", file.patch_line))
            if file.path is not None:
                seen.add(file.path)
            before = file

    def _note_error(self, problem: SectionProblem) -> None:
        if problem.reason in (SHORTER, LONGER) and self._is_word_diff(problem):
            raise PatchRefused(WORD_DIFF, problem.index + 1)
        self.errors.append(FileError(len(self.files) + len(self.errors), problem.reason, problem.index + 1))

    def _is_word_diff(self, problem: SectionProblem) -> bool:
        """Whether a hunk that broke off is one of a word diff: `~` between lines, or marks but no signs."""
        start = problem.index
        while start and not self.lines[start].startswith(b"@@"):
            start -= 1
        end = problem.resume
        while end < min(len(self.lines), problem.resume + 200) and not self._at(end).startswith((b"@@", b"diff ")):
            if self._at(end) == b"~":
                return True
            end += 1
        signed = any(line[:1] in (b"+", b"-") for line in self.lines[start + 1 : problem.resume])
        return not signed and has_word_mark(self.lines[start + 1 : end])

    def _step(self, at: int) -> int:
        """Read what starts at `at`, if anything, and return the index after it."""
        line = self.lines[at]
        if line.startswith(b"diff --git ") and self._is_git_start(at):
            return self._git_section(at)
        if line[:1] in (b"C", b"c", b"F"):
            self.in_message = self.in_message or (self.has_git and _NEXT_MAIL.match(line) is not None)
            self._note_mail_encoding(at)
            return at + 1
        if line.startswith(b"--") and self._at(at + 1).lower().startswith(b"content-"):
            self.encoded = None
        return at + 1 if self.in_message else self._plain_step(at)

    def _plain_step(self, at: int) -> int:
        """The same for what is not a section of `git diff`."""
        line = self.lines[at]
        if is_plain_header(self.lines, at):
            return at + 2 if self._is_of_bad_header(at) else self._plain_section(at)
        if line.startswith((b"diff --cc ", b"diff --combined ")):
            self._found("git")
            resume = at + 1
            while self._at(resume).startswith((*GIT_KEYS, b"mode ")):
                resume += 1
            raise SectionProblem(COMBINED, at, resume)
        if line.startswith(b"Index: ") and self._at(at + 1).startswith(b"===="):
            return self._index_section(at)
        if is_submodule_log(line):
            self._found("git")
            raise SectionProblem(SUBMODULE_LOG, at, at + 1)
        if line.startswith(b"diff -r "):
            return self._hg_section(at)
        if line.startswith(b"*** ") and self._is_context_diff(at):
            raise SectionProblem(CONTEXT, at, at + 3)
        if line.startswith(b"@@ ") and _HUNK_START.match(line):
            if self.recovering:
                return skip_hunk(self.lines, at)
            raise SectionProblem("hunk before any file header", at, skip_hunk(self.lines, at))
        if line.startswith(b"@@@ -") and not self.recovering:
            raise SectionProblem(COMBINED, at, at + 1)
        if line.startswith(b"\x1b") and _COLOURED.match(line):
            raise PatchRefused(COLOURED, at + 1)
        return self._plain_remark(at)

    def _at(self, index: int) -> bytes:
        return self.lines[index].removesuffix(b"\r") if index < len(self.lines) else b""

    def _offset(self, index: int) -> int:
        """Where a line begins in the bytes of the patch, or where they end. Ask for lines in their order."""
        at, offset = self.measured
        offset += sum(map(len, self.lines[at:index])) + index - at
        self.measured = (index, offset)
        # The end may be one less: a newline was added.
        return min(offset, self.size)

    def _found(self, name: PatchFormat) -> None:
        """The first section decides the format of the patch."""
        if self.format is None:
            self.format = name

    def _is_git_start(self, at: int) -> bool:
        """A `diff --git` line with header lines after it, or one that names a file; else it is prose."""
        if self._at(at + 1).startswith(GIT_KEYS):
            self.in_message = False
            self._refuse_long_header(at)
            return True
        if self.in_message:
            return False
        self._refuse_long_header(at)
        try:
            return git_names(self._at(at)[len(b"diff --git ") :]) is not None
        except ValueError:
            return False

    def _is_context_diff(self, at: int) -> bool:
        return self._at(at + 1).startswith(b"--- ") and self._at(at + 2).startswith(b"**********")

    def _git_section(self, start: int) -> int:
        self._refuse_encoded()
        self._found("git")
        self.git_line = self._at(start)
        header, at = read_git_header(self.lines, start)
        if self._at(at - 1) == b"GIT binary patch":
            at = self._binary_blocks(at)
        hunks, at = self._hunks(at)
        if not hunks and (header.names_given or _says_nothing(header)):
            if at == start + 1 and any(line.strip() for line in self.lines[at : at + 3]):
                # git prints such a line for a file that was only touched, and people write it into messages.
                self.warnings.append(PatchWarning("a diff --git line without a header was passed by", start + 1))
                return at
            raise SectionProblem(NO_CHANGE, start, at)
        self._add(header, hunks, at)
        return at

    def _is_of_bad_header(self, at: int) -> bool:
        """Whether `---` and `+++` belong to the file whose header was bad just now."""
        names = (self._at(index)[4:].partition(b"\t")[0] for index in (at, at + 1))
        return self.recovering and any(name and name in self.git_line for name in names)

    def _binary_blocks(self, at: int) -> int:
        """Pass by the data of a binary patch: one block for each direction, the second may be absent."""
        start = at
        while _BINARY_BLOCK.fullmatch(self._at(at)) and _BINARY_LINE.fullmatch(self._at(at + 1)):
            at += 1
            while _BINARY_LINE.fullmatch(self._at(at)):
                at += 1
            if not self._at(at):
                at += 1
        if at == start:
            raise SectionProblem(NO_BINARY_DATA, start - 1, start)
        return min(at, len(self.lines))

    def _plain_section(self, start: int, first: int | None = None) -> int:
        """`---` and `+++` at `start` with their hunks; the section begins at `first` if lines belong before them."""
        self._refuse_encoded()
        self._found("unified")
        self._refuse_long_header(start, start + 1)
        if self._at(start + 2).startswith(b"@@@"):
            raise SectionProblem(COMBINED, start, start + 3)
        header, at = read_plain_header(self.lines, start)
        header.index = start if first is None else first
        hunks, at = self._hunks(at)
        self._add(header, hunks, at)
        return at

    def _refuse_long_header(self, *places: int) -> None:
        for at in places:
            if len(self._at(at)) > self.limits.max_header_bytes:
                raise SectionProblem(
                    f"header line is longer than the limit of {self.limits.max_header_bytes} bytes", at, places[-1] + 1
                )

    def _index_section(self, start: int) -> int:
        """Subversion (and CVS): `Index: path`, a rule, then headers, a binary remark, or nothing but properties."""
        name, at = self._at(start)[len(b"Index: ") :], start + 2
        kind: PatchFormat = "svn"
        while self._at(at).startswith((b"RCS file:", b"retrieving revision ", b"diff -")):
            if self._at(at).startswith(b"diff --git "):
                return at
            kind, at = "unified", at + 1
        self._found(kind)
        if is_plain_header(self.lines, at):
            return self._plain_section(at, start)
        header = Header(start, old_path=name, new_path=name)
        if self._at(at).startswith(b"--- ") and self._at(at + 1).startswith(b"+++ "):
            header, at = read_plain_header(self.lines, at)
            header.index = start
            if header.absent_old or header.absent_new:
                header.status = "added" if header.absent_old else "deleted"
        for remark, status in _INDEX_REMARKS.items():
            if name.endswith(remark) and not header.names_given:
                header.status = status
                header.old_path = None if status == "added" else name.removesuffix(remark)
                header.new_path = None if status == "deleted" else name.removesuffix(remark)
        if self._at(at).startswith(b"Cannot display: file marked as a binary type"):
            header.binary = True
        else:
            self.warnings.append(PatchWarning("the file is named without a change of its text", start + 1))
        if not name:
            raise SectionProblem("path is empty", start, at)
        self._add(header, [], at)
        return at

    def _hg_section(self, at: int) -> int:
        """Mercurial's `diff -r` line: names the format, and a binary file if one changed."""
        match = _HG.fullmatch(self._at(at))
        if match is None:
            return at + 1
        self._found("hg")
        following = self._at(at + 1)
        if following.startswith(b"Binary file ") and following.endswith(b" has changed"):
            name = following[len(b"Binary file ") : -len(b" has changed")]
            self._add(Header(at, old_path=name, new_path=name, binary=True), [], at + 2)
            return at + 2
        return self._plain_section(at + 1, at) if is_plain_header(self.lines, at + 1) else at + 1

    def _plain_remark(self, at: int) -> int:
        """Lines of diff -r about files that it does not show, and Subversion's properties."""
        line = self._at(at)
        names = binary_names(line) if len(line) <= self.limits.max_header_bytes else None
        if names is not None and self.has_git:
            self.warnings.append(PatchWarning("a line about binary files outside any file was passed by", at + 1))
        elif names is not None:
            self._found("unified")
            old, new = (None if name == b"/dev/null" else name for name in names)
            old, new = without_prefixes(old, new)
            header = Header(at, old_path=old, new_path=new, binary=True)
            header.status = "added" if old is None else "deleted" if new is None else "modified"
            self._add(header, [], at + 1)
        elif line.startswith(b"Only in ") and b": " in line:
            self.warnings.append(PatchWarning("a file is on one side only and its text is not shown", at + 1))
        elif line.startswith(b"Property changes on: "):
            self.warnings.append(PatchWarning("changes of properties are not shown", at + 1))
        return at + 1

    def _hunks(self, at: int) -> tuple[list[RawHunk], int]:
        """The hunks from `at` on; blank lines between hunks are passed by."""
        hunks: list[RawHunk] = []
        while True:
            following = at
            while hunks and following < len(self.lines) and not self.lines[following].strip():
                following += 1
            if not self._at(following).startswith(b"@@"):
                return hunks, at
            if self._at(following).startswith(b"@@@"):
                raise SectionProblem(COMBINED, following, following + 1)
            hunk, at = cut_hunk(self.lines, following)
            hunks.append(hunk)

    def _add(self, header: Header, raw: list[RawHunk], resume: int) -> None:
        """Check the hunks against the header and keep the file; its section ends before line `resume`."""
        self._settle_absent(header, raw, resume)
        for hunk in raw:
            # No tool prints a hunk without a changed line, but an indented word diff looks like one.
            if all(line[:1] == b" " for line in hunk.body) and has_word_mark(hunk.body):
                raise PatchRefused(WORD_DIFF, hunk.index + 1)
        try:
            agree = check_order(raw)
            hunks = read_lines(raw)
        except SectionProblem as problem:
            raise SectionProblem(problem.reason, problem.index, resume) from problem
        if not agree:
            self.warnings.append(
                PatchWarning("line numbers of the two sides do not follow from each other", raw[0].index + 1)
            )
        self.recovering = False
        offset = self._offset(header.index)
        self.files.append(
            DiffFile(
                old_path=header.old_path,
                new_path=header.new_path,
                status=header.status,
                old_mode=header.old_mode,
                new_mode=header.new_mode,
                binary=header.binary,
                similarity=header.similarity,
                added=sum(line[:1] == b"+" for hunk in raw for line in hunk.body),
                removed=sum(line[:1] == b"-" for hunk in raw for line in hunk.body),
                hunks=hunks,
                old_oid=header.old_oid,
                new_oid=header.new_oid,
                patch_line=header.index + 1,
                patch_offset=offset,
                patch_length=self._offset(resume) - offset,
            )
        )

    def _settle_absent(self, header: Header, raw: list[RawHunk], resume: int) -> None:
        """Decide what a time stamp at the epoch means, and refuse lines on a side that does not exist."""
        empty_old = len(raw) == 1 and not raw[0].old_count and not raw[0].old_start
        empty_new = len(raw) == 1 and not raw[0].new_count and not raw[0].new_start
        if header.absent_old and empty_old:
            header.status = "added"
        elif header.absent_new and empty_new:
            header.status = "deleted"
        if header.status == "added":
            header.old_path = None
            if raw and not empty_old:
                raise SectionProblem("an added file has lines on its old side", raw[0].index, resume)
        elif header.status == "deleted":
            header.new_path = None
            if raw and not empty_new:
                raise SectionProblem("a deleted file has lines on its new side", raw[0].index, resume)

    def _note_mail_encoding(self, at: int) -> None:
        """Remember a transfer encoding that a mail, or a part of it, names for what follows."""
        match = _ENCODED_MAIL.match(self.lines[at])
        if match and self.is_mail:
            self.encoded = (match.group(1).decode().lower(), at)

    def _refuse_encoded(self) -> None:
        """A mail body in a transfer encoding is not the patch: `=3D` would be read as text."""
        if self.encoded is not None:
            raise PatchRefused(f"mail body is {self.encoded[0]}: decode it first", self.encoded[1] + 1)


def _says_nothing(header: Header) -> bool:
    """Whether a header without hunks states no change at all."""
    return header.status == "modified" and not header.binary and header.old_mode == header.new_mode
