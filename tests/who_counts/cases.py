"""Twelve surveys whose waves, items or respondents differ, as files that people bring.

The respondents of each are in `patterns`: one line for all who answered alike, `n` of them, and
a blank for no answer. A file of a wave has no column for what that wave did not ask.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd
import pyreadstat

import audiencelab as al

PATTERNS = Path(__file__).parent / "patterns"
SEX = {1: "Woman", 2: "Man"}
YES = {1: "Yes", 2: "No"}
TICKED = {0: "No", 1: "Yes"}


@dataclass(frozen=True)
class Case:
    """One survey.

    columns: of the file: the name, the label and the labels of values, by column of the pattern.
    offered: by wave, labels of values that differ from those of `columns`.
    missing: declared missing values by column.
    figures: by row and column, "ticked/base": the share and, unweighted, the base; "" for a cell
        without a figure. A column that is "all" is everyone.
    samples: the number of respondents of a base where they are weighted.
    indices: some indices by row and column.
    """

    name: str
    columns: Mapping[str, tuple[str, str, Mapping[int, str]]]
    figures: Mapping[str, Mapping[str, str]]
    indices: Mapping[tuple[str, str], str] = field(default_factory=dict[Any, Any])
    samples: Mapping[str, int] = field(default_factory=dict[Any, Any])
    offered: Mapping[int, Mapping[str, Mapping[int, str]]] = field(default_factory=dict[Any, Any])
    missing: Mapping[str, Sequence[Any]] = field(default_factory=dict[Any, Any])
    weight: str | None = None

    def respondents(self) -> pd.DataFrame:
        """One line a respondent, columns named as in the pattern."""
        return respondents(self.name)

    def write(self, folder: Path) -> list[Path]:
        """A .sav file for each wave, or one."""
        frame = self.respondents()
        if "wave" not in frame:
            return [self._write(frame, folder / f"{self.name}.sav", {})]
        return [
            self._write(part, folder / f"{self.name}_{wave}.sav", self.offered.get(wave, {}))
            for wave, part in frame.groupby("wave")
        ]

    def _write(self, frame: pd.DataFrame, path: Path, own: Mapping[str, Any]) -> Path:
        kept = frame.dropna(axis="columns", how="all")
        named = {each: self.columns[each][0] for each in kept if each in self.columns}
        pyreadstat.write_sav(
            kept.rename(columns=named).reset_index(drop=True),
            str(path),
            column_labels={name: self.columns[each][1] for each, name in named.items()},
            variable_value_labels={
                name: own.get(each, self.columns[each][2]) for each, name in named.items()
            },
            missing_ranges={self.columns[each][0]: found for each, found in self.missing.items()},
        )
        return path

    def open(self, folder: Path, **options: Any) -> al.Client:
        """The survey as `al.open` imports it."""
        files = self.write(folder)
        wave = {"wave": "wave"} if len(files) > 1 else {}
        given = {"weight": self.weight, "to": folder / "survey", "quiet": True} | wave | options
        return al.open(files if wave else files[0], **given)


@cache
def respondents(name: str) -> pd.DataFrame:
    """The respondents of a pattern, one line each."""
    frame = pd.read_csv(PATTERNS / f"{name}.csv")
    return frame.loc[frame.index.repeat(frame["n"])].drop(columns="n").reset_index(drop=True)


def brands(*names: str) -> dict[str, tuple[str, str, Mapping[int, str]]]:
    """Columns of 0 and 1 that make one question, Brands known."""
    return {
        name: (f"q1_{place}", f"Brands known: {name.title()}", TICKED)
        for place, name in enumerate(names, start=1)
    }


WHO = {"sex": ("sex", "Sex", SEX)}
POINTS = {1: "Good", 2: "Fair", 3: "Bad"}
PLANS = {1: "Basic", 2: "Plus", 3: "Max"}

CASES = (
    Case(
        "new_brand",
        columns=WHO | brands("alba", "bern", "dora"),
        # Alba: 40 + 50 + 45 of 300. Dora was asked of the 100 of wave 3.
        figures={
            "Alba": {
                "all": "135/300", "Woman": "95/150", "Man": "40/150",
                "1": "40/100", "2": "50/100", "3": "45/100",
            },
            "Bern": {
                "all": "75/300", "Woman": "40/150", "Man": "35/150",
                "1": "30/100", "2": "20/100", "3": "25/100",
            },
            "Dora": {
                "all": "40/100", "Woman": "30/50", "Man": "10/50", "1": "", "2": "", "3": "40/100",
            },
        },
        indices={("Dora", "Woman"): "60/40", ("Dora", "Man"): "20/40"},
    ),
    Case(
        "new_grid_item",
        columns=WHO | {
            "taste": ("q2_1", "Rating: Taste", POINTS),
            "price": ("q2_2", "Rating: Price", POINTS),
            "service": ("q2_3", "Rating: Service", POINTS),
        },
        # Service was rated by 90 of the 100 of wave 2: 30 good, 40 fair, 20 bad.
        figures={
            "Taste: Good": {
                "all": "80/200", "Woman": "70/90", "Man": "10/110", "1": "40/100", "2": "40/100",
            },
            "Taste: Fair": {
                "all": "40/200", "Woman": "20/90", "Man": "20/110", "1": "0/100", "2": "40/100",
            },
            "Price: Good": {
                "all": "30/200", "Woman": "30/90", "Man": "0/110", "1": "0/100", "2": "30/100",
            },
            "Service: Good": {
                "all": "30/90", "Woman": "30/50", "Man": "0/40", "1": "", "2": "30/90",
            },
            "Service: Fair": {
                "all": "40/90", "Woman": "20/50", "Man": "20/40", "1": "", "2": "40/90",
            },
            "Service: Bad": {
                "all": "20/90", "Woman": "0/50", "Man": "20/40", "1": "", "2": "20/90",
            },
        },
        indices={("Service: Fair", "Man"): "90/80"},
    ),
    Case(
        "new_answer",
        columns=WHO | {"plan": ("plan", "Plan", PLANS)},
        offered={1: {"plan": {1: "Basic", 2: "Plus"}}},
        # Pooled, 20 of 200 have Max: 55 + 35 + 10 = 100.
        figures={
            "Basic": {
                "all": "110/200", "Woman": "70/100", "Man": "40/100", "1": "60/100", "2": "50/100",
            },
            "Plus": {
                "all": "70/200", "Woman": "20/100", "Man": "50/100", "1": "40/100", "2": "30/100",
            },
            "Max": {"all": "20/200", "Woman": "10/100", "Man": "10/100", "1": "", "2": "20/100"},
        },
        indices={("Max", "Woman"): "10/10", ("Basic", "Man"): "40/55"},
    ),
    Case(
        "rotated",
        columns=WHO | {
            "tea": ("q3_1", "Drinks: Tea", TICKED),
            "milk": ("q3_2", "Drinks: Milk", TICKED),
            "beer": ("q3_3", "Drinks: Beer", TICKED),
        },
        # Each of 90 was shown two of three. Tea and milk were shown to 30, and 10 ticked neither.
        # Tea or milk was shown to all 90: 20 of the 30, 15 of the 30 shown tea, 5 of those shown
        # milk.
        figures={
            "Tea": {"all": "30/60", "Woman": "25/35", "Man": "5/25"},
            "Milk": {"all": "20/60", "Woman": "10/35", "Man": "10/25"},
            "Beer": {"all": "45/60", "Woman": "40/40", "Man": "5/20"},
            "Tea or Milk": {"all": "20/30", "Woman": "15/15", "Man": "5/15"},
            "Tea, or Milk": {"all": "40/90", "Woman": "25/55", "Man": "15/35"},
        },
        indices={("Beer", "Woman"): "100/75", ("Tea or Milk", "Man"): "1/2"},
    ),
    Case(
        "not_routed",
        columns=WHO | {"used": ("q8", "Used it", YES)},
        # 60 of 100 were asked: 45 yes, 15 no.
        figures={
            "Yes": {"all": "45/60", "Woman": "30/35", "Man": "15/25"},
            "not Yes": {"all": "15/60", "Woman": "5/35", "Man": "10/25"},
        },
        indices={("not Yes", "Man"): "40/25", ("not Yes", "Woman"): "4/7"},
    ),
    Case(
        "growing_net",
        columns=brands("alba", "bern", "dora"),
        # Alba or Dora: in wave 1 the 40 of 100 who know Alba; in wave 2 the 10 + 20 + 18 of the 80
        # who were asked both. The 20 of wave 2 who were not asked Dora are left out.
        figures={
            "Alba": {"all": "80/200", "1": "40/100", "2": "40/100"},
            "Bern": {"all": "112/200", "1": "60/100", "2": "52/100"},
            "Dora": {"all": "28/80", "1": "", "2": "28/80"},
            "Alba or Dora": {"all": "88/180", "1": "40/100", "2": "48/80"},
        },
    ),
    Case(
        "renamed",
        columns={"rating": ("rating", "Rating", {1: "Good", 2: "Bad", 3: "Great"})},
        offered={1: {"rating": {1: "Good", 2: "Bad"}}, 2: {"rating": {3: "Great", 2: "Bad"}}},
        # Pooled 60 + 90 + 50 of 200.
        figures={
            "Good": {"all": "60/200", "1": "60/100", "2": ""},
            "Bad": {"all": "90/200", "1": "40/100", "2": "50/100"},
            "Great": {"all": "50/200", "1": "", "2": "50/100"},
        },
    ),
    Case(
        "routed",
        columns=WHO | {"agrees": ("q9", "Agrees", YES)},
        # 40 of 100 were not asked.
        figures={
            "Yes": {"all": "30/60", "Woman": "20/30", "Man": "10/30"},
            "No": {"all": "30/60", "Woman": "10/30", "Man": "20/30"},
        },
        indices={("Yes", "Woman"): "4/3", ("Yes", "Man"): "2/3"},
    ),
    Case(
        "missing_in_set",
        columns={
            "tv": ("q4_1", "Media: TV", TICKED | {9: "Refused"}),
            "radio": ("q4_2", "Media: Radio", TICKED | {9: "Refused"}),
        },
        missing={"tv": [9], "radio": [9]},
        # TV: 30 yes, 30 no, 20 refused, 20 system-missing. Radio: 25 yes, 50 no, 15 and 10.
        figures={"TV": {"all": "30/60"}, "Radio": {"all": "25/75"}},
    ),
    Case(
        "column_missing",
        columns=WHO | {"likes": ("q5", "Likes it", YES)},
        # 20 of 100 have no answer to Sex; all of them say yes. Of the 80 with one, 40 say yes.
        figures={
            "Yes": {"all": "60/100", "Woman": "30/40", "Man": "10/40"},
            "No": {"all": "40/100", "Woman": "10/40", "Man": "30/40"},
        },
        indices={("Yes", "Woman"): "75/50", ("Yes", "Man"): "25/50"},
    ),
    Case(
        "at_least",
        columns={
            "tea": ("q6_1", "Drinks: Tea", TICKED),
            "milk": ("q6_2", "Drinks: Milk", TICKED),
            "beer": ("q6_3", "Drinks: Beer", TICKED),
            "water": ("q6_4", "Drinks: Water", TICKED),
        },
        # At least 2 of tea, milk and beer: wave 1 offered one of them, wave 2 two; in wave 3, 20
        # were not asked beer, and 10 + 15 + 15 of the other 80 drink two.
        figures={
            "Tea": {"all": "165/300", "1": "50/100", "2": "50/100", "3": "65/100"},
            "two": {"all": "60/180", "1": "", "2": "20/100", "3": "40/80"},
        },
    ),
    Case(
        "weight_zero",
        columns=WHO | {"likes": ("q7", "Likes it", YES), "w": ("weight", "Weight", {})},
        weight="weight",
        # Weighted, 30 + 5 of 100 say yes; 50 of the 100 respondents have weight 0.
        figures={
            "Yes": {"all": "35/100", "Woman": "30/50", "Man": "5/50"},
            "No": {"all": "65/100", "Woman": "20/50", "Man": "45/50"},
        },
        samples={"all": 50, "Woman": 30, "Man": 20},
        indices={("Yes", "Woman"): "60/35", ("Yes", "Man"): "10/35"},
    ),
)  # fmt: skip
