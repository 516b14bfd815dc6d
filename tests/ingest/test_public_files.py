"""Public survey files, opened with no options, are counted as pandas and pyreadstat count them.

Sources and licences are in the README beside each file.
"""

from __future__ import annotations

import gzip
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd
import pyreadstat
import pytest

import audiencelab as al

DATA = Path("tests/data")
PUBLIC = DATA / "public"
NOTEBOOKS = Path("notebooks/data")


def of_csv(path: Path, **options: Any) -> pd.DataFrame:
    """All cells as they are written; empty ones are missing, and no other."""
    with gzip.open(path, "rt") if path.suffix == ".gz" else path.open() as file:
        return pd.read_csv(file, dtype=str, keep_default_na=False, na_values=[""], **options)


def of_sav(path: Path) -> pd.DataFrame:
    frame, _ = pyreadstat.read_sav(path, apply_value_formats=True)
    return frame


def of_xpt(path: Path) -> pd.DataFrame:
    return pyreadstat.read_xport(path)[0]


def of_dta(path: Path) -> pd.DataFrame:
    return pyreadstat.read_dta(path)[0]


@dataclass(frozen=True)
class Opened:
    """A public file, and what is true of it.

    read: counts the file without us. questions: two, whose answers are counted, and cross them:
    codes, each of a column of that name. codes: of a column whose answers are called otherwise,
    the name of each value. not_answers: values that are no answers. weight: a column of weights.
    says, says_not: what the report of the import has and has not.
    """

    path: Path
    read: Callable[[Path], pd.DataFrame]
    questions: tuple[str, str]
    rows: int
    weight: str = ""
    codes: dict[str, dict[str, str]] = field(default_factory=dict[str, dict[str, str]])
    not_answers: tuple[str, ...] = ()
    says: tuple[str, ...] = ()
    says_not: tuple[str, ...] = ("! weight",)

    @property
    def name(self) -> str:
        return self.path.name

    def answers(self, frame: pd.DataFrame, column: str) -> pd.Series[Any]:
        """The answers of a column by name, without blanks."""
        named = self.codes.get(column)
        values = frame[column].dropna().map(text)
        if named is not None:
            return values.map(named).dropna()
        return values[~values.isin(self.not_answers)]


def text(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value).strip()


FILES = [
    Opened(
        PUBLIC / "anes96.csv",
        lambda path: pd.read_csv(path, sep="\t", quotechar="'"),
        ("PID", "vote"),
        944,
        says=("no weight",),
    ),
    Opened(PUBLIC / "anes96.xpt", of_xpt, ("PID", "VOTE"), 944),
    Opened(
        PUBLIC / "austin_community_survey.csv.gz",
        of_csv,
        ("which_of_the_following_best", "method"),
        1000,
        says=(
            "3 waves",
            "'65+ years' (200) has no midpoint",
            "how_well_the_city_of_austin: 'Very Satisfied' is the top",
        ),
        says_not=("! ", "which_of_the_following_best: '18-34 years'", "may be a scale"),
    ),
    Opened(PUBLIC / "close_college.dta", of_dta, ("married", "south"), 3010),
    Opened(
        PUBLIC / "gss_cat.csv.gz",
        of_csv,
        ("marital", "race"),
        21_483,
        says=("8 waves", "year: by its name", "rincome: 'Not applicable' (7,043 of 21,483, 32.8%)"),
    ),
    Opened(PUBLIC / "gss_cat.zsav", of_sav, ("marital", "race"), 21_483, says=("8 waves",)),
    Opened(
        PUBLIC / "nhanes2.csv.gz",
        of_csv,
        ("race", "diabetes"),
        10_337,
        weight="finalwgt",
        says=("weighted by finalwgt", "strata: stratid", "clusters: psuid", "location"),
    ),
    Opened(PUBLIC / "rice_farmers.csv.gz", of_csv, ("takeup_survey", "male"), 1410),
    Opened(
        PUBLIC / "stackoverflow_2017.feather",
        pd.read_feather,
        ("CareerSatisfaction", "Remote"),
        5594,
        says=("Country: by its name", "5 places, none missing"),
    ),
    Opened(
        NOTEBOOKS / "ambulatory_care_2019" / "visits.csv.gz",
        of_csv,
        ("AGER", "SEX"),
        8250,
        weight="PATWT",
        says=("weighted by PATWT", "strata: CSTRATM", "clusters: CPSUM"),
    ),
    Opened(
        NOTEBOOKS / "masculinity_2018" / "raw-responses.csv.gz",
        of_csv,
        ("q0001", "age3"),
        1615,
        weight="weight",
        not_answers=("NA",),
        says=("weighted by weight", "q0007: one stem and one scale of 6", "(9 multiple, 1 grid)"),
    ),
    Opened(
        DATA / "quantipy_example_a" / "example-data-a.csv.gz",
        of_csv,
        ("locality", "gender"),
        8255,
        codes={
            "locality": {f"{code}.0": str(code) for code in range(1, 6)},
            "gender": {"1": "1", "2": "2"},
        },
        says=("weighted by weight_a", "5 waves", "! missing          q1: 98 and 99"),
    ),
    Opened(
        DATA / "household_pulse" / "week50.parquet",
        pd.read_parquet,
        ("EEDUC", "MS"),
        5255,
        not_answers=("-99", "-88"),
        says=("! weight", "or PWEIGHT"),
        says_not=("weighted by",),
    ),
]


@cache
def opened(path: Path) -> Any:
    """A client of a file, which several tests use."""
    return al.open(path, quiet=True)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_a_public_file_is_counted_as_others_count_it(file: Opened) -> None:
    client = opened(file.path)
    report = str(client.import_report)
    assert [each for each in file.says if each not in report] == []
    assert [each for each in file.says_not if each in report] == []
    frame = file.read(file.path)
    assert len(frame) == file.rows
    assert f"Import of {file.name}: {file.rows:,} respondents" in report
    first, second = (file.answers(frame, each) for each in file.questions)
    for code, column in zip(file.questions, (first, second), strict=True):
        table = client.crosstab(code).to_frame()
        got = {row: n for row, n in zip(table["row"], table["sample"], strict=True) if n}
        assert got == column.value_counts().to_dict(), code
    table = client.crosstab(*file.questions).to_frame()
    cells = table.set_index(["row", "column"])
    expected = pd.crosstab(first, second)
    for row in expected.index:
        for column in expected.columns:
            assert cells.loc[(row, column), "sample"] == expected.loc[row, column]
    if file.weight:
        weights = pd.to_numeric(frame[file.weight])
        sums = weights.groupby([first, second]).sum()
        for (row, column), size in sums.items():
            assert cells.loc[(row, column), "size"] == pytest.approx(size)


def test_one_study_is_the_same_in_two_formats() -> None:
    """A comma-separated file has no labels and no order, an SPSS file has both."""
    texts, labels = opened(PUBLIC / "gss_cat.csv.gz"), opened(PUBLIC / "gss_cat.zsav")
    for question in ("marital", "partyid", "rincome", "relig"):
        tables = [each.crosstab(question, "race").to_frame() for each in (texts, labels)]
        cells = [
            {
                (each["row"], each["column"]): each["sample"]
                for each in table.to_dict("records")
                if each["sample"]
            }
            for table in tables
        ]
        assert cells[0] == cells[1]
