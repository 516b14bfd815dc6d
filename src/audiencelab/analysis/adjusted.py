"""Adjusted shares of a profile: their columns in frames, their tests and ranking."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple, get_args

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from audiencelab.analysis.highlights import check_limit, statement
from audiencelab.analysis.options import checked_level, require_choice
from audiencelab.analysis.statistics import (
    CORRECTION_NAMES,
    Correction,
    adjusted,
    critical_values,
    is_significant,
    selection_tail,
    two_sided_p,
)
from audiencelab.results.crosstab import CrosstabData
from audiencelab.results.dtypes import as_figures, text_column
from audiencelab.results.profile import MOST_LACKING, Adjustment, ProfileData
from audiencelab.schema.local import Adjusted
from audiencelab.wording import plural

Floats = NDArray[np.float64]

ADJUSTED_COLUMNS = (
    "adjusted_percentage",
    "adjusted_percentage_se",
    "adjusted_difference",
    "adjusted_index",
    "adjusted_rest_percentage",
    "adjusted_rest_percentage_se",
    "adjusted_rest_difference",
    "adjusted_rest_difference_se",
    "adjusted_p",
)
"""Columns of the frame of a profile that is adjusted, after those as they are."""

POINT = ("question", "question_label", "datapoint", "datapoint_label")
"""Columns that name an answer."""

LEAST = 30
"""Respondents of the audience, and of the rest, that a test needs."""

_NONE = 1e-20
"""A variance of less is rounding: the composition fixes the share."""


class AdjustedTests(NamedTuple):
    """An audience against everyone else, both adjusted; differences in shares of 1."""

    difference: Floats
    error: Floats
    z: Floats
    p: Floats
    freedom: Floats


def adjusted_columns(result: ProfileData, of: Adjustment, rows: Sequence[int]) -> dict[str, Floats]:
    """Those of `ADJUSTED_COLUMNS`, of some answers."""
    share, rest = of.figure("share", rows), of.figure("rest_share", rows)
    base = result.table.values("row_base_percentage")[rows, 0] / 100
    variance, rest_variance, covariance = (
        of.figure(name, rows) for name in ("variance", "rest_variance", "rest_covariance")
    )
    # In the order of `ADJUSTED_COLUMNS`.
    figures = (
        100 * share,
        100 * np.sqrt(variance),
        100 * (share - base),
        index_of(share, base),
        100 * rest,
        100 * np.sqrt(rest_variance),
        100 * (share - rest),
        100 * np.sqrt(np.maximum(variance + rest_variance - 2 * covariance, 0.0)),
        tests_of(result, of, LEAST).p[rows],
    )
    return dict(zip(ADJUSTED_COLUMNS, figures, strict=True))


def index_of(share: Floats, base: Floats) -> Floats:
    """A share by that of the base, of which 100 is the base."""
    with np.errstate(divide="ignore", invalid="ignore"):
        found = 100 * share / base
    return np.where(base > 0, found, np.nan)


def tests_of(result: ProfileData, of: Adjustment, least: float) -> AdjustedTests:
    """T tests under the share that both have in each cell; see `engine.variance.standardised`.

    least: respondents of the audience, and of the rest, below which there is no test.
    """
    sample, base = (result.table.values(name)[:, 0] for name in ("column_sample", "base_sample"))
    made = (sample >= least) & (base - sample >= least)
    return _tests(of.figure, made)


def table_tests(table: CrosstabData, found: Adjusted, least: float) -> AdjustedTests:
    """The same of every column of a table, float64[rows, columns]."""
    sample, base = (table.values(name) for name in ("column_sample", "base_sample"))
    made = (sample >= least) & (base - sample >= least)
    # A profile hides these in `Adjustment.figure`; the figures of a table come as they are.
    made &= (found.lacking <= MOST_LACKING) & (found.rest_lacking <= MOST_LACKING)
    return _tests(partial(getattr, found), made)


def _tests(figure: Callable[[str], Floats], made: NDArray[np.bool_]) -> AdjustedTests:
    """figure: one of `Adjusted` by its name. made: where there are enough respondents."""
    # The smaller side gives the degrees of freedom, as in every test against the rest.
    freedom = np.minimum(figure("freedom"), figure("rest_freedom"))
    variance, difference = figure("pooled"), figure("share") - figure("rest_share")
    error = np.sqrt(np.where(made & (variance > _NONE) & (freedom >= 1), variance, np.nan))
    z = difference / error
    return AdjustedTests(difference, error, z, two_sided_p(z, freedom), freedom)


def adjusted_standouts(
    result: ProfileData,
    of: Adjustment,
    kept: Sequence[int],
    limit: int,
    correction: Correction,
    *,
    level: float,
    min_base: float,
) -> pd.DataFrame:
    """See `ProfileResult.standouts`; kept: the answers that are tested, all in one family."""
    check_limit(limit)
    require_choice("correction", correction, get_args(Correction))
    named = "benjamini-hochberg" if correction == "fdr" else correction
    level, tests = checked_level(level), tests_of(result, of, min_base)
    # Answers that are left out do not count in the family, so they make no other p-value larger.
    corrected = np.full(len(tests.p), np.nan)
    corrected[kept] = adjusted(tests.p[kept][None], named)[0]
    found = np.flatnonzero(is_significant(corrected, level))
    made = int(np.count_nonzero(~np.isnan(corrected)))
    tail = selection_tail(named, 1 - level, made, len(found))
    # What is selected from many tests needs a wider interval than a test that was planned.
    reach = critical_values(1 - tail, tests.freedom[found])
    at_least = np.maximum(np.abs(tests.difference[found]) - reach * tests.error[found], 0.0)
    # lexsort sorts by its last key first.
    order = np.lexsort((tests.p[found], -at_least))[:limit]
    lines = found[order]
    base = result.table.values("row_base_percentage")[lines, 0] / 100
    chosen: list[int] = lines.tolist()
    points = [result.points[line] for line in chosen]
    frame = pd.DataFrame(
        {
            **{name: text_column(str(getattr(each, name)) for each in points) for name in POINT},
            "percentage": 100 * of.figure("share", lines),
            "other_percentage": 100 * of.figure("rest_share", lines),
            "difference": 100 * tests.difference[lines],
            "at_least": 100 * at_least[order],
            "index": index_of(of.figure("share", lines), base),
            "sample": as_figures("sample", result.table.values("sample")[lines, 0]),
            "p": tests.p[lines],
            "p_adjusted": corrected[lines],
        }
    )
    said = (_statement(result, line) for line in frame.to_dict("records"))
    frame.insert(0, "statement", text_column(said, frame.index))
    frame.index = pd.RangeIndex(1, len(frame) + 1, name="rank")
    how = f"{CORRECTION_NAMES[named]} over {plural(made, 'test')}, level {level:g}"
    frame.attrs.update(result.provenance, method_note=f"{adjusted_note(of, min_base)} {how}.")
    return frame


def _statement(result: ProfileData, line: dict[Any, Any]) -> str:
    row = f"{line['question_label']} – {line['datapoint_label']}"
    said = statement({**line, "row": row, "column": result.audience.name})
    return f"{said}, adjusted for {result.adjustment.title}" if result.adjustment else said


def adjusted_note(of: Adjustment, least: float = LEAST) -> str:
    """What adjusted shares and their tests depend on."""
    return (
        f"{of.note}. Standard errors take that composition as given. Tests: t, the audience "
        "against everyone else, both adjusted, under the share that they have together in each "
        f"cell; none with fewer than {least:g} respondents on either side."
    )
