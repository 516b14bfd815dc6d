"""How the cells of a summary table are written: "mean (SD)", "n (%)", and what these consist of."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from audiencelab.lines import near


class ValueForm(NamedTuple):
    """A value of a cell: its metric, and what is written before and after it."""

    metric: str
    before: str = ""
    after: str = ""


class SummaryStatistic(NamedTuple):
    """What the cells of a row show. words: as a table names it, "mean (SD)"."""

    words: str
    forms: tuple[ValueForm, ...]

    @property
    def metrics(self) -> tuple[str, ...]:
        """The metrics of its values."""
        return tuple(form.metric for form in self.forms)

    @property
    def of_amounts(self) -> bool:
        """Whether it is of the amounts of a question, and not of its answers."""
        return not {*self.metrics} <= {"sample", "column_percentage"}


_METRICS = {
    "n": "sample",
    "%": "column_percentage",
    "mean": "mean",
    "sd": "standard_deviation",
    "se": "mean_error",
    "median": "median",
    "q1": "first_quartile",
    "q3": "third_quartile",
    "min": "lowest",
    "max": "highest",
}
"""The words of a statistic, and their metrics."""

_SAME = {
    "average": "mean",
    "count": "n",
    "iqr": "q1, q3",
    "p": "%",
    "p25": "q1",
    "p75": "q3",
    "percent": "%",
    "percentage": "%",
    "range": "min–max",
    "std": "sd",
}
"""Words for these, of other programs too."""

_ABBREVIATIONS = ("sd", "se", "q1", "q3")

PERCENTILES = {
    "median": 50.0,
    "first_quartile": 25.0,
    "third_quartile": 75.0,
    # No respondent weighs so little, nor so much, that the lowest and highest amounts are others.
    "lowest": 1e-7,
    "highest": 100 - 1e-7,
}
"""The percentiles among the metrics."""

_WORD = re.compile(r"%|[a-z]\w*")

N_AND_SHARE, MEAN_AND_SD = "n (%)", "mean (sd)"


def read_statistic(given: object) -> SummaryStatistic:
    """A statistic as it is typed, "median (q1, q3)"; raises `ValueError` for another."""
    typed = given if isinstance(given, str) else ""
    # gtsummary writes "{n} ({p}%)".
    plain = re.sub(r"\{(\w+)\}%?", r"\1", typed.casefold())
    text = _WORD.sub(lambda found: _SAME.get(found[0], found[0]), plain)
    text = re.sub(r"\s*\bto\b\s*", "–", text)
    words = _WORD.findall(text)
    unknown = next((word for word in words if word not in _METRICS), "")
    made = SummaryStatistic(_WORD.sub(lambda found: _shown(found[0]), text), _forms(text))
    if unknown or not words or ("%" in words and made.of_amounts):
        close = near(unknown, [*_METRICS, *_SAME]) if unknown else None
        hint = f" Did you mean {close!r}?" if close else ""
        raise ValueError(
            f"statistics={given!r} is not valid: a statistic is of answers, as 'n (%)', or of "
            f"amounts, as 'mean (sd)', of the words {', '.join(_METRICS)} and range.{hint} Write "
            'client.summary_table(statistics="median (q1, q3)").'
        )
    return made


def _shown(word: str) -> str:
    return word.upper() if word in _ABBREVIATIONS else word


def _forms(text: str) -> tuple[ValueForm, ...]:
    """The values of a statistic, with the signs between them at that which they belong to."""
    found = list(_WORD.finditer(text))
    made: list[ValueForm] = []
    before = text[: found[0].start()] if found else ""
    for place, word in enumerate(found):
        last = place + 1 == len(found)
        between = text[word.end() : None if last else found[place + 1].start()]
        # A bracket that opens belongs to what follows, a comma to what is before it.
        cut = len(between) if last else len(between) - len(between.lstrip(",;)]"))
        made.append(ValueForm(_METRICS.get(word[0], ""), before, between[:cut]))
        before = between[cut:]
    return tuple(made)


def written(forms: Sequence[ValueForm], values: Sequence[str]) -> str:
    """Values as they are written in a cell; "" of those that are left out."""
    parts = [
        f"{form.before}{value}{form.after}"
        for form, value in zip(forms, values, strict=True)
        if value
    ]
    return "".join(parts).strip()
