"""What a file is of is in the file: written and read back, whatever labels say."""

from __future__ import annotations

import base64
import csv
import io
import json
import re
import struct
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import openpyxl
import pandas as pd
import pptx
import pytest

import audiencelab as al
from audiencelab.render.page import table_page
from audiencelab.render.png import texts_of
from audiencelab.render.record_carriers import in_page, in_png, in_svg, in_workbook, office_part
from audiencelab.render.records import altered, record_in
from audiencelab.results.record import Record, record_of
from audiencelab.results.record_text import csv_head

HOSTILE = '</script></record>]]><b>&amp;\ud800\x1b[31m\u202e, =cmd|x!A0;\t@SUM(1)\n"+1" 表'

RECORDS = [
    Record(title="Pets", survey="kunden", survey_version="3a635e9d75", waves=("Q1", "Q2")),
    Record(title=HOSTILE, base=HOSTILE, weight=None, code=f"client.stats({HOSTILE!r})"),
    Record(title="表", producer="Müller", counted_at="2026-01-02T03:04:05+00:00"),
]


def png(*chunks: tuple[bytes, bytes]) -> bytes:
    pixels = zlib.compress(b"\0\0")
    parts = [(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)), *chunks]
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in [*parts, (b"IDAT", pixels), (b"IEND", b"")]
    )


def workbook(records: list[Record]) -> bytes:
    into = io.BytesIO()
    openpyxl.Workbook().save(into)
    return in_workbook(into.getvalue(), records)


def slides(records: list[Record]) -> bytes:
    into = io.BytesIO()
    with zipfile.ZipFile(into, "w") as made:
        made.writestr("customXml/item3.xml", office_part(records))
    return into.getvalue()


def notebook(records: list[Record]) -> bytes:
    outputs: list[Any] = [{"metadata": {"audiencelab": each.to_dict()}} for each in records]
    return json.dumps({"cells": [{"outputs": outputs}, {}], "nbformat": 4}).encode()


CARRIERS: dict[str, Callable[[list[Record]], bytes]] = {
    "svg": lambda records: in_svg("<svg a='b'><g/></svg>", HOSTILE, records).encode(),
    "png": lambda records: in_png(png(), HOSTILE, records),
    "page": lambda records: f"<!doctype html><p>{in_page(records)}<b>x</b>".encode(),
    "xlsx": workbook,
    "pptx": slides,
    "notebook": notebook,
    "usermeta": lambda records: json.dumps(
        {"usermeta": {"audiencelab": [each.to_dict() for each in records]}}
    ).encode(),
}


@pytest.mark.parametrize("carrier", CARRIERS)
def test_each_kind_of_file_returns_its_records(carrier: str, tmp_path: Path) -> None:
    write, file = CARRIERS[carrier], tmp_path / "file"
    for records in (RECORDS[:1], RECORDS, RECORDS[1:2]):
        file.write_bytes(write(records))
        assert record_in(file) == record_in(file.read_bytes()) == records


@pytest.mark.parametrize("record", RECORDS)
def test_the_head_of_a_csv_file_is_read_back_and_left_out(record: Record) -> None:
    text = csv_head(record) + '"label","n"\n"a # b",3\n'
    assert record_in(text.encode("utf-8-sig", "replace")) == [record]
    read = pd.read_csv(io.StringIO(text), comment="#")
    assert read.to_dict("list") == {"label": ["a # b"], "n": [3]}
    # No field that a spreadsheet makes of the head is a formula, wherever it splits lines.
    for separator in ",;\t|":
        for line in csv.reader(csv_head(record).splitlines(), delimiter=separator):
            assert not any(re.match(r"\s*[=+\-@]", field) for field in line)


def test_an_svg_with_a_record_has_a_title_and_nothing_that_runs() -> None:
    drawn = in_svg('<svg xmlns="http://www.w3.org/2000/svg"><g/></svg>', HOSTILE, RECORDS)
    tags = [each.tag.rpartition("}")[2] for each in ElementTree.fromstring(drawn).iter()]
    assert tags == ["svg", "title", "desc", "metadata", *["record"] * 3, "g"]


def test_pixels_that_were_changed_are_found() -> None:
    image = in_png(png(), "Pets", RECORDS[:1])
    assert texts_of(image)["Title"] == "Pets"
    assert not altered(image)
    assert not altered(png())
    edited = in_png(image, "Pets", RECORDS[:1]).replace(zlib.compress(b"\0\0"), b"x" * 10)
    assert altered(edited)
    assert record_in(edited) == RECORDS[:1]
    # A record that is written again replaces the one before.
    assert record_in(in_png(image, "", RECORDS[2:])) == RECORDS[2:]


def test_files_that_are_cut_off_or_of_others() -> None:
    odd = b'{"cells": [1, {"outputs": [2, {"metadata": [], "data": {"image/png": [3]}}]}]}'
    empty = (b"", b"a,b\n1,2\n", b"{", b"[1]", b"[" * 99_999, b"<svg/>", b"<p>", png(), slides([]))
    for data in (*empty, odd):
        assert record_in(data) == []
    for data in (png()[:-3], workbook(RECORDS)[:-30], b"PK"):
        with pytest.raises(ValueError, match=r"PNG|unpacked"):
            record_in(data)
    text = zlib.compress(b"x" * 5_000_000)
    large = png((b"iTXt", b"audiencelab\0\1\0\0\0" + text))
    assert len(texts_of(large)["audiencelab"]) == 1_000_000
    assert record_in(large) == []


def test_an_output_without_metadata_has_the_record_of_its_image() -> None:
    image = base64.b64encode(in_png(png(), "", RECORDS[:1])).decode()
    output = {"metadata": {}, "data": {"image/png": [image]}}
    data = json.dumps({"cells": [{"outputs": [output]}]}).encode()
    assert record_in(data) == RECORDS[:1]


# -- the files of a table -------------------------------------------------------------------------


def test_all_files_of_a_table_say_what_it_is_of(tmp_path: Path) -> None:
    client = al.connect()
    table = client.crosstab("Pets", "Gender", waves="latest 1")
    record = record_of(table)
    endings = (".xlsx", ".pptx", ".html", ".csv")
    for ending in endings[:-1]:
        table.save(tmp_path / f"pets{ending}")
    table.to_csv(tmp_path / "pets.csv", source=True)
    for ending in endings:
        assert record_in(tmp_path / f"pets{ending}") == [record]
    frame = pd.read_csv(tmp_path / "pets.csv", comment="#")
    assert frame.equals(pd.read_csv(io.StringIO(table.to_csv())))
    others = (client.design_effects(table), table.test(), client.stats("Pets"))
    for other in others:
        assert record_in(other.to_csv(source=True).encode())[0].survey == "demo survey"
    assert client.catalogue.to_csv(source=True) == client.catalogue.to_csv()
    with pytest.raises(TypeError):
        table.to_csv(source="yes")  # type: ignore[call-overload]


def test_the_properties_of_office_files_name_no_program_and_no_person(tmp_path: Path) -> None:
    table = al.connect().crosstab("Pets", "Gender", weight=None)
    table.save(tmp_path / "pets.xlsx")
    table.save(tmp_path / "pets.pptx")
    record = record_of(table)
    book: Any = openpyxl.load_workbook(tmp_path / "pets.xlsx").properties
    deck: Any = pptx.Presentation(str(tmp_path / "pets.pptx")).core_properties
    for known in (book, deck):
        assert (known.title, known.subject) == ("Pets by Gender", record.line())
        assert str(known.created)[:10] == str(known.modified)[:10] == record.counted_at[:10]
        assert "Unweighted" in known.keywords
    assert [book.creator, book.lastModifiedBy, book.description] == [None] * 3
    assert [deck.author, deck.last_modified_by, deck.comments] == [""] * 3
    with zipfile.ZipFile(tmp_path / "pets.pptx") as parts:
        assert not [name for name in parts.namelist() if "thumbnail" in name or "printer" in name]


def test_a_page_of_one_table_has_its_record() -> None:
    from audiencelab.markup import card

    page = table_page("Pets", card("Pets"), 1, RECORDS[1])
    assert record_in(page.encode()) == [RECORDS[1]]
    assert page.count("<script") == page.count("</script>") == 1
