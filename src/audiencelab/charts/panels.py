"""The panels of a chart: which values are in each, and what rows, series and panels are called."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

import pandas as pd

from audiencelab.analysis.chart_plan import ChartPlan, short_names
from audiencelab.charts.data import Side, Values
from audiencelab.charts.renderer import Spec
from audiencelab.charts.theme import Look
from audiencelab.charts.vega_lite import category_colors
from audiencelab.charts.wrapping import RowNames, folded, folded_note, names_beside
from audiencelab.render.colours import legible, series_colours
from audiencelab.results.arrangement import TableArrangement
from audiencelab.results.banner import Groups, joined, table_title


@dataclass(frozen=True, slots=True)
class DrawnPanel:
    """Values that are drawn together.

    heading: "" for the only panel. data: as in `Values`, `label` is the row and `group` the series.
    series: in their order. in_order: whether that is one of theirs, as of ages.
    """

    heading: str
    data: pd.DataFrame
    series: list[str]
    in_order: bool = False

    def colour(self, colours: Look, *, of_text: bool = False) -> Spec:
        """The encoding of a colour for each series, which is as dark as text has to be."""
        shades = series_colours(len(self.series), colours, in_order=self.in_order)
        if of_text:
            shades = [legible(each, colours) for each in shades]
        return category_colors("group", self.series, shades, None)


@dataclass(frozen=True, slots=True)
class Panels:
    """The panels of a chart, whose rows are the same.

    rows: keys of rows and of headings over them, in the order to draw them. texts: what is written
    for each. headings: keys of those without values. folded: words that all rows begin with, which
    the texts leave out. subject: the only row, where the columns are drawn as rows.
    """

    panels: list[DrawnPanel]
    rows: list[str]
    texts: dict[str, str]
    headings: list[str]
    folded: str = ""
    subject: str = ""

    @property
    def data(self) -> pd.DataFrame:
        """The values of all panels."""
        return pd.concat([panel.data for panel in self.panels], ignore_index=True)

    @property
    def common_series(self) -> list[str]:
        """The series of each panel; none where panels have others, or only one."""
        first = self.panels[0].series if self.panels else []
        alike = all(panel.series == first for panel in self.panels)
        return first if alike and len(first) > 1 else []

    @property
    def notes(self) -> list[str]:
        """A line about words that are left out of the names of rows."""
        return folded_note(self.folded)

    def title(self, values: Values) -> str:
        """The title of the chart: that of the values, with the only row where it has one."""
        if not self.subject:
            return values.title
        row = " – ".join(filter(None, [joined(values.rows.groups[0]), self.subject]))
        return table_title([(row,)], values.columns.groups)

    def names(self, pixels: float, size: float, most: int) -> RowNames:
        """The names of the rows, in a column of at most so many pixels."""
        return names_beside(self.texts, pixels, size=size, most=most, bold=self.headings)


def panels_of(values: Values, plan: ChartPlan) -> Panels:
    """The panels of a plan with the values that they draw.

    The rows of a plan are those of shares: of statistics all are drawn.
    """
    data = values.data.copy()
    rows, columns = values.rows, values.columns
    if plan.turned:
        return _turned(values, plan)
    made: list[DrawnPanel] = []
    drawn: list[int] = []
    for panel in plan.panels:
        places = panel.columns or range(len(columns.labels))
        chosen = list(range(len(rows.labels)) if values.of_statistics else panel.rows)
        drawn = chosen
        inside = data[data["column"].isin(places) & data["row"].isin(chosen)]
        order = {place: at for at, place in enumerate(chosen)}
        ordered = inside.sort_values(
            ["row", "column"], key=lambda at: at.map(order) if at.name == "row" else at
        )
        names = told_apart(columns, places)
        heading = panel.name
        if len(plan.panels) > 1 and len(places) == 1:
            [heading] = told_apart(columns, range(len(columns.labels)), only=places)
        series = ordered["column"].map(dict(zip(places, names, strict=True)))
        shown = ordered.assign(group=series)
        made.append(DrawnPanel(heading, shown, names, panel.in_order and len(names) > 1))
    return with_rows(made, rows, drawn)


def _turned(values: Values, plan: ChartPlan) -> Panels:
    """The columns as rows: one panel, in which the groups of the columns are headings."""
    [row] = {at for panel in plan.panels for at in panel.rows}
    columns = [at for panel in plan.panels for at in panel.columns]
    data = values.data[values.data["row"].eq(row) & values.data["column"].isin(columns)]
    label = data["column"].map(dict(enumerate(values.columns.labels)))
    turned = data.assign(label=label, group=values.rows.names[row])
    panel = DrawnPanel("", turned, [values.rows.names[row]])
    made = with_rows([panel], values.columns, columns)
    return Panels(
        made.panels, made.rows, made.texts, made.headings, made.folded, values.rows.names[row]
    )


def with_rows(panels: list[DrawnPanel], side: Side, drawn: Sequence[int]) -> Panels:
    """Panels whose rows have headings where they are of several groups."""
    groups = [side.groups[at] for at in drawn]
    common = _common(groups)
    sections = len({*groups}) > 1
    rows: list[str] = []
    texts: dict[str, str] = {}
    headings: list[str] = []
    for group, places in groupby(drawn, key=lambda at: side.groups[at]):
        inside = list(places)
        if sections and (heading := joined(group[common:])):
            # A key of its own: a row may have the name of its group.
            key = f"{heading}\n{len(headings)}"
            rows.append(key)
            headings.append(key)
            texts[key] = heading
        keys = [side.labels[at] for at in inside]
        names = [side.names[at] for at in inside]
        rows += keys
        texts |= zip(keys, names if len({*names}) == len(names) else keys, strict=True)
    keys = [key for key in rows if key not in {*headings}]
    shared, short = folded([texts[key] for key in keys])
    texts |= zip(keys, short, strict=True)
    return Panels(panels, rows, texts, headings, shared)


def _common(groups: Sequence[Groups]) -> int:
    """How many of the outermost groups all share."""
    count = 0
    while groups and all(
        len(each) > count + 1 and each[count] == groups[0][count] for each in groups
    ):
        count += 1
    return count


def told_apart(
    side: Side, places: Sequence[int], *, only: Sequence[int] | None = None
) -> list[str]:
    """Short names of some columns, no two alike. only: those of them that are wanted."""
    names = short_names([side.groups[at] for at in places], [side.names[at] for at in places])
    if len({*names}) < len(names):
        names = [side.labels[at] for at in places]
    found = dict(zip(places, names, strict=True))
    return [found[at] for at in (places if only is None else only)]


def in_order(panels: Panels, labels: Sequence[str]) -> list[str]:
    """The keys of rows in the order of these labels, each under its heading.

    labels: every row.
    """
    rank = {label: at for at, label in enumerate(labels)}
    made: list[str] = []
    section: list[str] = []
    for key in panels.rows:
        if key in {*panels.headings}:
            made += sorted(section, key=lambda each: rank[each])
            made.append(key)
            section = []
        else:
            section.append(key)
    return made + sorted(section, key=lambda each: rank[each])


def turned_rows(panels: Panels, how: TableArrangement) -> list[str]:
    """The keys of columns that are drawn as rows, sorted as rows of a table are."""
    if how.by == "asked":
        return panels.rows
    data = panels.data
    keys = data["label"] if how.by == "label" else data["value"]
    falling = how.falling and how.by != "label"
    order = keys.sort_values(ascending=not falling, kind="stable", na_position="last").index
    return in_order(panels, [str(label) for label in data["label"].loc[order]])
