"""The items of an axis, and its edits as pure functions."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import audiencelab as al
from audiencelab.client import Catalogue, Client
from audiencelab.client.audiences import flatten_banner
from audiencelab.results.banner import runs
from audiencelab.schema import Datapoint, Question
from audiencelab.schema.catalogue import Value
from audiencelab.widgets.crosstab.axis import AxisAudiences
from audiencelab.widgets.crosstab.axis_edits import (
    QuestionError,
    add,
    add_boxes,
    add_net,
    merge,
    move,
    nest,
    remove,
    rename,
)
from audiencelab.widgets.crosstab.coercion import as_base, as_items
from audiencelab.widgets.crosstab.query_summary import MAX_STEPS, History
from tests.messages import fails
from tests.widgets.crosstab.grids import AGES, EVERYONE, MEN, WOMEN, names

A, B, C = (al.Audience(name, al.Q("q2").any(f"q2_{name}")) for name in "abc")

heads = st.lists(st.sampled_from(["Gender", "Age", 'a "head"']), max_size=3).map(tuple)


@st.composite
def any_lines(draw: st.DrawFn) -> AxisAudiences:
    audiences = draw(st.lists(st.sampled_from([A, B, C]), max_size=8))
    return AxisAudiences(audiences, [draw(heads) for _ in audiences])


@given(any_lines())
def test_a_flattened_side_has_the_same_items(lines: AxisAudiences) -> None:
    flat = flatten_banner("rows", lines.to_side())
    assert AxisAudiences(flat.audiences, flat.groups) == lines


@given(any_lines())
def test_items_are_copied_and_pickled_completely(lines: AxisAudiences) -> None:
    marked = AxisAudiences(lines, lines.groups, [True] * len(lines))
    assert copy.deepcopy(marked) == marked
    assert pickle.loads(pickle.dumps(marked)).nets == marked.nets


def test_equality_includes_groups_and_nets() -> None:
    plain = AxisAudiences([A, B])
    assert plain == (A, B)
    assert plain == (A, B)
    assert plain != [A, B]
    assert plain != AxisAudiences([A, B], [("x",), ("x",)])
    assert plain != AxisAudiences([A, B], nets=[False, True])
    assert AxisAudiences([A, B], [("x",), ("x",)]) != (A, B)
    assert hash(plain) == hash((A, B))


def test_groups_and_nets_must_match_the_items() -> None:
    with fails(ValueError):
        AxisAudiences([A, B], [("x",)])
    with fails(ValueError):
        AxisAudiences([A], nets=[])


def test_taken_items_keep_their_groups() -> None:
    lines = AxisAudiences([A, B, C], [(), ("x",), ("x", "y")], [False, False, True])
    assert lines.take([2, 0]) == AxisAudiences([C, A], [("x", "y"), ()], [True, False])


def test_names_are_distinguished_by_their_groups() -> None:
    assert AxisAudiences([A, A, B], [("x",), ("y",), ("y",)]).full_names == ["x › a", "y › a", "b"]


def test_a_repeated_group_keeps_both_positions() -> None:
    lines = AxisAudiences([A, B, C], [("x",), ("y",), ("x",)])
    side: Any = lines.to_side()
    assert side == [{"x": [A], "y": [B]}, {"x": [C]}]


GENDER = AxisAudiences([WOMEN, MEN], [("Gender",)] * 2)
AGE = AxisAudiences(AGES, [("Age",)] * 6)
BANNER = AxisAudiences([EVERYONE, *GENDER, *AGE], [(), *GENDER.groups, *AGE.groups])


def lines_of(count: int) -> AxisAudiences:
    return AxisAudiences(al.Audience(f"Line {n}", al.Q("q4").any(f"q4_{n}")) for n in range(count))


places = st.lists(st.integers(0, 8), min_size=1, max_size=9, unique=True)


# -- adding ----------------------------------------------------------------------------------------


def test_items_are_added_to_existing_groups() -> None:
    more = AxisAudiences([al.Audience("Other"), al.Audience("Region")], [("Gender",), ()])
    assert names(add(BANNER, more)) == [
        *["All", "Women", "Men", "Other"],
        *names(AGE),
        "Region",
    ]


def test_added_items_come_before_the_nets_that_end_a_group() -> None:
    closed = add_net(AGE, [4, 5], "Young")
    more = AxisAudiences([al.Audience("Unknown age")], [("Age",)])
    assert names(add(closed, more))[-2:] == ["Unknown age", "Young"]


def test_existing_items_are_not_added_again() -> None:
    assert add(BANNER, BANNER) == BANNER
    twice = AxisAudiences([WOMEN, WOMEN])
    assert names(add(AxisAudiences(), twice)) == ["Women"]
    # Under other heads it is another line.
    assert len(add(BANNER, twice)) == len(BANNER) + 1


# -- nets and boxes --------------------------------------------------------------------------------


def test_a_net_contains_the_respondents_of_any_item() -> None:
    lines = add_net(BANNER, [4, 3], "Under 25")
    assert lines[5] == al.Audience("Under 25", al.Q("q4").any("q4_1", "q4_2"))
    assert lines.groups[5] == ("Age",)
    assert [at for at, net in enumerate(lines.nets) if net] == [5]


def test_a_net_is_beside_its_items() -> None:
    lines = add_net(BANNER, [1, 2])
    assert names(lines)[:5] == ["All", "Women", "Men", "Women or Men", "Age 1"]
    across = add_net(BANNER, [1, 3], "Women or the youngest")
    assert across.groups[-1] == ()
    assert across[-1].expression == al.any_of(al.Q("q2").any("q2_2"), al.Q("q4").any("q4_1"))
    without = add_net(lines_of(4), [0, 1], "First two")
    assert names(without) == ["Line 0", "Line 1", "First two", "Line 2", "Line 3"]


def test_merged_items_are_one_at_the_first_position() -> None:
    lines = merge(BANNER, [4, 3], "Under 25")
    assert lines[3] == al.Audience("Under 25", al.Q("q4").any("q4_1", "q4_2"))
    assert lines.groups[3] == ("Age",)
    assert names(lines) == [*names(BANNER)[:3], "Under 25", *names(BANNER)[5:]]
    assert not lines.nets[3]
    across = merge(BANNER, [1, 3])
    assert (across[1].name, across.groups[1]) == ("Women or Age 1", ())


@pytest.mark.parametrize("code", ["q4", "q2"])
def test_ungrouped_answers_to_one_question_have_that_question(code: str) -> None:
    axis = AxisAudiences(AGES if code == "q4" else [WOMEN, MEN])
    assert axis.question == code
    assert AxisAudiences([*AGES, WOMEN]).question == AxisAudiences([WOMEN]).question == ""
    assert AxisAudiences([*axis, EVERYONE]).question == ""
    assert AxisAudiences(axis, [("Group",)] * len(axis)).question == ""


@pytest.mark.parametrize(
    ("chosen", "name", "said"),
    [
        ([1], "", "at least two"),
        ([0, 1], "", "'All' is everyone"),
        ([3, 4], "Age 6", "'Age 6' already"),
        ([1, 99], "", "no position 99 among 9 items"),
    ],
)
def test_an_invalid_net_is_rejected(chosen: list[int], name: str, said: str) -> None:
    for join in (add_net, merge):
        with pytest.raises(QuestionError, match=said):
            join(BANNER, chosen, name)


def rising(sign: int) -> Catalogue:
    """The question of the ages, with amounts that rise or fall."""
    ages = [Datapoint(f"q4_{n}", f"Age {n}", midpoint=Value(sign * n)) for n in range(1, 7)]
    return Catalogue([Question("q4", "core", "Age", datapoints=ages)])


def test_boxes_are_added_to_each_scale() -> None:
    scales = AxisAudiences([*AGES, *AGES], [("First",)] * 6 + [("Second",)] * 6)
    lines = add_boxes(scales, 2, 1, labels=rising(1))
    assert len(lines) == 16
    assert names(lines)[6:8] == ["Top 2 (Age 6, Age 5)", "Bottom 1 (Age 1)"]
    assert lines.groups[6:8] == (("First",),) * 2
    assert lines.nets[6:8] == (True, True)
    top, bottom = lines[6], lines[7]
    assert top.expression == al.Q("q4").any("q4_6", "q4_5")
    assert bottom.expression == al.Q("q4").any("q4_1")
    falling = add_boxes(scales, 2, 1, labels=rising(-1))
    assert falling[6].expression == al.Q("q4").any("q4_1", "q4_2")


def test_boxes_of_one_scale_do_not_affect_the_others() -> None:
    lines = add_boxes(BANNER, 2, 2, positions=[5], labels=rising(1))
    assert [name for name in names(lines) if "2" in name] == [
        "Age 2",
        "Top 2 (Age 6, Age 5)",
        "Bottom 2 (Age 1, Age 2)",
    ]
    with fails(QuestionError):
        add_boxes(BANNER, 2, 2, positions=[1])
    with fails(QuestionError):
        add_boxes(BANNER, 2, 2, positions=[5])


def test_nets_are_not_answers_of_a_scale() -> None:
    once = add_boxes(AGE, 2, 0, labels=rising(1))
    twice = add_boxes(once, 0, 2, labels=rising(1))
    assert twice[-1].expression == al.Q("q4").any("q4_1", "q4_2")


# -- nesting ---------------------------------------------------------------------------------------


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 6), st.integers(1, 6))
def test_nesting_n_items_under_k_audiences_makes_k_groups_of_n_items(k: int, n: int) -> None:
    outer = [al.Audience(f"Outer {i}", al.Q("q2").any(f"q2_{i}")) for i in range(k)]
    lines = nest(lines_of(n), outer)
    assert len(lines) == k * n
    assert [head for head, _, _ in runs(lines.groups, 0)] == [each.name for each in outer]
    flat = [each for below in al.nest(outer, lines_of(n)).values() for each in below]
    assert list(lines) == flat


def test_nesting_keeps_groups_nets_and_other_items() -> None:
    lines = nest(add_net(BANNER, [3, 4], "Young"), [WOMEN, MEN], positions=range(3, 10))
    assert names(lines)[:3] == ["All", "Women", "Men"]
    assert lines.groups[3] == ("Women", "Age")
    assert sum(lines.nets) == 2
    assert len(lines) == 3 + 2 * 7


def test_invalid_nesting_is_rejected() -> None:
    with fails(QuestionError):
        nest(AxisAudiences(), [WOMEN])
    with fails(QuestionError):
        nest(AGE, [WOMEN, WOMEN])
    deep = AxisAudiences([WOMEN], [tuple("abcdefgh")])
    with fails(QuestionError):
        nest(deep, [MEN])


# -- removing, moving, renaming --------------------------------------------------------------------


@given(places)
def test_removing_added_items_restores_the_axis(chosen: list[int]) -> None:
    rest = remove(BANNER, chosen)
    assert names(rest) == [name for at, name in enumerate(names(BANNER)) if at not in chosen]
    back = add(BANNER, AxisAudiences([al.Audience("New")]))
    assert remove(back, [len(BANNER)]) == BANNER


@given(places, st.integers(0, 9))
def test_moving_keeps_every_item_in_its_groups(chosen: list[int], to: int) -> None:
    lines = move(BANNER, chosen, to)
    before = list(zip(BANNER.groups, names(BANNER), strict=True))
    after = list(zip(lines.groups, names(lines), strict=True))
    assert sorted(after) == sorted(before)
    together = [before[place] for place in sorted(chosen)]
    start = after.index(together[0])
    assert after[start : start + len(together)] == together


def test_moving_stops_at_the_ends() -> None:
    with fails(QuestionError):
        move(BANNER, [0], 10)


def test_an_item_is_renamed_in_position() -> None:
    lines = rename(BANNER, 1, " Ladies ")
    assert (lines[1].name, lines[1].expression) == ("Ladies", WOMEN.expression)
    assert lines.groups == BANNER.groups
    with fails(QuestionError):
        rename(BANNER, 1, " ")


# -- what people give --------------------------------------------------------------------------


def test_answers_of_a_question_are_grouped_under_its_name(small_client: Client) -> None:
    catalogue = small_client.catalogue
    picked = (al.Q("q2").any("q2_1", "q2_2"), al.Q("q4").any("q4_2"))
    lines = as_items(picked, catalogue)
    assert lines.groups == (("Gender",), ("Gender",), ("Age",))
    assert [line.expression for line in lines] == [
        al.Q("q2").any("q2_1"),
        al.Q("q2").any("q2_2"),
        al.Q("q4").any("q4_2"),
    ]
    whole = as_items(catalogue["Gender"], catalogue)
    assert whole == as_items("Gender", catalogue) == as_items(al.Q("q2").any(), catalogue)
    assert list(whole) == list(catalogue["Gender"].audiences())


def test_each_answer_names_its_suffix(small_client: Client) -> None:
    often = al.Q("q20", suffixes=[1, 2]).any("q20_1", "q20_2")
    lines = as_items(often, small_client.catalogue)
    assert [line.expression for line in lines] == [
        al.Q("q20", suffixes=[1, 2]).any(code) for code in ("q20_1", "q20_2")
    ]
    assert all(name.endswith(" (Several times a day, About once a day)") for name in names(lines))


def test_without_a_catalogue_codes_are_names(small_client: Client) -> None:
    lines = as_items([al.Q("q20", suffixes=[1]).any("q20_1"), al.Q("q2").any()], None)
    assert names(lines) == ["q20_1 (1)", "q2 is any answer"]
    assert lines.groups == (("q20",), ("q2",))
    # Which answers there are is not known: the whole question is one line.
    assert lines[1].expression == al.Q("q2").any()
    with fails(al.AudienceError):
        as_items("Gender", None)


def test_and_and_or_make_one_item(small_client: Client) -> None:
    catalogue = small_client.catalogue
    picked = (al.Q("q2").any("q2_1", "q2_2"), al.Q("q4").any("q4_2"))
    (both,) = as_items(picked, catalogue, how="and", groups="Chosen")
    (either,) = as_items(picked, catalogue, how="or", name="Either")
    assert both.expression == al.all_of(*picked)
    assert either == al.Audience("Either", al.any_of(*picked))
    assert as_items(picked, catalogue, how="and", groups="Chosen").groups == (("Chosen",),)
    under_groups = {"Gender": [WOMEN], "Age": AGES[:1]}
    (both,) = as_items(under_groups, catalogue, how="and")
    assert both.expression == al.all_of(WOMEN.expression, AGES[0].expression)


def test_audiences_and_conditions_are_items_unchanged(small_client: Client) -> None:
    saved = small_client.service.save_audience(WOMEN)
    twice = al.Q("q20").at_least(2, "q20_1", "q20_2")
    given = [MEN, saved, twice, {"Age": AGES[:2]}]
    lines = as_items(given, small_client.catalogue)
    assert names(lines)[:2] == ["Men", "Women"]
    assert lines[2].expression == twice
    assert lines.groups[3:] == (("Age",), ("Age",))


def test_a_base_is_one_audience(small_client: Client) -> None:
    catalogue = small_client.catalogue
    assert as_base([WOMEN], catalogue) == WOMEN
    assert as_base([], catalogue).expression is None


def test_invalid_additions_are_reported(small_client: Client) -> None:
    catalogue = small_client.catalogue
    with fails(TypeError):
        as_items([3], catalogue)
    for nothing in ([], None):
        with fails(QuestionError):
            as_items(nothing, catalogue)
    with fails(QuestionError):
        as_items([WOMEN], catalogue, how="some")  # pyright: ignore[reportArgumentType] -- a slip
    with fails(al.AudienceError):
        as_items("Gendr", catalogue)
    with fails(QuestionError):
        as_items([EVERYONE, WOMEN], catalogue, how="or")


# -- steps -----------------------------------------------------------------------------------------


@given(st.lists(st.integers(0, 5), max_size=30))
def test_undo_reverts_every_step_and_redo_repeats_it(steps: list[int]) -> None:
    history = History(0)
    for step in steps:
        history = history.then(step)
    back = history
    while back.past:
        assert back.undo().redo() == back
        back = back.undo()
    assert back.now == 0
    while back.future:
        back = back.redo()
    assert back == history


def test_a_step_after_undo_drops_undone_steps() -> None:
    history = History("a").then("b").undo().then("c")
    assert (history.past, history.now, history.future) == (("a",), "c", ())


def test_the_oldest_steps_are_dropped() -> None:
    history = History(0)
    for step in range(1, MAX_STEPS + 50):
        history = history.then(step)
    assert len(history.past) == MAX_STEPS
    assert history.past[0] == 49
