"""The scope of a query is carried whole by widgets, documents and code.

`base_of` is the example of a field of a scope: each test fails where it is left out.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import pytest
from msgspec import UNSET
from traitlets import TraitError

import audiencelab as al
from audiencelab.schema.http import Request, Response
from audiencelab.schema.scope import SCOPE_ARGUMENTS, Scope
from audiencelab.widgets.workbench.document import BrokenStudy, read_study
from tests.client.between import between
from tests.golden.api import V1, V2
from tests.messages import fails
from tests.widgets.conftest import Wire

CHOSEN = {
    "base_audience": al.Audience("Young", al.Q("q4").any("q4_2")),
    "base_of": "valid",
    "waves": ("q4_2025",),
    "locations": ("s2_1",),
    "weight": None,
}
WHOLE = Scope.of(CHOSEN)


def keywords(code: str, function: str = "crosstab") -> dict[str, str]:
    """The arguments of the only call of a function in some code."""
    [call] = [
        node
        for node in ast.walk(ast.parse(code))
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith(function)
    ]
    return {each.arg or "**": ast.unparse(each.value) for each in call.keywords}


@pytest.fixture
def grid(small_client: al.Client, wire: Wire) -> al.Crosstab:
    return al.Crosstab(small_client, "Gender", "Age", **CHOSEN)


@pytest.fixture
def bench(small_client: al.Client, wire: Wire) -> al.Workbench:
    return al.Workbench(small_client, "Gender", "Age", **CHOSEN)


def test_every_field_is_a_trait(grid: al.Crosstab) -> None:
    assert set(SCOPE_ARGUMENTS) <= set(grid.trait_names())
    assert grid.scope == grid.value.scope == WHOLE
    with fails(al.AudienceError):
        grid.base_of = "some"


def test_requests_of_widgets_say_it(small_client: al.Client, wire: Wire, tmp_path: Path) -> None:
    sent: list[Request] = []

    def noted(request: Request, answer: Callable[[], Response]) -> Response:
        sent.append(request)
        return answer()

    client = between(small_client, noted)
    grid = al.Crosstab(client, "Gender", "Age", **CHOSEN).wait(60)
    bench = al.Workbench(client, "Gender", "Age", **CHOSEN)
    editor = al.AudienceEditor(client, al.Q("q2").any("q2_2"), base_of="valid")
    names: dict[str, Any] = {"client": client, "al": al}
    notebook = nbformat.read(bench.to_notebook(tmp_path / "study.ipynb"), as_version=4)
    [table] = [each.source for each in notebook.cells if each.source.startswith("table = ")]
    for asks in (
        lambda: grid.restart() or grid.wait(60),
        lambda: bench.grid.restart() or bench.grid.wait(60),
        editor.measure,
        lambda: editor.compare(al.Q("q4").any("q4_2")),
        bench.editor.measure,
        lambda: exec(grid.to_code(), names),
        lambda: exec(table, names),
    ):
        sent.clear()
        asks()
        bodies = [json.loads(each.body) for each in sent if each.path.startswith("/v2/query")]
        # The list of waves is a query of everyone.
        counted = [body for body in bodies if body.get("splitter") != "waves"]
        assert counted
        assert all(body.get("base_of") == "valid" for body in counted)


def test_an_edit_on_the_page_keeps_what_the_page_does_not_know(
    grid: al.Crosstab, wire: Wire
) -> None:
    wire.request(grid, "edit", {"do": "waves", "codes": None})
    assert grid.scope == Scope.of({**CHOSEN, "waves": None})
    wire.request(grid, "edit", {"do": "remove", "axis": "rows", "places": [0]})
    wire.request(grid, "undo")
    wire.request(grid, "undo")
    assert grid.scope == WHOLE
    wire.request(grid, "redo")
    assert grid.base_of == "valid"


def test_a_change_of_it_is_a_step(grid: al.Crosstab, wire: Wire) -> None:
    grid.base_of = "everyone"
    assert grid.get_state("_question")["_question"]["undo"] == "base_of"
    wire.request(grid, "undo")
    assert grid.scope == WHOLE
    grid.redo()
    assert grid.scope == Scope.of({**CHOSEN, "base_of": "everyone"})


def test_code_names_it_where_it_is_not_the_default(grid: al.Crosstab) -> None:
    assert keywords(grid.to_code()).keys() >= set(SCOPE_ARGUMENTS)
    assert keywords(grid.to_code())["base_of"] == "'valid'"
    for name, value in Scope().by_argument.items():
        setattr(grid, name, value)
    assert keywords(grid.to_code()).keys() == {"rows", "columns"}


def test_bases_side_by_side_keep_the_rest_of_the_scope(grid: al.Crosstab) -> None:
    grid.ask(bases=["Gender"], base_audience=None)
    assert {each.scope.base_of for each in grid.value.by_base} == {"valid"}
    assert keywords(grid.to_code()).keys() >= set(SCOPE_ARGUMENTS)


def test_the_editor_counts_in_the_scope_of_the_table(bench: al.Workbench) -> None:
    assert bench.editor.scope == Scope.of({**CHOSEN, "base_audience": None})
    bench.grid.base_of = "everyone"
    assert bench.editor.base_of == "everyone"


def test_a_document_says_it(bench: al.Workbench, small_client: al.Client) -> None:
    document = json.loads(json.dumps(bench.to_document()))
    assert document["version"] == 2
    assert document["question"]["scope"] == WHOLE.to_json()
    again = al.Workbench.load(small_client, document)
    assert again.value.scope == WHOLE
    again.show(al.Workbench(small_client, "Gender").value)
    assert again.value.scope == Scope()
    again.grid.undo()
    assert again.value.scope == WHOLE


def test_code_and_notebook_of_a_workbench_say_it(
    bench: al.Workbench, small_client: al.Client, tmp_path: Path
) -> None:
    names: dict[str, Any] = {"client": small_client, "al": al}
    exec(bench.to_code(), names)
    assert names["workbench"].value.scope == WHOLE
    bench.editor.value = al.Q("q2").any("q2_2")
    cells = nbformat.read(bench.to_notebook(tmp_path / "study.ipynb"), as_version=4).cells
    calls = [keywords(each.source) for each in cells if "client.crosstab(" in each.source]
    assert [each["base_of"] for each in calls] == ["'valid'", "'valid'"]
    # The audience is counted as in the editor, which has no base.
    assert "base_audience" not in calls[0]


@pytest.mark.parametrize("folder", [V1, V2])
def test_a_document_of_version_1_counts_everyone(folder: Path) -> None:
    written = json.loads((folder / "tea.workbench.audiencelab.json").read_text("utf-8"))
    written["question"] |= {"waves": ["w1"], "weight": None}
    study = read_study(written)
    base = written["question"]["base_audience"]
    assert study.question.scope == Scope.from_json({**written["question"], "base_of": "everyone"})
    assert study.question.scope.base is not None
    assert study.question.scope.base.name == base["name"]
    assert study.question.scope.weight is None
    assert study.question.columns is not None
    assert study.question.columns.groups[0] == ("Sex",)
    del written["question"]["weight"]
    assert read_study(written).question.scope.weight is UNSET


def test_unknown_parts_of_a_document_are_ignored_unless_figures_depend_on_them(
    bench: al.Workbench,
) -> None:
    document = bench.to_document()
    study = read_study(document)
    document |= {"later": 1}
    document["question"] |= {"later": 1}
    assert read_study(document) == study
    with fails(BrokenStudy):
        read_study({**document, "meaning": [{"question": "q2"}]})
    document["question"]["scope"] |= {"breaks": "across"}
    with fails(BrokenStudy):
        read_study(document)


def test_a_widget_refuses_an_argument_that_is_none(small_client: al.Client) -> None:
    with pytest.raises((TypeError, TraitError)):
        al.Crosstab(small_client, "Gender", base_off="valid")  # pyright: ignore[reportCallIssue] -- the test


# -- who counts ------------------------------------------------------------------------------------


class ByValid:
    """A client of a survey whose own default is those who answered."""

    default_base_of = "valid"

    def __init__(self, client: al.Client) -> None:
        self._client = client

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)

    def crosstab_stream(self, **query: Any) -> Any:
        return self._client.crosstab_stream(**query)


def who_counts(grid: al.Crosstab) -> dict[str, Any]:
    return grid.get_state("_question")["_question"]["who_counts"]


def test_who_counts_is_chosen_on_the_page(small_client: al.Client, wire: Wire) -> None:
    grid = al.Crosstab(small_client, "Gender", "Age")
    assert who_counts(grid) == {"chosen": "everyone", "usual": "everyone", "fixed": False}
    wire.request(grid, "edit", {"do": "who_counts", "who": "valid"})
    assert (grid.base_of, who_counts(grid)["chosen"]) == ("valid", "valid")
    wire.request(grid, "undo")
    assert grid.base_of == "everyone"
    wire.request(grid, "redo")
    wire.request(grid, "edit", {"do": "who_counts", "who": None})
    assert grid.base_of == "everyone"


def test_the_default_is_that_of_the_survey(small_client: al.Client, wire: Wire) -> None:
    client: Any = ByValid(small_client)
    bench = al.Workbench(client, "Gender", "Age")
    assert bench.value.scope == bench.editor.scope == Scope(base_of="valid")
    assert who_counts(bench.grid) == {"chosen": "valid", "usual": "valid", "fixed": False}
    assert "base_of" not in keywords(bench.to_code(), "Workbench")
    bench.grid.base_of = "everyone"
    for code in (bench.to_code(), bench.grid.to_code()):
        assert keywords(code, code.split("(")[0].split(".")[-1])["base_of"] == "'everyone'"
    bench.grid.base_of = None
    assert bench.grid.base_of == "valid"
    # A document of before says nothing, and counts everyone there too.
    document = bench.to_document()
    assert document["question"]["scope"] == {"base_of": "valid"}
    del document["question"]["scope"]
    assert al.Workbench.load(client, document).value.scope == Scope()
