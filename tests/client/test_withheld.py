"""Figures that a served service withholds: in no output, in no test, and in no sum."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pandas as pd
import pytest
from pptx import Presentation

import audiencelab as al
from audiencelab.render.mime_payload import CROSSTAB, plane_of, planes_of
from audiencelab.results.undefined import WITHHELD
from audiencelab.tables import CrosstabResult
from tests.messages import fails
from tests.waiting import wait_until

MINIMUM = 600


@pytest.fixture(scope="module")
def whole() -> Iterator[al.Client]:
    with al.connect() as client:
        yield client


@pytest.fixture(
    scope="module", params=[0, 1, 2], ids=["in this process", "one worker", "two workers"]
)
def client(request: pytest.FixtureRequest) -> Iterator[al.Client]:
    if not request.param:
        with al.connect(minimum_base=MINIMUM) as client:
            yield client
        return
    with al.serve(minimum_base=MINIMUM, workers=request.param) as url, al.connect(url) as client:
        yield client


@pytest.fixture(scope="module")
def table(client: al.Client) -> CrosstabResult:
    return client.crosstab(rows="Age", columns="Gender")


@pytest.fixture(scope="module")
def secret(whole: al.Client) -> set[float]:
    """Every figure of a cell that is withheld, and of its row or column where that is."""
    frame = whole.crosstab(rows="Age", columns="Gender").to_frame()
    few = frame["sample"] < MINIMUM
    names = ("size", "sample", "total_percentage", "column_percentage", "row_percentage")
    found = {float(value) for name in names for value in frame.loc[few, name]}
    found |= {float(value) for value in frame.loc[few, "index"]}
    for side in ("row", "column"):
        small = frame[f"{side}_sample"] < MINIMUM
        for what in ("size", "sample"):
            found |= {float(value) for value in frame.loc[small, f"{side}_{what}"]}
    return {value for value in found if value not in (0, 100)}


def numbers_in(value: Any) -> Iterator[float]:
    """Every number of a JSON document, and of its texts."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list | tuple):
        for each in value:
            yield from numbers_in(each)
    elif isinstance(value, str):
        for each in re.findall(r"\d[\d,]*(?:\.\d+)?", value):
            yield float(each.replace(",", ""))
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield float(value)


def revealed(secret: set[float], shown: Any) -> set[float]:
    """The withheld figures of four digits or more that are among the numbers shown."""
    known = np.array(sorted({*numbers_in(shown)}))
    long = [each for each in secret if each > 1e3 or each != round(each, 2)]
    near = np.isclose(np.array(long)[:, None], known[None], rtol=1e-6, atol=0)
    return {each for each, is_near in zip(long, near.any(axis=1), strict=True) if is_near}


def sheets(path: Path) -> list[Any]:
    book = openpyxl.load_workbook(path)
    return [cell for sheet in book for line in sheet.iter_rows(values_only=True) for cell in line]


def test_what_is_looked_for_is_found_where_nothing_is_withheld(
    whole: al.Client, secret: set[float], tmp_path: Path
) -> None:
    table = whole.crosstab(rows="Age", columns="Gender")
    table.to_excel(tmp_path / "all.xlsx", metrics=["size", "column_percentage"])
    assert len(revealed(secret, sheets(tmp_path / "all.xlsx"))) >= 20
    assert len(revealed(secret, table.chart.bar().to_dict())) >= 10


def test_workbooks_have_dashes(table: CrosstabResult, secret: set[float], tmp_path: Path) -> None:
    for name, made in (("plain", table), ("tested", table.test())):
        path = tmp_path / f"{name}.xlsx"
        made.to_excel(path)
        cells = sheets(path)
        assert revealed(secret, cells) == set()
        assert f"14 cells {WITHHELD}." in cells
        assert cells.count("–") >= 14


def test_slides_have_dashes_and_gaps(
    table: CrosstabResult, secret: set[float], tmp_path: Path
) -> None:
    table.to_pptx(tmp_path / "table.pptx")
    shown: list[Any] = []
    for slide in Presentation(str(tmp_path / "table.pptx")).slides:
        for shape in slide.shapes:
            if shape.has_text_frame:
                shown.append(shape.text_frame.text)
            if shape.has_table:
                shown += [cell.text for row in shape.table.rows for cell in row.cells]
            if shape.has_chart:
                series = [each for plot in shape.chart.plots for each in plot.series]
                shown += [list(each.values) for each in series]
                assert sum(value is None for each in series for value in each.values) == 14
    assert revealed(secret, shown) == set()
    assert any(f"14 cells {WITHHELD}." in each for each in shown if isinstance(each, str))


@pytest.mark.parametrize("kind", ["bar", "dots", "heatmap"])
def test_charts_leave_them_out(table: CrosstabResult, secret: set[float], kind: str) -> None:
    chart = getattr(table.chart, kind)()
    assert revealed(secret, chart.to_dict()) == set()
    assert "NaN" not in json.dumps(chart.to_dict())


def test_the_widgets_have_none_of_them(
    client: al.Client, table: CrosstabResult, secret: set[float]
) -> None:
    widget = al.Crosstab(client, rows="Age", columns="Gender")
    wait_until(lambda: widget.result is not None and widget.result.complete)
    assert widget.result is not None
    assert widget.result.to_frame().equals(table.to_frame())
    shown = widget._repr_mimebundle_()
    assert revealed(secret, json.loads(json.dumps(shown, default=str))) == set()


def test_a_saved_table_has_them_as_unknown(table: CrosstabResult) -> None:
    bundle, *_ = table._repr_mimebundle_()
    planes = bundle[CROSSTAB]["planes"]
    withheld = table.to_frame()["size"].isna().to_numpy().reshape(7, 3)
    for name in ("size", "sample"):
        assert (np.isnan(plane_of(planes[name])) == withheld).all()
    assert np.isnan(plane_of(planes_of({"planes": planes})["row_own_sample"])).ravel().tolist() == [
        True,
        *[False] * 6,
    ]


def test_only_what_is_shown_is_tested(table: CrosstabResult, whole: al.Client) -> None:
    every = whole.crosstab(rows="Age", columns="Gender")
    known = table.to_frame().set_index(["row", "column"])["size"].isna()
    tested = table.test().to_frame()
    pairs = [
        known[line.row, line.column] or known[line.row, line.other] for line in tested.itertuples()
    ]
    hidden = np.array(pairs)
    figures = ["p", "z", "difference", "standard_error"]
    assert tested.loc[hidden, figures].isna().all(axis=None)
    expected = every.test().to_frame().loc[~hidden, figures]
    assert (~hidden).sum() == 3
    pd.testing.assert_frame_equal(tested.loc[~hidden, figures], expected, check_exact=True)
    rest = table.test(vs="rest").to_frame()
    # Of the rest of a column, too, only as much is known as the table shows.
    untested = {(line.row, line.column) for line in rest.itertuples() if np.isnan(line.p)}
    assert untested >= {*known[known].index}
    assert len(untested) < len(rest)


def test_a_sum_with_one_of_them_is_unknown(client: al.Client, table: CrosstabResult) -> None:
    young = table.nets({"Young": ["16 to 17", "18 to 24"], "Grown": ["25 to 34", "35 to 44"]})
    frame = young.to_frame().set_index(["row", "column"])
    assert frame.loc["Young", "size"].isna().all()
    assert frame.loc["Young", "note"].eq(WITHHELD).all()
    of = table.to_frame().set_index(["row", "column"])["size"]
    for column in ("Male", "Female"):
        expected = of["25 to 34", column] + of["35 to 44", column]
        assert frame.loc[("Grown", column), "size"] == pytest.approx(expected)
    means = client.stats("q4", splitter="q2").averages()
    assert means["mean"].isna().all()
    assert means["answered_size"].isna().all()
    assert means["note"].eq(WITHHELD).all()


def test_combinations_of_audiences_are_unknown_and_not_zero(
    client: al.Client, whole: al.Client
) -> None:
    def overlap(of: al.Client) -> Any:
        age = of["Age"]
        return of.overlap([of["Gender"] == "Male", age == "16 to 17", age == "25 to 34"])

    found, known = overlap(client), overlap(whole)
    withheld = np.isnan(found.sizes)
    assert withheld.sum() == 4
    assert (found.sizes[~withheld] == known.sizes[~withheld]).all()
    assert (found.samples[~withheld] == known.samples[~withheld]).all()
    assert known.samples[withheld].max() < MINIMUM
    assert np.isnan(found.union.size)
    assert found.notes == (f"4 combinations {WITHHELD}, and all sums that contain them.",)
    assert found.sets()["size"].isna().tolist() == [True, True, True]
    assert found.reach(sort="asked")["size"].isna().all()
    for ranked in (found.reach, found.turf):
        with fails(ValueError):
            ranked()
    assert "withheld by the service" in json.dumps(found.chart.overlap().to_dict())
    assert "some combinations are not reported" in repr(found)


def test_sizes_have_none_of_them(client: al.Client, whole: al.Client) -> None:
    few = (client["Gender"] == "Male") & (client["Age"] == "16 to 17") & client["Pets"].any("Fish")
    assert 0 < whole.size(few).sample < MINIMUM
    assert "not reported by the service" in repr(client.size(few))


def test_tab_books_have_none_of_them(client: al.Client, secret: set[float], tmp_path: Path) -> None:
    client.tab_book("Gender", ["Age"], to=tmp_path / "book.xlsx")
    cells = sheets(tmp_path / "book.xlsx")
    assert revealed(secret, cells) == set()
    assert any(f"14 cells {WITHHELD}." in str(cell) for cell in cells)


@pytest.mark.parametrize("base_of", ["valid", "everyone"])
def test_counts_that_are_subtracted_are_withheld_too(
    whole: al.Client, base_of: Any, tmp_path: Path
) -> None:
    """Those who were not asked, and those without an answer, as every other count."""
    asked: dict[str, Any] = {"by": "Age", "waves": "latest 1", "base_of": base_of}
    questions = ["Sector", "Age", "Trust in sources"]
    shown = whole.summary_table(questions, **asked).to_frame()
    file = tmp_path / "summary.json"
    with al.serve(minimum_base=90) as url, al.connect(url) as served, served.recording(file):
        found = served.summary_table(questions, **asked).to_frame()
        note = served.crosstab("Sector", None, waves="latest 1", base_of=base_of).to_html()
    with al.connect(snapshot=file) as replay:
        again = replay.summary_table(questions, **asked).to_frame()
    pd.testing.assert_frame_equal(found, again)
    missing = shown["answer"].isin(["Not asked", "Not answered"])
    counts = shown.loc[missing, "n"]
    few = (counts > 0) & (counts < 90)
    assert 0 < few.sum() < len(few)
    left = found.loc[missing, "n"]
    assert left[few].isna().all()
    # Where few were asked, those who were not are not shown either.
    assert left.isna().sum() - few.sum() <= 1
    np.testing.assert_array_equal(left[left.notna()], counts[left.notna()])
    assert ("were not asked" in note) == (base_of == "everyone")


def test_an_opened_survey_withholds_in_files_and_recordings(tmp_path: Path) -> None:
    regions = ["north"] * 60 + ["south"] * 56 + ["isle"] * 4
    frame = pd.DataFrame({"tea": ["yes", "no"] * 60, "region": regions})
    file = tmp_path / "own.audiencelab.jsonl"
    client = al.open(frame, minimum_base=5, quiet=True)
    assert client.to_code().endswith(", minimum_base=5)")
    with client.recording(file):
        table = client.crosstab("tea", "region")
        table.to_excel(tmp_path / "own.xlsx")
    found = table.to_wide("sample")
    expected = pd.crosstab(frame["tea"], frame["region"])
    for region in ("north", "south"):
        assert found["region", region].to_list() == expected[region].to_list()
    assert found["region", "isle"].isna().all()
    book = openpyxl.load_workbook(tmp_path / "own.xlsx")
    assert not {2, 4} & {cell.value for sheet in book for row in sheet for cell in row}
    assert not re.search(r'"sample\W+[24][,}]', file.read_text("utf-8"))
    for reopened in (al.open(frame, minimum_base=5, snapshot=file, quiet=True), client):
        again = reopened.crosstab("tea", "region").to_wide("sample")
        pd.testing.assert_frame_equal(again, found)
    unweighted = client.with_options(weight=None).crosstab("tea", "region").to_wide("sample")
    assert unweighted["region", "isle"].isna().all()
    with fails(al.client.SnapshotError):
        al.open(frame, minimum_base=9, snapshot=file, quiet=True)
    for rows in (client.respondents, lambda: client.turf("tea")):
        with fails(LookupError):
            rows()
    with fails(ValueError):
        al.connect(minimum_base=-1)
    with fails(al.client.ConnectionChoiceError):
        al.connect("https://survey.example", token="t", minimum_base=5)
