"""Counts with their nouns, which way figures are rounded, and characters that act."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audiencelab.wording import articled, half_up, plural, without_controls


def test_one_is_singular_and_anything_else_is_not() -> None:
    counted = [plural(count, "row") for count in (0, 1, 2, 1_000)]
    assert counted == ["0 rows", "1 row", "2 rows", "1,000 rows"]


def test_an_article_goes_by_the_first_letter() -> None:
    told = [articled(noun) for noun in ("int", "str", "And", "Leaf")]
    assert told == ["an int", "a str", "an And", "a Leaf"]


@pytest.mark.parametrize(
    "character",
    [
        "\x00",
        "\x1b",
        "\x07",
        "\r",
        "\x85",
        "\x9b",
        "\u202e",
        "\u2066",
        "\u2069",
        "\ud800",
        "\uffff",
    ],
)
def test_a_character_that_acts_is_shown(character: str) -> None:
    assert without_controls(f"a{character}b") == "a\ufffdb"


@pytest.mark.parametrize(
    "label",
    [
        "a\tb\nc\r\nd",
        "שלום \u200f(1)",
        "العربية\u061c 12",
        "می\u200cخواهم",
        "क्\u200dष",
        "👩\u200d👩\u200d👧",
        "\ufeff",
    ],
)
def test_text_of_every_language_stays(label: str) -> None:
    assert without_controls(label) == label


@pytest.mark.parametrize(
    ("value", "decimals", "written"),
    [
        (12.25, 1, "12.3"),
        (-12.25, 1, "-12.3"),
        (12.75, 1, "12.8"),
        (0.5, 0, "1"),
        (2.5, 0, "3"),
        (0.125, 2, "0.13"),
        (12.35, 1, "12.4"),  # which is a hair less in binary
        (998.15, 1, "998.2"),
        (999.15, 1, "999.2"),
        (1000.15, 1, "1000.2"),
        (1.1499999999999999, 1, "1.2"),  # 1.15 in the 15 digits of a spreadsheet
        (-0.35, 1, "-0.4"),
        (float("inf"), 1, "inf"),
        (float("nan"), 1, "nan"),
        (1e308, 1, f"{1e308:.1f}"),
    ],
)
def test_half_goes_away_from_zero(value: float, decimals: int, written: str) -> None:
    assert f"{half_up(value, decimals):.{decimals}f}" == written


@given(st.integers(-(10**9), 10**9), st.integers(0, 6), st.integers(0, 4))
def test_every_number_is_rounded_as_decimal_arithmetic_rounds_it(
    part: int, power: int, decimals: int
) -> None:
    value = part / 2**power  # many of these are exactly half, and all have 15 digits at most
    exact = Decimal(value).quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP)
    assert Decimal(f"{half_up(value, decimals):.{decimals}f}") == exact
