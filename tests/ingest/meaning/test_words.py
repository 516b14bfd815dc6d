"""The lists of words for "chosen" and "not chosen" in many languages."""

from __future__ import annotations

import tomllib
from importlib.resources import files

import pytest

from audiencelab.ingest.meaning.words import (
    folded,
    is_no_experience,
    is_not_applicable,
    is_off_scale,
    means_chosen,
    means_no,
    means_not_asked,
    means_unticked,
    names_age,
    names_amount,
)

LISTS = tomllib.loads(files("audiencelab.ingest.meaning").joinpath("words.toml").read_text("utf-8"))


def test_no_word_means_both() -> None:
    for language in LISTS.values():
        for word in (*language["yes"], *language.get("chosen", ())):
            assert means_chosen(word), word
            assert not means_no(word), word
        for word in language.get("off_scale", ()):
            assert is_off_scale(word), word
            assert not means_chosen(word), word
            assert not means_unticked(word), word
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


@pytest.mark.parametrize(
    ("label", "off_scale"),
    [
        ("Weiß nicht", True),
        ("(98) Weiß nicht / keine Angabe", True),
        ("k. A.", True),
        ("Ne sait pas (NSP)", True),
        ("No sabe o no contesta", True),
        ("わからない、無回答", True),
        ("Don’t know/Refused", True),
        ("Don't know / can't say", True),
        ("weiß nicht, keine Angabe", True),
        ("Ne peut pas choisir", True),
        ("[VOL] Don't know", True),
        ("No sabe y no contesta", True),
        ("모름/무응답", True),
        ("拒绝回答／不知道", True),
        ("No opinion matters", False),
        ("Other", False),
        ("None", False),
        ("None of these", False),
        ("NC", False),
        ("Don't know him, but like him", False),
        ("Refused entry", False),
        ("Weiß nicht, wo", False),
        ("Know it well", False),
        ("Trifft nicht zu", False),
        ("()", False),
    ],
)
def test_answers_off_every_scale(label: str, off_scale: bool) -> None:
    assert is_off_scale(label) is off_scale


@pytest.mark.parametrize(
    ("text", "amount", "age"),
    [
        ("age", True, True),
        ("Alter in Jahren", True, True),
        ("hh_income", True, False),
        ("Combien d'enfants ?", True, False),
        ("あなたの年齢", True, True),
        ("Image of the brand", False, False),
        ("q3", False, False),
    ],
)
def test_amounts_and_ages_are_known_by_whole_words(text: str, amount: bool, age: bool) -> None:
    assert (names_amount(text), names_age(text)) == (amount, age)


def test_answers_of_people_whom_a_question_is_not_about() -> None:
    for label in ("Inap.", "Not applicable", "n.v.t.", "Nie dotyczy", "해당 없음"):
        assert is_not_applicable(label), label
        assert is_off_scale(label), label
    for label in ("Never used it", "Keine Kinder", "9 = no children"):
        assert is_no_experience(label), label
        assert not is_off_scale(label), "the lowest of amounts"


@pytest.mark.parametrize(
    ("label", "not_asked"),
    [
        ("Inap. (not in the labour force)", True),
        ("IAP", True),
        ("Not in universe", True),
        ("Skipped: web only", True),
        ("Trifft nicht zu", True),
        ("Sans objet", True),
        ("Nie dotyczy", True),
        ("非該当", True),
        ("Not applicable / refused", False),
        ("Don't know, not asked", False),
        ("Refused", False),
        ("Filterless", False),
        ("", False),
    ],
)
def test_labels_of_people_who_were_not_asked(label: str, *, not_asked: bool) -> None:
    assert means_not_asked(label) is not_asked
