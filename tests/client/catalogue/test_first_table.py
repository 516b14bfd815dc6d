"""Which questions a first table shows: what was asked about, by all and by who was asked."""

from __future__ import annotations

import pandas as pd
import pytest

import audiencelab as al
from audiencelab import Client
from audiencelab.widgets.workbench.first import first_workbench


def test_several_answers_go_before_single_ones() -> None:
    found = al.connect().catalogue.first_table()
    assert found.axes == ("q17", [None, "q2"])
    assert str(found) == (
        "Rows: Pets, the first question with several answers. Columns: all, and Gender."
    )


def test_a_survey_in_german(agency: Client) -> None:
    assert agency.catalogue.first_table().axes == ("b1", [None, "geschlecht"])


@pytest.mark.parametrize(
    ("frame", "axes"),
    [
        ({"sex": ["f", "m", "m"], "tea": ["a", "b", "b"]}, ("tea", [None, "sex"])),
        ({"q1": ["male", "female", "male"], "q2": ["x", "y", "x"]}, ("q2", [None, "q1"])),
        # No name is understood: the next question of few answers.
        ({"aa": ["a", "b", "b"], "bb": ["x", "y", "x"]}, ("aa", [None, "bb"])),
        (
            {
                "region": ["N", "S", "S"],
                "tea": ["yes", "no", "no"],
                "how": ["never", "daily", "daily"],
            },
            ("tea", [None, "region"]),
        ),
        ({"sex": ["f", "m", "m"]}, ("sex", [None])),
        ({"aa": ["a", "a", "a"]}, (None, [None])),
    ],
)
def test_small_surveys(frame: dict[str, list[str]], axes: tuple[object, object]) -> None:
    client = al.open(pd.DataFrame(frame), quiet=True)
    assert client.catalogue.first_table().axes == axes
    first_workbench(client).close()
