"""An overlap as frames: its combinations, audiences, pairs, and what they reach."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from audiencelab.analysis.options import require_choice
from audiencelab.results.dtypes import as_counts, text_column
from audiencelab.results.overlap import Flags, Floats, OverlapData, People, in_any

if TYPE_CHECKING:
    import pandas as pd


def in_reading_order(result: OverlapData) -> list[int]:
    """Positions of the combinations: fewest audiences first, in their order; none at the end."""
    held = [tuple(np.flatnonzero(line)) for line in result.members]
    return [*sorted(range(1, len(held)), key=lambda each: (len(held[each]), held[each])), 0]


def wording_of(result: OverlapData, position: int) -> str:
    """A combination in words: "Women & Young only"."""
    held = result.members[position]
    if not held.any():
        return "None of them"
    names = " & ".join(name for name, inside in zip(result.names, held, strict=True) if inside)
    return names if held.all() else f"{names} only"


def combinations_frame(result: OverlapData) -> pd.DataFrame:
    """See `OverlapResult.to_frame`."""
    import pandas as pd

    order = in_reading_order(result)
    held, sizes = result.members[order], result.sizes[order]
    frame = pd.DataFrame(dict(zip(result.names, held.T, strict=True)))
    frame["combination"] = text_column(wording_of(result, position) for position in order)
    frame["count"] = held.sum(axis=1)
    frame["size"] = sizes
    frame["sample"] = as_counts(result.samples[order])
    frame["percentage"] = _percentages(sizes, result.base_size)
    of_union = _percentages(sizes, result.union.size)
    frame["union_percentage"] = np.where(held.any(axis=1), of_union, np.nan)
    frame.attrs.update(result.provenance, notes=list(result.notes))
    return frame


def sets_frame(result: OverlapData) -> pd.DataFrame:
    """See `OverlapResult.sets`."""
    single = result.members.sum(axis=1) == 1
    lines: list[dict[str, Any]] = []
    for name, inside in zip(result.names, result.members.T, strict=True):
        everyone, alone = result.people(inside), result.people(inside & single)
        lines.append(
            {
                "audience": name,
                **everyone._asdict(),
                "alone_size": alone.size,
                "alone_sample": alone.sample,
                "alone_percentage": _percentage(alone.size, everyone.size),
            }
        )
    return _frame(result, lines)


def pairs_frame(result: OverlapData) -> pd.DataFrame:
    """See `OverlapResult.pairs`."""
    members, names = result.members, result.names
    lines: list[dict[str, Any]] = []
    for one, other in combinations(range(len(names)), 2):
        first, second = (result.people(members[:, each]).size for each in (one, other))
        both = result.people(members[:, one] & members[:, other])
        either = result.people(in_any(members, (one, other)))
        lines.append(
            {
                "first": names[one],
                "second": names[other],
                **both._asdict(),
                "first_percentage": _percentage(both.size, first),
                "second_percentage": _percentage(both.size, second),
                "jaccard": _percentage(both.size, either.size) / 100,
                "index": _percentage(both.size * result.base_size, first * second),
            }
        )
    return _frame(result, lines)


def reach_frame(result: OverlapData, sort: str) -> pd.DataFrame:
    """See `OverlapResult.reach`."""
    require_choice("sort", sort, ("most", "asked"))
    members, union = result.members, result.union
    by_size = sort == "most"
    if by_size:
        _require_all_known(result)
    order = greedy_order(members, result.sizes) if by_size else [*range(len(result.names))]
    lines: list[dict[str, Any]] = []
    for step, audience in enumerate(order):
        before = in_any(members, order[:step])
        added = result.people(members[:, audience] & ~before)
        reached = result.people(before | members[:, audience])
        lines.append(
            {
                "audience": result.names[audience],
                **{f"added_{name}": value for name, value in added._asdict().items()},
                **_reached(reached, union),
            }
        )
    return _frame(result, lines)


def turf_frame(result: OverlapData, top: int) -> pd.DataFrame:
    """See `OverlapResult.turf`."""
    if not isinstance(cast(object, top), int) or top < 1:
        raise ValueError(f"top must be a number of sets from 1; got {top!r}.")
    _require_all_known(result)
    members, names, union = result.members, result.names, result.union
    lines: list[dict[str, Any]] = []
    for count in range(1, len(names) + 1):
        for chosen in best_sets(members, result.sizes, count, top):
            reached = result.people(in_any(members, chosen))
            belonging = float(sum(result.people(members[:, each]).size for each in chosen))
            lines.append(
                {
                    "count": count,
                    "audiences": tuple(names[each] for each in chosen),
                    **_reached(reached, union),
                    "frequency": _percentage(belonging, reached.size) / 100,
                }
            )
    return _frame(result, lines)


def _require_all_known(result: OverlapData) -> None:
    """Raise `ValueError` where the service withholds a combination: no set is known to be best."""
    if np.isnan(result.sizes).any():
        raise ValueError(
            "The service withholds combinations of few respondents, so which audiences reach most "
            "people is not known. Use fewer or larger audiences; reach(sort='asked') keeps their "
            "order."
        )


def greedy_order(members: Flags, sizes: Floats) -> list[int]:
    """The audiences in the order in which each adds most people; ties keep their own order."""
    order: list[int] = []
    left = list(range(members.shape[1]))
    while left:
        new = ~in_any(members, order)
        # max returns the first of equals, which keeps their own order.
        order.append(max(left, key=lambda each: float(sizes[members[:, each] & new].sum())))
        left.remove(order[-1])
    return order


def best_sets(members: Flags, sizes: Floats, count: int, top: int) -> list[tuple[int, ...]]:
    """The sets of `count` audiences that reach most people, the best first, `top` at most."""
    # Every set is tried, which `MOST_AUDIENCES` keeps to 255 in all.
    sets = combinations(range(members.shape[1]), count)
    reached = {each: float(sizes[in_any(members, each)].sum()) for each in sets}
    return sorted(reached, key=lambda each: -reached[each])[:top]


def _reached(reached: People, union: People) -> dict[str, float]:
    return {**reached._asdict(), "union_percentage": _percentage(reached.size, union.size)}


def _frame(result: OverlapData, lines: list[dict[str, Any]]) -> pd.DataFrame:
    import pandas as pd

    frame = pd.DataFrame(lines)
    for name in frame.columns[frame.columns.str.endswith("sample")]:
        frame[name] = as_counts(frame[name].to_numpy())
    frame.attrs.update(result.provenance, notes=list(result.notes))
    return frame


def _percentages(sizes: NDArray[np.float64], whole: float) -> NDArray[np.float64]:
    return 100 * sizes / whole if whole else np.full(len(sizes), np.nan)


def _percentage(part: float, whole: float) -> float:
    return 100 * part / whole if whole else float("nan")
