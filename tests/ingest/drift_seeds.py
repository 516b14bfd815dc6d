"""Two waves of a survey, and twenty ways in which the second may differ from the first."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyreadstat

AGREE = {1: "Agree strongly", 2: "Agree", 3: "Neither", 4: "Disagree", 5: "Disagree strongly"}
BRANDS = {1: "Alba", 2: "Bern", 3: "Caro", 4: "Dora"}
SEX = {1: "Man", 2: "Woman"}
TICK = {0: "No", 1: "Yes"}
OFTEN = {1: "Never", 2: "Sometimes", 3: "Often"}

SHARES = {
    "trust": (AGREE, (0.42, 0.28, 0.15, 0.1, 0.05)),
    "brand": (BRANDS, (0.5, 0.27, 0.15, 0.08)),
    "sex": (SEX, (0.48, 0.52)),
    "often": (OFTEN, (0.6, 0.3, 0.1)),
}
TEXTS = {
    "trust": "The council can be trusted",
    "brand": "Which brand do you buy most?",
    "sex": "Are you a man or a woman?",
    "often": "How often do you take the bus?",
    "likely": "How likely are you to come again? (0 to 10)",
    "weightkg": "How much do you weigh?",
    "known_1": "Brands known: Alba",
    "known_2": "Brands known: Bern",
    "g_1": "Rate: price",
    "g_2": "Rate: taste",
}


@dataclass
class Wave:
    """A file in the making: its cells, and what it says of them."""

    frame: pd.DataFrame
    labels: dict[str, dict[int | float, str]]
    texts: dict[str, str]
    missing: dict[str, list[Any]] = field(default_factory=dict[str, list[Any]])

    def save(self, path: Path) -> Path:
        if path.suffix == ".csv":
            self.frame.to_csv(path, index=False)
            return path
        columns = [*self.frame.columns]
        pyreadstat.write_sav(
            self.frame,
            path,
            column_labels={n: t for n, t in self.texts.items() if n in columns},
            variable_value_labels={n: dict(v) for n, v in self.labels.items() if n in columns},
            missing_ranges={n: v for n, v in self.missing.items() if n in columns} or None,
        )
        return path


def wave(seed: int, rows: int = 600) -> Wave:
    """A wave; all seeds are samples of one population."""
    rng = np.random.default_rng(seed)
    # A number of the respondent, by no name that shows it.
    cells: dict[str, Any] = {"id": np.arange(rows) + 1_000 * seed}
    cells["lfd"] = np.arange(rows) + 5_000 * seed
    for name, (labels, shares) in SHARES.items():
        cells[name] = rng.choice([*labels], rows, p=shares).astype(float)
    # Routed: those who take the bus sometimes or often.
    cells["rated"] = np.where(cells["often"] > 1, rng.integers(1, 6, rows), np.nan)
    cells["likely"] = rng.choice(11, rows, p=[0.01] * 5 + [0.05, 0.1, 0.15, 0.25, 0.2, 0.2])
    cells["weightkg"] = rng.normal(72, 12, rows).round()
    for name, share in (("known_1", 0.7), ("known_2", 0.35), ("known_3", 0.01)):
        cells[name] = (rng.random(rows) < share).astype(float)
    for name in ("g_1", "g_2"):
        cells[name] = rng.choice([1, 2, 3, 4, 5], rows, p=(0.4, 0.3, 0.15, 0.1, 0.05))
    cells["trust"][rng.random(rows) < 0.04] = 9
    labels = {name: dict(found) for name, (found, _) in SHARES.items()}
    labels |= {name: dict(TICK) for name in ("known_1", "known_2", "known_3")}
    labels |= {name: dict(AGREE) for name in ("g_1", "g_2")}
    labels["trust"] |= {9: "Refused"}
    return Wave(pd.DataFrame(cells), labels, dict(TEXTS), {"trust": [9]})


def turned(values: Any, of: int = 6) -> Any:
    """A scale of 1 to 5 from its other end; missing codes stay."""
    return values.where(values > of - 1, of - values)


def relabel(name: str, **changes: str) -> Callable[[Wave], None]:
    def change(wave: Wave) -> None:
        wave.labels[name] |= {int(code[1:]): label for code, label in changes.items()}

    return change


def _turned(wave: Wave) -> None:
    wave.frame["trust"] = turned(wave.frame["trust"])
    names = [*AGREE.values()]
    wave.labels["trust"] = dict(zip(AGREE, reversed(names), strict=True)) | {9: "Refused"}


def _turned_cells(wave: Wave) -> None:
    wave.frame["trust"] = turned(wave.frame["trust"])


def _swapped(wave: Wave) -> None:
    wave.frame["brand"] = wave.frame["brand"].replace({1: 4, 4: 1})
    wave.labels["brand"] = {1: "Dora", 2: "Bern", 3: "Caro", 4: "Alba"}


def _swapped_labels(wave: Wave) -> None:
    wave.labels["brand"] = {1: "Dora", 2: "Bern", 3: "Caro", 4: "Alba"}


def _shifted(wave: Wave) -> None:
    wave.frame["brand"] += 1
    wave.labels["brand"] = {code + 1: name for code, name in BRANDS.items()}


def _new_answer(wave: Wave) -> None:
    wave.frame.loc[::20, "brand"] = 5
    wave.labels["brand"][5] = "Elba"


def _gone_answer(wave: Wave) -> None:
    wave.frame["brand"] = wave.frame["brand"].replace({4: 1})
    del wave.labels["brand"][4]


def inserted(wave: Wave) -> None:
    brand = wave.frame["brand"]
    wave.frame["brand"] = brand.where(brand < 3, brand + 1)
    wave.frame.loc[::12, "brand"] = 3
    wave.labels["brand"] = {1: "Alba", 2: "Bern", 3: "Boro", 4: "Caro", 5: "Dora"}


def _new_item(wave: Wave) -> None:
    wave.frame["known_4"] = (np.arange(len(wave.frame)) % 3 == 0).astype(float)
    wave.labels["known_4"], wave.texts["known_4"] = dict(TICK), "Brands known: Dora"


def _new_question(wave: Wave) -> None:
    wave.frame["car"] = 1.0 + np.arange(len(wave.frame)) % 2
    wave.labels["car"], wave.texts["car"] = {1: "Yes", 2: "No"}, "Do you have a car?"


def _gone_question(wave: Wave) -> None:
    wave.frame = wave.frame.drop(columns="sex")


def _renamed_column(wave: Wave) -> None:
    wave.frame = wave.frame.rename(columns={"brand": "q12"})
    wave.labels["q12"], wave.texts["q12"] = wave.labels.pop("brand"), wave.texts.pop("brand")


def _another_text(wave: Wave) -> None:
    wave.texts["sex"] = "Gender of the person who answers"


def _seven(wave: Wave) -> None:
    rng = np.random.default_rng(7)
    rows = len(wave.frame)
    wave.frame["trust"] = rng.choice(7, rows, p=(0.3, 0.2, 0.2, 0.1, 0.1, 0.05, 0.05)) + 1.0
    names = ("Agree strongly", "Agree", "Rather agree", "Neither", "Rather disagree", "Disagree")
    wave.labels["trust"] = dict(enumerate((*names, "Disagree strongly"), start=1))
    wave.missing = {}


def _words(wave: Wave) -> None:
    wave.labels["often"] = {1: "Never", 2: "Once a month", 3: "Every week"}


def _undeclared(wave: Wave) -> None:
    wave.missing = {}
    del wave.labels["trust"][9]


def _new_99(wave: Wave) -> None:
    wave.frame.loc[::12, "g_1"] = 99.0


def _asked_of_all(wave: Wave) -> None:
    wave.frame["rated"] = np.random.default_rng(4).integers(1, 6, len(wave.frame)).astype(float)


def _dont_know(wave: Wave) -> None:
    wave.frame.loc[::12, "often"] = 8.0
    wave.labels["often"][8] = "Don't know"


def _grams(wave: Wave) -> None:
    wave.frame["weightkg"] *= 1_000


def _hundred(wave: Wave) -> None:
    rng = np.random.default_rng(3)
    wave.frame["likely"] = wave.frame["likely"] * 10 - rng.integers(0, 5, len(wave.frame))
    wave.frame["likely"] = wave.frame["likely"].clip(0)


def _numbers(wave: Wave) -> None:
    rng = np.random.default_rng(5)
    wave.frame["often"] = rng.integers(0, 60, len(wave.frame)).astype(float)
    del wave.labels["often"]


def _several(wave: Wave) -> None:
    for code, name in BRANDS.items():
        wave.frame[f"brand_{code}"] = (wave.frame["brand"] == code).astype(float)
        wave.labels[f"brand_{code}"], wave.texts[f"brand_{code}"] = dict(TICK), f"Buys: {name}"
    wave.frame = wave.frame.drop(columns="brand")


SEEDED: dict[str, tuple[Callable[[Wave], None], str, str, bool]] = {
    "a turned scale with its labels": (_turned, "turned scale", "trust", False),
    "a turned scale under the same labels": (_turned_cells, "turned scale", "trust", True),
    "two codes with their labels": (_swapped, "moved codes", "brand", False),
    "two labels without their codes": (_swapped_labels, "moved codes", "brand", True),
    "all codes one further": (_shifted, "moved codes", "brand", False),
    "a new answer": (_new_answer, "new answer", "brand", False),
    "a gone answer": (_gone_answer, "gone answer", "brand", False),
    "a new item": (_new_item, "new answer", "known", False),
    "a new question": (_new_question, "new question", "car", False),
    "a gone question": (_gone_question, "gone question", "sex", False),
    "a column of another name": (_renamed_column, "renamed question", "brand", False),
    "another text": (_another_text, "renamed question", "sex", False),
    "seven points for five": (_seven, "points", "trust", True),
    "other words of a scale": (_words, "words", "often", False),
    "a brand of another name": (relabel("brand", _2="Berna"), "renamed answer", "brand", False),
    "a code for another brand": (relabel("brand", _2="Zeta"), "renamed answer", "brand", True),
    "a missing code that is not declared": (_undeclared, "missing codes", "trust", False),
    "a code 99 that is new": (_new_99, "missing codes", "g", False),
    "a routed question asked of all": (_asked_of_all, "asked", "rated", False),
    "don't know that is new": (_dont_know, "missing codes", "often", False),
    "grams for kilograms": (_grams, "range", "weightkg", True),
    "0 to 100 for 0 to 10": (_hundred, "range", "likely", True),
    "numbers for answers": (_numbers, "type", "often", True),
    "several answers for one": (_several, "type", "brand", True),
}
"""A change of the second wave: the kind and the question of its drift, and whether it refuses."""
