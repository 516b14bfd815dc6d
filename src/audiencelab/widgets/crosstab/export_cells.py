"""The cells of a crosstab that a file is written of, as they are shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from numpy.typing import NDArray

from audiencelab.analysis.marks import column_letters
from audiencelab.analysis.options import Versus
from audiencelab.results.arrangement import ArrangementOptions
from audiencelab.results.cells import FIGURES
from audiencelab.results.metrics import IN_TABLES, crosstab_name
from audiencelab.tables import Comparison, CrosstabResult
from audiencelab.tables.comparison import compared
from audiencelab.widgets.crosstab.formatting import ARROWS_AGAINST, Looks
from audiencelab.widgets.crosstab.marks import TableMarks, letter_levels
from audiencelab.widgets.crosstab.metrics import plane
from audiencelab.widgets.crosstab.protocol import ChartStyle

_DEFAULT_METRICS = ("column_percentage", "index")
"""The metrics of a workbook if none of the table's can be printed."""


@dataclass(frozen=True, slots=True, eq=False)
class ExportCells:
    """Cells to be written, transposed if the table is shown so.

    result: the cells as a table of its own.
    planes: the metrics of the cells in order, by their names in that table: float64[rows, columns],
        or str for letters; NaN where there is no value, or none is shown.
    letters: the letter of each column, "" for none; () where no letters are shown.
    looks: the settings of the grid: what is hidden, marked, tested and coloured.
    nets: ids of its rows and columns that are nets, which have no letters.
    beside: the table as it was before it was transposed, whose rows of statistics stay rows.
    marks: those of the cells on the screen; None where there are none.
    style: of a chart of them.
    """

    result: CrosstabResult
    planes: Mapping[str, NDArray[Any]]
    letters: tuple[str, ...] = ()
    looks: Looks = field(default_factory=lambda: Looks(significance="none"))
    nets: tuple[str, ...] = ()
    beside: CrosstabResult | None = None
    marks: TableMarks | None = None
    style: ChartStyle = field(default_factory=ChartStyle)

    @property
    def how(self) -> ArrangementOptions:
        """Which values are hidden and marked, and with how many decimals."""
        return self.looks.arrangement

    @property
    def hide_under(self) -> float:
        """The respondents in the denominator of a visible value."""
        return self.looks.hide_under

    @classmethod
    def of(cls, result: CrosstabResult, metrics: Sequence[str]) -> ExportCells:
        """A whole table with these metrics."""
        planes = {name: plane(result, name) for name in metrics}
        letters = column_letters(compared(result)) if "letters" in planes else ()
        looks = Looks(tuple(metrics) or Looks().metrics, significance="none")
        return cls(result, planes, tuple(letters), looks)

    @property
    def printed(self) -> tuple[str, ...]:
        """The metrics that a workbook and a web page can show."""
        # What is computed is of the table's own columns, so it is in no table with them as rows.
        known = IN_TABLES if self.beside is None else FIGURES
        return printed_metrics(tuple(name for name in self.planes if name in known))

    @property
    def comparison(self) -> Comparison | None:
        """The tests whose marks a file has; None where there are none, or rows were columns.

        Letters are those of these columns only.
        """
        if self.beside is not None:
            return None
        against = ARROWS_AGAINST.get(self.looks.significance)
        shown = against if "column_percentage" in self.printed else None
        return shown_tests(self.result, self.looks.level, self.nets, any(self.letters), shown)

    @property
    def statistics_of(self) -> CrosstabResult | None:
        """The table with rows of statistics, transposed or not; None where there are none."""
        whole = self.beside or self.result
        return None if whole.statistics is None else whole


def shown_tests(
    result: CrosstabResult, level: float, nets: Sequence[str], letters: bool, arrows: Versus | None
) -> Comparison | None:
    """The tests that a grid marks by letters or arrows; None without marks.

    arrows: what these compare each column with; None for no arrows.
    """
    try:
        if letters:
            return compared(result, nets=nets, levels=letter_levels(level))
        return compared(result, arrows, levels=level) if arrows else None
    except (ImportError, ValueError):  # No two of the columns can be compared.
        return None


def printed(
    result: CrosstabResult, looks: Looks, nets: Sequence[str], metrics: Sequence[str] | None
) -> dict[str, Any]:
    """What a file of a whole grid shows, as its cells do, in options of `CrosstabResult`.

    metrics: None for those of the cells; letters need the shares that were compared beside them.
    """
    chosen = printed_metrics(looks.metrics) if metrics is None else tuple(metrics)
    if looks.letters and metrics is None:
        chosen = tuple(dict.fromkeys((*chosen, "column_percentage")))
    shares = "column_percentage" in map(crosstab_name, chosen)
    arrows = ARROWS_AGAINST.get(looks.significance) if shares else None
    found = shown_tests(result, looks.level, nets, looks.letters and shares, arrows)
    return {"metrics": chosen, **looks.arrangement} | (
        {} if found is None else {"comparison": found}
    )


def printed_metrics(metrics: Sequence[str]) -> tuple[str, ...]:
    """The metrics of a grid that are in its frame, or defaults if there are none."""
    return tuple(name for name in metrics if name in IN_TABLES) or _DEFAULT_METRICS
