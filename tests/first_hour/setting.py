"""The names that guesses are evaluated with: a tracker, its client and a result of each kind."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pandas as pd

import audiencelab as al
from tests.first_hour import tracker
from tests.first_hour.grading import Graded, figures, grade, read_guesses


@contextmanager
def setting(folder: Path) -> Iterator[Callable[[str], list[Graded]]]:
    """A function that grades the guesses of a persona; files are written into the folder."""
    df = tracker.frame()
    raw, path = tracker.raw_frame(df), tracker.write(folder)
    with al.open(path, quiet=True) as client:
        young, table = client["agegrp"] == "18 to 34", client.crosstab("q5", "gender")
        names = {
            "al": al,
            "pd": pd,
            "np": np,
            "client": client,
            "path": path,
            "folder": folder,
            "df0": raw,
            "table": table,
            "stats": client.stats("q2"),
            "young": young,
            "trend": client.trend("q2"),
            "grid": client.grid("q4"),
            "test": table.test(),
            "chart": table.chart.bar(),
            "book": client.tab_book(["gender"], ["q5", "q2"]),
            "women": client["gender"] == "Female",
            "profile": client.profile(young),
        }
        expected = figures(df, raw)
        yield lambda persona: [grade(each, names, expected) for each in read_guesses(persona)]
