"""Two public surveys, imported for real and compared with their files and published figures."""

from __future__ import annotations

import csv
from functools import cache
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

from audiencelab.survey import Survey
from audiencelab.survey.answers import unpack
from tests.surveys import hps, masculinity

SINGLE = ("EXPNS_DIF", "RRACE", "CURFOODSUF", "WRKLOSSRV", "SETTING", "INCOME", "REGION")


@cache
def week(number: int) -> Any:
    """A week's file, as pandas reads it: another path to the same figures."""
    (path,) = (source for source in hps.SOURCES if f"week{number}" in source.name)
    return pq.read_table(path).to_pandas()


def size(survey: Survey, wave: str, bits: Any) -> float:
    data = survey.wave(wave)
    return float(data.weights[unpack(bits, data.respondents)].sum())


def count(bits: Any) -> int:
    return int(np.bitwise_count(bits).sum())


class TestHouseholdPulse:
    def test_every_respondent_is_there_and_every_wave_weighs_the_country(
        self, hps_survey: Survey
    ) -> None:
        respondents = {wave.code: wave.respondents for wave in hps_survey.waves}
        assert respondents == {"w47": 7_288, "w48": 5_851, "w49": 6_368, "w50": 5_255}
        assert sum(respondents.values()) == 24_762
        for wave in hps_survey.waves:
            assert hps_survey.wave(wave.code).size == pytest.approx(252_481_011, abs=0.5)
        assert hps_survey.import_report is not None
        assert hps_survey.import_report["dropped"] == []
        assert hps_survey.import_report["unknown_values"] == []

    def test_questions_say_in_which_weeks_they_were_asked(self, hps_survey: Survey) -> None:
        catalogue = hps_survey.catalogue
        assert catalogue.question("PRICECOPE").waves == ("w49", "w50")
        assert catalogue.question("CTC_CLAIM").waves == ("w47", "w48")
        assert catalogue.question("EXPNS_DIF").waves == ("w47", "w48", "w49", "w50")
        assert hps_survey.wave("w47").question("PRICECOPE") is None

    @pytest.mark.parametrize("wave", [47, 50])
    @pytest.mark.parametrize("column", SINGLE)
    def test_single_questions_count_as_in_the_file(
        self, hps_survey: Survey, wave: int, column: str
    ) -> None:
        raw, found = week(wave), hps_survey.wave(f"w{wave}").question(column)
        assert found is not None
        assert count(found.asked) == (raw[column] != -88).sum()
        for point in found.question.datapoints:
            value = int(point.code.rpartition("_")[2])
            chosen = raw[column] == value
            bits = found.datapoint(point.code)
            assert count(bits) == chosen.sum()
            assert size(hps_survey, f"w{wave}", bits) == pytest.approx(raw.PWEIGHT[chosen].sum())

    def test_select_all_questions_count_as_in_the_file(self, hps_survey: Survey) -> None:
        raw, found = week(50), hps_survey.wave("w50").question("PRICECOPE")
        assert found is not None
        assert len(found.question.datapoints) == 19
        columns = [f"PRICECOPE{number}" for number in range(1, 20)]
        assert count(found.asked) == (raw[columns] != -88).any(axis=1).sum()
        for column in columns:
            chosen = raw[column] == 1
            bits = found.datapoint(column.replace("COPE", "COPE_"))
            assert size(hps_survey, "w50", bits) == pytest.approx(raw.PWEIGHT[chosen].sum())

    def test_a_no_in_the_insurance_list_is_not_selected(self, hps_survey: Survey) -> None:
        raw, found = week(47), hps_survey.wave("w47").question("HLTHINS")
        assert found is not None
        assert count(found.datapoint("HLTHINS_3")) == (raw.HLTHINS3 == 1).sum()

    def test_grids_keep_items_and_scale_apart(self, hps_survey: Survey) -> None:
        raw, found = week(48), hps_survey.wave("w48").question("PHQ4")
        assert found is not None
        assert [suffix.name for suffix in found.question.suffixes][-1] == "Nearly every day"
        for place, column in enumerate(("ANXIOUS", "WORRY", "INTEREST", "DOWN"), start=1):
            for value in (1, 2, 3, 4):
                bits = found.datapoint(f"PHQ4_{place}", [str(value)])
                assert count(bits) == (raw[column] == value).sum()

    def test_years_of_birth_become_ages(self, hps_survey: Survey) -> None:
        raw, found = week(49), hps_survey.wave("w49").question("AGE")
        assert found is not None
        young = raw.TBIRTH_YEAR >= 1998
        assert count(found.datapoint("AGE_1")) == young.sum()
        assert sum(count(row) for row in found.matrix) == len(raw), "everybody is in a band"

    def test_respondents_stand_by_state(self, hps_survey: Survey) -> None:
        data = hps_survey.wave("w47")
        found = data.question(hps_survey.catalogue.location_question)
        assert found is not None
        assert len(found.question.datapoints) == 51
        places = unpack(found.matrix, data.respondents).argmax(axis=0)
        assert (np.diff(places) >= 0).all()
        texas = week(47).EST_ST.astype(int) == 48
        assert count(found.datapoint("EST_ST_48")) == texas.sum()

    def test_most_of_the_variables_are_there(self, hps_survey: Survey) -> None:
        assert len(hps_survey.catalogue.questions) > 115
        report = hps_survey.import_report
        assert report is not None
        unused = {column for source in report["sources"] for column in source["unused_columns"]}
        assert unused == {"SCRAM", "HWEIGHT", "KIDBSTR_LT5Y"}


class TestMasculinity:
    def test_every_man_is_there(self, masculinity_survey: Survey) -> None:
        (wave,) = masculinity_survey.waves
        assert wave.respondents == 1_615
        assert masculinity_survey.wave(wave.code).size == pytest.approx(1_615, abs=1e-6)
        assert masculinity_survey.import_report is not None
        assert masculinity_survey.import_report["unknown_values"] == []
        assert masculinity_survey.import_report["dropped"] == []

    def test_very_masculine_by_age_to_the_digits_known(self, masculinity_survey: Survey) -> None:
        data = masculinity_survey.wave("w1")
        manly, age = data.question("q0001"), data.question("age3")
        assert manly is not None
        assert age is not None
        very = manly.datapoint("q0001_1")
        bands = [age.datapoint(f"age3_{place}") for place in (1, 2, 3)]
        assert [count(band) for band in bands] == [133, 855, 627]
        sizes = [size(masculinity_survey, "w1", very & band) for band in bands]
        assert sizes == pytest.approx([137.988770, 350.568854, 112.136680], abs=5e-7)
        shares = [
            100 * part / size(masculinity_survey, "w1", band)
            for part, band in zip(sizes, bands, strict=True)
        ]
        assert shares == pytest.approx([29.23597, 41.69413, 37.10603], abs=5e-6)

    def test_routing_is_kept(self, masculinity_survey: Survey) -> None:
        data = masculinity_survey.wave("w1")
        work, reasons = data.question("q0010"), data.question("q0013")
        assert work is not None
        assert reasons is not None
        assert count(work.asked) == 1_615 - 735
        assert count(reasons.asked) == 1_615 - 1_566

    def test_the_published_totals_come_out(self, masculinity_survey: Survey) -> None:
        """The column of all men, each answer among those asked, to the whole percent."""
        checked = 0
        data = masculinity_survey.wave("w1")
        for code, answer, percent in published_totals():
            found = data.question(code.partition("_")[0])
            assert found is not None
            if code.startswith("q0007_"):
                point = found.question.datapoints[int(code[-4:]) - 1].code
                suffix = next(each for each in found.question.suffixes if each.name == answer)
                bits = found.datapoint(point, [suffix.code])
            else:
                names = {point.name: point.code for point in found.question.datapoints}
                bits = found.datapoint(names[answer])
            share = size(masculinity_survey, "w1", bits) / size(
                masculinity_survey, "w1", found.asked
            )
            assert abs(100 * share - percent) <= 0.5 + 1e-9, (code, answer)
            checked += 1
        assert checked == 189


def published_totals() -> list[tuple[str, str, float]]:
    """Question (or grid column), answer and percent among all men, where one was published."""
    codes = iter(masculinity.published_tables())
    code, totals = "", list[tuple[str, str, float]]()
    with masculinity.PUBLISHED.open(encoding="latin-1", newline="") as file:
        for title, answer, percent, *_ in list(csv.reader(file))[2:]:
            code = next(codes) if title else code
            if percent:
                totals.append((code, masculinity.mended(answer), float(percent.rstrip("%"))))
    return totals
