"""A change planted in a saved notebook; those of its pictures, saved tables and written files."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tests.notebook import edits
from tests.notebook.edits import Edit, pattern, swap

__all__ = ["FILES", "NOTED", "PICTURE", "PICTURES", "SAVED_TABLES", "Planted", "words"]


@dataclass(frozen=True, slots=True)
class Planted:
    """One change: its name, its cell, how it is made, and what is named besides the cell."""

    name: str
    cell: str
    edit: Edit
    named: tuple[str, ...] = ()

    @property
    def cells(self) -> tuple[str]:
        return (self.cell,)


def words(name: str, cell: str, before: str, now: str, *forms: str) -> Planted:
    """One text for another, both of which are named."""
    return Planted(name, cell, swap(before, now, *forms), (re.escape(before), re.escape(now)))


PICTURE = "picture|image|SVG|PNG|chart"
PICTURES = (
    Planted(
        "a dot moved, its label kept",
        "chart",
        pattern(
            r'(<path transform="translate\()311\.4\d*(,[^>]*fill="#2b73b3")', r"\g<1>120\2", "svg"
        ),
        (PICTURE,),
    ),
    Planted(
        "a line redrawn",
        "trend chart",
        pattern(r'<path d="M[\d.]+,[\d.]+L', '<path d="M10,10L', "svg"),
        (PICTURE,),
    ),
    Planted(
        "two colours exchanged",
        "trend chart",
        edits.each(
            swap('fill="#2b73b3" stroke-width="2" opacity="0.4"', "\1", "svg"),
            swap('fill="#b84e13" stroke-width="2" opacity="0.4"', 'fill="#2b73b3" \2', "svg"),
            swap("\1", 'fill="#b84e13" stroke-width="2" opacity="0.4"', "svg"),
            swap("\2", 'stroke-width="2" opacity="0.4"', "svg"),
        ),
        (PICTURE,),
    ),
    Planted("a label of a dot", "chart", swap(">69.8%<", ">89.8%<", "svg"), ("89.8",)),
    words("the weight of a chart", "trend chart", "weight: agirlik", "weight: agirlik_b", "svg"),
    words("the base of a chart", "trend chart", "those who were asked", "everyone", "svg"),
    words("the bands of a chart", "trend chart", "95% intervals", "90% intervals", "svg"),
    words("the waves of a chart", "trend chart", "average of 2", "sum of 2", "svg"),
    words("a row of a chart", "chart", "Mavi Fincan", "Mavi Bardak", "svg"),
    Planted("another chart's PNG", "chart", edits.png_of("trend chart"), (PICTURE,)),
    Planted("pixels of a PNG", "chart", edits.repainted, (PICTURE,)),
    Planted("pixels of a picture of theirs", "picture", edits.repainted, (PICTURE,)),
    Planted("a chart of theirs", "own chart", swap('"bar"', '"line"'), ("bar", "line")),
    Planted("data of a chart of theirs", "own chart", swap("43.7304", "53.7304"), ("53.73",)),
)
_SAVED = "saved|widget"
SAVED_TABLES = (
    Planted(
        "the survey of a saved table",
        "widget",
        swap("survey kahve", "survey of Mars", "grid"),
        (_SAVED, "Mars"),
    ),
    Planted(
        "the scope of a saved table",
        "widget",
        swap("3 waves: İlkbahar 2025 to", "2 waves: Yaz 2025 to", "grid"),
        (_SAVED, "2 waves"),
    ),
    Planted(
        "the base of a saved table",
        "widget",
        swap('"name": "All"', '"name": "Women only"', "grid"),
        (_SAVED, "Women only"),
    ),
    Planted(
        "the metric of a saved table",
        "widget",
        swap('["column_percentage"]', '["row_percentage"]', "grid"),
        (_SAVED, "row"),
    ),
    Planted(
        "a row of a saved table",
        "table",
        swap('"Şirin Köşe"', '"Çirkin Köşe"', "grid"),
        (_SAVED, "Çirkin"),
    ),
    Planted(
        "counts of a saved table",
        "table",
        pattern('("size": {"data": ")zK5', r"\1zL5", "grid"),
        (_SAVED,),
    ),
    Planted(
        "arrows of a saved table",
        "widget",
        pattern('("level": {"data": ")ZABkAGQA', r"\1wwBkAGQA", "grid"),
        (_SAVED,),
    ),
    Planted(
        "colours of a saved table",
        "widget",
        pattern('"high": 110.883', '"high": 990.883', "grid"),
        (_SAVED,),
    ),
    Planted(
        "the method of a saved table",
        "widget",
        swap("Two-sided", "One-sided", "grid"),
        (_SAVED, "One-sided"),
    ),
    Planted(
        "the weighted base of a saved table",
        "table",
        swap("average of waves", "sum of waves", "grid"),
        (_SAVED, "sum of waves"),
    ),
)
FILES = (
    Planted(
        "a share in a workbook",
        "files",
        edits.in_zip("tablo.xlsx", r"xl/worksheets/sheet1\.xml", ">43.7304", ">53.7304"),
        (r"tablo\.xlsx", "53.7|0.537"),
    ),
    Planted(
        "a base in a workbook",
        "files",
        edits.in_zip("tablo.xlsx", r"xl/worksheets/sheet1\.xml", ">456<", ">546<"),
        (r"tablo\.xlsx", "546"),
    ),
    Planted(
        "a label in a workbook",
        "files",
        edits.in_zip("tablo.xlsx", r"xl/sharedStrings\.xml", ">Kadın<", ">Erkekler<"),
        (r"tablo\.xlsx", "Erkekler"),
    ),
    Planted(
        "the method in a workbook",
        "files",
        edits.in_zip("tablo.xlsx", r"xl/sharedStrings\.xml", "Two-sided", "One-sided"),
        (r"tablo\.xlsx", "One-sided"),
    ),
    Planted(
        "the weight in a workbook",
        "files",
        edits.in_zip("tablo.xlsx", r"xl/sharedStrings\.xml", ">Weight: agirlik", ">Weight: none"),
        (r"tablo\.xlsx", "none"),
    ),
    Planted(
        "a bar of a slide",
        "files",
        edits.in_zip("tablo.pptx", r"ppt/charts/chart1\.xml", ">43.7304", ">73.7304"),
        (r"tablo\.pptx", "73.7"),
    ),
    Planted(
        "a headline of a slide",
        "files",
        edits.in_zip("tablo.pptx", r"ppt/slides/slide1\.xml", "more than", "less than"),
        (r"tablo\.pptx", "less than"),
    ),
    Planted(
        "the base of a slide",
        "files",
        edits.in_zip("tablo.pptx", r"ppt/slides/slide1\.xml", "n = 456", "n = 1,456"),
        (r"tablo\.pptx", "1,456"),
    ),
    Planted(
        "a value in a CSV file",
        "files",
        edits.in_file("tablo.csv", "29.637805683842156", "39.637805683842156"),
        (r"tablo\.csv", "39.63"),
    ),
    Planted(
        "an answer in a CSV file",
        "files",
        edits.in_file("tablo.csv", "Kuru Kahve", "Acı Kahve"),
        (r"tablo\.csv", "Acı Kahve"),
    ),
    Planted(
        "a bar of an SVG file",
        "files",
        edits.in_file("grafik.svg", 'x2="3.58', 'x2="93.58'),
        (r"grafik\.svg",),
    ),
    Planted(
        "a label of an SVG file",
        "files",
        edits.in_file("grafik.svg", ">69.8%<", ">89.8%<"),
        (r"grafik\.svg", "89.8"),
    ),
    Planted("pixels of a PNG file", "files", edits.repainted_file("grafik.png"), (r"grafik\.png",)),
    Planted(
        "a share on a page",
        "files",
        edits.in_file("tablo.html", "43.7%", "53.7%"),
        (r"tablo\.html", "53.7"),
    ),
    Planted(
        "the record of a page",
        "files",
        edits.in_file("tablo.html", '"weight": "agirlik"', '"weight": "agirlik_b"'),
        (r"tablo\.html", "agirlik_b"),
    ),
    Planted(
        "the base on a page",
        "files",
        edits.in_file("tablo.html", "those who answered", "women"),
        (r"tablo\.html", "women"),
    ),
    Planted(
        "the method on a sheet of sources",
        "files",
        edits.in_zip("tablo.xlsx", r"xl/sharedStrings\.xml", "pooled", "unpooled"),
        (r"tablo\.xlsx", "unpooled"),
    ),
    Planted(
        "a sheet's name",
        "files",
        edits.in_zip("tablo.xlsx", r"xl/workbook\.xml", 'name="Source"', 'name="Quelle"'),
        (r"tablo\.xlsx", "Quelle"),
    ),
    Planted(
        "a letter in a workbook",
        "files",
        edits.in_zip("tablo.xlsx", r"xl/sharedStrings\.xml", "<t>A</t>", "<t>a</t>"),
        (r"tablo\.xlsx",),
    ),
    Planted(
        "a name beside a bar",
        "files",
        edits.in_zip("tablo.pptx", r"ppt/charts/chart1\.xml", "Mavi Fincan", "Kuru Kahve"),
        (r"tablo\.pptx", "Mavi Fincan"),
    ),
    Planted(
        "notes of a slide",
        "files",
        edits.in_zip("tablo.pptx", r"ppt/notesSlides/notesSlide\d\.xml", "agirlik", "agirlik_b"),
        (r"tablo\.pptx", "agirlik_b"),
    ),
    Planted(
        "a line of a CSV file deleted",
        "files",
        edits.in_file("tablo.csv", "\n5,", "\n#"),
        (r"tablo\.csv",),
    ),
)
NOTED = (Planted("a file deleted", "files", edits.removed("tablo.csv"), (r"tablo\.csv",)),)
"""What a receiver often lacks: it does not count as a change, and the report says so."""
