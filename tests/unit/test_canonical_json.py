from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpus.domain.canonical_json import CanonicalError, dump_canonical, load_canonical

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
values = st.recursive(
    st.none() | st.integers(-(2**53) + 1, 2**53 - 1) | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=12,
)


@given(values)
@settings(max_examples=150)
def test_what_is_dumped_loads_to_the_same_value(value: object) -> None:
    data = dump_canonical(value)
    assert load_canonical(data) == value
    assert dump_canonical(load_canonical(data)) == data


@given(st.dictionaries(texts, st.integers(0, 9), min_size=2, max_size=6), st.randoms(use_true_random=False))
@settings(max_examples=60)
def test_the_order_of_members_never_shows_in_the_bytes(value: dict[str, int], random) -> None:  # type: ignore[no-untyped-def]
    shuffled = list(value.items())
    random.shuffle(shuffled)
    assert dump_canonical(dict(shuffled)) == dump_canonical(value)


@given(st.binary(max_size=40))
@settings(max_examples=200)
def test_any_bytes_are_refused_or_are_their_own_canonical_form(data: bytes) -> None:
    try:
        value = load_canonical(data)
    except CanonicalError:
        return
    assert dump_canonical(value) == data


def test_members_are_ordered_by_utf16_and_only_control_characters_escaped() -> None:
    # RFC 8785, section 3.2.3: the emoji (a surrogate pair, D83D) sorts before U+FB33; worked there.
    value = {"\u20ac": 1, "\r": 2, "\ufb33": 3, "1": 4, "\U0001f600": 5, "\u0080": 6, "\u00f6": 7}
    expected = '{"\\r":2,"1":4,"\u0080":6,"\u00f6":7,"\u20ac":1,"\U0001f600":5,"\ufb33":3}'
    assert dump_canonical(value) == expected.encode()


@pytest.mark.parametrize(
    ("data", "place", "reason"),
    [
        (b'{"a":{"b":1,"b":1}}', "a", "the key 'b' stands twice"),
        (b'{"a":1}\n', "byte 7", "1 bytes follow the end of the document"),
        (b'{"a":1}{"a":1}', "byte 7", "7 bytes follow the end of the document"),
        (b'{"a":[1,NaN]}', "a[1]", "NaN is not a JSON value"),
        (b'{"a":-Infinity}', "a", "-Infinity is not a JSON value"),
        (b'{"a":1.5}', "a", "the number 1.5 has a fraction or an exponent"),
        (b'{"a":1e3}', "a", "the number 1e3 has a fraction or an exponent"),
        (b'{"a":9007199254740992}', "a", "the integer 9007199254740992 is 2^53 or beyond"),
        (b'{"a":-0}', "a", "-0 is not a canonical number"),
        (b'{"a":true}', "a", "true and false are not used; only strings, integers and null"),
        (b'{"a": 1}', "byte 5", "not in canonical form (RFC 8785)"),
        (b'{"b":1,"a":1}', "byte 2", "not in canonical form (RFC 8785)"),
        (b'{"a":"\\u0041"}', "byte 6", "not in canonical form (RFC 8785)"),
        (b'{"a":["\\ud800"]}', "a[0]", "the text holds half of a surrogate pair"),
        (b'{"a":"\xff"}', "byte 6", "not UTF-8"),
        (b"\xef\xbb\xbf{}", "byte 0", "not JSON: Expecting value"),
        (b'{"a":"x', "byte 5", "not JSON: Unterminated string starting at"),
        (b"", "byte 0", "not JSON: Expecting value"),
        (b"[" * 100_000, "byte 16", "nested more than 16 levels deep"),
        (b'{"a":' + b"9" * 100_000 + b"}", "a", f"the integer {'9' * 40} is 2^53 or beyond"),
    ],
    ids=lambda value: repr(value)[:30],
)
def test_a_deviation_is_refused_with_its_place(data: bytes, place: str, reason: str) -> None:
    with pytest.raises(CanonicalError) as caught:
        load_canonical(data)
    assert (caught.value.place, caught.value.reason) == (place, reason)


@pytest.mark.parametrize(
    ("value", "place"),
    [
        ({"a": [0.5]}, "a[0]"),
        ({"a": True}, "a"),
        ({"a": 2**53}, "a"),
        ({"a": {"b": b"x"}}, "a.b"),
        ({"a": "\ud800"}, "a"),
        ({1: "x"}, "document"),
    ],
)
def test_a_value_that_may_not_be_stored_is_refused_with_its_place(value: object, place: str) -> None:
    with pytest.raises(CanonicalError) as caught:
        dump_canonical(value)
    assert caught.value.place == place


def test_the_largest_integers_are_kept() -> None:
    data = b'{"a":9007199254740991,"b":-9007199254740991}'
    assert load_canonical(data) == {"a": 2**53 - 1, "b": -(2**53) + 1}
