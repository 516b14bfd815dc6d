"""Columns of numbers in which some cells are text: "14 and a half" in ages, "-" in amounts."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace

from audiencelab.ingest.meaning.guess import Guess
from audiencelab.ingest.meaning.known_scales import known_scale
from audiencelab.ingest.meaning.profile import ColumnProfile, is_number
from audiencelab.ingest.meaning.words import is_off_scale

_FEWEST, _FEW = 20, 6
"""Different numbers that a column of numbers has at least, and one that may be so."""
_CERTAIN, _LIKELY = 0.99, 0.9
"""Parts of the answers that are numbers: of a column of numbers, and of what may be one."""
_SIGNS = re.compile(r"[\W_]+")
_SHOWN = 4
_NAMED = 8


def as_numbers(column: ColumnProfile) -> tuple[ColumnProfile, list[Guess]]:
    """A column of numbers without its cells of text, which are then missing; and what is doubtful.

    Words such as "refused" and signs such as "-" are not answers. Other text is left out where 99%
    of the answers are numbers; where 90% are, or the numbers are few, the column stays text.
    """
    texts = [each for each in column.answers if not is_number(each) and each not in column.labels]
    numbers = len(column.answers) - len(texts)
    is_settled = column.given_codes == frozenset() or column.others
    if not texts or is_settled or column.labels or numbers < _FEW:
        return column, []
    cells = sum(column.answers[each] for each in texts)
    share = 1 - cells / column.answered
    texts.sort(key=lambda each: -column.answers[each])
    shown = ", ".join(f"{each!r} ({column.answers[each]:,})" for each in texts[:_SHOWN])
    more = f" and {len(texts) - _SHOWN:,} more" if len(texts) > _SHOWN else ""
    found = f"{shown}{more}: {cells:,} of {column.answered:,} answers, no numbers"
    name = json.dumps(column.name, ensure_ascii=False)
    are_none = all(is_off_scale(each) or _SIGNS.fullmatch(each) for each in texts)
    if numbers < _FEWEST and (are_none or known_scale(texts)):
        # A scale of numbers with "don't know", or with words at its ends.
        return column, []
    if numbers >= _FEWEST and (share >= _CERTAIN or (are_none and share > 0.5)):
        said = f"{found}; taken as no answer"
        code = f"al.open(…, missing={{{name}: []}})"
        guess = Guess(column.name, "numbers", said, code, 2 if are_none else 1)
        return replace(column, own_codes=column.own_codes | {*texts}), [guess]
    if share < _LIKELY:
        return column, []
    code = f"al.open(…, missing={{{name}: {_code(texts)}}})" if len(texts) <= _NAMED else ""
    return column, [Guess(column.name, "numbers", f"{found}; read as text", code, 1)]


def _code(texts: Sequence[str]) -> str:
    return f"[{', '.join(json.dumps(each, ensure_ascii=False) for each in texts)}]"
