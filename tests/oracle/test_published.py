"""The surveys that notebooks reproduce: published figures, and standard errors of R's `survey`.

`published.R` computed `published.json` of the same files.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import audiencelab as al

HERE = Path(__file__).parent
FIGURES: dict[str, float] = json.loads((HERE / "published.json").read_text("utf-8"))
VISITS = HERE.parents[1] / "notebooks" / "data" / "ambulatory_care_2019"
NAMES = {
    "AGER": "Age",
    "SEX": "Sex",
    "MDDO": "Type of doctor",
    "SPECCAT": "Specialty",
    "MSA": "Place of the office",
}
DESIGN = {"PATWT": "weight", "CSTRATM": "stratum", "CPSUM": "psu"}


@pytest.fixture
def client(tmp_path: Path) -> al.Client:
    visits = pd.read_csv(VISITS / "visits.csv.gz").rename(columns=NAMES | DESIGN)
    return al.open(visits, to=tmp_path / "survey", quiet=True)


def test_published_visits_and_standard_errors_come_out_to_every_digit(client: al.Client) -> None:
    published = pd.read_csv(VISITS / "published.csv").set_index(["question", "answer"])
    compared = 0
    for question in NAMES.values():
        found: Any = client.crosstab(question).intervals(method="beta", design="auto")
        found = found.set_index("row")
        for answer, expected in published.loc[question].iterrows():
            ours = found.loc[answer]
            assert ours["sample"] == expected["sample"]
            assert round(ours["size"] / 1000) == expected["thousands"]
            assert round(ours["column_percentage"], 1) == expected["percent"]
            assert round(ours["column_percentage_se"], 1) == expected["percent_se"]
            assert round(ours["column_percentage_low"], 1) == expected["percent_low"]
            assert round(ours["column_percentage_high"], 1) == expected["percent_high"]
            assert ours["column_percentage_se"] == pytest.approx(FIGURES[str(answer)], rel=1e-7)
            compared += 1
    assert compared == len(published) == 15


def test_standard_errors_of_a_weighted_sample_are_those_of_r(tmp_path: Path) -> None:
    folder = VISITS.with_name("masculinity_2018")
    client = al.open(
        folder / "raw-responses.csv.gz",
        labels=folder / "labels.csv",
        encoding="latin-1",
        to=tmp_path / "survey",
        quiet=True,
    )
    manly = 'In general, how masculine or "manly" do you feel?'
    table = client.crosstab(manly, "Age")
    found: Any = table.intervals(design=client.design_effects(table, "taylor"))
    found = found.set_index(["row", "column"]).loc["Very masculine", "column_percentage_se"]
    assert len(found) == 3
    for age, error in found.items():
        assert error == pytest.approx(FIGURES[f"Very masculine, {age}"], rel=1e-6)
