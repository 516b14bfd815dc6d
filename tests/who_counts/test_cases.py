"""The twelve cases have the figures that were computed by hand, and those of R and of PSPP."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path

import pytest

import audiencelab as al
from tests.who_counts.asking import column, row
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


def test_shares_and_bases_are_those_computed_by_hand(case: Case, result: al.CrosstabResult) -> None:
    expected = {
        (row, column): by_hand(case, row, column)
        for row, columns in case.figures.items()
        for column in columns
    }
    assert not differences(shown(result), expected)


@pytest.mark.parametrize("program", ["r", "pspp"])
def test_figures_by_hand_are_those_of_other_programs(program: str) -> None:
    by_name = {each.name: each for each in CASES}
    compared: set[str] = set()
    for key, stored in json.loads((HERE / f"{program}.json").read_text("utf-8")).items():
        name, row, column = key.split("|")
        if name not in by_name:
            continue
        case, column = by_name[name], COLUMNS.get(column, column.removeprefix("wave "))
        if row not in case.figures:
            continue
        figure, expected = stored and stored[:2], by_hand(case, row, column)
        if program == "pspp" and expected and case.weight:
            # Its bases are weighted.
            expected = expected[0], float(case.figures[row][column].split("/")[1])
        assert figure == (expected and pytest.approx([*expected], rel=1e-9)), key
        compared.add(name)
    assert compared == {*by_name}


def test_indices_are_those_computed_by_hand(case: Case, result: al.CrosstabResult) -> None:
    frame = result.to_frame().set_index(["row", "column"])
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
    ).to_frame()
    figures = json.loads((HERE / f"{program}.json").read_text("utf-8"))
    # 15 of the 60 who were asked say no: 5 women and 10 men.
    for line, expected in zip(found.itertuples(), (100 * 5 / 15, 100 * 10 / 15), strict=True):
        stored = figures[f"not_routed of not Yes|{line.row}|all"]
        assert [line.column_percentage, line.base_sample] == pytest.approx([expected, 15], rel=1e-9)
        assert stored[:2] == pytest.approx([expected, 15], rel=1e-9)


def test_standard_errors_are_those_of_r(case: Case, result: al.CrosstabResult) -> None:
    """R has n - 1 in the variance of a sample that is not weighted, where ours has n."""
    people = case.respondents()
    alone = "wave" not in people and case.weight is None
    factor = math.sqrt(len(people) / (len(people) - 1)) if alone else 1.0
    errors = result.intervals().set_index(["row", "column"])["column_percentage_se"]
    compared = 0
    for key, figure in json.loads((HERE / "r.json").read_text("utf-8")).items():
        name, label, column = key.split("|")
        cell = label, COLUMNS.get(column, column.removeprefix("wave "))
        if name == case.name and label in case.figures and figure and 0 < figure[0] < 100:
            assert factor * errors[cell] == pytest.approx(figure[2], rel=1e-7), cell
            compared += 1
    assert compared


def test_letters_take_the_bases_of_their_cells(case: Case, result: al.CrosstabResult) -> None:
    """The pooled test of two shares, of columns that have no respondent in common."""
    if len(result.columns) < 3 or case.weight:
        return
    for line in result.test(min_base=0).to_frame().itertuples():
        first, second = (by_hand(case, line.row, each) for each in (line.column, line.other))
        if first is None or second is None:
            assert math.isnan(line.p), f"{line.row}: {line.column}, {line.other}"
            continue
        (one, n), (other, m) = first, second
        pooled = (n * one + m * other) / (n + m) / 100
        error = 100 * math.sqrt(pooled * (1 - pooled) * (1 / n + 1 / m))
        effects = [wave_effect(case, each) for each in (line.column, line.other)]
        if not all(effects):
            # A column over several waves rests on strata, and its errors are R's above.
            continue
        own = [one * (100 - one) / n, other * (100 - other) / m]
        if sum(own):
            error *= math.sqrt(sum(e * v for e, v in zip(effects, own, strict=True)) / sum(own))
        bases = [n / effects[0] if own[0] else n, m / effects[1] if own[1] else m]
        assert [line.base, line.other_base] == pytest.approx(bases, rel=1e-9)
        if error and not line.note:
            assert line.z == pytest.approx((one - other) / error, rel=1e-9)


def wave_effect(case: Case, column: str) -> float:
    """N ÷ (n - 1) of a wave of n, a sample of its own among several; 0 of another column."""
    people = case.respondents()
    if "wave" not in people:
        return 1.0
    size = int((people["wave"].astype(str) == column).sum())
    return size / (size - 1) if size else 0.0
