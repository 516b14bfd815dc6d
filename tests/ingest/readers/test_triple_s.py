"""What triple-S definitions say beyond names and labels: filters, scores, one value in a cell."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

import audiencelab as al
from audiencelab.ingest import draft_codebook
from audiencelab.ingest.codebook import CodedQuestion

DEFINITIONS = """<?xml version="1.0" encoding="UTF-8"?>
<sss version="{version}"><survey><title>Zoo</title><record ident="A" {record}>
<variable ident="1" type="single"><name>visits</name><label>Visits</label>
  <position start="1"/><values><value code="1" score="0">First</value>
  <value code="2" score="3">Several</value><value code="3">Not stated</value></values></variable>
<variable ident="2" type="logical"><name>again</name><label>Would come again</label>
  <position start="2"/></variable>
<variable ident="3" type="multiple"{attribute}><name>why</name><label>Why again</label>
  <position start="3"{to[0]}/>{element}<values><value code="1">Lions</value>
  <value code="2">Bears</value></values></variable>
<variable ident="4" type="single"{attribute}><name>when</name><label>When again</label>
  <position start="{at}"/>{element}<values><value code="1">Soon</value>
  <value code="2">Later</value></values></variable>
<variable ident="5" type="character"><name>note</name><label>Note</label>
  <position start="{note}"{to[1]}/></variable>
</record></survey></sss>"""

ROWS = ["11101a;b", "11011b;a", "1100 a;c", "111 2c;b", "20   b;c", "2000 a;b", "20 0 c;a", "3  0 "]
"""Row 3 ticked nothing of `why` and has a blank `when`. Of the four who did not say that they would
come again, three have zeros in `why`."""


def zoo(
    folder: Path, *, fixed: bool = True, named: str = "again", given: Mapping[str, str] = {}
) -> Path:
    """The definitions with their data, in lines or as CSV."""
    record = 'href="zoo.asc"' if fixed else 'href="zoo.csv" format="csv"'
    to = (' finish="4"', ' finish="8"') if fixed else ("", "")
    places = {"at": "5", "note": "6"} if fixed else {"at": "4", "note": "5"}
    parts = {"version": "2.0", "attribute": "", "element": f"<filter>{named}</filter>", **given}
    path = folder / "zoo.sss"
    path.write_text(DEFINITIONS.format(record=record, to=to, **places, **parts))
    cells = [[row[0], row[1], row[2:4], row[4], row[5:]] for row in ROWS]
    (folder / "zoo.asc").write_text("\n".join(ROWS) + "\n")
    (folder / "zoo.csv").write_text("".join(",".join(row) + "\n" for row in cells))
    return path


def question(path: Path, code: str) -> CodedQuestion:
    return next(each for each in draft_codebook(path).codebook.questions if each.code == code)


@pytest.mark.parametrize(
    ("given", "named", "fixed"),
    [
        ({"version": "1.2"}, "again", True),
        ({}, "2", True),
        ({"attribute": ' filter="again"', "element": ""}, "", True),
        ({}, "again", False),
    ],
    ids=["element", "ident", "attribute", "csv"],
)
def test_a_filter_decides_who_was_asked(
    tmp_path: Path, given: dict[str, str], named: str, fixed: bool
) -> None:
    client = al.open(zoo(tmp_path, fixed=fixed, named=named, given=given), quiet=True)
    rows = [al.asked("why"), al.answered("why"), al.asked("when"), al.answered("when")]
    assert client.crosstab(rows).to_frame()["sample"].tolist() == [4, 3, 4, 3]
    shares = client.crosstab("why").to_frame().set_index("row")
    # Of the four who were asked, not of the seven with zeros or ones.
    assert shares.loc["Lions", "column_percentage"] == pytest.approx(50)
    assert shares.loc["Bears", "column_percentage"] == pytest.approx(25)


def test_a_filter_is_the_universe_of_a_question(tmp_path: Path) -> None:
    path = zoo(tmp_path)
    assert question(path, "when").universe == "Would come again: Yes"
    assert question(path, "again").universe == ""


@pytest.mark.parametrize(
    ("named", "universe"), [("visits", "by visits: Visits"), ("Those who came", "Those who came")]
)
def test_a_filter_that_is_not_logical_is_text_alone(
    tmp_path: Path, named: str, universe: str
) -> None:
    path = zoo(tmp_path, named=named)
    assert question(path, "why").universe == universe
    client = al.open(path, quiet=True)
    assert client.crosstab([al.asked("why")]).to_frame()["sample"].tolist() == [7]


def test_scores_are_midpoints(tmp_path: Path) -> None:
    path = zoo(tmp_path)
    points = question(path, "visits").datapoints
    assert [(each.name, each.midpoint) for each in points] == [
        ("First", 0),
        ("Several", 3),
        ("Not stated", None),
    ]
    frame = al.open(path, quiet=True).crosstab(al.mean("visits")).to_frame()
    assert frame["value"][0] == pytest.approx(3 * 3 / 7)


def test_a_text_with_semicolons_is_one_answer(tmp_path: Path) -> None:
    note = question(zoo(tmp_path), "note")
    assert (note.kind, note.separator) == ("single", None)
