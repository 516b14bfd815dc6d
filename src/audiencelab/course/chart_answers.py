"""Answers that are charts: checked by their specification, not by pixels."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

from audiencelab.course.answer_types import AnswerType
from audiencelab.course.reference import Respondents

Spec = Mapping[str, Any]

_SAYS_WHOM = ("base", "respondent", "sample", "n =", "n=")
_MOST_VALUES = 500
_TOGETHER = ("layer", "hconcat", "vconcat", "concat")


@dataclass(frozen=True)
class ChartAnswer(AnswerType):
    """A bar chart made with `al.charts` or altair.

    Stored as: whether it has bars, whether their axis starts at 0, their values, and its text.
    """

    tolerance: float

    @property
    def asks_for(self) -> str:
        """The type as text."""
        return "a chart"

    def read(self, given: Any, respondents: Respondents) -> dict[str, Any]:
        # No check for altair's own class, so that this module works without altair.
        if not callable(getattr(given, "to_dict", None)) or not hasattr(given, "save"):
            raise self.refuse(given, "Draw it with al.charts.bar(…), or with altair.")
        spec: Spec = given.to_dict()
        bars = [unit for unit in _units(spec, {}) if _mark(unit) == "bar"]
        values = {round(value, 4) for unit in bars for value in _values(unit, spec)}
        return {
            "bars": bool(bars),
            "from_zero": all(_begins_at_zero(unit) for unit in bars),
            "values": sorted(values)[:_MOST_VALUES],
            "words": " ".join(_words(spec))[:1_000],
        }

    def same(self, answer: Any, wanted: Any, respondents: Respondents) -> bool:
        return self.remark(answer, wanted, respondents) is None

    def shown(self, answer: Any, respondents: Respondents) -> str:
        """The values of a right answer, or the parsed content of a chart."""
        values = cast("list[float]", answer["values"] if isinstance(answer, dict) else answer)
        return "bars of " + ", ".join(f"{value:.1f}" for value in values)

    def remark(self, answer: Any, wanted: Any, respondents: Respondents) -> tuple[str, str] | None:
        if not answer["bars"]:
            return "no bars", "There are no bars in this chart: the exercise asks for bars."
        if not answer["from_zero"]:
            return "axis", "The axis of the bars does not begin at 0, so their lengths mislead."
        if any(not self._holds(answer["values"], value) for value in wanted):
            return "figures", "It shows other figures than asked for: look at rows, base and waves."
        if not any(word in answer["words"].casefold() for word in _SAYS_WHOM):
            return (
                "base",
                "An honest chart says whom its figures are of. Put the base, or how many "
                "respondents, into the title or the subtitle.",
            )
        return None

    def _holds(self, values: list[float], wanted: float) -> bool:
        return any(
            abs(value - wanted) <= self.tolerance or abs(100 * value - wanted) <= self.tolerance
            for value in values
        )


def _units(spec: Spec, inherited: Spec) -> Iterator[Spec]:
    """Every single view of a chart, with the properties it inherits."""
    merged = {
        **spec,
        "encoding": {**inherited.get("encoding", {}), **spec.get("encoding", {})},
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
    channels: list[Spec] = [unit["encoding"].get(axis, {}) for axis in ("x", "y")]
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


def _values(unit: Spec, spec: Spec) -> Iterator[float]:
    data: Spec = unit.get("data") or {}
    rows: list[Spec] = data.get("values") or spec.get("datasets", {}).get(data.get("name"), [])
    for channel in _lengths(unit):
        for row in rows:
            value: Any = row.get(channel.get("field", ""))
            if _is_number(value) and math.isfinite(value):
                yield float(value)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _words(spec: Any) -> Iterator[str]:
    """Titles and subtitles, of charts and of axes."""
    if isinstance(spec, Mapping):
        for key, value in cast(Spec, spec).items():
            if key in ("title", "subtitle", "text") and not isinstance(value, Mapping):
                said = cast("list[Any]", value if isinstance(value, list) else [value])
                yield from (word for word in said if isinstance(word, str))
            elif key != "datasets":
                yield from _words(value)
    elif isinstance(spec, list):
        for part in cast("list[Any]", spec):
            yield from _words(part)
