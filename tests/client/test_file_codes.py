"""Numbers that are codes of the file: who is meant, counted in pandas, and which are refused."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import audiencelab as al
from tests.first_hour.tracker import frame, write

DF = frame()


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[al.Client]:
    folder = tmp_path_factory.mktemp("codes")
    with al.open(write(folder), to=folder / "survey", quiet=True) as client:
        yield client


Made = Callable[[al.Client], Any]

MADE: list[tuple[Made, Any]] = [
    (lambda c: c["gender"] == 2, DF.gender == 2),
    (lambda c: c["gender"] != 2, DF.gender == 1),
    (lambda c: c["region"].isin([1, 4]), DF.region.isin([1, 4])),
    (lambda c: c["gender"].net(2), DF.gender == 2),
    (lambda c: c["agegrp"] == 2, DF.agegrp == 2),
    (lambda c: c.filter(gender=2).base_audience, DF.gender == 2),
    (lambda c: c.filter({"region": [1, 4]}).base_audience, DF.region.isin([1, 4])),
    (lambda c: c.filter("gender == 2").base_audience, DF.gender == 2),
    (lambda c: c["q5"] == 4, DF.q5 == 4),
]


@pytest.mark.parametrize(("made", "who"), MADE)
def test_codes_of_the_file_are_those_answers(client: al.Client, made: Made, who: Any) -> None:
    assert client.size(made(client), waves="all").sample == who.sum()


def test_codes_that_are_places_or_scores_of_others_are_refused(tmp_path: Path) -> None:
    words = al.open(
        pd.DataFrame({"yes": ["Yes", "No"] * 9, "band": ["1-2", "3-4"] * 9}), quiet=True
    )
    for refused in (
        lambda: words["yes"] == 1,
        lambda: words.filter("yes == 1"),
        lambda: words.filter(band=2),
        lambda: words.filter("band == 2"),
    ):
        with pytest.raises((al.AudienceError, ValueError)):
            refused()
    with al.open(write(tmp_path), to=tmp_path / "survey", quiet=True) as client:
        names = [each.name for each in client["q5"].datapoints][:5]
        client.edit("q5", scores=dict(zip(names, (5, 4, 3, 2, 1), strict=True)))
        assert (client["q5"] == 3).datapoints == ("q5_3",)
        for refused in (lambda: client["q5"] == 4, lambda: client.filter("q5 == 4")):
            with pytest.raises(ValueError, match=r"is the code of .* and the score of"):
                refused()


def test_written_conditions_are_audiences_of_sizes_and_profiles(client: al.Client) -> None:
    promoters = client["q3"] >= 9
    assert client.size("q3 >= 9", waves="all").sample == (DF.q3 >= 9).sum()
    assert client.size("gender > region").shape == (8, 3)
    written = client.profile("q3 >= 9", "region").to_frame()
    pd.testing.assert_frame_equal(written, client.profile(promoters, "region").to_frame())


def test_refused_texts_and_targets_end_in_a_line_of_what_was_meant(client: al.Client) -> None:
    with pytest.raises(ValueError, match="has no answer '99'") as refused:
        client.filter("agegrp == 99")
    line = str(refused.value).rpartition("Write ")[2].removesuffix(".")
    assert "client['agegrp']" in line
    assert eval(line, {"client": client}).size().base_sample == DF.agegrp.isin([1, 2]).sum()
    with pytest.raises(ValueError, match=r"Write client\.catalogue\."):
        client.filter("nothing of this")
    with pytest.raises(
        TypeError, match=r'Write client\.rake\(\{"gender": \{"Male": 50, "Female": 50'
    ):
        client.rake(gender={"Male": 50, "Female": 50})  # pyright: ignore[reportCallIssue]
