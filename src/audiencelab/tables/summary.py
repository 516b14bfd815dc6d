"""The public summary table: the first table of a paper."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from audiencelab.render.html import layout_card
from audiencelab.render.room import NOTEBOOK
from audiencelab.render.summary import summary_frame, summary_layout, summary_wide
from audiencelab.results.arrangement import AS_IT_IS
from audiencelab.results.coverage import questions_of
from audiencelab.results.summary import SummaryData
from audiencelab.tables.base import USUAL, Exporting, LayoutOptions

if TYPE_CHECKING:
    import pandas as pd

    from audiencelab.markup import Card
    from audiencelab.render.table_layout import TableLayout


class SummaryTable(SummaryData, Exporting):
    """Many questions by groups of respondents, with tests: what a paper prints as its Table 1.

    Made by `client.summary_table`. In a notebook it shows the whole table; `save`, `to_excel`,
    `to_html`, `to_markdown`, `to_latex` and `to_pptx` write it. A workbook holds the numbers.
    """

    __slots__ = ()

    def to_frame(self) -> pd.DataFrame:
        """A line for each row and each group: unrounded numbers, and the text of the cell.

        `n` respondents with the answer, or with an amount; `percentage` (weighted, 0 to 100),
        `mean`, `standard_deviation`, and others that were asked for; `base`: the respondents that
        these rest on; `p`, `test`, its statistic and degrees of freedom, those of the whole
        question where answers are tested together; `note` says why there is no p.

        >>> table = client.summary_table(["Gender", "Age"], "Gender", waves="latest 1")
        >>> table.to_frame()[["question_label", "group", "n"]].iloc[0].tolist()
        ['Gender', 'Overall', np.int64(931)]
        """
        return summary_frame(self, self._arranged())

    def to_wide(self) -> pd.DataFrame:
        """The table as it is printed: a column of texts for each group, and p.

        >>> client.summary_table("Age", "Gender", waves="latest 1").to_wide().shape
        (8, 5)
        """
        return summary_wide(self, self._arranged())

    def _as_it_is(self) -> Self:
        return self

    def _with_p(self, *_: object, **__: object) -> Self:
        return self._if(bool(self.families), "without a column of p values")

    def _with_overall(self, *_: object, **__: object) -> Self:
        return self._if(self.overall, "without a column of everyone")

    def _if(self, has_it: bool, made: str) -> Self:
        """The table, where it has what is asked for; else a `ValueError` with the call."""
        if has_it:
            return self
        questions = list(dict.fromkeys(row.code for row in self.rows))
        groups = [code for each in self.columns.columns for code in questions_of(each)]
        by = groups[0] if groups else questions.pop(0)
        about = f"{questions!r}, " if questions else ""
        raise ValueError(
            f"This table was made {made}. Write client.summary_table({about}by={by!r})."
        )

    def _arranged(self) -> TableLayout:
        return self._laid_out(LayoutOptions())

    def _laid_out(self, options: LayoutOptions) -> TableLayout:
        # What a call does not say is as the table was asked for.
        own: Any = {
            name: getattr(self.how, name)
            for name, usual in AS_IT_IS.items()
            if options.get(name, usual) == usual
        }
        given: Any = {**USUAL, **options, **own}
        return super()._laid_out(given)

    def _table_layout(self, **options: Any) -> TableLayout:
        if given := next((name for name, each in options.items() if each), ""):
            raise ValueError(
                f"{given} is not an option of a summary table, which shows what it was asked for. "
                'Write client.summary_table(by="Gender", statistics="median (q1, q3)").'
            )
        return summary_layout(self)

    def _card(self) -> Card:
        return layout_card(self._arranged(), NOTEBOOK)
