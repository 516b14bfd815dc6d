"""What does not compare: waves that offered other items of a row, and waves apart by a break.

Figures of such columns are shown, and no test sets one against the other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from audiencelab.expressions.codes import WAVES, wave_name
from audiencelab.results.coverage import questions_of
from audiencelab.results.crosstab import CrosstabData
from audiencelab.results.offers import (
    Waves,
    items_offered,
    listed_together,
    named_waves,
    waves_counted,
)
from audiencelab.results.stats import StatsData
from audiencelab.schema.breaks import Break
from audiencelab.schema.queries import DEFAULT_WAVES, LATEST_WAVES

Flags = NDArray[np.bool_]
Positions = NDArray[np.intp]
Texts = NDArray[np.object_]

ITEMS_DIFFER = "items differ between waves"

Offered = Callable[[str], frozenset[object]]
"""The items of a row that a wave offered, of those that some wave did not offer."""


class Unlike(NamedTuple):
    """Why pairs do not compare, each [rows, tests]; None where all do.

    items: pairs whose waves did not offer the same items. breaks: those between their waves, as a
    note has them, "" for none.
    """

    items: Flags | None = None
    breaks: Texts | None = None


ALIKE = Unlike()
"""All pairs compare."""


class Split(NamedTuple):
    """A break of a question, and where it lies.

    words: for a note on a test. sides, rest: numbers for the sides of it that the waves of each
    column, and all other waves, are on. rows, columns: which of them are about the question.
    """

    words: str
    sides: Positions
    rest: Positions
    rows: Flags
    columns: Flags


@dataclass(frozen=True, slots=True, eq=False)
class Comparability:
    """Which columns of a table compare in its rows.

    items, rest: int[rows, columns], numbers for the items that the waves of each column, and all
    other waves, offered; None where all compare. splits: breaks that are between waves.
    """

    items: Positions | None
    rest: Positions | None
    splits: tuple[Split, ...]

    def between(self, first: Positions, second: Positions) -> Unlike:
        """Of pairs of columns, by their positions: [tests] for all rows, or [rows, tests]."""
        items = breaks = None
        if self.items is not None:
            down = np.arange(len(self.items))[:, None]
            items = self.items[down, first] != self.items[down, second]
        for each in self.splits:
            apart = each.sides[first] != each.sides[second]
            about = each.rows[:, None] | each.columns[first] | each.columns[second]
            breaks = _added(breaks, apart & about, each.words)
        return Unlike(items, breaks)

    def from_rest(self) -> Unlike:
        """Of each column and everyone else."""
        breaks = None
        items = None if self.items is None or self.rest is None else self.items != self.rest
        for each in self.splits:
            about = each.rows[:, None] | each.columns
            breaks = _added(breaks, (each.sides != each.rest) & about, each.words)
        return Unlike(items, breaks)


def _added(words: Texts | None, where: Flags, more: str) -> Texts | None:
    if not where.any():
        return words
    if words is None:
        return np.where(where, more, "").astype(object)
    return np.where(where & (words != ""), words + f"; {more}", np.where(where, more, words))


def comparability(table: CrosstabData) -> Comparability:
    """Which columns of a crosstab compare, in its rows of shares."""
    every = waves_of_table(table)
    waves = [named_waves(each.expression, every) for each in table.columns]
    listed = items_of(table)
    # Numbers of both sides are of one list, so that equal ones are of the same items.
    both = _numbers(listed, [*waves, *_others(waves, every)])
    own, rest = (None, None) if both is None else np.split(both, 2, axis=1)
    return Comparability(own, rest, _splits_of(table, waves, every, map(questions_of, table.rows)))


def comparability_of_statistics(table: CrosstabData) -> Comparability:
    """The same in its rows of statistics."""
    every = waves_of_table(table)
    waves = [named_waves(each.expression, every) for each in table.columns]
    rows = () if table.statistics is None else table.statistics.rows
    return Comparability(
        None, None, _splits_of(table, waves, every, (row.questions for row in rows))
    )


def comparability_of_stats(
    result: StatsData, rows: Sequence[tuple[str, str | None]], columns: Sequence[Any]
) -> Comparability:
    """The same of a result by waves, audiences or both.

    rows: a datapoint ("" for a mean of all) and an audience, None for those of the columns.
    columns: a wave, None for none, and an audience.
    """
    audiences = {each.id: each for each in result.audiences}
    every = _waves_of_stats(result)

    def waves_of(wave: str | None, audience: str | None) -> Waves:
        known = audiences.get(audience)
        found = every if known is None else named_waves(known.expression, every)
        return found & {wave} if result.splitter == WAVES and wave else found

    def about(audience: str | None) -> list[str]:
        return [] if audience not in audiences else list(questions_of(audiences[audience]))

    waves = [waves_of(*column) for column in columns]
    nets = nets_offered(result)
    listed = [nets.get(point) for point, _ in rows]
    always = {result.question, *_of_base(result)}
    splits = _splits(
        result,
        waves,
        every,
        [{*always, *about(audience)} for _, audience in rows],
        [{*about(audience)} for _, audience in columns],
    )
    return Comparability(_numbers(listed, waves), None, splits)


def notes_on_breaks(result: CrosstabData | StatsData, questions: Iterable[str]) -> Iterator[str]:
    """Sentences on the breaks that lie between the waves of a result."""
    who, names = result.who, names_of_waves(result.provenance)
    is_table = isinstance(result, CrosstabData)
    every = waves_of_table(result) if is_table else _waves_of_stats(result)
    order = order_of_waves(result)
    for question in dict.fromkeys((*questions, *_of_base(result))):
        for each in who.breaks.get(question, ()):
            if len({_side(each, wave, order) for wave in every}) > 1:
                yield (
                    f"{who.name(question)}: waves before {_named(each.wave, names)} do not compare "
                    f"with those since ({each.why})."
                )


def _splits_of(
    table: CrosstabData, waves: Sequence[Waves], every: Waves, rows: Iterable[Iterable[str]]
) -> tuple[Split, ...]:
    base = _of_base(table)
    return _splits(
        table,
        waves,
        every,
        [{*about, *base} for about in rows],
        [{*questions_of(each)} for each in table.columns],
    )


def _splits(
    result: CrosstabData | StatsData,
    waves: Sequence[Waves],
    every: Waves,
    rows: Sequence[set[str]],
    columns: Sequence[set[str]],
) -> tuple[Split, ...]:
    """The breaks that are between waves. rows, columns: the questions that each is about."""
    names, order = names_of_waves(result.provenance), order_of_waves(result)
    found: list[Split] = []
    for question, breaks in result.who.breaks.items():
        about = tuple(
            np.array([question in each for each in side], bool) for side in (rows, columns)
        )
        if not any(each.any() for each in about):
            continue
        for each in breaks:
            numbers: dict[frozenset[object], int] = {}
            own, rest = (
                np.array(
                    [
                        numbers.setdefault(
                            frozenset(_side(each, wave, order) for wave in some), len(numbers)
                        )
                        for some in side
                    ],
                    np.intp,
                )
                for side in (waves, _others(waves, every))
            )
            if len(numbers) > 1:
                words = f"break at {_named(each.wave, names)}: {each.why}"
                found.append(Split(words, own, rest, *about))
    return tuple(found)


def _side(split: Break, wave: str, order: Sequence[str]) -> object:
    """Whether a wave is since a break, as far as it is known.

    Otherwise the wave itself: it compares with no other one.
    """
    if wave == split.wave:
        return True
    if wave in order and split.wave in order:
        return order.index(wave) > order.index(split.wave)
    return wave


def _others(waves: Sequence[Waves], every: Waves) -> list[Waves]:
    """The waves of everyone else; a column on all of them has its rest in all."""
    return [every - each or every for each in waves]


def order_of_waves(result: CrosstabData | StatsData) -> Sequence[str]:
    """The waves by date; where that is not known, in the order of the columns or segments."""
    if result.who.waves:
        return result.who.waves
    if isinstance(result, StatsData):
        return result.segments if result.splitter == WAVES else ()
    every = waves_of_table(result)
    named = (named_waves(each.expression, every) for each in result.columns)
    return list(dict.fromkeys(next(iter(each)) for each in named if len(each) == 1))


def _named(wave: str, names: Mapping[str, str]) -> str:
    return names.get(wave) or wave_name(wave)


def _of_base(result: CrosstabData | StatsData) -> Sequence[str]:
    return () if result.base_audience is None else questions_of(result.base_audience)


# -- items ----------------------------------------------------------------------------------------


def _numbers(listed: Sequence[Offered | None], waves: Sequence[Waves]) -> Positions | None:
    """A number for the items that the waves of each column offered, [rows, columns].

    The same within a row for the same items; waves that offered the same count once.
    """
    if not any(listed):
        return None
    found = np.zeros((len(listed), len(waves)), np.intp)
    for row, offered in enumerate(listed):
        if offered is not None:
            numbers: dict[frozenset[frozenset[object]], int] = {}
            sets = (frozenset(offered(wave) for wave in each) for each in waves)
            found[row] = [numbers.setdefault(each, len(numbers)) for each in sets]
    return found if (found != found[:, :1]).any() else None


def numbers_of_items(result: CrosstabData | StatsData) -> Positions | None:
    """Numbers for the items that the waves of each column offered; of a result by waves, each wave.

    int[rows, columns], the same within a row for the same items; None where there are no others.
    """
    if isinstance(result, StatsData):
        nets, waves = nets_offered(result), [frozenset({each}) for each in result.segments]
        return _numbers([nets.get(each) for each in result.datapoints], waves)
    every = waves_of_table(result)
    return _numbers(
        items_of(result), [named_waves(each.expression, every) for each in result.columns]
    )


def items_of(table: CrosstabData) -> list[Offered | None]:
    """For each row; None for one that lists no items together of which some differ."""
    who = table.who
    return [
        partial(items_offered, audience, who) if listed_together(audience, who) else None
        for audience in table.rows
    ]


def nets_offered(result: StatsData) -> dict[str, Offered]:
    """The same for each net of answers, by its code, of a result by waves."""
    offers = result.who.offered.get(result.question, {})

    def offered(codes: frozenset[str], wave: str) -> frozenset[object]:
        return frozenset(code for code in codes if wave in offers[code].waves)

    if result.splitter != WAVES:
        return {}
    known = {net: frozenset(codes) & offers.keys() for net, codes in nets_of(result).items()}
    return {net: partial(offered, codes) for net, codes in known.items() if codes}


# -- waves ----------------------------------------------------------------------------------------


def waves_of_table(table: CrosstabData) -> Waves:
    """The waves that a crosstab counts."""
    requested, known = wave_codes(table.provenance), table.who.waves
    if not requested and table.provenance.get("waves") == LATEST_WAVES:
        requested = [*known[-DEFAULT_WAVES:]]
    return waves_counted(table.who, requested, (*table.rows, *table.columns))


def _waves_of_stats(result: StatsData) -> Waves:
    return frozenset(wave_codes(result.provenance) or result.waves)


def wave_codes(provenance: Mapping[str, Any]) -> list[str]:
    """The codes of the waves that a result counts; none where they are not known."""
    waves: object = provenance.get("waves")
    return list(map(str, cast("Sequence[object]", waves))) if isinstance(waves, list) else []


def names_of_waves(provenance: Mapping[str, Any]) -> Mapping[str, str]:
    """The names of waves that their codes do not say, by code."""
    return provenance.get("wave_names") or {}


def nets_of(result: StatsData) -> Mapping[str, Sequence[str]]:
    """The nets of a result, each with the codes of its answers."""
    return result.provenance.get("nets") or {}
