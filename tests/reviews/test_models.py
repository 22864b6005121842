"""Machine evidence: what the database refuses, what stays as it was written, and who sees what (B1, B8)."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.db import IntegrityError, connection, transaction

from corpus import clock, immutability
from corpus.domain.vocabulary import CaseState, Role
from corpus.models import Case, CaseSeat, Project, User
from reviews.domain.rulings import RulingValue
from reviews.domain.vocabulary import CaseRunState, ContextKind, ContextMode, PlaceState, RecordKind
from reviews.immutability import GUARDS
from reviews.models import (
    AIFinding,
    CaseRun,
    ConfigurationParameter,
    Intake,
    IntakeRecord,
    JudgeVerdict,
    RawRecord,
    Run,
    SeenContext,
    SourceSettings,
    Tool,
)
from reviews.services.rulings import RulingInput, rule
from tests import factories
from tests.conftest import People
from tests.reviews.builders import make_case_run, make_configuration, make_finding, make_match, make_run, make_tool

pytestmark = pytest.mark.django_db


@pytest.fixture
def case(project: Project) -> Case:
    return factories.make_case(project)


def settings_of(tool: Tool, **more: object) -> SourceSettings:
    return SourceSettings.objects.create(
        tool=tool, format="sarif", number=1, created_by=tool.created_by, created_at=clock.now(), **more
    )


REFUSED: dict[str, Callable[[Project, Case], object]] = {
    "a second tool of the name in other letters": lambda project, case: [
        make_tool(project, name="Redpen"),
        make_tool(project, name="REDPEN"),
    ],
    "a tool without a name": lambda project, case: make_tool(project, name=""),
    "a tool of an unknown kind": lambda project, case: make_tool(project, kind="oracle"),
    "a prompt that is said to be hidden": lambda project, case: make_configuration(
        make_tool(project), prompt="Review it.", prompt_sha256="0" * 64, is_prompt_exposed=False
    ),
    "a prompt without its hash": lambda project, case: make_configuration(make_tool(project), prompt="Review it."),
    "a model that is said to be hidden": lambda project, case: make_configuration(
        make_tool(project), model="model-1", is_model_exposed=False
    ),
    "an unknown context": lambda project, case: make_configuration(make_tool(project), context_mode="everything"),
    "a value of a hidden parameter": lambda project, case: ConfigurationParameter.objects.create(
        configuration=make_configuration(make_tool(project)), name="temperature", value="0", is_exposed=False
    ),
    "a severity map to an unknown level": lambda project, case: settings_of(make_tool(project)).severities.create(
        native="major", severity="serious"
    ),
    "the same repeat of a shadow run twice": lambda project, case: [make_run(project), make_run(project)],
    "a repeat before the first": lambda project, case: make_run(project, repeat=0),
    "two outcomes of a case in a run": lambda project, case: [
        make_case_run(run := make_run(project), case),
        make_case_run(run, case, CaseRunState.FAILED),
    ],
    "an unknown outcome of a case": lambda project, case: make_case_run(make_run(project), case, "silent"),
    "a negative cost": lambda project, case: make_case_run(make_run(project), case, cost="-0.01"),
    "context that ends before it starts": lambda project, case: SeenContext.objects.create(
        case_run=make_case_run(make_run(project), case),
        position=1,
        kind=ContextKind.CHUNK,
        path="a.py",
        first_line=9,
        last_line=8,
    ),
    "an unresolved place without a reason": lambda project, case: make_finding(
        make_case_run(make_run(project), case), place_state=PlaceState.UNRESOLVED
    ),
    "an unknown severity": lambda project, case: make_finding(make_case_run(make_run(project), case), severity="major"),
    "a judge who is surer than sure": lambda project, case: JudgeVerdict.objects.create(
        finding=make_finding(make_case_run(make_run(project), case)), is_match=True, confidence="1.5"
    ),
    "a rejected record without a reason": lambda project, case: IntakeRecord.objects.create(
        intake=make_finding(make_case_run(make_run(project), case)).raw.intake,
        position=7,
        place="line 7",
        kind=RecordKind.REJECTED,
        outcome=IntakeRecord.REJECTED,
    ),
    "an accepted record of a rejected kind": lambda project, case: IntakeRecord.objects.create(
        intake=make_finding(make_case_run(make_run(project), case)).raw.intake,
        position=7,
        place="line 7",
        kind=RecordKind.REJECTED,
        outcome=IntakeRecord.NEW,
        reason="It is no record.",
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_the_database_refuses(project: Project, case: Case, what: str) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        REFUSED[what](project, case)


def test_equal_words_are_two_findings_but_one_record_comes_into_a_run_once(project: Project, case: Case) -> None:
    case_run = make_case_run(make_run(project), case, CaseRunState.REVIEWED_WITH_FINDINGS)
    first, second = make_finding(case_run, "Same words."), make_finding(case_run, "Same words.")
    assert first.pk != second.pk
    assert first.content_sha256 == second.content_sha256
    raw = first.raw
    with pytest.raises(IntegrityError), transaction.atomic():
        RawRecord.objects.create(
            intake=raw.intake,
            position=1,
            run=raw.run,
            kind=raw.kind,
            place="line 2",
            data=b"",
            identity_sha256=raw.identity_sha256,
        )


def test_what_is_not_exposed_is_told_apart_from_what_is_empty(project: Project) -> None:
    tool = make_tool(project)
    hidden = make_configuration(
        tool, model="", is_model_exposed=False, is_prompt_exposed=False, context_mode=ContextMode.NOT_EXPOSED
    )
    empty = make_configuration(tool, model="")
    assert (hidden.number, empty.number) == (1, 2)
    assert (hidden.is_model_exposed, empty.is_model_exposed) == (False, True)


def test_evidence_stays_as_it_was_written(project: Project, case: Case) -> None:
    tool = make_tool(project)
    settings_of(tool).severities.create(native="major", severity="high")
    configuration = make_configuration(tool)
    configuration.parameters.create(name="temperature", value="0")
    finding = make_finding(make_case_run(make_run(project, tool=tool), case))
    finding.judge_verdicts.create(judge="somebody", is_match=True)
    rule(match=make_match(finding), ruler=project.created_by, said=RulingInput(RulingValue.CANNOT_SAY, "Dark."))
    for guard in GUARDS:
        for statement in (f"UPDATE {guard.table} SET id = id", f"DELETE FROM {guard.table}"):
            changed = statement if "DELETE" in statement else statement.replace("id = id", "id = id + 1000000")
            with pytest.raises(IntegrityError), transaction.atomic(), connection.cursor() as cursor:
                cursor.execute(changed)
    assert immutability.missing_triggers(connection, GUARDS) == []


# --- Who sees what -------------------------------------------------------------------------------------------------


def sit(user: User, case: Case) -> CaseSeat:
    return CaseSeat.objects.create(case=case, user=user, opened_at=clock.now())


@pytest.fixture
def two_cases(project: Project) -> tuple[Run, Case, Case]:
    """A run that said one thing about each of two cases, and could not read a third record."""
    one, two = factories.make_case(project), factories.make_case(project)
    run = make_run(project)
    for case in (one, two):
        make_finding(make_case_run(run, case, CaseRunState.REVIEWED_WITH_FINDINGS), f"About {case}")
    intake = Intake.objects.first()
    assert intake is not None
    RawRecord.objects.create(
        intake=intake,
        position=9,
        run=run,
        kind=RecordKind.REJECTED,
        place="line 9",
        reason="It is no JSON.",
        data=b"{",
        identity_sha256="f" * 64,
    )
    return run, one, two


def seen(user: User) -> dict[str, int]:
    return {
        model.__name__: model.objects.visible_to(user).count()  # type: ignore[attr-defined]
        for model in (Tool, Run, CaseRun, AIFinding, RawRecord, Intake)
    }


NOTHING = {"Tool": 0, "Run": 0, "CaseRun": 0, "AIFinding": 0, "RawRecord": 0, "Intake": 0}


def test_leads_and_analysts_see_runs_and_nobody_else_does(people: People, two_cases: tuple[Run, Case, Case]) -> None:
    everything = {"Tool": 1, "Run": 1, "CaseRun": 2, "AIFinding": 2, "RawRecord": 3, "Intake": 2}
    assert seen(people.lead) == everything
    assert seen(people.analyst) == {**everything, "Intake": 0}
    for user in (people.reviewer_a, people.adjudicator, people.outsider):
        assert seen(user) == NOTHING


def test_an_open_seat_hides_the_case_and_whatever_may_be_about_it(
    people: People, project: Project, two_cases: tuple[Run, Case, Case]
) -> None:
    _, one, two = two_cases
    seat = sit(people.lead, one)
    assert seen(people.lead) == {"Tool": 1, "Run": 1, "CaseRun": 1, "AIFinding": 1, "RawRecord": 1, "Intake": 0}
    assert AIFinding.objects.visible_to(people.lead).get().case_run.case == two
    other = sit(people.lead, two)
    assert seen(people.lead) == {**NOTHING, "Tool": 1}
    # Somebody else's seat hides nothing.
    assert seen(people.analyst)["AIFinding"] == 2
    CaseSeat.objects.filter(pk__in=[seat.pk, other.pk]).update(closed_at=clock.now())
    assert seen(people.lead)["AIFinding"] == 2


def test_a_seat_in_another_project_hides_nothing(people: People, two_cases: tuple[Run, Case, Case]) -> None:
    other = factories.make_project(lead=people.outsider, name="Other")
    factories.make_member(other, people.lead, Role.REVIEWER)
    sit(people.lead, factories.make_case(other))
    assert seen(people.lead)["RawRecord"] == 3


def test_held_back_findings_count_only_where_the_run_says_so(project: Project, case: Case) -> None:
    case_run = make_case_run(make_run(project), case, CaseRunState.REVIEWED_WITH_FINDINGS)
    shown, held_back = make_finding(case_run), make_finding(case_run, "Perhaps.", is_suppressed=True)
    assert list(AIFinding.objects.counted()) == [shown]
    Run.objects.update(scores_suppressed=True)
    assert list(AIFinding.objects.counted().order_by("pk")) == [shown, held_back]


def test_a_case_in_any_state_may_be_in_a_shadow_run(project: Project) -> None:
    case = factories.make_incomplete_case(project)
    assert case.state == CaseState.INCOMPLETE
    assert make_case_run(make_run(project), case).run.is_shadow
