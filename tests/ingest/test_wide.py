"""Wide panels: a row for each person, a column for each question and wave."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyreadstat
import pytest

import audiencelab as al
from audiencelab.cli import main
from audiencelab.ingest import draft_codebook
from audiencelab.ingest.columns import ResponseSet
from audiencelab.ingest.sources import Sources
from audiencelab.survey.errors import SurveyError

WAVES = (1, 2, 10)
DRINKS = ("tea", "coffee", "none")


pytestmark = pytest.mark.usefixtures("own_cache")


def panel(form: str = "{name}_w{wave}", waves: tuple[int, ...] = WAVES) -> pd.DataFrame:
    """90 people with a weight for all waves; about a fifth of them missed each wave."""
    rng = np.random.default_rng(3)
    columns: dict[str, Any] = {
        "id": np.arange(90) + 1000,
        "sex": rng.choice(["f", "m"], 90),
        "wgt": rng.uniform(0.5, 2, 90).round(3),
    }
    for wave in waves:
        was_there = rng.random(90) < 0.8
        drink = pd.Series(rng.choice(DRINKS, 90)).where(was_there)
        walks = pd.Series(rng.choice(["often", "never"], 90)).where(was_there)
        columns[form.format(name="drink", wave=wave)] = drink
        columns[form.format(name="walks", wave=wave)] = walks
    return pd.DataFrame(columns)


def melted(people: pd.DataFrame) -> pd.DataFrame:
    """The same panel with a row for each person and wave, as pandas makes it."""
    long = pd.wide_to_long(people, ["drink", "walks"], i="id", j="wave", sep="_w").reset_index()
    return long.dropna(subset=["drink", "walks"], how="all")


@pytest.mark.parametrize("form", ["{name}_w{wave}", "w{wave}_{name}", "{name}.{wave}"])
def test_figures_are_those_of_the_melted_file(form: str, tmp_path: Path) -> None:
    people = panel(form)
    path = tmp_path / "panel.csv"
    people.to_csv(path, index=False)
    long = al.open(melted(panel()), weight="wgt", wave="wave", quiet=True)
    pattern = form.format(name="", wave="*")
    for source in (path, people):
        wide = al.open(source, weight="wgt", wave=pattern, quiet=True)
        assert [each.name for each in wide.waves()] == ["wave 1", "wave 2", "wave 10"]
        for query in ("all", ["wave_1"], ["wave_2"], ["wave_10"]):
            for rows in ("drink", "walks"):
                found = wide.crosstab(rows, "sex", waves=query).to_frame()
                expected = long.crosstab(rows, "sex", waves=query).to_frame()
                pd.testing.assert_frame_equal(found, expected)


def test_figures_are_those_of_a_group_by(tmp_path: Path) -> None:
    people = panel()
    client = al.open(people, weight="wgt", wave="_w*", quiet=True)
    for wave in WAVES:
        drinks = people[f"drink_w{wave}"]
        found = client.crosstab("drink", "sex", waves=f"wave {wave}").to_wide("size")
        expected: Any = people.groupby([drinks, "sex"])["wgt"].sum().unstack()
        for drink in DRINKS:
            row = found.xs(drink, level="row").iloc[0].tolist()
            assert row == pytest.approx(expected.loc[drink].tolist())


def test_a_codebook_and_the_command_line_take_the_pattern(tmp_path: Path) -> None:
    people, path = panel(), tmp_path / "panel.csv"
    people.to_csv(path, index=False)
    book, out = tmp_path / "panel.toml", tmp_path / "panel"
    options = ["--weight", "wgt", "--wave", "_w*", "-q"]
    assert main(["codebook", str(path), *options, "-o", str(book)]) == 0
    assert 'wide = "_w*"' in book.read_text()
    assert main(["import", str(path), "--codebook", str(book), "-o", str(out), "-q"]) == 0
    assert main(["import", str(path), *options, "-o", str(tmp_path / "drafted")]) == 0
    opened = al.open(path, codebook=book, quiet=True)
    for client in (al.open(out), al.open(tmp_path / "drafted"), opened):
        samples = client.crosstab("sex", waves="wave 2").to_frame()["sample"]
        assert samples.sum() == people["drink_w2"].count()


def test_waves_that_are_years_are_dated() -> None:
    people = panel("{name}_{wave}", (2019, 2021))
    waves = draft_codebook(people, weight="wgt", wave="_*").codebook.waves
    assert [(each.code, each.starts.isoformat()) for each in waves] == [
        ("wave_2019", "2019-01-01"),
        ("wave_2021", "2021-01-01"),
    ]


def test_labels_missing_values_sets_and_weights_of_spss_follow_their_columns(
    tmp_path: Path,
) -> None:
    frame: Any = pd.DataFrame(
        {
            "sex": [1, 2, 1, 2],
            # The third person was not in the second wave, and the file says so by a missing value.
            "q1_w1": [1.0, 2.0, 1.0, 2.0],
            "q1_w2": [1.0, 1.0, -9.0, 2.0],
            "wgt_w1": [1.0, 1.0, 2.0, 2.0],
            "wgt_w2": [3.0, 1.0, -9.0, 1.0],
        }
    )
    labels: Any = {1: "Yes", 2: "No", -9: "Not in wave"}
    path = tmp_path / "panel.sav"
    pyreadstat.write_sav(
        frame,
        path,
        column_labels={"q1_w1": "Likes tea", "q1_w2": "Likes tea"},
        variable_value_labels={
            "sex": {1: "Man", 2: "Woman"}, "q1_w1": labels, "q1_w2": labels,
        },
        missing_ranges={"q1_w2": [-9], "wgt_w2": [-9]},
    )  # fmt: skip
    client = al.open(path, weight="wgt", wave="_w*", quiet=True)
    first = client.crosstab("Likes tea", "sex", waves="wave 1").to_wide("size")
    assert first.to_numpy().tolist() == [[3, 0], [0, 3]]
    second = client.crosstab("Likes tea", "sex", waves="wave 2").to_wide("size")
    assert second.to_numpy().tolist() == [[3, 1], [0, 1]]


def test_sets_of_a_wave_are_sets_of_its_columns() -> None:
    frame = pd.DataFrame({f"{each}_w{wave}": [1, 0] for each in ("tv", "radio") for wave in (1, 2)})
    sources = Sources.open(frame)
    sources.files[0].sets = tuple(
        ResponseSet(f"media_w{wave}", "Media", (f"tv_w{wave}", f"radio_w{wave}"), "1")
        for wave in (1, 2)
    )
    sources.split_waves("_w*")
    assert sources.sets == [ResponseSet("media", "Media", ("tv", "radio"), "1")]
    (question,) = draft_codebook(sources, weight=None, wave="_w*").codebook.questions
    assert (question.kind, question.name) == ("multiple", "Media")


def test_labels_in_a_second_file_name_the_columns_of_the_wide_one(tmp_path: Path) -> None:
    frame = pd.DataFrame({"tea_w1": [1, 2, 1], "tea_w2": [2, 2, 1], "sex": [1, 1, 2]})
    labels = tmp_path / "labels.csv"
    labels.write_text("variable,value,label\ntea_w1,1,Yes\n,2,No\ntea_w2,1,Yes\n,2,No\n")
    client = al.open(frame, weight=None, wave="_w*", labels=labels, quiet=True)
    assert client.crosstab("tea", waves="wave 2").to_frame()["sample"].tolist() == [1, 2]


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"q1_w1": [1, 2], "q2": [1, 1]}, "no columns of two waves are named like this"),
        (
            {"q1": [1, 2], "q1_w1": [1, 2], "q1_w2": [1, 1]},
            "q1_w. becomes q1, and there is another",
        ),
        ({"q1_w1": [1, 2], "q1_W1": [1, 2], "q1_w2": [1, 1]}, "would be one column of one wave"),
    ],
)
def test_patterns_that_fit_no_waves_are_refused(columns: Any, message: str) -> None:
    with pytest.raises(SurveyError, match=message):
        al.open(pd.DataFrame(columns), weight=None, wave="_w*", quiet=True)


def test_a_column_whose_name_has_a_star_is_a_column() -> None:
    frame = pd.DataFrame({"q1": ["a", "b"], "round*": [1, 2]})
    assert len(al.open(frame, weight=None, wave="round*", quiet=True).waves()) == 2
