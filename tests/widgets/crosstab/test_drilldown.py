"""The details of a cell: values equal separate counts, texts name its audiences."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

import audiencelab as al
from audiencelab.client import Client
from audiencelab.figures import figure
from audiencelab.results.metrics import frame_name
from audiencelab.widgets.crosstab.drilldown import NotCounted, cell_detail, waves_note
from tests.messages import fails
from tests.results.samples import crosstab
from tests.widgets.crosstab.grids import MEN, NOBODY, WOMEN

YOUNG = al.Audience("Young", al.Q("q4").any("q4_2", "q4_3"))


def test_the_four_counts_equal_separate_crosstabs(small_client: Client) -> None:
    result = small_client.crosstab(rows=[YOUNG], columns=[WOMEN])
    detail = cell_detail(result, 0, 0)
    for count in detail.counts:
        alone = small_client.crosstab(rows=[count.audience])
        assert count.size == pytest.approx(alone.values("row_size")[0, 0]), count.role
        assert count.sample == alone.values("row_sample")[0, 0], count.role
    assert [count.role for count in detail.counts] == ["row", "column", "both", "base"]


def test_a_row_that_is_named_like_another_is_named_after_its_group(small_client: Client) -> None:
    rows = {"Now": [YOUNG], "Before": [YOUNG, WOMEN]}
    result = small_client.crosstab(rows=rows, columns=[MEN])
    titles = [cell_detail(result, row, 0).title for row in range(3)]
    assert titles == [f"{name} × {MEN.name}" for name in ("Now › Young", "Before › Young", "Women")]


def test_the_audience_of_a_cell_has_the_size_of_the_cell_with_a_base_too(
    small_client: Client,
) -> None:
    result = small_client.crosstab(rows=[YOUNG], columns=[MEN, WOMEN], base_audience=WOMEN)
    detail = cell_detail(result, 0, 1)
    again = eval(detail.to_code(), {"al": al})
    alone = small_client.crosstab(rows=[again])
    assert again == detail.both
    assert alone.values("row_size")[0, 0] == pytest.approx(result.values("size")[0, 1])
    assert alone.values("row_sample")[0, 0] == result.values("sample")[0, 1]


def test_each_formula_is_consistent_with_the_counts(small_client: Client) -> None:
    detail = cell_detail(small_client.crosstab(rows=[YOUNG], columns=[WOMEN]), 0, 0)
    size = {count.role: count.size for count in detail.counts}
    both, row, column, base = (size[role] for role in ("both", "row", "column", "base"))
    assert detail.value("index") == pytest.approx(100 * (both / column) / (row / base))
    assert detail.value("column_percentage") == pytest.approx(100 * both / column)
    assert detail.value("row_percentage") == pytest.approx(100 * both / row)
    assert detail.value("percentage") == pytest.approx(100 * both / base)
    assert detail.value("difference") == pytest.approx(100 * (both / column - row / base))
    with pytest.raises(KeyError):
        detail.value("loudness")


@pytest.mark.parametrize("turned", [False, True])
def test_each_formula_of_a_wave_gives_its_value(turned: bool, small_client: Client) -> None:
    sides = (["waves"], [YOUNG]) if turned else ([YOUNG], ["waves"])
    detail = cell_detail(small_client.crosstab(*sides, waves="latest 4"), 0, 0)
    units = {"K": "e3", "M": "e6", "×": "*", "÷": "/", "−": "-"}
    for each in detail.formulas:
        python = "".join(units.get(letter, letter) for letter in each.written)
        # Of people as they are written: the value as it is shown beside them.
        assert figure(eval(python)) == figure(each.value), each.written


def test_a_formula_has_as_many_digits_as_give_its_value() -> None:
    counts = {"size": 2.2402, "row_size": 8.0011, "base_size": 100.2}
    shares = {"row_percentage": 27.9986, "percentage": 2.2357}
    detail = cell_detail(crosstab(**counts, **shares), 0, 0)
    written = {each.metric: each.written for each in detail.formulas}
    # In whole people 100 × 2 ÷ 8 is 25, and the cell says 28.0%.
    assert written["row_percentage"] == "100 × 2.24 ÷ 8.00"
    assert written["percentage"] == "100 × 2.2 ÷ 100.2"
    assert detail.to_page().formulas[2].value == "28.0%"


def test_intervals_and_the_test_equal_those_of_the_table(small_client: Client) -> None:
    ages = small_client.catalogue.audiences("q4")
    result = small_client.crosstab(rows=ages, columns=[WOMEN, MEN])
    frame = result.intervals().set_index(["row", "column"])
    tests = result.test(vs="rest", min_base=0).to_frame().set_index(["row", "column"])
    for row, age in enumerate(ages):
        detail = cell_detail(result, row, 1)
        line, tested = frame.loc[(age.name, "Men")], tests.loc[(age.name, "Men")]
        for formula in detail.formulas[:4]:
            name = frame_name(formula.metric)
            # By the sample's design column percentages and indices have intervals.
            low, high = (line.get(f"{name}_{end}", math.nan) for end in ("low", "high"))
            assert formula.low == pytest.approx(low, nan_ok=True)
            assert formula.high == pytest.approx(high, nan_ok=True)
        assert detail.test is not None
        assert detail.test.z == pytest.approx(tested["z"])
        assert detail.test.p == pytest.approx(tested["p"])


def test_without_scipy_a_cell_has_values_only(
    small_client: Client, not_installed: Callable[[str], None]
) -> None:
    result = small_client.crosstab(rows=[YOUNG], columns=[WOMEN])
    whole = cell_detail(result, 0, 0)
    not_installed("scipy")
    detail = cell_detail(result, 0, 0)
    assert detail.test is None
    assert [each.value for each in detail.formulas] == [each.value for each in whole.formulas]
    assert all(math.isnan(each.low) for each in detail.formulas)
    assert not any(math.isnan(each.low) for each in whole.formulas[:2])


def test_a_cell_without_respondents_has_a_reason_and_no_values(small_client: Client) -> None:
    detail = cell_detail(small_client.crosstab(rows=[YOUNG], columns=[NOBODY]), 0, 0)
    assert math.isnan(detail.value("index"))
    assert "No value: empty column" in detail.notes
    assert detail.test is not None
    assert detail.test.describe().startswith("Not tested against the rest of the base: nobody")
    shown = detail.to_page()
    assert [each.value for each in shown.formulas][:2] == ["–", "–"]
    assert shown.formulas[0].interval == ""


def test_warnings_about_low_bases_depend_on_the_denominators_only() -> None:
    samples = {"row_sample": 29.0, "column_sample": 99.0, "base_sample": 500.0, "sample": 3.0}
    detail = cell_detail(
        crosstab(**{name: np.full((2, 3), each) for name, each in samples.items()}), 0, 0
    )
    assert detail.notes == (
        "Only 29 respondents are in the row “Men”: its shares are only indicative",
        "Only 99 respondents are in the column “Tea”: its shares are uncertain",
    )
    counts = {each.role: each.sample for each in detail.to_page().counts}
    assert counts == {"row": "29**", "column": "99*", "both": "3", "base": "500"}


def test_samples_are_marked_by_the_grid_s_low_base_settings(small_client: Client) -> None:
    result = small_client.crosstab(rows=[YOUNG], columns=[WOMEN])
    sample = float(result.values("column_sample")[0, 0])
    for stars, mark in (((sample + 1, 0), "*"), ((sample + 1,) * 2, "**"), ((sample, 0), "")):
        told = cell_detail(result, 0, 0, stars=stars).to_page().counts
        [column] = [count for count in told if count.role == "column"]
        assert column.sample == f"{sample:,.0f}{mark}"


def test_every_audience_is_shown_as_text_and_code(small_client: Client) -> None:
    result = small_client.crosstab(rows=[YOUNG], columns=[WOMEN])
    shown = cell_detail(result, 0, 0, labels=small_client.catalogue).to_page()
    words = {each.role: each.words for each in shown.counts}
    assert words["column"] == "Gender is Female"
    assert words["base"] == "everyone"
    assert words["both"].endswith("and Gender is Female")
    assert shown.code.startswith("(client['Age'].isin(['18 to 24', '25 to 34']) & ")
    assert 0 < shown.counts[2].share < shown.counts[1].share < 1


def test_its_html_is_escaped_and_its_repr_is_one_line() -> None:
    detail = cell_detail(crosstab(("<img src=x onerror=alert(1)>", "B")), 0, 0)
    assert "<img" not in detail._repr_html_()
    assert repr(detail) == (
        "<CellDetail <img src=x onerror=alert(1)> × Tea: "
        "Index 4.0, Column % 5.0%, Row % 6.0%, sample 2>"
    )


def test_a_cell_that_has_not_arrived_is_reported() -> None:
    with fails(NotCounted):
        cell_detail(crosstab(fill=False), 0, 0)


def test_waves_have_codes_and_names() -> None:
    assert waves_note([]) == "The questions have no requested wave in common"
    assert waves_note(["q1"]) == "Based on wave q1"
    assert waves_note(["q1", "q2"]) == "Based on 2 waves: q1, q2"
    assert waves_note([f"w{n}" for n in range(9)]) == "Based on 9 waves: w0 to w8"
    detail = cell_detail(crosstab(), 0, 0, waves=("q1", "q2"))
    assert "Based on 2 waves: q1, q2" in detail._repr_html_()
