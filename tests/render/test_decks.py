"""Decks as they are sent: each slide's message, figures, positions, template and properties."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import numpy as np
import pytest

import audiencelab as al
from audiencelab.analysis.chart_plan import OF_EVERYONE
from audiencelab.analysis.finding import findings
from audiencelab.figures import percent
from audiencelab.render.cell_text import cell_texts
from audiencelab.render.layout import table_layout
from audiencelab.render.pptx import SlideTable, slide_table, write_slides
from audiencelab.render.table_layout import TableLayout
from tests.results.samples import counted

pptx: Any = pytest.importorskip("pptx")

BANNER = ["geschlecht", "altersgruppe"]


@pytest.fixture(scope="module")
def demo() -> Iterator[al.Client]:
    with al.connect() as opened:
        yield opened


def deck_of(result: Any, **options: Any) -> Any:
    file = BytesIO()
    result.to_pptx(file, **options)
    return pptx.Presentation(file)


def shapes(deck: Any) -> Iterator[Any]:
    return (shape for slide in deck.slides for shape in slide.shapes)


def charts(deck: Any) -> list[Any]:
    return [shape.chart for shape in shapes(deck) if shape.has_chart]


def titles(deck: Any) -> list[str]:
    return [slide.shapes.title.text for slide in deck.slides]


def lines(deck: Any) -> list[list[str]]:
    tables = [shape.table for shape in shapes(deck) if shape.has_table]
    return [[cell.text for cell in row.cells] for table in tables for row in table.rows]


# -- figures --------------------------------------------------------------------------------------


def plotted(deck: Any) -> Iterator[tuple[str, str, float | None]]:
    """Category, series and value of everything that is drawn."""
    for chart in charts(deck):
        for series in chart.plots[0].series:
            for category, value in zip(chart.plots[0].categories, series.values, strict=True):
                yield str(category), series.name, value


def figures(layout: TableLayout) -> dict[frozenset[str], set[float]]:
    """The values of the first metric by the names of row, item and column."""
    found: dict[frozenset[str], set[float]] = {}
    for row, cell in enumerate(layout.stub):
        for column, head in enumerate(layout.banner):
            value = float(layout.metrics[0].values[row, column])
            for names in (
                (cell.name, head.name),
                (cell.name, cell.groups[-1]) if cell.groups else (),
            ):
                found.setdefault(frozenset(names), set()).add(value)
    return found


def check_figures(table: Any) -> None:
    layout = table_layout(table, metrics=["column"])
    deck = deck_of(table, metrics=["column"])
    known, drawn = figures(layout), list(plotted(deck))
    assert drawn
    for category, series, value in drawn:
        assert value is None or value in known[frozenset((category, series))]
    written: dict[str, list[str]] = {}
    for name, *cells in lines(deck):
        # Each slide of a wide table begins with everyone.
        written.setdefault(name, []).extend(cells[1:] if name in written else cells)
    for row, cell in enumerate(layout.stub):
        texts = [
            " / ".join(map(str, cell_texts(layout, row, at))) for at in range(len(layout.banner))
        ]
        # Columns that do not fit continue on another slide, items repeat the names of answers.
        assert " ".join(texts[1:]) in " ".join(written[layout.row_name(row)]), cell.name


@pytest.mark.parametrize(
    ("rows", "columns"),
    [
        ("Pets", "Gender"),
        ("Finding brands", ["Gender", "Age"]),
        ("Feelings about AI", "Age"),
        ("Trust in sources", "Gender"),
        ("Finding brands", "waves"),
        ("Trust in sources", "waves"),
        ("Pets", al.nest("Gender", "Age")),
    ],
)
def test_every_figure_of_the_demo_is_the_results_own(
    demo: al.Client, rows: Any, columns: Any
) -> None:
    check_figures(demo.crosstab(rows, columns))


@pytest.mark.parametrize("question", ["b1", "f31", "f30", "m1", "h1"])
def test_every_figure_of_an_agencys_survey_is_the_results_own(
    agency: al.Client, question: str
) -> None:
    check_figures(agency.crosstab(question, BANNER))


def test_totals_of_a_stack_are_those_of_top_and_bottom_boxes(agency: al.Client) -> None:
    boxes: Any = [getattr(al, f"{end}_box")("f30", 2) for end in ("bottom", "top")]
    own = agency.crosstab(boxes, "geschlecht")["column"].to_numpy()
    found = lines(deck_of(agency.crosstab("f30", "geschlecht"), tables=False))
    names = ["weiblich", "männlich", "divers"]
    low = {line[0]: line[1] for line in found if line[0] in names}
    assert [low[name] for name in names] == [percent(each) for each in own[0]]
    assert [line[0] for line in found if line[0] not in names] == [percent(each) for each in own[1]]


def test_an_arranged_table_has_an_arranged_chart(demo: al.Client) -> None:
    table = demo.crosstab("Pets", "Gender")
    deck = deck_of(table, sort="label", top=3, rename={"Female": "Women"}, decimals=0)
    assert list(charts(deck)[0].plots[0].categories) == ["Bird", "Cat", "Dog"]
    assert [each.name for each in charts(deck)[0].plots[0].series][1] == "Women"
    assert '0"%"' in {each.data_labels.number_format for each in charts(deck)[0].plots[0].series}


def test_a_chart_slide_says_how_many_rows_it_draws(demo: al.Client) -> None:
    table = demo.crosstab("Finding brands", "waves")
    for options, said, drawn in (
        ({}, "The largest 6 of 20 rows", 6),
        ({"top": 3}, "3 of 20 rows are shown: the 3 largest by All", 3),
        ({"top": 8}, "8 of 20 rows are shown: the 8 largest by All", 8),
    ):
        deck = deck_of(table, tables=False, **options)
        foot = next(each.text_frame.text for each in shapes(deck) if "Base" in each.name)
        assert said in foot
        assert foot.count("20 rows") == 1
        assert len({each.name for chart in charts(deck) for each in chart.plots[0].series}) == drawn


@pytest.mark.parametrize(
    ("word", "kind", "said"),
    [
        ("barh", "bar", ""),
        ("trend", "line", ""),
        ("lines", "line", ""),
        ("dots", "bar", "Bars in place of dots"),
        ("points", "bar", "Bars in place of points"),
        ("heatmap", None, ""),
    ],
)
def test_words_for_charts_are_words_for_slides(
    demo: al.Client, word: str, kind: str | None, said: str
) -> None:
    table = demo.crosstab("Pets", "waves")

    def drawn(chart: str | None) -> list[tuple[Any, ...]]:
        return [
            tuple(each.values)
            for one in charts(deck_of(table, chart=chart))
            for each in one.plots[0].series
        ]

    assert drawn(word) == drawn(kind)
    deck = deck_of(table, chart=word)
    assert any(said in each.text_frame.text for each in shapes(deck) if each.has_text_frame)


def test_a_table_too_wide_for_a_chart_is_drawn_for_everyone(demo: al.Client) -> None:
    table = demo.crosstab("Pets", al.nest("Gender", "Age"))
    deck = deck_of(table, tables=False)
    assert titles(deck) == ["Pets"]
    assert any(
        OF_EVERYONE[:-1] in each.text_frame.text for each in shapes(deck) if each.has_text_frame
    )
    [series] = charts(deck)[0].plots[0].series
    share = demo.crosstab("Pets").values("column_percentage")[:, 0]
    np.testing.assert_allclose(sorted(series.values), sorted(share))


def test_slides_of_everyone_are_not_titled_by_columns(agency: al.Client) -> None:
    grid = agency.tab_book(["geschlecht", "altersgruppe"], ["f10"])
    assert {each.partition(" (")[0] for each in titles(deck_of(grid, title="", tables=False))} == {
        "Wie sehr stimmen Sie den folgenden Aussagen zu?"
    }


def test_a_question_by_itself_is_a_chart_of_everyone(agency: al.Client) -> None:
    book = agency.tab_book("geschlecht", ["geschlecht"])
    deck = deck_of(book, title="", vs=None)
    assert titles(deck) == ["Geschlecht"]
    [series] = charts(deck)[0].plots[0].series
    share = agency.crosstab("geschlecht").values("column_percentage")[:, 0]
    np.testing.assert_allclose(sorted(series.values), sorted(share), rtol=1e-6)
    both = deck_of(agency.tab_book(["geschlecht", "bildung"], ["geschlecht"]), title="", vs=None)
    drawn = {each.text_frame.text for each in shapes(both) if each.name.startswith(("Head", "Key"))}
    assert not any("weiblich" in each for each in drawn)


def test_statistics_have_scales_of_their_own_and_start_at_zero(agency: al.Client) -> None:
    means = [agency["alter"].mean(), agency["nps"].nps()]
    table: Any = agency.crosstab(means, "altersgruppe")
    age, nps = charts(deck_of(table))
    assert list(age.plots[0].series[0].values) == pytest.approx(table.statistics.values("value")[0])
    assert age.value_axis.minimum_scale == 0
    assert nps.value_axis.minimum_scale < 0 < nps.value_axis.maximum_scale
    assert age.value_axis.maximum_scale != nps.value_axis.maximum_scale


def test_a_grid_of_thirty_items_fits_two_slides(agency: al.Client) -> None:
    deck = deck_of(agency.crosstab("f10", BANNER), tables=False)
    assert len(deck.slides) == 2
    assert [len(list(each.plots[0].categories)) for each in charts(deck)] == [15, 15]


# -- positions ------------------------------------------------------------------------------------


def test_nothing_is_beyond_a_slide_or_under_its_foot(agency: al.Client) -> None:
    book = agency.tab_book(BANNER, ["b1", "m1", "f10", "f40", "nps", "branche", "h1", "ausgaben"])
    deck = deck_of(book)
    for slide in deck.slides:
        own = [shape for shape in slide.shapes if shape.width]
        foot = [each for each in own if each.name.startswith("Base and source")]
        for shape in own:
            assert shape.left >= 0
            assert shape.left + shape.width <= deck.slide_width + 1
            assert shape.top + shape.height <= deck.slide_height + 1
            if shape.has_table or shape.has_chart:
                assert shape.top + shape.height <= foot[0].top + 1


def test_texts_at_the_ends_of_lines_do_not_overlap(agency: al.Client) -> None:
    [slide] = deck_of(agency.crosstab("b1", "waves"), tables=False).slides
    ends = sorted(
        (each.top, each.top + each.height) for each in slide.shapes if each.name.startswith("End")
    )
    assert len(ends) == 6
    assert all(below >= bottom for (_, bottom), (below, _) in pairwise(ends))


# -- headlines ------------------------------------------------------------------------------------


def apart(small: int = 1_000) -> Any:
    """Two answers by three columns, of which the last has few respondents and differs most."""
    people = np.array([[600, 450, 0.9 * small], [400, 550, 0.1 * small]])
    return counted(("Yes", "No"), ("North", "South", "East"), people)


def test_the_headline_is_the_finding_with_its_figures() -> None:
    deck = deck_of(apart(), tables=False)
    assert titles(deck) == ["Yes: 90.0% of East, more than the 52.5% of everyone else"]
    assert titles(deck_of(apart(), tables=False, headline="question")) == ["Crosstab"]
    assert titles(deck_of(apart(), tables=False, headline="East is ahead")) == ["East is ahead"]


def test_low_bases_and_chance_make_no_headline() -> None:
    assert next(each.column for each in findings(apart(small=50))) in (0, 1)
    same = np.array([[500, 505], [500, 495]])
    assert findings(counted(("Yes", "No"), ("North", "South"), same)) == []


def test_a_row_that_a_group_is_defined_by_makes_no_headline() -> None:
    # Bands of an amount by groups of the same amount: some groups have none of the first band.
    people = np.array([[600, 300, 0], [400, 700, 1_000]])
    assert findings(counted(("45 to 59", "Other"), ("30–49", "50–64", "65+"), people)) == []


def test_a_mean_is_told_with_the_ends_of_its_scale_and_of_most_rows(agency: al.Client) -> None:
    table = agency.crosstab(["m1", agency["f10"].mean()], ["geschlecht"])
    first, *others = titles(deck_of(table, chart=None))
    # The first slide has sources of news and some means at its end.
    assert first.startswith(table.row_groups[0][0])
    ends = r" \(1 stimme überhaupt nicht zu … 7 stimme voll und ganz zu\)"
    frame: Any = table.to_frame()
    means = {
        (row.partition(": mean")[0], column): f"{value:.2f}"
        for row, column, value in zip(frame["row"], frame["column"], frame["value"], strict=True)
    }
    assert others
    for title in others:
        told = re.fullmatch(rf"(.*): mean (.*) for (.*), [\d.]+ for everyone else{ends}", title)
        assert told is not None
        assert told[2] == means[told[1], told[3]]


def test_the_headline_of_a_tracker_is_about_its_latest_wave(demo: al.Client) -> None:
    table = demo.crosstab("Finding brands", "waves")
    for found in findings(table):
        assert (found.column, found.before) == (3, 2)
        assert found.value == table.values("column_percentage")[found.row, 3]


def test_a_book_without_tests_has_its_questions_as_headlines(demo: al.Client) -> None:
    book = demo.tab_book("Gender", ["Pets", "Feelings about AI"])
    assert not any("everyone else" in each for each in titles(deck_of(book, vs=None)))
    assert any("everyone else" in each for each in titles(deck_of(book)))
    assert titles(deck_of(book, title="My book"))[0] == "My book"


# -- templates ------------------------------------------------------------------------------------


def house() -> Any:
    """A 4:3 template: a footer on each layout, and an image where other titles are."""
    made = pptx.Presentation()
    for layout in made.slide_layouts:
        for each in layout.placeholders:
            if "FOOTER" in str(each.placeholder_format.type):
                each.text_frame.text = "House & Sons"
    # The layout with a title and nothing else is gone; its title is for an image.
    only = made.slide_layouts[5]
    only.placeholders[0].element.find(".//{*}ph").set("type", "pic")
    return made


def low_title() -> Any:
    """A template whose only layout has its title at the lower edge."""
    made = pptx.Presentation()
    for layout in list(made.slide_layouts)[:5] + list(made.slide_layouts)[6:]:
        made.slide_layouts.remove(layout)
    title = made.slide_layouts[0].placeholders[0]
    title.left, title.top, title.width, title.height = 500_000, 5_000_000, 8_000_000, 900_000
    return made


@pytest.mark.parametrize("template", [house, low_title])
def test_a_template_is_filled_as_its_house_would(
    template: Any, tmp_path: Path, demo: al.Client
) -> None:
    template().save(tmp_path / "house.pptx")
    book = demo.tab_book("Gender", ["Pets", "Feelings about AI"])
    deck = deck_of(book, template=tmp_path / "house.pptx")
    assert (deck.slide_width, deck.slide_height) == (9_144_000, 6_858_000)
    for slide in deck.slides:
        for each in slide.placeholders:
            assert "PICTURE" not in str(each.placeholder_format.type)
            assert each.text_frame.text, "nothing is left to be filled in"
        if template is house:
            assert any(each.text_frame.text == "House & Sons" for each in slide.placeholders)
        for shape in slide.shapes:
            assert shape.top + shape.height <= deck.slide_height
            if shape.has_chart or shape.has_table:
                title = slide.shapes.title
                assert (
                    shape.top >= title.top + title.height or title.top >= shape.top + shape.height
                )
    assert "accent1" in charts(deck)[0].part.blob.decode()


# -- the file -------------------------------------------------------------------------------------


def test_sections_have_each_slide_once(demo: al.Client) -> None:
    tables: list[SlideTable] = []
    for name, section in (("Pets", "Life"), ("Sleep", "Life"), ("Finding brands", "Media")):
        result = demo.crosstab(name, "Gender")
        layout = replace(table_layout(result, metrics=["column"]), section=section)
        tables.append(slide_table(result, layout, "auto"))
    file = BytesIO()
    write_slides(file, tables, title="Book")
    with ZipFile(file) as parts:
        text = parts.read("ppt/presentation.xml").decode()
    assert re.findall(r'p14:section name="(\w+)"', text) == ["Book", "Life", "Media"]
    listed = re.findall(r'p14:sldId id="(\d+)"', text)
    assert listed == [str(slide.slide_id) for slide in pptx.Presentation(file).slides]


def test_the_notes_have_the_code_that_makes_the_table(demo: al.Client) -> None:
    mean = demo["Age"].mean()
    table = demo.crosstab(["Pets", mean], ["Gender", "Age"], waves="latest 1")
    notes = deck_of(table).slides[0].notes_slide.notes_text_frame.text
    code = notes[notes.index("client.crosstab(") :]
    made = eval(code, {"al": al, "client": demo})
    assert np.array_equal(made.values("sample"), table.values("sample"))
    assert (made.row_groups, made.column_groups) == (table.row_groups, table.column_groups)
    assert "(['Pets', " in code, "a whole question is one word"


def test_a_file_names_nobody(demo: al.Client) -> None:
    deck = deck_of(demo.crosstab("Pets", "Gender"))
    known = deck.core_properties
    assert (known.author, known.last_modified_by, known.comments) == ("", "", "")
    assert known.title == "Pets by Gender"
    with ZipFile(BytesIO(charts(deck)[0].part.chart_workbook.xlsx_part.blob)) as book:
        assert not [name for name in book.namelist() if name.startswith("docProps")]
