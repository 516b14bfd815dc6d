"""The Household Pulse Survey, weeks 47 to 50: 24,762 respondents in four waves.

The person weights add up to the same adult population in every week, so a size over all four must
be that population again. The cells are computed a second time from the source
files with pandas, which knows nothing of waves, coverage or masks.
"""

from __future__ import annotations

import pandas as pd
import pytest

from audiencelab.survey import Survey
from tests.oracle.asking import Asker
from tests.surveys.hps import SOURCES, WAVES

ADULTS = 252_481_011
RESPONDENTS = (7_288, 5_851, 6_368, 5_255)
ONLY_IN_49_AND_50 = "PRICECOPE"


@pytest.fixture(scope="module")
def survey(hps_survey: Survey) -> Asker:
    return Asker(hps_survey)


@pytest.fixture(scope="module")
def files(hps_survey: Survey) -> pd.DataFrame:
    columns = ["WEEK", "PWEIGHT", "EXPNS_DIF", "REGION", "TBIRTH_YEAR"]
    return pd.concat([pd.read_parquet(source, columns=columns) for source in SOURCES])


def test_a_size_over_four_waves_is_the_population_and_a_sample_their_sum(survey: Asker) -> None:
    [cell] = survey.crosstab([None], [None]).values()
    assert round(cell["base"]["size"]) == ADULTS
    assert cell["base"]["sample"] == sum(RESPONDENTS)


def test_every_wave_by_itself_is_the_population_too(survey: Asker) -> None:
    rows = survey.stats(question="RHISPANIC", splitter="waves", audiences=[{"id": "all"}])
    by_wave = {row["segment"]: row["metrics"] for row in rows}
    assert list(by_wave) == [code for code, *_ in WAVES]
    assert [metrics["audience_sample"] for metrics in by_wave.values()] == list(RESPONDENTS)
    for metrics in by_wave.values():
        assert round(metrics["audience_size"]) == ADULTS


def test_a_question_of_two_weeks_says_so_in_its_waves(survey: Asker) -> None:
    rows = survey.stats(question=ONLY_IN_49_AND_50)
    assert {tuple(row["waves"]) for row in rows} == {("w49", "w50")}
    for row in rows:
        assert round(row["metrics"]["audience_size"]) == ADULTS
        assert row["metrics"]["audience_sample"] == sum(RESPONDENTS[2:])
        assert row["metrics"]["positive_sample"] > 0


def test_in_the_weeks_that_did_not_ask_it_there_is_no_figure(survey: Asker) -> None:
    rows = survey.stats(question=ONLY_IN_49_AND_50, waves=["w47", "w48"])
    assert all(row["waves"] == [] and not any(row["metrics"].values()) for row in rows)


def test_financial_difficulty_by_region_and_age_equals_pandas(
    survey: Asker, files: pd.DataFrame
) -> None:
    catalogue = survey.survey.catalogue
    regions = [point.code for point in catalogue.question("REGION").datapoints]
    ages = [point.code for point in catalogue.question("AGE").datapoints]
    difficulty = [point.code for point in catalogue.question("EXPNS_DIF").datapoints]
    columns = [
        {
            "and": [
                {"question": "REGION", "datapoints": [region]},
                {"question": "AGE", "datapoints": [age]},
            ]
        }
        for region in regions
        for age in ages
    ]
    rows = [{"question": "EXPNS_DIF", "datapoints": [code]} for code in difficulty]
    cells = survey.crosstab(rows, columns)
    assert len(cells) == 4 * 4 * 6

    born = pd.cut(files["TBIRTH_YEAR"], [1900, 1957, 1967, 1977, 1987, 1997, 2004], labels=False)
    grouped = files.assign(age=6 - born).groupby(["EXPNS_DIF", "REGION", "age"])["PWEIGHT"]
    sizes, samples = grouped.sum() / len(WAVES), grouped.count()
    for (row, column), cell in cells.items():
        key = (
            int(difficulty[row].rpartition("_")[2]),
            int(regions[column // 6].rpartition("_")[2]),
            column % 6 + 1,
        )
        assert cell["intersect"]["sample"] == samples[key], key
        assert cell["intersect"]["size"] == pytest.approx(sizes[key], rel=1e-9), key
