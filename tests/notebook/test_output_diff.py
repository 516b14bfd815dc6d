"""Two runs of a cell are compared by what they say, and not by how it was written."""

from __future__ import annotations

from typing import Any

import altair as alt
import numpy as np
import pandas as pd
import pytest

from audiencelab.notebook import Change, compare
from audiencelab.render.mime_payload import CROSSTAB
from tests.results.samples import crosstab


def shown(**forms: object) -> list[dict[str, Any]]:
    """An output with these forms: text, html, svg, chart."""
    kinds = {
        "text": "text/plain",
        "html": "text/html",
        "svg": "image/svg+xml",
        "chart": "application/vnd.vegalite.v6+json",
    }
    return [{"output_type": "execute_result", "data": {kinds[f]: v for f, v in forms.items()}}]


def printed(text: str) -> list[dict[str, Any]]:
    return [{"output_type": "stream", "name": "stdout", "text": text}]


def frame(*figures: float) -> pd.DataFrame:
    return pd.DataFrame({"index": figures}, index=["Women", "Men"])


class TestTables:
    def test_a_figure_that_moved_is_named_by_its_row_and_column(self) -> None:
        before, now = (
            shown(html=frame(112.4, 90.0).to_html()),
            shown(html=frame(115.0, 90.0).to_html()),
        )
        assert compare(before, now) == (Change("Women, index", "112.4", "115.0", "HTML"),)
        assert str(compare(before, now)[0]) == "Women, index: 112.4 → 115.0"

    def test_how_a_table_looks_is_compared_without_spaces_and_ids(self) -> None:
        plain = frame(112.4, 90.0).to_html()
        assert compare(shown(html=plain), shown(html=plain.replace("\n", " "))) == ()
        red = plain.replace("<td>112.4", "<td style='color: red'>112.4")
        (change,) = compare(shown(html=plain), shown(html=red))
        assert str(change) == "looks: <td> → Women: <td style=color: red>"
        first, second = (frame(1, 2).style.highlight_max().to_html() for _ in range(2))
        assert first != second
        assert compare(shown(html=first), shown(html=second)) == ()

    def test_rows_and_columns_of_one_table_alone_are_named(self) -> None:
        before, now = frame(1, 2), frame(1, 2).head(1)
        (change,) = compare(shown(html=before.to_html()), shown(html=now.to_html()))
        assert str(change) == "row Men: Men | 2 → nothing"
        (change,) = compare(shown(html=now.to_html()), shown(html=before.to_html()))
        assert str(change) == "row Men: nothing → Men | 2"
        wide = before.assign(size=9)
        (change,) = compare(shown(html=before.to_html()), shown(html=wide.to_html()))
        assert str(change) == "column size: nothing → size | 9 | 9"
        (change,) = compare(shown(html=before.to_html()), shown(html=before[::-1].to_html()))
        assert str(change) == "order of rows: Women | Men → Men | Women"

    def test_tables_of_different_shapes_are_compared_where_both_have_a_cell(self) -> None:
        now = pd.concat([frame(112.4, 95.0), frame(3.0, 4.0).rename(index={"Men": "Women"})])
        found = compare(shown(html=frame(115.0, 90.0).to_html()), shown(html=now.to_html()))
        # Women are in two rows of the second table.
        assert list(map(str, found)) == [
            "Women, index: 115.0 → 112.4",
            "Men, index: 90.0 → 95.0",
            "row Women: nothing → Women | 3.0",
            "row Women: nothing → Women | 4.0",
        ]

    def test_a_result_of_ours_is_read_cell_by_cell(self, small_result: Any) -> None:
        html = small_result.to_html()
        share = f"{small_result.to_wide('column_percentage').iloc[0, 0]:.1f}"
        assert html.count(f">{share}") == 1
        moved = html.replace(f">{share}", ">99.9")
        (change,) = compare(shown(html=html), shown(html=moved))
        assert change.before.startswith(share)
        assert change.now.startswith("99.9")


class TestText:
    def test_lines_are_compared_where_they_stand(self) -> None:
        assert compare(printed("a\nb\nc\n"), printed("a\nB\nc\n")) == (
            Change("", "b", "B", "text"),
        )
        assert compare(printed("a\n"), printed("a\nb\n")) == (Change("", "", "b", "text"),)
        assert str(Change("", "", "b")) == "nothing → b"

    @pytest.mark.parametrize(
        ("before", "now"),
        [
            ("made 2026-11-21T10:00:00+00:00", "made 2027-01-02T03:04:05Z"),
            ("<Chart at 0x7f01>", "<Chart at 0x7fff>"),
            ("id 0123456789abcdef0123456789abcdef", "id fedcba9876543210fedcba9876543210"),
            ("12 %\r 56 %\rdone\n", "done\n"),
            ("figures  \n\n", "figures\n"),
        ],
    )
    def test_what_differs_each_time_and_means_nothing_is_left_out(
        self, before: str, now: str
    ) -> None:
        assert compare(printed(before), printed(now)) == ()

    def test_figures_are_never_taken_for_something_without_meaning(self) -> None:
        for before, now in (("20261121", "20261122"), ("-1", "1"), ("1e5", "1e6"), ("0.10", "0.1")):
            assert compare(printed(before), printed(now)) != ()

    def test_an_error_says_its_name_and_its_words(self) -> None:
        error = {"output_type": "error", "ename": "ValueError", "evalue": "no", "traceback": []}
        assert compare([], [error]) == (Change("output", "", "ValueError: no", "error"),)


class TestCharts:
    def test_a_chart_is_compared_by_its_data_and_not_by_its_name(self) -> None:
        def chart(*shares: float) -> dict[str, Any]:
            data = pd.DataFrame({"share": shares})
            return alt.Chart(data).mark_bar().encode(x="share").to_dict()

        assert compare(shown(chart=chart(1, 2)), shown(chart=chart(1, 2))) == ()
        assert len(compare(shown(chart=chart(1, 2)), shown(chart=chart(1, 3)))) == 1

    @pytest.mark.parametrize("renderer", ["html", "mimetype"])
    def test_whichever_of_altairs_renderers_wrote_it(self, renderer: str) -> None:
        def cell(share: float, title: str = "Shares })({") -> list[dict[str, Any]]:
            data = pd.DataFrame({"name": ["})({"], "share": [share]})
            chart = alt.Chart(data, title=title).mark_bar().encode(x="share").to_dict()
            write = getattr(alt.vegalite.v6.display, f"{renderer}_renderer")
            written = write(chart)
            forms = written[0] if isinstance(written, tuple) else written
            return [{"output_type": "execute_result", "data": forms}]

        assert compare(cell(1), cell(1)) == ()
        (change,) = compare(cell(1), cell(2))
        assert str(change) == "})({, share: 1 → 2"
        assert compare(cell(1), cell(1, "Others")) == (
            Change("title", "Shares })({", "Others", "chart"),
        )

    def test_a_picture_by_the_words_of_its_marks(self) -> None:
        svg = '<svg><path aria-label="age: 18 to 24; share: {}"/><text>18 to 24</text></svg>'
        assert compare(shown(svg=svg.format(12)), shown(svg=svg.format(12))) == ()
        (change,) = compare(shown(svg=svg.format(12)), shown(svg=svg.format(13)))
        assert change.now == "age: 18 to 24; share: 13"


def drawn(*lines: str, width: str = "80.5") -> list[dict[str, Any]]:
    spans = "".join(f"<tspan>{line}</tspan>" for line in lines)
    return shown(svg=f'<svg><path d="M0,0h{width}v20" fill="#2b73b3"/><text>{spans}</text></svg>')


def test_where_a_source_line_is_wrapped_is_no_difference() -> None:
    cited = "Source: Żak (2025), Sondaż (survey sondaz, version 8941391e),"
    before = drawn("Tea", cited, "counted 2026-11-30 with audiencelab 2.9.0", "n = 5")
    now = drawn("Tea", f"{cited} counted", "2026-12-24 with audiencelab 3.0.0.dev0", "n = 5")
    assert compare(before, now) == ()
    (change,) = compare(before, drawn("Tea", f"{cited} counted", "2026-12-24", "n = 6"))
    assert (change.before, change.now) == ("n = 5", "n = 6")


def test_a_drawing_is_compared_to_a_hundredth_of_a_point() -> None:
    before = drawn(width="80.50344280726506")
    assert compare(before, drawn(width="80.50344280726503")) == ()
    assert compare(before, drawn(width="80.52")) != ()
    colours = before[0]["data"]["image/svg+xml"].replace("#2b73b3", "#2b74b3")
    assert compare(before, shown(svg=colours)) != ()


def table_with_figures(**changes: Any) -> list[dict[str, Any]]:
    """A crosstab as a notebook keeps it, in all its forms."""
    data, _ = crosstab(**changes)._repr_mimebundle_()
    return [{"output_type": "execute_result", "data": data}]


class TestFiguresBesideATable:
    def test_the_same_table_has_the_same_figures(self) -> None:
        assert compare(table_with_figures(), table_with_figures()) == ()

    def test_a_figure_that_no_table_shows_is_compared_too(self) -> None:
        sizes = np.array([[10.0, 11.0, 12.0], [13.0, 14.0, 15.0]])
        changed = sizes.copy()
        changed[1, 2] = 16.0
        before, now = table_with_figures(size=sizes), table_with_figures(size=changed)
        now[0]["data"]["text/html"] = before[0]["data"]["text/html"]
        (change, *heat) = compare(before, now)
        assert change == Change("Women (saved size), Water", "15", "16", "saved widget")
        assert all(each.where.startswith("heat ") for each in heat)

    def test_what_moved_in_the_table_is_told_once(self) -> None:
        before, now = table_with_figures(), table_with_figures(column_percentage=12.3)
        found = compare(before, now)
        assert {change.form for change in found if not change.repeated} == {"HTML"}
        assert {change.form for change in found} >= {"HTML", "Markdown form"}

    def test_figures_that_cannot_be_read_are_no_figures(self) -> None:
        before, now = table_with_figures(), table_with_figures()
        now[0]["data"][CROSSTAB] = {**now[0]["data"][CROSSTAB], "planes": {"size": {"data": "%"}}}
        found = compare(before, now)
        assert found
        assert compare(now, now) == ()
        assert any("nothing" in str(change) or "cannot be read" in str(change) for change in found)


def test_a_client_that_replays_is_the_client_of_the_same_survey() -> None:
    live, other = (
        "<Client of the embedded service, survey a>",
        "<Client of the snapshot x, survey b>",
    )
    assert compare(shown(text=live), shown(text=other.replace("survey b", "survey a"))) == ()
    assert compare(shown(text=live), shown(text=other)) != ()
    remote = shown(text="<Client of https://a.example>")
    assert compare(remote, shown(text="<Client of the snapshot x, https://a.example>")) == ()


def test_what_a_recording_says_of_itself_is_no_output() -> None:
    begun, replayed = (
        shown(text=f"<Recording for a.jsonl, {state} responses>")
        for state in ("recording: 0", "not recording: 0")
    )
    assert compare(begun, replayed) == ()


def test_another_order_of_columns_rows_lines_or_outputs_is_said_as_such() -> None:
    tea = pd.DataFrame({"Women": [1, 2], "Men": [3, 4]}, index=["Tea", "Milk"])
    before = shown(html=tea.to_html())
    for other, said in (
        (tea[["Men", "Women"]], "order of columns: Women | Men → Men | Women"),
        (tea[::-1], "order of rows: Tea | Milk → Milk | Tea"),
    ):
        assert [*map(str, compare(before, shown(html=other.to_html())))] == [said]
    legend = [drawn("Title", *lines) for lines in (("Yes", "No"), ("No", "Yes"))]
    assert [*map(str, compare(*legend))] == ["order: Yes | No → No | Yes"]
    twice = [drawn("Title", *lines, *lines) for lines in (("Yes", "No"), ("No", "Yes"))]
    assert [each.where for each in compare(*twice)] == ["order"]
    two = [*before, *shown(html=frame(1, 2).to_html())]
    assert [*map(str, compare(two, two[::-1]))] == ["order of outputs: 1, 2 → 2, 1"]
    moved = compare(two, [*before, *shown(html=frame(1, 5).to_html())])
    assert [each.form for each in moved] == ["HTML, output 2"]


@pytest.mark.parametrize(
    ("before", "now", "codes"),
    [
        ("B\u0435bidas", "Bebidas", "U+0435 → U+0065"),
        ("Caf\u00e9\u200b", "Caf\u00e9", "U+200B → nothing"),
        ("n\u00e3o", "na\u0303o", "U+00E3 → U+0061 U+0303"),
    ],
)
def test_characters_that_look_alike_are_named_by_their_codes(
    before: str, now: str, codes: str
) -> None:
    (change,) = compare(printed(before), printed(now))
    assert str(change) == f"{before} → {now} ({codes})"
    assert str(Change("", "Bébé", "Bebé")) == "Bébé → Bebé"
