"""Published tables, and the files of public surveys, by those who answered, with no base named."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest

import audiencelab as al
from audiencelab.ingest import import_survey
from audiencelab.ingest.codebook import CodedDatapoint, CodedQuestion
from audiencelab.survey import Survey
from tests.oracle.asking import Asker
from tests.oracle.test_masculinity import BANNER, SMALLEST_BASE, row_expressions, tables
from tests.oracle.test_quantipy_tables import WAVES, Published, answered, columns
from tests.surveys import hps
from tests.surveys.fixtures import hps_survey, masculinity_survey
from tests.surveys.hps import make_hps_codebook
from tests.surveys.quantipy import SOURCES, make_quantipy_codebook
from tests.who_counts.surveys import SURVEYS

__all__ = ["hps_survey", "masculinity_survey"]


def test_published_tables_of_routed_questions_need_no_base(masculinity_survey: Survey) -> None:
    """35 tables, seven of questions that some men were routed past, in whole percent."""
    survey = Asker(masculinity_survey)
    banner = [None, *(survey.leaf(code, name) for code, name in BANNER)]
    compared = 0
    for table in tables():
        found = survey.crosstab(row_expressions(survey, table), banner, base_of="valid")
        for (row, column), cell in found.items():
            published = table.cells[row][column]
            place = f"{table.title} / {table.rows[row]} / column {column}"
            sample = cell["audiences"]["column"]["sample"]
            assert (published is None) == (sample < SMALLEST_BASE), place
            if published is not None:
                share = cell["audiences"]["row"]["intersect_percentage"]
                assert share == pytest.approx(published, abs=0.5 + 1e-9), place
                compared += 1
    assert compared == 1_820


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Iterator[al.Client]:
    """Quantipy's example survey, by the weight that its tables have."""
    folder = tmp_path_factory.mktemp("quantipy") / "survey"
    survey = import_survey(SOURCES, make_quantipy_codebook("weight_a"), folder)
    with al.connect(survey=survey) as client:
        yield client


def test_published_bases_of_an_item_of_a_grid(example: al.Client) -> None:
    published = Published()
    rows = [answered(*name.split("+")) for name in published.tested]
    banner = list(columns().values())
    table = example.crosstab(rows, banner, waves=WAVES, base_of="valid")
    waves = np.array([5] * 5 + [1] * 20)
    assert table.values("column_sample")[0].tolist() == published.figures("respondents").tolist()
    bases = waves * table.values("column_size")[0]
    assert bases == pytest.approx(published.figures("base"), rel=1e-9)
    for row, name in enumerate(published.tested):
        share = 100 * published.figures(name) / published.figures("base")
        assert table.values("column_percentage")[row] == pytest.approx(share, rel=1e-8), name


@pytest.fixture(scope="module")
def households() -> pd.DataFrame:
    """The four files of the Household Pulse Survey; a week has no column of what it did not ask."""
    return pd.concat([pd.read_parquet(source) for source in hps.SOURCES], ignore_index=True)


def answers(question: CodedQuestion, files: pd.DataFrame) -> Iterator[tuple[Any, Any, Any]]:
    """Each answer of a codebook's question: its row, who gave it, and who could have.

    -88 was not asked, -99 saw the question and gave no answer: of several, ticked none.
    """
    points, scale = question.datapoints, [float(each.value) for each in question.suffixes]
    if question.kind == "single":
        column = files[question.column]
        gave = [within(point, column) for point in points]
        could = np.logical_or.reduce(gave)
        for place, each in enumerate(gave):
            yield (place, None), each, could
        return
    for place, point in enumerate(points):
        column = files[point.column].to_numpy()
        if question.kind == "multiple":
            yield (place, None), column == 1, np.isin(column, [1, 2, -99])
        for at, value in enumerate(scale):
            yield (place, at), column == value, np.isin(column, scale)


def within(point: CodedDatapoint, column: pd.Series) -> np.ndarray:
    if point.value is not None:
        return (column == float(point.value)).to_numpy()
    return column.between(point.min, point.max).to_numpy()


def test_every_question_of_the_household_pulse_by_region(
    hps_survey: Survey, households: pd.DataFrame
) -> None:
    survey, weights = Asker(hps_survey), households["PWEIGHT"].to_numpy()
    banner = [None, *({"question": "REGION", "datapoints": [f"REGION_{at}"]} for at in range(1, 5))]
    region = households["REGION"].to_numpy()
    regions = [region > 0, *(region == at for at in range(1, 5))]
    compared = 0
    # All of them take some seconds.
    every = 1 if SURVEYS > 100 else 4
    for question in make_hps_codebook().questions[::every]:
        points = hps_survey.catalogue.question(question.code)
        expected = [*answers(question, households)]
        rows: list[dict[str, Any]] = [
            {"question": question.code, "datapoints": [points.datapoints[place].code]}
            | ({} if at is None else {"suffixes": [points.suffixes[at].code]})
            for (place, at), *_ in expected
        ]
        for (row, column), cell in survey.crosstab(rows, banner, base_of="valid").items():
            _, gave, could = expected[row]
            part = regions[column]
            base = weights[could & part].sum()
            place = f"{rows[row]} in region {column}"
            of = cell["audiences"]["column"]
            assert of["sample"] == (could & part).sum(), place
            share = 100 * weights[gave & part].sum() / base if base else 0.0
            assert cell["audiences"]["row"]["intersect_percentage"] == pytest.approx(share), place
            compared += 1
    assert compared > 3_000 / every
