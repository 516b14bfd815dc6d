"""Two bases by name: who gave an answer to a question, and who was asked it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import audiencelab as al
from audiencelab.client import InvalidRequest
from audiencelab.ingest import from_frame
from audiencelab.survey import Survey, demo_survey
from tests.client.odd_services import opening

CODEBOOK = """
[weight]
column = "w"
[wave]
column = "wave"
[[waves]]
code = "w1"
starts = 2024-01-01
[[waves]]
code = "w2"
starts = 2025-01-01
[[questions]]
code = "read"
name = "Reading"
kind = "multiple"
selected = [1]
not_selected = [0]
datapoints = [{ name = "Books", column = "books" }, { name = "Papers", column = "papers" }]
[[questions]]
code = "sex"
name = "Sex"
column = "sex"
labels = { 1 = "Women", 2 = "Men" }
"""


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    """Three fifths of the first wave are asked about reading, of whom many tick nothing."""
    rng = np.random.default_rng(12)
    n = 600
    people = pd.DataFrame(
        {
            "wave": rng.choice(["w1", "w2"], n),
            "w": rng.uniform(0.2, 4, n),
            "sex": rng.integers(1, 3, n),
            "books": rng.integers(0, 2, n).astype(float),
            "papers": rng.integers(0, 2, n).astype(float),
        }
    )
    unasked = (rng.random(n) < 0.4) | (people["wave"] == "w2")
    people.loc[unasked, ["books", "papers"]] = np.nan
    return people


@pytest.fixture(scope="module")
def survey(frame: pd.DataFrame, tmp_path_factory: pytest.TempPathFactory) -> Survey:
    folder = tmp_path_factory.mktemp("asked")
    (folder / "codebook.toml").write_text(CODEBOOK)
    return from_frame(frame, folder / "codebook.toml", folder / "survey")


@pytest.fixture
def client(survey: Survey) -> Iterator[al.Client]:
    with al.connect(survey=survey) as connected:
        yield connected


def books(frame: pd.DataFrame, base: pd.Series) -> tuple[int, float]:
    """The sample of a base, and what percentage of it reads books."""
    people = frame[base & (frame["wave"] == "w1")]
    return len(people), 100 * np.average(people["books"] == 1, weights=people["w"])


def shown(client: al.Client, base: al.Audience) -> tuple[float, float]:
    line = client.stats("read", datapoints=["read_1"], base_audience=base).to_frame().iloc[0]
    return line["column_sample"], line["column_percentage"]


def test_asked_is_everyone_who_was_asked_and_answered_who_gave_an_answer(
    client: al.Client, frame: pd.DataFrame
) -> None:
    asked = frame["books"].notna()
    ticked = (frame["books"] == 1) | (frame["papers"] == 1)
    for base, expected in ((al.asked("read"), asked), (al.answered("read"), ticked)):
        assert shown(client, base) == pytest.approx(books(frame, expected))
    assert shown(client, al.asked("read"))[0] > shown(client, al.answered("read"))[0]


def test_asked_is_a_condition_like_others(client: al.Client, frame: pd.DataFrame) -> None:
    asked = al.asked("core.read").expression
    assert asked is not None
    inside, first = frame["books"].notna(), frame["wave"] == "w1"
    rows = {
        "asked": (asked, inside),
        "not asked": (~asked, ~inside & first),
        "women asked": (asked & al.Q("sex").any("sex_1"), inside & (frame["sex"] == 1)),
        "asked, no answer": (
            asked & ~al.Q("read").any(),
            inside & (frame["books"] != 1) & (frame["papers"] != 1),
        ),
        "asked or books": (al.Q("read").any("read_1", "@asked"), inside),
    }
    table = client.crosstab(
        rows=[al.Audience(name, condition) for name, (condition, _) in rows.items()],
        columns=[al.Audience("All")],
    )
    found = dict(zip(rows, table.values("sample")[:, 0], strict=True))
    for name, (_, expected) in rows.items():
        assert found[name] == int(expected.sum()), name


def test_names_and_code_of_the_two_bases(client: al.Client) -> None:
    labels = client.catalogue
    assert al.asked("read", labels).name == "Asked Reading"
    assert al.answered("read", labels).name == "Answered Reading"
    asked = al.asked("read").expression
    assert asked is not None
    assert asked.describe(labels) == "Reading was asked"
    assert (~asked).describe(labels) == "Reading was not asked"
    assert eval(asked.to_code(), {"al": al}) == asked


def test_asked_of_an_unknown_question_and_of_waves_is_refused(client: al.Client) -> None:
    for code in ("nothing", "waves"):
        with pytest.raises((InvalidRequest, ValueError)):
            client.stats("read", base_audience=al.asked(code))
    with pytest.raises(InvalidRequest):
        client.stats("read", datapoints=["@asked"])


# Questions by their codes: names would be looked up in the catalogue first.
CALLS = {
    "stats": lambda client, who: client.stats("q_1", base_audience=who),
    "crosstab": lambda client, who: client.crosstab(rows=[who.expression & al.Q("q_2").any()]),
    "profile": lambda client, who: client.profile(who),
    "overlap": lambda client, who: client.overlap([who, al.Q("q_2").any()]),
    "coverage": lambda client, who: client.coverage(who),
    "chart": lambda client, who: client.charts.create("Reading", audiences=[who]),
    "saved audience": lambda client, who: client.audiences.update("a", expression=who),
}


@pytest.mark.parametrize("call", CALLS)
def test_asked_is_refused_before_it_is_sent_to_a_service_that_is_not_ours(call: str) -> None:
    message = r"asked\('q_1'\).*al\.answered\('q_1'\)"

    def answer(path: str, body: Any) -> Any:
        assert "@asked" not in str(body)
        return {"questions": []}

    with opening() as opened, pytest.raises(LookupError, match=message):
        CALLS[call](opened(answer), al.asked("q_1"))


def test_a_recording_answers_again_who_was_asked(client: al.Client, tmp_path: Path) -> None:
    with client.recording(tmp_path / "asked.json"):
        told = client.stats("read", base_audience=al.asked("read")).to_frame()
    with al.connect(snapshot=tmp_path / "asked.json") as replay:
        again = replay.stats("read", base_audience=al.asked("read")).to_frame()
    pd.testing.assert_frame_equal(told, again)


def test_who_was_asked_a_grid_is_counted() -> None:
    """No call of the grid makes that row."""
    client = al.connect(survey=demo_survey())
    found = client.size(al.asked("Trust in sources"), waves="latest 1")
    points = client["Trust in sources"].suffixes
    answered = client["Trust in sources"].any("Scientists", scale=[each.name for each in points])
    assert found.sample == client.size(answered, waves="latest 1").sample > 0
