"""Designs that cannot be what they are declared as: the error names the column and the fix."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import audiencelab as al
from audiencelab.survey import SurveyBuilder, SurveyError
from audiencelab.survey.answers import Design, Replicates
from tests.messages import fails
from tests.survey.test_builder import CATALOGUE, WAVE, simple

N = 80
UNIT = np.arange(N) // 5
STRATUM = np.arange(N) // 20
REPLICATES = {f"r{n}": 1.0 + (UNIT % n == 0) for n in range(1, 5)}
LISTED = 'replicates = ["r1", "r2", "r3", "r4"]'
BRR = f'{LISTED}\nreplicate_method = "BRR"'
DRAWN = 'strata = "stratum"\nclusters = "unit"'

QUESTION = """
[[questions]]
code = "tea"
name = "Tea"
column = "tea"
"""


def opened(folder: Path, design: str, **columns: Any) -> al.Client:
    people = {"tea": np.where(UNIT % 3, "yes", "no"), "stratum": STRATUM, "unit": UNIT}
    codebook = folder / "codebook.toml"
    codebook.write_text(f"[design]\n{design}\n{QUESTION}", "utf-8")
    frame = pd.DataFrame(people | REPLICATES | columns)
    return al.open(frame, codebook=codebook, to=folder / "survey", quiet=True)


def with_gap(values: Any) -> Any:
    found = np.array(values, np.float64)
    found[6] = np.nan
    return found


COLUMNS = {
    "a stratum is missing": (
        'strata = "stratum"',
        {"stratum": with_gap(STRATUM)},
        "row 7, column stratum: 1 respondent of this wave has no value here.* fill it",
    ),
    "a cluster is missing": (
        'clusters = "unit"',
        {"unit": with_gap(UNIT)},
        "row 7, column unit: .* fill it",
    ),
    "a population size is missing": (
        f'{DRAWN}\nfpc = "units"',
        {"units": with_gap(np.full(N, 50))},
        "row 7, column units: .* fill it",
    ),
    "a replicate weight is missing": (
        BRR,
        {"r2": with_gap(REPLICATES["r2"])},
        "row 7, column r2: .* fill it",
    ),
    "a replicate weight is negative": (
        BRR,
        {"r2": np.where(UNIT == 2, -1.0, 1.0)},
        "row 11, column r2, value '-1': a weight must be a number from 0",
    ),
    "a replicate has no weights": (
        BRR,
        {"r3": np.full(N, np.nan)},
        "column r3: this replicate weight has no value in wave w1.* 3 replicate weights: fill it",
    ),
    "a replicate is 0": (
        BRR,
        {"r3": np.zeros(N)},
        "column r3: this replicate weight has a weight of 0 for everyone in wave w1",
    ),
    "strata of one respondent": (
        'strata = "person"',
        {"person": np.arange(N)},
        "column person: each of the 80 respondents of wave w1 has another value .* is clusters",
    ),
    "a population smaller than the sample": (
        f'{DRAWN}\nfpc = "units"',
        {"units": np.where(STRATUM == 1, 3, 9)},
        "column units: wave w1: a stratum of 3 in the population has 4 clusters in the sample. "
        "Give how many clusters",
    ),
    "a population smaller than the respondents": (
        'fpc = "people"',
        {"people": np.full(N, 79)},
        "column people: wave w1: a stratum of 79 in the population has 80 respondents",
    ),
    "a stratum of two sizes": (
        f'{DRAWN}\nfpc = "units"',
        {"units": 40 + UNIT % 2},
        "column units: wave w1: 4 strata have respondents with different sizes",
    ),
}

DECLARED = {
    "an unknown method": (
        f'{LISTED}\nreplicate_method = "jackknife"',
        "'jackknife' - at `\\$.design.replicate_method`; a method is 'BRR', 'Fay'",
    ),
    "no method": (LISTED, "/design/replicate_method: Replicate weights need their method: BRR"),
    "Fay without a factor": (
        f'{LISTED}\nreplicate_method = "Fay"',
        '/design/replicate_method: The method "Fay" needs `fay`',
    ),
    "scales of another number": (
        f'{LISTED}\nreplicate_method = "JKn"\nreplicate_scales = [1.0, 0.5, 0.5]',
        "replicate_scales has 3 numbers for 4 replicates",
    ),
    "a single replicate": (
        'replicates = ["r1"]\nreplicate_method = "BRR"',
        "/design/replicates: A single replicate weight shows no variance: list",
    ),
    "one of them twice": (
        'replicates = ["r1", "r2", "r1"]\nreplicate_method = "BRR"',
        "/design/replicates: Column r1 is listed twice",
    ),
    "a method of no replicates": (
        'replicate_method = "BRR"',
        "/design/replicate_method: replicate_method is of replicate weights: list their columns",
    ),
    "one column for both": (
        'strata = "unit"\nclusters = "unit"',
        "/design/clusters: Column unit is named as strata too",
    ),
    "no such column": (
        'clusters = "units"',
        r"\[design\] reads column units.* Did you mean 'unit'",
    ),
}


@pytest.mark.parametrize("name", COLUMNS)
def test_a_column_that_is_no_part_of_a_design_is_refused(name: str, tmp_path: Path) -> None:
    design, columns, message = COLUMNS[name]
    with pytest.raises(SurveyError, match=message):
        opened(tmp_path, design, **columns)
    assert not (tmp_path / "survey").exists()


@pytest.mark.parametrize("name", DECLARED)
def test_a_declaration_that_contradicts_itself_is_refused(name: str, tmp_path: Path) -> None:
    design, message = DECLARED[name]
    with pytest.raises(SurveyError, match=message):
        opened(tmp_path, design)


@pytest.mark.parametrize(
    "design", [DRAWN, BRR, f'{DRAWN}\nfpc = "units"', f'{DRAWN}\nfpc = "part"']
)
def test_sound_designs_are_opened(design: str, tmp_path: Path) -> None:
    with opened(tmp_path, design, units=np.full(N, 4), part=np.full(N, 0.5)) as client:
        assert client.crosstab("tea").shape == (2, 1)


def test_a_pattern_of_replicates_with_a_gap_is_refused() -> None:
    frame = pd.DataFrame({"tea": np.where(UNIT % 3, "yes", "no")} | REPLICATES)
    with fails(SurveyError):
        al.open(frame.drop(columns="r3"), replicates="r*", replicate_method="BRR", quiet=True)


WEIGHTS = np.ones((3, 100))
MISFITS = {
    "an fpc below the sample": (
        Design(fpc=np.full(100, 99.0)),
        "Wave w1: `fpc` is not valid: a stratum of 99 in the population has 100 respondents",
    ),
    "another number of scales": (
        Design(replicates=Replicates(WEIGHTS, np.ones(2), "BRR")),
        r"for each of the 100 respondents, with a scale each; got weights\[3, 100\] and 2 scales",
    ),
    "a replicate of 0": (
        Design(replicates=Replicates(WEIGHTS * [[1], [0], [1]], np.ones(3), "BRR")),
        "replicate 2 of 3 is not",
    ),
}


@pytest.mark.parametrize("name", MISFITS)
def test_a_builder_refuses_them_too(name: str, tmp_path: Path) -> None:
    design, message = MISFITS[name]
    with (
        pytest.raises(SurveyError, match=message),
        SurveyBuilder(tmp_path / "p", CATALOGUE) as builder,
    ):
        builder.add_wave(WAVE, np.ones(100), simple(), design)
