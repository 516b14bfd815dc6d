"""Who counts in a cell, respondent by respondent (by position); shares no code with the engine."""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from audiencelab.expressions import And, Expression, Leaf, Or
from audiencelab.expressions.codes import ASKED
from tests.who_counts.records import LOCATION, Person, Records


def joined(e: Any, of: Callable[[Any], set[Any]]) -> set[Any]:
    """What a combination has: what all children have of an `and`, what any has of an `or`."""
    parts = [of(each) for each in e.children]
    return parts[0].intersection(*parts) if isinstance(e, And) else parts[0].union(*parts)


def covered(r: Records, e: Expression | None, *, offered: bool = False) -> set[str]:
    """The waves that e covers; offered: those of them that offered any of its answers."""
    if isinstance(e, And | Or):
        return joined(e, lambda each: covered(r, each, offered=offered))
    if not isinstance(e, Leaf):
        return {*r.waves}
    if e.question == "waves":
        return {wave for wave in r.waves if (wave in e.datapoints) != e.negated}
    listed, few = {*(e.datapoints or r.items[e.question])}, e.min_count
    if r.kinds[e.question] == "single" or listed == {ASKED}:
        few = 1 if offered and listed != {ASKED} else 0
    return {wave for wave, had in r.offered[e.question].items() if len(listed & had) >= few}


def chosen(r: Records, waves: set[str], test: Callable[[Person], bool]) -> set[int]:
    return {at for at, one in enumerate(r.people) if one.wave in waves and test(one)}


@lru_cache(4096)
def valid(r: Records, e: Expression | None) -> set[int]:
    """Who could have been in e: gave an answer, or was asked all of the items that were offered."""
    if isinstance(e, And | Or):
        return joined(e, lambda each: valid(r, each))
    if not isinstance(e, Leaf) or e.question in ("waves", LOCATION) or e.datapoints == (ASKED,):
        return chosen(r, covered(r, e), lambda _: True)
    code = e.question
    if r.kinds[code] == "single":
        return chosen(r, covered(r, e), lambda one: bool(one.gave.get(code)))
    needs = {w: had & {*(e.datapoints or had)} for w, had in r.offered[code].items()}
    of = "gave" if r.kinds[code] == "grid" else "asked"
    return chosen(r, covered(r, e), lambda one: needs[one.wave] <= {*one.has(of, code)})


@lru_cache(4096)
def within(r: Records, e: Expression | None, *, known: bool = False) -> set[int]:
    """Who is in e; known: negations hold only those who could have been in what is negated."""
    if isinstance(e, Leaf) and e.question != "waves":
        found = chosen(r, {*r.waves}, lambda one: one.gives(e) >= e.min_count)
    elif isinstance(e, And | Or):
        found = joined(e, lambda each: within(r, each, known=known and not e.negated))
    else:
        return chosen(r, covered(r, e), lambda _: True)
    others = chosen(r, covered(r, e), lambda _: True) - found
    return (others & valid(r, e) if known else others) if e.negated else found


def cell(r: Records, b: Any, row: Any, column: Any, waves: set[str], base_of: str) -> Any:
    """The waves of a cell, and who is in its base, its row, its column and in both."""
    waves = waves & covered(r, b) & covered(r, row) & covered(r, column)
    if not waves & covered(r, row, offered=True) & covered(r, column, offered=True):
        waves = set()
    base = within(r, b, known=base_of == "valid") & chosen(r, waves, lambda one: one.weight > 0)
    if base_of == "valid":
        base = base & valid(r, row) & valid(r, column)
    rows, columns = base & within(r, row), base & within(r, column)
    return waves, base, rows, columns, rows & columns


def figures(r: Records, waves: set[str], *sets: set[int]) -> list[float]:
    """Sizes of base, row, column and both (averages over waves); three shares; the index."""
    b, row, column, both = (sum(r.people[at].weight for at in s) / max(1, len(waves)) for s in sets)
    of = [(both, b), (both, column), (both, row), (both * b, row * column)]
    return [b, row, column, both, *(100 * part / whole if whole else 0.0 for part, whole in of)]
