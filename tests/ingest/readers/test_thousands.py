"""Points between thousands in CSV files, and points that are decimal signs."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import audiencelab as al
from audiencelab.ingest import draft_codebook

DRAW = random.Random(5)
AMOUNTS = [DRAW.randrange(300, 2_500_000) for _ in range(200)]


def german(number: float, decimals: int = 0) -> str:
    return f"{number:,.{decimals}f}".translate(str.maketrans(",.", ".,"))


def written(folder: Path, **columns: list[str]) -> Path:
    rows = [";".join(each) for each in zip(*columns.values(), strict=True)]
    path = folder / "a.csv"
    path.write_text("\n".join([";".join(columns), *rows]), "utf-8")
    return path


def answers(number: int = 200) -> list[str]:
    return [["ja", "nein"][each % 2] for each in range(number)]


@pytest.mark.parametrize("decimals", [0, 2])
@pytest.mark.parametrize("has_commas", [True, False])
def test_amounts_are_those_without_points(tmp_path: Path, decimals: int, has_commas: bool) -> None:
    scale = 10**decimals
    amounts = [german(each / scale, decimals) for each in AMOUNTS]
    other = ["1,5" if has_commas else "2"] * len(AMOUNTS)
    path = written(tmp_path, q=answers(), sum=[*amounts[:-1], "k. A."], other=other)
    client = al.open(path, quiet=True)
    [found] = client.stats("sum").averages().to_dict("records")
    assert found["mean"] == pytest.approx(sum(AMOUNTS[:-1]) / scale / (len(AMOUNTS) - 1))
    [about] = [g.about for g in client.import_report.guesses if "between thousands" in g.said]
    assert about == "sum"


def test_a_weight_with_thousands_is_a_weight(tmp_path: Path) -> None:
    weights = [german(each / 100, 2) for each in AMOUNTS]
    path = written(tmp_path, q=answers(), Gewicht=weights)
    frame = al.open(path, quiet=True).stats("q").to_frame()
    shares = dict(zip(frame["datapoint_label"], frame["column_percentage"], strict=True))
    assert shares["ja"] == pytest.approx(100 * sum(AMOUNTS[::2]) / sum(AMOUNTS))


@pytest.mark.parametrize(
    ("cells", "value"),
    [
        # Zeros at the end are left out, or decimals are below 1, or of other lengths.
        (["1.234", "2.5", "7.125"], "2.5"),
        (["1.234", "0.875", "7.125"], "0.875"),
        (["1.234", "2.3456", "7.125"], "2.3456"),
        # Whole numbers without points.
        (["1.234", "12345", "7.125"], "7.125"),
        # A day.
        (["01.02.2024", "1.234", "7.125"], "1.234"),
    ],
)
def test_decimal_points_beside_decimal_commas_stay(
    tmp_path: Path, cells: list[str], value: str
) -> None:
    path = written(tmp_path, q=answers(150), x=cells * 50, other=["1,5", "2", "0,5"] * 50)
    draft = draft_codebook(path)
    assert draft.codebook.source.decimal == ","
    assert not [each for each in draft.guesses if "between thousands" in each.said]
    found = next(each for each in draft.codebook.questions if each.code == "x")
    assert value in {f"{point.value}" for point in found.points} | {*map(str, found.labels)}


@pytest.mark.parametrize("form", ["{:.3f}", "{!r}"])
def test_three_decimals_alone_are_no_thousands(tmp_path: Path, form: str) -> None:
    values = [form.format((1000 + each) / 1000) for each in range(200)]
    draft = draft_codebook(written(tmp_path, q=answers(), x=values))
    assert draft.codebook.source.decimal == "."
