"""The code of a cell runs after the cell that connects, and shows something."""

from __future__ import annotations

import ast
from typing import Any

import msgspec
import pytest

import audiencelab as al
from audiencelab.jupyter.server.protocol import SnippetArgs
from audiencelab.jupyter.server.snippets import NotListed, snippet
from tests.messages import fails

AGE = {"question": "core.q4", "datapoints": [], "suffixes": []}
APPS = {"question": "core.q20", "datapoints": ["q20_1", "q20_2"], "suffixes": ["1"]}
GENDER = {"question": "core.q2", "datapoints": [], "suffixes": []}


def written(client: al.Client, args: dict[str, Any]) -> str:
    """The snippet for arguments as the page sends them."""
    return snippet(client, msgspec.convert(args, SnippetArgs))


@pytest.fixture(scope="module")
def client() -> al.Client:
    return al.connect(survey=al.demo_survey())


def shown(client: al.Client, code: str) -> list[Any]:
    """What the code shows, run with the names that a notebook has."""
    displayed: list[Any] = []
    *before, last = ast.parse(code).body
    assert isinstance(last, ast.Expr)
    names = {"al": al, "client": client, "display": displayed.append}
    exec(compile(ast.Module(before, []), "cell", "exec"), names)
    displayed.append(eval(compile(ast.Expression(last.value), "cell", "eval"), names))
    return displayed


def test_questions_are_counted(client: al.Client) -> None:
    code = written(client, {"kind": "question", "selection": [AGE, APPS]})
    age, apps = shown(client, code)
    assert [row.datapoint for row in age.rows] == [f"q4_{n}" for n in range(1, 8)]
    assert (apps.datapoints, apps.rows[0].suffixes) == (("q20_1", "q20_2"), [1])


def test_all_answers_of_a_question_are_the_question(client: al.Client) -> None:
    every = [{**AGE, "datapoints": [f"q4_{n}" for n in range(1, 8)]}]
    assert written(client, {"kind": "question", "selection": every}) == ("client.stats('Age')")
    whole = written(client, {"kind": "crosstab", "selection": [AGE]})
    assert written(client, {"kind": "crosstab", "selection": every}) == whole
    some = [{**AGE, "datapoints": ["q4_1"]}]
    assert "datapoints=['16 to 17']" in written(client, {"kind": "question", "selection": some})


def test_an_audience_is_all_that_is_picked(client: al.Client) -> None:
    code = written(client, {"kind": "audience", "selection": [APPS, GENDER]})
    assert code.startswith("audience = (")
    (table,) = shown(client, code)
    (row,) = table.rows
    assert row.expression == al.Q("q20", suffixes=[1]).any("q20_1", "q20_2") & (al.Q("q2").any())


def test_what_fits_a_line_stands_on_one(client: al.Client) -> None:
    women = {"question": "core.q2", "datapoints": ["q2_2"], "suffixes": []}
    code = written(client, {"kind": "audience", "selection": [women]})
    assert code.splitlines() == [
        "audience = client['Gender'].isin(['Female']).named('Gender is Female')",
        "client.crosstab(rows=[audience])",
    ]
    code = written(client, {"kind": "crosstab", "selection": [women, women]})
    side = "[client['Gender'].isin(['Female']).named('Female')]"
    assert code.splitlines()[1:3] == [f"    {side},", f"    {side},"]


def test_a_saved_audience_keeps_its_name(client: al.Client) -> None:
    saved = client.service.saved_audiences()[0]
    (table,) = shown(client, written(client, {"kind": "audience", "id": saved.id}))
    assert table.rows == (saved.to_audience(),)


def test_one_question_stands_against_the_last_waves(client: al.Client) -> None:
    code = written(client, {"kind": "crosstab", "selection": [AGE]})
    (table,) = shown(client, code)
    assert len(table.rows) == 7
    assert [each.name for each in table.columns] == [
        wave.name for wave in list(client.waves())[-4:]
    ]


def test_several_questions_stand_against_each_other_under_their_names(client: al.Client) -> None:
    code = written(client, {"kind": "crosstab", "selection": [AGE, APPS, GENDER]})
    (table,) = shown(client, code)
    assert [head for (head, *_) in table.column_groups] == [
        *["Social apps: how often"] * 2,
        *["Gender"] * 3,
    ]
    assert max(map(len, code.splitlines())) < 130


HOSTILE = "x'); import os; os.abort(); ('"


@pytest.mark.parametrize("kind", ["question", "audience", "crosstab"])
def test_a_code_never_becomes_code(client: al.Client, kind: str) -> None:
    """Codes come from a page, and names from a service."""
    picked = {"question": HOSTILE, "datapoints": [HOSTILE], "suffixes": []}
    tree = ast.parse(written(client, {"kind": kind, "selection": [picked, picked]}))
    calls = [ast.unparse(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)]
    assert not {"os.abort", "__import__"} & set(calls)
    assert not any(isinstance(node, ast.Import) for node in ast.walk(tree))


@pytest.mark.parametrize(
    "args",
    [
        {"kind": "question"},
        {"kind": "crosstab", "selection": []},
        {"kind": "audience", "id": "nope"},
    ],
)
def test_what_makes_no_cell_is_told(client: al.Client, args: dict[str, Any]) -> None:
    with pytest.raises(al.AudienceError):
        written(client, args)


def test_a_deployment_says_nothing_of_its_saved_audiences() -> None:
    with (
        al.serve() as url,
        al.connect(url) as client,
        fails(NotListed),
    ):
        written(client, {"kind": "audience", "id": "x"})
