"""How a person wants things shown is kept on the server, for them alone."""

from __future__ import annotations

import pytest
from django.urls import reverse

from corpus.domain.preferences import SETTINGS, PreferenceRefused, checked_setting, with_key

ADDRESS = "/me/preferences/"


def test_settings_are_kept_and_drawn_on_every_page_of_the_person(client_of, people, project) -> None:
    client = client_of(people.reviewer_a)
    sent = {"layout": "split", "wrap": "on", "blank_changes": "folded", "tab_size": "4", "theme": "dark"}
    assert client.post(ADDRESS, {**sent, "code_size": "16"}).status_code == 204
    people.reviewer_a.refresh_from_db()
    assert {name: getattr(people.reviewer_a, name) for name in sent} == sent
    shown = client.get(reverse("me")).content.decode().split(">")[1]
    for attribute in ('data-theme="dark"', 'data-wrap="on"', 'data-tab-size="4"', 'data-code-size="16"'):
        assert attribute in shown
    other = client_of(people.reviewer_b).get(reverse("me")).content.decode().split(">")[1]
    assert "data-theme" not in other


def test_a_plain_form_leads_back_and_never_to_another_site(client_of, people) -> None:
    client = client_of(people.reviewer_a)
    assert client.post(ADDRESS, {"theme": "light", "next": "/me/"})["Location"] == "/me/"
    for foreign in (
        "https://elsewhere.example/",
        "//elsewhere.example/",
        "javascript:alert(1)",
        "-1",
        "home",
        "%ff%fe%80",
        "1e309",
    ):
        assert client.post(ADDRESS, {"theme": "dark", "next": foreign}).status_code == 204


@pytest.mark.parametrize(
    "sent", [{"layout": "sideways"}, {"theme": "dark", "wrap": ""}, {"shortcut": "line-next", "key": "a b"}]
)
def test_what_is_not_offered_is_refused_and_changes_nothing(client_of, people, sent) -> None:
    answer = client_of(people.reviewer_a).post(ADDRESS, sent)
    assert answer.status_code == 422
    assert answer["Content-Type"].startswith("text/plain")
    people.reviewer_a.refresh_from_db()
    assert people.reviewer_a.keys == {}
    assert all(getattr(people.reviewer_a, name) == values[0] for name, values in SETTINGS.items())


def test_keys_are_kept_one_by_one_and_restored_together(client_of, people) -> None:
    client = client_of(people.reviewer_a)
    for shortcut, key in (("line-next", "q"), ("Case/Submit dialogue", "ctrl+s"), ("line-next", "+")):
        assert client.post(ADDRESS, {"shortcut": shortcut, "key": key}).status_code == 204
    people.reviewer_a.refresh_from_db()
    assert people.reviewer_a.keys == {"line-next": "+", "Case/Submit dialogue": "ctrl+s"}
    client.post(ADDRESS, {"default_keys": "1"})
    people.reviewer_a.refresh_from_db()
    assert people.reviewer_a.keys == {}


def test_the_number_of_own_keys_is_bounded() -> None:
    keys = {f"shortcut {number}": "q" for number in range(200)}
    assert with_key(keys, "shortcut 7", "x")["shortcut 7"] == "x"
    with pytest.raises(PreferenceRefused, match="200 keys"):
        with_key(keys, "one more", "q")


def test_an_unknown_setting_is_refused_by_name() -> None:
    with pytest.raises(PreferenceRefused, match="'colour'"):
        checked_setting("colour", "red")
