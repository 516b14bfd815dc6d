"""Who counts: the figures of All, the words of base lines and notes, reasons for no figure."""

from __future__ import annotations

import pickle
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import audiencelab as al
from audiencelab.expressions import Audience, Expression, Leaf, Q
from audiencelab.results.cells import FIGURES, PLACE, Floats
from audiencelab.results.crosstab import cells_of, take_rows
from audiencelab.results.offers import named_waves, offered_waves
from audiencelab.results.who import Described, NotAsked, Offer, WhoCounts
from audiencelab.results.who_counts import base_line, notes, reasons
from audiencelab.tables import CrosstabResult
from tests.messages import fails
from tests.results.samples import by_wave, crosstab, stats

NAMES = {"brands": "Brands known", "gender": "Gender", "sector": "Sector"}
DORA = {"brands": {"dora": Offer("Dora", ("w3",))}}
EVERY = frozenset({"w1", "w2", "w3"})


Audiences = Mapping[str, Expression | None]


def whole_of(**figures: Any) -> Floats:
    """All of two rows: their own number of each figure, unless given."""
    made = np.repeat(np.arange(len(FIGURES), dtype=float)[:, None], 2, axis=1)
    for name, values in figures.items():
        made[PLACE[name]] = values
    return made


def made(
    rows: Audiences,
    columns: Audiences,
    who: WhoCounts,
    **more: Any,
) -> CrosstabResult:
    """A table of these audiences, with `more` figures and whole."""
    whole = more.pop("whole", None)
    kinds = more.pop("kinds", {"brands": "multiple", "gender": "single", "sector": "single"})
    table = crosstab(tuple(rows), tuple(columns), **more)
    for side, given in ((table.rows, rows), (table.columns, columns)):
        named = tuple(replace(each, expression=given[each.name]) for each in side)
        setattr(table, "rows" if side is table.rows else "columns", named)
    table.who, table.whole, table.kinds = who, whole, kinds
    table.provenance = {"waves": ["w1", "w2", "w3"], "wave_names": {"w3": "Q3 2026"}}
    return table


VALID = WhoCounts("valid", NAMES)
ROWS: Audiences = {
    "Alba": Q("brands").any("alba"),
    "Dora": Q("brands").any("dora"),
}
COLUMNS: Audiences = {"Men": Q("gender").any("m"), "Women": Q("gender").any("f")}


def test_rows_and_base_are_those_of_all_where_it_is_known() -> None:
    whole = whole_of(base_sample=[100, 40], base_size=[90.0, 30.0], row_sample=[50, 10])
    table = made(ROWS, COLUMNS, VALID, whole=whole)
    assert table.row_values("row_sample").tolist() == [50, 10]
    assert table.row_values("base_sample").tolist() == [100, 40]
    assert (table.base_size, table.base_sample) == (90.0, 100)
    without = made(ROWS, COLUMNS, VALID)
    assert (
        without.row_values("base_sample").tolist() == without.values("base_sample")[:, 0].tolist()
    )
    assert take_rows(table, slice(1, 2)).row_values("row_sample").tolist() == [10]
    assert pickle.loads(pickle.dumps(table)).row_values("row_sample").tolist() == [50, 10]
    with fails(ValueError):
        replace(table, whole=whole[:, :1])


def test_nets_and_tables_side_by_side_keep_all() -> None:
    whole = whole_of(base_sample=100, base_size=100.0, row_sample=[50, 10], row_size=[50.0, 10.0])
    whole[[PLACE["size"], PLACE["sample"]]] = whole[[PLACE["row_size"], PLACE["row_sample"]]]
    rows = {"A": Q("sector").any("a"), "B": Q("sector").any("b")}
    net = made(rows, COLUMNS, VALID, whole=whole).nets({"Any": ["A", "B"]})
    assert net.row_values("row_sample").tolist() == [50, 10, 60]
    assert net.row_values("row_base_percentage")[2] == pytest.approx(60)
    table = made(rows, COLUMNS, VALID, whole=whole)
    women = replace(
        made(rows, COLUMNS, VALID, whole=whole * 0),
        base_audience=Audience("Women", Q("gender").any("f")),
    )
    both = al.side_by_side({"Women": _filled(women), "All": table})
    assert both.row_values("row_sample").tolist() == [50, 10]
    assert both.who.valid
    assert notes(both) == [], "its columns are of bases of their own"


def _filled(table: CrosstabResult) -> CrosstabResult:
    """A table made by `replace`, whose cells are there again."""
    down, across = (each.ravel() for each in np.indices(table.shape))
    cells_of(table).store(down, across, np.ones((len(down), len(FIGURES))))
    return table


def test_an_answer_that_a_wave_did_not_offer_adds_nothing_to_a_net() -> None:
    there = np.array([[1.0, 1.0], [0.0, 1.0]])
    figures = dict.fromkeys(FIGURES, there * 10)
    rows = {"Good": Q("sector").any("a"), "Great": Q("sector").any("b")}
    table = made(rows, {"Q1": Q("waves").any("w1"), "Q3": Q("waves").any("w3")}, VALID, **figures)
    net = table.nets({"Both": ["Good", "Great"]})
    assert net["column"].to_numpy()[2].tolist() == [100, 200]
    score = table.net_score(["Good"], ["Great"])
    assert score["net_score"].to_numpy().tolist() == [10, 0]
    several = made(ROWS, {"Q1": None, "Q3": None}, VALID, **figures)
    with fails(ValueError):
        several.nets({"Both": ["Alba", "Dora"]})


@pytest.mark.parametrize(
    ("rows", "columns", "base", "who", "line"),
    [
        (ROWS, COLUMNS, None, WhoCounts(names=NAMES), "Base: all respondents"),
        (ROWS, COLUMNS, None, VALID, "Base: those who answered, by question"),
        (ROWS, COLUMNS, "Women", VALID, "Base: Women who answered, by question"),
        (COLUMNS, {"All": None}, None, VALID, "Base: those who answered Gender"),
        (COLUMNS, {"All": None}, "Women", VALID, "Base: Women who answered Gender"),
        (
            ROWS,
            {"Q3": Q("waves").any("w3")},
            None,
            VALID,
            "Base: those who were asked Brands known",
        ),
    ],
)
def test_the_base_line(
    rows: Any, columns: Any, base: str | None, who: WhoCounts, line: str
) -> None:
    table = made(rows, columns, who)
    table.base_audience = None if base is None else Audience(base)
    assert base_line(table) == line


def test_the_base_line_of_stats() -> None:
    assert base_line(stats()) == "Base: all respondents"
    assert (
        base_line(stats(who=WhoCounts("valid", {"q1": "Drinks"})))
        == "Base: those who answered Drinks"
    )


def test_notes_name_who_was_not_asked_where_everyone_counts() -> None:
    who = WhoCounts(
        names=NAMES, not_asked={"sector": NotAsked(1118, 4000), "gender": NotAsked(0, 4000)}
    )
    rows = {"A": Q("sector").any("a")}
    assert notes(made(rows, COLUMNS, who)) == ["1,118 of 4,000 were not asked Sector."]
    assert notes(made(COLUMNS, {"All": None}, who)) == []
    assert notes(stats(who=replace(who, not_asked={"q1": NotAsked(7, 9)}))) == [
        "7 of 9 were not asked q1."
    ]


def test_notes_name_whom_an_index_is_of_and_a_recording_without_all() -> None:
    table = made(ROWS, COLUMNS, VALID, whole=whole_of(base_sample=[100, 90]), base_sample=80)
    assert notes(table) == ["Index is of those with an answer to Gender (80 of 100)."]
    assert notes(made(ROWS, COLUMNS, VALID, whole=whole_of(base_sample=80), base_sample=80)) == []
    [without] = notes(made(ROWS, COLUMNS, replace(VALID, misses_whole=True)))
    assert "not recorded" in without


@pytest.mark.parametrize(
    ("waves", "note"),
    [
        (["w1", "w2", "w3"], "Dora: offered in 1 of 3 waves (Q3 2026)."),
        (["w1"], "Dora: not offered in w1."),
        (["w3"], None),
        ("latest 4", "Dora: offered in Q3 2026 only."),
    ],
)
def test_notes_name_what_some_waves_did_not_offer(waves: Any, note: str | None) -> None:
    table = made(ROWS, COLUMNS, WhoCounts(names=NAMES, offered=DORA))
    table.provenance["waves"] = waves
    assert notes(table) == ([] if note is None else [note])
    assert notes(made({"Alba": ROWS["Alba"]}, COLUMNS, WhoCounts(offered=DORA))) == []


def test_reasons_for_no_figure() -> None:
    waves = {"Q1": Q("waves").any("w1"), "Q3": Q("waves").any("w3")}
    there = np.array([[1.0, 1.0], [0.0, 1.0]])
    figures = dict.fromkeys(FIGURES, there)
    table = made(ROWS, waves, WhoCounts("valid", NAMES, DORA), **figures)
    assert reasons(table).tolist() == [["", ""], ["not offered", ""]]
    assert table.to_frame()["note"].tolist() == ["", "", "not offered", ""]
    unknown = made(ROWS, waves, WhoCounts(), **figures)
    assert reasons(unknown).tolist() == [["", ""], ["no wave in common", ""]]
    both = {"Both": Q("brands").any("alba", "dora"), "A": Q("sector").any("a")}
    figures = dict.fromkeys(FIGURES, np.array([[0.0, 0.0], [0.0, 1.0]]))
    found = made(both, COLUMNS, VALID, **figures, whole=whole_of(base_size=[0, 9]))
    assert reasons(found)[:, 0].tolist() == [
        "no respondent was asked all of these items",
        "no respondent answered both",
    ]
    assert "No respondent was asked all of these items: Both." in notes(found)
    alone = made(COLUMNS, {"All": None}, VALID, **dict.fromkeys(FIGURES, 0.0))
    assert reasons(alone)[:, 0].tolist() == ["no respondent answered"] * 2


_EXPRESSIONS: list[tuple[Any, str, Any]] = [
    (Q("brands").any("dora"), "multiple", {"w3"}),
    (~Q("brands").any("dora"), "multiple", {"w3"}),
    (Q("brands").any("dora", "alba"), "multiple", EVERY),
    (Leaf("brands", ("dora", "alba"), min_count=2), "multiple", {"w3"}),
    (Leaf("brands", ("dora", "alba"), min_count=2), "single", EVERY),
    (Q("brands").any("dora") & Q("waves").any("w1"), "multiple", set()),
    (Q("brands").any("dora") | Q("waves").any("w1"), "multiple", {"w1", "w3"}),
    (~Q("waves").any("w1"), "multiple", {"w2", "w3"}),
    (Q("brands").any(), "multiple", EVERY),
    (None, "multiple", EVERY),
]


@pytest.mark.parametrize(
    ("expression", "kind", "waves"),
    _EXPRESSIONS,
)
def test_the_waves_that_offered_an_expression(expression: Any, kind: str, waves: Any) -> None:
    found = offered_waves(expression, WhoCounts(offered=DORA), {"brands": kind}, EVERY)
    assert found == frozenset(waves)


def test_what_is_outside_a_group_of_conditions_stays_within_its_waves() -> None:
    first, *_, last = [wave.code for wave in al.connect().waves()]
    audience = ~(Q("waves").any(last) & Q("q2").any("q2_2"))
    assert named_waves(audience, frozenset({first, last})) == {last}
    both = al.connect().size(audience, waves=[first, last])
    assert both.sample == al.connect().size(audience, waves=last).sample


def test_waves_of_other_items_are_not_compared() -> None:
    columns: Audiences = {name: Q("waves").any(name) for name in ("w1", "w2", "w3")}
    rows: Audiences = {"Alba": ROWS["Alba"], "Any": Q("brands").any("alba", "dora")}
    size = np.array([[30.0, 60.0, 90.0]] * 2)
    of_100 = {"column_size": 100.0, "column_sample": 100.0, "base_size": 300.0}
    table = made(
        rows,
        columns,
        WhoCounts("valid", NAMES, DORA),
        **of_100,
        size=size,
        sample=size,
        row_size=180.0,
        row_sample=180.0,
        base_sample=300.0,
    )
    found = table.test(design=None).to_frame().set_index(["row", "column", "other"])
    assert found["level"].notna().tolist() == [True] * 3 + [True, False, False]
    assert found["note"].tolist()[-2:] == ["items differ between waves"] * 2
    assert found["percentage"].notna().all()
    rest = table.test(vs="rest", design=None).to_frame()
    assert rest["note"].tolist() == [""] * 3 + ["items differ between waves"] * 3
    assert (
        notes(table)[-1] == "Any: items differ between waves (Dora); such waves are not compared."
    )


def test_waves_of_other_answers_in_a_net_are_not_compared() -> None:
    who = WhoCounts(offered={"q1": {"q1_2": Offer("Coffee", ("w3",))}})
    trend = replace(by_wave(["w1", "w2", "w3"]), who=who, kind="single")
    trend = trend.nets({"Any": ["q1_1", "q1_2"]})
    previous = trend.test(vs="previous wave").to_frame()
    assert previous["note"].tolist()[-2:] == ["", "items differ between waves"]
    pairs = trend.test().to_frame().query("datapoint == 'Any'")
    assert pairs["note"].tolist() == ["on different waves", *["items differ between waves"] * 2]
    assert "Any: items differ between waves (Coffee); such waves are not compared." in notes(trend)


@pytest.mark.parametrize(
    ("who", "note"), [(WhoCounts(), "on different waves"), (VALID, "on different bases")]
)
def test_the_note_of_two_columns_with_other_bases(who: WhoCounts, note: str) -> None:
    base = np.array([[100.0, 80.0]] * 2)
    counts = {"column_sample": 50.0, "column_size": 50.0, "size": 20.0}
    table = made(ROWS, COLUMNS, who, base_sample=base, base_size=base, **counts)
    assert table.test(design=None).to_frame()["note"].tolist() == [note] * 2


def test_a_base_is_named_once_where_its_name_is_what_it_is() -> None:
    women = Audience("Gender is Female", Q("gender").any("f"))
    who = replace(VALID, base=Described(women, "Gender is Female"))
    table = made(ROWS, COLUMNS, who)
    table.base_audience = women
    assert base_line(table) == "Base: Gender is Female who answered, by question"
    table.base_audience = Audience("Women", women.expression)
    table.who = replace(who, base=Described(table.base_audience, "Gender is Female"))
    assert base_line(table) == "Base: Women (Gender is Female) who answered, by question"
