"""Quantipy's example survey by either of its weights, against pandas over the same file.

8,255 respondents in five waves; `weight_a` is everybody's, `weight_b` leaves 157 out. pandas knows
nothing of masks, waves or lists in cells: a size is its sum of weights, a wave at a time, averaged.
"""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from audiencelab import Q, connect
from audiencelab.panel.importing import import_survey
from tests.oracle.asking import Asker
from tests.surveys.quantipy import SOURCES, make_quantipy_codebook

WAVES = range(1, 6)
ALL = [f"w{wave}" for wave in WAVES]
PEOPLE = {"weight_a": 8_255, "weight_b": 8_098}


class Survey:
    """The panel by one weight, and the rows of the file that have it."""

    def __init__(self, weight: str, folder: Any) -> None:
        self.weight = weight
        panel = import_survey(SOURCES, make_quantipy_codebook(weight), folder / weight)
        self.asker = Asker(panel)
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
def survey(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Survey:
    return Survey(request.param, tmp_path_factory.mktemp("quantipy"))


def test_everybody_with_the_weight_is_there_and_nobody_else(survey: Survey) -> None:
    panel = survey.asker.panel
    assert [wave.respondents for wave in panel.waves] == [
        int((survey.rows["Wave"] == wave).sum()) for wave in WAVES
    ]
    assert sum(wave.respondents for wave in panel.waves) == PEOPLE[survey.weight]
    report = panel.import_report
    assert report is not None
    dropped = sum(each["respondents"] for each in report["dropped"])
    assert dropped == 8_255 - PEOPLE[survey.weight]
    assert report["unknown_values"] == []
    [cell] = survey.asker.crosstab([None], [None], waves=ALL).values()
    assert cell["base"]["sample"] == PEOPLE[survey.weight]
    assert cell["base"]["size"] == pytest.approx(survey.rows[survey.weight].sum() / 5, rel=1e-9)


def test_every_frame_says_by_which_weight_it_was_made(survey: Survey) -> None:
    with connect(panel=survey.asker.panel) as client:
        asked = client.stats("q2"), client.crosstab(rows=[Q("q2").any()])
        assert {result.to_frame().attrs["weight"] for result in asked} == {survey.weight}


@pytest.mark.parametrize("code", ["q2", "q3", "q8", "q9"])
def test_lists_in_cells_by_gender_equal_pandas(survey: Survey, code: str) -> None:
    points = [point.code for point in survey.asker.panel.catalogue.question(code).datapoints]
    rows = [{"question": code, "datapoints": [point]} for point in points]
    columns = [{"question": "gender", "datapoints": [f"gender_{sex}"]} for sex in (1, 2)]
    cells = survey.asker.crosstab(rows, columns, waves=ALL)
    assert len(cells) == 2 * len(points)
    for (row, column), cell in cells.items():
        chosen = survey.having(code, points[row].rpartition("_")[2])
        sample, size = survey.figures(chosen & (survey.rows["gender"] == column + 1))
        assert cell["intersect"]["sample"] == sample
        assert cell["intersect"]["size"] == pytest.approx(size, rel=1e-9)


@pytest.mark.parametrize("code", ["q5", "q7", "q14_2"])
def test_every_cell_of_a_grid_equals_pandas(survey: Survey, code: str) -> None:
    grid = survey.asker.panel.catalogue.question(code)
    pairs = [(point.code, suffix.code) for point in grid.datapoints for suffix in grid.suffixes]
    rows = [{"question": code, "datapoints": [p], "suffixes": [s]} for p, s in pairs]
    cells = survey.asker.crosstab(rows, [None], waves=ALL)
    columns = dict(zip(grid.datapoint_positions, items_of(code), strict=True))
    for (row, _), cell in cells.items():
        point, suffix = pairs[row]
        sample, size = survey.figures(survey.rows[columns[point]] == int(suffix))
        assert cell["intersect"]["sample"] == sample
        assert cell["intersect"]["size"] == pytest.approx(size, rel=1e-9)


def items_of(code: str) -> list[str]:
    [question] = [
        each for each in make_quantipy_codebook("weight_a").questions if each.code == code
    ]
    return [point.column or "" for point in question.datapoints]


def test_a_size_is_the_waves_own_average(survey: Survey) -> None:
    rows = survey.asker.stats(question="q1", splitter="waves")
    assert {row["segment"] for row in rows} == {*ALL}
    for row in rows:
        wave, value = int(row["segment"][1:]), int(row["datapoint"].rpartition("_")[2])
        chosen = survey.rows[(survey.rows["Wave"] == wave) & (survey.rows["q1"] == value)]
        assert row["metrics"]["positive_sample"] == len(chosen)
        assert row["metrics"]["positive_size"] == pytest.approx(
            chosen[survey.weight].sum(), rel=1e-9
        )
