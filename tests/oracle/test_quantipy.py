"""Quantipy's example survey by either of its weights, against pandas over the same file.

8,255 respondents in five waves; `weight_a` is everybody's, `weight_b` leaves 157 out. pandas knows
nothing of masks, waves or lists in cells: a size is its sum of weights, a wave at a time, averaged.
"""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from audiencelab import Q, connect
from audiencelab.ingest import import_survey
from tests.oracle.asking import Asker
from tests.surveys.quantipy import SOURCES, make_quantipy_codebook

WAVES = range(1, 6)
ALL = [f"w{wave}" for wave in WAVES]
PEOPLE = {"weight_a": 8_255, "weight_b": 8_098}


class Weighted:
    """The survey by one weight, and the rows of the file that have it."""

    def __init__(self, weight: str, folder: Any) -> None:
        self.weight = weight
        survey = import_survey(SOURCES, make_quantipy_codebook(weight), folder / weight)
        self.asker = Asker(survey)
        frame = pd.read_csv(SOURCES[0], low_memory=False)
        self.rows = frame[frame[weight].notna()]

    def figures(self, flags: Any) -> tuple[int, float]:
        """Sample over the waves and size averaged over them, of the rows with a flag."""
        chosen = self.rows[flags]
        return len(chosen), float(chosen[self.weight].sum()) / len(WAVES)

    def having(self, column: str, code: str) -> Any:
        """The rows whose cell lists a value."""
        return self.rows[column].fillna("").str.split(";").map(lambda parts: code in parts)


@pytest.fixture(scope="module", params=PEOPLE)
def weighted(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Weighted:
    return Weighted(request.param, tmp_path_factory.mktemp("quantipy"))


def test_everybody_with_the_weight_is_there_and_nobody_else(weighted: Weighted) -> None:
    survey = weighted.asker.survey
    assert [wave.respondents for wave in survey.waves] == [
        int((weighted.rows["Wave"] == wave).sum()) for wave in WAVES
    ]
    assert sum(wave.respondents for wave in survey.waves) == PEOPLE[weighted.weight]
    report = survey.import_report
    assert report is not None
    dropped = sum(each["respondents"] for each in report["dropped"])
    assert dropped == 8_255 - PEOPLE[weighted.weight]
    assert report["unknown_values"] == []
    [cell] = weighted.asker.crosstab([None], [None], waves=ALL).values()
    assert cell["base"]["sample"] == PEOPLE[weighted.weight]
    assert cell["base"]["size"] == pytest.approx(weighted.rows[weighted.weight].sum() / 5, rel=1e-9)


def test_every_frame_says_by_which_weight_it_was_made(weighted: Weighted) -> None:
    with connect(survey=weighted.asker.survey) as client:
        asked = client.stats("q2"), client.crosstab(rows=[Q("q2").any()])
        assert {result.to_frame().attrs["weight"] for result in asked} == {weighted.weight}


@pytest.mark.parametrize("code", ["q2", "q3", "q8", "q9"])
def test_lists_in_cells_by_gender_equal_pandas(weighted: Weighted, code: str) -> None:
    points = [point.code for point in weighted.asker.survey.catalogue.question(code).datapoints]
    rows = [{"question": code, "datapoints": [point]} for point in points]
    columns = [{"question": "gender", "datapoints": [f"gender_{sex}"]} for sex in (1, 2)]
    cells = weighted.asker.crosstab(rows, columns, waves=ALL)
    assert len(cells) == 2 * len(points)
    for (row, column), cell in cells.items():
        chosen = weighted.having(code, points[row].rpartition("_")[2])
        sample, size = weighted.figures(chosen & (weighted.rows["gender"] == column + 1))
        assert cell["intersect"]["sample"] == sample
        assert cell["intersect"]["size"] == pytest.approx(size, rel=1e-9)


@pytest.mark.parametrize("code", ["q5", "q7", "q14_2"])
def test_every_cell_of_a_grid_equals_pandas(weighted: Weighted, code: str) -> None:
    grid = weighted.asker.survey.catalogue.question(code)
    pairs = [(point.code, suffix.code) for point in grid.datapoints for suffix in grid.suffixes]
    rows = [{"question": code, "datapoints": [p], "suffixes": [s]} for p, s in pairs]
    cells = weighted.asker.crosstab(rows, [None], waves=ALL)
    columns = dict(zip(grid.datapoint_positions, items_of(code), strict=True))
    for (row, _), cell in cells.items():
        point, suffix = pairs[row]
        sample, size = weighted.figures(weighted.rows[columns[point]] == int(suffix))
        assert cell["intersect"]["sample"] == sample
        assert cell["intersect"]["size"] == pytest.approx(size, rel=1e-9)


def items_of(code: str) -> list[str]:
    [question] = [
        each for each in make_quantipy_codebook("weight_a").questions if each.code == code
    ]
    return [point.column or "" for point in question.datapoints]


def test_a_size_is_the_waves_own_average(weighted: Weighted) -> None:
    rows = weighted.asker.stats(question="q1", splitter="waves")
    assert {row["segment"] for row in rows} == {*ALL}
    for row in rows:
        wave, value = int(row["segment"][1:]), int(row["datapoint"].rpartition("_")[2])
        chosen = weighted.rows[(weighted.rows["Wave"] == wave) & (weighted.rows["q1"] == value)]
        assert row["metrics"]["positive_sample"] == len(chosen)
        assert row["metrics"]["positive_size"] == pytest.approx(
            chosen[weighted.weight].sum(), rel=1e-9
        )
