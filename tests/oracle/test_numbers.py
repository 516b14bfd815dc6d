"""Means of numeric questions are those of the numbers, as R's `survey` and pandas have them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import msgspec
import numpy as np
import pandas as pd
import pytest

import audiencelab as al
from audiencelab.ingest import from_frame
from audiencelab.survey import Net, Survey, SurveyError, derive, layout
from audiencelab.survey.derivations import NetPoint
from tests.analysis.samples import without_ask
from tests.messages import fails

HERE = Path(__file__).parent
R = json.loads((HERE / "numbers.json").read_text())
FIGURES = ["mean", "standard_deviation", "median", "answered_size", "answered_sample"]

CODEBOOK = """
[weight]
column = "pw"
[[questions]]
code = "stype"
name = "Type"
column = "stype"
[[questions]]
code = "awards"
name = "Awards"
column = "awards"
[[questions]]
code = "api00"
name = "Academic performance index"
column = "api00"
datapoints = [
    { name = "Under 550", below = 550, midpoint = 488.6 },
    { name = "550 to 699", min = 550, below = 700, midpoint = 628.4 },
    { name = "700 and over", min = 700, midpoint = 785.2 },
]
[[questions]]
code = "enroll"
name = "Enrolment"
column = "enroll"
datapoints = [{ name = "Under 500", below = 500 }, { name = "500 and over", min = 500 }]
"""


@pytest.fixture(scope="module")
def schools(tmp_path_factory: pytest.TempPathFactory) -> Survey:
    folder = tmp_path_factory.mktemp("schools")
    (folder / "codebook.toml").write_text(CODEBOOK)
    frame = pd.read_csv(HERE / "apistrat.csv")
    return from_frame(frame, folder / "codebook.toml", folder / "survey")


@pytest.fixture
def client(schools: Survey) -> Iterator[al.Client]:
    with al.connect(survey=schools) as connected:
        yield connected


def named(client: al.Client, question: str, name: str) -> al.Expression:
    codes = [each.code for each in client.catalogue[question].datapoints if each.name == name]
    return al.Q(question).any(*codes)


@pytest.mark.parametrize("question", ["api00", "enroll"])
def test_means_deviations_and_medians_are_rs(client: al.Client, question: str) -> None:
    found = client.stats(question).averages(client.catalogue[question])
    split = client.stats(question, splitter="stype").averages(client.catalogue[question])
    awarded = al.Audience("Awarded", named(client, "awards", "Yes"))
    high = al.Audience("High", named(client, "stype", "H") & awarded.expression)
    both = client.stats(question, audiences=[awarded, high]).averages(client.catalogue[question])
    lines = {
        "all": found.iloc[0],
        **{line["segment_label"]: line for _, line in split.iterrows()},
        "awarded": both.iloc[0],
        "H_awarded": both.iloc[1],
    }
    for part, line in lines.items():
        expected = R[f"{question} {part}"]
        # The weights lie on their grid, which R knows nothing of.
        assert [line[name] for name in FIGURES] == pytest.approx(
            [expected[name] for name in FIGURES], rel=1e-9
        ), part
        assert line["method"] == "numbers"
    assert found.attrs["method_note"].startswith("Of numbers,")


def test_midpoints_given_by_hand_are_what_averages_are_of(client: al.Client) -> None:
    low, middle, high = (each.code for each in client.catalogue["api00"].datapoints)
    frame = client.stats("api00").averages({low: 488.6, middle: 628.4, high: 785.2})
    assert frame["method"].tolist() == ["midpoints"]
    assert frame["mean"].iloc[0] != pytest.approx(R["api00 all"]["mean"], rel=1e-6)
    assert frame.attrs["method_note"].startswith("Of midpoints,")


def test_a_served_survey_averages_numbers_too(schools: Survey, client: al.Client) -> None:
    with al.serve(schools.path, token="schools") as url, al.connect(url, token="schools") as served:
        answer = served.request("POST", "/v2/query/stats", json={"question": "api00"})
        assert sorted(answer.json()) == ["data", "meta"]
        frame = served.stats("api00").averages(served.catalogue["api00"])
    pd.testing.assert_frame_equal(frame, client.stats("api00").averages(client.catalogue["api00"]))
    assert frame["method"].tolist() == ["numbers"]


def test_a_result_that_cannot_ask_averages_midpoints_and_says_so(client: al.Client) -> None:
    frame = without_ask(client.stats("api00")).averages(client.catalogue["api00"])
    assert frame["method"].tolist() == ["midpoints"]
    assert "midpoints" in repr(frame)


def test_a_replay_of_a_recording_gives_the_same_means(client: al.Client, tmp_path: Path) -> None:
    file = tmp_path / "schools.json"
    with client.recording(file):
        told = client.stats("api00", splitter="stype").averages(client.catalogue["api00"])
    with al.connect(snapshot=file) as replay:
        again = replay.stats("api00", splitter="stype").averages(replay.catalogue["api00"])
    pd.testing.assert_frame_equal(told, again)
    assert set(again["method"]) == {"numbers"}


def test_averages_compared_are_those_of_the_numbers(client: al.Client) -> None:
    result = client.stats("api00", splitter="stype")
    frame = result.test(midpoints=client.catalogue["api00"], design=1).to_frame()
    means = {R[f"api00 {part}"]["mean"] for part in "EMH"}
    shown = {value for name in frame.select_dtypes("number") for value in frame[name]}
    for mean in means:
        assert any(value == pytest.approx(mean, rel=1e-9) for value in shown)


def test_a_band_alone_averages_its_own_numbers(client: al.Client) -> None:
    frame = pd.read_csv(HERE / "apistrat.csv")
    inside = frame[frame["api00"] < 550]
    [code] = [p.code for p in client.catalogue["api00"].datapoints if p.name == "Under 550"]
    found = client.stats("api00", datapoints=[code]).averages(client.catalogue["api00"])
    assert found["mean"].iloc[0] == pytest.approx(
        np.average(inside["api00"], weights=inside["pw"]), rel=1e-9
    )


# ---- what stands for a number ----

AGES = """
[weight]
column = "w"
[wave]
column = "wave"
[[waves]]
code = "w1"
starts = 2023-01-01
[[waves]]
code = "w2"
starts = 2024-01-01
[[questions]]
code = "sex"
name = "Sex"
column = "sex"
[[questions]]
code = "age"
name = "Age"
column = "age"
not_asked = [-1]
not_selected = [99]
datapoints = [
    { name = "18 to 34", min = 18, max = 34 },
    { name = "35 to 64", min = 35, max = 64 },
    { name = "65 and over", min = 65, max = 89 },
    { name = "Don't know", value = 98 },
]
"""


@pytest.fixture(scope="module")
def people() -> pd.DataFrame:
    """Ages up to 89 "or older", with codes for "don't know", "refused" and "not asked"."""
    rng = np.random.default_rng(8)
    n = 3_000
    return pd.DataFrame(
        {
            "wave": rng.choice(["w1", "w2"], n),
            "w": np.where(rng.random(n) < 0.05, 0, rng.lognormal(0, 1, n)),
            "sex": rng.choice(["f", "m"], n),
            "age": rng.choice([*range(18, 90), 98, 99, -1], n),
        }
    )


@pytest.fixture(scope="module")
def ages(people: pd.DataFrame, tmp_path_factory: pytest.TempPathFactory) -> Survey:
    folder = tmp_path_factory.mktemp("ages")
    (folder / "codebook.toml").write_text(AGES)
    return from_frame(people, folder / "codebook.toml", folder / "survey")


def pandas_mean(people: pd.DataFrame) -> float:
    counted = people[people["age"].between(18, 89)]
    return float(np.average(counted["age"], weights=counted["w"]))


def test_codes_of_no_amount_are_left_out_and_the_top_code_counts(
    ages: Survey, people: pd.DataFrame
) -> None:
    with al.connect(survey=ages) as client:
        frame = client.stats("age").averages(client.catalogue["age"])
        split = client.stats("age", splitter="waves").averages(client.catalogue["age"])
    line = frame.iloc[0]
    assert line["mean"] == pytest.approx(pandas_mean(people), rel=1e-9)
    assert line["answered_sample"] == (people["age"].between(18, 89) & (people["w"] > 0)).sum()
    assert frame.attrs["left_out"] == ["age_4"]
    for wave, found in zip(("w1", "w2"), split["mean"], strict=True):
        assert found == pytest.approx(pandas_mean(people[people["wave"] == wave]), rel=1e-9)


def test_new_versions_of_a_survey_keep_its_numbers(
    ages: Survey, people: pd.DataFrame, tmp_path: Path
) -> None:
    sexes = Net(
        code="sexes",
        name="Both",
        question="sex",
        datapoints=(NetPoint(name="All", any=("sex_1", "sex_2")),),
    )
    made = derive(ages, sexes, out=tmp_path / "derived")
    made.verify()
    with al.connect(survey=made) as client:
        frame = client.stats("age").averages(client.catalogue["age"])
    assert frame["mean"].iloc[0] == pytest.approx(pandas_mean(people), rel=1e-9)


def test_a_survey_folder_without_numbers_still_opens(schools: Survey, tmp_path: Path) -> None:
    old = tmp_path / "old"
    shutil.copytree(schools.path, old)
    manifest = schools.manifest
    files = {name: each for name, each in manifest.files.items() if "numbers" not in name}
    waves = tuple(msgspec.structs.replace(wave, numbers={}) for wave in manifest.waves)
    (old / "waves" / "w1" / "numbers.npy").unlink()
    layout.write_manifest(old, msgspec.structs.replace(manifest, files=files, waves=waves))
    survey = Survey.open(old)
    survey.verify()
    with al.connect(survey=survey) as client:
        frame = client.stats("api00").averages(client.catalogue["api00"])
    assert frame["method"].tolist() == ["midpoints"]


def test_a_folder_that_lost_its_numbers_is_damaged(ages: Survey, tmp_path: Path) -> None:
    shutil.copytree(ages.path, tmp_path / "lost")
    (tmp_path / "lost" / "waves" / "w1" / "numbers.npy").unlink()
    with fails(SurveyError):
        Survey.open(tmp_path / "lost")


def test_datapoints_that_are_numbers_are_their_own_midpoints(tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    people = pd.DataFrame({"children": rng.integers(0, 7, 500), "w": rng.uniform(0.5, 2, 500)})
    (tmp_path / "codebook.toml").write_text(
        '[weight]\ncolumn = "w"\n[[questions]]\ncode = "children"\nname = "Children"\n'
        'column = "children"\n'
    )
    survey = from_frame(people, tmp_path / "codebook.toml", tmp_path / "survey")
    with al.connect(survey=survey) as client:
        frame = client.stats("children").averages(client.catalogue["children"])
    assert frame["mean"].iloc[0] == pytest.approx(
        np.average(people["children"], weights=people["w"]), rel=1e-9
    )
    assert frame["method"].tolist() == ["numbers"]
