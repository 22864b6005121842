"""A reviewer at work who writes down what was acknowledged, and the comparison of that with the stored rows (N1)."""

from __future__ import annotations

import random
import threading
from dataclasses import dataclass, field
from typing import Any

from tests.services.client import Answer, Browser, Unanswered
from tests.services.server import Database, Server

SEVERITIES = ("critical", "high", "medium", "low")
RELATIONS = ("introduced", "made_worse", "pre_existing", "unrelated")
CONFIDENCES = ("low", "medium", "high")
CATEGORIES = ("concurrency", "error_handling")
PATH, LAST_LINE = "pay/retry.py", 20
TEXTS = ("title", "severity", "relation", "trigger", "evidence", "impact", "accept_elements", "keywords", "confidence")


@dataclass
class Save:
    """One save that was sent: its mark, its text, and the version under which it was acknowledged, if it was."""

    key: str
    form: dict[str, str]
    version: int | None = None


@dataclass
class Draft:
    """One open label form."""

    writer: str
    label: str = ""
    saves: list[Save] = field(default_factory=list)

    @property
    def version(self) -> int:
        """The version that the next save is filled from."""
        return next((save.version for save in reversed(self.saves) if save.version is not None), 0)


@dataclass
class AnswerSave:
    """One save of the answer on the whole case."""

    form: dict[str, str]
    version: int | None = None


class Reviewer:
    """One person at one seat, saving labels and the answer until told to stop or left without an answer."""

    def __init__(self, browser: Browser, address: str, seat: str, *, seed: str) -> None:
        self.browser = browser
        self.address = address
        self.seat = seat
        self.random = random.Random(seed)
        self.drafts: list[Draft] = []
        self.answers: list[AnswerSave] = []
        self.submissions: list[bool] = []
        self.acknowledged = 0
        self.surprises: list[str] = []
        # Set while a request is under way.
        self.sending = threading.Event()
        self.stopping = threading.Event()

    # --- At work ----------------------------------------------------------------------------------------------

    def work(self) -> None:
        """Save again and again; return when told to stop or when the server leaves a save without an answer."""
        try:
            while not self.stopping.is_set():
                self.act()
        except Unanswered:
            pass
        finally:
            self.sending.clear()

    def act(self) -> None:
        """Make one save: mostly of a label, a new one now and then, sometimes of the answer."""
        choice = self.random.random()
        if not self.drafts or (choice < 0.25 and len(self.drafts) < 12):
            self.save_label(self.new_draft())
        elif choice < 0.85:
            self.save_label(self.random.choice(self.drafts))
        else:
            self.save_answer()

    def new_draft(self, writer: str = "") -> Draft:
        """Open the form of a new label."""
        self.drafts.append(Draft(writer=writer or f"{self.seat}-{len(self.drafts)}"))
        return self.drafts[-1]

    def save_label(self, draft: Draft) -> None:
        """Send the next state of a label form."""
        number = len(draft.saves) + 1
        save = Save(key=f"{draft.writer}.{number}", form=self.label_form(f"{draft.writer}.{number}"))
        draft.saves.append(save)
        self.send_label(draft, save)

    def send_label(self, draft: Draft, save: Save) -> None:
        """Send a save, for the first time or again, and note its acknowledgement."""
        url = f"{self.address}labels/{draft.label}/" if draft.label else f"{self.address}labels/"
        sent = {**save.form, "save_key": save.key, "expected_version": str(draft.version)}
        answer = self.send(url, sent)
        if self.is_expected(answer, 200, f"save {save.key}"):
            draft.label, save.version = answer.json["label"], answer.json["version"]
            self.acknowledged += 1

    def save_answer(self) -> None:
        """Send the next state of the answer."""
        token = f"{self.seat} answer {len(self.answers) + 1}"
        save = AnswerSave({"verdict": "has_defects", "missing_context": "", "summary": f"{token} {self.filler()}"})
        self.answers.append(save)
        self.send_answer(save)

    def send_answer(self, save: AnswerSave) -> None:
        """Send an answer, for the first time or again."""
        answer = self.send(f"{self.address}answer/", {**save.form, "expected_version": str(self.answer_version)})
        if self.is_expected(answer, 200, "answer"):
            save.version = answer.json["version"]
            self.acknowledged += 1

    @property
    def answer_version(self) -> int:
        """The version that the next answer is filled from."""
        return next((save.version for save in reversed(self.answers) if save.version is not None), 0)

    def submit(self) -> None:
        """Submit for good with the answer as it was last acknowledged."""
        held = next(save for save in reversed(self.answers) if save.version is not None)
        self.submissions.append(False)
        try:
            answer = self.send(
                f"{self.address}submit/",
                {**held.form, "final": "1", "expected_version": str(held.version)},
                script=False,
            )
        except Unanswered:
            return
        finally:
            self.sending.clear()
        if self.is_expected(answer, 302, "submit"):
            self.submissions[-1] = True

    def send_again(self) -> None:
        """Send what was left without an answer, as the page does when the server is back."""
        for draft in self.drafts:
            for save in draft.saves:
                if save.version is None:
                    self.send_label(draft, save)
        for answer in self.answers:
            if answer.version is None:
                self.send_answer(answer)
        if self.submissions and not self.submissions[-1]:
            self.submit()

    def send(self, url: str, form: dict[str, str], *, script: bool = True) -> Answer:
        """Post a form; `sending` is set until the answer is there."""
        self.sending.set()
        try:
            return self.browser.save(url, form) if script else self.browser.post(url, form)
        finally:
            self.sending.clear()

    def is_expected(self, answer: Answer, status: int, what: str) -> bool:
        """Note an answer that a lone writer must never get."""
        if answer.status == status:
            return True
        self.surprises.append(f"{what}: {answer.status} {answer.text[:300]}")
        return False

    def label_form(self, token: str) -> dict[str, str]:
        """Return a whole label in which every text names its save, so that a mixture of two would show."""
        first = self.random.randint(1, LAST_LINE - 2)
        return {
            "title": f"{token} title",
            "severity": self.random.choice(SEVERITIES),
            "category": self.random.choice(CATEGORIES),
            "relation": self.random.choice(RELATIONS),
            "speculative": self.random.choice(("yes", "no")),
            "trigger": f"{token} trigger {self.filler()}",
            "evidence": f"{token} evidence {self.filler()}",
            "impact": f"{token} impact",
            "accept_elements": f"{token} first\n{token} second",
            "keywords": token.lower().replace(".", "-"),
            "confidence": self.random.choice(CONFIDENCES),
            "places_primary": f"{PATH} new {first}-{self.random.randint(first, LAST_LINE)}",
            "places_supporting": f"{PATH} old {self.random.randint(1, 15)}",
        }

    def filler(self) -> str:
        """Return up to 6,000 characters, so that saves differ in size and fill several pages of the database."""
        return "é" + "x" * self.random.choice((1, 40, 900, 6000))

    # --- The rows ---------------------------------------------------------------------------------------------

    def unanswered(self) -> int:
        """Return how many saves and submissions were left without an answer."""
        saves = [save for draft in self.drafts for save in draft.saves if save.version is None]
        answers = [save for save in self.answers if save.version is None]
        return len(saves) + len(answers) + (1 if self.submissions and not self.submissions[-1] else 0)

    def differences(self, database: Database) -> list[str]:
        """Return every way in which the stored rows differ from the ledger; empty when nothing was lost or mixed.

        What was acknowledged must be there with exactly its text and version. What was not may be there, whole and
        once, or not at all; nothing else may be there.
        """
        return [*self.surprises, *self._label_differences(database), *self._answer_differences(database)]

    def _label_differences(self, database: Database) -> list[str]:
        found: list[str] = []
        revisions = stored_revisions(database, self.seat)
        by_key: dict[str, list[dict[str, Any]]] = {}
        for revision in revisions:
            by_key.setdefault(revision["save_key"], []).append(revision)
        for draft in self.drafts:
            for save in draft.saves:
                rows = by_key.pop(save.key, [])
                if len(rows) > 1 or (save.version is not None and not rows):
                    found.append(f"{save.key}: acknowledged as {save.version}, stored {len(rows)} times")
                for row in rows:
                    if save.version is not None and (row["label"], row["number"]) != (draft.label, save.version):
                        found.append(f"{save.key}: stored as {row['label']} {row['number']}")
                    wanted = as_stored(save.form)
                    found += [
                        f"{save.key}: {name} is {row[name]!r}, sent was {value!r}"
                        for name, value in wanted.items()
                        if row[name] != value
                    ]
        found += [f"{key!r} was never sent" for key in by_key]
        newest = {revision["label"]: revision for revision in revisions}
        for label in stored_labels(database, self.seat):
            revision = newest.pop(label["label"], None)
            if revision is None or {**revision, "save_key": None} != {**label, "save_key": None}:
                found.append(f"label {label['label']} is not its newest revision: {label} {revision}")
        found += [f"label {label} has revisions and no row" for label in newest]
        return found

    def _answer_differences(self, database: Database) -> list[str]:
        found: list[str] = []
        rows = database.rows(
            "SELECT e.state, e.verdict, e.summary FROM labeling_assignmentevent e"
            " JOIN labeling_assignment a ON a.id = e.assignment_id WHERE a.public_id = ? ORDER BY e.number",
            self.seat,
        )
        drafts = [(verdict, summary) for state, verdict, summary in rows if state == "active" and summary]
        for save in self.answers:
            wanted = (save.form["verdict"], save.form["summary"])
            if drafts.count(wanted) > 1 or (save.version is not None and drafts.count(wanted) != 1):
                found.append(f"{wanted[1][:40]}: acknowledged as {save.version}, stored {drafts.count(wanted)} times")
            drafts = [draft for draft in drafts if draft != wanted]
        found += [f"{summary[:40]!r} was never sent" for _, summary in drafts]
        ((state, verdict, summary, has_times, closed),) = database.rows(
            "SELECT a.state, a.verdict, a.summary, a.submitted_at IS NOT NULL AND a.final_at IS NOT NULL,"
            " s.has_submitted FROM labeling_assignment a JOIN corpus_caseseat s ON s.case_id = a.case_id"
            " AND s.user_id = a.reviewer_id WHERE a.public_id = ?",
            self.seat,
        )
        if rows and (verdict, summary) != rows[-1][1:]:
            found.append(f"the seat holds {verdict} {summary[:40]!r}, its newest event {rows[-1][1:]!r}")
        submitted = [row for row in rows if row[0] == "submitted"]
        audited = database.one(
            "SELECT count(*) FROM corpus_auditentry WHERE verb = 'seat submitted' AND subject = ?",
            f"assignment {self.seat}",
        )
        is_submitted = state == "submitted"
        if any(self.submissions) and not is_submitted:
            found.append("an acknowledged submission is not stored")
        if is_submitted and not self.submissions:
            found.append("submitted by nobody")
        if {len(submitted), audited, int(bool(has_times)), int(bool(closed))} != {int(is_submitted)}:
            found.append(
                f"half a submission: {state}, {len(submitted)} events, {audited} entries, {has_times}, {closed}"
            )
        return found


def reviewer_at(server: Server, name: str, pair: int) -> Reviewer:
    """Give a person of the stage the seat they hold in one of its pairs."""
    seat = server.facts["pairs"][pair]["seats"][name]
    address = f"/p/{server.facts['project']}/seats/{seat}/"
    return Reviewer(server.signed_in(name), address, seat, seed=f"{name}{pair}")


def as_stored(form: dict[str, str]) -> dict[str, Any]:
    """Return what a label form must have become, worked out without the product."""
    primary, supporting = form["places_primary"], form["places_supporting"]
    places = set()
    for role, text in (("primary", primary), ("supporting", supporting)):
        path, side, lines = text.split(" ")
        first, _, last = lines.partition("-")
        places.add((role, path, side, int(first), int(last or first)))
    return {
        **{name: form[name] for name in TEXTS},
        "category": form["category"],
        "speculative": form["speculative"] == "yes",
        "places": places,
    }


_FIELDS = (
    'x.title, x.severity, x.relation, x."trigger", x.evidence, x.impact, x.accept_elements, x.keywords, x.confidence,'
    " c.key, x.speculative"
)


def _row(values: tuple[Any, ...], places: dict[str, list[tuple[Any, ...]]]) -> dict[str, Any]:
    label, number, save_key, *rest, category, speculative = values
    held = {
        tuple(place)
        for *place, since, until in places.get(label, [])
        if since <= number and (until is None or until > number)
    }
    return {
        "label": label,
        "number": number,
        "save_key": save_key,
        **dict(zip(TEXTS, rest, strict=True)),
        "category": category,
        "speculative": None if speculative is None else bool(speculative),
        "places": held,
    }


def _places(database: Database, seat: str) -> dict[str, list[tuple[Any, ...]]]:
    found: dict[str, list[tuple[Any, ...]]] = {}
    for label, *place in database.rows(
        "SELECT l.public_id, p.role, p.path, p.side, p.first_line, p.last_line, p.since, p.until"
        " FROM labeling_labelanchor p JOIN labeling_label l ON l.id = p.label_id"
        " JOIN labeling_assignment a ON a.id = l.assignment_id WHERE a.public_id = ?",
        seat,
    ):
        found.setdefault(label, []).append(tuple(place))
    return found


def stored_revisions(database: Database, seat: str) -> list[dict[str, Any]]:
    """Return every revision of a seat's labels with the places it had, oldest first."""
    places = _places(database, seat)
    rows = database.rows(
        f"SELECT l.public_id, x.number, x.save_key, {_FIELDS} FROM labeling_labelrevision x"
        " JOIN labeling_label l ON l.id = x.label_id JOIN labeling_assignment a ON a.id = l.assignment_id"
        " LEFT JOIN corpus_category c ON c.id = x.category_id WHERE a.public_id = ? ORDER BY l.id, x.number",
        seat,
    )
    return [_row(row, places) for row in rows]


def stored_labels(database: Database, seat: str) -> list[dict[str, Any]]:
    """Return a seat's labels as they stand."""
    places = _places(database, seat)
    rows = database.rows(
        f"SELECT x.public_id, x.version, '', {_FIELDS} FROM labeling_label x"
        " JOIN labeling_assignment a ON a.id = x.assignment_id"
        " LEFT JOIN corpus_category c ON c.id = x.category_id WHERE a.public_id = ? ORDER BY x.id",
        seat,
    )
    return [_row(row, places) for row in rows]
