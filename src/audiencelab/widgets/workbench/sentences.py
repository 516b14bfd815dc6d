"""A question in a line: what a list of questions shows, and what a file or notebook is called."""

from __future__ import annotations

from audiencelab.render.markup import shorten
from audiencelab.widgets.crosstab.lines import Lines
from audiencelab.widgets.crosstab.query import GridQuery
from audiencelab.wording import plural

__all__ = ["question_title", "question_words"]

_LISTED = 2
_NAME_LENGTH = 40


def question_words(query: GridQuery) -> str:
    """The whole question: "Gender (2) × 16 to 17, 18 to 24 and 4 more · of Women · 2 waves"."""
    parts = [question_title(query)]
    if query.base_audience is not None:
        parts.append(f"of {_short(query.base_audience.name)}")
    if query.waves:
        parts.append(query.waves[0] if len(query.waves) == 1 else plural(len(query.waves), "wave"))
    if query.locations:
        parts.append(plural(len(query.locations), "location"))
    return " · ".join(parts)


def question_title(query: GridQuery) -> str:
    """Both sides of the table."""
    return f"{_side_words(query.rows)} × {_side_words(query.columns)}"


def _side_words(lines: Lines | None) -> str:
    """The heads that stand outermost with how many lines each has, and the names of other lines."""
    if lines is None:
        return "everyone"
    named: dict[tuple[bool, str], int] = {}
    for place, (audience, heads) in enumerate(zip(lines, lines.heads, strict=True)):
        key = (True, heads[0]) if heads else (False, f"{place} {audience.name}")
        named[key] = named.get(key, 0) + 1
    words = [
        f"{_short(name)} ({count})" if is_head else _short(name.partition(" ")[2])
        for (is_head, name), count in named.items()
    ]
    if len(words) <= _LISTED + 1:
        return " and ".join(filter(None, [", ".join(words[:-1]), *words[-1:]])) or "nothing"
    return f"{', '.join(words[:_LISTED])} and {len(words) - _LISTED} more"


def _short(name: str) -> str:
    return shorten(" ".join(name.split()), _NAME_LENGTH)
