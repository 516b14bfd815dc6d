"""Results as static HTML tables: escaped, rounded for display, with inline styles only.

Style sheets are stripped from untrusted notebooks, so each element carries its style, with
JupyterLab's theme variables and fall-backs for other hosts. Every text passes through `escape`.
Figures are rounded here and nowhere else; what is computed with stays exact.
"""

from __future__ import annotations

import html
import math
from collections.abc import Iterable, Sequence

from audiencelab.frames import denominators
from audiencelab.frames.crosstab import CrosstabResult
from audiencelab.frames.stats import StatsResult

__all__ = [
    "COLUMN_CAP",
    "ROW_CAP",
    "crosstab_html",
    "escape",
    "figure",
    "listing_html",
    "people",
    "stats_html",
]

ROW_CAP = 30
"""Lines shown before "… and N more"."""

COLUMN_CAP = 12
"""Columns of a crosstab shown before "… and N more"."""

_LABEL_LENGTH = 120

_FONT = "var(--jp-ui-font-family, system-ui, -apple-system, 'Segoe UI', sans-serif)"
_INK = "var(--jp-content-font-color1, inherit)"
_QUIET = "var(--jp-content-font-color2, #767676)"
_RULE = "var(--jp-border-color2, rgba(128, 128, 128, 0.35))"
_CELL = "padding:3px 12px 3px 0;vertical-align:baseline;background:none;"
_LINE = f"border-bottom:1px solid {_RULE};"


def escape(value: object, *, most: int = _LABEL_LENGTH) -> str:
    """Text as HTML, safe in content and in quoted attributes, cut where nobody reads on."""
    text = str(value)
    return html.escape(text if len(text) <= most else text[: most - 1] + "…", quote=True)


def figure(value: float, decimals: int = 1) -> str:
    """A number for display; a dash where there is none."""
    return "–" if math.isnan(value) else f"{value:,.{decimals}f}"


def people(value: float) -> str:
    """A weighted number of people in few digits: 1.2M, 640K, 812."""
    if math.isnan(value):
        return "–"
    for limit, divisor, unit in ((1e9, 1e9, "B"), (1e6, 1e6, "M"), (1e4, 1e3, "K")):
        if value >= limit:
            return f"{value / divisor:,.1f}{unit}"
    return f"{value:,.0f}"


def stats_html(result: StatsResult) -> str:
    """A stats result as a table of its first rows, in the order asked for."""
    from audiencelab.frames.tables import stats_frame

    frame = stats_frame(result)
    heads = ["Datapoint", "Segment", "Audience", "Audience %", "Datapoint %", "Index"]
    heads += ["Size", "Sample", "Base sample", ""]
    shown = ["datapoint_label", "segment_label", "audience_name", "audience_percentage"]
    shown += ["datapoint_percentage", "audience_index", "positive_size", "positive_sample"]
    shown += ["audience_sample", "note"]
    kept = [(head, name) for head, name in zip(heads, shown, strict=True) if name in frame]
    if not frame["note"].any():
        kept.pop()
    lines = [
        [_stats_cell(name, value) for (_, name), value in zip(kept, line, strict=True)]
        for line in frame[[name for _, name in kept]].head(ROW_CAP).itertuples(index=False)
    ]
    numeric = [not name.endswith(("label", "name", "note")) for _, name in kept]
    facts = [result.question if result.labels.question else "", _waves(result.waves)]
    if result.splitter:
        facts.append(f"by {result.labels.splitter or result.splitter}")
    if result.base_audience:
        facts.append(f"base: {result.base_audience.name}")
    return listing_html(
        result.labels.question or result.question,
        " · ".join(fact for fact in facts if fact),
        [head for head, _ in kept],
        lines,
        numeric=numeric,
        more=len(frame) - len(lines),
        noun="rows",
    )


def crosstab_html(result: CrosstabResult) -> str:
    """A crosstab as a table: column % and index in each cell, both bases in the margins."""
    columns = result.columns[:COLUMN_CAP]
    rows = result.rows[:ROW_CAP]
    heads = ["", "All", *(audience.name for audience in columns)]
    planes = {name: result.values(name) for name in ("column_percentage", "index")}
    shares = _all_shares(result)
    lines = [
        [
            escape(audience.name),
            f"{figure(shares[row])}%" if shares[row] == shares[row] else "–",
            *(
                _crosstab_cell(
                    planes["column_percentage"][row, column], planes["index"][row, column]
                )
                for column in range(len(columns))
            ),
        ]
        for row, audience in enumerate(rows)
    ]
    lines += _crosstab_bases(result, len(columns))
    facts = ["column % and index"]
    if result.base_audience:
        facts.append(f"base: {result.base_audience.name}")
    if not result.complete:
        facts.append(f"{result.count:,} of {result.expected:,} cells so far")
    if result.base_varies:
        facts.append("cells rest on different waves; the largest base is shown")
    if (hidden := len(result.columns) - len(columns)) > 0:
        facts.append(f"… and {hidden:,} more columns")
    return listing_html(
        "Crosstab",
        " · ".join(facts),
        heads,
        lines,
        numeric=[False] + [True] * (len(heads) - 1),
        more=len(result.rows) - len(rows),
        noun="rows",
    )


def listing_html(
    title: str,
    subtitle: str,
    heads: Sequence[str],
    lines: Iterable[Sequence[str]],
    *,
    numeric: Sequence[bool],
    more: int = 0,
    noun: str = "rows",
) -> str:
    """A titled table. `title`, `subtitle` and `heads` are text; `lines` hold escaped cells."""

    def cell(tag: str, content: str, right: bool, extra: str = "") -> str:
        align = "right;font-variant-numeric:tabular-nums" if right else "left"
        return f'<{tag} style="{_CELL}{_LINE}text-align:{align};{extra}">{content}</{tag}>'

    head = "".join(
        cell("th", escape(name), right, "font-weight:600;")
        for name, right in zip(heads, numeric, strict=True)
    )
    body = ""
    for line in lines:
        cells = (cell("td", value, right) for value, right in zip(line, numeric, strict=True))
        body += f"<tr>{''.join(cells)}</tr>"
    if more > 0:
        quiet = f'style="{_CELL}color:{_QUIET};text-align:left"'
        body += f'<tr><td {quiet} colspan="{len(heads)}">… and {more:,} more {noun}</td></tr>'
    return (
        f'<div style="font-family:{_FONT};font-size:13px;line-height:1.4;color:{_INK};'
        f'overflow-x:auto;padding:2px 0"><div style="font-weight:600">{escape(title)}</div>'
        f'<div style="color:{_QUIET};margin-bottom:4px">{escape(subtitle, most=400)}</div>'
        '<table style="border-collapse:collapse;font-size:13px;margin:0;border:0;color:inherit">'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _stats_cell(name: str, value: object) -> str:
    if isinstance(value, str):
        return escape(value)
    number = float(value)  # pyright: ignore[reportArgumentType] -- the other columns are figures
    if name.endswith("size"):
        return people(number)
    if name.endswith("sample"):
        return figure(number, 0)
    return (
        f"{figure(number)}%" if name.endswith("percentage") and number == number else figure(number)
    )


def _crosstab_cell(percentage: float, index: float) -> str:
    if math.isnan(percentage) and math.isnan(index):
        return "–"
    share = "–" if math.isnan(percentage) else f"{figure(percentage)}%"
    return f'{share} <span style="color:{_QUIET};margin-left:4px">{figure(index, 0)}</span>'


def _all_shares(result: CrosstabResult) -> list[float]:
    """The rows' shares of the base, NaN where a row has not arrived."""
    shares = 100 * result.row_values("row_size") / _nan_for_zero(result.base_size)
    return [float(share) for share in shares]


def _crosstab_bases(result: CrosstabResult, width: int) -> list[list[str]]:
    sizes = [people(float(value)) for value in result.column_values("column_size")[:width]]
    samples = [figure(float(value), 0) for value in result.column_values("column_sample")[:width]]
    quiet = f'<span style="color:{_QUIET}">'
    lines = [
        ["Size", people(result.base_size), *sizes],
        ["Sample", figure(result.base_sample, 0), *samples],
    ]
    return [[f"{quiet}{content}</span>" for content in line] for line in lines]


def _nan_for_zero(value: float) -> float:
    return value or float("nan")


def _waves(waves: Sequence[str]) -> str:
    if not waves:
        return denominators.NO_WAVE
    return (
        f"wave {waves[0]}" if len(waves) == 1 else f"{len(waves)} waves, {waves[0]} to {waves[-1]}"
    )
