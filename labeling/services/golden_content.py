"""What the decisions on one disputed finding make of it: the content of its golden finding, or none."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from corpus.domain.vocabulary import DisagreementKind, GoldenState, Outcome, Provenance
from corpus.models import Case, Category, GoldenRevision, User
from corpus.models.findings import AnchorFields
from corpus.selectors.projects import stamps_in_force
from corpus.selectors.quotes import PlaceRefused
from corpus.services import golden
from corpus.services.golden import GoldenContent
from labeling.domain.adjudicating import MAX_MECHANISM, SIDES, GoldenInput, Ruling, StandingDecision, ruling
from labeling.domain.completeness import label_gaps
from labeling.domain.label_input import FieldRefused, clean_label, clean_text
from labeling.domain.states import DisagreementState, PairState
from labeling.models import Adjudication, Disagreement, Label, LabelPair
from labeling.selectors.findings import current_anchors
from labeling.selectors.golden_inputs import facts_of
from labeling.selectors.pairs import label_keys
from labeling.selectors.pseudonyms import pseudonyms_of
from labeling.services import settlement
from labeling.services.labels import bind_anchors

# Stands for the act in progress, which has no number yet.
PENDING = 2**62


class ContentRefused(Exception):
    """An edited finding cannot be stored: for each field that is wrong or missing, one sentence."""

    def __init__(self, errors: Sequence[tuple[str, str]]) -> None:
        super().__init__("; ".join(message for _, message in errors))
        self.errors = tuple(errors)


@dataclass(frozen=True)
class Subject:
    """The pair or the lone label that some disagreements are about, with its labels by slot."""

    case: Case
    comparison_id: int
    pair: LabelPair | None
    labels: dict[str, Label]
    # Slots in the order in which they are shown.
    slots: tuple[str, ...]

    @property
    def in_order(self) -> list[Label]:
        """The labels in the order in which they are shown."""
        return [self.labels[slot] for slot in self.slots]


def subject_of(case: Case, disagreement: Disagreement) -> Subject:
    """Return what a disagreement is about; one about answers is about no label."""
    related = ("category", "assignment__contract")
    labels: dict[str, Label] = {}
    pair = disagreement.pair
    ids = [disagreement.label_id] if pair is None else label_keys(pair)
    for label in Label.objects.filter(pk__in=[pk for pk in ids if pk is not None]).select_related(*related):
        labels[label.assignment.slot] = label
    names = pseudonyms_of(case.public_id, seats=disagreement.comparison.seat_count)
    return Subject(case, disagreement.comparison_id, pair, labels, tuple(sorted(labels, key=names.letter)))


def standing_of(subject: Subject, pending: Sequence[Adjudication] = ()) -> list[Adjudication]:
    """Return the decisions that hold on the disagreements about a subject: each one's newest, or the pending one."""
    about = Disagreement.objects.filter(comparison_id=subject.comparison_id, state=DisagreementState.DECIDED)
    about = about.filter(label__in=subject.in_order) if subject.pair is None else about.filter(pair=subject.pair)
    rows = Adjudication.objects.filter(disagreement__in=about, undone_at__isnull=True)
    newest: dict[int, Adjudication] = {}
    for row in rows.select_related("disagreement", "golden_revision").order_by("number"):
        newest[row.disagreement_id] = row
    newest |= {row.disagreement_id: row for row in pending}
    return sorted(newest.values(), key=act_of)


def act_of(row: Adjudication) -> int:
    """Return what orders acts in time; one that is not stored yet comes last."""
    return row.along_with_id or row.pk or PENDING


def ruling_on(subject: Subject, standing: Iterable[Adjudication]) -> Ruling:
    """Return what the standing decisions amount to."""
    decisions = [
        StandingDecision(
            kind=DisagreementKind(row.disagreement.kind),
            outcome=Outcome(row.outcome),
            act=act_of(row),
            golden_state=row.golden_state,
        )
        for row in standing
    ]
    return ruling(decisions, first=subject.slots[0])


def write_subject(
    subject: Subject,
    *,
    actor: User,
    pending: Sequence[Adjudication] = (),
    edited: GoldenContent | None = None,
) -> GoldenRevision | None:
    """Bring the golden finding of a subject in line with the decisions that hold; return its new revision, if any.

    `pending` are the rows of the act in progress, which are stored after the revision that they name, and `edited` its
    content, for a merge. Without a decision, or after a rejection that keeps no decoy, a finding is retracted.
    """
    standing = standing_of(subject, pending)
    ruled = ruling_on(subject, standing)
    if subject.pair is not None:
        state = PairState.PROPOSED if ruled.status == "open" else PairState.CONFIRMED
        LabelPair.objects.filter(pk=subject.pair.pk).update(state=state)
    if ruled.status == "open" or (ruled.status == "rejected" and ruled.golden_state != GoldenState.DECOY):
        settlement.retract_finding(case=subject.case, labels=subject.in_order, actor=actor)
        return None
    content = content_under(subject, ruled, standing, edited=edited)
    return settlement.write_finding(
        case=subject.case,
        labels=subject.in_order,
        content=content,
        state=GoldenState(ruled.golden_state) if ruled.golden_state else state_by_contract(subject, ruled, content),
        provenance=Provenance.ADJUDICATED,
        decided_by=actor,
        reason=standing[-1].rationale,
    )


def state_by_contract(subject: Subject, ruled: Ruling, content: GoldenContent) -> GoldenState:
    """Return what the finding counts as under the contract of the side whose wording holds."""
    label = subject.labels.get(ruled.base, subject.in_order[0])
    return settlement.default_state(content.defect, label)


def content_under(
    subject: Subject, ruled: Ruling, standing: Sequence[Adjudication] = (), *, edited: GoldenContent | None = None
) -> GoldenContent:
    """Return the content of a finding under a ruling: edited, or a side's wording, with each difference as decided.

    Where the places were not in dispute, the narrower one is primary and the others are alternates.
    """
    if ruled.merged_act is not None:
        merged = [row for row in standing if act_of(row) == ruled.merged_act and row.golden_revision]
        content = edited or content_of_revision(merged[0].golden_revision)  # type: ignore[arg-type]
    else:
        content = _by_side(subject, ruled, standing)
    for kind, slot in ruled.sides.items():
        label = subject.labels[slot]
        if kind is DisagreementKind.CATEGORY:
            content = replace(content, category=label.category)
        elif kind is DisagreementKind.SEVERITY:
            content = replace(content, defect={**content.defect, "severity": label.severity})
        elif kind is DisagreementKind.ANCHORS_DISJOINT:
            content = replace(content, anchors=tuple(current_anchors([label])[label.pk]))
    return content


def _by_side(subject: Subject, ruled: Ruling, standing: Sequence[Adjudication]) -> GoldenContent:
    base = subject.labels.get(ruled.base, subject.in_order[0])
    anchors = current_anchors(subject.in_order)
    in_order = subject.in_order
    places: tuple[AnchorFields, ...] = tuple(anchors[in_order[0].pk])
    if len(in_order) > 1:
        places = golden.merged_anchors(*(anchors[label.pk] for label in in_order))
    confidence = settlement.weaker_confidence(in_order)
    given = [row.confidence for row in standing if row.confidence]
    return GoldenContent(
        defect=golden.defect_values(base),
        category=base.category,
        confidence=given[-1] if given else confidence,
        anchors=places,
    )


def content_of_revision(revision: GoldenRevision) -> GoldenContent:
    """Return what a stored revision says."""
    return GoldenContent(
        defect=golden.defect_values(revision),
        category=revision.category,
        confidence=revision.confidence,
        anchors=tuple(revision.anchors.order_by("pk")),
        mechanism=revision.mechanism,
    )


def cleaned(subject: Subject, edited: GoldenInput, confidence: str) -> GoldenInput:
    """Return an edited finding as it is stored; its confidence is the decision's, else the weaker of the labels'."""
    try:
        mechanism = " ".join(clean_text("mechanism", edited.mechanism, MAX_MECHANISM).split())
        fields = clean_label(edited)
    except FieldRefused as error:
        raise ContentRefused([(error.field, error.message)]) from error
    assert isinstance(fields, GoldenInput)
    weaker = settlement.weaker_confidence(subject.in_order)
    return replace(fields, mechanism=mechanism, confidence=fields.confidence or confidence or weaker)


def edited_content(subject: Subject, edited: GoldenInput) -> GoldenContent:
    """Return the content of an edited finding, its places bound to the bytes they quote.

    Raises ContentRefused naming everything that is wrong or missing.
    """
    category = _category(subject, edited.category)
    gaps = label_gaps(facts_of(edited, names_boundary=bool(category and category.names_boundary)))
    if gaps:
        raise ContentRefused([(gap.field, gap.sentence) for gap in gaps])
    case = Case.objects.select_related("patch", "base_tree", "head_tree").get(pk=subject.case.pk)
    try:
        anchors = bind_anchors(case, edited.anchors)
    except PlaceRefused as error:
        raise ContentRefused([("anchors", str(error))]) from error
    return GoldenContent(
        defect={name: getattr(edited, name) for name in golden.DEFECT_COLUMNS},
        category=category,
        confidence=edited.confidence,
        anchors=tuple(anchors),
        mechanism=edited.mechanism,
    )


def _category(subject: Subject, key: str) -> Category | None:
    """Return the category in force, else one that a label of the subject was given under an older taxonomy."""
    if not key:
        return None
    found = Category.objects.filter(taxonomy_id=stamps_in_force(subject.case.project).taxonomy_id, key=key).first()
    if found is None:
        found = next((one.category for one in subject.in_order if one.category and one.category.key == key), None)
    if found is None:
        raise ContentRefused([("category", f"{key[:40]!r} is no category of this project; choose one from the list.")])
    return found


@dataclass(frozen=True)
class Proposal:
    """What a finding would say after an outcome, and what it would count as by the contract."""

    content: GoldenContent
    state: GoldenState


def proposed(case: Case, disagreement: Disagreement, outcome: Outcome) -> Proposal:
    """Return what the finding of a disagreement would become, for a form to start from; nothing is stored."""
    subject = subject_of(case, disagreement)
    kind = DisagreementKind(disagreement.kind)
    others = [row for row in standing_of(subject) if row.disagreement_id != disagreement.pk]
    others = [row for row in others if row.outcome not in (Outcome.REJECT, Outcome.UNRESOLVED)]
    decisions = [
        StandingDecision(DisagreementKind(row.disagreement.kind), Outcome(row.outcome), act_of(row), row.golden_state)
        for row in others
    ]
    if outcome in SIDES:
        decisions.append(StandingDecision(kind, outcome, PENDING))
    ruled = ruling(decisions, first=subject.slots[0])
    if ruled.status == "open":
        ruled = Ruling("accepted", base=subject.slots[0])
    content = content_under(subject, ruled, others)
    state = GoldenState(ruled.golden_state) if ruled.golden_state else state_by_contract(subject, ruled, content)
    return Proposal(content, state)
