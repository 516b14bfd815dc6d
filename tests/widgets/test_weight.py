"""The weight of a survey that is chosen in a widget."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nbformat
import numpy as np
import pandas as pd
import pytest

import audiencelab as al
from audiencelab.survey import SurveyError
from tests.messages import fails
from tests.widgets.conftest import Wire

PEOPLE = 300


@pytest.fixture
def client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> al.Client:
    """A survey with the weights wa, wb, and wc, which only the second wave has."""
    monkeypatch.setenv("AUDIENCELAB_CACHE", str(tmp_path / "cache"))
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(
        {
            "sex": rng.choice(["f", "m"], PEOPLE),
            "drink": rng.choice(["tea", "coffee"], PEOPLE),
            "wave": rng.choice([1, 2], PEOPLE),
            **{name: rng.uniform(0.3, 3, PEOPLE).round(4) for name in ("wa", "wb", "wc")},
        }
    )
    frame.loc[frame["wave"] == 1, "wc"] = np.nan
    return al.open(frame, weight=["wa", "wb", "wc"], quiet=True)


def same(widget: Any, expected: Any) -> None:
    pd.testing.assert_frame_equal(widget.to_frame(), expected.to_frame())


def choose(wire: Wire, grid: al.Crosstab, weight: str | None) -> None:
    wire.request(grid, "edit", {"do": "weight", "weight": weight})


@pytest.mark.parametrize("weight", ["wb", None])
def test_a_weight_is_chosen_in_python_and_on_the_page(
    client: al.Client, wire: Wire, weight: str | None
) -> None:
    expected = client.crosstab("drink", "sex", weight=weight)
    given = al.Crosstab(client, "drink", "sex", weight=weight)
    same(given, expected)
    grid = al.Crosstab(client, "drink", "sex")
    usual = grid.to_code()
    same(grid, client.crosstab("drink", "sex"))
    choose(wire, grid, weight)
    same(grid, expected)
    assert grid.to_code() == given.to_code()
    assert f"weight={weight!r}" in given.to_code()
    names = {"client": client}
    exec(given.to_code(), names)
    same(names["table"], expected)
    grid.undo()
    assert grid.to_code() == usual
    assert "weight" not in usual
    grid.redo()
    assert grid.weight == weight


def test_the_weight_of_the_client_is_that_of_the_widget(client: al.Client, wire: Wire) -> None:
    grid = al.Crosstab(client.with_options(weight="wb"), "drink", "sex")
    assert _shown(grid) == {"chosen": "wb", "all": ["wb", "wa", "wc", None]}
    choose(wire, grid, "wa")
    assert "weight='wa'" in grid.to_code()
    same(grid, client.crosstab("drink", "sex"))
    choose(wire, grid, "wb")
    # Its code counts the same with a client without that option.
    assert "weight='wb'" in grid.to_code()
    same(grid, client.crosstab("drink", "sex", weight="wb"))


def _shown(grid: al.Crosstab) -> Any:
    return grid.get_state("_question")["_question"]["weight"]


def test_there_is_a_choice_only_among_several(small_client: al.Client, client: al.Client) -> None:
    assert _shown(al.Crosstab(small_client, "Gender")) is None
    assert _shown(al.Crosstab(client, "sex")) == {"chosen": "wa", "all": ["wa", "wb", "wc", None]}


def test_an_unknown_weight_changes_nothing(client: al.Client, wire: Wire) -> None:
    with fails(SurveyError):
        al.Crosstab(client, "drink", weight="wx")
    grid = al.Crosstab(client, "drink", "sex")
    answer = wire.answer(wire.ask(grid, "edit", {"do": "weight", "weight": "wx"}))
    assert "has no weight 'wx'" in answer.content["error"]["message"]
    with pytest.raises(SurveyError):
        grid.ask(rows="sex", weight="wx")
    same(grid, client.crosstab("drink", "sex"))


def test_waves_without_the_weight_are_not_offered(client: al.Client, wire: Wire) -> None:
    grid = al.Crosstab(client, "drink", "sex", weight="wc")
    waves = wire.request(grid, "choices").content["data"]["waves"]["all"]
    assert [each["code"] for each in waves] == ["wave_2"]
    choose(wire, grid, "wa")
    waves = wire.request(grid, "choices").content["data"]["waves"]["all"]
    assert [each["code"] for each in waves] == ["wave_1", "wave_2"]


def test_saved_forms_state_the_weight(client: al.Client) -> None:
    grid = al.Crosstab(client, "drink", "sex", weight="wb").wait(60)
    [saved, *_] = grid._repr_mimebundle_()
    assert "Weight: wb" in saved["text/html"]
    [table] = [form for kind, form in saved.items() if "crosstab" in kind]
    assert table["scope"].endswith("weight: wb")


@pytest.mark.parametrize("weight", ["wb", None])
def test_a_workbench_keeps_its_weight(
    client: al.Client, wire: Wire, weight: str | None, tmp_path: Path
) -> None:
    bench = al.Workbench(client, "drink", "sex")
    document = bench.to_document()
    assert document["question"]["scope"] == {"base_of": "valid"}
    choose(wire, bench.grid, weight)
    expected = client.crosstab("drink", "sex", weight=weight)
    same(bench, expected)
    # The editor counts by the same weight.
    tea = client["drink"] == "tea"
    bench.editor.value = tea
    assert bench.editor.measure().size == client.size(tea, weight=weight).size
    pair = bench.editor.compare(client["sex"] == "f")
    same(pair, client.overlap([tea, client["sex"] == "f"], weight=weight))
    same(al.Workbench.load(client, bench.to_document()), expected)
    names: dict[str, Any] = {"client": client, "al": al}
    exec(bench.to_code(), names)
    same(names["workbench"], expected)
    cells = nbformat.read(bench.to_notebook(tmp_path / "study.ipynb"), as_version=4).cells
    assert sum(f"weight={weight!r}" in cell.source for cell in cells) == 2
    assert ("unweighted" if weight is None else "weight: wb") in wire.state(bench)["_shown"][0]
