"""Results as tables: what comes back from a query, with labels, both bases and its provenance.

A result keeps the figures as they arrived (columns, not objects) and turns into a pandas frame
on request; pandas is imported then, not before. Nothing here sends a request or draws.

Rooms: `stats`, `grid`, `crosstab`, `calculation` and `insights` the results, `denominators` which
figure is undefined and why, `counts` which are whole numbers, `tables` the pandas frames, `arrow`
the same as streams, `markup` static HTML by block, `html` the results as short tables for
notebooks, `heads` what stands over rows and columns, `slips` what is typed at a result as if it
were its frame. `saved` is what a notebook keeps of a crosstab (its figures as `planes`, the ends of
its colours in `heat`), `sharing` what several tables hold once. `drawable` and `formulas` know what
a picture and a spreadsheet do not take in a label. `beside` puts crosstabs of the same rows side
by side. `tabulation` is a result laid out for print (made in `tabulating` and `spreading`, its
source told in `sourcing`), of which `workbook` makes Excel files and `printing` whole pages;
`exporting` has the methods. `coverage` tells which waves asked what, `overlap` who is in which of
several audiences, `profile` what is peculiar to one (made in `profiling`). `derived` holds nets and
averages (methods in `deriving`), `rebase` bases by name, `significance` which differences hold
(methods in `differences`).
"""

from audiencelab.frames.beside import side_by_side
from audiencelab.frames.calculation import ChartCalculationResult
from audiencelab.frames.coverage import Coverage
from audiencelab.frames.crosstab import FIGURES, CrosstabResult
from audiencelab.frames.grid import GridResult
from audiencelab.frames.insights import InsightsPage
from audiencelab.frames.overlap import OverlapResult
from audiencelab.frames.profile import ProfileResult
from audiencelab.frames.rebase import answered, asked
from audiencelab.frames.stats import Provenance, StatsLabels, StatsResult

__all__ = [
    "FIGURES",
    "ChartCalculationResult",
    "Coverage",
    "CrosstabResult",
    "GridResult",
    "InsightsPage",
    "OverlapResult",
    "ProfileResult",
    "Provenance",
    "StatsLabels",
    "StatsResult",
    "answered",
    "asked",
    "side_by_side",
]
