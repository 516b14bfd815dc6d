"""A survey exported as triple-S: its structure, and the same figures after an import."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

import audiencelab as al
from audiencelab.survey import Survey
from audiencelab.survey.export import export_survey
from tests.messages import fails

CODEBOOK = """
[study]
name = "Tea & <milk>"
[weight]
column = "w"
[source]
not_selected = [0]
[[questions]]
code = "sex"
name = 'Who are "you"?'
column = "sex"
datapoints = [{ name = "Women & girls", value = 1 }, { name = "Men <all>", value = 2 }]
[[questions]]
code = "drinks"
name = "Drinks, of any kind"
kind = "multiple"
selected = [1]
datapoints = [
    { code = "tea", name = "Tea, black", column = "tea" },
    { code = "milk", name = "Milk", column = "milk" },
    { code = "rum", name = "Rum", column = "rum" },
]
[[questions]]
code = "trust"
name = "Trust"
kind = "grid"
datapoints = [
    { code = "press", name = "Press", column = "press" },
    { code = "radio", name = "Radio", column = "radio" },
]
suffixes = [
    { code = "1", name = "Low", value = 1 },
    { code = "2", name = "Middle", value = 2 },
    { code = "3", name = "High", value = 3 },
]
[[questions]]
code = "age"
name = "Age"
column = "age"
datapoints = [{ name = "Under 40", below = 40 }, { name = "40 and over", min = 40 }]
"""


@pytest.fixture(scope="module")
def survey(tmp_path_factory: pytest.TempPathFactory) -> Survey:
    folder, draw = tmp_path_factory.mktemp("drinks"), np.random.default_rng(7)
    n = 400
    frame = pd.DataFrame(
        {
            "sex": draw.integers(1, 3, n),
            **{name: draw.integers(0, 2, n).astype(float) for name in ("tea", "milk", "rum")},
            **{name: draw.integers(1, 4, n) for name in ("press", "radio")},
            "age": draw.integers(18, 90, n),
            "w": draw.uniform(0.3, 2.5, n).round(5),
        }
    )
    frame.loc[:49, ["tea", "milk", "rum"]] = np.nan
    (folder / "codebook.toml").write_text(CODEBOOK)
    return al.ingest.from_frame(frame, folder / "codebook.toml", folder / "survey")


@pytest.fixture(scope="module")
def written(survey: Survey, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("out") / "drinks.sss"
    found = export_survey(survey, out)
    assert (found.respondents, found.codebook, found.rows) == (out.with_suffix(".csv"), out, 400)
    return out


def check(one: dict[Any, Any], other: dict[Any, Any]) -> None:
    assert one.keys() == other.keys()
    for key, expected in one.items():
        assert other[key] == pytest.approx(expected, rel=1e-9), key


def figures(client: al.Client, row: Any, column: str, base: Any = None) -> dict[Any, Any]:
    frame = client.crosstab(row, column, base_audience=base).to_frame()
    names = zip(frame["row"].astype(str), frame["column"].astype(str), strict=True)
    return dict(zip(names, frame[["size", "sample"]].to_numpy().tolist(), strict=True))


def test_figures_are_the_same_after_an_import(
    survey: Survey, written: Path, tmp_path: Path
) -> None:
    with al.connect(survey=survey) as first:
        back = al.open(written, to=tmp_path / "back", quiet=True)
        assert back.service.survey.name == "Tea & <milk>"
        column = 'Who are "you"?'
        for question in ("Drinks, of any kind", column):
            check(figures(first, question, column), figures(back, question, column))
        asked = [al.asked("drinks").named("asked"), al.answered("drinks").named("answered")]
        check(figures(first, asked, column), figures(back, asked, column))
        for item in ("press", "radio"):
            own = first["Trust"].any(item, scale="High").named("high")
            found = next(
                back[q.code].any(point.code, scale="High").named("high")
                if q.suffixes
                else (back[q.code] == "High").named("high")
                for q in back.catalogue
                for point in q.datapoints
                if item in (q.code.lower(), point.name.lower(), q.name.lower().split(": ")[-1])
            )
            check(figures(first, [own], column), figures(back, [found], column))
        [mean] = first.crosstab(first["Age"].mean(), None)["mean"].to_numpy().ravel()
        number = next(q for q in back.catalogue if q.name == "Age, as a number")
        [again] = back.crosstab(number.mean(), None)["mean"].to_numpy().ravel()
        assert again == pytest.approx(mean, rel=1e-9)


def test_definitions_have_the_structure_of_the_standard(written: Path) -> None:
    root = ElementTree.parse(written).getroot()
    assert (root.tag, root.get("version")) == ("sss", "2.0")
    assert [each.tag for each in root] == ["origin", "survey"]
    [survey] = root.findall("survey")
    assert [each.tag for each in survey] == ["title", "record"]
    [record] = survey.findall("record")
    assert record.attrib == {
        "ident": "R", "href": "drinks.csv", "format": "csv", "skip": "1",
    }  # fmt: skip
    with written.with_suffix(".csv").open(newline="") as opened:
        header, *rows = csv.reader(opened)
    variables = record.findall("variable")
    assert [each.findtext("name") for each in variables] == header
    assert len({each.get("ident") for each in variables}) == len(variables)
    for place, each in enumerate(variables):
        kind, cells = each.get("type"), [row[place] for row in rows if row[place]]
        last = "size" if kind == "character" else "values"
        assert [part.tag for part in each] == ["name", "label", "position", last]
        position = each.find("position")
        assert position is not None
        assert position.get("start") == str(place + 1)
        codes = [value.get("code") for value in each.iter("value")]
        if kind == "single":
            assert set(cells) <= set(codes)
        elif kind == "multiple":
            assert {len(cell) for cell in cells} == {len(codes)}
            assert set("".join(cells)) == {"0", "1"}
        elif kind == "quantity":
            ends = each.find("values/range")
            assert ends is not None
            low, high = float(ends.get("from", "")), float(ends.get("to", ""))
            assert all(low <= float(cell) <= high for cell in cells)
    used = {each.get("use"): each.findtext("name") for each in variables if each.get("use")}
    assert used == {"weight": "weight"}
    # A cell such as 010 stays text in a spreadsheet.
    assert '"010"' in written.with_suffix(".csv").read_text()


def test_existing_files_are_not_replaced(survey: Survey, written: Path) -> None:
    with fails(al.AudienceError):
        export_survey(survey, written)
    export_survey(survey, written, replace=True)
