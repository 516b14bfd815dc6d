"""What people type first does what it says, or is refused with the fix: see `guesses.txt`."""

from __future__ import annotations

import re
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pyreadstat
import pytest

import audiencelab as al

KINDEST = 0.9
"""The share of guesses that must do what they say."""


class Guess(NamedTuple):
    code: str
    same: str
    refusal: str


def read_guesses() -> list[Guess]:
    found: list[Guess] = []
    for line in Path(__file__).with_name("guesses.txt").read_text("utf-8").splitlines():
        if not line or line.startswith("#"):
            continue
        code, same, refusal = line, "", ""
        if "  =>  " in line:
            code, same = line.split("  =>  ")
        elif "  !!  " in line:
            code, refusal = line.split("  !!  ")
        found.append(Guess(code.strip(), same.strip(), refusal.strip()))
    return found


GUESSES = read_guesses()


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    rng = np.random.default_rng(8)
    return pd.DataFrame(
        {
            "sex": rng.choice(["m", "f"], 300),
            "brand": rng.choice(["Alder", "Birch", "Cedar"], 300),
            "wgt": rng.uniform(0.5, 2, 300),
        }
    )


@pytest.fixture(scope="module")
def names(
    frame: pd.DataFrame, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[str, Any]]:
    with pytest.MonkeyPatch.context() as patch, al.connect() as client:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        folder = tmp_path_factory.mktemp("files")
        pyreadstat.write_sav(frame, str(folder / "survey.sav"))
        young = client["Age"].isin(["18 to 24", "25 to 34"]).named("Young")
        yield {
            "al": al,
            "pd": pd,
            "np": np,
            "client": client,
            "frame": frame,
            "young": young,
            "women": al.Audience("Women", al.Q("q2").any("q2_2")),
            "table": client.crosstab("Finding brands", "Age"),
            "stats": client.stats("Gender"),
            "trend": client.stats("Gender", splitter="waves"),
            "folder": folder,
        }


@pytest.mark.parametrize("guess", GUESSES, ids=[guess.code for guess in GUESSES])
def test_a_guess(guess: Guess, names: dict[str, Any]) -> None:
    if guess.refusal:
        with pytest.raises(Exception) as caught:  # noqa: PT011 -- the message is checked below
            eval(guess.code, dict(names))
        # As people read it: with what Python suggests for a misspelt attribute.
        message = "".join(traceback.format_exception_only(caught.value))
        assert guess.refusal.casefold() in message.casefold()
        return
    result = eval(guess.code, dict(names))
    if guess.same:
        assert plain(result) == plain(eval(guess.same, dict(names)))


def plain(result: Any) -> str:
    """The figures and labels of a result, without when it was made; NaN equals NaN in a text."""
    if isinstance(result, pd.DataFrame):
        return repr(result.to_dict("split"))
    if hasattr(result, "to_frame"):
        return repr(result.to_frame().to_dict("list"))
    return repr(result)


def test_there_are_many_guesses_and_most_do_what_they_say() -> None:
    assert len(GUESSES) >= 200
    assert sum(not guess.refusal for guess in GUESSES) / len(GUESSES) >= KINDEST
    assert len({guess.code for guess in GUESSES}) == len(GUESSES)
    assert not [guess for guess in GUESSES if re.search(r"=>|!!", guess.code)]
    assert not [guess for guess in GUESSES if guess.refusal == "no attribute"]
