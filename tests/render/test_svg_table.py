"""Tables as SVG: text as it is, with nothing that runs, and nothing over each other."""

from __future__ import annotations

from xml.etree import ElementTree

from audiencelab.markup import Cell, Html, Section, card, code_block, table
from audiencelab.render.svg_table import card_svg

HOSTILE = '</text><script>alert(1)</script><a href="https://x">=cmd|\x1b[31m&'

SVG = "{http://www.w3.org/2000/svg}"


def drawn() -> ElementTree.Element:
    long = "Welche der folgenden Kaffeemarken kennen Sie, und sei es nur dem Namen nach? " * 2
    rows = [
        [Cell("Base", "opacity:.7"), "1,000", "12"],
        Section(long),
        [Cell(HOSTILE), Cell("40.2%", "background:#e827"), Html("1<br>2", "1 / 2")],
        ["新しい商品やサービス", "▲ 12.0%", "–"],
    ]
    made = table(
        ["", HOSTILE, "B"], rows, numeric=(1, 2), above=[[("", 1), ("Group", 2)]], most=None
    )
    return ElementTree.fromstring(card_svg(card(HOSTILE, made, code_block("x = 1"))))


def test_labels_are_text_and_nothing_else() -> None:
    root = drawn()
    assert {each.tag for each in root.iter()} == {
        f"{SVG}{tag}" for tag in ("svg", "text", "rect", "path")
    }
    words = " ".join(each.text or "" for each in root.iter(f"{SVG}text"))
    assert "<script>alert(1)</script>" in words.replace("\n", "")
    assert "x = 1" not in words
    assert not {name for each in root.iter() for name in each.attrib} & {"href", "onload", "style"}


def test_nothing_is_outside_or_over_each_other() -> None:
    root = drawn()
    wide, high = float(root.attrib["width"]), float(root.attrib["height"])
    places = [
        (float(each.attrib["x"]), float(each.attrib["y"])) for each in root.iter(f"{SVG}text")
    ]
    assert len({*places}) == len(places)
    assert all(0 <= x <= wide and 0 <= y <= high for x, y in places)
    colours = {each.attrib.get("fill") for each in root.iter(f"{SVG}rect")}
    assert {"#ffffff", "#e82"} <= colours
