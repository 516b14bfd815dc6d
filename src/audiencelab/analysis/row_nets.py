"""Subtotals of a crosstab's rows: nets, top and bottom boxes, and scores of two of them.

Rows may be any audiences, so that adding them up is right only where nobody is in two of them.
`_require_separate` finds that out or refuses: the service can count such people exactly.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import combinations, count
from typing import TYPE_CHECKING, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from audiencelab.analysis.disjointness import (
    OverlappingAnswers,
    of_one_question,
    rounding,
    separate,
    shortlist,
)
from audiencelab.analysis.nets import check_boxes
from audiencelab.expressions import Audience, Expression, Leaf
from audiencelab.flags import flag
from audiencelab.results.banner import Heads, full_name
from audiencelab.results.crosstab import FIGURES, CrosstabData

if TYPE_CHECKING:
    import pandas as pd

Crosstab = TypeVar("Crosstab", bound=CrosstabData)

Floats = NDArray[np.float64]

_ADDED = ("size", "sample", "row_size", "row_sample")
_SHARED = ("column_size", "column_sample", "base_size", "base_sample")
"""What the rows of a net have in common, where they rest on the same waves."""


@dataclass(frozen=True, slots=True)
class _Net:
    """A subtotal: its name, the heads over it, the places of its rows, and its id once it has one.

    A row that stays as it is counts as one of itself alone, and never has an id here.
    """

    name: str
    heads: Heads
    places: tuple[int, ...]
    id: str = ""


def row_nets(
    result: Crosstab, named: Mapping[str, Sequence[str]], *, disjoint: bool = False
) -> Crosstab:
    """See `CrosstabResult.nets`."""
    if not isinstance(cast(object, named), Mapping):
        raise TypeError('Nets have names: nets({"Any app": ["Loopa", "Chirp"]}).')
    wanted: list[_Net] = []
    for name, rows in named.items():
        if not isinstance(cast(object, name), str) or not name.strip():
            raise TypeError(f"A net is called by a text, not by {name!r}.")
        places = _places(result, rows)
        if not places:
            raise ValueError(f"The net {name!r} needs rows.")
        heads = {result.row_heads[place] for place in places}
        wanted.append(_Net(name, heads.pop() if len(heads) == 1 else (), places))
    return _with_nets(result, wanted, disjoint)


def row_boxes(
    result: Crosstab, top: int, bottom: int, *, low_first: bool, disjoint: bool
) -> Crosstab:
    """See `CrosstabResult.boxes`."""
    scales: dict[Heads, list[int]] = {}
    for place in _answers(result):
        scales.setdefault(result.row_heads[place], []).append(place)
    wanted: list[_Net] = []
    for heads, rising in (scales or {(): []}).items():
        check_boxes(top, bottom, len(rising))
        scale = rising[::-1] if flag("low_first", low_first) else rising
        if top:
            wanted.append(_Net(f"Top {top}", heads, tuple(scale[:top])))
        if bottom:
            wanted.append(_Net(f"Bottom {bottom}", heads, tuple(scale[-bottom:])))
    return _with_nets(result, wanted, disjoint)


def row_score(
    result: CrosstabData,
    positive: Sequence[str],
    negative: Sequence[str],
    *,
    disjoint: bool = False,
) -> pd.DataFrame:
    """See `CrosstabResult.net_score`."""
    from audiencelab.results.to_pandas import column_lines

    above, below = _places(result, positive), _places(result, negative)
    if both := set(above) & set(below):
        name = result.rows[min(both)].name
        raise ValueError(f"{name!r} is on both sides of the score: a row counts once.")
    if not above + below:
        raise ValueError("A score needs rows on one side at least.")
    _require_separate(result, _Net("the score", (), above + below), disjoint)
    shares = result.values("column_percentage")
    high, low = (shares[list(places)].sum(axis=0) for places in (above, below))
    frame = column_lines(result)
    frame = frame.assign(
        positive_percentage=high,
        negative_percentage=low,
        net_score=high - low,
        column_size=result.values("column_size")[above[0] if above else below[0]],
        column_sample=result.values("column_sample")[above[0] if above else below[0]],
    )
    frame.attrs.update(
        result.provenance,
        recipe="Points: percentage of the positive rows less that of the negative, of everyone.",
        positive=[result.rows[place].name for place in above],
        negative=[result.rows[place].name for place in below],
    )
    return frame


def _with_nets(result: Crosstab, wanted: Sequence[_Net], disjoint: bool) -> Crosstab:
    """The table with its nets, each after the last row under its heads."""
    taken = set(zip(result.row_heads, (row.name for row in result.rows), strict=True))
    for net in wanted:
        if (net.heads, net.name) in taken:
            raise ValueError(f"{net.name!r} is a row already: give the net a name of its own.")
        taken.add((net.heads, net.name))
        _require_separate(result, net, disjoint)
    nets = _identified(result, wanted)
    lines = _lines(result, nets)
    made = replace(
        result,
        rows=tuple(_audience(result, line) for line in lines),
        provenance={**result.provenance, "nets": _told(result, nets)},
        row_heads=tuple(line.heads for line in lines),
        nets_of={**result.nets_of, **{net.id: _ids(result, net) for net in nets}},
        labels=None,
    )
    down, across = np.indices(made.shape)
    figures = np.concatenate([_figures(result, line) for line in lines])
    made.store(down.ravel(), across.ravel(), figures)
    return made


def _lines(result: CrosstabData, nets: Sequence[_Net]) -> list[_Net]:
    """The rows of the new table in order, each row that was there as a net of itself alone."""
    rows = zip(result.rows, result.row_heads, strict=True)
    there = [_Net(row.name, heads, (place,)) for place, (row, heads) in enumerate(rows)]
    after: dict[int, list[_Net]] = {}
    for net in nets:
        after.setdefault(_last_under(result, net.heads), []).append(net)
    return [line for place, row in enumerate(there) for line in (row, *after.get(place, ()))]


def _figures(result: CrosstabData, line: _Net) -> Floats:
    """All figures of a line, float64[columns, figures]; those of a row as they are."""
    if line.id:
        return _sums(result, line.places)
    across = np.arange(len(result.columns))
    return result.figures(np.full_like(across, line.places[0]), across)


def _sums(result: CrosstabData, places: Sequence[int]) -> Floats:
    """All figures of a net: sizes and samples add up, shares are taken of the sums."""
    rows = list(places)
    figures = {name: result.values(name)[rows].sum(axis=0) for name in _ADDED}
    figures |= {name: result.values(name)[rows[0]] for name in _SHARED}
    figures["column_base_percentage"] = result.values("column_base_percentage")[rows[0]]
    size, row, column, base = (
        figures[name] for name in ("size", "row_size", "column_size", "base_size")
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        figures["percentage"] = 100 * size / base
        figures["column_percentage"] = 100 * size / column
        figures["row_percentage"] = 100 * size / row
        figures["row_base_percentage"] = 100 * row / base
        figures["index"] = 100 * (size / column) / (row / base)
    return np.stack([figures[name] for name in FIGURES], axis=1)


def _audience(result: CrosstabData, line: _Net) -> Audience:
    """A row as it is; of a net everybody in it, as the service could be asked for them."""
    if line.id:
        return Audience(line.name, _whole(result, line), line.id)
    return result.rows[line.places[0]]


def _whole(result: CrosstabData, net: _Net) -> Expression | None:
    """People in any of the rows; None where one of them is everyone."""
    expressions = [result.rows[place].expression for place in net.places]
    known = [each for each in expressions if each is not None]
    return _any_of(known) if len(known) == len(expressions) else None


def _any_of(expressions: Sequence[Expression]) -> Expression:
    """People in any of them: answers of one question listed together, as one would write it."""
    first = expressions[0]
    answers: dict[str, None] = {}
    for each in expressions:
        found = _answers_to(first, each)
        if not found:
            return reduce(lambda one, other: one | other, expressions)
        answers |= dict.fromkeys(found)
    return replace(cast(Leaf, first), datapoints=tuple(answers))


def _told(result: CrosstabData, wanted: Sequence[_Net]) -> dict[str, list[str]]:
    """Which rows each net holds, by name, those of earlier nets among them."""
    earlier: dict[str, list[str]] = result.provenance.get("nets", {})
    return earlier | {
        full_name(net.heads, net.name): [result.rows[place].name for place in net.places]
        for net in wanted
    }


def _last_under(result: CrosstabData, heads: Heads) -> int:
    """The place of the last row under these heads; of the last of all where there is none."""
    under = [place for place, each in enumerate(result.row_heads) if each == heads]
    return under[-1] if under else len(result.rows) - 1


def _identified(result: CrosstabData, nets: Sequence[_Net]) -> list[_Net]:
    """The nets with ids that nobody in the table has."""
    taken = {audience.id for audience in (*result.rows, *result.columns)}
    numbers = (f"net-{number}" for number in count(1))
    free = (identity for identity in numbers if identity not in taken)
    return [replace(net, id=next(free)) for net in nets]


def _ids(result: CrosstabData, net: _Net) -> tuple[str, ...]:
    return tuple(result.rows[place].id or "" for place in net.places)


def _answers(result: CrosstabData) -> list[int]:
    """The places of the rows that are no nets: those hold the same people once more."""
    return [place for place, net in enumerate(result.row_nets) if not net]


def _places(result: CrosstabData, rows: Iterable[str]) -> tuple[int, ...]:
    """The places of rows given by name or id; `ValueError` for one that is not there.

    A name that several rows share names none of them, but with its heads it does.
    """
    if not isinstance(cast(object, rows), Iterable):
        raise TypeError(f"Rows are given in a list, by name or id, not as {rows!r}.")
    wanted = [rows] if isinstance(rows, str) else list(rows)
    places: dict[int, None] = {}
    for row in wanted:
        found = [place for place in _answers(result) if row in _called(result, place)]
        if len(found) != 1:
            told = shortlist(
                f"{result.rows[place].id} "
                f"({full_name(result.row_heads[place], result.rows[place].name)})"
                for place in _answers(result)
            )
            raise ValueError(f"No one row {row!r} in this table. There are {told}.")
        places[found[0]] = None
    return tuple(places)


def _called(result: CrosstabData, place: int) -> set[str | None]:
    row = result.rows[place]
    return {row.id, row.name, full_name(result.row_heads[place], row.name)}


def _require_separate(result: CrosstabData, net: _Net, disjoint: bool) -> None:
    """Raise unless the rows of a net can be added up.

    `OverlappingAnswers` where a respondent may be in two of them, `ValueError` where the table is
    under way, or where the rows rest on different waves, over which sizes are averages.
    """
    if not result.complete:
        raise ValueError(
            f"Nets are made of a whole table; {result.count:,} of {result.expected:,} cells are in."
        )
    if len(net.places) < 2:
        return
    rows = list(net.places)
    if not _on_the_same_waves(result, rows):
        raise ValueError(
            f"The rows of {net.name!r} rest on different waves, over which sizes are averages and "
            f"do not add up. {_advice(result, net)}"
        )
    expressions = [result.rows[place].expression for place in rows]
    known = [each for each in expressions if each is not None]
    pairs = list(combinations(known, 2))
    if len(known) == len(rows) and all(separate(*pair, result.kinds) for pair in pairs):
        return
    if (
        _counted(result, rows) == _MORE
        or _twice(result, rows)
        or any(of_one_question(*pair, result.kinds) for pair in pairs)
    ):
        raise OverlappingAnswers(
            f"Some respondents are in several rows of {net.name!r}, so they cannot be added up. "
            f"{_advice(result, net)}"
        )
    if not flag("disjoint", disjoint) and _counted(result, _answers_beside(result, rows)) != _EQUAL:
        raise OverlappingAnswers(
            f"Nothing tells that nobody is in two rows of {net.name!r}. If you know it, say "
            f"disjoint=True. Otherwise: {_advice(result, net)}"
        )


def _advice(result: CrosstabData, net: _Net) -> str:
    whole = _whole(result, net)
    code = "a | b | …" if whole is None else whole.to_code()
    told = code if len(code) <= 160 else f"{code[:159]}…"
    return (
        f"Ask the service for people in any of them, as a row: al.Audience({net.name!r}, {told})."
    )


def _on_the_same_waves(result: CrosstabData, rows: Sequence[int]) -> bool:
    """Whether column and base are alike in all of the rows, but for rounding to whole people."""
    return all(
        bool(np.allclose(plane, plane[:1], rtol=1e-9, atol=0.0 if "sample" in name else 1.0))
        for name in _SHARED
        for plane in [result.values(name)[list(rows)]]
    )


_FEWER, _EQUAL, _MORE = "fewer", "equal", "more"


def _counted(result: CrosstabData, rows: Sequence[int]) -> str:
    """How many there are in the rows together, against how many there are in base and columns.

    More in one column, or a greater weight, prove that somebody is counted twice. As many in all of
    them, who weigh as much too, are taken to be everybody once: other answers may come to the same
    number by chance, but hardly to the same weight.
    """
    if not rows:
        return _FEWER
    samples, respondents = _against(result, rows, "sample")
    sizes, people = _against(result, rows, "size")
    apart = sizes - people
    room = rounding(len(rows), people)
    if bool((samples > respondents).any() or (apart > room).any()):
        return _MORE
    alike = (samples == respondents) & (np.abs(apart) <= room)
    return _EQUAL if bool(alike.all()) else _FEWER


def _against(result: CrosstabData, rows: Sequence[int], what: str) -> tuple[Floats, Floats]:
    """The rows added up in each column and in the base, and how many there are in all."""
    places = list(rows)
    within, of_base = result.values(what)[places], result.values(f"row_{what}")[places]
    whole = (result.values(f"{side}_{what}")[places[0]] for side in ("column", "base"))
    return np.append(within.sum(axis=0), of_base.sum(axis=0)), np.concatenate([*whole])


def _twice(result: CrosstabData, rows: Sequence[int]) -> bool:
    """Whether two of the rows ask the very same."""
    asked = [result.rows[place].expression for place in rows]
    return any(
        one is not None and one == other
        for place, one in enumerate(asked)
        for other in asked[:place]
    )


def _answers_beside(result: CrosstabData, rows: Sequence[int]) -> list[int]:
    """These rows and all others that are further answers of their question.

    Empty where the rows are no answers of one question, which nothing tells to be separate.
    """
    first = result.rows[rows[0]].expression
    taken: set[str] = set()
    found: list[int] = []
    for place in (*rows, *(each for each in _answers(result) if each not in rows)):
        answers = _answers_to(first, result.rows[place].expression)
        if answers and not taken.intersection(answers):
            found.append(place)
            taken.update(answers)
        elif place in rows:
            return []
    return found


def _answers_to(first: Expression | None, other: Expression | None) -> tuple[str, ...]:
    """The answers of which the other takes any, if they are to the same question as the first's."""
    if not (isinstance(first, Leaf) and isinstance(other, Leaf)):
        return ()
    alike = (other.question, other.suffixes) == (first.question, first.suffixes)
    return other.datapoints if alike and other.min_count == 1 and not other.negated else ()
