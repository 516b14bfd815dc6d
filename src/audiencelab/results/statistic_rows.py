"""Rows of a crosstab other than shares: means, percentiles, sums and scores of amounts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from audiencelab.expressions import Condition, Expression, walk
from audiencelab.results.banner import Groups
from audiencelab.results.deviation import SD_FORMULA, spread_of, standard_deviation
from audiencelab.schema.queries import RestFigures, StatisticFigures

Floats = NDArray[np.float64]

STATISTIC_FIGURES = (
    "value",
    "standard_error",
    "standard_deviation",
    "answered_size",
    "answered_sample",
)
"""The figures of a cell of such a row; the standard deviation is that of `results.deviation`."""

REST_FIGURES = (*STATISTIC_FIGURES, "difference_error", "degrees_of_freedom")
"""Those of the base less a column: the same, the standard error of the column less its rest, and
the degrees of freedom of the smaller side."""

PARTS_OF_NPS = ("promoters", "passives", "detractors")
"""The percentages of which a net promoter score is the first less the last."""

_DECIMALS = {
    "mean": 2,
    "median": 2,
    "percentile": 2,
    "sum": 0,
    "nps": 1,
    "standard deviation": 2,
    "correlation": 3,
    "ratio": 3,
    **dict.fromkeys(PARTS_OF_NPS, 1),
}

STATISTIC_KINDS = tuple(_DECIMALS)
"""What statistics there are; a median is the percentile at 50."""

COMPARED = ("mean", "nps")
"""The statistics whose rows are compared with each other."""

TESTED = (*COMPARED, *PARTS_OF_NPS, "percentile", "sum", "correlation", "ratio")
"""The statistics that have errors, and so intervals and tests of columns."""


_SHOWN = 6
"""Rows, and answers without an amount, that a note names."""

USUAL_LEVEL = 0.95
"""The confidence of the ends that percentiles have without asking for them."""


@dataclass(frozen=True, slots=True, repr=False)
class Statistic:
    """A row that shows a statistic of amounts: `client["Age"].mean()` and its like.

    kind: "mean", "percentile", "sum", "nps", "standard deviation", "correlation", "ratio", or one
        of `PARTS_OF_NPS`.
    question: its code.
    name: what the row is called. code: the Python code of the row, after the client.
    item: the item of a grid, whose scale has the amounts.
    amounts: of answers, or of points of the scale, by code.
    exact: whether the numbers that respondents gave are preferred to the amounts.
    percentile: 0 to 100.
    direction: what the amounts run from and to, in the name; "" for plain numbers.
    without: names of the answers that have no amount, such as "Don't know".
    other: a row with the second amounts of a correlation, and the divisor of a ratio.
    audience: in place of a question: its respondents, of whom each adds 1 to a sum.

    >>> client["Age"].mean()
    <Statistic Age: mean>
    """

    kind: str
    question: str
    name: str
    code: str = ""
    item: str = ""
    amounts: tuple[tuple[str, float], ...] = ()
    exact: bool = True
    percentile: float = 50.0
    direction: str = ""
    without: tuple[str, ...] = ()
    other: Statistic | None = None
    audience: Expression | None = None

    @property
    def questions(self) -> tuple[str, ...]:
        """The codes of the questions that its amounts are of."""
        if self.audience is not None:
            nodes = (node for _, node in walk(self.audience))
            return tuple(sorted({node.question for node in nodes if isinstance(node, Condition)}))
        return (self.question, *(() if self.other is None else self.other.questions))

    @property
    def short_name(self) -> str:
        """The name without the direction of the amounts."""
        return self.name.removesuffix(f" ({self.direction})") if self.direction else self.name

    def named(self, name: str) -> Statistic:
        """The same under another name.

        >>> client["Age"].mean().named("Average age").name
        'Average age'
        """
        return replace(self, name=name)

    @property
    def plain(self) -> Statistic:
        """The row alone, without a client that it came with."""
        return self

    @property
    def decimals(self) -> int:
        """How many decimals its values are shown with."""
        return decimals_of(self.kind)

    def __repr__(self) -> str:
        return f"<Statistic {self.name}>"


def decimals_of(kind: str) -> int:
    """How many decimals values of a kind of statistic are shown with."""
    return _DECIMALS.get(kind, 2)


@dataclass(frozen=True, slots=True, eq=False)
class StatisticRows:
    """The rows of statistics of a crosstab.

    columns: the ids of the table's columns.
    rows: what was asked for. after: the id of the row of shares that each comes after, None for
        those above all. groups: as those of rows of shares.
    figures: of `STATISTIC_FIGURES`, float64[figures, rows, 1 + columns], the base first; NaN where
        no respondent has an amount.
    covariance, freedom: float64[rows, 1 + columns, 1 + columns], of the values of two columns,
        and degrees of freedom of both together.
    ends: of the 95% intervals of percentiles, float64[2, rows, 1 + columns]; NaN of other kinds.
    rest: `REST_FIGURES` of the base less each column, float64[figures, rows, columns]; None where
        they are not known.
    exact: whether the amounts of each row are numbers as they were answered.
    how: what standard errors account for, other than strata and clusters.
    waves: how many each sum and size is an average of, float64[rows, 1 + columns]; None where it is
        not known.
    """

    columns: tuple[str, ...]
    rows: tuple[Statistic, ...]
    after: tuple[str | None, ...]
    groups: tuple[Groups, ...]
    figures: Floats
    covariance: Floats
    freedom: Floats
    ends: Floats
    rest: Floats | None
    exact: tuple[bool, ...]
    how: str = ""
    waves: Floats | None = None

    @classmethod
    def of(
        cls,
        columns: Sequence[str],
        rows: Sequence[Statistic],
        after: Sequence[str | None],
        groups: Sequence[Groups],
        answer: Sequence[StatisticFigures],
    ) -> StatisticRows:
        """The rows that a service answered."""

        def planes(*names: str, of: Sequence[object] = answer) -> Floats:
            return np.array([[getattr(row, name) for row in of] for name in names], np.float64)

        figures = planes("value", "error", "deviation", "size", "sample")
        _estimate_deviations(figures, rows)
        none = [None] * figures.shape[2]
        # Rows other than percentiles have no ends.
        ends = [[getattr(row, end) or none for row in answer] for end in ("low", "high")]
        rests = [row.rest for row in answer if row.rest is not None]
        # One array for all rows: where a row has no rest, none is kept.
        rest = planes(*RestFigures.__struct_fields__, of=rests) if len(rests) == len(rows) else None
        if rest is not None:
            _estimate_deviations(rest, rows)
        return cls(
            tuple(columns),
            tuple(rows),
            tuple(after),
            tuple(groups),
            figures,
            planes("covariance")[0],
            planes("freedom")[0],
            np.array(ends, np.float64),
            rest,
            tuple(row.exact for row in answer),
            ", ".join(dict.fromkeys(row.how for row in answer if row.how)),
            planes("waves")[0] if all(row.waves is not None for row in answer) else None,
        )

    def again(self, answer: Sequence[StatisticFigures]) -> StatisticRows:
        """The same rows with another answer of the service, such as at another level."""
        return StatisticRows.of(self.columns, self.rows, self.after, self.groups, answer)

    @property
    def headings(self) -> list[Groups]:
        """What each row is about: its groups, or its own name."""
        pairs = zip(self.rows, self.groups, strict=True)
        return [groups or (row.short_name,) for row, groups in pairs]

    def values(self, figure: str) -> Floats:
        """One figure of the columns, float64[rows, columns]."""
        return self.figures[STATISTIC_FIGURES.index(figure), :, 1:]

    def base(self, figure: str) -> Floats:
        """The same of everyone in the base, float64[rows]."""
        return self.figures[STATISTIC_FIGURES.index(figure), :, 0]

    @property
    def spread(self) -> Floats:
        """√(Σw(x - mean)² ÷ Σw) of the columns, float64[rows, columns]."""
        return spread_of(self.values("standard_deviation"), self.values("answered_sample"))

    def of_all_columns(self, has_columns: bool) -> StatisticRows:
        """The figures of the columns, or of the base alone, where the base's are otherwise.

        The base has no rest.
        """
        some = slice(1, None) if has_columns else slice(0, 1)
        none = np.full((len(REST_FIGURES), len(self.rows), 1), np.nan)
        return replace(
            self,
            figures=self.figures[..., some],
            covariance=self.covariance[:, some, some],
            freedom=self.freedom[:, some, some],
            ends=self.ends[..., some],
            rest=self.rest if has_columns else none,
            waves=None if self.waves is None else self.waves[:, some],
        )

    def take(self, positions: Sequence[int]) -> StatisticRows:
        """Some of the rows."""
        places = list(positions)

        def listed(values: tuple[Any, ...]) -> tuple[Any, ...]:
            return tuple(values[place] for place in places)

        return StatisticRows(
            self.columns,
            listed(self.rows),
            listed(self.after),
            listed(self.groups),
            self.figures[:, places],
            self.covariance[places],
            self.freedom[places],
            self.ends[:, places],
            None if self.rest is None else self.rest[:, places],
            listed(self.exact),
            self.how,
            None if self.waves is None else self.waves[places],
        )

    def of_columns(self, columns: Sequence[str]) -> StatisticRows | None:
        """The same rows by some of the columns, in their order; None for a column without them."""
        if tuple(columns) == self.columns:
            return self
        known = {column: place for place, column in enumerate(self.columns, 1)}
        if not known.keys() >= set(columns):
            return None
        # Position 0 is the base, which stays.
        places = [0, *(known[column] for column in columns)]
        square = np.ix_(range(len(self.rows)), places, places)
        without_base = [place - 1 for place in places[1:]]
        return replace(
            self,
            columns=tuple(columns),
            figures=self.figures[..., places],
            covariance=self.covariance[square],
            freedom=self.freedom[square],
            ends=self.ends[..., places],
            rest=None if self.rest is None else self.rest[..., without_base],
            waves=None if self.waves is None else self.waves[:, places],
        )

    def named(self, metric: str) -> StatisticRows | None:
        """The rows of one kind, such as "mean" or "median"; None where there are none."""
        places = [place for place, kind in enumerate(self.kinds) if kind == metric]
        return self.take(places) if places else None

    @property
    def kinds(self) -> list[str]:
        """The kind of each row, of `STATISTIC_KINDS`."""
        return [
            "median" if (each.kind, each.percentile) == ("percentile", 50) else each.kind
            for each in self.rows
        ]

    def note(self, respondents: Sequence[float | None], minimum_base: int = 0) -> str:
        """What the amounts are, and how many have none.

        respondents: those in the base of the question of each row; None where it is not known.
        minimum_base: fewer without an amount are not counted.
        """
        pairs = [*zip(self.rows, self.exact, strict=True)]
        named = {
            words: [each for each, exact in pairs if exact is known]
            for words, known in (("numbers as answered", True), ("amounts of answers", False))
        }
        parts = [f"{_named_once(rows)}: of {words}" for words, rows in named.items() if rows]
        without: dict[tuple[int, float, tuple[str, ...]], list[Statistic]] = {}
        answered = self.base("answered_sample").tolist()
        for each, own, of in zip(self.rows, answered, respondents, strict=True):
            if of is not None and own < of and of - own >= minimum_base:
                without.setdefault((round(of - own), of, each.without), []).append(each)
        left_out = [
            f" {count:,} of {of:,.0f} respondents without one are left out of "
            f"{_named_once(rows)}{'; ' * bool(answers)}{without_words(answers, 'none')}."
            for (count, of, answers), rows in without.items()
        ]
        if "standard deviation" in self.kinds:
            left_out.append(f" {SD_FORMULA}.")
        return f"{'; '.join(parts)}, over those who gave one.{''.join(left_out)}"


def _estimate_deviations(figures: Floats, rows: Sequence[Statistic]) -> None:
    """Make the spreads of an answer what is shown, in place; see `results.deviation`."""
    at = STATISTIC_FIGURES.index("standard_deviation")
    sample = STATISTIC_FIGURES.index("answered_sample")
    figures[at] = standard_deviation(figures[at], figures[sample])
    own = np.array([row.kind == "standard deviation" for row in rows], dtype=bool)
    figures[0, own] = figures[at, own]


def _named_once(rows: Sequence[Statistic]) -> str:
    """The names of rows, with what several are about once: "Rated: promoters % and NPS"."""
    listed: dict[tuple[str, ...], list[str]] = {}
    for row in rows:
        about, colon, name = row.short_name.rpartition(": ")
        listed.setdefault((*row.questions[:1], row.item, about + colon), []).append(name)
    parts = [
        about + " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
        for (*_, about), names in listed.items()
    ]
    # Items of a grid have rows of one name, or very many names.
    parts = list(dict.fromkeys(parts))
    more = f" and {len(parts) - _SHOWN} others" if len(parts) > _SHOWN + 1 else ""
    return ", ".join(parts[:_SHOWN] if more else parts) + more


def without_words(answers: Sequence[str], what: str = "no number") -> str:
    """Which answers have no amount: "'60+' has no number"; "" for none."""
    if not answers:
        return ""
    shown = f"{', '.join(map(repr, answers[:_SHOWN]))}{' …' * (len(answers) > _SHOWN)}"
    return f"{shown} {'have' if len(answers) > 1 else 'has'} {what}"


def row_order(
    ids: Sequence[str | None], statistics: StatisticRows | None
) -> list[tuple[bool, int]]:
    """The rows of a table as they are shown: whether each is a statistic, and its position.

    ids: of the rows of shares; none of a table of statistics alone, whose only row is its base.
    """
    listed = [(False, place) for place in range(len(ids))]
    if statistics is None:
        return listed
    known = {identity: place for place, identity in enumerate(ids)}
    # What followed a row that is no longer there stays at the end.
    at = [-1 if each is None else known.get(each, len(ids)) for each in statistics.after]
    shown = [(place, 0, row) for place, row in enumerate(listed)]
    # 1 sorts a statistic after the row of shares that it follows.
    shown += [(place, 1, (True, number)) for number, place in enumerate(at)]
    return [row for _, _, row in sorted(shown)]
