"""Cells of nobody stop nothing: every table, test and picture of them is made, and says so."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from io import BytesIO
from typing import Any

import pytest

from audiencelab import Audience, Client, CrosstabResult, Q, StatsResult, charts, connect

MEN, WOMEN = Audience("Men", Q("q2").any("q2_1")), Audience("Women", Q("q2").any("q2_2"))
BOTH = Audience("Men and women", Q("q2").all("q2_1", "q2_2"))
"""One gender each: nobody is in here."""


@cache
def client() -> Client:
    return connect()


@cache
def table() -> CrosstabResult:
    return client().crosstab(rows=[MEN, BOTH, WOMEN], columns=[WOMEN, BOTH, MEN])


@cache
def nobody() -> CrosstabResult:
    return client().crosstab(rows=[MEN, WOMEN], columns=[WOMEN, MEN], base_audience=BOTH)


@cache
def answers() -> StatsResult:
    return client().stats("q4", audiences=[MEN, BOTH], splitter="waves")


TABLES: dict[str, Callable[[], CrosstabResult]] = {"some": table, "all": nobody}

MADE_OF_A_TABLE: dict[str, Callable[[CrosstabResult], Any]] = {
    "frame": lambda made: made.to_frame(),
    "wide": lambda made: made.to_wide(["column_percentage", "row_percentage", "index"]),
    "html": lambda made: made.to_html(),
    "notebook": lambda made: made._repr_html_(),
    "workbook": lambda made: made.to_excel(BytesIO()),
    "intervals": lambda made: made.intervals(),
    "letters": lambda made: made.test().to_wide(),
    "rest": lambda made: made.test(vs="rest").to_wide(),
    "standouts": lambda made: made.standouts(),
    "heat map": lambda made: charts.heatmap(made).svg(),
    "dots": lambda made: charts.dots(made).svg(),
    "profile": lambda made: charts.profile(made, "Women").svg(),
}

MADE_OF_ANSWERS: dict[str, Callable[[StatsResult], Any]] = {
    "frame": lambda made: made.to_frame(),
    "html": lambda made: made.to_html(),
    "workbook": lambda made: made.to_excel(BytesIO()),
    "intervals": lambda made: made.intervals(),
    "waves": lambda made: made.test(vs="previous wave").to_wide(),
    "nets": lambda made: made.nets({"Young": ["q4_1", "q4_2"]}).to_wide(),
    "rebased": lambda made: made.rebased_to_answered().to_wide(),
    "responses": lambda made: made.shares_of_responses(),
    "averages": lambda made: made.averages({"q4_1": 16.5, "q4_2": 21}),
    "score": lambda made: made.net_score(["q4_1"], ["q4_7"]),
    "moving": lambda made: made.moving_average(4),
    "trend": lambda made: charts.trend(made, intervals=True).svg(),
}


@pytest.mark.parametrize("which", TABLES)
@pytest.mark.parametrize("what", MADE_OF_A_TABLE)
def test_a_table_with_cells_of_nobody(which: str, what: str) -> None:
    MADE_OF_A_TABLE[what](TABLES[which]())


def test_of_nobody_nothing_differs_and_the_reason_is_said() -> None:
    compared = nobody().test().to_frame()
    assert compared["p"].isna().all()
    assert set(compared["note"]) == {"empty column"}
    assert nobody().standouts().empty


@pytest.mark.parametrize("what", MADE_OF_ANSWERS)
def test_answers_of_an_audience_of_nobody(what: str) -> None:
    MADE_OF_ANSWERS[what](answers())


def test_no_figure_stands_for_a_fraction_of_nothing() -> None:
    frame = table().to_frame().set_index(["row", "column"])
    cell = frame.loc[("Men", "Men and women")]
    assert math.isnan(cell["column_percentage"])
    assert cell["row_percentage"] == 0
    assert cell["note"] == "empty column"
    assert set(nobody().to_frame()["note"]) == {"empty base, or no wave in common"}


def test_a_count_of_0_in_a_base_of_some_is_0_percent_and_has_a_margin() -> None:
    frame = table().intervals().set_index(["row", "column"])
    cell = frame.loc[("Men", "Women")]
    assert cell["column_percentage"] == 0
    assert 0 == cell["column_percentage_low"] < cell["column_percentage_high"] < 1
