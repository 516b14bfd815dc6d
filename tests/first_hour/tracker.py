"""A tracker as people bring one: four waves, a weight, a set, a grid, scales, numbers, routing.

`frame` is the file as pandas reads it with its missing codes taken out, `write` makes an SPSS file
of it, with the codes in place.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pyreadstat

PEOPLE = 2_000
BRANDS = ("Alba", "Café Noir", "Corvo", "Dune", "Elm", "Fjord")
SERVICES = ("Price", "Staff", "Delivery", "App")
SATISFACTION = {
    1: "Very dissatisfied",
    2: "Dissatisfied",
    3: "Neither",
    4: "Satisfied",
    5: "Very satisfied",
}
DONT_KNOW = 98
REGIONS = {1: "North", 2: "South", 3: "East", 4: "West"}
GENDERS = {1: "Male", 2: "Female"}
AGE_GROUPS = {1: "18 to 34", 2: "35 to 54", 3: "55 and over"}
WAVES = {1: "Q1 2026", 2: "Q2 2026", 3: "Q3 2026", 4: "Q4 2026"}
LABELS = {
    "respid": "Respondent number",
    "wave": "Wave",
    "weight": "Weight",
    "region": "Region",
    "psu": "Sampling point",
    "gender": "Gender",
    "agegrp": "Age group",
    "age": "Age in years",
    "income": "Monthly income",
    "hhsize": "People in the household",
    "q2": "Brand used most",
    "q3": "How likely are you to recommend us?",
    "q5": "Satisfaction overall",
    "q8": "Reason for leaving",
    **{f"q1_{at + 1}": f"Brands known: {brand}" for at, brand in enumerate(BRANDS)},
    **{f"q4_{at + 1}": f"Satisfaction with: {name}" for at, name in enumerate(SERVICES)},
}
"""The labels of the columns, which are the names of the questions."""


def frame() -> pd.DataFrame:
    """A row for each respondent: codes as numbers, NaN for don't know and not asked."""
    rng = np.random.default_rng(2026)
    n = PEOPLE
    gender = rng.choice([1, 2], n)
    age = rng.integers(18, 90, n).astype(float)
    region = rng.choice([1, 2, 3, 4], n, p=[0.4, 0.3, 0.2, 0.1])
    likes = rng.normal(0, 1, n) + 0.3 * (gender == 2) - 0.01 * (age - 50)

    def scale(noise: float) -> np.ndarray:
        return np.clip(np.round(3.4 + likes + rng.normal(0, noise, n)), 1, 5)

    df = pd.DataFrame(
        {
            "respid": np.arange(1, n + 1) + 10_000,
            "wave": rng.choice([1, 2, 3, 4], n),
            "weight": np.round(rng.uniform(0.4, 2.2, n), 3),
            "region": region,
            "psu": region * 100 + rng.integers(0, 12, n),
            "gender": gender,
            "agegrp": np.digitize(age, [35, 55]) + 1,
            "age": age,
            "income": np.round(rng.lognormal(8, 0.5, n), -1),
            "hhsize": rng.integers(1, 7, n),
        }
    )
    for at in range(len(BRANDS)):
        df[f"q1_{at + 1}"] = (rng.uniform(size=n) < 0.7 - 0.1 * at).astype(int)
    df["q2"] = rng.choice(range(1, len(BRANDS) + 1), n)
    df["q3"] = np.clip(np.round(6.6 + 2 * likes + rng.normal(0, 1.5, n)), 0, 10)
    for at in range(len(SERVICES)):
        df[f"q4_{at + 1}"] = scale(0.8 + 0.1 * at)
    df["q5"] = scale(0.6)
    df["q8"] = np.where(df["q5"] <= 2, rng.choice([1, 2, 3], n), np.nan)
    for name, share in (("age", 0.01), ("income", 0.06), ("q3", 0.03), ("q5", 0.04)):
        df.loc[rng.uniform(size=n) < share, name] = np.nan
    for at in range(len(SERVICES)):
        df.loc[rng.uniform(size=n) < 0.05, f"q4_{at + 1}"] = np.nan
    return df


def raw_frame(df: pd.DataFrame) -> pd.DataFrame:
    """The frame as it is in the file, with the missing codes in place."""
    codes = {"age": 999, "income": -9, "q3": DONT_KNOW, "q5": DONT_KNOW}
    return df.fillna(codes | {f"q4_{at + 1}": DONT_KNOW for at in range(len(SERVICES))})


def write(folder: Path) -> Path:
    """The SPSS file `tracker.sav` in a folder, with labels and missing codes."""
    df = frame()
    path = folder / "tracker.sav"
    pyreadstat.write_sav(
        raw_frame(df),
        str(path),
        column_labels=[LABELS[name] for name in df],
        variable_value_labels={
            "wave": WAVES,
            "region": REGIONS,
            "gender": GENDERS,
            "agegrp": AGE_GROUPS,
            "q2": dict(enumerate(BRANDS, 1)),
            "q3": {0: "Not at all likely", 10: "Extremely likely", DONT_KNOW: "Don't know"},
            "q5": {**SATISFACTION, DONT_KNOW: "Don't know"},
            "q8": {1: "Too expensive", 2: "Moved", 3: "Other"},
            **{f"q1_{at + 1}": {0: "No", 1: "Yes"} for at in range(len(BRANDS))},
            **{
                f"q4_{at + 1}": {**SATISFACTION, DONT_KNOW: "Don't know"}
                for at in range(len(SERVICES))
            },
        },
        missing_ranges={"age": [999], "income": [-9]},
        variable_measure=dict.fromkeys(("age", "income", "weight", "hhsize"), "scale"),
    )
    return path
