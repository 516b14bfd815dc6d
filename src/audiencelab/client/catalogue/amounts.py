"""Statistics of a question's amounts as rows of a crosstab: which amounts its answers have."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import replace
from numbers import Real
from typing import Any, cast

from audiencelab.client.catalogue.labels import find_by_code_or_name
from audiencelab.client.catalogue.proposed_amounts import (
    off_the_scale,
    proposed_amounts,
    with_amounts,
    without_scores,
)
from audiencelab.client.catalogue.question_part import OneOrEach, QuestionPart
from audiencelab.client.errors import UnknownCodeError
from audiencelab.expressions import Audience, one_by_one
from audiencelab.flags import flag
from audiencelab.results.statistic_rows import PARTS_OF_NPS, Statistic
from audiencelab.schema import Datapoint, Suffix
from audiencelab.schema.scales import direction_of, keeps_numbers, scale_of, scores_of

_PROMOTERS, _MOST = 9, 10
"""Where promoters begin on the scale from 0 to 10, and its end."""

_DIRECTED = ("mean", "percentile")
"""The statistics that are amounts of the scale themselves, whose names say its direction."""


class AmountRows(QuestionPart):
    """The statistics of a question's amounts: a mixin of `CatalogueQuestion`."""

    __slots__ = ()

    def mean(
        self, *items: str | Iterable[str], amounts: Mapping[str, float] | None = None
    ) -> OneOrEach:
        """The mean of the question's amounts, as a row of a crosstab.

        Amounts are the numbers that respondents gave, if the survey has them, otherwise the
        midpoints of its answers in the catalogue. Respondents without one are left out.
        Errors are those of the sample's design, as svymean of R computes them. Where answers are
        words, the name of the row says what the amounts run from and to.

        items: of a grid, whose scale has the amounts: one row for each item, by default all.
        amounts: those of the answers, or of the points of a grid's scale, by name or code,
            instead of the survey's.

        Raises `TypeError` for a question with several answers, and `ValueError` for a grid whose
        scale has no amounts. Needs a survey in this process or served by audiencelab.

        >>> table = client.crosstab(["Gender", client["Age"].mean()], "Gender", waves="latest 1")
        >>> table["mean"].round(1).iloc[0].tolist()
        [45.0, 44.9, 36.3]
        """
        return self._statistics(items, "mean", "mean", "mean", amounts)

    def median(
        self, *items: str | Iterable[str], amounts: Mapping[str, float] | None = None
    ) -> OneOrEach:
        """The median of the question's amounts, as a row of a crosstab; see `mean`.

        >>> client["Age"].median()
        <Statistic Age: median = 39.50>
        """
        return self._statistics(items, "percentile", "median", "median", amounts)

    def percentile(
        self,
        percent: float,
        *items: str | Iterable[str],
        amounts: Mapping[str, float] | None = None,
    ) -> OneOrEach:
        """The amount that `percent` of the people are at or below, as a row; see `mean`.

        Between two amounts, if exactly so many are. Its error is Woodruff's, as svyquantile of R
        computes it.

        >>> client["Age"].percentile(90)
        <Statistic Age: 90th percentile = 71.00>
        """
        words = f"{_percentile_words(percent)} percentile"
        return self._statistics(items, "percentile", words, "percentile", amounts, percent)

    def sum(
        self, *items: str | Iterable[str], amounts: Mapping[str, float] | None = None
    ) -> OneOrEach:
        """The weighted sum of the question's amounts, on average over the waves; see `mean`.

        >>> client["Children at home"].sum()
        <Statistic Children at home: sum = 263,805,979 (average of waves; 1,055,223,915 in all)>
        """
        return self._statistics(items, "sum", "sum", "sum", amounts)

    def standard_deviation(
        self, *items: str | Iterable[str], amounts: Mapping[str, float] | None = None
    ) -> OneOrEach:
        """How far people's amounts are from their mean; see `Client.standard_deviation`.

        >>> client["Age"].standard_deviation()
        <Statistic Age: standard deviation = 17.09>
        """
        words = "standard deviation"
        return self._statistics(items, words, words, "standard_deviation", amounts)

    def nps(
        self,
        *items: str | Iterable[str],
        amounts: Mapping[str, float] | None = None,
        parts: bool = False,
    ) -> OneOrEach:
        """The net promoter score of a scale from 0 to 10, as a row of a crosstab; see `mean`.

        The percentage of amounts from 9 up (promoters) less that of amounts up to 6 (detractors),
        of the respondents who have an amount. parts: rows of promoters, passives and detractors of
        the same respondents before each score.

        Raises `ValueError` for amounts that are not on such a scale.

        >>> client["The year ahead"].nps(amounts={"Much better": 10, "Much worse": 0})
        <Statistic The year ahead: NPS = 47.5>
        """
        rows = self._statistics(items, "nps", "NPS", "nps", amounts)
        if not flag("parts", parts):
            return rows
        scores = rows if isinstance(rows, tuple) else (rows,)
        return tuple(part for score in scores for part in _with_parts(score))

    def _statistics(
        self,
        items: tuple[str | Iterable[str], ...],
        kind: str,
        words: str,
        method: str,
        amounts: Mapping[str, float] | None,
        percent: float = 50.0,
    ) -> Statistic | tuple[Statistic, ...]:
        if self.item_of is not None and self.item_of.suffixes:
            grid, item = self.item_of, self.record.code
            return grid._statistics((item,), kind, words, method, amounts, percent)
        given = [f"{percent:g}"] if method == "percentile" else []
        given += [] if amounts is None else [f"amounts={dict(amounts)!r}"]
        found = [self._datapoint(each) for each in one_by_one(items)]
        call = f"{method}({', '.join(given)})"
        return _statistic_rows(self, found, kind, words, call, amounts, percent)


_NAMED = ("mean", "median", "sum", "standard deviation", "nps", "nps parts")
_PERCENTILE = re.compile(r"p(\d{1,2}(?:\.\d+)?)")


def statistic_word(given: str) -> str:
    """The word of a statistic, "standard deviation" or "p90" among them; "" for another."""
    word = given.strip().casefold().replace("_", " ")
    return word if word in _NAMED or _PERCENTILE.fullmatch(word) else ""


def rows_by_word(
    question: AmountRows, word: str, items: Sequence[str] = (), numbers: Container[str] = ()
) -> tuple[Statistic, ...]:
    """The rows of a statistic by its word, of a grid for each item; raises as its method.

    numbers: codes of questions whose numbers the survey keeps.
    """
    if found := _PERCENTILE.fullmatch(word):
        rows: OneOrEach = question.percentile(float(found[1]), *items)
    elif word == "nps parts":
        rows = question.nps(*items, parts=True)
    else:
        rows = getattr(question, word.replace(" ", "_"))(*items)
    if not (question.suffixes or scores_of(question.record) or question.code in numbers):
        said = f"The answers of {question.code!r} ({question.name}) have no amounts."
        if not (amounts := proposed_amounts(question)):
            raise ValueError(f"{said} Write client.proportion({question.code!r}).")
        raise ValueError(
            f"{said} In a survey of your own write client.edit({question.code!r}, "
            f"scores={amounts})."
        )
    return cast("tuple[Statistic, ...]", rows) if isinstance(rows, tuple) else (rows,)


def statistic_rows(
    question: AmountRows, statistic: str, numbers: Container[str] = ()
) -> tuple[Statistic, ...]:
    """The same, and none for a question without amounts; `ValueError` for another word."""
    word = statistic_word(statistic)
    if not word:
        raise ValueError(
            f"statistics must be {', '.join(map(repr, _NAMED))} or a percentile such as 'p90'; "
            f"got {statistic!r}."
        )
    if question.record.kind == "multiple":
        return ()
    try:
        return rows_by_word(question, word, (), numbers)
    except ValueError:
        return ()  # A net promoter score needs a scale from 0 to 10, a grid amounts.


def counts_people(question: AmountRows) -> bool:
    """Whether a total of the question is of people by its answers, which are not numbers."""
    record = question.record
    if record.kind == "multiple":
        return True
    if record.suffixes or keeps_numbers(record):
        return False
    scores = scores_of(record)
    names = {each.code: each.name for each in question.datapoints}
    are_words = any(names[code] != f"{score:g}" for code, score in scores.items())
    return not scores or (scale_of(record).is_worded and are_words)


def people(audience: Audience, code: str) -> Statistic:
    """The row of the weighted number of people in an audience; code: after the client."""
    name = f"{audience.name}: people"
    return Statistic("sum", "", name, code, exact=False, audience=audience.expression)


def paired(kind: str, first: Statistic, second: Statistic, code: str) -> Statistic:
    """The row of a correlation or a ratio of two means' amounts; code: after the client."""
    between = " ÷ " if kind == "ratio" else " and "
    name = f"{between.join(map(amount_name, (first, second)))}: {kind}"
    without = () if first.without == second.without else second.without
    return replace(
        first,
        kind=kind,
        name=name,
        code=code,
        direction="",
        without=(*first.without, *without),
        other=second,
    )


def amount_name(row: Statistic) -> str:
    """The name of a question, or of an item of a grid, whose amounts a mean is of."""
    return row.short_name.removesuffix(": mean")


def numbered_questions(service: Any) -> frozenset[str]:
    """The questions whose numbers the survey of an embedded service keeps; none elsewhere."""
    survey = getattr(service, "survey", None)
    return frozenset(() if survey is None else survey.numbered)


def _statistic_rows(
    question: AmountRows,
    items: Sequence[Datapoint],
    kind: str,
    words: str,
    call: str,
    amounts: Mapping[str, float] | None = None,
    percentile: float = 50.0,
) -> Statistic | tuple[Statistic, ...]:
    """One row; of a grid one for each item, or a single one for a single item that was given.

    items: those that were given; none means all.
    words: the statistic in the name of the row. call: the code of the method's call.
    """
    title = f"{question.code!r} ({question.name})"
    if question.record.kind == "multiple":
        raise TypeError(
            f"{title} takes several answers, and a respondent has one amount. Name a question of "
            "one answer, count answers with count_groups, or show how many gave each. "
            f"Write client.proportion({question.code!r})."
        )
    scale = question.suffixes or question.datapoints
    known = scores_of(question.record) if amounts is None else _given(title, scale, amounts)
    # Amounts below 9 alone have no promoters: they are of a shorter scale.
    if kind == "nps" and not (
        known and min(known.values()) >= 0 and _PROMOTERS <= max(known.values()) <= _MOST
    ):
        raise off_the_scale(question, title, has_mean=bool(known))
    if not known and not question.suffixes and scale_of(question.record).is_worded:
        raise without_scores(question, title, call)
    exact, pairs = amounts is None, tuple(known.items())
    direction = _direction(question, known) if kind in _DIRECTED else ""
    words += f" ({direction})" if direction else ""
    without = tuple(each.name or each.code for each in scale if each.code not in known)
    code = f"[{question.code!r}].{call}"
    if not question.suffixes:
        if items:
            raise TypeError(f"{title} has no items to choose among.")
        name = f"{question.name}: {words}"
        return Statistic(
            kind, question.code, name, code, "", pairs, exact, percentile, direction, without
        )
    if not known:
        said = f"The points of the scale of {title} have no amounts in the catalogue."
        if scores := proposed_amounts(question):
            raise ValueError(
                f"{said} Write client{code.replace(call, with_amounts(call, scores))}."
            )
        raise ValueError(f"{said} Write client.proportion({question.code!r}).")
    rows = tuple(
        Statistic(
            kind,
            question.code,
            f"{item.name or item.code}: {words}",
            f"[{question.code!r}].{_with_item(call, item.code)}",
            item.code,
            pairs,
            exact,
            percentile,
            direction,
            without,
        )
        for item in items or question.datapoints
    )
    return rows[0] if len(items) == 1 else rows


def _with_parts(score: Statistic) -> tuple[Statistic, ...]:
    """The parts of a net promoter score, and the score."""
    call, about = score.code.removesuffix(")"), score.name.removesuffix("NPS")
    call += "parts=True)" if call.endswith("(") else ", parts=True)"
    parts = [
        replace(score, kind=kind, name=f"{about}{kind} %", code=f"{call}[{at}]")
        for at, kind in enumerate(PARTS_OF_NPS)
    ]
    return (*parts, score)


def _direction(question: AmountRows, amounts: Mapping[str, float]) -> str:
    """What amounts run from and to; "" for plain numbers."""
    scale = question.suffixes or question.datapoints
    names = {each.code: each.name or each.code for each in scale}
    return direction_of(scale_of(question.record), names, amounts)


def _percentile_words(percent: float) -> str:
    """An ordinal: "90th"; raises `ValueError` for what is not between 0 and 100."""
    if not 0 < (_as_number(percent) or 0) < 100:
        raise ValueError(f"percent must be a number between 0 and 100; got {percent!r}.")
    written = f"{percent:g}"
    endings = {"1": "st", "2": "nd", "3": "rd"}
    teens = "." in written or written in ("11", "12", "13")
    return written + ("th" if teens else endings.get(written[-1], "th"))


def _as_number(given: Any) -> float | None:
    """A real number of any type; None for anything else."""
    if isinstance(given, bool) or not isinstance(given, Real):
        return None
    return float(given)


def _with_item(call: str, item: str) -> str:
    name, _, rest = call.partition("(")
    return f"{name}({item!r}{'' if rest == ')' else ', '}{rest}"


def _given(
    title: str, answers: Sequence[Datapoint] | Sequence[Suffix], amounts: Mapping[str, float]
) -> dict[str, float]:
    found: dict[str, float] = {}
    for key, amount in amounts.items():
        answer = find_by_code_or_name(key, answers)
        if answer is None:
            listed = ", ".join(f"{each.code!r} ({each.name})" for each in answers)
            raise UnknownCodeError(f"{title} has no answer {key!r}. It has {listed}.", [key])
        number = _as_number(amount)
        if number is None:
            raise TypeError(f"The amount of {key!r} must be a number; got {amount!r}.")
        found[answer.code] = number
    return found
