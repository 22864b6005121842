"""The form of one decision: what it starts from, and what a browser sends of it. Parsing only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from django.http import QueryDict

from corpus.domain.vocabulary import AnchorRole, Confidence, DisagreementKind, GoldenState, Outcome, Severity, Verdict
from labeling.domain.adjudicating import ABOUT_ANSWERS, REASON_WORDS, GoldenInput, allowed_outcomes, allowed_states
from labeling.domain.place_text import write_places
from labeling.label_forms import ANSWERS, parse_label, place_texts, typed_label
from labeling.selectors.sides import VERDICT_SAYS

KEYS = {
    Outcome.ACCEPT_A: "a",
    Outcome.ACCEPT_B: "b",
    Outcome.ACCEPT_C: "c",
    Outcome.MERGE: "m",
    Outcome.REJECT: "r",
    Outcome.UNRESOLVED: "u",
}
STATE_WORDS = {
    GoldenState.REQUIRED: "required",
    GoldenState.OPTIONAL: "optional",
    GoldenState.DECOY: "keep it as a decoy",
}
STATE_HELP = {
    Outcome.REJECT: "A decoy is a statement known to be wrong; it is kept and never counts as found.",
}


@dataclass(frozen=True)
class OutcomeButton:
    """One way to decide: the outcome in letters, its key and its words."""

    outcome: str
    key: str
    words: str
    is_chosen: bool


@dataclass(frozen=True)
class Choice:
    """One choice of a radio group."""

    value: str
    words: str
    is_chosen: bool
    key: str = ""


@dataclass(frozen=True)
class DecisionForm:
    """A decision in the making, in terms of letters."""

    outcome: Outcome
    kind: DisagreementKind
    expected_version: int
    # How many sides have a label or an answer in it.
    sides: int = 2
    golden_state: str = ""
    reason_code: str = ""
    rationale: str = ""
    confidence: str = ""
    is_guideline_gap: bool = False
    verdict: str = ""
    fields: GoldenInput | None = None
    place_texts: dict[str, str] = field(default_factory=dict)
    errors: dict[str, str] = field(default_factory=dict)
    # The fields of an edited finding have no drafts, hence no gaps before they are sent.
    gaps: tuple[()] = ()

    @property
    def heading(self) -> str:
        """What the person is about to do."""
        return outcome_words(self.kind, self.outcome, self.sides)

    @property
    def states(self) -> tuple[Choice, ...]:
        """What the finding may count as."""
        states = allowed_states(self.kind, self.outcome)
        choices = [Choice(state.value, STATE_WORDS[state], state.value == self.golden_state) for state in states]
        if self.outcome is Outcome.REJECT and choices:
            choices.insert(0, Choice("", "keep nothing", not self.golden_state))
        return tuple(choices)

    @property
    def reasons(self) -> tuple[Choice, ...]:
        """The reasons to choose from, with the digits that choose them."""
        return tuple(
            Choice(code.value, words, code.value == self.reason_code, str(number))
            for number, (code, words) in enumerate(REASON_WORDS.items(), 1)
        )

    @property
    def confidences(self) -> tuple[Choice, ...]:
        """The confidences to choose from."""
        return tuple(Choice(one.value, one.value, one.value == self.confidence) for one in Confidence)

    @property
    def verdicts(self) -> tuple[Choice, ...]:
        """The verdicts to choose from, where another than both holds."""
        if self.kind not in ABOUT_ANSWERS or self.outcome is not Outcome.MERGE:
            return ()
        return tuple(Choice(one.value, VERDICT_SAYS[one.value], one.value == self.verdict) for one in Verdict)

    @property
    def state_help(self) -> str:
        """What a choice of state means, where it needs saying."""
        return STATE_HELP.get(self.outcome, "") if self.states else ""


SEVERITY_KEYS = (
    (Severity.CRITICAL, "c"),
    (Severity.HIGH, "h"),
    (Severity.MEDIUM, "m"),
    (Severity.LOW, "l"),
    (Severity.NOTE, "o"),
)


def outcome_words(kind: DisagreementKind, outcome: Outcome, sides: int) -> str:
    """Return what an outcome is called for a kind of disagreement, about so many sides' labels or answers."""
    if outcome is Outcome.MERGE:
        if kind in ABOUT_ANSWERS:
            return "Another verdict"
        return "Edit" if sides == 1 else "Merge"
    if outcome is Outcome.REJECT:
        return {1: "Reject", 2: "Reject both"}.get(sides, "Reject all")
    return {
        Outcome.ACCEPT_A: "Accept A",
        Outcome.ACCEPT_B: "Accept B",
        Outcome.ACCEPT_C: "Accept C",
        Outcome.UNRESOLVED: "Unresolved",
    }[outcome]


def outcome_buttons(
    kind: DisagreementKind, *, letters: Sequence[str], chosen: Outcome | None
) -> tuple[OutcomeButton, ...]:
    """Return the ways to decide a disagreement; `letters` are the sides with something to accept."""
    return tuple(
        OutcomeButton(outcome.value, KEYS[outcome], outcome_words(kind, outcome, len(letters)), outcome is chosen)
        for outcome in allowed_outcomes(kind, sides=letters)
    )


def filled(form: DecisionForm, fields: GoldenInput) -> DecisionForm:
    """Return a form whose edited finding starts as `fields`."""
    texts = {role.value: write_places(fields.anchors, role) for role in AnchorRole}
    return replace(form, fields=fields, place_texts=texts)


def typed_decision(data: QueryDict, form: DecisionForm, errors: Sequence[tuple[str, str]] = ()) -> DecisionForm:
    """Return the form as it was sent, with what is wrong with it, so that nothing typed is lost."""
    typed = replace(
        form,
        golden_state=data.get("golden_state", ""),
        reason_code=data.get("reason_code", ""),
        rationale=data.get("rationale", ""),
        confidence=data.get("confidence", ""),
        is_guideline_gap=data.get("is_guideline_gap", "") == "on",
        verdict=data.get("verdict", ""),
        errors=dict(reversed(errors)),
    )
    if form.fields is None:
        return typed
    fields = GoldenInput(**typed_label(data).__dict__, mechanism=data.get("mechanism", ""))
    return replace(typed, fields=fields, place_texts=place_texts(data))


def sent_finding(data: QueryDict) -> GoldenInput:
    """Return the edited finding that was sent; FieldRefused when a place or an answer cannot be read."""
    return GoldenInput(**parse_label(data).__dict__, mechanism=data.get("mechanism", ""))


__all__ = ["ANSWERS", "DecisionForm", "filled", "outcome_buttons", "sent_finding", "typed_decision"]
