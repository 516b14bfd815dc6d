"""A side of a crosstab may stand in groups: they are laid flat for the request, and kept."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audiencelab import Audience, Client, Q, connect, connect_async
from audiencelab.client import UnknownCodeError
from audiencelab.client.audiences import AxisLike, flatten_banner
from audiencelab.client.operations.queries import build_crosstab, empty_crosstab
from audiencelab.schema.scope import Scope
from tests.client.scripted import World
from tests.messages import fails

MEN, WOMEN, YOUNG, OLD = (Audience(name) for name in ("Men", "Women", "Young", "Old"))


def groups(side: AxisLike) -> list[tuple[str, str]]:
    """Each audience with its groups, in a line."""
    flat = flatten_banner("columns", side)
    return [
        ("/".join(above), audience.name)
        for above, audience in zip(flat.groups, flat.audiences, strict=True)
    ]


def test_a_list_has_no_heads() -> None:
    assert groups([MEN, WOMEN]) == [("", "Men"), ("", "Women")]
    assert flatten_banner("columns", None).audiences == []
    assert flatten_banner("columns", {}).audiences == []


def test_a_mapping_has_a_head_for_each_of_its_lists() -> None:
    assert groups({"Gender": [MEN, WOMEN], "Age": (YOUNG,)}) == [
        ("Gender", "Men"),
        ("Gender", "Women"),
        ("Age", "Young"),
    ]


def test_heads_stand_above_heads_to_any_depth() -> None:
    by_gender = {"Men": [YOUNG, OLD], "Women": {"Lately": {"Again": [OLD]}}}
    assert groups({"All": [MEN], "Gender by age": by_gender}) == [
        ("All", "Men"),
        ("Gender by age/Men", "Young"),
        ("Gender by age/Men", "Old"),
        ("Gender by age/Women/Lately/Again", "Old"),
    ]


def test_what_has_no_head_stands_beside_what_has() -> None:
    side: AxisLike = [MEN, {"Age": [YOUNG, {"Late": [OLD]}]}, WOMEN]
    assert groups(side) == [("", "Men"), ("Age", "Young"), ("Age/Late", "Old"), ("", "Women")]


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ("Gender > Agee", r"Did you mean 'q4' \(Age\)"),
        ([("Gender", "Age")], r"Write al\.nest\('Gender', 'Age'\) or \['Gender', 'Age'\]"),
    ],
)
def test_levels_that_are_not_clear_are_refused(columns: Any, words: str) -> None:
    with pytest.raises((TypeError, UnknownCodeError), match=words):
        connect().crosstab("Pets", columns)


trees: Any = st.recursive(
    st.lists(st.sampled_from([MEN, WOMEN]), min_size=1, max_size=3),
    lambda inner: st.dictionaries(st.sampled_from("ABC"), inner, min_size=1, max_size=3),
    max_leaves=8,
)


@given(trees)
def test_nothing_is_lost_and_the_order_stays(tree: Any) -> None:
    def walked(node: Any, above: str) -> list[tuple[str, str]]:
        if isinstance(node, list):
            return [(above, each.name) for each in node]
        return [
            pair
            for group, inner in node.items()
            for pair in walked(inner, f"{above}/{group}".lstrip("/"))
        ]

    assert groups(tree) == walked(tree, "")


@pytest.mark.parametrize(
    ("side", "error", "words"),
    [
        ({"Gender": 2}, TypeError, r"columns\['Gender'\] must be a question .* got int"),
        (
            {"Age": {"Young": [MEN, 5]}},
            TypeError,
            r"columns\['Age'\]\['Young'\]\[1\]: Must be",
        ),
        ([MEN, {"Age": [3]}], TypeError, r"columns\[1\]\['Age'\]\[0\]: Must be an audience"),
        ({2: [MEN]}, TypeError, "columns: a group name must be a str; got int"),
        ({" ": [MEN]}, ValueError, r"columns: a group needs a name.*\[everyone, \{"),
        ({"Age": {"Young": []}}, ValueError, r"columns\['Age'\]\['Young'\] has no audience"),
    ],
)
def test_a_slip_is_told_with_its_place(side: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        flatten_banner("columns", side)


def test_a_mapping_that_holds_itself_ends() -> None:
    endless: dict[str, Any] = {}
    endless["Again"] = endless
    with fails(ValueError):
        flatten_banner("columns", endless)


def test_a_request_is_the_same_with_heads_and_without() -> None:
    def body(columns: AxisLike) -> Any:
        request = build_crosstab([OLD], columns, Scope())
        table = empty_crosstab(World().sender([]), request)
        return json.loads(request.part(table, [0], [0, 1]).body)

    assert body({"Gender": [MEN], "More": {"Gender": [WOMEN]}}) == body([MEN, WOMEN])


GENDERS = [Audience(name, Q("q2").any(code)) for name, code in (("Men", "q2_1"), ("Women", "q2_2"))]
BANNER: AxisLike = [Audience("All"), {"Gender": GENDERS, "By gender": {"Men": [GENDERS[0]]}}]
EXPECTED = ((), ("Gender",), ("Gender",), ("By gender", "Men"))


def test_both_clients_and_the_stream_keep_the_heads() -> None:
    def through(client: Client) -> Any:
        with client.crosstab_stream(rows={"Everyone": [Audience("All")]}, columns=BANNER) as stream:
            assert stream.result.column_groups == EXPECTED  # before anything has arrived
            list(stream)
        return stream.result

    async def awaited() -> Any:
        async with connect_async() as client:
            return await client.crosstab(rows={"Everyone": [Audience("All")]}, columns=BANNER)

    with connect() as client:
        found = [
            through(client),
            client.crosstab(rows={"Everyone": [Audience("All")]}, columns=BANNER),
        ]
        flat = client.crosstab(
            rows=[Audience("All")], columns=[Audience("All"), *GENDERS, GENDERS[0]]
        )
    for result in (*found, asyncio.run(awaited())):
        assert result.column_groups == EXPECTED
        assert result.row_groups == (("Everyone",),)
        assert result.values("size").tolist() == flat.values("size").tolist()
    assert flat.column_groups == ((),) * 4
