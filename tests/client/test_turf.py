"""TURF against plain counting of every set over the same respondents."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import pandas as pd
import pytest

import audiencelab as al
from audiencelab.client import Client
from tests.engine import oracle
from tests.engine.studies import CLOSED_WAVE, WAVE_CODES, Study, random_study
from tests.messages import fails

OPEN_WAVES = [code for code in WAVE_CODES if code != CLOSED_WAVE]
MEN, YOUNG = al.Q("q2").any("q2_1"), al.Q("q4").any("q4_1", "q4_2")
EXTRA = al.Q("extra.q30").any("q30_1")  # asked in q2_2023 and q4_2022 alone


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    return random_study(tmp_path_factory.mktemp("turf") / "study", 7)


@pytest.fixture(scope="module")
def client(study: Study) -> Iterator[Client]:
    with al.connect(survey=study.survey) as connected:
        yield connected


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    """Six respondents of unequal weight; the last was not asked about figs."""
    yes, no = "yes", "no"
    return pd.DataFrame(
        {
            "apple": [yes, yes, yes, no, no, no],
            "banana": [yes, yes, no, no, no, yes],
            "cherry": [no, no, yes, yes, no, no],
            "fig": [no, no, no, yes, no, None],
            "weight": [2.0, 1.0, 1.0, 0.5, 4.0, 1.0],
        }
    )


@pytest.fixture(scope="module")
def fruit(frame: pd.DataFrame) -> Iterator[tuple[Client, list[Any]]]:
    with al.open(frame, weight="weight") as client:
        yield client, [(client[name] == "yes").named(name) for name in frame.columns[:4]]


def expression_of(item: al.Audience) -> Any:
    return item.expression


@pytest.mark.parametrize(("base", "waves"), [(None, None), (MEN, ["q3_2023"])])
def test_every_set_is_who_is_in_any_of_its_items(
    study: Study, client: Client, base: Any, waves: list[str] | None
) -> None:
    items = [*client.catalogue.audiences("q20")[:3], *client.catalogue.audiences("q4")[:2]]
    result = client.turf(items, 3, top=1000, base_audience=base, waves=waves)
    counted = result.provenance["waves"]
    inside = pd.concat([oracle.members(study, each.expression) for each in items], axis=1)
    everyone = oracle.members(study, base)
    size, sample = oracle.figure(study, everyone, counted)
    assert (result.base_size, result.base_sample) == (pytest.approx(size, rel=1e-9), sample)
    for count in (1, 2, 3):
        wanted: dict[tuple[int, ...], tuple[float, float, float]] = {}
        for positions in combinations(range(len(items)), count):
            reached = everyone & inside.iloc[:, list(positions)].any(axis=1)
            each = [
                oracle.figure(study, everyone & inside.iloc[:, at], counted)[0] for at in positions
            ]
            wanted[positions] = (*oracle.figure(study, reached, counted), sum(each))
        found = {each.positions: each for each in result.best[count]}
        assert set(found) == set(wanted)
        for positions, (size, sample, belonging) in wanted.items():
            assert found[positions].size == pytest.approx(size, rel=1e-9)
            assert found[positions].sample == sample
            assert found[positions].belonging == pytest.approx(belonging, rel=1e-9)
        ranked = sorted(found.values(), key=lambda each: (-each.size, each.positions))
        assert list(result.best[count]) == ranked


def test_reach_is_what_size_and_overlap_report_of_the_same_people(client: Client) -> None:
    items = client.catalogue.audiences("q20")[:6]
    result = client.turf(items, 6, top=20)
    waves = result.provenance["waves"]
    for count in (1, 2):
        for each in result.best[count]:
            union = al.any_of(*(expression_of(items[position]) for position in each.positions))
            size = client.size(union, waves=waves)
            assert (size.size, size.sample) == (each.size, each.sample)
            assert result.percentage(each.size) == pytest.approx(size.percentage, rel=1e-14)
    overlap, frame = client.overlap(items).turf(20), result.to_frame()
    assert frame["items"].tolist() == overlap["audiences"].tolist()
    for name in ("size", "sample", "frequency"):
        assert frame[name].tolist() == pytest.approx(overlap[name].tolist(), rel=1e-14), name
    steps = client.overlap(items).reach()
    assert result.greedy()["item"].tolist() == steps["audience"].tolist()
    assert result.greedy()["added_size"].tolist() == pytest.approx(steps["added_size"].tolist())


def test_it_counts_the_waves_that_asked_every_item(client: Client) -> None:
    result = client.turf([YOUNG, EXTRA], waves=OPEN_WAVES)
    assert result.provenance["waves"] == ["q2_2023"]
    assert result.notes[0] == "Counted: q2_2023, where all of it was asked."


def test_who_was_not_asked_an_item_does_not_count_unless_it_is_left_out(
    fruit: tuple[Client, list[Any]],
) -> None:
    client, items = fruit
    result = client.turf(items, 2)
    assert (result.base_size, result.base_sample) == (8.5, 5)
    assert result.notes[-1] == (
        "5 of 6 respondents count, those who were asked all of the 4 items; fewest were asked "
        "'fig' (5)."
    )
    assert "those who were asked all of the items" in result.to_html()
    best = result.to_frame().query("rank == 1")
    assert best["items"].tolist() == [("apple",), ("apple", "cherry")]
    assert best["size"].tolist() == [4.0, 4.5]
    assert best["added_size"].tolist() == [4.0, 0.5]
    assert best["frequency"].tolist() == pytest.approx([1.0, 5.5 / 4.5])
    without = client.turf(items, 2, exclude="fig")
    assert (without.base_size, without.base_sample, without.notes) == (9.5, 6, ())
    everyone = client.turf(items, 2, base_of="everyone")
    assert (everyone.base_size, everyone.notes) == (9.5, ())


def test_rules_decide_which_sets_are_tried(fruit: tuple[Client, list[Any]]) -> None:
    client, items = fruit
    apple, _, cherry, fig = items
    result = client.turf(items, must=["fig"], exclude=[("apple", cherry)], weight=None)
    assert [each.positions for each in result.best[1]] == [(3,)]
    assert all(3 in each.positions for sets in result.best.values() for each in sets)
    assert max(result.best) == 3
    assert [each.positions for each in result.best[3]] == [(0, 1, 3), (1, 2, 3)]
    assert result.greedy()["item"].tolist() == ["fig", "apple", "banana"]
    pairs = client.turf(items, [2], must=[fig, apple], top=3).to_frame()
    assert pairs["items"].tolist() == [("apple", "fig")]
    assert pairs["added_size"].isna().all()


def test_sets_of_equal_reach_keep_the_order_of_the_items(client: Client) -> None:
    same = [MEN.named(name) for name in "cabd"]
    found = client.turf(same, [2], top=4).best[2]
    assert [each.positions for each in found] == [(0, 1), (0, 2), (0, 3), (1, 2)]


def test_an_item_that_nobody_shares_is_pointed_out() -> None:
    with al.connect() as client:
        result = client.turf("Pets", 2, waves="latest 1")
        assert result.notes == (
            "1 item shared no respondents with any other: 'No pets'. If that means that nothing "
            "was chosen, leave it out: exclude=['No pets'].",
        )
        assert client.turf("Pets", 2, exclude=["No pets"], waves="latest 1").notes == ()


def test_what_is_not_valid_is_refused_with_what_to_write(
    client: Client, fruit: tuple[Client, list[Any]]
) -> None:
    own, items = fruit
    refused: list[dict[str, Any]] = [
        {"items": items[:1]},
        {"items": [*items, al.Audience("All")]},
        {"size": 5},
        {"size": 0},
        {"size": [2, "3"]},
        {"size": True},
        {"size": 1, "must": ["fig", "apple"]},
        {"top": 0},
        {"must": ["figg", "aple"], "exclude": ["pear"]},
        {"must": ["fig"], "exclude": ["fig"]},
        {"must": ["fig", "apple"], "exclude": [("fig", "apple")]},
        {"exclude": ("fig", "apple")},
        {"exclude": [("fig",)]},
        {"size": 4, "exclude": [("fig", "apple")]},
        {"base_audience": items[0].expression & ~items[0].expression},
    ]
    turf: Any = own.turf
    for options in refused:
        with fails(ValueError):
            turf(**{"items": items, **options})
    with fails(ValueError):
        client.turf([MEN, EXTRA], waves=["q3_2023"])


def test_a_search_that_takes_too_long_is_refused(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("audiencelab.analysis.best_sets.MOST_WORK", 500_000)
    items = client.catalogue.audiences("q20")[:6]
    with fails(ValueError):
        client.turf(items, 5)


def test_a_grid_needs_the_points_that_count_and_a_remote_service_another_method() -> None:
    with al.connect() as client:
        with fails(ValueError):
            client.turf("Trust in sources")
        boxes = client["Trust in sources"].top_box(2)
        assert len(client.turf(boxes, 2, waves="latest 1").items) == 10
        turf: Any = client.turf
        assert turf("Pets", sizes=[1], must_have="Dog").best[1][0].positions == (0,)
    with al.connect("http://127.0.0.1:9", token="t") as remote, fails(LookupError):
        remote.turf("Pets")


def test_charts_show_the_figures_of_the_frame(fruit: tuple[Client, list[Any]]) -> None:
    client, items = fruit
    hostile = [*items[:3], al.Audience("<b>=1+1</b>", items[3].expression)]
    result = client.turf(hostile, 3)
    frame = result.to_frame()
    drawn = list(result.chart.turf(2).to_dict()["datasets"].values())
    bars = next(each for each in drawn if each and "end" in each[0])
    wanted = frame[frame["count"] == 2]
    assert [each["value"] for each in bars] == wanted["percentage"].tolist()
    assert [each["line"] for each in bars] == wanted.index.tolist()
    dots = next(each for each in drawn if each and "inside" in each[0])
    assert sum(each["inside"] for each in dots) == 2 * len(wanted)
    curve = list(result.chart.reach("size").to_dict()["datasets"].values())
    assert [each["value"] for each in curve[0]] == result.greedy()["size"].tolist()
    best = frame[frame["rank"] == 1]
    assert [each["value"] for each in curve[1]] == best["size"].tolist()
    assert "<b>" not in result.chart.turf().svg()
    assert "<b>" not in result.to_html()
    assert "'=1" not in (result.to_csv() or "")
    with fails(ValueError):
        result.chart.turf(9)
