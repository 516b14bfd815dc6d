"""What an analyst writes for waves, answers, scales and bases is understood or answered."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyreadstat
import pytest

import audiencelab as al
from audiencelab.client.errors import UnknownCodeError
from audiencelab.survey.errors import SurveyError

BRANDS = ("Alder", "Birch", "Cedar")


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of SPSS with labelled waves, a set of brands, and a declared "Don't know"."""
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(
        {
            "wave": rng.integers(1, 3, 400),
            "age": rng.integers(18, 80, 400),
            "sex": rng.integers(1, 3, 400),
            "satisfaction": rng.choice([1, 2, 3, 98], 400),
            "wgt": rng.uniform(0.5, 1.5, 400).round(3),
        }
    )
    labels = {
        "wave": {1: "Spring 2025", 2: "Autumn 2025"},
        "sex": {1: "Male", 2: "Female"},
        "satisfaction": {1: "Bad", 2: "So so", 3: "Good", 98: "Don't know"},
    }
    titles = {"satisfaction": "Satisfaction with service"}
    for number, brand in enumerate(BRANDS, start=1):
        frame[f"brand{number}"] = rng.integers(0, 2, 400)
        labels[f"brand{number}"] = {0: "No", 1: "Yes"}
        titles[f"brand{number}"] = f"Brands used: {brand}"
    path = tmp_path_factory.mktemp("files") / "survey.sav"
    pyreadstat.write_sav(
        frame,
        path,
        column_labels=titles,
        variable_value_labels=labels,
        missing_ranges={"satisfaction": [98]},
    )
    return path


@pytest.fixture(scope="module")
def opened(file: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[al.Client]:
    with al.open(file, to=tmp_path_factory.mktemp("surveys") / "survey", quiet=True) as client:
        yield client


@pytest.fixture(scope="module")
def demo() -> Iterator[al.Client]:
    with al.connect() as client:
        yield client


def refusal(call: Callable[[], Any]) -> str:
    with pytest.raises((UnknownCodeError, TypeError, ValueError)) as caught:
        call()
    return str(caught.value)


# ---- waves ----


def test_waves_keep_the_names_of_the_file(opened: al.Client) -> None:
    assert [wave.name for wave in opened.waves()] == ["Spring 2025", "Autumn 2025"]
    stats = opened.stats("sex", splitter="waves")
    assert stats["column"].columns.tolist() == ["Spring 2025", "Autumn 2025"]
    assert "Spring 2025, Autumn 2025" in repr(stats)
    table = opened.crosstab("sex", "age", waves="Autumn 2025")
    assert "wave: Autumn 2025" in repr(table)
    assert table.provenance["waves"] == ["wave_2"]
    assert "Autumn 2025" in str(table.chart.bar().to_dict()["title"])
    assert "Spring 2025" in str(stats.chart.trend().to_dict()["title"])
    assert "Autumn 2025" in table.to_html()


def test_waves_are_chosen_by_name(opened: al.Client) -> None:
    by_code = opened.stats("sex", waves="wave_2")
    assert opened.stats("sex", waves="autumn 2025")["size"].equals(by_code["size"])
    one = opened.stats("sex", splitter="waves", segments="Autumn 2025")
    assert one.segments == ("wave_2",)


@pytest.mark.parametrize("wave", ["Autumn 2024", "wave_3"])
def test_an_unknown_wave_lists_those_there_are(opened: al.Client, wave: str) -> None:
    message = refusal(lambda: opened.stats("sex", waves=wave))
    assert "'wave_1' (Spring 2025), 'wave_2' (Autumn 2025)" in message
    assert "POST" not in message


def test_a_snapshot_keeps_the_names_of_waves(opened: al.Client, tmp_path: Path) -> None:
    path = tmp_path / "waves.jsonl"
    with opened.recording(path):
        before = opened.stats("sex", splitter="waves")
    with al.connect(snapshot=path) as again:
        after = again.stats("sex", splitter="waves", waves="all")
    assert after["column"].equals(before["column"])


@pytest.mark.parametrize("name", ["wave", "waves"])
def test_waves_are_not_a_question(opened: al.Client, name: str) -> None:
    assert "splitter='waves'" in refusal(lambda: opened[name])


def test_columns_of_waves_may_be_called_wave(opened: al.Client) -> None:
    waves = opened.crosstab("sex", "waves").to_frame()
    assert opened.crosstab("sex", "wave").to_frame().equals(waves)


# ---- questions and answers ----


def test_a_column_that_became_an_answer_is_that_answer(opened: al.Client) -> None:
    assert opened["brand1"].any() == opened["brand"]["Alder"]


def test_an_unknown_name_gets_the_same_guess_everywhere(demo: al.Client) -> None:
    for call in (
        lambda: demo["Social media"],
        lambda: demo.crosstab("Social media"),
        lambda: demo.stats("Social media"),
    ):
        message = refusal(call)
        assert "Did you mean 'q20' (Social apps: how often)" in message
        assert "POST" not in message


def test_a_search_falls_back_on_any_of_the_words(demo: al.Client) -> None:
    found = demo.catalogue.search("weekly social apps")
    assert next(iter(found)).code == "q20"
    assert "with any word of 'weekly social apps'; none has all" in repr(found)
    assert "none has all" not in repr(demo.catalogue.search("social apps"))
    assert len(demo.catalogue.search("xylophone")) == 0


# ---- scales ----


def test_points_of_a_scale_are_called_scale(demo: al.Client) -> None:
    apps = demo["Social apps: how often"]
    assert "  scale 1: Several times a day, 2: " in repr(apps)
    assert apps.any(scale=4) == apps.any(scale="4") == apps.any(scale=["About once a week"])
    assert apps.any(suffixes=[4]) == apps.any(scale=4)  # pyright: ignore[reportCallIssue] -- another word
    assert ".any(scale='About once a week')" in refusal(lambda: apps.isin("About once a week"))


def test_at_least_a_point_of_a_scale_is_that_point_and_all_above(demo: al.Client) -> None:
    apps = demo["Social apps: how often"]
    assert apps.at_least("About once a week") == apps.any(scale=[1, 2, 3, 4])
    assert apps.at_least("About once a week", "Loopa") == apps.any("Loopa", scale=[1, 2, 3, 4])
    assert "at_least(2, 'Loopa', 'Clipstream', …)" in refusal(lambda: apps.at_least("Loopa"))


def test_at_least_an_answer_names_the_comparison(demo: al.Client) -> None:
    message = refusal(lambda: demo["Age"].at_least("55 to 64"))  # pyright: ignore[reportArgumentType] -- a slip
    assert "client['q4'] >= '55 to 64'" in message


# ---- bases and weights ----


def test_a_weight_is_chosen_by_its_name(opened: al.Client) -> None:
    call: Any = opened.crosstab
    usual = call("sex").to_frame()
    pd.testing.assert_frame_equal(call("sex", weight="wgt").to_frame(), usual)
    assert not call("sex", weight=None).to_frame().equals(usual)
    pd.testing.assert_frame_equal(call("sex", weights="wgt").to_frame(), usual)


@pytest.mark.parametrize("argument", ["bases", "missing"])
def test_other_names_of_the_base_are_answered(opened: al.Client, argument: str) -> None:
    call: Any = opened.crosstab
    message = refusal(lambda: call("sex", **{argument: "valid"}))
    assert "base_audience=client['Age'].any()" in message


def test_notes_name_bands_and_declared_missing_answers(
    file: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    with al.open(file, to=tmp_path / "survey") as client:
        notes = capsys.readouterr().out.splitlines()
        everyone = client.stats("satisfaction", base_of="everyone")
        answered = client.stats("satisfaction", base_of="valid")
    assert any("age: numbers in 5 bands" in note for note in notes)
    guesses = client.import_report.guesses
    [base] = [guess for guess in guesses if guess.subject == "base"]
    assert (base.about, '98 "Don\'t know"' in base.said) == ("satisfaction", True)
    assert "base_of" in base.code
    assert everyone["column"].to_numpy().sum() < 90
    assert answered["column"].to_numpy().sum() == pytest.approx(100)


def test_a_wrong_weight_names_the_argument(file: Path) -> None:
    with pytest.raises(SurveyError) as caught:
        al.open(file, weight="nope")
    message = str(caught.value)
    assert 'weight="wgt").' in message
    assert "--weight" not in message


def test_a_survey_called_survey_is_named_once(opened: al.Client) -> None:
    assert "survey survey" not in opened.crosstab("sex").to_html()
    assert opened.crosstab("sex").provenance["survey"] == "survey"


# ---- metrics ----


@pytest.mark.parametrize(
    ("written", "name"), [("column %", "column"), ("Row %", "row"), ("TOTAL %", "total")]
)
def test_metrics_are_taken_as_tables_head_them(demo: al.Client, written: str, name: str) -> None:
    table = demo.crosstab("Gender", "Age")
    assert table[written].equals(table[name])
    assert table.to_html(metrics=[written]) == table.to_html(metrics=[name])


def test_an_unknown_metric_lists_the_short_names_first(demo: al.Client) -> None:
    short = "Choose one of column, row, total, index, size, sample, "
    assert short in refusal(lambda: demo.crosstab("Gender", "Age")["colum"])
    assert "Choose one of column, row, total, index, " in refusal(
        lambda: demo.stats("Gender")["colum"]
    )


def test_averages_are_of_the_midpoints_of_the_catalogue(demo: al.Client, opened: al.Client) -> None:
    stats = demo.stats("Age", splitter="Gender")
    pd.testing.assert_frame_equal(stats.averages(), stats.averages(demo["Age"]))
    numbers = opened.stats("age")
    pd.testing.assert_frame_equal(numbers.averages(), numbers.averages(opened["age"]))
    assert "not in the catalogue" in refusal(lambda: demo.stats("Pets").averages())
