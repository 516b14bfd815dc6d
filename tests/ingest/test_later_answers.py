"""Single-choice answers that join in a later wave have no figure in the waves before."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyreadstat
import pytest

import audiencelab as al
from audiencelab.ingest import add_wave, draft_codebook, from_frame
from audiencelab.results.undefined import NOT_OFFERED
from audiencelab.survey import SurveyError
from tests.messages import fails

write_sav: Any = pyreadstat.write_sav
WAVES = ("Q1 2025", "Q2 2025", "Q3 2025")
EACH = 300


def tracker(*given: Sequence[int], **columns: Any) -> pd.DataFrame:
    """Three waves of 300. given: how many give Dora in each; the others give Alba or Bern."""
    counts = given[0] if given else (0, 60, 30)
    brand = [
        ["Dora"] * count + [("Alba", "Bern")[at % 2] for at in range(EACH - count)]
        for count in counts
    ]
    wave = np.repeat(WAVES, EACH)
    frame = pd.DataFrame({"wave": wave, "brand": np.concatenate(brand)})
    return frame.assign(sex=["f", "m", "m"] * EACH, **columns)


def opened(frame: Any, **options: Any) -> al.Client:
    return al.open(frame, wave="wave", weight=None, quiet=True, **options)


def lines(client: al.Client) -> list[str]:
    guesses = client.import_report.guesses
    return [each.said for each in guesses if each.subject == "not offered"]


def by_wave(client: al.Client) -> list[float]:
    table = client.crosstab("brand", "waves")
    [row] = [at for at, each in enumerate(table.rows) if each.name == "Dora"]
    return table.values("column_percentage")[row].tolist()


def test_an_answer_that_joins_has_no_figure_in_waves_before_on_every_surface() -> None:
    with opened(tracker()) as client:
        table = client.crosstab("brand", "waves")
        assert by_wave(client) == pytest.approx([np.nan, 20, 10], nan_ok=True)
        page = table.to_html()
        assert "Dora: offered in 2 of 3 waves (Q2 2025, Q3 2025)." in page
        assert f"{NOT_OFFERED}: Dora × Q1 2025" in page
        cell = table.to_frame().query("row == 'Dora' and column == 'Q1 2025'")
        assert cell["note"].tolist() == [NOT_OFFERED]
        # All waves together count all who were asked the question, and say so.
        whole = client.crosstab("brand", "sex")
        assert whole.to_wide().loc[("brand", "Dora")].notna().all()
        assert "Dora: offered in 2 of 3 waves (Q2 2025, Q3 2025)." in whole.to_html()
        line = client.proportion("brand")["Dora"]
        assert line.value == pytest.approx(100 * 90 / 900)
        trend = client.stats("brand", splitter="waves").to_frame()
        first = trend[trend["segment_label"] == "Q1 2025"].set_index("datapoint_label")
        assert first.loc["Dora", "note"] == NOT_OFFERED
        assert first["column_percentage"].drop("Dora").notna().all()
        tested = table.test(vs="previous wave").to_frame()
        assert tested[tested["row"] == "Dora"]["p"].notna().sum() == 1
        [said] = lines(client)
        assert said.startswith("Dora (brand_3) counts as not offered in Q1 2025: ")
        assert "90 of 600" in said
        client.edit("brand", labels={"Dora": "Dora's"})
        shares = client.crosstab("brand", "waves").values("column_percentage")
        assert np.isnan(shares).sum() == 1


def change(client: al.Client) -> None:
    """Do what the line of the card says."""
    [guess] = [each for each in client.import_report.guesses if each.subject == "not offered"]
    eval(guess.code, {"client": client})


def test_the_line_of_the_card_changes_what_was_offered() -> None:
    with opened(tracker()) as client:
        change(client)
        assert by_wave(client) == pytest.approx([0, 20, 10])
        assert lines(client) == []
    with opened(tracker((40, 0, 40))) as client:
        change(client)
        assert by_wave(client) == pytest.approx([40 / 3, np.nan, 40 / 3], nan_ok=True)
        with fails(SurveyError):
            client.edit("brand", offered={"Dora": ["Q9"]})


def test_an_answer_of_all_waves_is_one_of_waves_that_are_added(tmp_path: Path) -> None:
    frame = tracker()
    with opened(frame, to=tmp_path / "survey") as client:
        client.edit("brand", offered={"Dora": "all"})
    later = frame[frame["wave"] == "Q1 2025"].assign(wave="Q4 2025")
    add_wave(tmp_path / "survey", later, wave="wave")
    with al.open(tmp_path / "survey") as client:
        assert by_wave(client) == pytest.approx([0, 20, 10, 0])


@pytest.mark.parametrize(
    ("given", "figures", "said"),
    [
        ((0, 3, 1), [0, 1, 1 / 3], 0),  # by chance
        ((40, 0, 40), [40 / 3, 0, 40 / 3], 1),  # a gap
        ((40, 40, 0), [40 / 3, 40 / 3, 0], 1),  # gone
    ],
)
def test_other_waves_without_an_answer_keep_their_0(
    given: Any, figures: list[float], said: int
) -> None:
    with opened(tracker(given)) as client:
        assert by_wave(client) == pytest.approx(figures)
        assert ["counts as offered in" in each for each in lines(client)] == [True] * said


def test_a_codebook_that_lists_the_waves_decides(tmp_path: Path) -> None:
    frame = tracker()
    draft_codebook(frame, wave="wave", weight=None).save(tmp_path / "survey.toml")
    text = (tmp_path / "survey.toml").read_text(encoding="utf-8")
    labels = '[questions.labels]\nAlba = "Alba"\nBern = "Bern"\nDora = "Dora"\n'
    assert labels in text
    with opened(frame) as client:
        waves = [wave.code for wave in client.waves()]
    listed = "datapoints = [\n" + "".join(
        f"  {{ name = {name!r}, value = {name!r}, waves = {waves} }},\n"
        for name in ("Alba", "Bern", "Dora")
    )
    text = text.replace(labels, f"{listed}]\n")
    (tmp_path / "survey.toml").write_text(text, encoding="utf-8")
    survey = from_frame(frame, tmp_path / "survey.toml", tmp_path / "survey")
    with al.connect(survey=survey, waves="all") as client:
        assert by_wave(client) == pytest.approx([0, 20, 10])
        assert lines(client) == []


def test_points_of_a_scale_numbers_and_periods_are_no_answers_that_join() -> None:
    frame = tracker(
        visits=np.repeat([0, 1, 2], EACH),
        month=np.repeat(["Jan", "Apr", "Jul"], EACH),
        agree=np.where(
            np.arange(3 * EACH) < EACH, "Agree", ["Agree", "Disagree", "Strongly agree"] * EACH
        ),
    ).drop(columns="brand")
    with opened(frame) as client:
        assert lines(client) == []
        assert "top:last" in client.catalogue["agree"].record.flags


def test_labels_of_a_waves_own_file_say_what_it_offered(tmp_path: Path) -> None:
    names = {1: "Alba", 2: "Bern", 3: "Dora"}
    for at, (wave, part) in enumerate(tracker().groupby("wave")):
        codes = part.assign(brand=part["brand"].map({name: k for k, name in names.items()}))
        labels = {"brand": names, "sex": {}}
        codes = codes.drop(columns=["wave", "sex"])
        write_sav(codes, tmp_path / f"w{at}.sav", variable_value_labels={"brand": labels["brand"]})
        assert wave == WAVES[at]
    with al.open(sorted(tmp_path.glob("*.sav")), weight=None, quiet=True) as client:
        assert by_wave(client) == pytest.approx([0, 20, 10])
        assert lines(client) == []
