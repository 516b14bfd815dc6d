"""Which statistic each question of a summary table has: `statistics=` of `Client.summary_table`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias, cast, get_args

from audiencelab.client.catalogue import Catalogue, CatalogueQuestion
from audiencelab.client.operations.tab_book_rules import Kind, kind_of
from audiencelab.lines import near
from audiencelab.results.summary_statistics import (
    MEAN_AND_SD,
    N_AND_SHARE,
    SummaryStatistic,
    read_statistic,
)
from audiencelab.schema.scales import keeps_numbers, scores_of

StatisticsLike: TypeAlias = "str | Mapping[str, str] | None"
"""One statistic, or one for each kind of question and for questions by name."""

_NUMERIC, _CATEGORICAL = "numeric", "categorical"

_SAME = {
    **dict.fromkeys(("all_continuous", "continuous", "number", "numbers"), _NUMERIC),
    **dict.fromkeys(("all_categorical", "categories", "answers"), _CATEGORICAL),
}
"""Words for these, of other programs too."""

_KINDS = (_NUMERIC, _CATEGORICAL, *(kind for kind in get_args(Kind) if kind != "number"))


class StatisticRules:
    """The statistics of all questions, read once.

    numbers: codes of the questions whose numbers the survey keeps. has_amounts: whether the service
    knows amounts of respondents. Raises `ValueError` and `TypeError` for what is not a rule.
    """

    def __init__(
        self,
        given: StatisticsLike,
        catalogue: Catalogue,
        numbers: frozenset[str],
        *,
        has_amounts: bool,
    ) -> None:
        self._numbers, self._has_amounts = numbers, has_amounts
        self._kinds: dict[str, SummaryStatistic] = {}
        self._questions: dict[str, SummaryStatistic] = {}
        if isinstance(given, str):
            made = read_statistic(given)
            self._kinds[_NUMERIC if made.of_amounts else _CATEGORICAL] = made
        elif isinstance(given, Mapping):
            for key, statistic in cast("Mapping[object, object]", given).items():
                self._add(key, statistic, catalogue)
        elif given is not None:
            raise TypeError(
                'statistics must be a str or a mapping, such as {"numeric": "median (q1, q3)"}; '
                f"got {type(given).__name__}."
            )

    def of(self, question: CatalogueQuestion) -> tuple[SummaryStatistic, Kind]:
        """The statistic of a question, and its kind.

        Numbers that respondents gave, scales from 0 to 10 and items with scores have a mean; other
        scales and bands of numbers have the shares of their answers.
        """
        kind = kind_of(question, self._numbers)
        if own := self._questions.get(question.canonical):
            return own, kind
        scored = kind == "grid" and bool(scores_of(question.record))
        own_numbers = question.code in self._numbers or keeps_numbers(question.record)
        is_numeric = kind == "nps" or scored or (kind == "number" and own_numbers)
        is_numeric = is_numeric and self._has_amounts
        group = _NUMERIC if is_numeric else _CATEGORICAL
        found = self._kinds.get(kind) or self._kinds.get(group)
        return found or read_statistic(MEAN_AND_SD if is_numeric else N_AND_SHARE), kind

    def _add(self, key: object, statistic: object, catalogue: Catalogue) -> None:
        made = read_statistic(statistic)
        if isinstance(key, CatalogueQuestion):
            self._questions[key.canonical] = made
            return
        if not isinstance(key, str):
            raise TypeError(
                f"statistics must have kinds or names of questions as keys; got {key!r}."
            )
        word = _SAME.get(key.casefold(), key.casefold())
        if word == _CATEGORICAL and made.of_amounts:
            raise ValueError(
                f"statistics={{{key!r}: …}} is not valid: answers that are not numbers have no "
                f'{made.words}. Write client.summary_table(statistics={{"scale": "{made.words}"}}).'
            )
        if word in _KINDS:
            self._kinds[word] = made
        elif key in catalogue:
            self._questions[catalogue[key].canonical] = made
        else:
            close = near(key, [*_KINDS, *(each.name for each in catalogue)])
            hint = f" Did you mean {close!r}?" if close else ""
            raise ValueError(
                f"statistics={{{key!r}: …}} is not valid: {key!r} is not a question, and not a "
                f"kind of question: {', '.join(_KINDS)}.{hint} Write "
                'client.summary_table(statistics={"numeric": "median (q1, q3)"}).'
            )
