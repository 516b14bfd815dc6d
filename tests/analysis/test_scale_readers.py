"""What is made of a scale, counted again by hand: reversed codes, answers off the scale, grids."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import audiencelab as al
from audiencelab import ingest

SATISFIED = (
    "Very satisfied",
    "Rather satisfied",
    "Neither satisfied nor dissatisfied",
    "Rather dissatisfied",
    "Very dissatisfied",
)
CODES = dict(zip((*SATISFIED, "Don't know"), (1, 2, 3, 4, 5, 98), strict=True))
COUNT = 600


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    """Satisfaction with 1 as the best, a rating from 0 to 10 with 99, two items of a grid."""
    chance = np.random.default_rng(5)
    most, some = [0.3, 0.25, 0.2, 0.1, 0.05, 0.1], [0.1, 0.2, 0.3, 0.2, 0.1, 0.1]
    codes = list(CODES.values())
    made = pd.DataFrame(
        {
            "sat": chance.choice(codes, COUNT, p=most).astype(float),
            "rated": chance.choice([*range(11), 99], COUNT).astype(float),
            "item_1": chance.choice(codes, COUNT, p=some).astype(float),
            "item_2": chance.choice(codes, COUNT, p=most).astype(float),
            "g": chance.choice(["a", "b"], COUNT),
            "w": chance.choice([0.5, 1.0, 2.0], COUNT),
        }
    )
    made.loc[:30, "sat"] = np.nan
    return made


@pytest.fixture(scope="module")
def client(frame: pd.DataFrame, tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("scale")
    points = [
        {"name": name, "value": code} | ({} if code == 98 else {"midpoint": code})
        for name, code in CODES.items()
    ]
    ratings = [{"name": str(at), "value": at, "midpoint": at} for at in range(11)]
    scale = {"top": "first", "ends": "opposite", "off_scale": [98]}
    codebook = {
        "weight": {"column": "w"},
        "questions": [
            {"code": "sat", "name": "Sat", "column": "sat", "datapoints": points, **scale},
            {
                "code": "rated",
                "name": "Rated",
                "column": "rated",
                "datapoints": [*ratings, {"name": "No idea", "value": 99}],
                "off_scale": [99],
            },
            {
                "code": "grid",
                "name": "Grid",
                "kind": "grid",
                "datapoints": [
                    {"name": "One", "column": "item_1"},
                    {"name": "Two", "column": "item_2"},
                ],
                "suffixes": points,
                **scale,
            },
            {"code": "g", "name": "Group", "column": "g"},
        ],
    }
    frame.to_csv(folder / "f.csv", index=False)
    parsed = ingest.parse_codebook(codebook)
    survey = ingest.import_survey(folder / "f.csv", parsed, folder / "survey")
    return al.connect(survey=survey, base_of="valid")


def share(frame: pd.DataFrame, column: str, codes: list[int], of: list[int] | None = None) -> float:
    """The weighted percentage of those who answered, or gave one of the answers `of`."""
    kept = frame[frame[column].notna() if of is None else frame[column].isin(of)]
    return 100 * kept["w"][kept[column].isin(codes)].sum() / kept["w"].sum()


def test_a_net_promoter_score_has_parts_of_the_same_respondents(
    client: Any, frame: pd.DataFrame
) -> None:
    table = client.crosstab([client["rated"].nps(parts=True), client["rated"].mean()], "g")
    kept = frame[frame["rated"] <= 10]
    names = ["promoters", "passives", "detractors", "nps"]
    for at, group in enumerate("ab"):
        part = kept[kept["g"] == group]
        parts = [share(part, "rated", each) for each in ([9, 10], [7, 8], [*range(7)])]
        score = parts[0] - parts[2]
        found = [table[name].to_numpy()[0, at] for name in names]
        np.testing.assert_allclose(found, [*parts, score], rtol=1e-12)
        assert found[0] + found[1] + found[2] == pytest.approx(100)
        assert table["answered_sample"].to_numpy()[:, at].tolist() == [len(part)] * 5
        mean = np.average(part["rated"], weights=part["w"])
        assert table["mean"].to_numpy()[0, at] == pytest.approx(mean, rel=1e-12)
    rows = [row.name for row in table.statistics.rows]
    assert rows[:4] == [f"Rated: {each}" for each in (*(f"{each} %" for each in names[:3]), "NPS")]
    left = COUNT - len(kept)
    assert f"{left} of {COUNT} respondents without one are left out of Rated: promoters %" in (
        table.to_markdown()
    )
    again = client.crosstab([al.nps("Rated", parts=True)], "g")
    assert again["promoters"].equals(table["promoters"])
    tested = table.test().statistics.to_frame()
    assert {"Rated: promoters %", "Rated: mean"} <= set(tested["row"])


def test_parts_are_rows_of_their_own_code(client: Any) -> None:
    parts = client["rated"].nps(parts=True)
    codes = [each.code for each in parts]
    assert codes[:1] + codes[3:] == ["['rated'].nps(parts=True)[0]", "['rated'].nps()"]
    first = eval(f"client{codes[0]}", {"client": client})
    assert first == parts[0]
    with pytest.raises(TypeError, match="parts is True or False"):
        client["rated"].nps(parts="yes")
