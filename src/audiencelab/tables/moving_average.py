"""The public result of a moving average."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Unpack

from audiencelab.analysis.compare_windows import USUAL, Earlier, WindowTestOptions, compare_windows
from audiencelab.analysis.moving_averages import MovingAverageData, windows_wide
from audiencelab.keywords import keywords
from audiencelab.results.table_code import note_call
from audiencelab.tables.base import Exporting
from audiencelab.tables.charting import ResultCharts
from audiencelab.tables.comparison import Comparison, public
from audiencelab.wording import plural, without_controls

if TYPE_CHECKING:
    import pandas as pd

    from audiencelab.markup import Card


class MovingAverage(MovingAverageData, Exporting):
    """Audience percentages over each wave and those before it: of windows of several waves.

    `StatsResult.moving_average` makes it and documents the percentages; `MovingAverageData` the
    fields. Files, pages and texts have a column for each window, named by its waves, with the
    percentage and its change since the window before.
    """

    __slots__ = ()

    @property
    def chart(self) -> ResultCharts:
        """The result as a chart: `.trend()`, with the interval of each window as a band.

        Charts combine with `|` and `&`.
        """
        return ResultCharts(self, ("trend",))

    def to_frame(self) -> pd.DataFrame:
        """A long frame, one line for each row of the result by waves.

        `segment` is the last wave of the window. `column_percentage` has its standard error
        (`…_se`), the ends of its interval (`…_low`, `…_high`) and degrees of freedom. `change` is
        what it has changed by since the window that ends a wave earlier, in points, with standard
        error and p-value. `size` and `column_size` are averages over waves, `sample` and
        `column_sample` sums; `waves_counted` are the waves that asked. `note` says why a window has
        no figures. `attrs` hold provenance and method note.

        >>> windows = client.stats("Gender", splitter="waves").moving_average(4)
        >>> windows.to_frame()["column_percentage"].round(1).tolist()[3]
        48.1
        """
        return self.frame.copy()

    def to_wide(
        self, metric: str | Sequence[str] = "column", *, labels: bool = True
    ) -> pd.DataFrame:
        """A table of one metric or several: answers down, windows (and audiences) across.

        metric: "column" (%), "change" (points), "size", "sample", or another column of numbers of
            `to_frame`; several are a last level `metric`.
        labels: names (True) or codes, of a window that of its last wave (False).

        Raises `ValueError` for other metrics.

        >>> client.stats("Gender", splitter="waves").moving_average(4).to_wide().columns[-1]
        'Q1–Q4 2025'
        """
        return windows_wide(self, metric, labels=labels)

    def __getitem__(self, name: str) -> Any:
        """A column of `to_frame()`, or the wide table of a metric: `windows["column"]`.

        >>> windows = client.stats("Gender", splitter="waves").moving_average(4)
        >>> windows["column"].shape, windows["column_percentage"].shape
        ((3, 9), (36,))
        """
        return self.frame[name].copy() if name in self.frame else self.to_wide(name)

    def _ipython_key_completions_(self) -> list[str]:
        return ["column", *map(str, self.frame)]

    @keywords(WindowTestOptions, USUAL, note=note_call)
    def test(
        self, vs: Earlier = "previous wave", **options: Unpack[WindowTestOptions]
    ) -> Comparison:
        """Test each window against an earlier one: which changes are significant?

        vs: "previous wave" compares each window with the one that ends a wave earlier: both have
            all waves but one in common, and the test is of the wave that came and the one that
            left. "previous window" compares it with the last one that shares no wave, such as a
            year with the year before.
        options: `levels`, `correction`, `family` (a "row" is a trend), `degrees_of_freedom`,
            `min_base` and `zero_or_full`, as `TestOptions` documents them. across_breaks: also test
            windows between which the question changed.

        Respondents of waves that both windows have are accounted for, by the sample's design as far
        as it is known. Raises `ValueError` for options that are not valid.

        >>> windows = client.stats("Finding brands", splitter="waves").moving_average(4)
        >>> windows.test(vs="previous window").to_wide().T["Search engines"].tolist()[-2:]
        ['37.6', '37.2']
        """
        return public(replace(compare_windows(self, vs, options), source=self))

    def __repr__(self) -> str:
        audiences = self.table.audiences
        parts = [plural(len(self.table.datapoints), "datapoint")]
        parts.append(f"{plural(len(self.windows), 'window')} of {self.waves} waves")
        parts += [plural(len(audiences), "audience")] if audiences else []
        shape = " × ".join(parts)
        return without_controls(f"<{type(self).__name__} {self.table.question}: {shape}>")

    def _card(self) -> Card:
        from audiencelab.render.html import layout_card

        return layout_card(self._table_layout())
