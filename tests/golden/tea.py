"""More queries whose results are compared: what 2.0 added, on the survey of `tests/data/v2`.

Its questions have what figures depend on: waves, clusters, weights of 0, routing, answers outside
of a scale, a multiple question, a grid, numbers.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable
from typing import Any

import audiencelab as al
from audiencelab import Q
from tests.golden import api, cases
from tests.golden.api import V2, Surveys
from tests.golden.cases import case, digest, plain, text_figures, workbook_figures

CASES = cases.CASES
"""The cases of `cases`, and after it those below."""

ANSWERS = ["question", "datapoint", "datapoint_label", "midpoint"]
"""Columns of a catalogue's frame that a reading of a file decides."""

TABLE = re.compile(r"<p:sld .*?(?:(<a:tbl>.*?</a:tbl>).*)?$", re.DOTALL)
"""A slide, and the table on it: titles and notes beside it are prose, with the day in them."""

DRINKERS = al.Audience("Drinkers", ~Q("tea").any("tea_1"), "drinkers")


def slide_figures(write: Callable[[io.BytesIO], object]) -> dict[str, list[str]]:
    """The cells of tables that have a digit, and the values of charts, slide by slide."""
    file = io.BytesIO()
    write(file)
    kinds = {"ppt/slides/slide": r"<a:t>([^<]*\d[^<]*)<", "ppt/charts/chart": r"<c:v>(.*?)<"}
    with zipfile.ZipFile(file) as parts:
        names = sorted(name for name in parts.namelist() if name.endswith(".xml"))
        texts = {name: TABLE.sub(r"\1", parts.read(name).decode()) for name in names}
    return {
        name: found
        for name, text in texts.items()
        for start, pattern in kinds.items()
        if name.startswith(start) and (found := re.findall(pattern, text))
    }


def drawn_figures(chart: al.charts.Chart) -> list[dict[str, Any]]:
    """The records that a chart draws, without its texts and their positions."""
    datasets = chart.to_dict().get("datasets", {}).values()
    names = {"heading", "key", "lines"}
    records = [each for rows in datasets for each in rows if names.isdisjoint(each)]
    return [
        {name: value for name, value in record.items() if not isinstance(value, str)}
        for record in records
    ]


def markdown_figures(text: str) -> list[list[str]]:
    """The cells of the tables in Markdown, row by row."""
    lines = [line for line in text.splitlines() if line.startswith("|")]
    rows = ([cell.strip() for cell in line.strip("|").split("|")] for line in lines)
    return [row for row in rows if re.search(r"\d", "".join(row[1:]))]


def planes(table: Any) -> dict[str, Any]:
    """What a notebook saves of a crosstab, array by array."""
    saved = api.mime_bundle(table)[api.SAVED_CROSSTAB]
    return {name: plane["data"] for name, plane in saved["planes"].items()}


@case
def tea_by_wave(surveys: Surveys) -> Any:
    client = surveys.tea
    table = client.crosstab(["Tea", al.mean("Age"), al.nps("Recommendation")], "waves")
    single = client.crosstab("Tea", "waves")
    stats = client.stats("tea", splitter="waves")
    with_sex = client.crosstab("Tea", {"Sex": client["Sex"], "Wave": "waves"})
    grid = api.grid_widget(client, rows="Tea", columns="waves")
    book = client.tab_book("waves", ["Tea", "Sorts"])
    metrics = ["column_percentage", "index", "sample"]
    return {
        "frame": plain(table.to_frame()),
        "wide": plain(table.to_wide(["column", "size", "sample"])),
        "markdown": markdown_figures(table.to_markdown(metrics=metrics)),
        "with sex": markdown_figures(with_sex.to_markdown(metrics=metrics)),
        "html": text_figures(table.to_html(metrics=metrics, comparison=table.test())),
        "excel": workbook_figures(lambda file: table.to_excel(file, metrics=metrics)),
        "slides": slide_figures(table.to_pptx),
        "stack": slide_figures(lambda file: single.to_pptx(file, chart="stack")),
        "book": workbook_figures(book.to_excel),
        "planes": planes(grid.result),
        "columns": plain(table.test().to_frame()),
        "rest": plain(single.test(vs="rest").to_frame()),
        "standouts": plain(single.standouts()),
        "intervals": plain(single.intervals()),
        "stats": plain(stats.to_frame()),
        "previous": plain(stats.test(vs="previous wave").to_frame()),
    }


@case
def tea_tests(surveys: Surveys) -> Any:
    client = surveys.tea
    table = client.crosstab("Liking", ["Sex", "Age"])
    small = client.crosstab("Liking", "Sex")
    means = client.crosstab([al.mean("Cups in a week"), al.nps("Recommendation")], "Age")
    stats = client.stats("cups", splitter="sex")
    ordered = client.stats("liking", splitter="sex")
    return {
        "columns": plain(table.test().to_frame()),
        "unweighted": plain(table.test(base="unweighted", design=None).to_frame()),
        "rest": plain(table.test(vs="rest").to_frame()),
        "rows": plain(client.crosstab("Sorts", "Sex").test(vs="rows").to_frame()),
        "standouts": plain(table.standouts()),
        "independence": plain(table.test_independence()),
        "effects": plain(client.design_effects(table).to_frame()),
        "intervals": plain(small.intervals()),
        "designed": plain(small.intervals(design="auto")),
        "beta": plain(small.intervals(method="beta", design="auto")),
        "stats intervals": plain(ordered.intervals()),
        "averages": plain(stats.averages()),
        "designed averages": plain(stats.averages(design="auto")),
        "means": plain(stats.test(midpoints={f"cups_{n}": float(n) for n in (1, 2, 3)}).to_frame()),
        "mean rows": plain(means.to_frame()),
        "mean tests": plain(means.test().to_frame()),
        "unweighted rows": plain(client.crosstab("Tea", "Sex", weight=None).to_frame()),
    }


@case
def tea_scales(surveys: Surveys) -> Any:
    client = surveys.tea
    table = client.crosstab("Liking", "Sex")
    stats = client.stats("liking", splitter="sex")
    grid = client.grid("agree")
    boxed = [client["Liking"].top_box(2), client["Liking"].bottom_box(2)]
    ends = (["Rather", "Very much"], ["Not at all", "Little"])
    return {
        "boxes": plain(table.boxes(2, 2).to_wide(["column", "size", "sample"])),
        "stats boxes": plain(stats.boxes(2, 2).to_wide(["column", "size", "sample"])),
        "box rows": plain(client.crosstab([boxed, al.top_box("agree", 2)], "Sex").to_frame()),
        "net score": plain(table.net_score(*ends)),
        "stats net score": plain(stats.net_score(*ends)),
        "net": plain(table.nets({"Likes": ends[0]}).to_wide()),
        "grid": plain(grid.to_wide()),
        "grid averages": plain(grid.averages({f"{n}": float(n) for n in range(1, 6)})),
        "stack": drawn_figures(al.charts.stack(stats)),
        "grid stack": drawn_figures(al.charts.stack(grid)),
    }


@case
def tea_multiple(surveys: Surveys) -> Any:
    client = surveys.tea
    stats = client.stats("sorts", splitter="sex")
    based = client.crosstab("Sorts", "Sex", base_audience=al.asked("sorts"))
    sorts = list(client["Sorts"].audiences())
    overlap = client.overlap(sorts)
    return {
        "frame": plain(stats.to_frame()),
        "answered": plain(client.stats("sorts", base_audience=al.answered("sorts")).to_frame()),
        "asked": plain(based.to_frame()),
        "responses": plain(stats.shares_of_responses()),
        "overlap": plain(overlap.to_frame()),
        "turf": plain(overlap.turf(2)),
        "count": plain(client.count([DRINKERS, *sorts])),
        "correlations": plain(client.correlation(["Cups in a week", "Recommendation"])),
        "respondents": digest(client.respondents([DRINKERS], amounts=["Age"])),
    }


@case
def tea_forms(surveys: Surveys) -> Any:
    client = surveys.tea
    nested = client.crosstab("Tea", al.nest("Sex", "Age"), waves=["w3"])
    profile = client.profile(DRINKERS, ["sex", "age", "sorts"])
    trend = client.stats("tea", splitter="waves")
    table = client.crosstab("Sorts", "Sex")
    book = client.tab_book(["Sex"], ["Tea", "Sorts", "agree"])
    return {
        "nested": markdown_figures(nested.to_markdown(comparison=nested.test())),
        "nested csv": (nested.to_csv() or "").splitlines()[:4],
        "nested slides": slide_figures(nested.to_pptx),
        "grouped slides": slide_figures(lambda file: table.to_pptx(file, chart="column")),
        "book": workbook_figures(book.to_excel),
        "book slides": slide_figures(book.to_pptx),
        "profile": plain(profile.to_frame()),
        "bar": drawn_figures(al.charts.bar(table, intervals=True)),
        "heatmap": drawn_figures(al.charts.heatmap(nested)),
        "trend": drawn_figures(al.charts.trend(trend, intervals=True)),
        "planes": planes(nested),
        "tile": digest(api.grid_widget(client, rows="Liking", columns="Sex").to_frame()),
    }


@case
def tea_opened(surveys: Surveys) -> Any:
    weighted = al.open(V2 / "tea.sav", weight="weight", quiet=True, to=surveys.folder / "weighted")
    guessed = al.open(V2 / "tea.csv", quiet=True, to=surveys.folder / "guessed")
    return {
        kind: {
            "answers": plain(client.catalogue.to_frame()[ANSWERS]),
            "weights": plain(client.weights),
            "tables": [
                plain(
                    client.crosstab(api.question(client, each.code), "sex").to_wide(
                        ["column", "sample"]
                    )
                )
                for each in client.catalogue
            ],
        }
        for kind, client in (("weighted", weighted), ("guessed", guessed))
    }
