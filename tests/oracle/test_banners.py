"""The published tables of the masculinity survey with their banner, groups and blanks.

They were printed as a total and four groups of columns, with nothing in columns of fewer than 100
respondents; see `test_masculinity` for their source.
"""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from itertools import groupby

import numpy as np
import openpyxl
import pytest

from audiencelab import Audience, Client, CrosstabResult, connect
from audiencelab.client.audiences import AxisLike
from audiencelab.expressions.parsing import parse_expression
from audiencelab.survey import Survey
from tests.oracle.asking import Asker
from tests.oracle.test_masculinity import (
    BANNER,
    ROUTED,
    SMALLEST_BASE,
    Table,
    row_expressions,
    tables,
)

OF_ALL = [table for table in tables() if table.code not in ROUTED]
OF_SOME = [table for table in tables() if table.code in ROUTED]


@pytest.fixture(scope="module")
def survey(masculinity_survey: Survey) -> Asker:
    return Asker(masculinity_survey)


@pytest.fixture(scope="module")
def client(masculinity_survey: Survey) -> Iterator[Client]:
    with connect(survey=masculinity_survey) as connected:
        yield connected


def named(name: str, expression: object) -> Audience:
    return Audience(name, parse_expression(expression))


def rows_of(survey: Asker, table: Table) -> list[Audience]:
    return list(map(named, table.rows, row_expressions(survey, table)))


def banner(survey: Asker) -> AxisLike:
    groups = {
        code: [named(name, survey.leaf(code, name)) for _, name in columns]
        for code, columns in groupby(BANNER, key=lambda column: column[0])
    }
    return [Audience("Total"), groups]


def published(*found: Table) -> np.ndarray:
    """The printed percentages, NaN for a blank."""
    cells = [line for table in found for line in table.cells]
    return np.array([[np.nan if cell is None else cell for cell in line] for line in cells])


def agree(shown: np.ndarray, printed: np.ndarray) -> bool:
    """Whether the same cells are blank, and the others the same to half a percent."""
    return np.allclose(shown, printed, rtol=0, atol=0.5 + 1e-9, equal_nan=True)


def test_all_questions_under_their_groups_are_one_table(survey: Asker, client: Client) -> None:
    rows = {f"{place} {table.title}": rows_of(survey, table) for place, table in enumerate(OF_ALL)}
    wide = client.crosstab(rows=rows, columns=banner(survey)).to_wide("column_percentage")
    assert wide.columns.tolist() == [("", "Total"), *BANNER]
    assert wide.index.get_level_values("row_group").unique().tolist() == list(rows)
    assert agree(wide.to_numpy(), published(*OF_ALL))


def asked_of(survey: Asker, client: Client, table: Table) -> CrosstabResult:
    base = named("Asked", survey.leaf(*ROUTED[table.code]))
    return client.crosstab(rows=rows_of(survey, table), columns=banner(survey), base_audience=base)


@pytest.mark.parametrize("table", OF_SOME, ids=lambda table: table.code)
def test_the_same_cells_are_blank_as_in_print(survey: Asker, client: Client, table: Table) -> None:
    result = asked_of(survey, client, table)
    printed = published(table)
    assert np.isnan(printed).any()
    wide = result.to_wide("column_percentage", hide_under=SMALLEST_BASE)
    assert agree(wide.to_numpy(), printed)
    into = BytesIO()
    result.to_excel(into, metrics=["column_percentage"], hide_under=SMALLEST_BASE)
    sheet = openpyxl.load_workbook(into)["Table"]
    body = int(str(sheet.freeze_panes).removeprefix("B"))
    lines = sheet.iter_rows(min_row=body, max_row=body + len(table.rows) - 1, values_only=True)
    shown = [[np.nan if cell in ("", None) else cell for cell in line[1:]] for line in lines]
    assert agree(np.array(shown, dtype=float), printed)
