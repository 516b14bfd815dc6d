"""Rules that Python and the page both follow, by the cases of `js/tests/shared.json`.

Formats, shades and low bases are in `tests/widgets/crosstab`.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from audiencelab.csv_injection import defused
from audiencelab.figures import figure
from audiencelab.jupyter.connections.connection import NAME
from audiencelab.widgets.crosstab.drilldown import RestTest
from audiencelab.widgets.crosstab.marks import Marks
from tests.shared import SHARED


@pytest.mark.parametrize(("value", "decimals", "text"), SHARED["rounding"])
def test_half_values_are_rounded_up(value: float, decimals: int, text: str) -> None:
    assert figure(value, decimals).replace("-", "−") == text


@pytest.mark.parametrize(("p", "text"), SHARED["p"])
def test_a_p_value_has_three_decimals(p: float, text: str) -> None:
    tested = RestTest(share=20, rest=10, z=2.0, p=p, freedom=math.inf, note="")
    assert f"p {text})" in tested.describe()


@pytest.mark.parametrize(("reached", "level", "sign"), SHARED["arrows"])
def test_an_arrow_needs_its_level(reached: float, level: float, sign: int) -> None:
    none = np.zeros((1, 1))
    [[arrow]] = Marks(none, none, none, np.array([[float(reached)]])).arrows(level)
    assert arrow == {1: "▲", -1: "▼", 0: ""}[sign]


@pytest.mark.parametrize(("text", "is_formula"), SHARED["formulas"])
def test_text_that_a_spreadsheet_would_calculate(text: str, is_formula: bool) -> None:
    assert defused(text) == (f"'{text}" if is_formula else text)


@pytest.mark.parametrize(("name", "is_name"), SHARED["connectionNames"])
def test_names_of_connections(name: str, is_name: bool) -> None:
    assert (NAME.fullmatch(name) is not None) == is_name
