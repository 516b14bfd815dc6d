"""Answers that are charts: their bars are checked, by the data of the chart and not by pixels."""

from __future__ import annotations

import math
import statistics
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from audiencelab.course.answer_types import AnswerType, FiguresByAnswer, code_of, labels_of
from audiencelab.course.reference import Respondents

Spec = Mapping[str, Any]

_TOGETHER = ("layer", "hconcat", "vconcat", "concat")
_LENGTHS = ("x", "y")
_KEYS = ("x", "y", "xOffset", "yOffset", "row", "column", "facet", "color", "fill")
"""The channels that may show which answer a bar is of."""

_AGGREGATES: dict[str, Callable[[Sequence[float]], float]] = {
    "mean": statistics.fmean,
    "average": statistics.fmean,
    "median": statistics.median,
    "sum": math.fsum,
    "min": min,
    "max": max,
}


@dataclass(frozen=True)
class ChartAnswer(AnswerType):
    """A bar chart made with `al.charts` or altair.

    Stored as: whether it has bars, whether their axis starts at 0, and the value of each answer.
    figures: the values that its bars show.
    """

    figures: FiguresByAnswer

    @property
    def asks_for(self) -> str:
        """The type as text."""
        return "a chart"

    def read(self, given: Any, respondents: Respondents) -> dict[str, Any]:
        # No check for altair's own class, so that this module works without altair.
        if not callable(getattr(given, "to_dict", None)) or not hasattr(given, "save"):
            raise self.refuse(given, "Draw it with al.charts.bar(…), or with altair.")
        try:
            spec: Spec = given.to_dict()
        except Exception as error:  # altair has errors of its own
            why = (str(error).splitlines() or [type(error).__name__])[0]
            raise self.refuse(given, f"It cannot be drawn: {why}") from None
        bars = [unit for unit in _units(spec, {}) if _mark(unit) == "bar"]
        values: dict[str, set[float]] = defaultdict(set)
        for unit in bars:
            for code, value in self._values(unit, spec, respondents):
                values[code].add(round(value, 4))
        return {
            "bars": bool(bars),
            "from_zero": all(_begins_at_zero(unit) for unit in bars),
            "values": {code: each.pop() for code, each in values.items() if len(each) == 1},
        }

    def same(self, answer: Any, wanted: Any, respondents: Respondents) -> bool:
        return self.remark(answer, wanted, respondents) is None

    def shown(self, answer: Any, respondents: Respondents) -> str:
        """The values of a right answer, or the parsed content of a chart."""
        return f"bars of {self.figures.shown(answer.get('values', answer), respondents)}"

    def remark(self, answer: Any, wanted: Any, respondents: Respondents) -> tuple[str, str] | None:
        values: dict[str, float] = answer["values"]
        if not answer["bars"]:
            return "no bars", "There are no bars in this chart: the exercise asks for bars."
        if not answer["from_zero"]:
            return "axis", "The axis of the bars does not begin at 0, so their lengths mislead."
        labels = labels_of(self.figures.question, respondents)
        if missing := [labels[code] for code in self.figures.datapoints if code not in values]:
            return (
                "unread",
                f"Its data have no single value for {', '.join(missing)}. Give the chart a table "
                "with one row for each bar.",
            )
        percent = {code: 100 * value for code, value in values.items()}
        if not any(self.figures.same(each, wanted, respondents) for each in (values, percent)):
            return "figures", "It shows other figures than asked for: look at rows, base and waves."
        return None

    def _values(
        self, unit: Spec, spec: Spec, respondents: Respondents
    ) -> Iterator[tuple[str, float]]:
        """The lengths of a view's bars, with the code of the answer that each is of."""
        encoding: Spec = unit["encoding"]
        data: Spec = unit.get("data") or {}
        rows: list[Spec] = data.get("values") or spec.get("datasets", {}).get(data.get("name"), [])
        keys = [_field(encoding.get(channel, {})) for channel in _KEYS]
        for channel in _lengths(unit):
            found: dict[str, list[float]] = defaultdict(list)
            for row in rows:
                value, labels = row.get(_field(channel)), {str(row.get(key)) for key in keys if key}
                codes = {code_of(each, self.figures.question, respondents) for each in labels}
                if len(codes := codes - {None}) == 1 and _is_number(value):
                    found[cast("str", codes.pop())].append(float(cast("float", value)))
            aggregate = _AGGREGATES.get(str(channel.get("aggregate")))
            for code, values in found.items():
                for value in [aggregate(values)] if aggregate else values:
                    yield code, value


def _field(channel: Any) -> str:
    """The field that a channel shows; "" for none."""
    field = cast(Spec, channel).get("field", "") if isinstance(channel, Mapping) else ""
    # Dots and brackets in names of columns are escaped.
    return field.replace("\\", "") if isinstance(field, str) else ""


def _units(spec: Spec, inherited: Spec) -> Iterator[Spec]:
    """Every single view of a chart, with the properties it inherits."""
    facet: Any = spec.get("facet", {})
    # A facet of one field or of rows and columns.
    faceted: Spec = {"facet": facet} if "field" in facet else facet
    merged = {
        **spec,
        "encoding": {**inherited.get("encoding", {}), **faceted, **spec.get("encoding", {})},
        "data": spec.get("data", inherited.get("data", {})),
    }
    parts: list[Spec] = [part for way in _TOGETHER for part in spec.get(way, ())]
    inner = spec.get("spec")
    if isinstance(inner, Mapping):
        parts.append(cast(Spec, inner))
    if not parts and "mark" in spec:
        yield merged
    for part in parts:
        yield from _units(part, merged)


def _mark(unit: Spec) -> str:
    mark: Any = unit["mark"]
    return str(cast(Spec, mark)["type"] if isinstance(mark, Mapping) else mark)


def _lengths(unit: Spec) -> list[Spec]:
    """The channels that give bars their length: the quantitative ones."""
    channels: list[Spec] = [unit["encoding"].get(axis, {}) for axis in _LENGTHS]
    return [channel for channel in channels if channel.get("type") == "quantitative"]


def _begins_at_zero(unit: Spec) -> bool:
    return all(_holds_zero(channel.get("scale") or {}) for channel in _lengths(unit))


def _holds_zero(scale: Spec) -> bool:
    """Whether a scale is linear and has 0 in it; bars start at 0 by default in Vega-Lite."""
    domain: Any = scale.get("domain")
    if scale.get("type", "linear") != "linear":
        return False
    if isinstance(domain, list):
        ends = [end for end in cast("list[Any]", domain) if _is_number(end)]
        return bool(ends) and min(ends) <= 0 <= max(ends)
    return scale.get("zero") is not False and not scale.get("domainMin", 0) > 0


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
