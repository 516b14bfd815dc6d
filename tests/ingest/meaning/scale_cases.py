"""The answer scales of a TOML file, as surveys of generated respondents and as right answers."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import pandas as pd
import pyreadstat

from audiencelab.ingest import draft_codebook, from_frame, import_survey
from audiencelab.schema import Question
from audiencelab.schema.scales import scale_of
from audiencelab.survey import Survey


@dataclass(frozen=True, slots=True)
class Case:
    """An answer scale: its labels as listed, their codes in the file, and what is right.

    is_published: whether it is of a published questionnaire.
    """

    id: str
    labels: Sequence[str]
    codes: Sequence[int] | None
    top: str
    ends: str
    off: frozenset[str]
    is_published: bool

    @property
    def points(self) -> list[str]:
        return [label for label in self.labels if label not in self.off]

    @property
    def rising(self) -> list[str]:
        return self.points[::-1] if self.top == "first" else self.points

    def answers(self) -> list[int]:
        """The index of each respondent's label, in no order: how often differs by label."""
        given = [place for place in range(len(self.labels)) for _ in range(6 + 5 * place % 7)]
        return [given[(place * 17) % len(given)] for place in range(len(given))]


def cases_of(file: str) -> list[Case]:
    path = Path(__file__).with_name(file)
    entries = tomllib.loads(path.read_text(encoding="utf-8"))["scale"]
    return [
        Case(
            entry["id"],
            entry["labels"],
            entry.get("codes"),
            entry["top"],
            entry["ends"],
            frozenset(entry["off"]),
            not entry["source"].startswith("market research"),
        )
        for entry in entries
    ]


def survey_of_texts(cases: Iterable[Case], folder: Path) -> Survey:
    columns = {case.id: [case.labels[place] for place in case.answers()] for case in cases}
    frame = _frame(columns)
    return from_frame(frame, draft_codebook(frame).codebook, folder / "texts")


def survey_of_codes(cases: Sequence[Case], folder: Path) -> Survey:
    """Written as a .sav file, whose values are codes with labels."""
    columns: dict[str, list[float]] = {}
    labels: dict[str, dict[float, str]] = {}
    for case in cases:
        assert case.codes is not None
        columns[case.id] = [float(case.codes[place]) for place in case.answers()]
        labels[case.id] = {
            float(code): label
            for code, label in zip(case.codes, case.labels, strict=True)
            if label != str(code)
        }
    file = folder / "coded.sav"
    pyreadstat.write_sav(_frame(columns), file, variable_value_labels=labels)
    return import_survey(file, draft_codebook(file).codebook, folder / "coded")


def _frame(columns: Mapping[str, Sequence[object]]) -> pd.DataFrame:
    length = max(map(len, columns.values()))
    return pd.DataFrame(
        {name: [*values, *[None] * (length - len(values))] for name, values in columns.items()}
    )


class Found(NamedTuple):
    """Whether a question has the order, the top and the off-scale answers of a case."""

    order: bool
    top: bool
    off: bool


def found(case: Case, question: Question) -> Found:
    """A column of texts has no order of its own: rising and falling are both right."""
    names = {point.code: point.name for point in question.datapoints or []}
    scale = scale_of(question)
    points = [names[code] for code in scale.points]
    off = {names[code] for code in scale.off}
    orders = [case.points] if case.codes else [case.points, case.points[::-1]]
    if case.top == "none":
        is_top = scale.top == "none"
    else:
        rising = scale.rising
        is_top = rising is not None and [names[code] for code in rising] == case.rising
    is_off = off <= case.off and set(points) == set(case.points)
    return Found(points in orders, is_top, is_off)
