"""The text around a plot: title, base, notes and source; and the finished specification."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import pandas as pd

from audiencelab.analysis.moving_averages import MovingAverageData
from audiencelab.charts.labels import BaseLine, shorten
from audiencelab.charts.layout import PADDING
from audiencelab.charts.options import ChartOptions
from audiencelab.charts.renderer import Spec
from audiencelab.charts.specification import Charted, ChartSpecification, frame_of
from audiencelab.charts.theme import SMALL, Look, configuration
from audiencelab.charts.vega_lite import MEASURED, WIDE, layer
from audiencelab.charts.wrapping import BOLD, broken
from audiencelab.render.gaps import Gap
from audiencelab.render.layout import table_layout
from audiencelab.render.record_carriers import KEY
from audiencelab.render.table_layout import TableLayout
from audiencelab.results import who_counts
from audiencelab.results.crosstab import CrosstabData, shown_rows
from audiencelab.results.grid import GridData
from audiencelab.results.record import Record, record_of
from audiencelab.results.stats import StatsData
from audiencelab.results.undefined import NO_FIGURE
from audiencelab.wording import plural

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.4.1.json"

# The sizes that altair puts into the config of every chart.
_VIEW = {"continuousWidth": 300, "continuousHeight": 300, "stroke": None}
_PADDING = PADDING
_TITLE, _TITLE_LINES, _LINES, _SOURCE_LINES = 15, 3, 3, 8
"""Size of the title's letters, and lines of the title, of one line below it and of the source at
most: a citation may be long, and the date is at its end."""

_EMPTY_HEIGHT = 60
_SHARE = "column_percentage"
_NOTES, _NOTE = 4, 120
"""Notes below the title, and characters of one."""


class SourceLine(str):
    """The last line below a title, which says what the chart is of."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Captions:
    """The text around a chart, and the labels left and right of a plot of some width.

    whole: pixels of the chart, to which title and subtitle are wrapped. rows: those of the result
    that are drawn, by position, to which the notes are limited; None for all.
    """

    title: str
    subtitle: Sequence[str]
    summary: str
    width: float
    left: Iterable[str] = ()
    right: Iterable[str] = ()
    whole: float = 0.0
    rows: Collection[int] | None = None

    def chosen(self, title: str | None, *, base: bool) -> Captions:
        """The same with another title, or without the line of the base."""
        kept = [str(line) for line in self.subtitle if base or not isinstance(line, BaseLine)]
        return replace(self, title=self.title if title is None else title, subtitle=kept)

    def by(self, options: ChartOptions) -> Captions:
        """The same with the title and the lines that options choose."""
        return self.chosen(options.title, base=options.base)


def finish(spec: Spec, colours: Look, captions: Captions, *, of: Charted) -> ChartSpecification:
    """A chart with its title, source and theme.

    of: the result that is drawn; each mark has the column `line`: its row, from 0, in the result's
    own frame.
    """
    reasons = _why_empty(of)
    notes = [] if reasons else _notes(of, captions.rows)
    captions = replace(captions, subtitle=[*captions.subtitle, *notes])
    record = record_of(of, title=captions.title)
    if source := record.line():
        captions = replace(captions, subtitle=[*captions.subtitle, SourceLine(source)])
    if reasons:
        text = pd.DataFrame({"reason": [f"No figures: {reasons}"]})
        shown = {"layer": [layer("text", {"text": "reason:N"})], "height": _EMPTY_HEIGHT}
        spec = {"data": text, "width": captions.width, **shown}
    return drawn(spec, colours, captions, of=of, record=record)


def drawn(
    spec: Spec,
    colours: Look,
    captions: Captions,
    *,
    of: Charted | None = None,
    record: Record | None = None,
) -> ChartSpecification:
    """A chart with its title and theme.

    of: the result that is drawn, where it has a frame. record: what it is of.
    """
    datasets: Spec = {}
    whole = {
        "$schema": SCHEMA,
        "config": configuration(colours) | {"view": _VIEW, "padding": _padding(captions)},
        "title": _title(captions),
        "description": captions.summary,
        **_with_named_data(spec, datasets),
    }
    whole |= {"datasets": datasets} if datasets else {}
    whole |= {} if record is None else {"usermeta": {KEY: record.to_dict()}}
    return ChartSpecification(whole, of)


def _title(captions: Captions) -> Spec:
    if not captions.whole:
        return {"text": captions.title, "subtitle": list(captions.subtitle)}
    pixels = captions.whole - 2 * _PADDING
    title = title_lines(captions.title, pixels)
    lines = [
        line
        for each in captions.subtitle
        for line in broken(
            each, pixels, SMALL, _SOURCE_LINES if isinstance(each, SourceLine) else _LINES
        )
    ]
    # Over names and plot alike.
    place = {"anchor": "start", "frame": "bounds"}
    return {"text": title[0] if len(title) == 1 else title, "subtitle": lines, **place}


def title_lines(title: str, pixels: float) -> list[str]:
    """A title in lines of at most so many pixels."""
    return broken(title, pixels / BOLD, _TITLE, _TITLE_LINES)


def _notes(result: Charted, rows: Collection[int] | None) -> list[str]:
    """Lines on who counts, and on why there are gaps, in the rows that are drawn."""
    result = result.table if isinstance(result, GridData) else result
    if not isinstance(result, CrosstabData | StatsData | MovingAverageData):
        return []
    layout = table_layout(result, metrics=[_SHARE])
    if rows is not None:
        layout = replace(layout, missing=_gaps_of(result, layout, rows))
    notes = [shorten(each, _NOTE) for each in (*who_counts.notes(result, rows), *layout.gaps)]
    more = len(notes) - _NOTES
    return notes if more <= 0 else [*notes[:_NOTES], f"… and {plural(more, 'more note')}"]


def _gaps_of(
    result: CrosstabData | StatsData | MovingAverageData, layout: TableLayout, rows: Collection[int]
) -> tuple[Gap, ...]:
    """Why rows that are drawn have no value."""
    places = [(False, at) for at in layout.positions]
    if isinstance(result, CrosstabData):
        places = shown_rows(result)
    kept = [
        row if not is_other and at in rows else None for row, (is_other, at) in enumerate(places)
    ]
    gaps = (gap.moved(kept) for gap in layout.missing)
    return tuple(gap for gap in gaps if gap.cells)


def _why_empty(result: Charted) -> str:
    """Why a result has no values at all, from its frame's notes; "" where it has any."""
    frame = frame_of(result)
    if frame.empty:
        return "the result is empty"
    reasons: list[str] = frame["note"].unique().tolist() if "note" in frame else []
    return ", ".join(reasons) if all(each in NO_FIGURE for each in reasons) else ""


def _padding(captions: Captions) -> dict[str, float] | float:
    """Padding for a reader's font that is wider than the measured one.

    The chart is laid out with the fonts of this machine's renderer and read with those of a
    browser. Without padding, the widest common ones (DejaVu, Verdana) would be clipped.
    """
    if captions.whole:
        return _PADDING
    longest = max(map(len, captions.subtitle), default=0)
    # How far a subtitle in a wide font reaches beyond the plot and the measured text.
    beyond = WIDE * longest - max(captions.width, MEASURED * longest)
    left, right = (
        (WIDE - MEASURED) * max(map(len, names), default=0)
        for names in (captions.left, captions.right)
    )
    return {
        "top": _PADDING,
        "bottom": _PADDING,
        "left": _PADDING + left,
        "right": _PADDING + max(0.0, beyond, right),
    }


def _with_named_data(part: Any, datasets: Spec) -> Any:
    """A specification whose frames are replaced by names of `datasets`, after their content."""
    if isinstance(part, pd.DataFrame):
        rows = _records(part)
        content = json.dumps(rows, sort_keys=True)
        # By content, so that charts that are joined have equal data once.
        name = "data-" + hashlib.sha256(content.encode()).hexdigest()[:32]
        datasets[name] = rows
        return {"name": name}
    if isinstance(part, dict):
        return {key: _with_named_data(value, datasets) for key, value in cast(Spec, part).items()}
    if isinstance(part, list):
        return [_with_named_data(each, datasets) for each in cast("list[Any]", part)]
    return part


def _records(frame: pd.DataFrame) -> list[Spec]:
    columns = (
        # JSON has neither NaN nor infinity.
        [None if isinstance(each, float) and not math.isfinite(each) else each for each in values]
        for values in (frame[name].tolist() for name in frame)
    )
    names = list(map(str, frame))
    return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]
