"""Blocks of static HTML: escaped once, one escape for the package, small, right without a theme."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import audiencelab
from audiencelab.markup import (
    ROW_CAP,
    TABLE_BYTES,
    Cell,
    card,
    code_block,
    element,
    escape,
    joined,
    muted,
    table,
    text,
)
from tests.render.html_reader import Reader

HOSTILE = "<img src=x onerror=alert(1)>&\"'"
CARD = card(
    "Title",
    table(["Who", "Size"], [["Men", "1,234"], ["Women", Cell("…", "opacity:.7")]], numeric=[1]),
    code_block("al.Q('q4')"),
    muted("aside"),
    subtitle="base: All",
)


class TestEscaping:
    def test_text_and_attributes_are_escaped_once(self) -> None:
        made = element("b", '<i> & "x"', title="'<&>", style="a'b")
        quote = "&#x27;"
        attributes = f"title='{quote}&lt;&amp;&gt;' style='a{quote}b'"
        assert str(made) == f"<b {attributes}>&lt;i&gt; &amp; &quot;x&quot;</b>"
        assert str(element("p", made)) == f"<p>{made}</p>"
        assert str(joined("<", made)) == f"&lt;{made}"

    def test_every_block_shows_hostile_words_as_words(self) -> None:
        made = card(
            HOSTILE,
            table([HOSTILE], [[HOSTILE], [Cell(HOSTILE)]], noun=HOSTILE, hidden=1),
            code_block(HOSTILE),
            muted(HOSTILE),
            HOSTILE,
            subtitle=HOSTILE,
        )
        read = Reader(str(made))
        assert "img" not in {tag for tag, _ in read.tags}
        assert read.text.count(HOSTILE) == 9

    def test_long_text_is_cut(self) -> None:
        assert str(text("x" * 10_000)) == "x" * 399 + "…"
        assert str(text("x" * 10_000, most=300)) == "x" * 299 + "…"
        assert Reader(str(table(["x" * 999], [["x" * 999]]))).text == 2 * ("x" * 119 + "…|")

    def test_nothing_else_in_the_package_escapes(self) -> None:
        package = Path(audiencelab.__file__).parent
        importing = {
            path.relative_to(package).as_posix()
            for path in package.rglob("*.py")
            if "html" in _modules_of(path)
        }
        # A token that a service repeats is searched for in its escaped form too; an import reads
        # the HTML of labels, records and outputs of notebooks are read back.
        assert importing == {
            "markup.py",
            "client/veil.py",
            "ingest/markup.py",
            "notebook/check_texts.py",
            "notebook/file_reading.py",
            "notebook/image_reading.py",
            "render/records.py",
        }
        assert escape("<\"'&>") == "&lt;&quot;&#x27;&amp;&gt;"


class TestTables:
    def test_columns_and_rows_have_header_cells(self) -> None:
        heads = [attributes for tag, attributes in Reader(str(CARD)).tags if tag == "th"]
        assert [each.get("scope") for each in heads] == ["col", "col", "row", "row"]

    def test_words_stand_to_the_left_and_figures_to_the_right(self) -> None:
        read = Reader(str(CARD))
        [whole] = read.styles("table")
        assert "text-align:right" in whole
        assert "tabular-nums" in whole
        assert ["left" in style for style in read.styles("th")] == [True, False, True, True]
        assert not any("text-align" in style for style in read.styles("td"))

    def test_a_long_table_says_how_much_it_leaves_out(self) -> None:
        made = str(table(["n"], ([str(n)] for n in range(1_200)), hidden=34, noun="answer"))
        assert made.count("<tr") == 1 + ROW_CAP + 1
        assert f"… and {1_200 - ROW_CAP + 34:,} more answers" in made

    def test_a_heavy_table_ends_before_it_is_too_heavy(self) -> None:
        for label in ("x" * 90, "女" * 90, HOSTILE * 5):
            made = str(table(["a", "b"], [[label, label]] * 500, most=500))
            shown = made.count("<tr") - 2
            assert 1 < shown < 500
            assert f"… and {500 - shown:,} more rows" in made
            assert len(made.encode()) < TABLE_BYTES + 1_000

    def test_a_row_that_is_too_heavy_alone_is_shown_all_the_same(self) -> None:
        wide = [str(n) * 100 for n in range(300)]
        assert "… and 1 more row<" in str(table(wide, [wide, wide]))


class TestLooks:
    def test_styles_are_inline_only(self) -> None:
        read = Reader(str(CARD))
        assert not read.open
        assert not {"style", "script", "link"} & {tag for tag, _ in read.tags}
        # The one class asks for no looks: it keeps dollar signs from being set as mathematics.
        classes = [attributes["class"] for _, attributes in read.tags if "class" in attributes]
        assert classes == ["mathjax_ignore"]

    def test_variables_of_the_theme_have_a_fall_back(self) -> None:
        variables = re.findall(r"var\(([^)]*)\)", str(CARD))
        assert variables
        assert all(name.startswith("--jp-") and "," in name for name in variables)

    def test_no_colour_suits_one_kind_of_paper_only(self) -> None:
        colours = re.findall(r"(?<!-)(?:color|background|border-top):([^;']*)", str(CARD))
        assert colours
        assert all(
            "var(--jp-" in each or each in {"inherit", "none", "1px solid #8885"}
            for each in colours
        )

    def test_attributes_take_no_escape_in_a_saved_notebook(self) -> None:
        assert '"' not in str(CARD)

    def test_quotes_stand_where_a_parser_needs_them(self) -> None:
        assert str(element("td", style="a:1.5;b:f(1,2)")) == "<td style=a:1.5;b:f(1,2)></td>"
        for hostile in ("a b", "x/", "a=b", "é", "`", "x&y"):
            assert str(element("td", title=hostile)).startswith("<td title='")
            assert Reader(str(element("td", title=hostile))).tags == [("td", {"title": hostile})]

    def test_a_style_of_all_cells_of_a_row_is_said_once(self) -> None:
        quiet, loud = Cell("1", "opacity:.7"), Cell("2")
        read = Reader(str(table(["a", "b"], [[quiet, quiet], [quiet, loud]])))
        assert ["opacity" in style for style in read.styles("tr")] == [False, True, False]
        assert ["opacity" in style for style in read.styles("th")] == [False, False, False, True]
        assert not any("opacity" in style for style in read.styles("td"))


def _modules_of(path: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            found.add(node.module or "")
    return found
