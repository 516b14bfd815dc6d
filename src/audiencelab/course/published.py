"""Surveys that come with the course: three that were published, and a made-up form of a class."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from importlib.resources import files
from pathlib import Path
from typing import Any

from audiencelab.client import Client
from audiencelab.client import open as open_survey
from audiencelab.course.errors import CourseError


@dataclass(frozen=True, slots=True)
class PublishedSurvey:
    """A survey: its files, how they are opened, and the year of its wave where it has one."""

    folder: str
    file: str
    title: str
    year: int | None
    citation: str
    licence: str
    options: Mapping[str, Any] = field(default_factory=dict[str, Any])


_FIVETHIRTYEIGHT = "github.com/fivethirtyeight/data"

SURVEYS = {
    "class form": PublishedSurvey(
        "class_form",
        "responses.csv",
        "A form of a class (made up)",
        None,
        "made up for the course of audiencelab",
        "BSD-3-Clause",
    ),
    "masculinity": PublishedSurvey(
        "masculinity_2018",
        "raw-responses.csv.gz",
        "Masculinity survey, May 2018",
        2018,
        f"FiveThirtyEight, WNYC Studios and SurveyMonkey (2018), {_FIVETHIRTYEIGHT}",
        "CC BY 4.0",
        {"weight": "weight"},
    ),
    "star wars": PublishedSurvey(
        "star_wars_2014",
        "responses.csv.gz",
        "Star Wars survey, June 2014",
        2014,
        f"FiveThirtyEight and SurveyMonkey Audience (2014), {_FIVETHIRTYEIGHT}",
        "CC BY 4.0",
    ),
    "visits": PublishedSurvey(
        "ambulatory_care_2019",
        "visits.csv.gz",
        "Visits to physicians, 2019",
        2019,
        "US National Center for Health Statistics, National Ambulatory Medical Care Survey 2019",
        "public domain",
        {"weight": "PATWT", "strata": "CSTRATM", "clusters": "CPSUM"},
    ),
}
"""The surveys, by the name that `published` takes."""


def published(name: str) -> Client:
    """A client of a published survey that comes with the course: answers that people really gave.

    name: one of
        "masculinity": 1,615 men in the United States, asked in May 2018, with weights;
        "star wars": 1,186 people in the United States on six films, asked in June 2014;
        "visits": 8,250 visits to physicians in the United States in 2019, a sample with weights,
        strata and clusters;
        "class form": not a published survey, but 148 made-up answers of students as Google Forms
        exports them, for practice.

    Nothing is downloaded. Source and licence are in a file beside the data, and in
    `published(name).import_report`. Raises `CourseError` for another name.

    >>> from audiencelab import course
    >>> men = course.published("masculinity")
    >>> men.size(men["Age"] == "18 - 34").sample
    133.0
    """
    wanted = " ".join(str(name).casefold().replace("_", " ").split())
    found = SURVEYS.get(wanted)
    if found is None:
        near = get_close_matches(wanted, SURVEYS, 1, 0.4)
        hint = f' Did you mean "{near[0]}"?' if near else ""
        raise CourseError(
            f"The course has no survey {name!r}: it has {', '.join(map(repr, SURVEYS))}.{hint}"
        )
    folder = _data_folder() / found.folder
    about = {"citation": found.citation, "licence": found.licence}
    import pandas as pd

    # As a frame: a page in a browser reads files only after it has loaded pyarrow.
    answers = pd.read_csv(folder / found.file, encoding="latin-1", keep_default_na=False)
    if found.year is None:
        return open_survey(answers, name=found.title, study=about, quiet=True)
    return open_survey(
        answers.assign(year=found.year),
        wave="year",
        labels=folder / "labels.csv",
        name=found.title,
        study=about,
        quiet=True,
        **found.options,
    )


def _data_folder() -> Path:
    """The folder of the data: in the package, or in a checkout beside it."""
    package = Path(str(files("audiencelab.course")))
    for folder in (package / "data", package.parents[2] / "notebooks" / "data"):
        if folder.is_dir():
            return folder
    raise CourseError(
        "The published surveys are missing from this installation: install audiencelab again."
    )
