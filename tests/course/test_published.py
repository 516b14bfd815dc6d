"""The published surveys of the course: they open, and count what their files hold."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from audiencelab import course
from audiencelab.course.distribute import lesson_files
from audiencelab.course.published import SURVEYS
from tests.messages import fails

DATA = Path(__file__).parents[2] / "notebooks" / "data"


def test_answers_of_men_are_counted_with_their_weights() -> None:
    men = course.published("masculinity")
    raw = pd.read_csv(DATA / "masculinity_2018" / "raw-responses.csv.gz", encoding="latin-1")
    worried = raw.eq("Your mental health").any(axis="columns")
    share = 100 * raw["weight"][worried].sum() / raw["weight"].sum()
    table = men.crosstab(men["q0008"].any("Your mental health")).to_frame()
    assert table["column_sample"].item() == len(raw) == 1615
    assert table["column_percentage"].item() == pytest.approx(share)


def test_visits_have_the_design_of_their_sample() -> None:
    visits = course.published("visits")
    published = pd.read_csv(DATA / "ambulatory_care_2019" / "published.csv")
    found = visits.crosstab("Age").intervals().set_index("row")
    for row in published[published["question"] == "Age"].itertuples():
        ours = found.loc[row.answer]
        assert round(ours["column_percentage"], 1) == row.percent
        assert round(ours["column_percentage_se"], 1) == row.percent_se


def test_views_of_characters_keep_those_who_do_not_know_them() -> None:
    films = course.published("Star_Wars")
    raw = pd.read_csv(DATA / "star_wars_2014" / "responses.csv.gz")
    counts = raw["view_07"].value_counts()
    view = films["View of the character"]
    for point in view.suffixes:
        who = view.any("Darth Vader", scale=point.name)
        assert films.size(who).sample == counts[point.name]
    assert counts.sum() == 826


def test_lessons_print_the_figures_of_the_file() -> None:
    """Lessons 8 and 9, from the file by pandas alone."""
    raw = pd.read_csv(DATA / "star_wars_2014" / "responses.csv.gz")
    numbers = {
        "Very unfavorably": 1,
        "Somewhat unfavorably": 2,
        "Neither favorably nor unfavorably (neutral)": 3,
        "Somewhat favorably": 4,
        "Very favorably": 5,
    }
    ranks = raw[[f"rank_{number}" for number in range(1, 7)]].dropna()
    as_listed = (ranks.diff(axis="columns").iloc[:, 1:] == 1).all(axis="columns")
    printed = {8: [], 9: [f"{as_listed.sum()} of {len(ranks)}"]}
    for place, name in ((7, "Darth Vader"), (13, "Padme Amidala"), (12, "Jar Jar Binks")):
        answers = raw[f"view_{place:02}"].dropna()
        points = answers.map(numbers)
        top, bottom = (100 * part.mean() for part in (points >= 4, points <= 2))
        row = (100 * (points == 5).mean(), top, bottom, top - bottom)
        printed[8].append(f"{name} " + " ".join(f"{each:.1f}" for each in row))
        printed[8][-1] += f" {points.mean():.2f}"
    printed[9] += [f"{ranks.iloc[:, 0].mean():.2f}", f"{ranks[~as_listed].iloc[:, 0].mean():.2f}"]
    for lesson, figures in printed.items():
        cells = json.loads(lesson_files()[lesson - 1].read_text("utf-8"))["cells"]
        shown = " ".join(" ".join(map(str, _texts(cell))) for cell in cells)
        shown = " ".join(shown.split())
        assert [each for each in figures if each not in shown] == []


def _texts(cell: dict[str, Any]) -> Iterator[str]:
    for output in cell.get("outputs", ()):
        yield "".join(output.get("text", output.get("data", {}).get("text/plain", "")))


def test_a_form_of_a_class_is_read_as_google_forms_writes_it() -> None:
    form = course.published("class form")
    ways = [
        each.name for each in form["How do you get to campus? (tick all that apply)"].datapoints
    ]
    assert ways == ["By bicycle", "By bus, tram or train", "By car", "On foot"]
    raw = pd.read_csv(DATA / "class_form" / "responses.csv")
    ticked = raw["How do you get to campus? (tick all that apply)"].str.contains("By bus")
    train = form["How do you get to campus? (tick all that apply)"].any("By bus, tram or train")
    assert form.size(train).sample == ticked.sum()
    shown = repr(form.catalogue)
    assert "Email" not in shown
    assert "What should change" not in shown
    assert "@" not in form.respondents().to_csv()


@pytest.mark.parametrize("name", SURVEYS)
def test_source_and_licence_are_named(name: str) -> None:
    survey = SURVEYS[name]
    read = " ".join((DATA / survey.folder / "README.md").read_text("utf-8").split())
    assert survey.licence in read
    assert sum(each.stat().st_size for each in (DATA / survey.folder).iterdir()) < 160_000


def test_a_survey_that_is_not_there() -> None:
    with fails(course.CourseError):
        course.published("masculine")
