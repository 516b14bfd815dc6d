"""Questions compared with numbers and answers: `client["Age"] >= 50`, `.between`, `.bins`."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from itertools import pairwise
from math import inf
from typing import Any, cast

from audiencelab.analysis.boxes import no_top
from audiencelab.client.catalogue.bands import (
    BandAudiences,
    between_edges,
    bin_name,
    is_whole,
    rises,
)
from audiencelab.client.catalogue.numbers import as_asked, no_amounts
from audiencelab.client.catalogue.question_part import QuestionPart
from audiencelab.expressions import (
    Audience,
    Expression,
    Inclusive,
    Leaf,
    NumberRange,
    is_number,
    number_range,
)
from audiencelab.expressions.number_range import one_end
from audiencelab.schema.scales import keeps_numbers, scale_of


class Comparisons(QuestionPart):
    """Comparisons of a question: a mixin of `CatalogueQuestion`."""

    __slots__ = ()

    def between(
        self, low: str | float, high: str | float, inclusive: Inclusive = "both"
    ) -> Leaf | NumberRange:
        """Everyone from one number or answer to another; `inclusive` as in pandas.

        Where the survey keeps respondents' own numbers, numbers are compared with those; elsewhere
        with answers, which are points of a scale or begin and end there.

        Raises `UnknownCodeError` for an answer that is not there, `TypeError` for a question
        without numbers, `ValueError` for a number within an answer.

        >>> client["Age"].between(18, 34) == client["Age"].between("18 to 24", "25 to 34")
        True
        """
        if is_number(low) and is_number(high):
            return as_asked(self, number_range(self.code, low, high, inclusive))
        ends = (operator.ge if inclusive in ("both", "left") else operator.gt)(self, low)
        others = (operator.le if inclusive in ("both", "right") else operator.lt)(self, high)
        if isinstance(ends, NumberRange) or isinstance(others, NumberRange):
            raise TypeError(
                f"between({low!r}, {high!r}) is not valid: {self.name} has numbers of respondents, "
                "and its answers are bands of them. Give two numbers, or two answers."
            )
        # The answers of an item of a grid are points of its scale.
        above, below = (each.suffixes or each.datapoints for each in (others, ends))
        return self.any([code for code in above if code in below])

    def bins(self, edges: Iterable[float]) -> BandAudiences:
        """Audiences by numbers, each from one edge up to the next, the last one open.

        Exact where the survey keeps respondents' own numbers; elsewhere edges are those of answers.
        The first, below all edges, is left out where it is empty. A client asks for that, and
        whether all numbers are whole, for the names: "18 to 34", otherwise "18 to under 35".

        edges: rising. Raises `ValueError` for other edges and for one within an answer, `TypeError`
        for a question without numbers.

        >>> [each.name for each in client["Age"].bins([18, 35, 55])]
        ['Under 18', '18 to 34', '35 to 54', '55 and over']
        """
        listed = list(edges) if isinstance(cast(object, edges), Iterable) else []
        numbers = [float(each) for each in listed if is_number(each)]
        starts = [each for each in numbers if each not in (-inf, inf)]
        if not starts or len(numbers) < len(listed) or not rises(starts):
            raise ValueError(
                f"bins({edges!r}) is not valid: edges are a list of numbers, each above the one "
                f"before it. Write client[{self.code!r}].bins([18, 35, 55])."
            )
        limits = [-inf, *starts, inf]
        whole = self._has_whole_numbers()
        audiences: list[Audience] = []
        for (low, high), found in zip(pairwise(limits), between_edges(self, limits), strict=True):
            name = bin_name(low, high, whole=whole)
            if found is not None:
                audiences.append(Audience(name, found))
            elif low != -inf:
                raise ValueError(f"No answer of {self.code!r} ({self.name}) is in {name!r}.")
        has_lowest = len(audiences) > len(starts)
        # True is 1: the lowest bin is left out if it is empty.
        return BandAudiences(audiences[has_lowest and not self._has_anybody(audiences[0]) :])

    def __lt__(self, other: str | float) -> Leaf | NumberRange:
        return self._compare("below", other, operator.lt)

    def __le__(self, other: str | float) -> Leaf | NumberRange:
        return self._compare("max", other, operator.le)

    def __gt__(self, other: str | float) -> Leaf | NumberRange:
        return self._compare("above", other, operator.gt)

    def __ge__(self, other: str | float) -> Leaf | NumberRange:
        return self._compare("min", other, operator.ge)

    def _compare(
        self, end: str, other: object, compare: Callable[[float, float], bool]
    ) -> Leaf | NumberRange:
        """Everyone whose number, or whose answer's, compares so with a number or an answer."""
        if is_number(other):
            return as_asked(self, one_end(self.code, end, other))
        if not isinstance(other, str):
            raise TypeError(
                f"{self.name} is compared with a number or an answer; got {type(other).__name__}."
            )
        point, scale = self._datapoint(other), scale_of(self.record)
        rising = scale.rising or ()
        place = {code: at for at, code in enumerate(rising)}
        if self.record.kind in ("multiple", "grid") or not (rising or scale.is_worded):
            raise no_amounts(self)
        title = f"{self.code!r} ({self.name})"
        if not rising:
            names = [
                each.name or each.code for each in self.datapoints if each.code in scale.points
            ]
            raise no_top(title, names, scale, 2, self.code)
        if point.code not in place:
            raise ValueError(f"{point.name!r} is not a point of the scale of {title}.")
        codes = [code for at, code in enumerate(rising) if compare(at, place[point.code])]
        return self.any([each.code for each in self.datapoints if each.code in codes])

    def _has_whole_numbers(self) -> bool:
        return is_whole(self.datapoints)

    def _has_anybody(self, audience: Audience) -> bool:
        return True


def asked_whole(question: Any, client: Any) -> bool | None:
    """Whether all numbers that a survey keeps of a question are whole; None where not known."""
    if not keeps_numbers(question.record):
        return None
    # Of all respondents: a filter changes neither bins nor their names.
    whole = client.with_options(base_audience=None)
    result = whole.stats(question, waves="all", base_of="everyone")
    found = None if result.ask is None else result.ask.numbers(result.asked)
    return None if found is None else found.whole


def counts_anybody(expression: Expression, client: Any) -> bool:
    """Whether anybody is in an expression in any wave; True where the count is withheld."""
    whole = client.with_options(base_audience=None)
    table = whole.crosstab(Audience("Anybody", expression), waves="all", base_of="everyone")
    return bool(table.values("row_sample")[0, 0] != 0)
