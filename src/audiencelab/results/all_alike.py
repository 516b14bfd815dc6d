"""Why every cell of a result is 100%, or 0%."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from audiencelab.expressions import Audience, Leaf
from audiencelab.results.coverage import questions_of
from audiencelab.results.crosstab import CrosstabData, of_statistics_alone
from audiencelab.results.stats import StatsData

_WHOLE = 100.0


def why_all_alike(result: CrosstabData | StatsData) -> str:
    """A sentence on shares that are all 100%, or all 0%; "" where they differ."""
    return _of_table(result) if isinstance(result, CrosstabData) else _of_stats(result)


def _of_table(table: CrosstabData) -> str:
    # While a table fills, the next cell may differ.
    if not (table.rows_requested and table.complete) or of_statistics_alone(table):
        return ""
    words = _words(table.values("column_percentage").ravel())
    if not words or all(row.expression is None for row in table.rows):
        return ""
    asked = [code for row in table.rows for code in questions_of(row)]
    rated = _rated(table.rows, table.kinds)
    if rated and words == "100%":
        return _of_grid(rated, table.who.name(rated))
    sides = ((table.base_audience,), "the base is"), (table.columns, "the columns are")
    for audiences, subject in sides:
        given = [{*questions_of(each)} for each in audiences if each is not None]
        both = [
            code for code in dict.fromkeys(asked) if given and all(code in one for one in given)
        ]
        if both:
            return _chosen_too(words, subject, table.who.name(both[0]))
    return _otherwise(words)


def _of_stats(result: StatsData) -> str:
    shares = [row.metrics.audience_percentage for row in result.rows if row.waves]
    words = _words(np.array(shares, np.float64))
    if not words:
        return ""
    name = result.labels.question or result.who.name(result.question)
    if result.kind == "grid" and words == "100%" and not any(row.suffixes for row in result.rows):
        return _of_grid(result.question, name)
    base = result.base_audience
    if base is not None and result.question in questions_of(base):
        return _chosen_too(words, "the base is", name)
    return _otherwise(words)


def _words(shares: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> str:
    """What shares are that are all 100%, or all 0%; "" for others."""
    known = shares[~np.isnan(shares)]
    for share, words in ((_WHOLE, "100%"), (0.0, "0%")):
        if len(known) and np.allclose(known, share, rtol=0, atol=1e-9):
            return words
    return ""


def _rated(rows: Iterable[Audience], kinds: Mapping[str, str]) -> str:
    """The grid of which each row counts an item at any point of the scale; "" for other rows."""
    found: set[str] = set()
    for row in rows:
        leaf = row.expression
        if not isinstance(leaf, Leaf) or leaf.suffixes or kinds.get(leaf.question) != "grid":
            return ""
        found.add(leaf.question)
    return found.pop() if len(found) == 1 else ""


def _of_grid(code: str, name: str) -> str:
    return (
        f"Every cell is 100% because a row counts any point of the scale of {name}, which everyone "
        f'gave who answered. For the points: client.grid("{code}"), al.top_box("{code}", 2), '
        f'al.mean("{code}").'
    )


def _chosen_too(words: str, subject: str, name: str) -> str:
    return f"Every cell is {words} because {subject} chosen by {name} too."


def _otherwise(words: str) -> str:
    if words == "0%":
        return "Every cell is 0% because no respondent in the base gave these answers."
    return "Every cell is 100% because all who count gave these answers."
