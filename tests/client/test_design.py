"""The design of a sample, as it is named where a survey is opened."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import audiencelab as al
from tests.first_hour import tracker
from tests.messages import fails


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    """One wave, with how many sampling points a region has."""
    df = tracker.frame()
    df = df[df["wave"] == 1].drop(columns="wave").reset_index(drop=True)
    points = df.groupby("region")["psu"].nunique()
    return df.assign(points=df["region"].map(points * 3), name=df["region"].map(tracker.REGIONS))


def standard_error(df: pd.DataFrame, answer: float, *, strata: bool, fpc: bool) -> float:
    """Of the weighted share of an answer to q5, by clusters, in %: Taylor's, as R's svymean."""
    held, w = df["q5"].eq(answer), df["weight"].where(df["q5"].notna(), 0)
    share = (held * w).sum() / w.sum()
    scores = (w * (held - share) / w.sum()).groupby([df["region"] * strata, df["psu"]]).sum()
    variance = 0.0
    for region, part in scores.groupby(level=0):
        drawn = 1 - len(part) / df.loc[df["region"] == region, "points"].iloc[0] if fpc else 1
        variance += drawn * len(part) / (len(part) - 1) * ((part - part.mean()) ** 2).sum()
    return 100 * float(np.sqrt(variance))


def shown(client: al.Client, answer: str) -> float:
    """The standard error of the same share of all respondents."""
    table = client.crosstab("q5")
    found = client.design_effects(table).standard_errors
    return float(found[[row.name for row in table.rows].index(answer), 0])


@pytest.mark.parametrize(
    ("named", "strata", "fpc"),
    [
        ({"strata": "region", "clusters": "psu"}, True, False),
        ({"strata": "region", "clusters": "psu", "fpc": "points"}, True, True),
        ({"clusters": "psu"}, False, False),
        ({"ids": "~psu", "stratum": "~region", "fpc": "~points", "nest": True}, True, True),
    ],
)
def test_the_design_is_named_where_a_survey_is_opened(
    frame: pd.DataFrame, named: dict[str, Any], strata: bool, fpc: bool
) -> None:
    client = al.open(frame, "weight", quiet=True, **named)
    assert shown(client, "4") == pytest.approx(
        standard_error(frame, 4, strata=strata, fpc=fpc), rel=1e-9
    )
    # A region is a stratum and a question.
    assert "region" in client.catalogue
    assert "psu" not in client.catalogue
    assert ("points" in client.catalogue) == (not fpc)


def test_a_column_of_the_frame_and_none_are_a_design_too(frame: pd.DataFrame) -> None:
    client = al.open(frame, strata=frame["name"], clusters=1, quiet=True)  # pyright: ignore
    book = client.service.survey.codebook
    assert book is not None
    assert book["design"] == {"strata": "name"}
    assert "psu" not in client.catalogue
    said = [each.said for each in client.import_report.guesses if each.about == "design"]
    assert said == ["strata: name: asked for", "clusters: none, as asked for"]


@pytest.mark.parametrize(
    "call",
    [
        lambda df: al.open(df, strata="regoin"),
        lambda df: al.open(df, id="psu"),
        lambda df: al.open(df, strata=["region", "hhsize"]),
        lambda df: al.open(df, clusters="~psu + hhsize"),
        lambda df: al.open(df, strata="respid", clusters=None),
        lambda df: al.open(df.assign(psu=df["psu"].where(df.index > 3)), clusters="psu"),
    ],
    ids=["no column", "id", "several", "two stages", "each another", "some lack"],
)
def test_what_is_not_a_design_says_what_to_write(
    frame: pd.DataFrame,
    call: Callable[[pd.DataFrame], object],
) -> None:
    with fails(Exception):
        call(frame)
