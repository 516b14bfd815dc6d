"""Known figures of services of this shape, reproduced on constructed surveys through the service.

Each survey holds the published samples and sizes in two waves, so that the rules about waves are
part of the proof: samples add up over them, sizes are averaged.
"""

from __future__ import annotations

from datetime import date
from pathlib import Path

import numpy as np
import pytest

from audiencelab.schema import Datapoint
from audiencelab.service import Service
from audiencelab.survey import Survey, SurveyBuilder, SurveyCatalogue, SurveyQuestion, SurveyWave
from tests.service.asking import TOKEN, crosstab, stats


def question(code: str, *datapoints: str) -> SurveyQuestion:
    points = tuple(Datapoint(datapoint, datapoint) for datapoint in datapoints)
    return SurveyQuestion("core", code, code, "single", points)


def build(
    folder: Path,
    questions: tuple[SurveyQuestion, ...],
    groups: list[tuple[tuple[int, ...], int, float]],
) -> Survey:
    """A survey of groups: (answer to each question, sample, size), spread over two waves.

    A group's respondents share its size equally within each wave, and each wave carries all of
    it: the size over both is the same again.
    """
    with SurveyBuilder(folder, SurveyCatalogue(questions, questions[0].canonical)) as builder:
        for place, code in enumerate(("q1_2024", "q2_2024")):
            samples = [sample // 2 + (sample % 2) * (1 - place) for _, sample, _ in groups]
            weights = np.concatenate(
                [
                    np.full(sample, size / sample)
                    for sample, (_, _, size) in zip(samples, groups, strict=True)
                ]
            )
            answers = np.repeat([values for values, _, _ in groups], samples, axis=0)
            starts = date(2024, 1 + 3 * place, 1)
            builder.add_wave(
                SurveyWave(code, code, starts, starts),
                weights,
                {each.code: answers[:, column] for column, each in enumerate(questions)},
            )
        return builder.finish()


@pytest.fixture(scope="module")
def split_by_location(tmp_path_factory: pytest.TempPathFactory) -> Service:
    # The published sizes are rounded: 117,655,215 + 22,877,696 is one short of 140,532,912, so
    # the unrounded ones end in somewhat less than a half.
    groups = [
        ((0, 0), 15_205, 117_655_215.4),
        ((0, -1), 25_739 - 15_205, 205_843_910.0 - 117_655_215.4),
        ((1, 0), 4_807, 22_877_696.4),
        ((1, -1), 10_828 - 4_807, 51_688_228.0 - 22_877_696.4),
    ]
    questions = (question("s2", "s2_1", "s2_49"), question("q1", "q1_1"))
    folder = tmp_path_factory.mktemp("conformance") / "locations"
    return Service(build(folder, questions, groups), [TOKEN])


def test_a_stats_query_split_by_location(split_by_location: Service) -> None:
    answer = stats(split_by_location, question="q1", datapoints=["q1_1"], splitter="s2")
    published = {
        "s2_1": (15_205, 117_655_215, 25_739, 205_843_910, 57.2, 83.7, 104.7),
        "s2_49": (4_807, 22_877_696, 10_828, 51_688_228, 44.3, 16.3, 81.1),
    }
    assert answer["meta"] == {"type": "DATAPOINTS-SEGMENTS", "question": "q1", "splitter": "s2"}
    assert [row["segment"] for row in answer["data"]] == ["s2_1", "s2_49"]
    for row in answer["data"]:
        metrics = row["metrics"]
        assert row["waves"] == ["q1_2024", "q2_2024"]
        assert (
            metrics["positive_sample"],
            round(metrics["positive_size"]),
            metrics["audience_sample"],
            round(metrics["audience_size"]),
            round(metrics["audience_percentage"], 1),
            round(metrics["datapoint_percentage"], 1),
            round(metrics["audience_index"], 1),
        ) == published[row["segment"]]
        assert metrics["datapoint_sample"] == 20_012
        assert round(metrics["datapoint_size"]) == 140_532_912


def test_the_base_behind_that_query_is_the_published_one(split_by_location: Service) -> None:
    [cell] = crosstab(split_by_location)
    assert round(cell["base"]["size"]) == 257_532_138
    assert cell["base"]["sample"] == 25_739 + 10_828


def test_a_crosstab_cell_against_the_base(tmp_path: Path) -> None:
    groups = [
        ((0, 0), 3_728, 36_643_034.0),
        ((0, -1), 24_922 - 3_728, 257_758_496.0 - 36_643_034.0),
    ]
    questions = (question("s2", "s2_1"), question("q1", "q1_1"))
    service = Service(build(tmp_path / "cell", questions, groups), [TOKEN])
    row = {"id": "row", "expression": {"question": "q1", "datapoints": ["q1_1"]}}
    [cell] = crosstab(service, rows=[row])

    def rounded(figures: dict[str, float]) -> dict[str, float]:
        return {name: round(value, 1) for name, value in figures.items()}

    base, found = {"size": 257_758_496, "sample": 24_922}, cell["audiences"]
    assert rounded(cell["base"]) == base
    assert rounded(found["row"] | {"audience": 0}) == {
        "audience": 0,
        "size": 36_643_034,
        "sample": 3_728,
        "percentage": 14.2,
        "intersect_percentage": 14.2,
    }
    assert rounded(found["column"] | {"audience": 0}) == base | {
        "audience": 0,
        "percentage": 100,
        "intersect_percentage": 100,
    }
    assert rounded(cell["intersect"]) == {
        "size": 36_643_034,
        "sample": 3_728,
        "percentage": 14.2,
        "index": 100,
    }
    assert (cell["row_index"], cell["column_index"]) == (1, 0)
