"""Tests whether rows and columns of a table are independent: χ² with Rao and Scott's correction.

Pearson's statistic of the weighted shares p of n respondents is n Σ (p - p_i p_j)² ÷ (p_i p_j).
With Δ = (Cᵀ D⁻¹ C ÷ n)⁻¹ (Cᵀ D⁻¹ V D⁻¹ C), D the shares, V their covariances by the sample's design
and C the contrasts of the interaction, the statistic ÷ tr Δ is an F with d = (tr Δ)² ÷ tr Δ²
and d ν degrees of freedom, ν those of the design: the second-order correction of Rao and Scott
(1984), as `svychisq` of R computes it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING, Any, get_args

import numpy as np
from numpy.typing import NDArray

from audiencelab.analysis.measured import asking
from audiencelab.analysis.options import require_choice
from audiencelab.results.asking import Lonely
from audiencelab.results.banner import Groups, joined
from audiencelab.results.crosstab import CrosstabData
from audiencelab.results.undefined import WITHHELD
from audiencelab.schema.local import CellShares
from audiencelab.schema.query import CrosstabQuery

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]

_LOW = 5.0
"""Expected respondents of a cell below which χ² is not reliable."""

LOW_EXPECTED = f"fewer than {_LOW:g} respondents expected in a cell"


def independence_frame(result: CrosstabData, lonely: Lonely = "adjust") -> pd.DataFrame:
    """See `CrosstabResult.test_independence`."""
    import pandas as pd

    require_choice("lonely", lonely, get_args(Lonely))
    ask, query = asking(result, "A test of independence")
    found = [
        (row_name, column_name, ask.cells(_part(query, rows, columns), lonely))
        for row_name, rows in _groups(result.row_groups, result.row_nets)
        for column_name, columns in _groups(result.column_groups, (False,) * len(result.columns))
    ]
    frame = pd.DataFrame(
        {"row_group": row_name, "column_group": column_name, **rao_scott(cells)}
        for row_name, column_name, cells in found
    )
    how = "".join(dict.fromkeys(f" ({cells.how})" for *_, cells in found if cells and cells.how))
    note = (
        "Pearson's χ² with the second-order correction of Rao and Scott for the sample's "
        f"design{how}; F with fractional degrees of freedom."
    )
    frame.attrs.update(result.provenance, method_note=note)
    return frame


def _part(query: CrosstabQuery, rows: Sequence[int], columns: Sequence[int]) -> CrosstabQuery:
    return replace(
        query,
        rows=tuple(query.rows[each] for each in rows),
        columns=tuple(query.columns[each] for each in columns),
    )


def _groups(groups: Sequence[Groups], nets: Sequence[bool]) -> Iterator[tuple[str, list[int]]]:
    """The positions of each group, without nets, which hold others."""
    for group in dict.fromkeys(groups):
        places = [place for place, each in enumerate(groups) if each == group and not nets[place]]
        if places:
            yield joined(group), places


_UNKNOWN = dict.fromkeys(("F", "df1", "df2", "p", "chi2", "df"), np.nan)


def rao_scott(cells: CellShares | None) -> dict[str, Any]:
    """The statistics of one table; NaN, with a note, where nothing can vary.

    cells: None where the service withholds some of them.
    """
    if cells is None:
        return {**_UNKNOWN, "sample": np.nan, "note": WITHHELD}
    # An empty row or column expects 0, by which the statistic would divide.
    known_rows, known_columns = cells.share.sum(axis=1) > 0, cells.share.sum(axis=0) > 0
    share = cells.share[np.ix_(known_rows, known_columns)]
    kept = np.flatnonzero(np.outer(known_rows, known_columns).ravel())
    height, width = share.shape
    if min(height, width) < 2 or not cells.freedom > 0:
        few = min(height, width) < 2
        note = "fewer than two rows or columns" if few else "no degrees of freedom"
        return {**_UNKNOWN, "sample": cells.sample, "note": note}
    expected = np.outer(share.sum(axis=1), share.sum(axis=0))
    chi2 = float(cells.sample * ((share - expected) ** 2 / expected).sum())
    contrasts = _interaction(height, width)
    flat = share.ravel()
    # An empty cell weighs 0 in D⁻¹, as in R's `svychisq`.
    inverse = np.where(flat > 0, 1.0 / np.where(flat > 0, flat, 1.0), 0.0)
    weighted = contrasts * inverse[:, None]
    simple = contrasts.T @ weighted / cells.sample
    designed = weighted.T @ cells.covariance[np.ix_(kept, kept)] @ weighted
    # Δ of the head of this module; d is Satterthwaite's, which matches mean and variance.
    delta = np.linalg.solve(simple, designed)
    trace = float(np.trace(delta))
    first = trace**2 / float(np.trace(delta @ delta))
    second = first * cells.freedom
    # Imported here since scipy takes long to import.
    special: Any = import_module("scipy.special")
    statistic = chi2 / trace
    low = bool((cells.sample * expected < _LOW).any())
    return {
        "F": statistic,
        "df1": first,
        "df2": second,
        "p": float(special.fdtrc(first, second, statistic)),
        "chi2": chi2,
        "df": (height - 1) * (width - 1),
        "sample": cells.sample,
        "note": LOW_EXPECTED if low else "",
    }


def _interaction(height: int, width: int) -> Floats:
    """The interaction's contrasts, without what the margins explain: float64[cells, (h-1)(w-1)]."""
    down, across = np.divmod(np.arange(height * width), width)
    rows = (down[:, None] == np.arange(1, height)).astype(np.float64)
    columns = (across[:, None] == np.arange(1, width)).astype(np.float64)
    margins = np.column_stack([np.ones(height * width), rows, columns])
    both = (rows[:, :, None] * columns[:, None, :]).reshape(height * width, -1)
    # The residual of a regression on the margins: contrasts orthogonal to both main effects.
    explained = np.asarray(np.linalg.lstsq(margins, both, rcond=None)[0], np.float64)
    return both - margins @ explained
