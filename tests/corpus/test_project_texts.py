"""A project's texts change by new versions alone, and nobody's edit overwrites another's unseen."""

from __future__ import annotations

import html
import re
from dataclasses import replace

import pytest
from django.urls import reverse

from corpus.domain.vocabulary import EditKind
from corpus.models import (
    AuditEntry,
    Category,
    ContractVersion,
    GuidelinesVersion,
    SeverityLevel,
    SeverityPolicyVersion,
    TaxonomyVersion,
    WorkingPolicyVersion,
)
from corpus.selectors.project_texts import KINDS
from corpus.services.project_texts import ChangedMeanwhile, Edit, NothingChanged, TextRefused, edit_text

SUBSTANTIVE = {"edit_kind": "substantive", "scope": "", "note": "Asked by the team"}
EDITORIAL = Edit(EditKind.EDITORIAL)


def words(page) -> str:
    """Return the words of a whole page, its messages included."""
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", page.content.decode())).split())


def address(project, kind: str) -> str:
    return reverse("text_edit", args=[project.slug, kind])


def posted(page) -> dict[str, str]:
    """Return what the edit form on a page would send, as a browser reads it."""
    data: dict[str, str] = {}
    form = page.content.decode().split("data-kept=", 1)[1].split("</form>", 1)[0]
    for tag in re.findall(r"<input[^>]*>", form):
        fields = dict(re.findall(r'([a-z-]+)="([^"]*)"', tag))
        if fields.get("type") in {"checkbox", "radio"} and " checked" not in tag:
            continue
        if "name" in fields:
            data[fields["name"]] = html.unescape(fields.get("value", "on"))
    for name, text in re.findall(r'<textarea name="([^"]*)"[^>]*>\r?\n?(.*?)</textarea>', form, re.DOTALL):
        # Browsers send line ends as CR LF.
        data[name] = html.unescape(text).replace("\r\n", "\n").replace("\n", "\r\n")
    for name, options in re.findall(r'<select name="([^"]*)"[^>]*>(.*?)</select>', form, re.DOTALL):
        chosen = re.search(r'value="([^"]*)" selected', options)
        data[name] = html.unescape(chosen.group(1)) if chosen else ""
    return data


@pytest.fixture
def lead(people, client_of):
    return client_of(people.lead)


def versions(model, project) -> list[int]:
    return list(model.objects.filter(project=project).order_by("number").values_list("number", flat=True))


@pytest.mark.parametrize("kind", list(KINDS))
def test_saving_an_untouched_form_makes_no_version_and_says_so(project, lead, kind) -> None:
    page = lead.get(address(project, kind))
    again = lead.post(address(project, kind), {**posted(page), **SUBSTANTIVE}, follow=True)
    assert "Nothing differs from version 1, so no new version was made." in words(again)
    assert versions(KINDS[kind].model, project) == [1]


def test_guidelines_are_saved_as_a_new_version_with_kind_scope_and_note(people, project, lead) -> None:
    data = posted(lead.get(address(project, "guidelines")))
    data |= {"text": "# New\r\n\r\nOne defect, one label.\r\n", **SUBSTANTIVE, "scope": "boundary"}
    page = lead.post(address(project, "guidelines"), data, follow=True)
    assert "Guidelines: version 2 is in force." in words(page)
    stored = GuidelinesVersion.objects.get(project=project, number=2)
    assert stored.text == "# New\n\nOne defect, one label.\n"
    assert (stored.edit_kind, stored.scope, stored.note, stored.created_by) == (
        "substantive",
        "boundary",
        "Asked by the team",
        people.lead,
    )
    entry = AuditEntry.objects.get(project=project, subject="guidelines version 2")
    assert (entry.before, entry.after) == ("1", "2 (substantive, boundary)")
    assert "boundary" in words(lead.get(reverse("project_settings", args=[project.slug])))


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"edit_kind": ""}, 'Nothing is chosen for "Kind of edit": choose one of its answers.'),
        ({"edit_kind": "cosmetic"}, '"cosmetic" is no answer to "Kind of edit"'),
        ({"scope": "unheard_of"}, 'The scope "unheard_of" is no category of this project'),
        ({"edit_kind": "editorial", "scope": "boundary"}, "An editorial edit makes no decision stale"),
        ({"note": "x" * 301}, '"Note" has 301 characters; the limit is 300'),
        ({"text": "  "}, '"Guidelines" is empty: fill it in.'),
        ({"text": "x\n" * 3001}, "more than 3000 lines"),
        ({"text": "x" * 100_001}, '"Guidelines" has 100001 characters; the limit is 100000'),
        ({"text": "a\x00b"}, '"Guidelines" holds a NUL character'),
    ],
)
def test_a_refused_edit_says_why_keeps_the_text_and_stores_nothing(project, lead, change, sentence) -> None:
    data = posted(lead.get(address(project, "guidelines"))) | SUBSTANTIVE | {"text": "# Kept as typed"} | change
    page = lead.post(address(project, "guidelines"), data)
    assert page.status_code == 422
    assert sentence in words(page)
    if "text" not in change:
        assert "# Kept as typed" in page.content.decode()
    assert versions(GuidelinesVersion, project) == [1]


def test_an_edit_of_an_older_version_is_409_with_both_versions_and_the_typed_text(people, project, lead) -> None:
    data = posted(lead.get(address(project, "guidelines"))) | SUBSTANTIVE
    edit_text(
        kind=KINDS["guidelines"],
        project=project,
        author=people.lead,
        base=1,
        values="# Theirs\n\nA line of theirs.",
        edit=Edit(EditKind.SUBSTANTIVE, note="Their reason"),
    )
    page = lead.post(address(project, "guidelines"), data | {"text": "# Mine\r\n\r\nA line of mine."})
    assert page.status_code == 409
    text = words(page)
    assert "Lea Lead saved version 2 just now , while you edited version 1." in text
    assert "What version 2 changed: Their reason" in text
    theirs, yours = text.split("What saving yours now would change in it", 1)
    assert "added: A line of theirs." in theirs
    assert "removed: A line of theirs ." in yours
    assert "added: A line of mine ." in yours
    assert versions(GuidelinesVersion, project) == [1, 2]
    # The form now stands on version 2: saving again is a decision made with open eyes.
    again = posted(page)
    assert (again["base"], again["text"]) == ("2", "# Mine\r\n\r\nA line of mine.")
    assert lead.post(address(project, "guidelines"), again).status_code == 302
    assert GuidelinesVersion.objects.get(project=project, number=3).text == "# Mine\n\nA line of mine.\n"


@pytest.mark.parametrize("base", ["", "x", "-1", "7", "99999999999999999999"])
def test_a_form_without_the_number_of_the_version_in_force_is_a_conflict(project, lead, base) -> None:
    data = posted(lead.get(address(project, "policy"))) | SUBSTANTIVE | {"reservation_hours": "5", "base": base}
    assert lead.post(address(project, "policy"), data).status_code == 409
    assert versions(WorkingPolicyVersion, project) == [1]


def test_the_working_policy_is_edited_within_its_limits(project, lead) -> None:
    data = posted(lead.get(address(project, "policy"))) | SUBSTANTIVE
    for field, bad in (("reservation_hours", "721"), ("idle_cutoff_seconds", "14"), ("recall_minutes", "-1")):
        assert lead.post(address(project, "policy"), data | {field: bad}).status_code == 422
    data |= {"uses_claims": "on", "reservation_hours": "24", "idle_cutoff_seconds": "60", "recall_minutes": "0"}
    lead.post(address(project, "policy"), data)
    stored = WorkingPolicyVersion.objects.get(project=project, number=2)
    assert (stored.uses_claims, stored.reservation_hours, stored.idle_cutoff_seconds, stored.recall_minutes) == (
        True,
        24,
        60,
        0,
    )
    assert not stored.shows_labels_after_settlement


def test_the_contract_keeps_every_field(project, lead) -> None:
    data = posted(lead.get(address(project, "contract"))) | SUBSTANTIVE
    data |= {
        "bounded_claim": "It finds leaks.",
        "context_allowed": "diff",
        "changed_lines_only": "on",
        "pre_existing": "excluded",
        "speculative": "required",
        "intended_authority": "private",
        "exclusions": "formatting\r\n\r\n  spelling ",
        "owner": "R. Imai",
    }
    lead.post(address(project, "contract"), data)
    old, new = ContractVersion.objects.filter(project=project).order_by("number")
    assert (new.bounded_claim, new.context_allowed, new.changed_lines_only, new.pre_existing) == (
        "It finds leaks.",
        "diff",
        True,
        "excluded",
    )
    assert (new.speculative, new.intended_authority, new.exclusions, new.owner) == (
        "required",
        "private",
        "formatting\nspelling",
        "R. Imai",
    )
    assert new.context_note == old.context_note
    page = lead.get(reverse("text_version", args=[project.slug, "contract", 2]))
    assert "Pre-existing defects changed" in words(page)
    assert "Note on" not in words(page)


def test_the_severity_policy_is_edited_level_by_level(project, lead) -> None:
    data = posted(lead.get(address(project, "severity"))) | SUBSTANTIVE
    data |= {"high-weight": "6", "low-examples": "one\r\ntwo", "policy-rules": "Take the lower one."}
    lead.post(address(project, "severity"), data)
    stored = SeverityPolicyVersion.objects.get(project=project, number=2)
    assert stored.rules == "Take the lower one."
    weights = dict(SeverityLevel.objects.filter(policy=stored).values_list("severity", "weight"))
    assert weights == {"critical": 8, "high": 6, "medium": 3, "low": 1, "note": 0}
    assert stored.levels.get(severity="low").examples == "one\ntwo"
    page = lead.post(address(project, "severity"), {**data, "base": "2", "low-weight": "9"})
    assert page.status_code == 422
    assert '"low" weighs 9 and "medium" 3; a less severe level must not weigh more.' in words(page)


def test_categories_are_moved_added_and_removed_before_anything_is_stored(project, lead) -> None:
    keys = list(Category.objects.filter(taxonomy__project=project).order_by("position").values_list("key", flat=True))
    data = posted(lead.get(address(project, "taxonomy"))) | SUBSTANTIVE | {"c1-name": "Typed before moving"}
    page = lead.post(address(project, "taxonomy"), data | {"do": "down-1"})
    data = posted(page) | SUBSTANTIVE
    assert [data[f"c{place}-key"] for place in range(10)] == [keys[0], keys[2], keys[1], *keys[3:]]
    assert data["c2-name"] == "Typed before moving"
    data = posted(lead.post(address(project, "taxonomy"), data | {"do": "remove-0"})) | SUBSTANTIVE
    data = posted(lead.post(address(project, "taxonomy"), data | {"do": "add"})) | SUBSTANTIVE
    assert versions(TaxonomyVersion, project) == [1]
    assert data["count"] == "10"
    refused = lead.post(address(project, "taxonomy"), data)
    assert refused.status_code == 422
    data |= {
        "c9-key": "licence",
        "c9-name": "Licences",
        "c9-description": "Code came in under terms that do not fit.",
        "c9-examples": "a\r\nb",
        "scope": "licence",
    }
    assert lead.post(address(project, "taxonomy"), data).status_code == 302
    stored = TaxonomyVersion.objects.get(project=project, number=2)
    rows = list(stored.categories.order_by("position"))
    assert [row.key for row in rows] == [keys[2], keys[1], *keys[3:], "licence"]
    assert (rows[1].name, rows[9].examples, rows[9].in_scope, rows[9].names_boundary) == (
        "Typed before moving",
        "a\nb",
        True,
        False,
    )
    page = words(lead.get(reverse("text_version", args=[project.slug, "taxonomy", 2])))
    assert "Licences (licence) added" in page
    assert f"({keys[0]}) removed" in page
    assert "Order of the categories changed" in page


@pytest.mark.parametrize("act", ["up-0", "down-9", "up-99", "down-x", "remove-", "explode", "up--1"])
def test_a_move_that_makes_no_sense_changes_nothing(project, lead, act) -> None:
    data = posted(lead.get(address(project, "taxonomy")))
    page = lead.post(address(project, "taxonomy"), data | {"do": act})
    assert page.status_code == 200
    same = posted(page)
    assert {name: value for name, value in same.items() if re.match(r"c\d", name)} == {
        name: value for name, value in data.items() if re.match(r"c\d", name)
    }


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"c0-key": "Not A Key"}, 'The key of category 1 is "Not A Key"'),
        ({"c0-key": "injection"}, 'The key "injection" occurs twice'),
        ({"c0-name": "INJECTION and unsafe deserialization"}, "occurs twice; people could not tell the two apart"),
        ({f"c{place}-in_scope": "" for place in range(10)}, "No category is in scope"),
        ({"count": "0"}, "The taxonomy has 0 categories"),
        ({"count": "9999"}, "61"),
    ],
)
def test_a_taxonomy_that_could_not_be_worked_with_is_refused(project, lead, change, sentence) -> None:
    data = posted(lead.get(address(project, "taxonomy"))) | SUBSTANTIVE | change
    page = lead.post(address(project, "taxonomy"), data)
    assert page.status_code == 422
    if sentence != "61":
        assert sentence in words(page)
    assert versions(TaxonomyVersion, project) == [1]


def test_the_service_refuses_what_the_form_cannot_send(people, project) -> None:
    def edit(kind: str, values, base: int = 1, edit: Edit = EDITORIAL):
        return edit_text(kind=KINDS[kind], project=project, author=people.lead, base=base, values=values, edit=edit)

    policy = KINDS["severity"].values_of(KINDS["severity"].in_force(project))
    with pytest.raises(TextRefused, match="each level once"):
        edit("severity", replace(policy, levels=policy.levels[1:]))
    with pytest.raises(TextRefused, match="must lie in 0 to 100"):
        edit("severity", replace(policy, levels=(replace(policy.levels[0], weight=101), *policy.levels[1:])))
    contract = KINDS["contract"].values_of(KINDS["contract"].in_force(project))
    with pytest.raises(TextRefused, match='authority is "total"; allowed are private, advisory, blocking'):
        edit("contract", replace(contract, intended_authority="total"))
    with pytest.raises(TextRefused, match="no category of this project"):
        edit("guidelines", "x", edit=Edit(EditKind.SUBSTANTIVE, scope="nope"))
    with pytest.raises(ChangedMeanwhile):
        edit("guidelines", "x", base=2)
    with pytest.raises(NothingChanged):
        edit("contract", contract)


def test_history_lists_every_version_and_compares_any_two(people, project, lead) -> None:
    for number, text in enumerate(("# A\n\none\ntwo", "# A\n\none\nthree", "# A\n\none\ntwo"), start=1):
        edit_text(
            kind=KINDS["guidelines"],
            project=project,
            author=people.lead,
            base=number,
            values=text,
            edit=Edit(EditKind.EDITORIAL, note=f"edit {number}"),
        )
    page = lead.get(reverse("text_history", args=[project.slug, "guidelines"]))
    assert [version.number for version in page.context["versions"]] == [4, 3, 2, 1]
    assert "4 editorial in force Lea Lead just now edit 3" in words(page)
    page = lead.get(reverse("text_version", args=[project.slug, "guidelines", 3]))
    [change] = page.context["changes"]
    assert [(line.kind, "".join(piece.text for piece in line.pieces)) for line in change.lines][-2:] == [
        ("removed", "two"),
        ("added", "three"),
    ]
    same = lead.get(reverse("text_version", args=[project.slug, "guidelines", 4]) + "?since=2")
    assert "The two versions say the same." in words(same)
    for missing in ("5", "0"):
        assert lead.get(f"/p/{project.slug}/settings/guidelines/versions/{missing}/").status_code == 404
    assert lead.get(f"/p/{project.slug}/settings/nothing/versions/").status_code == 404
    assert lead.get(f"/p/{project.slug}/settings/nothing/").status_code == 404


@pytest.mark.parametrize("who", ["lead", "reviewer_a", "adjudicator", "analyst"])
def test_every_member_reads_what_they_label_by(people, project, client_of, who) -> None:
    page = client_of(getattr(people, who)).get(reverse("guidelines", args=[project.slug]))
    text = words(page)
    for part in (
        "Labelling guidelines",
        "Authorization and tenancy",
        "A shared cache key leaves out the tenant",
        "Irrecoverable or unlawful harm",
        "the AI reviewer reports defects that the change introduces",
        "Working policy 1",
    ):
        assert part in text
    assert ("Edit in the settings" in text) == (who == "lead")


def test_guidelines_are_shown_inert_on_the_page_and_in_the_preview(people, project, lead) -> None:
    hostile = "# T\n\n<script>alert(1)</script> [x](javascript:alert(2)) ![i](https://e.org/p.png) \u202eabc"
    preview = lead.post(reverse("guidelines_preview", args=[project.slug]), {"text": hostile})
    edit_text(kind=KINDS["guidelines"], project=project, author=people.lead, base=1, values=hostile, edit=EDITORIAL)
    page = lead.get(reverse("guidelines", args=[project.slug]))
    for shown in (preview.content.decode(), page.content.decode()):
        assert "<script>alert" not in shown
        assert "<img" not in shown
        assert "\u202e" not in shown
        assert 'href="javascript' not in shown
        assert "&lt;script&gt;alert(1)&lt;/script&gt;" in shown
        assert 'data-c="U+202E"' in shown
    assert GuidelinesVersion.objects.filter(project=project).count() == 2
    without_script = lead.post(address(project, "guidelines"), {"do": "preview", "text": "## Seen", "base": "2"})
    assert '<h4 id="preview-seen">Seen</h4>' in without_script.content.decode()


def test_only_leads_reach_the_settings(people, project, client_of) -> None:
    for user in (people.reviewer_a, people.adjudicator, people.analyst, people.outsider):
        client = client_of(user)
        for kind in KINDS:
            assert client.get(address(project, kind)).status_code == 404
            assert client.post(address(project, kind), SUBSTANTIVE).status_code == 404
        assert client.get(reverse("project_settings", args=[project.slug])).status_code == 404
