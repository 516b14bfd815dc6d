"""Simulations of the course: their figures against other computations, and their page."""

from __future__ import annotations

import doctest
import re
from types import ModuleType
from typing import Any

import numpy as np
import pandas as pd
import pytest

import audiencelab as al
from audiencelab import course
from audiencelab.course import play
from audiencelab.course.play import game as base_of_games
from tests.messages import fails
from tests.widgets.conftest import Wire, wire

__all__ = ["wire"]


def figures(game: Any) -> dict[str, str]:
    return {each.label: each.text for each in game.scene.figures}


def dots(svg: str) -> dict[float, int]:
    """How many dots each pile has, by its position."""
    size, path = re.search(r"class='dot'[^>]* stroke-width='([\d.]+)'.* d='([^']*)'", svg).groups()
    piles = re.findall(r"M(\S+) \S+?v-([\d.]+)", path)
    return {float(x): round(float(up) / float(size) + 0.7) for x, up in piles}


def test_the_results_of_surveys_scatter_as_the_formula_says() -> None:
    game = play.ask_again(37, 500, surveys=2_000)
    found = game.to_frame()["percentage"]
    assert found.mean() == pytest.approx(37, abs=0.15)
    assert found.std() == pytest.approx((37 * 63 / 500) ** 0.5, rel=0.05)
    assert figures(game)["Standard deviation of all"] == f"{np.std(found, ddof=1):.2f} points"
    assert figures(game)["√(p(100 − p)/n)"] == "2.16 points"
    assert sum(dots(game.scene.svg.split("class='latest'")[0]).values()) == 2_000


def test_asking_again_keeps_the_surveys_before() -> None:
    game, other = play.ask_again(37, 500), play.ask_again(37, 500)
    game.press("Ask 100 times")
    for _ in range(3):
        other.press("Ask again")
    assert other.to_frame()["chosen"].tolist() == game.to_frame()["chosen"].tolist()[:4]
    other.press("Start again")
    assert len(other.to_frame()) == 1
    assert play.ask_again(37, 500, seed=2).to_frame().equals(other.to_frame()) is False


def test_piles_have_no_false_peaks() -> None:
    """Of as many possible results each: at the same distances from one to the next."""
    game = play.ask_again(50, 250, surveys=1_000)
    places = sorted(dots(game.scene.svg.split("class='latest'")[0]))
    steps = np.diff(places) * 60 / 600 * 250 / 100
    assert np.allclose(steps / steps.min(), np.round(steps / steps.min()), atol=0.05)


def test_intervals_are_wilsons_and_miss_as_often_as_their_level_says() -> None:
    game = play.intervals(20, 200, level=90)
    for _ in range(9):
        game.press("Draw again")
    found, z = game.to_frame(), 1.6448536269514722
    for row in found.head(5).itertuples():
        p = row.percentage / 100
        ends = np.roots([1 + z**2 / 200, -2 * p - z**2 / 200, p**2])
        assert [row.lower, row.upper] == pytest.approx(sorted(100 * ends))
    assert len(found) == 1_000
    assert 0.87 < found["contains"].mean() < 0.93
    last = found[found["draw"] == 10]
    misses = int((~last["contains"]).sum())
    assert figures(game)["Contain it"] == f"{100 - misses} of 100"
    assert len(re.search(r"class='miss'.* d='([^']*)'", game.scene.svg)[1].split("M")) == misses + 1


def test_weights_are_those_of_respondents_counted_one_by_one() -> None:
    game = play.weights(people=30, interviews=15, answers=(60, 20), n=1_000)
    weight = np.repeat([30 / 15, 70 / 85], [150, 850])
    answer = np.r_[np.arange(150) < 90, np.arange(850) < 170]
    kish = weight.sum() ** 2 / (weight**2).sum()
    assert figures(game) == {
        "Unweighted": f"{100 * answer.mean():.1f}%",
        "Weighted": f"{100 * np.average(answer, weights=weight):.1f}%",
        "Weight of Young": "2.00",
        "Weight of Old": "0.82",
        "Design effect (Kish)": f"{1_000 / kish:.2f}",
        "Effective base": f"{kish:.0f} of 1,000",
    }
    game.set(interviews=30)
    assert figures(game)["Effective base"] == "1,000 of 1,000"


@pytest.fixture(scope="module")
def tables() -> dict[str, Any]:
    client = course.classroom()
    parents = client["Children at home"].any("One", "Two", "Three", "Four or more")
    toys, young = client["Bought lately"].any("Toys"), client["Age"] == "18 to 24"
    return {
        "Everyone": client.crosstab(toys, "Age"),
        "Parents": client.crosstab(toys, "Age", base_audience=al.Audience("Parents", parents)),
        "young": client.crosstab(toys, [young, ~young]),
    }


def test_a_table_gives_the_shares(tables: dict[str, Any]) -> None:
    cells = tables["young"].to_frame()
    game = play.weights(tables["young"])
    assert game.to_frame()["answer"].tolist() == cells["column_percentage"].tolist()
    sizes = cells["column_size"]
    assert game.to_frame()["people"][0] == round(100 * sizes[0] / sizes.sum(), 1)
    first = round(cells["column_percentage"][0], 1)
    assert play.ask_again(tables["young"]).scene.controls[0].value == first
    assert play.intervals(tables["young"]).scene.words.endswith("in the long run.")


def test_an_index_moves_with_its_base(tables: dict[str, Any]) -> None:
    two = {name: tables[name] for name in ("Everyone", "Parents")}
    game = play.base(two)
    assert "The index is 139." in game.scene.words
    game.set(base="Parents")
    assert "The index is 98; on the base “Everyone” it is 139." in game.scene.words
    assert figures(game)["Asked (n)"] == "983"
    found = two["Parents"].to_frame().set_index("column")["index"]
    pd.testing.assert_series_equal(game.to_frame()["index"], found, check_index=False)
    # No parents of that age were asked.
    assert "65 and over: –" in game.scene.alt


def test_the_page_moves_it(wire: Wire) -> None:
    game = play.ask_again(37, 500)
    wire.request(game, "move", {"name": "n", "value": 2_000})
    wire.request(game, "move", {"button": "Ask 100 times"})
    scene = wire.state(game)["scene"]
    assert [each["value"] for each in scene["controls"]] == [37, 2_000]
    assert scene["words"].startswith("Survey 101 asks 2,000 people")
    assert wire.answer(wire.ask(game, "move", {"name": "n", "value": 9})).content["ok"] is False


@pytest.mark.parametrize("module", [play, base_of_games])
def test_examples_show_what_they_say(module: ModuleType) -> None:
    assert doctest.testmod(module).failed == 0


def test_without_a_kernel_the_image_and_the_sentence_stay() -> None:
    game = play.intervals(37, 500)
    shown = game._repr_mimebundle_()[0]
    assert game.scene.words in shown["text/plain"]
    assert "src='data:image/svg+xml," in shown["text/html"]
    assert all(each in shown["text/html"] for each in (game.scene.alt, game.scene.words))
    assert len(shown["text/html"]) < 12_000


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: play.ask_again(0),
        lambda: play.ask_again(37, 5),
        lambda: play.ask_again("Toys"),
        lambda: play.intervals(level=100),
        lambda: play.ask_again().press("Ask"),
        lambda: play.ask_again().set(size=5),
        lambda: play.base({}),
        lambda: play.weights("Toys"),
    ],
    ids=["share", "n", "text", "level", "button", "control", "no base", "no groups"],
)
def test_what_it_cannot_show_is_refused_with_what_can(wrong: Any) -> None:
    with fails(course.CourseError):
        wrong()
