"""How a table is printed: order and number of rows, what is hidden, decimals, names, low bases.

Tables, workbooks, slides and charts are arranged by one `TableArrangement`; figures stay.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from numbers import Real
from typing import Any, Literal, NamedTuple, TypeAlias, TypedDict, cast

from audiencelab.lines import near
from audiencelab.results.banner import Groups
from audiencelab.results.metrics import METRICS, crosstab_name, unknown_metric
from audiencelab.results.statistic_rows import STATISTIC_KINDS
from audiencelab.results.undefined import checked_fewest

LOW_BASE = 100
"""Respondents in the denominator below which a value is marked `*`."""

VERY_LOW_BASE = 30
"""Respondents in the denominator below which a value is marked `**`."""

Sort: TypeAlias = str | tuple[str, Literal["descending", "ascending"]] | bool | None
"""An order of rows; `ArrangementOptions` documents it."""

Stars: TypeAlias = tuple[float, float] | None
"""Respondents under which a value is marked `*`, and `**`; None for no marks."""

USUAL_STARS = (LOW_BASE, VERY_LOW_BASE)

_MOST_DECIMALS = 10

_ORDERS = {
    **dict.fromkeys((True, "desc", "value"), "descending"),
    **dict.fromkeys((False, "asked"), "asked"),
    "asc": "ascending",
}


class ArrangementOptions(TypedDict, total=False):
    """How a table or a chart is arranged, all of it optional; figures stay as they are.

    sort: the rows in "descending" or "ascending" order of the first metric, of everyone, of the
        latest wave in a table over waves, or else of the first column; in that of another column,
        by its name, the largest first (`("Female", "ascending")` for the smallest); or by "label".
        Rows stay in their groups, a net leads the rows that it holds, answers off a scale ("Don't
        know") and statistics stay last. False is the order of the query, the default without `top`.
    hide_under: leave values out that rest on fewer respondents, except counts.
    decimals: of percentages and means, such as 0 for "45%"; or by metric,
        `{"column": 0, "index": 1, "mean": 2}`.
    rename: new names of rows, columns and groups: `{"Female": "Women"}`, by name or code.
    stars: the respondents under which a value is marked `*`, and `**`; None for no marks.
    top: show the first rows only, of each group; by default the largest. Nets and statistics are
        not counted. A note says how many of how many are shown.
    """

    sort: Sort
    hide_under: float
    decimals: int | Mapping[str, int] | None
    rename: Mapping[str, str]
    stars: Stars
    top: int | None


AS_IT_IS: ArrangementOptions = {
    "sort": None,
    "hide_under": 0,
    "decimals": None,
    "rename": {},
    "stars": USUAL_STARS,
    "top": None,
}
"""The options of a table that is shown as it was asked for."""


class Line(NamedTuple):
    """What the order of a row depends on.

    key: its id or code. value: what it is sorted by; NaN where there is none. parts: the keys of
    the rows that a net holds. last: whether it is an answer off a scale. statistic: the kind of
    a row of means and the like; "" for an answer. ordered: whether it is a point of a scale.
    """

    key: str
    name: str
    groups: Groups = ()
    value: float = math.nan
    parts: tuple[str, ...] = ()
    last: bool = False
    statistic: str = ""
    ordered: bool = False

    @property
    def counts(self) -> bool:
        """Whether it is one of the rows that `top` counts."""
        return not self.parts and not self.statistic


@dataclass(frozen=True, slots=True)
class TableArrangement:
    """The checked options of `ArrangementOptions`, whose defaults leave a table as it is.

    scales_stay: whether rows that are points of a scale keep their order, for many tables at once.
    nets_lead: whether nets come before the rows that they hold, or all nets after other rows.

    Raises `ValueError` for options that are not valid, and `TypeError` for those of another type.

    >>> rows = [Line("q5_1", "Dog", value=20.5), Line("q5_2", "Cat", value=31.0)]
    >>> TableArrangement(sort="descending").order(rows)
    [1, 0]
    """

    sort: Sort = None
    hide_under: float = 0
    decimals: int | Mapping[str, int] | None = None
    rename: Mapping[str, str] = field(default_factory=dict[str, str])
    stars: Stars = USUAL_STARS
    top: int | None = None
    scales_stay: bool = False
    nets_lead: bool = True

    def __post_init__(self) -> None:
        _check_sort(self.sort)
        checked_fewest(self.hide_under)
        _check_decimals(self.decimals)
        _check_rename(self.rename)
        _check_stars(self.stars)
        _check_top(self.top)

    @property
    def changed(self) -> dict[str, Any]:
        """The options that differ from their defaults."""
        given = ((name, getattr(self, name), usual) for name, usual in AS_IT_IS.items())
        return {name: each for name, each, usual in given if each != usual}

    @property
    def by(self) -> str:
        """What rows are sorted by: "asked", "value", "label" or "column"."""
        order = self._order
        if order in ("descending", "ascending"):
            return "value"
        return order if order in ("asked", "label") else "column"

    @property
    def column(self) -> str:
        """The name of the column that rows are sorted by; "" for none."""
        given = self.sort[0] if isinstance(self.sort, tuple) else self.sort
        # In altair, Django and R a minus is for the largest first.
        return str(given).removeprefix("-") if self.by == "column" else ""

    @property
    def falling(self) -> bool:
        """Whether the largest value is first."""
        if isinstance(self.sort, tuple):
            return self.sort[1] == "descending"
        return self._order != "ascending"

    @property
    def _order(self) -> str:
        if isinstance(self.sort, tuple):
            return "column"
        if self.sort is None:
            return "asked" if self.top is None else "descending"
        return _ORDERS.get(self.sort, str(self.sort))

    def order(self, rows: Sequence[Line]) -> list[int]:
        """The positions of the rows to show, in their order."""
        if rows and rows[0].statistic and len({row.statistic for row in rows}) == 1:
            # Means alone are sorted as answers are.
            rows = [row._replace(statistic="") for row in rows]
        shown: list[int] = []
        for _, run in groupby(range(len(rows)), key=lambda at: rows[at].groups):
            shown += self._within(rows, list(run))
        kept = {rows[at].key for at in shown if rows[at].counts}
        return [at for at in shown if not rows[at].parts or kept.intersection(rows[at].parts)]

    def _within(self, rows: Sequence[Line], run: list[int]) -> list[int]:
        """The same of one group."""
        answers = [at for at in run if not rows[at].statistic]
        statistics = [at for at in run if rows[at].statistic]
        stays = self.scales_stay and any(rows[at].ordered for at in answers)
        if self.by == "asked" or stays:
            # Statistics are between the rows that they were asked for with.
            if self.top is None or stays:
                return run
        else:
            answers = self._sorted(rows, answers)
        if self.top is not None:
            counted = [at for at in answers if rows[at].counts]
            if self.by != "asked":
                # Of all answers, whichever net they are in.
                counted.sort(key=lambda at: self._rank(rows[at]))
            left_out = {*counted[self.top :]}
            answers = [at for at in answers if at not in left_out]
        return [*answers, *statistics]

    def _sorted(self, rows: Sequence[Line], answers: list[int]) -> list[int]:
        """Nets and answers in their order, each net followed by what it holds."""
        held: dict[int, list[int]] = {}
        if not self.nets_lead:
            return sorted(answers, key=lambda at: (bool(rows[at].parts), *self._rank(rows[at])))
        free = dict.fromkeys(answers)
        for net in answers:
            own = [at for at in free if rows[at].key in rows[net].parts]
            for at in own:
                del free[at]
            held[net] = sorted(own, key=lambda at: self._rank(rows[at]))
        whole = sorted(free, key=lambda at: self._rank(rows[at]))
        return [each for at in whole for each in (at, *held[at])]

    def _rank(self, row: Line) -> tuple[Any, ...]:
        if self.by == "label":
            return row.last, _natural(row.name)
        missing = math.isnan(row.value)
        value = 0.0 if missing else -row.value if self.falling else row.value
        return row.last, missing, value

    def note(self, before: Sequence[Line], shown: Sequence[Line], by: str) -> str:
        """How many of how many rows are shown; "" for all of them. by: the column's name."""
        of, count = (sum(each.counts for each in rows) for rows in (before, shown))
        if self.top is None or count == of:
            return ""
        each = " of each group" if len({row.groups for row in before if row.counts}) > 1 else ""
        which = {"asked": "first", "label": "first"}.get(
            self.by, "largest" if self.falling else "smallest"
        )
        whose = {"asked": "", "label": " by name"}.get(self.by, f" by {by}")
        most = f"{self.top:,} " if self.top > 1 else ""
        shown_are = "is" if count == 1 else "are"
        return f"{count:,} of {of:,} rows {shown_are} shown: the {most}{which}{each}{whose}."

    def new_name(self, names: Iterable[str], name: str) -> str:
        """The new name of what has these names and codes; otherwise its own."""
        return next((self.rename[each] for each in names if each in self.rename), name)

    def check_names(self, known: Iterable[str]) -> None:
        """Raise `ValueError` for a name to change that nothing has, with the nearest."""
        names = dict.fromkeys(known)
        for name in self.rename:
            if name not in names:
                raise ValueError(
                    f"rename={{{name!r}: …}} is not valid: no row or column is called {name!r}."
                    f"{_near(name, names)}"
                )

    def column_among(self, columns: Sequence[Sequence[str]]) -> int:
        """The position of the column to sort by, each given by its names and codes.

        Raises `ValueError` for one that is not there, or that several columns are called.
        """
        found = [at for at, names in enumerate(columns) if self.column in names]
        if len(found) == 1:
            return found[0]
        if found:
            why, advice = f"{len(found)} columns are", ' Write "Group › Name".'
        else:
            listed = [name for names in columns for name in names]
            known = ["descending", "ascending", "label", *listed]
            why, advice = "no column is", _near(self.column, known)
        raise ValueError(
            f"sort={self.sort!r} is not valid: {why} called {self.column!r}.{advice} "
            f"Write {_sorted_by([names[0] for names in columns])}."
        )

    def places(self, metric: str) -> int | None:
        """The decimals of a metric, or of a kind of statistic; None for the usual ones."""
        if isinstance(self.decimals, Mapping):
            given = {crosstab_name(name): places for name, places in self.decimals.items()}
            return given.get(crosstab_name(metric))
        known = METRICS.get(crosstab_name(metric))
        plain = known is None or known.kind not in ("index", "size", "sample")
        return self.decimals if plain else None

    def star(self, respondents: float) -> str:
        """`*` or `**` for a value that rests on few respondents."""
        return low_base_mark(respondents, self.stars)


def low_base_mark(respondents: float, stars: Stars = USUAL_STARS) -> str:
    """`**` under 30 respondents, `*` under 100, "" otherwise or where it is not known."""
    # Negated, so that NaN has no mark.
    if stars is None or not respondents < max(stars):
        return ""
    return "**" if respondents < min(stars) else "*"


def low_base_words(stars: Stars = USUAL_STARS, of: str = "denominator") -> str:
    """What the stars mean; "" for none."""
    low, very_low = (0, 0) if stars is None else (max(stars), min(stars))
    words = f"* fewer than {low:,g} respondents in the {of}" if low else ""
    return f"{words}, ** fewer than {very_low:,g}" if very_low else words


def _sorted_by(columns: Sequence[str] = ("Female",)) -> str:
    """Orders that are valid, with a column of the table."""
    column = columns[-1]
    return f'sort="descending", sort={column!r}, sort=({column!r}, "ascending") or sort="label"'


def _near(name: str, known: Iterable[str]) -> str:
    close = near(name, [*known])
    return f" Did you mean {close!r}?" if close else ""


def _natural(name: str) -> list[tuple[int, int, str]]:
    """A name to sort by: 2 comes before 10, and letters with accents beside those without."""
    plain = unicodedata.normalize("NFKD", name.casefold())
    letters = "".join(each for each in plain if not unicodedata.combining(each))
    parts = re.findall(r"\d+|\D+", letters)
    return [(0, int(part), "") if part.isdecimal() else (1, 0, part) for part in parts]


# -- checks ---------------------------------------------------------------------------------------


def _check_sort(sort: object) -> None:
    pair = cast(tuple[object, ...], sort) if isinstance(sort, tuple) else (sort, "descending")
    texts = len(pair) == 2 and (
        isinstance(pair[0], str) or (pair is not sort and isinstance(sort, bool | None))
    )
    if not texts or pair[1] not in ("descending", "ascending") or pair[0] == "":
        raise ValueError(f"sort={sort!r} is not valid. Write {_sorted_by()}.")


def _check_decimals(decimals: object) -> None:
    given = cast(Mapping[object, object], decimals) if isinstance(decimals, Mapping) else None
    numbers: list[object] = [decimals] if given is None else [*given.values()]
    for each in numbers:
        whole = isinstance(each, int) and not isinstance(each, bool) and 0 <= each <= _MOST_DECIMALS
        if not whole and not (each is None and given is None):
            raise ValueError(
                f"decimals={decimals!r} is not valid: they are 0 to {_MOST_DECIMALS}. Write "
                'decimals=0, or decimals={"column": 0, "mean": 2}.'
            )
    for name in given or ():
        if not isinstance(name, str) or not _is_metric(name):
            raise unknown_metric(name, [*METRICS, *STATISTIC_KINDS])


def _is_metric(name: str) -> bool:
    return crosstab_name(name) in {*METRICS, *STATISTIC_KINDS}


def _check_rename(rename: object) -> None:
    given = cast(Mapping[object, object], rename) if isinstance(rename, Mapping) else None
    if given is None or not all(isinstance(each, str) for each in (*given, *given.values())):
        raise TypeError(
            'rename must be a mapping of names to new names, such as rename={"Female": "Women"}; '
            f"got {rename!r}."
        )


def _check_stars(stars: object) -> None:
    if stars is None:
        return
    pair = cast(tuple[object, ...], stars) if isinstance(stars, tuple | list) else ()
    numbers = [each for each in pair if isinstance(each, Real) and not isinstance(each, bool)]
    if (
        len(pair) != 2
        or len(numbers) != 2
        or not all(0 <= float(each) < math.inf for each in numbers)
    ):
        raise ValueError(
            f"stars={stars!r} is not valid: they are the respondents under which values are marked "
            "* and **. Write stars=(100, 30), or stars=None for no marks."
        )


def _check_top(top: object) -> None:
    if top is not None and (not isinstance(top, int) or isinstance(top, bool) or top < 1):
        raise ValueError(f"top={top!r} is not valid: it is a number of rows. Write top=10.")


UNARRANGED = TableArrangement()
"""A table as it was asked for."""
