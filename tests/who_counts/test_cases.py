"""The twelve cases have the figures that were computed by hand, and those of R and of PSPP."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import audiencelab as al
from tests.who_counts.asking import table
from tests.who_counts.cases import CASES, Case

HERE = Path(__file__).parent
R = json.loads((HERE / "r.json").read_text("utf-8"))
COLUMNS = {"all": "all", "sex 1": "Woman", "sex 2": "Man"}
NONE = (pytest.approx(float("nan"), nan_ok=True), 0)


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
    """Cells that are not as expected, to 1e-9, in words."""
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


@pytest.mark.parametrize("program", [R], ids=["R"])
def test_figures_by_hand_are_those_of_other_programs(
    program: dict[str, list[float] | None],
) -> None:
    by_name = {each.name: each for each in CASES}
    compared = set()
    wrong = []
    for key, figure in program.items():
        name, row, column = key.split("|")
        column = COLUMNS.get(column, column.removeprefix("wave "))
        if name in by_name and row in by_name[name].figures:
            found = by_hand(by_name[name], row, column)
            compared.add(name)
            if found != (figure and pytest.approx(tuple(figure), rel=1e-9)):
                wrong.append(f"{key}: {figure}, by hand {found}")
    assert not wrong
    assert compared == {*by_name}


def test_indices_are_those_computed_by_hand(case: Case, client: al.Client) -> None:
    frame = table(client, case).to_frame().set_index(["row", "column"])
    for cell, figure in case.indices.items():
        share, beside = map(int, figure.split("/"))
        assert frame.loc[cell, "index"] == pytest.approx(100 * share / beside, rel=1e-9), cell
