"""Which waves the figures of a table rest on, where some did not ask its questions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from audiencelab.expressions import And, Audience, Condition, Expression
from audiencelab.expressions.codes import WAVES, wave_name
from audiencelab.expressions.nodes import Combinator
from audiencelab.results.all_waves import waves_of
from audiencelab.results.crosstab import CrosstabData
from audiencelab.results.who import WhoCounts

Asked = frozenset[str]


def waves_counted_in(
    table: CrosstabData, window: list[str] | str, amounts: Iterable[Iterable[str]] = ()
) -> list[str] | str:
    """The waves of a window that any cell of a table rests on, in their order.

    amounts: the questions of each row that is a statistic.

    The whole window where its waves are not known, and where rows or columns are waves themselves:
    those that did not ask are shown there.
    """
    sides = (*table.rows, *table.columns)
    if isinstance(window, str) or not table.who.asked or any(map(waves_of, sides)):
        return window
    every, known = frozenset(window), table.who.asked
    of_amounts = [every.intersection(*(known.get(each, every) for each in of)) for of in amounts]
    # The row of a table of statistics alone is its base, which is not shown.
    rows = table.rows if table.rows_requested or not of_amounts else ()
    down = {*of_amounts, *(_asked(each, table.who, every) for each in rows)}
    across = {_asked(each, table.who, every) for each in table.columns}
    # "All" is everyone who could be in a row, whatever the columns.
    across |= {every} if table.who.valid else set[Asked]()
    base = every if table.base_audience is None else _asked(table.base_audience, table.who, every)
    counted = {wave for one in down for other in across for wave in one & other & base}
    return [wave for wave in window if wave in counted] or window


def asked_notes(
    questions: Iterable[str], who: WhoCounts, waves: Sequence[str], names: Mapping[str, str]
) -> list[str]:
    """Which of the waves asked the questions that some did not, a sentence for the same waves."""
    alike: dict[tuple[str, ...], list[str]] = {}
    for question in dict.fromkeys(questions):
        within = tuple(wave for wave in waves if wave in who.asked.get(question, waves))
        if within != (*waves,):
            alike.setdefault(within, []).append(who.name(question))
    found: list[str] = []
    for within, listed in alike.items():
        named = ", ".join(names.get(each) or wave_name(each) for each in within or waves)
        told = f"asked in {len(within)} of {len(waves)} waves ({named})"
        found.append(f"{', '.join(listed)}: {told if within else f'not asked in {named}'}.")
    return found


def _asked(audience: Audience, who: WhoCounts, every: Asked) -> Asked:
    return every if audience.expression is None else _rests_on(audience.expression, who, every)


def _rests_on(node: Expression, who: WhoCounts, every: Asked) -> Asked:
    if isinstance(node, Combinator):
        # Negation changes nothing here: "not" covers what its child covers.
        parts = [_rests_on(child, who, every) for child in node.children]
        both = isinstance(node, And)
        return parts[0].intersection(*parts) if both else parts[0].union(*parts)
    if isinstance(node, Condition) and node.question != WAVES:
        return every.intersection(who.asked.get(node.question, every))
    return every
