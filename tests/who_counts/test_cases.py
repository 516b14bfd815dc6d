"""The twelve cases have the figures that were computed by hand, and those of R and of PSPP."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import audiencelab as al
from tests.who_counts.asking import column, row, table
from tests.who_counts.cases import CASES, Case

HERE = Path(__file__).parent
COLUMNS = {"all": "all", "sex 1": "Woman", "sex 2": "Man"}


def by_hand(case: Case, row: str, column: str) -> tuple[float, int] | None:
    """The share in percent and the respondents of its base; None where there is no figure."""
    figure = case.figures[row][column]
    if not figure:
        return None
    ticked, base = map(int, figure.split("/"))
    return 100 * ticked / base, case.samples.get(column, base)


def shown(result: al.CrosstabResult) -> dict[tuple[str, str], tuple[float, int] | None]:
    """The share of each cell and the respondents of its column, by row and column."""
    frame = result.to_frame()
    found = zip(frame["column_percentage"], frame["column_sample"], strict=True)
    cells = zip(frame["row"], frame["column"], strict=True)
    return {
        cell: (share, sample) if sample else None
        for cell, (share, sample) in zip(cells, found, strict=True)
    }


def differences(
    found: dict[tuple[str, str], object], expected: dict[tuple[str, str], object]
) -> list[str]:
    """Cells that are not as expected to 1e-9, as text."""
    return [
        f"{' | '.join(cell)}: {found[cell]}, expected {figure}"
        for cell, figure in expected.items()
        if found[cell] != (figure and pytest.approx(figure, rel=1e-9))
    ]


def test_shares_and_bases_are_those_computed_by_hand(case: Case, client: al.Client) -> None:
    expected = {
        (row, column): by_hand(case, row, column)
        for row, columns in case.figures.items()
        for column in columns
    }
    assert not differences(shown(table(client, case)), expected)


@pytest.mark.parametrize("program", ["r", "pspp"])
def test_figures_by_hand_are_those_of_other_programs(program: str) -> None:
    by_name = {each.name: each for each in CASES}
    compared: set[str] = set()
    for key, figure in json.loads((HERE / f"{program}.json").read_text("utf-8")).items():
        name, row, column = key.split("|")
        if name not in by_name:
            continue
        case, column = by_name[name], COLUMNS.get(column, column.removeprefix("wave "))
        expected = by_hand(case, row, column) if row in case.figures else figure
        if program == "pspp" and expected and case.weight:
            # Its bases are weighted.
            expected = expected[0], float(case.figures[row][column].split("/")[1])
        assert figure == (expected and pytest.approx(expected, rel=1e-9)), key
        compared.add(name)
    assert compared == {*by_name}


def test_indices_are_those_computed_by_hand(case: Case, client: al.Client) -> None:
    frame = table(client, case).to_frame().set_index(["row", "column"])
    for cell, figure in case.indices.items():
        share, beside = map(int, figure.split("/"))
        assert frame.loc[cell, "index"] == pytest.approx(100 * share / beside, rel=1e-9), cell


@pytest.mark.parametrize("program", ["r", "pspp"])
def test_a_base_that_is_negated_holds_those_who_were_asked(
    clients: Callable[[Case], al.Client], program: str
) -> None:
    [case] = (each for each in CASES if each.name == "not_routed")
    client = clients(case)
    found = client.crosstab(
        [column(client, "Woman"), column(client, "Man")],
        base_audience=row(client, "not Yes"),
        base_of="valid",
    ).to_frame()
    figures = json.loads((HERE / f"{program}.json").read_text("utf-8"))
    # 15 of the 60 who were asked say no: 5 women and 10 men.
    for line, expected in zip(found.itertuples(), (100 * 5 / 15, 100 * 10 / 15), strict=True):
        stored = figures[f"not_routed of not Yes|{line.row}|all"]
        assert [line.column_percentage, line.base_sample] == pytest.approx([expected, 15], rel=1e-9)
        assert stored == pytest.approx([expected, 15], rel=1e-9)
