"""Names that a spreadsheet might calculate are seen as such, and put behind an apostrophe."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audiencelab.csv_injection import defused, defused_field, looks_like_formula

FORMULAS = ("=1+1", "+1", "-1", "@SUM(A1)", "  =1", "\u00a0=1", "\ufeff=1", "\t=1", "\tx", "\nx")
WIDE = ("\uff1d1", "\uff0b1", "\uff0d1", "\uff20x")


@pytest.mark.parametrize("name", [*FORMULAS, *WIDE])
def test_a_formula_is_made_text(name: str) -> None:
    assert looks_like_formula(name)
    assert defused(name) == f"'{name}"


@pytest.mark.parametrize("name", ["", "Men", " Men", "a=b", "18-24", "'=1", "é", "1 + 1"])
def test_a_name_stays_as_it_is(name: str) -> None:
    assert defused(name) == name


@given(st.text())
def test_a_defused_name_is_the_name_behind_at_most_one_apostrophe(name: str) -> None:
    assert defused(name) in (name, f"'{name}")
    assert defused(defused(name)) == defused(name)


@pytest.mark.parametrize("separator", [";", "; ", "\t", "\n", "\r\n", "|"])
@pytest.mark.parametrize("formula", ["=cmd|' /C calc'!A0", "+1", "@SUM(A1)", " -1"])
def test_no_part_of_a_field_is_a_formula(separator: str, formula: str) -> None:
    """However a program parts the line: at semicolons too, and with no heed to quotation marks."""
    written = defused_field(f"a{separator}{formula}{separator}{formula}")
    assert not any(map(looks_like_formula, re.split("[;\t\r\n|]", written)))
    assert written.replace("'", "") == f"a{separator}{formula}{separator}{formula}".replace("'", "")


@given(st.text("a=+-@;\t\n\r| '", max_size=12))
def test_whatever_stands_in_a_field_nothing_in_it_is_calculated(name: str) -> None:
    parts = re.split("[;\t\r\n|]", defused_field(name))
    assert not any(map(looks_like_formula, parts))
    assert defused_field(defused_field(name)) == defused_field(name)
