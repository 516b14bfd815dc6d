"""The summary table of a client: the first table of a paper."""

from __future__ import annotations

from typing import Any, Unpack, cast

from msgspec import UNSET

from audiencelab.client.audiences import AxisLike
from audiencelab.client.one_version import of_one_version
from audiencelab.client.operations.profile import QuestionsLike
from audiencelab.client.operations.summary import fetch_summary
from audiencelab.client.operations.summary_rules import StatisticsLike
from audiencelab.client.scope import ScopeArguments
from audiencelab.client.sending import Sender
from audiencelab.client.streams import Progress
from audiencelab.flags import flag
from audiencelab.keywords import keywords
from audiencelab.results.arrangement import AS_IT_IS, ArrangementOptions, TableArrangement
from audiencelab.tables import SummaryTable


class SummaryArguments(ScopeArguments, ArrangementOptions, total=False):
    """Whom a summary table counts, and how it is arranged."""


_USUAL: dict[str, object] = {
    **dict.fromkeys(ScopeArguments.__annotations__),
    "weight": UNSET,
    **AS_IT_IS,
}


class Summaries:
    """The summary table of a client."""

    _sender: Sender

    @keywords(SummaryArguments, _USUAL)
    @of_one_version
    def summary_table(
        self,
        questions: QuestionsLike = None,
        by: AxisLike | None = None,
        *,
        include: QuestionsLike = None,
        statistics: StatisticsLike = None,
        tests: bool = True,
        overall: bool = True,
        missing: bool = True,
        progress: Progress = None,
        **given: Unpack[SummaryArguments],
    ) -> SummaryTable:
        """Many questions by groups, with mean (SD) or n (%) and tests: the "Table 1" of a paper.

        questions, include: codes or names, or a part of the catalogue; by default all questions.
        by: the groups, as the columns of a crosstab: "Gender", "Gender > Age", or several, each
            tested by itself. None for everyone alone.
        statistics: what each row shows. Numbers, scales from 0 to 10 and items with scores have
            "mean (sd)", all others "n (%)". One for all numbers, "median (q1, q3)", or by kinds and
            questions: `{"numeric": "mean (sd), range", "scale": "mean (sd)", "Age": "median"}`.
            Words are mean, sd, se, median, q1, q3, min, max and range; n and %.
        tests: whether there is a column p: of answers by Rao and Scott's test, of means by a t
            test, or an F test for more than two groups; of several answers one for each answer.
        overall, missing: whether everyone has a column, and whether those who were not asked, or
            did not answer, have rows, where there are any.
        base_audience, waves, locations, weight: as for `crosstab`.
        sort, hide_under, decimals, rename, stars, top: as for `to_excel`, whose calls may say
            otherwise.

        n counts respondents, unweighted; shares, means and percentiles are weighted. Standard
        errors and tests are those of the sample's design, and the notes say which. Raises
        `ValueError` for a statistic that a question cannot have, and the errors of `crosstab`.

        >>> table = client.summary_table(["Age", "Education"], by="Gender", waves="latest 1")
        >>> table.to_wide().columns.tolist()[-2:]
        ['Non-binary or another identity', 'p']
        """
        if questions is not None and include is not None:
            raise TypeError(
                "summary_table takes questions or include=, which mean the same. Leave one out."
            )
        # gtsummary has words here.
        shown = {"no": False, "ifany": True}.get(cast(str, missing), missing)
        options: dict[str, Any] = {**given}
        how = {name: options.pop(name) for name in AS_IT_IS}
        return fetch_summary(
            self._sender,
            include if questions is None else questions,
            by,
            statistics,
            ScopeArguments(**options),
            TableArrangement(**how),
            tests=flag("tests", tests),
            overall=flag("overall", overall),
            missing=flag("missing", shown),
            progress=progress,
        )
