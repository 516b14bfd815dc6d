"""The queries whose results are compared, by name; each returns plain JSON.

Prose (notes, statements, methods) is left out on purpose: wording may change, figures may not.
"""

from __future__ import annotations

import hashlib
import io
import math
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

import audiencelab as al
from audiencelab import Q
from tests.golden import api
from tests.golden.api import Surveys, question

PROSE = {"note", "statement", "method_note", "asked_at"}
"""Columns of frames that hold sentences, not results."""

UUID = re.compile(rb"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
TIME = re.compile(rb'("(?:created_at|updated_at)":)"?[^",}]+"?')

WOMEN = al.Audience("Women", Q("q2").any("q2_2"), "women")
YOUNG = al.Audience("18 to 34", Q("q4").any("q4_2", "q4_3") & ~Q("q5").any("q5_1"), "young")
DAILY = al.Audience("Daily", Q("q20", suffixes=[1, 2]).any("q20_1", "q20_2"), "daily")
KEEN = al.Audience("Keen", Q("q24").at_least(2, "q24_1", "q24_2", "q24_3"), "keen")
LAST = ["q3_2025", "q4_2025"]

Figures = Callable[[Surveys], Any]
CASES: dict[str, Figures] = {}


def case(function: Figures) -> Figures:
    """Register a case under its function's name."""
    CASES[function.__name__] = function
    return function


# ---- plain forms of results ----


def plain(value: Any) -> Any:
    """A value as JSON that keeps every bit of a number."""
    if isinstance(value, pd.DataFrame):
        return frame(value)
    if isinstance(value, np.ndarray):
        return [plain(each) for each in value.tolist()]
    if isinstance(value, float | np.floating):
        return None if math.isnan(value) else str(value) if math.isinf(value) else float(value)
    if isinstance(value, bool | int | str | type(None)):
        return value
    if isinstance(value, np.bool_ | np.integer):
        return value.item()
    if isinstance(value, Mapping):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple | frozenset):
        return [plain(each) for each in value]
    return None if pd.isna(value) else str(value)


def frame(table: pd.DataFrame) -> dict[str, Any]:
    """The columns of a frame, its index first; equal values of a column are written once."""
    if table.index.names != [None]:
        table = table.reset_index(names=[f"index {place}" for place in range(table.index.nlevels)])
    columns: dict[str, Any] = {}
    for place, name in enumerate(table.columns):
        title = name if isinstance(name, str) else " | ".join(map(str, np.atleast_1d(name)))
        title = api.FORMER_COLUMNS.get(title, title)
        if title not in PROSE:
            columns[title] = [plain(each) for each in table.iloc[:, place].tolist()]
    once = {
        name: [values[0], len(values)]
        if values and all(each == values[0] for each in values)
        else values
        for name, values in columns.items()
    }
    return {"rows": len(table), "columns": once}


def text_figures(html: str) -> list[str]:
    """The cells of the tables in a page as text; captions and notes are not among them."""
    cells = re.findall(r"<t([hd])\b[^>]*>(.*?)</t[hd]>", html, flags=re.DOTALL)
    texts = (re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", cell)).strip() for _, cell in cells)
    return [text for text in texts if re.search(r"\d", text)]


def workbook_figures(write: Callable[[io.BytesIO], object]) -> dict[str, list[list[Any]]]:
    """The numbers of a workbook, row by row after the row's first text."""
    import openpyxl

    file = io.BytesIO()
    write(file)
    file.seek(0)
    sheets: dict[str, list[list[Any]]] = {}
    for sheet in openpyxl.load_workbook(file):
        rows = ([cell for cell in row if cell is not None] for row in sheet.values)
        sheets[sheet.title] = [
            [row[0], *(plain(cell) for cell in row[1:] if isinstance(cell, int | float))]
            for row in rows
            if any(isinstance(cell, int | float) for cell in row)
        ]
    return sheets


def body(data: bytes) -> dict[str, Any]:
    """Length and checksum of a body, and the body itself where it is short."""
    seen: dict[bytes, bytes] = {}
    data = UUID.sub(lambda found: seen.setdefault(found[0], b"uuid-%d" % len(seen)), data)
    data = TIME.sub(rb"\1null", data)
    told = {"length": len(data), "sha256": hashlib.sha256(data).hexdigest()}
    return told | ({"body": data.decode()} if len(data) < 1500 and data.isascii() else {})


# ---- wire ----


def requests() -> Iterator[tuple[str, str, Any]]:
    """Method, path and body of every request whose answer is compared."""
    women, young = (each.to_wire() for each in (WOMEN, YOUNG))
    daily, keen = (each.to_wire() for each in (DAILY, KEEN))
    yield "POST", "/v3/questions/filter", {}
    yield (
        "POST",
        "/v3/questions/filter",
        {
            "include": {"datapoints": True, "categories": True},
            "questions": [{"namespace_code": "core", "question": "q2"}],
        },
    )
    yield "GET", "/v2/questions/core.q20", None
    yield "GET", "/v2/categories/110", None
    yield (
        "POST",
        "/v2/query/stats",
        {
            "question": "core.q20",
            "datapoints": ["q20_1", "q20_2"],
            "suffixes": ["1", "2"],
            "splitter": "waves",
            "segments": LAST,
            "audiences": [women],
        },
    )
    yield "POST", "/v2/query/stats", {"question": "core.q24", "splitter": "s2"}
    yield (
        "POST",
        "/v2/query/stats",
        {
            "question": "q4",
            "audiences": [daily, keen],
            "base_audience": young,
            "locations": ["s2_55"],
        },
    )
    yield "POST", "/v2/query/crosstab", {"rows": [women], "columns": [young], "waves": ["q4_2025"]}
    yield (
        "POST",
        "/v2/query/crosstab",
        {
            "rows": [women, young, daily, keen],
            "columns": [keen, daily, women],
            "base_audience": young,
            "locations": ["s2_55", "s2_81"],
        },
    )
    yield "POST", "/v2/query/crosstab", {"rows": [keen]}
    yield (
        "POST",
        "/v1/charts",
        {
            "name": "Apps",
            "audiences": [young | {"id": "young"}],
            "splitter": "core.q2",
            "attributes": [
                {
                    "namespace_code": "core",
                    "question_code": "q20",
                    "datapoint_code": "q20_1",
                    "suffix_code": "1",
                }
            ],
        },
    )
    yield "POST", "/v3/insights/filter", {"limit": 3, "order": "asc", "order_by": "name"}


@case
def wire(surveys: Surveys) -> Any:
    client = surveys.client
    told = {
        f"{place} {method} {path}": body(api.wire_body(client, method, path, json))
        for place, (method, path, json) in enumerate(requests())
    }
    chart = client.charts.create(
        "Chart", attributes=[("q24", "q24_7"), ("q20", "q20_1")], audiences=[WOMEN, DAILY]
    )
    told["calculate"] = body(api.wire_body(client, "POST", f"/v1/charts/{chart.id}/calculate"))
    told["put"] = body(
        api.wire_body(client, "PUT", f"/v1/charts/{chart.id}", {"name": "B", "color": "#2a6f97"})
    )
    saved = api.wire_body(
        client,
        "PATCH",
        "/v2/saved/audiences/3b81a031-bbfb-5bfe-a722-60cc9c1f9443",
        {"name": "Young people", "flags": ["authored"]},
    )
    return told | {"patch": body(saved)}


@case
def wire_of_an_import(surveys: Surveys) -> Any:
    client = surveys.masculinity
    often = Q("q0007", suffixes=[1, 2]).any("q0007_1").to_wire()
    young = al.Audience("Young", Q("age3").any("age3_1"), "young").to_wire()
    sent: list[tuple[str, str, Any]] = [
        ("POST", "/v3/questions/filter", {"include": {"datapoints": True, "taxonomy_paths": True}}),
        ("GET", "/v2/questions/q0007", None),
        ("POST", "/v2/query/stats", {"question": "q0004", "splitter": "age3"}),
        ("POST", "/v2/query/crosstab", {
            "rows": [{"id": "often", "expression": often}], "columns": [young],
        }),
    ]  # fmt: skip
    return {
        f"{place} {method} {path}": body(api.wire_body(client, method, path, json))
        for place, (method, path, json) in enumerate(sent)
    }


# ---- frames ----


@case
def crosstabs(surveys: Surveys) -> Any:
    client = surveys.client
    ages, genders = question(client, "q4"), question(client, "q2")
    table = client.crosstab(rows=[WOMEN, DAILY, KEEN], columns=ages[1:4])
    based = client.crosstab(rows=genders, columns=[YOUNG, KEEN], base_audience=DAILY, waves=LAST)
    nested = client.crosstab(rows=[DAILY], columns=al.nest(genders[:2], ages[2:4]))
    headed = client.crosstab(rows={"Gender": genders, "Age": ages[:2]}, columns=[KEEN])
    return {
        "plain": plain(table.to_frame()),
        "wide": plain(table.to_wide(["index", "column_percentage"])),
        "blank": plain(table.to_wide("column_percentage", hide_under=100)),
        "based": plain(based.to_frame()),
        "nested": plain(nested.to_frame()),
        "headed": plain(headed.to_frame()),
        "rows": plain(client.crosstab(rows=[KEEN, ~Q("q9").any()]).to_frame()),
        "locations": plain(client.crosstab(rows=[KEEN], locations=["s2_55"]).to_frame()),
        "combined": plain(
            client.crosstab(rows=al.combine([WOMEN], [YOUNG, KEEN]), columns=[DAILY]).to_frame()
        ),
        "intervals": plain(table.intervals(design=1.5)),
        "side_by_side": plain(al.side_by_side({"A": table, "B": table}).to_frame()),
    }


@case
def crosstab_figures(surveys: Surveys) -> Any:
    client = surveys.client
    rows, columns = question(client, "q40")[:6], question(client, "q4")[1:5]
    table = client.crosstab(rows=rows, columns=columns)
    single = client.crosstab(rows=question(client, "q4"), columns=question(client, "q2")[:2])
    return {
        "compare": plain(table.test(design=1.3).to_frame()),
        "holm": plain(
            table.test(levels=0.95, correction="holm", family="table", base="unweighted").to_frame()
        ),
        "fdr": plain(table.test(correction="fdr").to_wide()),
        "rest": plain(table.test(vs="rest").to_frame()),
        "arrows": plain(table.test(vs="rest", correction="bonferroni").to_wide()),
        "standouts": plain(table.standouts(limit=8, design=1.3)),
        "nets": plain(single.nets({"Young": ["16 to 17", "18 to 24"]}).to_frame()),
        "boxes": plain(single.boxes(2, 2).to_wide(["size", "column_percentage"])),
        "net_score": plain(single.net_score(["65 and over"], ["16 to 17"])),
        "correspondence": plain(table.correspondence().to_frame()),
        "inertias": plain(table.correspondence().inertias),
    }


@case
def stats(surveys: Surveys) -> Any:
    client = surveys.client
    trend = client.stats("q20", datapoints=["q20_2"], suffixes=[1, 2], splitter="waves")
    outlook = client.stats("q23", splitter="q2")
    parts = client.stats("q23", audiences=[WOMEN, KEEN])
    midpoints = {f"q23_{number}": float(number) for number in range(1, 6)}
    return {
        "plain": plain(client.stats("q24", datapoints=["q24_1", "q24_7"]).to_frame()),
        "trend": plain(trend.to_frame()),
        "moving": plain(trend.moving_average(4).to_frame()),
        "waves": plain(trend.test(vs="previous wave", design=1.5, correction="holm").to_frame()),
        "segmented": plain(
            client.stats(
                "q32", datapoints=["q32_1"], splitter="s2", audiences=[YOUNG], segmented_base=True
            ).to_frame()
        ),
        "outlook": plain(outlook.to_wide(["column_percentage", "index"])),
        "nets": plain(outlook.nets({"Better": ["q23_4", "q23_5"]}).to_frame()),
        "boxes": plain(outlook.boxes(2, 2).to_wide()),
        "scores": plain(outlook.net_score(["q23_5"], ["q23_1"])),
        "averages": plain(parts.averages(midpoints)),
        "columns": plain(parts.test().to_frame()),
        "means": plain(parts.test(midpoints=midpoints).to_frame()),
        "intervals": plain(parts.intervals()),
        "responses": plain(client.stats("q9").shares_of_responses()),
        "answered": plain(client.stats("q9", base_audience=al.answered("q9")).to_frame()),
        "rebased": plain(client.stats("shop.b22").rebased_to_answered().to_frame()),
    }


@case
def analyses(surveys: Surveys) -> Any:
    client = surveys.client
    grid = client.grid("q22", audiences=[YOUNG])
    overlap = client.overlap([WOMEN, YOUNG, DAILY])
    profile = client.profile(DAILY, ["q2", "q4", "q24"])
    groups = client.quantile_groups("q14", 3)
    coverage = client.coverage(al.Audience("A", Q("shop.b15").any("b15_4") & Q("q4").any("q4_2")))
    scale = {point.name: float(n) for n, point in enumerate(client.catalogue["q22"].suffixes)}
    return {
        "grid": digest(grid.to_frame()),
        "grid_wide": plain(grid.to_wide()),
        "grid_averages": plain(grid.averages(scale)),
        "overlap": plain(overlap.to_frame()),
        "pairs": plain(overlap.pairs()),
        "sets": plain(overlap.sets()),
        "reach": plain(overlap.reach()),
        "turf": plain(overlap.turf(2)),
        "profile": plain(profile.to_frame()),
        "ranked": plain(profile.ranked("surprise", limit=5)),
        "profile_standouts": plain(profile.standouts(limit=5)),
        "by_question": plain(profile.by_question()),
        "quantiles": plain(groups.to_frame()),
        "by_quantile": plain(client.crosstab(rows=[KEEN], columns=groups).to_frame()),
        "coverage": plain(coverage.to_frame()),
    }


def digest(table: pd.DataFrame) -> dict[str, Any]:
    """A checksum for each numeric column of a long frame."""
    return {
        api.FORMER_COLUMNS.get(str(name), str(name)): hashlib.sha256(
            table[name].to_numpy("float64").tobytes()
        ).hexdigest()[:32]
        for name in table.select_dtypes("number").columns
    }


@case
def charts(surveys: Surveys) -> Any:
    client = surveys.client
    made = client.charts.create(
        "Chart", attributes=[client.catalogue["q23"], ("q24", "q24_7")], audiences=[WOMEN, DAILY]
    )
    split = client.charts.create(
        "Split", attributes=[("q24", "q24_7")], audiences=[YOUNG], splitter="waves"
    )
    calculated = client.charts.calculate(made.id)
    dropped = ["audience", "audience_id"]
    return {
        "calculated": plain(calculated.to_frame().drop(columns=dropped, errors="ignore")),
        "split": plain(
            client.charts.calculate(split.id).to_frame().drop(columns=dropped, errors="ignore")
        ),
        "intervals": plain(calculated.intervals().drop(columns=dropped, errors="ignore")),
    }


@case
def design(surveys: Surveys) -> Any:
    client = surveys.client
    table = client.crosstab(rows=[DAILY, KEEN], columns=question(client, "q4")[1:4])
    told = {}
    for method in ("taylor", "kish"):
        effects = client.design_effects(table, method=method)
        told[method] = plain(effects.effects)
        told[f"{method} errors"] = plain(effects.to_frame())
        told[f"{method} compared"] = plain(table.test(design=effects).to_frame())
        told[f"{method} rest"] = plain(table.test(vs="rest", design=effects).to_frame())
    shown = client.stats("q23", audiences=[WOMEN])
    told["stats"] = plain(shown.intervals(design=client.design_effects(shown)))
    return told


@case
def imported(surveys: Surveys) -> Any:
    client = surveys.masculinity
    ages = question(client, "age3")
    table = client.crosstab(rows=question(client, "q0001"), columns=ages)
    done, raked = surveys.raked()
    again = raked.crosstab(rows=question(raked, "q0001"), columns=question(raked, "age3"))
    return {
        "table": plain(table.to_frame()),
        "grid": plain(client.grid("q0007").to_wide()),
        "locations": plain(
            client.crosstab(rows=ages, locations=[client.locations()[0].code]).to_frame()
        ),
        "raking": plain(api.raking_figures(done)),
        "raked": plain(again.to_wide(["size", "column_percentage", "index"])),
    }


# ---- forms ----


@case
def forms(surveys: Surveys) -> Any:
    client = surveys.client
    rows, columns = question(client, "q23"), question(client, "q4")[1:4]
    table = client.crosstab(rows=rows, columns=columns)
    compared = table.test()
    counted = client.stats("q23", audiences=[WOMEN, KEEN])
    metrics = ["column_percentage", "index", "sample"]
    return {
        "html": text_figures(table.to_html()),
        "html metrics": text_figures(table.to_html(metrics=metrics, comparison=compared)),
        "html stats": text_figures(counted.to_html()),
        "html overlap": text_figures(client.overlap([WOMEN, DAILY]).to_html()),
        "excel": workbook_figures(lambda file: table.to_excel(file, metrics=metrics)),
        "excel rows": workbook_figures(lambda file: table.to_excel(file, layout="rows")),
        "excel stats": workbook_figures(counted.to_excel),
        "excel compared": workbook_figures(
            lambda file: table.to_excel(file, metrics=["column", "index"], comparison=compared)
        ),
    }


@case
def widgets(surveys: Surveys) -> Any:
    client = surveys.client
    rows, columns = question(client, "q23"), question(client, "q4")[1:4]
    grid = api.grid_widget(client, rows=rows, columns=columns, base_audience=YOUNG)
    picker = al.QuestionPicker(client, value=[Q("q4").any("q4_2"), Q("q24").any("q24_1", "q24_3")])
    editor = al.AudienceEditor(client, value=al.Audience("A", YOUNG.expression & ~DAILY.expression))
    saved = api.mime_bundle(grid.result)[api.SAVED_CROSSTAB]
    bench = al.Workbench(client, rows=rows[:2], columns=columns[:2])
    bench.grid.wait()
    return {
        "tile": body(api.tile_bytes(grid)),
        "planes": {name: plane["data"] for name, plane in saved["planes"].items()},
        "frame": digest(grid.to_frame()),
        "grid code": grid.to_code(),
        # Both differ from 1.0: names are new in 2.0.
        "picker code": re.sub("  # .*", "", picker.to_code()),
        "editor code": re.sub("  # .*", "", editor.to_code()),
        "workbench code": bench.to_code(),
        "audience code": [each.to_code() for each in (WOMEN, YOUNG, DAILY, KEEN)],
        "editor frame": plain(editor.to_frame()[["depth", "size", "sample", "percentage"]]),
        "picker frame": plain(picker.to_frame()),
    }
