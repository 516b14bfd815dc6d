"""The words of every surface that say who counts: the base line, notes, reasons for no figure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from audiencelab.expressions import Audience
from audiencelab.expressions.codes import WAVES, wave_name
from audiencelab.results import undefined
from audiencelab.results.all_alike import why_all_alike
from audiencelab.results.asked_waves import asked_notes
from audiencelab.results.cells import FIGURES, PLACE
from audiencelab.results.comparable import (
    ITEMS_DIFFER,
    names_of_waves,
    nets_of,
    notes_on_breaks,
    numbers_of_items,
    wave_codes,
    waves_of_table,
)
from audiencelab.results.coverage import questions_of
from audiencelab.results.crosstab import CrosstabData, of_statistics_alone
from audiencelab.results.offers import (
    OTHERS,
    Waves,
    leaves_of,
    named_waves,
    offered_waves,
    offers_of,
)
from audiencelab.results.stats import StatsData
from audiencelab.results.turf import TurfData
from audiencelab.results.who import EVERYONE, Offer, WhoCounts

PAGE = "My numbers differ from SPSS, R, Q"
"""The page of the documentation that explains the base line."""

_WITHOUT_ALL = (
    "The figures of all respondents who could be in each row are not recorded: All, and the bases "
    "of rows, are those of the column with the largest base."
)


def base_line(result: Any) -> str:
    """Whom the figures of a result are of, such as "Base: those who answered, by question".

    result: the data of any result with a base audience.
    """
    table = _table_of(result)
    who: WhoCounts = getattr(table, "who", EVERYONE)
    base: Audience | None = getattr(table, "base_audience", None)
    questions = _questions(table) if who.valid else []
    one, several = (who.name(questions[0]), False) if len(questions) == 1 else ("", False)
    if one:
        several = _kinds(table).get(questions[0]) == "multiple"
    elif isinstance(table, TurfData):
        one, several = "all of the items", True
    if who.base is not None and who.base.audience == base:
        words = who.base.words
    else:
        labels = table.labels if isinstance(table, CrosstabData) else None
        words = None if base is None else base.describe(labels)
    return base_sentence(base, words, valid=who.valid, question=one, several=several)


def _table_of(result: Any) -> Any:
    """The rows of a grid of items; every other result is a table itself."""
    # By its class: results answer the names that they do not have with a search for similar ones.
    return result.table if hasattr(result.__class__, "table") else result


def base_sentence(
    base: Audience | None,
    words: str | None = None,
    *,
    valid: bool = False,
    question: str = "",
    several: bool = False,
) -> str:
    """Whom the figures are of.

    words: what the base is, in names; by default in codes. It is left out where it is the name.
    valid: whether a cell counts those who could have been in it. question: the name of the only
    question of the table. several: whether its respondents choose several answers, or none.
    """
    name = "all respondents" if base is None else base.name
    if base is not None:
        told = base.describe() if words is None else words
        name = base.name if told in (base.name, "everyone") else f"{base.name} ({told})"
    if not valid:
        return f"Base: {name}"
    who = "those" if base is None else name
    if not question:
        return f"Base: {who} who answered, by question"
    return f"Base: {who} who {'were asked' if several else 'answered'} {question}"


class BaseWords(NamedTuple):
    """The words about the bases of a result, for several of its forms."""

    line: str
    notes: list[str]


def base_words(result: Any) -> BaseWords:
    """The base line of a result and its notes."""
    return BaseWords(base_line(result), notes(result))


def notes(result: Any, rows: Collection[int] | None = None) -> list[str]:
    """Sentences on the bases of a crosstab, a statistics query or a grid.

    rows: the rows of shares, or the answers, that they are about, by position; None for all.
    """
    table = _table_of(result)
    if not isinstance(table, CrosstabData | StatsData):
        return []
    if isinstance(table, CrosstabData):
        found = _crosstab_notes(table, range(len(table.rows)) if rows is None else rows)
    else:
        found = _stats_notes(table, range(len(table.datapoints)) if rows is None else rows)
    alike = why_all_alike(table)
    return [alike, *found] if alike else found


def reasons(table: CrosstabData) -> NDArray[np.object_]:
    """Why each cell has no figure, object[rows, columns]: "" where it has, or has not arrived."""
    words, which = reasons_by_place(
        {name: np.where(table.arrived, table.values(name), np.nan) for name in FIGURES}, table
    )
    found = np.array(words, dtype=object)[which]
    # A cell that has not arrived is NaN, too, but for another reason.
    found[~table.arrived] = ""
    return found


def reasons_by_place(
    figures: Mapping[str, NDArray[np.float64]], table: CrosstabData
) -> tuple[tuple[str, ...], NDArray[np.int8]]:
    """The reasons that cells of a table have, and which of them each has, int8[rows, columns].

    figures: those of all cells, [rows, columns].
    """
    words, which = undefined.crosstab_notes(figures)
    empty = figures["base_size"] == 0
    if not empty.any() or not (table.who.valid or table.who.offered):
        return words, which
    known, listed = list(words), _Reasons(table)
    for row, column in np.argwhere(empty).tolist():
        found = listed.of(row, column)
        if found:
            if found not in known:
                known.append(found)
            which[row, column] = known.index(found)
    return tuple(known), which


def not_offered(result: StatsData) -> list[bool]:
    """Which rows are of an answer that none of their waves offered; [] where none is known."""
    offers = result.who.offered.get(result.question, {})
    every = frozenset(wave_codes(result.provenance) or result.waves)
    # By waves, a row rests on its own wave alone.
    by_waves = result.splitter == WAVES
    return [
        (offer := offers.get(row.datapoint)) is not None
        and not frozenset(offer.waves) & ({row.segment or ""} if by_waves else every)
        for row in result.rows
        if offers
    ]


class _Reasons:
    """Why cells of a table have an empty base."""

    def __init__(self, table: CrosstabData) -> None:
        self._table, self._kinds = table, table.kinds
        self._every = waves_of_table(table)
        empty = ~(table.values("base_size") > 0)
        whole = (
            np.zeros(len(table.rows)) if table.whole is None else table.whole[PLACE["base_size"]]
        )
        # A row may have people in All although none of its columns has.
        self._empty_rows = np.asarray(empty.all(axis=1)) & ~(whole > 0)
        self._empty_columns = np.asarray(empty.all(axis=0))
        self._rows = [self._waves_of(each) for each in table.rows]
        self._columns = [self._waves_of(each) for each in table.columns]

    def of(self, row: int, column: int) -> str:
        """Why the cell has an empty base; "" where that is not known."""
        table = self._table
        (offered, named), (also_offered, also_named) = self._rows[row], self._columns[column]
        # The waves to which row and column limit their respondents.
        within = self._every & named & also_named
        if within and not within & offered & also_offered:
            return undefined.NOT_OFFERED
        if not table.who.valid:
            return ""
        one, other = table.rows[row], table.columns[column]
        # A row that is empty in every column is so by itself.
        if self._empty_rows[row] or not table.columns_requested or other.expression is None:
            return self._of_one(one)
        if not table.rows_requested or one.expression is None:
            return self._of_one(other)
        of_column = self._of_one(other) if self._empty_columns[column] else ""
        several = of_column == undefined.NOT_ASKED_ALL
        return of_column if several else undefined.NO_ANSWERS_TO_BOTH

    def _of_one(self, audience: Audience) -> str:
        several = any(
            len(leaf.datapoints) != 1 and self._kinds.get(leaf.question) in ("multiple", "grid")
            for leaf in leaves_of(audience)
        )
        return undefined.NOT_ASKED_ALL if several else undefined.NO_ANSWERS

    def _waves_of(self, audience: Audience) -> tuple[Waves, Waves]:
        expression = audience.expression
        return (
            offered_waves(expression, self._table.who, self._kinds, self._every),
            named_waves(expression, self._every),
        )


# -- notes ----------------------------------------------------------------------------------------


def _crosstab_notes(table: CrosstabData, rows: Collection[int]) -> list[str]:
    if table.who.valid:
        listed = _index_notes(table)
        if table.who.misses_whole:
            listed.append(_WITHOUT_ALL)
    else:
        listed = _not_asked_notes(table.who, _questions(table))
        if table.base_varies:
            listed.append(
                "Cells rest on the waves that their questions share; bases are those of the widest."
            )
    shown = [row for at, row in enumerate(_shown(table)) if at in rows]
    sides = (*shown, *table.columns)
    about = [code for each in sides for code in questions_of(each)]
    if table.statistics is not None:
        about += [code for each in table.statistics.rows for code in each.questions]
    waves, named = wave_codes(table.provenance), names_of_waves(table.provenance)
    listed += asked_notes(about, table.who, waves, named)
    listed += _offer_notes(sides, table.who, table.kinds, table.provenance)
    if names := _rows_with(table, undefined.NOT_ASKED_ALL, rows):
        listed.append(f"No respondent was asked all of these items: {names}.")
    every = waves_of_table(table) - {OTHERS}
    for row in _rows_of(numbers_of_items(table), rows):
        offers = offers_of(table.rows[row], table.who).values()
        listed.append(_differing(table.rows[row].name, offers, every))
    return [*listed, *notes_on_breaks(table, _questions(table))]


def _stats_notes(result: StatsData, rows: Collection[int]) -> list[str]:
    listed = [] if result.who.valid else _not_asked_notes(result.who, [result.question])
    offers = result.who.offered.get(result.question, {})
    waves, names = (
        wave_codes(result.provenance) or list(result.waves),
        names_of_waves(result.provenance),
    )
    listed += [
        _offer_note(offers[code], waves, names)
        for row, code in enumerate(result.datapoints)
        if code in offers and row in rows
    ]
    nets = nets_of(result)
    for row in _rows_of(numbers_of_items(result), rows):
        code = result.datapoints[row]
        of_net = [offers[each] for each in nets[code] if each in offers]
        listed.append(_differing(code, of_net, frozenset(result.segments)))
    return [*filter(None, listed), *notes_on_breaks(result, _questions(result))]


def _rows_of(numbers: NDArray[np.intp] | None, rows: Collection[int]) -> list[int]:
    """Those of the rows whose columns have different numbers."""
    if numbers is None:
        return []
    found = np.flatnonzero((numbers != numbers[:, :1]).any(axis=1)).tolist()
    return [row for row in found if row in rows]


def _differing(name: str, offers: Iterable[Offer], every: Waves) -> str:
    items = ", ".join(each.name for each in offers if not every <= frozenset(each.waves))
    return f"{name}: {ITEMS_DIFFER} ({items}); such waves are not compared."


def _not_asked_notes(who: WhoCounts, questions: Iterable[str]) -> list[str]:
    return [
        f"{found.respondents:,.0f} of {found.of:,.0f} were not asked {who.name(question)}."
        for question in questions
        if (found := who.not_asked.get(question)) is not None and found.respondents > 0
    ]


class _Narrowed(NamedTuple):
    """Columns of some questions, whose cells have fewer in their base than All."""

    least: float
    most: float
    of: float


def _index_notes(table: CrosstabData) -> list[str]:
    """What indices of columns are of, where that is not everyone who could be in the row."""
    # Tables side by side have bases of their own, and no All in common.
    if table.whole is None or table.who.beside or not table.count:
        return []
    samples, whole = table.values("base_sample"), table.whole[PLACE["base_sample"]]
    groups: dict[tuple[str, ...], list[int]] = {}
    for column, audience in enumerate(table.columns):
        if about := tuple(questions_of(audience)):
            groups.setdefault(about, []).append(column)
    listed: list[str] = []
    for about, columns in groups.items():
        found = _narrowed(np.where(table.arrived, samples, np.nan)[:, columns], whole)
        if found is None:
            continue
        asked = all(table.kinds.get(each) == "multiple" for each in about)
        names = " and ".join(table.who.name(each) for each in about)
        some = f"{found.most:,.0f}"
        if found.least < found.most:
            some = f"{found.least:,.0f} to {some}"
        who = f"those who were asked {names}" if asked else f"those with an answer to {names}"
        listed.append(f"Index is of {who} ({some} of {found.of:,.0f}).")
    return listed


def _narrowed(samples: NDArray[np.float64], whole: NDArray[np.float64]) -> _Narrowed | None:
    fewer = (samples < whole[:, None]) & (samples > 0)
    rows = np.flatnonzero(fewer.any(axis=1))
    if not len(rows):
        return None
    # The row with most respondents is the example for all.
    row = int(rows[whole[rows].argmax()])
    known = samples[row][samples[row] > 0]
    return _Narrowed(float(known.min()), float(known.max()), float(whole[row]))


def _offer_notes(
    audiences: Sequence[Audience],
    who: WhoCounts,
    kinds: Mapping[str, str],
    provenance: Mapping[str, Any],
) -> list[str]:
    if not who.offered:
        return []
    requested, names = wave_codes(provenance), names_of_waves(provenance)
    found: dict[str, Offer] = {}
    for audience in audiences:
        found |= offers_of(audience, who)
    notes = (_offer_note(offer, requested, names) for offer in found.values())
    return list(dict.fromkeys(filter(None, notes)))


def _offer_note(offer: Offer, requested: Sequence[str], names: Mapping[str, str]) -> str:
    """The note on an answer that not all waves offered; "" where all that are counted did."""
    offered = [wave for wave in offer.waves if not requested or wave in requested]
    if requested and len(offered) == len(requested):
        return ""
    listed = ", ".join(names.get(each) or wave_name(each) for each in offered)
    if not offered:
        missing = ", ".join(names.get(each) or wave_name(each) for each in requested)
        return (
            f"{offer.name}: not offered in {missing}." if missing else f"{offer.name}: not offered."
        )
    if not requested:
        return f"{offer.name}: offered in {listed} only."
    return f"{offer.name}: offered in {len(offered)} of {len(requested)} waves ({listed})."


def _rows_with(table: CrosstabData, reason: str, rows: Collection[int]) -> str:
    if not table.who.valid:
        return ""
    found = np.flatnonzero((reasons(table) == reason).any(axis=1)).tolist()
    return ", ".join(table.rows[at].name for at in found if at in rows)


# -- questions and waves --------------------------------------------------------------------------


def _shown(table: CrosstabData) -> Sequence[Audience]:
    return () if of_statistics_alone(table) else table.rows


def _questions(table: Any) -> list[str]:
    """The codes of the questions of a result, each once, waves left out."""
    if isinstance(table, StatsData):
        splitter = table.splitter if table.splitter in table.who.names else None
        audiences = [code for each in table.audiences for code in questions_of(each)]
        found = [table.question, *([splitter] if splitter else []), *audiences]
    elif isinstance(table, CrosstabData):
        found = [code for each in (*_shown(table), *table.columns) for code in questions_of(each)]
        if table.statistics is not None:
            found += [code for row in table.statistics.rows for code in row.questions]
    else:
        found = []
    return [each for each in dict.fromkeys(found) if each != WAVES]


def _kinds(table: Any) -> Mapping[str, str]:
    if isinstance(table, StatsData):
        return {table.question: table.kind} if table.kind else {}
    return getattr(table, "kinds", {})
