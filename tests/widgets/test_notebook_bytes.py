"""Saved outputs: each takes at most 20 KB of a notebook.

The largest ordinary ones are measured, and with them the worst that somebody may show: long
names, letters of several bytes, more rows than fit. All figures are a real service's.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

import audiencelab as al
from audiencelab.client import Client
from tests.widgets.conftest import Wire

LIMIT = 20_000

AGES = tuple(al.Audience(f"Age {n}", al.Q("q4").any(f"q4_{n}")) for n in range(1, 7))
LONG = 'Menschen, die täglich 報紙 lesen & "Nachrichten" sehen, und noch vieles mehr: ' * 9


def several(count: int, name: str = "An audience named at some length") -> tuple[al.Audience, ...]:
    """Audiences with names of their own; the ages take turns."""
    return tuple(AGES[n % 6].renamed(f"{n} {name}") for n in range(count))


def saved_bytes(shown: Any) -> int:
    """What an output adds to a notebook file, whose JSON keeps letters as they are."""
    if hasattr(shown, "_repr_mimebundle_"):
        data, _ = shown._repr_mimebundle_()
    else:
        data = {"text/html": shown._repr_html_(), "text/plain": repr(shown)}
    data = dict(data)
    # For pandoc alone: Markdown has a limit of its own.
    assert len(data.pop("text/markdown", "").encode()) <= LIMIT
    return len(json.dumps(data, ensure_ascii=False).encode())


@pytest.mark.parametrize(
    ("rows", "columns"),
    [
        pytest.param(several(20), several(8), id="20 x 8"),
        pytest.param(several(40), several(12), id="40 x 12"),
        pytest.param(several(400), several(100), id="400 x 100"),
        pytest.param(several(40, LONG), several(12, LONG), id="long names"),
    ],
)
@pytest.mark.parametrize("metric", ["index", "column_percentage", "size"])
def test_a_crosstab_in_a_grid_and_as_a_result(
    wire: Wire, small_client: Client, rows: Any, columns: Any, metric: Any
) -> None:
    grid = al.Crosstab(small_client, rows, columns, metric=metric).wait(60)
    assert saved_bytes(grid) <= LIMIT
    assert saved_bytes(grid.result) <= LIMIT


def test_a_grid_of_20_by_8_is_shown_whole(wire: Wire, small_client: Client) -> None:
    bundle = al.Crosstab(small_client, several(20), several(8)).wait(60)._repr_mimebundle_()
    assert bundle is not None
    assert "more row" not in bundle[0]["text/html"]


@pytest.mark.parametrize("branches", [1, 4, 60])
def test_an_audience_in_the_editor(wire: Wire, small_client: Client, branches: int) -> None:
    branch = al.Q("q4").any("q4_2", "q4_3") & (
        al.Q("q20", suffixes=[1, 2]).at_least(2, "q20_1", "q20_2", "q20_3")
        | ~al.Q("q2").any("q2_1")
    )
    expression = al.any_of(*[branch] * branches)
    editor = al.AudienceEditor(small_client, al.Audience(LONG, expression))
    assert saved_bytes(editor) <= LIMIT


@pytest.mark.parametrize(
    ("rows", "columns"),
    [
        pytest.param(several(14), several(10), id="14 x 10"),
        pytest.param(several(40, LONG), several(12, LONG), id="long names"),
    ],
)
def test_a_workbench_with_all_its_parts(
    wire: Wire, small_client: Client, rows: Any, columns: Any
) -> None:
    bench = al.Workbench(small_client, rows=rows, columns=columns)
    bench.editor.value = al.Audience(LONG, al.any_of(*[al.Q("q4").any("q4_2")] * 60))
    bench.grid.wait(60)
    assert saved_bytes(bench) <= LIMIT


def test_a_picker_with_every_question_picked(wire: Wire, small_client: Client) -> None:
    questions = [each for each in small_client.catalogue if each.datapoints]
    leaves = [
        al.Q(each.code).any(*(answer.code for answer in each.datapoints)) for each in questions
    ]
    assert saved_bytes(al.QuestionPicker(small_client, leaves[:20])) <= LIMIT
    assert saved_bytes(al.QuestionPicker(small_client, leaves)) <= LIMIT


def test_stats_and_the_catalogue(small_client: Client) -> None:
    stats = small_client.stats("q20", audiences=several(12))
    assert len(stats) > 30
    assert saved_bytes(stats) <= LIMIT
    assert saved_bytes(small_client.stats("q20", audiences=several(12, LONG))) <= LIMIT
    assert saved_bytes(small_client.catalogue) <= LIMIT
    assert saved_bytes(small_client.catalogue["q20"]) <= LIMIT


def test_what_is_kept_with_widget_state_is_small_too(wire: Wire, small_client: Client) -> None:
    """Jupyter can save the models of a notebook: the traits, the loader and the saved form."""
    picker = al.QuestionPicker(small_client)
    picker.value = [al.Q("q4").any("q4_2", "q4_3"), al.Q("q2").any("q2_1")]
    grid = al.Crosstab(small_client, several(40), several(12)).wait(60)
    editor = al.AudienceEditor(small_client, AGES[1].expression & ~AGES[4].expression)
    for widget, cells in ((picker, 0), (editor, 0), (grid, 40 * 12)):
        assert saved_bytes(widget) <= LIMIT
        state = widget.get_state()
        assert 0 < len(state.pop("_saved")) <= 2_000 + 15 * cells, widget
        assert len(state.pop("_esm")) <= 12_000
        assert len(json.dumps(state).encode()) <= 3_000, widget
