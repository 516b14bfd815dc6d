"""A notebook becomes one file that shows what was saved, and asks nobody for anything."""

from __future__ import annotations

import base64
import html
import re
from pathlib import Path
from typing import Any

import altair as alt
import nbformat
import pytest

from audiencelab.cli import main
from audiencelab.markup import card, code_block, element
from audiencelab.notebook import NotebookError, export
from audiencelab.render.records import record_in
from audiencelab.results.record import Record
from tests.messages import fails

HOSTILE = "<script>document.title = 'taken'</script><img src=https://elsewhere.example/x.png>"


def output(**data: object) -> Any:
    return nbformat.v4.new_output("execute_result", data=data)


def notebook_of(folder: Path, *outputs: Any) -> Path:
    """A notebook with a code cell for each output."""
    cells = [nbformat.v4.new_code_cell("shown", outputs=[each]) for each in outputs]
    path = folder / "shown.ipynb"
    nbformat.write(nbformat.v4.new_notebook(cells=cells), path)
    return path


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    """A notebook as it was saved: words, a widget, a table, a chart, something hostile."""
    widget = {"application/vnd.jupyter.widget-view+json": {"model_id": "1"}}
    chart = {
        "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
        "data": {"values": [{"age": "18 to 24", "share": 12}]},
        "mark": "bar",
        "encoding": {
            "x": {"field": "share", "type": "quantitative"},
            "y": {"field": "age", "type": "nominal"},
        },
    }
    cells = [
        nbformat.v4.new_markdown_cell("# Who & why\n\nA *story*."),
        nbformat.v4.new_code_cell("grid", outputs=[output(**widget, **{"text/html": "<b>9</b>"})]),
        nbformat.v4.new_code_cell(
            "chart",
            outputs=[
                output(
                    **{
                        "application/vnd.vegalite.v6+json": chart,
                        "text/html": "<script src=https://cdn.example/vega.js></script>",
                        "text/plain": "alt.Chart(...)",
                    }
                )
            ],
        ),
        nbformat.v4.new_code_cell("secret = 1", outputs=[output(**{"text/html": HOSTILE})]),
    ]
    path = tmp_path / "study.ipynb"
    nbformat.write(nbformat.v4.new_notebook(cells=cells), path)
    return path


def test_it_stands_beside_the_notebook_with_its_heading_as_title(saved: Path) -> None:
    before = saved.read_bytes()
    written = export(saved)
    assert written == saved.with_suffix(".html")
    page = written.read_text("utf-8")
    assert "<title>Who &amp; why</title>" in page
    assert "<em>story</em>" in page
    assert saved.read_bytes() == before


def test_widgets_appear_in_their_static_form_and_charts_as_pictures(saved: Path) -> None:
    page = export(saved).read_text("utf-8")
    assert "<b>9</b>" in page
    (chart,) = re.findall(r'<img[^>]*class="chart"[^>]*>', page)
    assert 'alt="alt.Chart(...)"' in chart
    (packed,) = re.findall(r"base64,([\w+/=]+)", chart)
    assert b"share: 12; age: 18 to 24" in base64.b64decode(packed)
    assert "cdn.example" not in page


def test_a_picture_is_described_by_its_summary_without_the_advice_of_how_to_see_it(
    tmp_path: Path,
) -> None:
    shown = {"image/svg+xml": "<svg/>", "text/plain": "<Chart: four bars>\nRun this cell"}
    page = export(notebook_of(tmp_path, output(**shown))).read_text("utf-8")
    assert 'alt="Chart: four bars"' in page


def test_a_picture_is_described_by_the_title_and_the_base_of_its_record(tmp_path: Path) -> None:
    shown = output(**{"image/svg+xml": "<svg/>", "text/plain": "<Chart: dots of 4 columns>"})
    record = Record(title="Café by <b>Género", base="adults, weighted").to_dict()
    shown.metadata["audiencelab"] = record
    page = export(notebook_of(tmp_path, shown)).read_text("utf-8")
    (chart,) = re.findall(r'<img[^>]*class="chart"[^>]*>', page)
    (told,) = re.findall(r'alt="([^"]*)"', chart)
    assert html.unescape(told) == (
        "Café by <b>Género. Chart: dots of 4 columns. Base: adults, weighted"
    )


def test_a_chart_of_altairs_own_display_is_a_picture_too(tmp_path: Path) -> None:
    data = alt.Data(values=[{"age": "18 to 24", "share": 12}])
    chart = alt.Chart(data).mark_bar().encode(x="share:Q", y="age:N").to_dict()
    forms = alt.vegalite.v6.display.html_renderer(chart)
    page = export(notebook_of(tmp_path, output(**forms))).read_text("utf-8")
    (packed,) = re.findall(r'class="chart"[^>]*base64,([\w+/=]+)', page)
    assert b"share: 12; age: 18 to 24" in base64.b64decode(packed)
    assert "cdn.jsdelivr" not in page


@pytest.mark.parametrize(
    "call", ['(x => {})(nothing, {"mark": "bar"})', '(x => {})(["mark", "bar"])', "no call"]
)
def test_a_page_that_calls_vega_with_no_chart_is_shown_as_it_is(call: str, tmp_path: Path) -> None:
    page = f"<b>kept</b><i>vegaEmbed {call}</i>"
    shown = export(notebook_of(tmp_path, output(**{"text/html": page}))).read_text("utf-8")
    assert "<b>kept</b>" in shown
    assert 'class="chart"' not in shown


@pytest.mark.parametrize("data", [{"url": "https://elsewhere.example/x.csv"}, None])
def test_a_chart_with_a_fault_or_with_data_elsewhere_says_so(tmp_path: Path, data: Any) -> None:
    chart = {"mark": "bar", "data": data, "encoding": {}} if data else {"mark": "nonsense"}
    shown = output(**{"application/vnd.vegalite.v6+json": chart})
    assert "could not be drawn" in export(notebook_of(tmp_path, shown)).read_text("utf-8")


def test_the_page_forbids_itself_all_but_its_own_script(saved: Path) -> None:
    page = export(saved).read_text("utf-8")
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]+)"', page)
    assert "default-src 'none'" in policy
    assert re.search(r"script-src 'sha256-[\w+/=]+'", policy)
    assert "unsafe" not in policy.replace("style-src 'unsafe-inline'", "")


def test_code_may_be_left_out(saved: Path) -> None:
    assert "secret" in export(saved).read_text("utf-8")
    assert "secret" not in export(saved, code=False, replace=True).read_text("utf-8")


def test_the_code_that_widgets_show_is_left_out_with_it(tmp_path: Path) -> None:
    form = str(card("Crosstab", code_block("grid.to_wide() < 'it'"), element("b", "kept")))
    forms = (form, form.replace("'", '"'))
    path = notebook_of(tmp_path, *(output(**{"text/html": each}) for each in forms))
    assert export(path).read_text("utf-8").count("to_wide") == 2
    without = export(path, code=False, replace=True).read_text("utf-8")
    assert "to_wide" not in without
    assert without.count("<b>kept</b>") == 2


@pytest.mark.parametrize(
    "hostile",
    [
        '<meta http-equiv="refresh" content="0; url=https://elsewhere.example/">',
        "<META/http-equiv=refresh content='0;https://elsewhere.example/'>",
        "<svg><style><meta\nhttp-equiv=refresh content='0;https://elsewhere.example/'>",
        '<link rel="dns-prefetch" href="//elsewhere.example">',
        "<base href=https://elsewhere.example/>",
    ],
)
def test_nothing_in_it_leads_the_reader_elsewhere(tmp_path: Path, hostile: str) -> None:
    path = tmp_path / "hostile.ipynb"
    cells = [
        nbformat.v4.new_markdown_cell(hostile),
        nbformat.v4.new_code_cell("shown", outputs=[output(**{"text/html": hostile})]),
    ]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), path)
    page = export(path).read_text("utf-8")
    inside = page[page.index("<main>") :].lower()
    assert re.findall(r"<(?:meta|link|base)[\s/>]", inside) == []
    assert "elsewhere.example" in inside


def test_what_is_there_is_replaced_only_on_request(saved: Path, tmp_path: Path) -> None:
    there = tmp_path / "study.html"
    there.write_text("mine")
    with fails(NotebookError):
        export(saved)
    assert there.read_text() == "mine"
    assert "<main>" in export(saved, replace=True).read_text("utf-8")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["study.html", "study.ipynb"]


def test_the_command_names_the_file(saved: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = saved.parent / "shared" / "page.html"
    assert main(["export", str(saved), "--out", str(out)]) == 0
    assert re.fullmatch(
        rf"{re.escape(str(out))}: \d+ KB, needs no network\.\n", capsys.readouterr().out
    )
    assert main(["export", str(saved.parent / "none.ipynb")]) == 2
    assert "there is no such notebook" in capsys.readouterr().err


def test_the_page_has_the_record_of_each_output_once(tmp_path: Path) -> None:
    known = Record(title="</script><b>", survey="kunden", weight=None)
    told = (known.to_dict(), known.to_dict(), {"format": "of a later version"})
    outputs = [
        nbformat.v4.new_output("display_data", {"text/plain": "a"}, metadata={"audiencelab": each})
        for each in told
    ]
    assert record_in(export(notebook_of(tmp_path, *outputs))) == [known]
