"""The lists of words for "chosen" and "not chosen" in many languages."""

from __future__ import annotations

import tomllib
from importlib.resources import files

import pytest

from audiencelab.ingest.meaning.words import folded, means_chosen, means_no, means_unticked

LISTS = tomllib.loads(
    files("audiencelab.ingest.meaning").joinpath("chosen.toml").read_text("utf-8")
)


def test_no_word_means_both() -> None:
    for language in LISTS.values():
        for word in (*language["yes"], *language["chosen"]):
            assert means_chosen(word), word
            assert not means_no(word), word
        for word in (*language["no"], *language.get("not_chosen", ())):
            assert means_no(word), word
            assert not means_chosen(word), word


def test_poles_are_not_both_ways_round() -> None:
    pairs = {
        (folded(first), folded(second))
        for language in LISTS.values()
        for first, second in language.get("poles", ())
    }
    assert pairs.isdisjoint({(second, first) for first, second in pairs})


@pytest.mark.parametrize(
    ("label", "chosen", "no", "unticked"),
    [
        ("(1) YES!", True, False, False),
        ("Not  checked", False, True, True),
        ("No", False, True, False),
        ("Non-quoted", False, True, True),
        ("Don't know", False, False, False),
        ("No opinion", False, False, False),
        ("None", False, False, False),
        ("1", False, False, False),
        ("該当なし", False, True, False),
        ("", False, False, False),
    ],
)
def test_labels_are_compared_without_case_codes_and_signs(
    label: str, chosen: bool, no: bool, unticked: bool
) -> None:
    assert (means_chosen(label), means_no(label), means_unticked(label)) == (chosen, no, unticked)
