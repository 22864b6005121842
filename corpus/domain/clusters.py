"""Characters as people see them: where a text may be cut without taking one apart.

A cluster is a character with all that joins it: accents and other marks, joiners and what follows them, skin tones,
flags (pairs of regional letters), keycaps, tag sequences, and syllables of Hangul letters. The rules are those of
Unicode Standard Annex #29, made of the categories in the standard library; where they differ they join more.
"""

from __future__ import annotations

import unicodedata
from itertools import pairwise

_ZERO_WIDTH_JOINER = "\u200d"
_MARKS = frozenset({"Mn", "Mc", "Me"})
# Signs that stand before the letter they belong to.
_PREPENDED = frozenset(
    "\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\u0d4e\U000110bd\U000110cd\U000111c2\U000111c3"
    "\U0001193f\U00011941\U00011a3a\U00011a84\U00011a85\U00011a86\U00011a87\U00011a88\U00011a89\U00011d46"
)
# The combining class of viramas, which bind the next letter even when other marks stand between.
_BINDING = 9
# Which Hangul letters and syllables go on with which.
_SYLLABLES = frozenset({"LL", "LV", "LS", "LZ", "VV", "VT", "SV", "ST", "TT", "ZT"})


def cluster_starts(text: str) -> list[int]:
    """Return where each cluster of `text` begins. An empty text has none."""
    if text.isascii():
        if "\r\n" not in text:
            return list(range(len(text)))
        return [index for index, character in enumerate(text) if character != "\n" or text[index - 1 : index] != "\r"]
    starts = []
    flag_letters = 0
    is_bound = False
    for index, character in enumerate(text):
        before = text[index - 1] if index else ""
        is_flag_letter = "\U0001f1e6" <= character <= "\U0001f1ff"
        extends = _extends(character)
        joined = bool(before) and (
            extends
            or before == _ZERO_WIDTH_JOINER
            or before in _PREPENDED
            or (is_flag_letter and flag_letters % 2 == 1)
            or _hangul(before) + _hangul(character) in _SYLLABLES
            or (is_bound and unicodedata.category(character) == "Lo")
            or (before == "\r" and character == "\n")
        )
        is_bound = (is_bound and extends) or unicodedata.combining(character) == _BINDING
        flag_letters = flag_letters + 1 if is_flag_letter else 0
        if not joined:
            starts.append(index)
    return starts


def clusters(text: str) -> list[str]:
    """Return the clusters of `text`; joined they are the text."""
    return [text[start:end] for start, end in pairwise([*cluster_starts(text), len(text)])]


def _extends(character: str) -> bool:
    """Say whether the character belongs to the one before it."""
    if character < "\u0300":
        return False
    return (
        unicodedata.category(character) in _MARKS
        or character in "\u0e33\u0eb3\u200c\u200d\uff9e\uff9f"
        or "\U0001f3fb" <= character <= "\U0001f3ff"
        or "\U000e0020" <= character <= "\U000e007f"
    )


def _hangul(character: str) -> str:
    """Return the kind of a Hangul letter (L, V, T) or syllable (S open, Z closed); empty for anything else."""
    if "\u1100" <= character <= "\u115f" or "\ua960" <= character <= "\ua97c":
        return "L"
    if "\u1160" <= character <= "\u11a7" or "\ud7b0" <= character <= "\ud7c6":
        return "V"
    if "\u11a8" <= character <= "\u11ff" or "\ud7cb" <= character <= "\ud7fb":
        return "T"
    if "\uac00" <= character <= "\ud7a3":
        return "Z" if (ord(character) - 0xAC00) % 28 else "S"
    return ""
