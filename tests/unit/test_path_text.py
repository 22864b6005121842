from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpus.domain.bytestext import path_text, text_path


@given(st.binary(max_size=20))
@settings(max_examples=200)
def test_every_path_comes_back_from_its_text(path: bytes) -> None:
    assert text_path(path_text(path)) == path


@given(st.binary(max_size=6), st.binary(max_size=6))
@settings(max_examples=200)
def test_two_paths_never_share_a_text(left: bytes, right: bytes) -> None:
    assert (path_text(left) == path_text(right)) == (left == right)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (b"src/app.py", "src/app.py"),
        ("src/caf\u00e9.py".encode(), "src/caf\u00e9.py"),
        (b"src/caf\xe9.py", "src/caf\\xe9.py"),
        (b"a\\b", "a\\\\b"),
        (b"a\\xe9", "a\\\\xe9"),
        (b"a\nb", "a\\x0ab"),
    ],
)
def test_only_what_is_not_readable_text_is_escaped(path: bytes, text: str) -> None:
    assert path_text(path) == text


@pytest.mark.parametrize("text", ["a\\b", "a\\x4", "a\\xE9", "\u00e9\\\\", "a\\x62", "a\nb"])
def test_a_text_that_no_path_has_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is n"):
        text_path(text)
