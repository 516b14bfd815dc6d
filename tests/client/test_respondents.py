"""Respondents as a frame: flags, weights and answers are those of the file they came from."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pyreadstat
import pytest

import audiencelab as al
from tests.messages import fails

RESPONDENTS = 500
GENDERS = {1: "Man", 2: "Woman"}


@pytest.fixture(scope="module")
def source() -> pd.DataFrame:
    rng = np.random.default_rng(11)
    frame = pd.DataFrame(
        {
            "gender": rng.choice([1.0, 2.0, np.nan], RESPONDENTS, p=[0.45, 0.45, 0.1]),
            "quarter": rng.choice(["2024-Q1", "2024-Q2", "2024-Q3"], RESPONDENTS),
            "uses_1": rng.integers(0, 2, RESPONDENTS).astype(float),
            "uses_2": rng.integers(0, 2, RESPONDENTS).astype(float),
            "wgt": rng.uniform(0.5, 2, RESPONDENTS).round(3),
        }
    )
    # The first wave did not ask what is used.
    frame.loc[frame.quarter == "2024-Q1", ["uses_1", "uses_2"]] = np.nan
    return frame


@pytest.fixture
def client(source: pd.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> al.Client:
    monkeypatch.setenv("AUDIENCELAB_CACHE", str(tmp_path / "cache"))
    path = tmp_path / "study.sav"
    labels = {"gender": "Gender", "uses_1": "Uses: A", "uses_2": "Uses: B"}
    pyreadstat.write_sav(
        source, str(path), column_labels=labels, variable_value_labels={"gender": GENDERS}
    )
    return al.open(path, weight="wgt", wave="quarter", quiet=True)


def counts(frame: pd.DataFrame) -> dict[object, int]:
    """How many rows have each combination of values."""
    return frame.astype(str).replace("<NA>", "nan").value_counts().to_dict()


def test_every_respondent_has_the_values_of_the_file(
    client: al.Client, source: pd.DataFrame
) -> None:
    women = (client["Gender"] == "Woman").named("Women")
    frame = client.respondents(women, questions=["Gender", "Uses"])
    assert list(frame) == ["row", "wave", "weight", "Women", "Gender", "Uses: A", "Uses: B"]
    expected = pd.DataFrame(
        {
            "row": range(1, RESPONDENTS + 1),
            "wave": "quarter_" + source.quarter,
            "weight": source.wgt,
            "Women": source.gender == 2,
            "Gender": source.gender.map(GENDERS),
            "Uses: A": source.uses_1.astype("boolean"),
            "Uses: B": source.uses_2.astype("boolean"),
        }
    )
    # Weights are on a grid of powers of two; they differ from those of the file by far less.
    for each in (frame, expected):
        each["weight"] = each["weight"].round(3)
    assert counts(frame) == counts(expected)


def test_flags_are_missing_where_a_wave_did_not_ask(
    client: al.Client, source: pd.DataFrame
) -> None:
    flag = client.respondents({"A": client["Uses"] == "A"})["A"]
    assert flag.dtype == "boolean"
    assert flag.isna().sum() == (source.quarter == "2024-Q1").sum()
    assert flag.sum() == source.uses_1.sum()
    asked = client.respondents({"A": client["Uses"] == "A"}, waves="latest 2")["A"]
    assert asked.dtype == "bool"
    assert asked.sum() == source.uses_1.sum()


def test_a_model_of_the_frame_gives_the_figures_of_a_table(client: al.Client) -> None:
    women = (client["Gender"] == "Woman").named("Women")
    frame = client.respondents([women], questions="Uses", waves="latest 2")
    table = client.crosstab(women, "Uses", waves="latest 2").to_frame()
    chosen = frame["Uses: A"].to_numpy(dtype=bool)
    # Who gave no gender is not in the base of the table.
    known = chosen & frame["Women"].notna().to_numpy()
    weight, held = frame["weight"].to_numpy(), frame["Women"].fillna(False).to_numpy(dtype=bool)
    share = weight[known & held].sum() / weight[known].sum()
    assert table["column_percentage"][0] == pytest.approx(100 * share, rel=1e-12)
    assert table["sample"][0] == (known & held).sum()
    assert table["column_sample"][0] == known.sum() < chosen.sum()


def test_a_base_and_waves_choose_respondents(client: al.Client, source: pd.DataFrame) -> None:
    men = client["Gender"] == "Man"
    frame = client.respondents(base_audience=men, waves="quarter_2024-Q2")
    assert len(frame) == ((source.gender == 1) & (source.quarter == "2024-Q2")).sum()
    assert frame["wave"].unique().tolist() == ["quarter_2024-Q2"]
    assert len(client.respondents(base_audience=men)) == (source.gender == 1).sum()


def test_grids_and_designs_of_the_demo_survey() -> None:
    client = al.connect()
    grid = next(each for each in client.catalogue if each.suffixes)
    frame = client.respondents(questions=[grid.code], waves="latest 1")
    assert len(frame) == client.crosstab(waves="latest 1").base_sample
    names = [f"{grid.name}: {point.name}" for point in grid.datapoints]
    assert all(any(column.startswith(name) for column in frame) for name in names)


def test_equal_names_are_numbered(client: al.Client) -> None:
    frame = client.respondents([al.Audience("wave"), al.Audience("all"), al.Audience("all")])
    assert list(frame) == ["row", "wave", "weight", "wave (2)", "all", "all (2)"]


def test_unknown_questions_and_respondents_elsewhere(client: al.Client, tmp_path: Path) -> None:
    with fails(LookupError):
        client.respondents(questions="Nonsense question")
    path = tmp_path / "a.audiencelab.jsonl"
    with client.recording(path):
        client.crosstab("Gender")
    replayed = al.connect(snapshot=path)
    with fails(LookupError):
        replayed.respondents(al.Q("gender").any("gender_1"))
    remote = al.connect("https://survey.example", token="secret")
    with fails(LookupError):
        remote.respondents(al.Audience("all"))
