"""Answers that a later wave has first are where they belong: files one by one as all together."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyreadstat
import pytest

import audiencelab as al
from audiencelab.schema.scales import scale_of, scores_of
from tests.messages import fails

WORDS = {
    1: "sehr unzufrieden",
    2: "eher unzufrieden",
    3: "teils/teils",
    4: "eher zufrieden",
    5: "sehr zufrieden",
}


CASES = {
    "numbers": ([2, 3, 4, 5], [1, 2, 3, 4, 5]),
    "late_0": ([*range(1, 11)], [*range(11)]),
    "between": ([1, 2, 4, 5], [1, 2, 3, 4, 5]),
    "words": ([*WORDS.values()][1:], [*WORDS.values()]),
    "off_words": (["Never", "Often", "Don't know"], ["Rarely", "Often"]),
    "bands": (["25-34", "35-44", "45+"], ["18-24", "25-34", "45+"]),
    "coded_texts": (["2 - gut", "3 - mittel", "4 - mäßig"], ["1 - sehr gut", "2 - gut"]),
    "names": (["Alba", "Corso"], ["Brio", "Alba"]),
    "off_scale": ([1, 2, 3], [1, 2, 3, "weiß nicht"]),
}


def frame(seed: int, wave: int, count: int = 80) -> pd.DataFrame:
    """Respondents who give each answer of a wave at least once."""
    rng = np.random.default_rng(seed)
    made: dict[str, Any] = {"sex": rng.choice(["Frau", "Mann"], count)}
    for name, answers_of in CASES.items():
        answers = answers_of[wave]
        more = rng.choice(np.array(answers, object), count - len(answers))
        made[name] = [*answers, *more]
    return pd.DataFrame(made)


def written(folder: Path, number: int, table: pd.DataFrame) -> Path:
    table.to_csv(folder / f"w{number}.csv", index=False)
    return folder / f"w{number}.csv"


@pytest.fixture(scope="module")
def waves() -> list[pd.DataFrame]:
    return [frame(1, 0), frame(2, 0), frame(3, 1)]


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory, waves: list[pd.DataFrame]) -> al.Client:
    folder = tmp_path_factory.mktemp("tracker")
    files = [written(folder, n, each) for n, each in enumerate(waves, 1)]
    client = al.open(files[:2], to=folder / "survey", quiet=True)
    client.add_wave(files[2])
    return client


def test_the_order_is_that_of_all_files_together(
    client: al.Client, waves: list[pd.DataFrame], tmp_path: Path
) -> None:
    files = [written(tmp_path, n, each) for n, each in enumerate(waves, 1)]
    together = al.open(files, to=tmp_path / "together", quiet=True)
    for name in CASES:
        one, all_ = client[name], together[name]
        points = [[(e.name, e.midpoint) for e in each.datapoints] for each in (one, all_)]
        assert points[0] == points[1], name
        scales = [scale_of(each.record) for each in (one, all_)]
        assert (scales[0].top, scales[0].ends) == (scales[1].top, scales[1].ends), name


@pytest.mark.parametrize("name", ["numbers", "words"])
def test_boxes_are_of_the_ends_of_the_scale(
    client: al.Client, waves: list[pd.DataFrame], name: str
) -> None:
    found = client.crosstab(name, "waves").boxes(top=2, bottom=2)["column"]
    rows = found[found.index.get_level_values("row").str.contains("Top|Bottom")]
    known = {text: number for number, text in WORDS.items()}
    assert len(rows) == 2
    for place, each in enumerate(waves):
        numbers = each[name].replace(known).astype(int)
        shares = [100 * (numbers >= 4).mean(), 100 * (numbers <= 2).mean()]
        assert rows.iloc[:, place].tolist() == pytest.approx(shares)


def test_a_word_whose_place_is_not_known_takes_the_top_away(tmp_path: Path) -> None:
    known = [*WORDS.values()]
    waves = [
        pd.DataFrame({"q": known * 8, "r": [1, 2, 3, 4, 5] * 8, "n": [1, 2, 3, 5, 5] * 8}),
        pd.DataFrame(
            {"q": [*known, "grandios"] * 8, "r": [*range(1, 7)] * 8, "n": [*range(6)] * 8}
        ),
    ]
    client = al.open(written(tmp_path, 1, waves[0]), to=tmp_path / "survey", quiet=True)
    low = (client["q"] == known[0]).named("low")
    client.edit("r", order=["3", "1", "2", "4", "5"], top="last")
    client.edit("n", scores={"1": 0, "2": 25, "3": 50, "5": 100})
    client.add_wave(written(tmp_path, 2, waves[1]), wave="second")
    assert [each.name for each in client["q"].datapoints] == [*known, "grandios"]
    assert client.crosstab([low], "waves").to_wide("sample").iloc[0].tolist()[-2:] == [8, 8]
    for code in ("q", "r"):
        with fails(ValueError):
            client.crosstab(code).boxes(top=2)
    with fails(ValueError):
        client["q"].mean()
    lines = [e for e in client.import_report.guesses if e.subject in ("order", "scale")]
    said = {e.about: (e.severity, e.said, e.code) for e in lines if ": new" in e.said}
    assert said["n"] == (
        1,
        "'0', '4': new, without a score, and left out of means",
        'client.edit("n", scores={"0": …, "4": …})',
    )
    not_known = "new, at a position in the scale that is not known: no top, no mean"
    assert said["r"][:2] == (1, f"'6': {not_known}")
    assert said["q"][:2] == (1, f"'grandios': {not_known}")
    # The code of the line makes the scale whole again.
    eval(said["q"][2], {"client": client})
    assert "Top 2 (grandios, sehr zufrieden)" in f"{client.crosstab('q').boxes(top=2).to_wide()}"


def labelled(folder: Path, number: int, values: list[int]) -> Path:
    table: Any = pd.DataFrame({"q": values})
    labels = {float(each): WORDS[each] for each in sorted({*values})}
    path = folder / f"w{number}.sav"
    pyreadstat.write_sav(table, path, variable_value_labels={"q": labels})
    return path


def test_labelled_codes_are_in_the_order_of_the_codes(tmp_path: Path) -> None:
    files = [labelled(tmp_path, 1, [2, 3, 4, 5] * 9), labelled(tmp_path, 2, [1, 2, 3, 4, 5] * 9)]
    together = al.open(files, to=tmp_path / "together", quiet=True)
    client = al.open(files[0], to=tmp_path / "survey", quiet=True)
    client.add_wave(files[1], wave="second")
    for each in (client, together):
        assert [point.name for point in each["q"].datapoints] == [*WORDS.values()]
        assert scores_of(each["q"].record) == {f"q_{n}": n for n in WORDS}
        assert scale_of(each["q"].record).top == "last"
