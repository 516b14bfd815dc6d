"""The names that guesses are evaluated with: a tracker, its client and a result of each kind."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import audiencelab as al
from tests.first_hour import tracker
from tests.first_hour.grading import Graded, Guess, figures, grade, read_guesses


@contextmanager
def setting(folder: Path) -> Iterator[Callable[[str], list[Graded]]]:
    """A function that grades the guesses of a persona; files are written into the folder."""
    df = tracker.frame()
    raw, path = tracker.raw_frame(df), tracker.write(folder)
    expected = figures(df, raw)
    shared = {"al": al, "pd": pd, "np": np, "path": path, "folder": folder, "df0": raw}
    names = opened(path)
    as_it_was = names["client"].to_code()

    def graded(guess: Guess) -> Graded:
        nonlocal names
        found = grade(guess, shared | names, expected)
        if names["client"].to_code() != as_it_was or len(names["client"].weights) > 2:
            # A guess may change the survey, as a recode does; the next one has it as it was.
            names["client"].close()
            names = opened(path)
        return found

    try:
        yield lambda persona: [graded(each) for each in read_guesses(persona)]
    finally:
        names["client"].close()


def opened(path: Path) -> dict[str, Any]:
    """A client of the file, and what is made with it."""
    client = al.open(path, quiet=True)
    young, table = client["agegrp"] == "18 to 34", client.crosstab("q5", "gender")
    return {
        "client": client,
        "table": table,
        "stats": client.stats("q2"),
        "trend": client.trend("q2"),
        "grid": client.grid("q4"),
        "test": table.test(),
        "chart": table.chart.bar(),
        "book": client.tab_book(["gender"], ["q5", "q2"]),
        "young": young,
        "women": client["gender"] == "Female",
        "profile": client.profile(young),
    }
