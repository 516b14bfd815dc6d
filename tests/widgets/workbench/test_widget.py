"""The workbench in Python: its parts, what is carried between them, how it is kept."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import pandas as pd
import pytest
from nbclient import NotebookClient

import audiencelab as al
from audiencelab.client import Client
from audiencelab.widgets.crosstab.view_state import Arrangement, AxisView
from audiencelab.widgets.workbench import Workbench
from audiencelab.widgets.workbench.document import BrokenStudy
from tests.messages import fails
from tests.widgets.conftest import Wire

WOMEN = al.Audience("Women", al.Q("q2").any("q2_2"))
MEN = al.Audience("Men", al.Q("q2").any("q2_1"))
AGES = tuple(al.Audience(f"Age {n}", al.Q("q4").any(f"q4_{n}")) for n in range(1, 7))
SITES = (al.Q("q20").any("q20_1", "q20_2"),)

Make = Callable[..., Workbench]


@pytest.fixture
def make(wire: Wire, small_client: Client) -> Make:
    """Makes workbenches on a captured wire, with rows and columns unless told otherwise."""

    def build(**question: Any) -> Workbench:
        return Workbench(small_client, **{"rows": [WOMEN, MEN], "columns": AGES, **question})

    return build


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder, empty."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


# -- the parts -------------------------------------------------------------------------------------


def test_its_parts_are_the_widgets_themselves(make: Make, small_client: Client) -> None:
    workbench = make(waves=["q1_2024"])
    assert isinstance(workbench.picker, al.QuestionPicker)
    assert isinstance(workbench.editor, al.AudienceEditor)
    assert isinstance(workbench.grid, al.Crosstab)
    direct = small_client.crosstab(rows=[WOMEN, MEN], columns=AGES, waves=["q1_2024"])
    pd.testing.assert_frame_equal(workbench.grid.to_wide(), direct["column"])
    assert workbench.value == workbench.grid.value
    pd.testing.assert_frame_equal(workbench.to_frame(), workbench.grid.to_frame())


def test_the_page_is_told_which_models_they_are(make: Make) -> None:
    workbench = make()
    assert workbench.get_state(["_parts"])["_parts"] == {
        "picker": f"IPY_MODEL_{workbench.picker.model_id}",
        "editor": f"IPY_MODEL_{workbench.editor.model_id}",
        "grid": f"IPY_MODEL_{workbench.grid.model_id}",
    }
    channels = {part.channel.model_id for part in (workbench.picker, workbench.editor)}
    assert workbench.channel.model_id not in channels


def test_the_editor_counts_in_the_waves_and_locations_of_the_table(make: Make) -> None:
    workbench = make(waves=["q1_2024"])
    assert workbench.editor.waves == ("q1_2024",)
    workbench.grid.waves = ["q3_2024"]
    workbench.grid.locations = ["s2_1"]
    assert (workbench.editor.waves, workbench.editor.locations) == (("q3_2024",), ("s2_1",))


def test_what_cannot_be_asked_is_refused(make: Make) -> None:
    with fails(TypeError):
        make(rows=2)
    with fails(TypeError):
        Workbench("q2")  # type: ignore[arg-type]  # that is the point


def test_several_bases_are_written_as_code(make: Make) -> None:
    workbench = make(bases=[WOMEN, AGES[0]])
    names: dict[str, Any] = {"al": al, "client": workbench.client}
    exec(workbench.to_code(), names)
    assert names["workbench"].value == workbench.value
    assert [base.name for base in workbench.value.bases or ()] == ["Women", "Age 1"]


def test_the_page_takes_what_is_picked_as_a_condition(wire: Wire, make: Make) -> None:
    workbench = make()
    picked = [{"question": "q20", "datapoints": ["q20_1", "q20_2"], "suffixes": []}]
    wire.request(workbench, "condition", {"selection": picked})
    assert workbench.editor.expression == SITES[0]


def test_closing_it_closes_all(wire: Wire, make: Make) -> None:
    workbench = make()
    comms = [
        part.comm.comm_id
        for widget in (workbench, workbench.picker, workbench.editor, workbench.grid)
        for part in (widget, widget.channel)
    ]
    workbench.close()
    workbench.close()
    closed = [message.comm_id for message in wire.messages if message.kind == "comm_close"]
    assert set(comms) <= set(closed)


# -- from part to part -----------------------------------------------------------------------------


def test_picks_become_lines(make: Make) -> None:
    workbench = make(rows=None)
    workbench.picker.value = SITES
    assert workbench.add_picked("rows") == 10
    rows = workbench.value.rows or ()
    assert [row.expression for row in rows[4:6]] == [
        al.Q("q20", suffixes=[5]).any("q20_1"),
        al.Q("q20", suffixes=[1]).any("q20_2"),
    ]
    assert workbench.add_picked("columns", "or") == 1
    assert (workbench.value.columns or ())[-1].expression == SITES[0]
    assert workbench.grid.wait(60).result.shape == (10, 7)


def test_the_page_adds_what_it_sees_picked(wire: Wire, make: Make) -> None:
    """Its selection may be ahead of the trait, which comes over another comm."""
    workbench = make(rows=[])
    selection = [{"question": "q2", "datapoints": ["q2_1"], "suffixes": []}]
    answer = wire.request(workbench, "add", {"side": "rows", "selection": selection})
    assert answer.content["data"] == {"lines": 1}
    assert [row.expression for row in workbench.value.rows or ()] == [al.Q("q2").any("q2_1")]
    # Another page may have picked something else: that stays.
    assert workbench.picker.selection == []


def test_picks_become_conditions_of_the_audience(make: Make) -> None:
    workbench = make()
    workbench.editor.value = WOMEN
    workbench.picker.value = SITES
    workbench.use_picked()
    assert workbench.editor.value == al.Audience("Women", al.Q("q2").any("q2_2") & SITES[0])
    assert workbench.editor.is_valid


def test_the_audience_becomes_base_and_line(make: Make) -> None:
    workbench = make()
    workbench.editor.value = al.Audience(expression=SITES[0])
    workbench.use_as_base()
    base = workbench.grid.base_audience
    assert base.expression == SITES[0]
    assert base.name == workbench.editor.describe()
    workbench.add_audience("columns")
    assert (workbench.value.columns or ())[-1].expression == SITES[0]
    workbench.editor.value = al.Audience()
    workbench.use_as_base()
    assert workbench.grid.base_audience is None


def test_an_unfinished_audience_goes_nowhere(wire: Wire, make: Make) -> None:
    workbench = make()
    workbench.editor.value = WOMEN
    document = json.loads(json.dumps(workbench.editor.document))
    document["root"]["children"][0]["datapoints"] = []
    workbench.editor.document = document
    with fails(al.AudienceError):
        workbench.use_as_base()
    failed = wire.answer(wire.ask(workbench, "add", {"side": "rows", "source": "editor"}))
    assert "unfinished" in failed.content["error"]["message"]
    assert workbench.value.rows == (WOMEN, MEN)


def test_a_cell_is_opened_in_the_editor(wire: Wire, make: Make) -> None:
    workbench = make()
    with fails(al.AudienceError):
        workbench.edit_cells()
    wire.set_state(workbench.grid, _selected_cells={"rows": [0], "columns": [2]})
    wire.request(workbench, "edit")
    assert workbench.editor.value == al.Audience(
        "Women · Age 3", al.Q("q2").any("q2_2") & al.Q("q4").any("q4_3")
    )
    in_cell = workbench.grid.wait(60).result.values("size")[0, 2]
    assert workbench.editor.measure().size == pytest.approx(in_cell)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda bench: bench.add_picked("rows"), "Nothing is picked"),
        (lambda bench: bench.use_picked(), "Nothing is picked"),
        (lambda bench: bench.add_audience("sideways"), "axis must be 'rows' or 'columns'"),
    ],
)
def test_what_cannot_be_carried_says_why(
    make: Make, call: Callable[[Workbench], object], said: str
) -> None:
    with pytest.raises(al.AudienceError, match=said):
        call(make())


# -- the chart -------------------------------------------------------------------------------------


def chart(wire: Wire, workbench: Workbench, **asked: Any) -> tuple[dict[str, Any], bytes]:
    workbench.grid.wait(60)
    answer = wire.request(workbench, "chart", {"kind": "", "dark": False, **asked})
    return answer.content["data"], answer.buffers[0]


# In panes narrower than its caption, here 567 pixels, a chart scrolls.
@pytest.mark.parametrize("pane", [640, 900])
def test_the_chart_is_laid_out_for_its_pane(wire: Wire, make: Make, pane: int) -> None:
    _, svg = chart(wire, make(), width=pane, kind="bar")
    found = re.search(rb'<svg[^>]* width="([\d.]+)"', svg)
    assert found is not None
    assert pane - 80 < float(found[1]) <= pane + 4
    sizes = [float(size) for size in re.findall(rb'font-size="([\d.]+)px"', svg)]
    assert min(sizes) >= 11


def test_the_chart_is_of_the_table_until_cells_are_selected(wire: Wire, make: Make) -> None:
    workbench = make()
    facts, image = chart(wire, workbench)
    assert image.startswith(b"<svg")
    alt = "bars of column_percentage, 12 of a crosstab"
    whole = {"rows": [], "columns": []}
    assert facts == {"alt": alt, "note": "", "title": "Gender by Age", **whole}
    facts, _ = chart(wire, workbench, rows=[1], columns=[0, 2])
    assert facts["alt"] == "bars of column_percentage, 2 of a crosstab"
    assert b"Women" not in chart(wire, workbench, rows=[1], columns=[0, 2])[1]


def test_of_a_large_table_the_chart_says_what_it_leaves_out(
    wire: Wire, make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [al.Audience(f"Row {n}", WOMEN.expression) for n in range(60)]
    workbench = make(rows=rows)
    # Bars are of the largest rows, and say so themselves.
    facts, svg = chart(wire, workbench)
    assert facts["note"] == ""
    assert b"The largest 25 of 60 rows" in svg
    monkeypatch.setattr("audiencelab.widgets.crosstab.charts.MOST_CELLS", 100)
    assert chart(wire, workbench)[0]["note"] == (
        "The first 24 of 60 rows; select cells to draw others"
    )


def test_the_chart_is_of_what_is_shown_in_its_order(wire: Wire, make: Make) -> None:
    workbench = make()
    workbench.grid.wait(60)
    workbench.grid.arrangement = Arrangement(columns=AxisView(hidden=(0, 1)))
    alt = "dots of column_percentage, 2 lines, 4 columns"
    assert chart(wire, workbench, kind="dots")[0]["alt"] == alt


def test_the_chart_follows_kind_theme_and_turned_tables(wire: Wire, make: Make) -> None:
    workbench = make()
    light, dark = (chart(wire, workbench, kind="heatmap", dark=dark)[1] for dark in (False, True))
    assert light != dark
    assert chart(wire, workbench, kind="heatmap")[0]["alt"].endswith("2 rows × 6 columns")
    workbench.grid.transposed = True
    assert chart(wire, workbench, kind="heatmap")[0]["alt"].endswith("6 rows × 2 columns")


def test_the_chart_comes_as_png_too(wire: Wire, make: Make) -> None:
    _, image = chart(wire, make(), format="png")
    assert image.startswith(b"\x89PNG")


# -- what was shown --------------------------------------------------------------------------------


def test_questions_that_were_answered_are_remembered(wire: Wire, make: Make) -> None:
    workbench = make()
    workbench.grid.wait(60)
    first = workbench.value
    workbench.grid.base_audience = WOMEN
    workbench.grid.wait(60)
    assert workbench.shown == (workbench.value, first)
    assert wire.updates(workbench, "_shown")[-1] == [
        "Women and Men × Age 1, Age 2 and 4 more · of Women",
        "Women and Men × Age 1, Age 2 and 4 more",
    ]
    wire.request(workbench, "show", {"place": 1})
    assert workbench.value == first
    workbench.grid.wait(60)
    assert workbench.shown[0] == first
    assert len(workbench.shown) == 2


def test_what_is_shown_is_a_question(make: Make) -> None:
    place: Any = 0
    with fails(TypeError):
        make().show(place)


# -- kept and opened again -------------------------------------------------------------------------


def filled(make: Make) -> Workbench:
    workbench = make(
        rows={"Gender": [WOMEN, MEN]},
        base_audience=al.Audience("Site users", SITES[0]),
        waves=["q1_2024", "q3_2024"],
    )
    workbench.grid.metric = "column_percentage"
    workbench.grid.transposed = True
    workbench.editor.value = al.Audience("Readers", SITES[0] & ~al.Q("q2").any("q2_1"))
    workbench.picker.value = SITES
    workbench.panes = {"rail": 300, "kind": "heatmap"}
    workbench.grid.wait(60)
    workbench.grid.arrangement = Arrangement(columns=AxisView(hidden=(5,)))
    return workbench


def test_it_is_saved_and_opened_again(make: Make, small_client: Client, tmp_path: Path) -> None:
    workbench = filled(make)
    path = workbench.save(tmp_path / "study.audiencelab.json")
    again = Workbench.load(small_client, path)
    assert again.to_document() == workbench.to_document()
    assert again.value == workbench.value
    assert again.value.rows.groups == (("Gender",), ("Gender",))  # type: ignore[union-attr]  # given
    assert again.editor.value == workbench.editor.value
    assert again.picker.value == workbench.picker.value
    assert again.panes["kind"] == "heatmap"
    assert again.grid.wait(60).arrangement.columns.hidden == (5,)
    pd.testing.assert_frame_equal(again.grid.to_wide(), workbench.grid.to_wide())
    assert path.stat().st_size < 20_000


def test_an_unfinished_audience_is_kept_too(make: Make, small_client: Client) -> None:
    workbench = make()
    document = json.loads(json.dumps(filled(make).editor.document))
    document["root"]["children"][0]["datapoints"] = []
    workbench.editor.document = document
    again = Workbench.load(small_client, workbench.to_document())
    assert again.editor.document == document
    assert not again.editor.is_valid


def test_the_document_belongs_to_whoever_asked_for_it(make: Make) -> None:
    workbench = filled(make)
    document = workbench.to_document()
    document["audience"]["root"]["children"].clear()
    document["picked"].clear()
    assert workbench.editor.value.name == "Readers"
    assert workbench.to_document()["picked"]


def test_what_cannot_be_opened_says_why(make: Make, small_client: Client, tmp_path: Path) -> None:
    path = tmp_path / "study.json"
    path.write_text("{")
    with fails(BrokenStudy):
        Workbench.load(small_client, path)
    document = make().to_document()
    document["table"]["metrics"] = ["mood"]
    with fails(BrokenStudy):
        Workbench.load(small_client, document)
    document["question"]["bases"] = [WOMEN.to_wire(), WOMEN.to_wire()]
    with fails(BrokenStudy):
        Workbench.load(small_client, document)


def test_the_page_saves_beside_the_notebook_and_never_over_another(
    wire: Wire, make: Make, here: Path
) -> None:
    (here / "my-study.audiencelab.json").write_text("mine")
    workbench = make()
    names = [
        wire.request(workbench, "save", {"name": "My study"}).content["data"]["path"]
        for _ in range(2)
    ]
    assert names == ["my-study-2.audiencelab.json", "my-study-3.audiencelab.json"]
    again = wire.request(workbench, "save", {"name": "my study 3"}).content["data"]["path"]
    assert again == "my-study-3.audiencelab.json"
    assert (here / "my-study.audiencelab.json").read_text() == "mine"


# -- as code and as a notebook ---------------------------------------------------------------------


def test_the_code_makes_the_same_workbench(wire: Wire, make: Make, small_client: Client) -> None:
    workbench = filled(make)
    names: dict[str, Any] = {"al": al, "client": small_client}
    exec(workbench.to_code(), names)
    again = names["workbench"]
    assert again.value == workbench.value
    assert again.grid.metric == "column_percentage"
    assert again.grid.transposed
    assert again.editor.value == workbench.editor.value
    assert again.picker.value == workbench.picker.value
    answer = wire.request(workbench, "code").content["data"]["code"]
    assert answer == f"{workbench.to_code()}\nworkbench"


def test_the_notebook_counts_the_same(make: Make, here: Path) -> None:
    workbench = filled(make)
    path = workbench.to_notebook("study.ipynb")
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    shown = "print(table.to_wide('column_percentage').to_json(double_precision=15))"
    notebook.cells.append(nbformat.v4.new_code_cell(shown))
    NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    counted = json.loads(notebook.cells[-1].outputs[0]["text"])
    expected = workbench.grid.to_wide("column_percentage")
    assert [list(column.values()) for column in counted.values()] == [
        pytest.approx(expected[column].tolist()) for column in expected
    ]
    assert any("image/svg+xml" in output.get("data", {}) for output in _outputs(notebook))


def test_a_notebook_is_never_written_over(wire: Wire, make: Make, here: Path) -> None:
    workbench = make()
    asked = [{}, {}, {"name": "My study"}]
    names = [wire.request(workbench, "notebook", each).content["data"]["path"] for each in asked]
    question = "women-and-men-age-1-age-2-and-4-more"
    assert names == [f"{question}.ipynb", f"{question}-2.ipynb", "my-study.ipynb"]


def test_a_notebook_has_the_name_that_it_is_given(make: Make, here: Path) -> None:
    paths = [make().to_notebook(name) for name in ("wave-1.2", "wave-1.2.ipynb")]
    assert [path.name for path in paths] == ["wave-1.2.ipynb", "wave-1.2-2.ipynb"]


def test_without_a_catalogue_codes_are_names_enough(
    wire: Wire, make: Make, nameless_client: Client, here: Path
) -> None:
    workbench = Workbench(nameless_client, rows=[WOMEN, MEN])
    wire.set_state(workbench.grid, _selected_cells={"rows": [0, 1], "columns": [0]})
    workbench.edit_cells()
    assert workbench.editor.value.name == "q2 is q2_2, or q2 is q2_1"
    assert "q2 is q2\\_2, or q2 is q2\\_1" in _words(workbench.to_notebook())


def test_hostile_names_stay_text_in_a_notebook(make: Make, here: Path) -> None:
    hostile = al.Audience("<img src=x onerror=alert(1)>\n# *Head*", WOMEN.expression)
    path = make(rows=[hostile], base_audience=hostile).to_notebook()
    written = [
        "".join(cell["source"])
        for cell in json.loads(path.read_text())["cells"]
        if cell["cell_type"] == "markdown"
    ]
    assert not any("<img" in text.replace("\\<", "") for text in written)
    assert sum(text.count("\n# ") for text in written) == 0


def _words(path: Path) -> str:
    cells = json.loads(path.read_text("utf-8"))["cells"]
    return "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")


def _outputs(notebook: Any) -> list[Any]:
    return [output for cell in notebook.cells for output in cell.get("outputs", [])]


# -- as text and without a kernel ------------------------------------------------------------------


def test_its_repr_says_what_it_holds(make: Make) -> None:
    workbench = make()
    workbench.picker.value = SITES
    assert repr(workbench) == (
        "Workbench(2 rows × 6 columns, audience='everyone', 1 question picked)"
    )


def test_a_side_without_lines_is_told_as_one(make: Make) -> None:
    workbench = make(rows=[], columns=None)
    assert repr(workbench).startswith("Workbench(0 rows × 1 column, ")
    bundle = workbench._repr_mimebundle_()
    assert bundle is not None
    assert "0 rows × 1 column, not counted yet" in bundle[0]["text/html"]


def test_without_a_kernel_there_is_the_table_and_the_audience_in_words(make: Make) -> None:
    workbench = make()
    workbench.editor.value = al.Audience("<Readers>", SITES[0])
    workbench.grid.wait(60)
    bundle = workbench._repr_mimebundle_()
    assert bundle is not None
    html = bundle[0]["text/html"]
    assert "Age 6" in html
    assert "&lt;Readers&gt;" in html
    assert workbench.editor.describe() in html
    assert len(json.dumps(bundle[0])) < 20_000
