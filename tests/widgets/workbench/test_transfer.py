"""What is carried into a workbench's audience: picks and cells."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

import audiencelab as al
from audiencelab.expressions import And, Audience, Expression
from audiencelab.widgets.editor.document import audience_of, document_of, with_condition
from audiencelab.widgets.workbench.notebook import audience_of_cells
from tests.strategies import expressions

WOMEN = al.Audience("Women", al.Q("q2").any("q2_2"))
MEN = al.Audience("Men", al.Q("q2").any("q2_1"))
YOUNG = al.Audience("Young", al.Q("q4").any("q4_1", "q4_2"))
EVERYONE = al.Audience("All")


# -- cells as an audience ----------------------------------------------------------------------


def test_a_cell_is_whoever_is_in_its_row_and_in_its_column() -> None:
    cell = audience_of_cells([WOMEN], [YOUNG], None)
    assert cell == Audience(
        "Women · Young", al.Q("q2").any("q2_2") & al.Q("q4").any("q4_1", "q4_2")
    )


def test_several_cells_are_whoever_is_in_any_of_them() -> None:
    cells = audience_of_cells([WOMEN, MEN], [YOUNG], None)
    anybody = al.any_of(al.Q("q2").any("q2_2"), al.Q("q2").any("q2_1"))
    assert cells.expression == al.all_of(anybody, al.Q("q4").any("q4_1", "q4_2"))


def test_everyone_limits_nobody() -> None:
    assert audience_of_cells([EVERYONE], [YOUNG], None) == Audience("Young", YOUNG.expression)
    assert audience_of_cells([EVERYONE, WOMEN], [YOUNG], None).expression == YOUNG.expression
    assert audience_of_cells([EVERYONE], [EVERYONE], None).expression is None


# -- a condition more --------------------------------------------------------------------------


@given(st.none() | expressions(max_leaves=5), expressions(max_leaves=4))
def test_the_condition_applies_besides_what_stands_there(
    before: Expression | None, more: Expression
) -> None:
    after = audience_of(with_condition(document_of(Audience("A", before)), more))
    assert after.name == "A"
    assert _conditions(after.expression) == [*_conditions(before), *_conditions(more)]


def test_no_two_nodes_have_one_id() -> None:
    document = document_of(Audience("A", ~(al.Q("q2").any("q2_1") | al.Q("q4").any("q4_1"))))
    for code in ("q4_2", "q4_3"):
        document = with_condition(document, al.Q("q4").any(code) | al.Q("q2").any("q2_2"))
    ids = _ids(document["root"])
    assert len(ids) == len(set(ids))
    assert f"n{document['next']}" not in ids


def test_an_unfinished_tree_is_kept() -> None:
    document = document_of(Audience("A", al.Q("q2").any("q2_1")))
    root = document["root"]
    empty = {**document_of(Audience(), first=50)["root"]}
    unfinished = {**document, "root": {**root, "children": [*root["children"], empty]}}
    grown = with_condition(unfinished, al.Q("q4").any("q4_1"))
    assert [child["kind"] for child in grown["root"]["children"]] == ["leaf", "group", "leaf"]


def _conditions(expression: Expression | None) -> list[Expression]:
    """What all has to apply, whatever groups it stands in."""
    if expression is None:
        return []
    if isinstance(expression, And) and not expression.negated:
        return [each for child in expression.children for each in _conditions(child)]
    if not expression.negated and len(getattr(expression, "children", ())) == 1:
        return _conditions(expression.children[0])  # type: ignore[attr-defined]  # a group of one
    return [expression]


def _ids(node):  # type: ignore[no-untyped-def]  # plain JSON
    return [node["id"], *(each for child in node.get("children", []) for each in _ids(child))]
