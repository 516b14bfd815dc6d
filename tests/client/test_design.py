"""The design of a sample, as it is named where a survey is opened."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
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


def test_the_design_is_what_tests_rest_on(frame: pd.DataFrame) -> None:
    client = al.open(frame, "weight", strata="region", clusters="psu", quiet=True)
    design, w = client.design, frame["weight"]
    assert (design.weight, design.strata, design.clusters, design.fpc) == (
        *("weight", "region", "psu"),
        "",
    )
    assert design.respondents == len(frame)
    assert design.effective_base == pytest.approx(w.sum() ** 2 / (w**2).sum(), rel=1e-12)
    assert design.degrees_of_freedom == frame["psu"].nunique() - frame["region"].nunique()
    assert f"{design.degrees_of_freedom} degrees of freedom" in repr(design)
    assert 'client.design(fpc="COLUMN")' in repr(design)
    assert "client.design(clusters=None)" in design._repr_html_()
    # Of a filtered client as R's degf(subset(design, …)).
    women = frame[(frame["gender"] == 2) & (frame["age"] > 80)]
    subset = client.filter(client["gender"] == "2", client["age"] > 80).design
    assert subset.degrees_of_freedom == women["psu"].nunique() - women["region"].nunique()
    assert subset.to_frame()["respondents"].tolist() == [len(women)]
    assert "gender is 2, and age is above 80" in repr(subset)


def test_waves_are_samples_of_their_own_and_those_of_a_panel_are_one() -> None:
    df = tracker.frame()
    client = al.open(df, strata="region", clusters="psu", quiet=True)
    units = df.groupby("wave")[["psu", "region"]].nunique()
    by_wave = units["psu"] - units["region"]
    assert client.design.to_frame()["degrees_of_freedom"].tolist() == by_wave.tolist()
    assert "each wave with its own, though codes recur" in repr(client.design)
    own = al.open(df.assign(psu=df["psu"] * 10 + df["wave"]), clusters="psu", quiet=True)
    assert "recur" not in repr(own.design) + str(own.import_report)
    assert client.design.degrees_of_freedom == by_wave.sum()
    panel = pd.concat([df[df["wave"] == 1].assign(wave=each) for each in (1, 2)])
    both = al.open(panel, strata="region", clusters=None, person="respid", key="respid", quiet=True)
    one = df[df["wave"] == 1]
    assert both.design.degrees_of_freedom == len(one) - one["region"].nunique()
    assert "a panel" in repr(both.design)


def test_replicate_weights_have_the_rank_of_a_subset(frame: pd.DataFrame) -> None:
    rng = np.random.default_rng(1)
    names = [f"rep{each}" for each in range(1, 9)]
    factors = rng.choice([0.5, 1.5], (len(frame), 8))
    made = frame.join(pd.DataFrame(factors * frame[["weight"]].to_numpy(), columns=names))
    client = al.open(made, "weight", replicates="rep*", replicate_method="Fay", fay=0.5, quiet=True)
    few = (made["age"] > 80) & (made["hhsize"] == 6)
    rank = np.linalg.matrix_rank(made.loc[few, names])
    found = client.filter(client["age"] > 80, client["hhsize"] == 6).design
    assert found.degrees_of_freedom == rank - 1
    assert "8 weights (Fay)" in repr(found)


def test_another_design_is_another_client_of_the_source(frame: pd.DataFrame) -> None:
    client = al.open(frame, "weight", quiet=True)
    women = client.filter(client["gender"] == "2")
    other = women.design(ids="psu", strata="region", nest=True)  # pyright: ignore[reportCallIssue]
    named = al.open(frame, "weight", strata="region", clusters="psu", quiet=True)
    expected = named.filter(named["gender"] == "2").crosstab("q5", "region").intervals()
    pd.testing.assert_frame_equal(other.crosstab("q5", "region").intervals(), expected)
    assert women.design.strata == ""
    assert client.svydesign(clusters=None).design.clusters == ""
    assert other.design(weight=None).design.weight == ""


@pytest.mark.parametrize(
    "call",
    [
        lambda df: al.open(df.copy(), "weight", quiet=True).design(strata="region"),
        lambda df: al.open(df, quiet=True).edit("q5", missing=[5]).design(strata="region"),
        lambda df: al.connect().design(strata="q2"),
        lambda df: al.open(df, quiet=True).design(),
        lambda df: al.open(df, quiet=True).design(stratas="region"),
        lambda df: al.open(df, quiet=True).design(strata="regoin"),
    ],
    ids=["a frame that is gone", "edited", "demo", "nothing", "no argument", "no column to take"],
)
def test_a_design_that_cannot_be_changed_says_what_to_write(
    frame: pd.DataFrame, call: Callable[[pd.DataFrame], object]
) -> None:
    with fails(Exception):
        call(frame)


def test_a_card_says_what_means_leave_out_and_what_may_be_the_wave(tmp_path: Path) -> None:
    client = al.open(tracker.write(tmp_path), quiet=True)
    [off] = [
        each
        for each in client.import_report.guesses
        if each.about == "q5" and each.code[-2:] == "])"
    ]
    assert off.said == '"Don\'t know": in shares, and not in means'
    edited = eval(off.code, {"client": client})
    assert edited.crosstab("q5").base_sample == tracker.frame()["q5"].notna().sum()
    df = tracker.frame()
    quarters = df["wave"].map({each: f"Q{each} 2025" for each in (1, 2, 3, 4)})
    own = al.open(df.drop(columns="wave").assign(zeit=quarters), quiet=True)
    [guess] = [each for each in own.import_report.guesses if "holds periods" in each.said]
    assert guess.code == 'al.open(…, wave="zeit")'
    assert "(average of waves, n = 2,000)" in repr(client.size())
    assert "(n = 2,000)" in repr(own.size())
    french = al.open(df.rename(columns={"wave": "vague"}), quiet=True)
    assert len(french.waves()) == 4
