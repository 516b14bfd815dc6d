"""Round numbers on the axes of charts, and what is written at them."""

from __future__ import annotations

import json
import math
from typing import NamedTuple

from audiencelab.charts.renderer import Spec
from audiencelab.results.statistic_rows import PARTS_OF_NPS


class Ticks(NamedTuple):
    """Values of an axis, and what is written at each."""

    values: list[float]
    texts: list[str]

    def axis(self) -> Spec:
        """The parts of an axis that write them."""
        texts = {
            str(int(each)) if each.is_integer() else repr(each): text
            for each, text in zip(self.values, self.texts, strict=True)
        }
        return {"values": self.values, "labelExpr": f"{json.dumps(texts)}[datum.value]"}


def step_of(span: float, most: int = 6) -> float:
    """The step of ticks: 1, 2 or 5 times a power of ten."""
    rough = span / most
    power = 10.0 ** math.floor(math.log10(rough))
    return power * next(each for each in (1, 2, 5, 10) if each * power >= rough * 0.999)


def ticks_between(low: float, high: float, kind: str, most: int = 6) -> Ticks:
    """Ticks of an axis of a metric or kind of statistic; most: how many there are at most."""
    step = step_of(high - low, most)
    places = range(math.ceil(low / step), math.floor(high / step) + 1)
    values = [round(step * place, 9) for place in places]
    decimals = max(0, -math.floor(math.log10(step)))
    return Ticks(values, [_text(value, kind, decimals) for value in values])


def is_share(kind: str) -> bool:
    """Whether values of a metric or kind of statistic are percentages."""
    return kind.endswith("percentage") or kind in PARTS_OF_NPS


def _text(value: float, kind: str, decimals: int) -> str:
    if kind.endswith("size") and abs(value) >= 1e6:
        return f"{value / 1e6:,g}M"
    text = f"{value:,.{decimals}f}"
    return f"{text}%" if is_share(kind) else text
