"""Figures of a survey one by one, each with its standard error and interval."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from math import isnan, nan
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Self, TypeAlias, get_args, overload

from audiencelab.hidden_members import hide_members
from audiencelab.results.made import Made
from audiencelab.results.numberlike import NumberLike
from audiencelab.results.table_code import step, table_code

if TYPE_CHECKING:
    import pandas as pd

ALL = "All"
"""The group of everyone in the base."""


class Estimate(NamedTuple):
    """One figure.

    question: its name; item: of a grid; answer: of a proportion. statistic: what the value is.
    by, group: the question that makes groups, and the group; "" and `ALL` for everyone.
    value: in the unit of the amounts, of shares in %. total: of a sum over several waves, of which
        the value is the average, all of them added up; NaN of others. sample: respondents that it
        rests on.
    weighted_base: their weight, on average over the waves where the survey's sizes are.
    degrees_of_freedom: of the t of the interval; infinite for the normal distribution.
    decimals, unit: how the value is shown. code: of the question. direction: what its amounts run
        from and to; "" for plain numbers.
    """

    question: str
    item: str
    answer: str
    statistic: str
    by: str
    group: str
    value: float
    standard_error: float
    low: float
    high: float
    sample: float
    weighted_base: float
    degrees_of_freedom: float
    decimals: int = 2
    unit: str = ""
    code: str = ""
    total: float = nan
    direction: str = ""

    @property
    def is_averaged(self) -> bool:
        """Whether it is a sum of several waves, and its value their average."""
        return not isnan(self.total) and self.total != self.value


Column: TypeAlias = Literal[
    "question",
    "item",
    "answer",
    "statistic",
    "by",
    "group",
    "value",
    "standard_error",
    "low",
    "high",
    "total",
    "sample",
    "weighted_base",
    "degrees_of_freedom",
]
"""The columns of the frame."""

_ALWAYS = (
    "statistic",
    "value",
    "standard_error",
    "low",
    "high",
    "sample",
    "weighted_base",
    "degrees_of_freedom",
)
"""Columns of the frame that are there whatever they hold."""


@hide_members("made")
@dataclass(frozen=True, slots=True, repr=False, eq=False)
class EstimatesData(NumberLike):
    """Figures with their standard errors and intervals, everyone first and then each group.

    lines: the figures. table: the crosstab that they were read from.
    level: the confidence of the intervals. method: how they were made, in a line.
    left_out: who is left out although they answered, in sentences.
    made: how they were made, for `to_code`.
    """

    lines: tuple[Estimate, ...]
    table: Any
    level: float
    method: str = ""
    provenance: dict[str, Any] = field(default_factory=dict[str, Any])
    left_out: tuple[str, ...] = ()
    made: Made = None

    def __len__(self) -> int:
        return len(self.lines)

    def __iter__(self) -> Iterator[Estimate]:
        return iter(self.lines)

    def __float__(self) -> float:
        return self._one("value")

    @property
    def value(self) -> float:
        """The value of a single figure; `ValueError` where there are several."""
        return self._one("value")

    @property
    def standard_error(self) -> float:
        """The standard error of a single figure."""
        return self._one("standard_error")

    @property
    def low(self) -> float:
        """The lower end of the interval of a single figure."""
        return self._one("low")

    @property
    def high(self) -> float:
        """The upper end of the interval of a single figure."""
        return self._one("high")

    @property
    def sample(self) -> float:
        """The respondents that a single figure rests on."""
        return self._one("sample")

    @overload
    def __getitem__(self, name: Column) -> pd.Series[Any]: ...  # pyright: ignore[reportOverlappingOverload] -- other names are groups
    @overload
    def __getitem__(self, name: str) -> Self: ...
    def __getitem__(self, name: str) -> Self | pd.Series[Any]:
        """The figures of a group, question, item, answer or statistic, by its name or code.

        A column of the frame by its name is that column: `estimates["value"]`.
        """
        if isinstance(name, str) and name in get_args(Column):
            return self.to_frame()[name]
        for part in ("group", "question", "code", "item", "answer", "statistic"):
            wanted = name.strip().casefold() if isinstance(name, str) else name
            kept = [line for line in self.lines if getattr(line, part).casefold() == wanted]
            if kept:
                return replace(self, lines=tuple(kept), made=step(self, f"[{name!r}]"))
        known = dict.fromkeys(
            each
            for line in self.lines
            for each in (line.group, line.question, line.item, line.answer)
            if each
        )
        raise KeyError(f"No figure of {name!r}. There are those of {', '.join(map(repr, known))}.")

    def to_frame(self) -> pd.DataFrame:
        """A line for each figure, everyone before the groups.

        `question`, `item` (of a grid), `answer` (of a proportion) and `statistic`; `by` and `group`
        where there are groups; `value`, `standard_error`, `low`, `high`; `sample`, the respondents
        that the value rests on, `weighted_base`, their weight, and `degrees_of_freedom`. The value
        of a sum over several waves is their average, and `total` adds them up. Shares and
        net promoter scores are in %, from 0 (or -100) to 100. `attrs` hold provenance and method.

        >>> ages = client.mean("Age", by="Gender", waves="latest 1").to_frame()
        >>> ages[["group", "value", "sample"]].round(1).values.tolist()[:2]
        [['All', 44.9, 2000.0], ['Male', 45.0, 931.0]]
        """
        import pandas as pd

        shown = [name for name in get_args(Column) if name in _ALWAYS or any(self._has(name))]
        columns = {name: [getattr(line, name) for line in self.lines] for name in shown}
        frame = pd.DataFrame(columns)
        frame.attrs.update(self.provenance, method_note=self.method)
        return frame

    def _has(self, name: str) -> Sequence[bool]:
        if name == "group":
            return [bool(line.by) or line.group != ALL for line in self.lines]
        if name == "total":
            return [not isnan(line.total) for line in self.lines]
        return [bool(getattr(line, name)) for line in self.lines]

    def _one(self, name: str) -> float:
        if len(self.lines) != 1:
            first = f"{table_code(self) or 'estimates'}.to_frame()"
            raise ValueError(
                f"There are {len(self.lines)} figures here, and one was asked for. Write {first}."
            )
        found: float = getattr(self.lines[0], name)
        return found


def interval_words(line: Estimate) -> str:
    """The interval of a figure, "51.2 to 55.3"; "" where it has none."""
    if isnan(line.low) or isnan(line.high):
        return ""
    return f"{shown(line, line.low)} to {shown(line, line.high)}"


def shown(line: Estimate, value: float) -> str:
    """A value of a figure as it is shown."""
    return "–" if isnan(value) else f"{value:,.{line.decimals}f}{line.unit}"
