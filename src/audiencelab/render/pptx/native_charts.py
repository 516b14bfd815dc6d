"""PowerPoint's own charts, as XML.

The plot has a fixed position in its frame, so that charts beside each other are in line, and texts
beside a chart are at the height of its bars.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple
from xml.sax.saxutils import escape, quoteattr

from audiencelab.render.excel.styles import cell_text
from audiencelab.render.pptx.shapes import FAINT, INK, QUIET, Colour, fill_xml

Form = Literal["bar", "column", "line", "stack"]

_FIRST, _SECOND = 50_010, 50_020
"""The numbers of the two axes."""


class Plot(NamedTuple):
    """The position of the plot in its frame, as parts of its width and height."""

    left: float = 0.0
    top: float = 0.0
    width: float = 1.0
    height: float = 1.0


_WHOLE = Plot()


@dataclass(frozen=True, slots=True)
class Series:
    """Values of one colour. marks: the low-base mark of each; ink: the colour of their labels."""

    name: str
    values: tuple[float | None, ...]
    colour: Colour
    marks: tuple[str, ...] = ()
    ink: Colour = INK

    def mark(self, at: int) -> str:
        """The low-base mark of a value."""
        return self.marks[at] if self.marks else ""


@dataclass(frozen=True, slots=True)
class NativeChart:
    """A chart that can be edited in PowerPoint.

    numbers: the number format of the values. low, high, step: the ends and the steps of their axis.
    crosses: where bars begin, if not at the lowest value. shows_names: whether the categories are
    named beside the plot. shows_values: whether values are written; of parts of a stack, those
    of at least `least`. gap: between the bars of two categories, in percent of a bar.
    words: what it shows, for those who do not see it.
    """

    form: Form
    categories: tuple[str, ...]
    series: tuple[Series, ...]
    numbers: str
    low: float
    high: float
    words: str
    step: float = 0
    crosses: float | None = None
    plot: Plot = _WHOLE
    shows_names: bool = True
    shows_values: bool = True
    least: float = 0
    gap: int = 50
    name_size: float = 11
    value_size: float = 10


def starred(numbers: str, mark: str) -> str:
    """The number format of a value on a low base."""
    return f'{numbers}"{mark}"' if mark else numbers


def chart_xml(chart: NativeChart) -> bytes:
    """The part of a package that holds a chart, whose data are its first relationship."""
    plot = (_line if chart.form == "line" else _bars)(chart)
    return (
        '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'
        '<c:chartSpace xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" '
        'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" '
        'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships">'
        '<c:date1904 val="0"/><c:roundedCorners val="0"/>'
        '<c:chart><c:autoTitleDeleted val="1"/><c:plotArea>'
        f"{_layout(chart.plot)}{plot}{_category_axis(chart)}{_value_axis(chart)}"
        "<c:spPr><a:noFill/></c:spPr></c:plotArea>"
        '<c:plotVisOnly val="1"/><c:dispBlanksAs val="gap"/></c:chart>'
        "<c:spPr><a:noFill/><a:ln><a:noFill/></a:ln></c:spPr>"
        f"{_text(chart.name_size, INK)}"
        '<c:externalData r:id="rId1"><c:autoUpdate val="0"/></c:externalData>'
        "</c:chartSpace>"
    ).encode()


def _layout(plot: Plot) -> str:
    places = "".join(
        f'<c:{name} val="{value:.5f}"/>' for name, value in zip("xywh", plot, strict=True)
    )
    return (
        '<c:layout><c:manualLayout><c:layoutTarget val="inner"/><c:xMode val="edge"/>'
        f'<c:yMode val="edge"/>{places}</c:manualLayout></c:layout>'
    )


def _bars(chart: NativeChart) -> str:
    is_stack = chart.form == "stack"
    direction = "col" if chart.form == "column" else "bar"
    # Bars of one category touch; parts of a stack are over each other.
    overlap = 100 if is_stack else 0
    return (
        f'<c:barChart><c:barDir val="{direction}"/>'
        f'<c:grouping val="{"stacked" if is_stack else "clustered"}"/><c:varyColors val="0"/>'
        f"{''.join(_series(chart, at) for at in range(len(chart.series)))}"
        f'<c:gapWidth val="{chart.gap}"/><c:overlap val="{overlap}"/>{_AXES}</c:barChart>'
    )


def _line(chart: NativeChart) -> str:
    return (
        '<c:lineChart><c:grouping val="standard"/><c:varyColors val="0"/>'
        f"{''.join(_series(chart, at) for at in range(len(chart.series)))}"
        f'<c:marker val="1"/>{_AXES}</c:lineChart>'
    )


_AXES = f'<c:axId val="{_FIRST}"/><c:axId val="{_SECOND}"/>'


def _series(chart: NativeChart, at: int) -> str:
    series, column = chart.series[at], column_letters(at + 1)
    rows = len(chart.categories) + 1
    is_line = chart.form == "line"
    points = "".join(
        _low_point(series, place, is_line)
        for place, value in enumerate(series.values)
        if series.mark(place) and value is not None
    )
    look = (
        f"{_line_look(series.colour)}{_marker(series.colour)}{points}"
        if is_line
        else f"<c:spPr>{fill_xml(series.colour)}{_edge(chart)}</c:spPr>"
        f'<c:invertIfNegative val="0"/>{points}'
    )
    texts = "".join(
        f'<c:pt idx="{place}"><c:v>{escape(name)}</c:v></c:pt>'
        for place, name in enumerate(chart.categories)
    )
    numbers = "".join(
        f'<c:pt idx="{place}"><c:v>{value!r}</c:v></c:pt>'
        for place, value in enumerate(series.values)
        if value is not None
    )
    return (
        f'<c:ser><c:idx val="{at}"/><c:order val="{at}"/><c:tx><c:strRef>'
        f'<c:f>Sheet1!${column}$1</c:f><c:strCache><c:ptCount val="1"/><c:pt idx="0">'
        f"<c:v>{escape(series.name)}</c:v></c:pt></c:strCache></c:strRef></c:tx>"
        f"{look}{_labels(chart, series)}"
        f"<c:cat><c:strRef><c:f>Sheet1!$A$2:$A${rows}</c:f><c:strCache>"
        f'<c:ptCount val="{rows - 1}"/>{texts}</c:strCache></c:strRef></c:cat>'
        f"<c:val><c:numRef><c:f>Sheet1!${column}$2:${column}${rows}</c:f><c:numCache>"
        f"<c:formatCode>{escape(chart.numbers)}</c:formatCode>"
        f'<c:ptCount val="{rows - 1}"/>{numbers}</c:numCache></c:numRef></c:val>'
        + ('<c:smooth val="0"/></c:ser>' if is_line else "</c:ser>")
    )


def _edge(chart: NativeChart) -> str:
    # A line in the colour of the ground parts neighbours of a stack.
    return f'<a:ln w="6350">{fill_xml("bg1")}</a:ln>' if chart.form == "stack" else ""


def _line_look(colour: Colour) -> str:
    return f'<c:spPr><a:ln w="28575" cap="rnd">{fill_xml(colour)}<a:round/></a:ln></c:spPr>'


def _marker(colour: Colour, *, hollow: bool = False) -> str:
    inner = fill_xml("bg1" if hollow else colour)
    return (
        '<c:marker><c:symbol val="circle"/><c:size val="6"/>'
        f'<c:spPr>{inner}<a:ln w="15875">{fill_xml(colour)}</a:ln></c:spPr></c:marker>'
    )


def _low_point(series: Series, place: int, is_line: bool) -> str:
    """A value on a low base: a hollow point, a hatched bar."""
    if is_line:
        inner = (
            f'{_marker(series.colour, hollow=True)}<c:bubble3D val="0"/>{_line_look(series.colour)}'
        )
    else:
        inner = (
            '<c:invertIfNegative val="0"/><c:bubble3D val="0"/>'
            f"<c:spPr>{fill_xml(series.colour, hatched=True)}"
            f'<a:ln w="9525">{fill_xml(series.colour)}</a:ln></c:spPr>'
        )
    return f'<c:dPt><c:idx val="{place}"/>{inner}</c:dPt>'


def _labels(chart: NativeChart, series: Series) -> str:
    if not chart.shows_values:
        return f"<c:dLbls>{_shown(shown=False)}</c:dLbls>"
    place = "ctr" if chart.form == "stack" else "t" if chart.form == "line" else "outEnd"
    own: list[str] = []
    for at, value in enumerate(series.values):
        if value is None:
            continue
        if chart.form == "stack" and value < chart.least:
            own.append(f'<c:dLbl><c:idx val="{at}"/><c:delete val="1"/></c:dLbl>')
        elif mark := series.mark(at):
            own.append(
                f'<c:dLbl><c:idx val="{at}"/>'
                f"{_label(starred(chart.numbers, mark), chart.value_size, INK, place)}</c:dLbl>"
            )
    usual = _label(chart.numbers, chart.value_size, series.ink, place)
    return f"<c:dLbls>{''.join(own)}{usual}</c:dLbls>"


def _label(numbers: str, size: float, ink: Colour, place: str) -> str:
    return (
        f'<c:numFmt formatCode={quoteattr(numbers)} sourceLinked="0"/>'
        f"<c:spPr><a:noFill/><a:ln><a:noFill/></a:ln></c:spPr>{_text(size, ink, _WHOLE_LINE)}"
        f'<c:dLblPos val="{place}"/>{_shown(shown=True)}'
    )


def _shown(*, shown: bool) -> str:
    others = ("CatName", "SerName", "Percent", "BubbleSize")
    return f'<c:showLegendKey val="0"/><c:showVal val="{int(shown)}"/>' + "".join(
        f'<c:show{each} val="0"/>' for each in others
    )


def _text(size: float, ink: Colour, turn: str = "") -> str:
    return (
        f"<c:txPr><a:bodyPr{turn}/><a:lstStyle/><a:p><a:pPr>"
        f'<a:defRPr sz="{round(100 * size)}" b="0">{fill_xml(ink)}</a:defRPr></a:pPr>'
        '<a:endParaRPr lang="en-GB"/></a:p></c:txPr>'
    )


def _category_axis(chart: NativeChart) -> str:
    across = chart.form in ("bar", "stack")
    # The first row is on top, as in the table.
    order = "maxMin" if across else "minMax"
    line = "<a:noFill/>" if chart.form == "stack" else fill_xml(QUIET)
    turn = "" if across else _LEVEL
    return (
        f'<c:catAx><c:axId val="{_FIRST}"/><c:scaling><c:orientation val="{order}"/></c:scaling>'
        f'<c:delete val="0"/><c:axPos val="{"l" if across else "b"}"/>'
        '<c:numFmt formatCode="General" sourceLinked="0"/>'
        '<c:majorTickMark val="none"/><c:minorTickMark val="none"/>'
        f'<c:tickLblPos val="{"low" if chart.shows_names else "none"}"/>'
        f'<c:spPr><a:ln w="9525">{line}</a:ln></c:spPr>{_text(chart.name_size, INK, turn)}'
        f'<c:crossAx val="{_SECOND}"/>{_crossing(chart)}<c:auto val="0"/>'
        f'<c:lblAlgn val="ctr"/><c:lblOffset val="60"/>'
        '<c:tickLblSkip val="1"/><c:noMultiLvlLbl val="1"/></c:catAx>'
    )


_WHOLE_LINE = ' wrap="none"'
"""Values stay on one line, however small the chart is."""

_LEVEL = ' rot="0"'
"""Names beside each other stay level, where PowerPoint would turn them."""


def _crossing(chart: NativeChart) -> str:
    if chart.crosses is None:
        return f'<c:crosses val="{"min" if chart.form == "line" else "autoZero"}"/>'
    return f'<c:crossesAt val="{chart.crosses:g}"/>'


def _value_axis(chart: NativeChart) -> str:
    is_line = chart.form == "line"
    grid = (
        f'<c:majorGridlines><c:spPr><a:ln w="6350">{fill_xml(FAINT)}</a:ln></c:spPr>'
        "</c:majorGridlines>"
    )
    steps = f'<c:majorUnit val="{chart.step:g}"/>' if chart.step else ""
    return (
        f'<c:valAx><c:axId val="{_SECOND}"/><c:scaling><c:orientation val="minMax"/>'
        f'<c:max val="{chart.high:g}"/><c:min val="{chart.low:g}"/></c:scaling>'
        f'<c:delete val="{int(not is_line)}"/>'
        f'<c:axPos val="{"b" if chart.form in ("bar", "stack") else "l"}"/>'
        f"{grid if is_line else ''}"
        f'<c:numFmt formatCode={quoteattr(_axis_format(chart))} sourceLinked="0"/>'
        '<c:majorTickMark val="none"/><c:minorTickMark val="none"/><c:tickLblPos val="nextTo"/>'
        f"<c:spPr><a:ln><a:noFill/></a:ln></c:spPr>{_text(chart.value_size, QUIET)}"
        f'<c:crossAx val="{_FIRST}"/><c:crosses val="min"/><c:crossBetween val="between"/>'
        f"{steps}</c:valAx>"
    )


def _axis_format(chart: NativeChart) -> str:
    """The format of values without the decimals that steps do not have."""
    whole = chart.step and chart.step == int(chart.step)
    before, point, after = chart.numbers.partition(".")
    return before + after.lstrip("0") if whole and point else chart.numbers


def column_letters(number: int) -> str:
    """The name of a column of a sheet, from 0: A, B, …, Z, AA."""
    above, within = divmod(number, 26)
    return (column_letters(above - 1) if above else "") + chr(ord("A") + within)


def names_of(texts: Sequence[str]) -> tuple[str, ...]:
    """Names as a chart and its workbook hold them."""
    return tuple(map(cell_text, texts))
