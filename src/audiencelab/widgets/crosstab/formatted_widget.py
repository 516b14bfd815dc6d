"""A widget with a crosstab query and the display settings of its cells, which are traits."""

from __future__ import annotations

from audiencelab.hidden_members import hide_members
from audiencelab.widgets._deps import traitlets
from audiencelab.widgets.crosstab import formatting
from audiencelab.widgets.crosstab.formatting import LOOKS, Checked, Looks
from audiencelab.widgets.crosstab.query_widget import QueryWidget
from audiencelab.widgets.numbered import numbered


@hide_members("frame", "looks")
class FormattedWidget(QueryWidget):
    """A crosstab query whose table has display settings; `Crosstab` explains each of them."""

    transposed = traitlets.Bool(False).tag(sync=True)
    metrics = numbered(Checked(formatting.check_metrics, Looks().metrics))
    heat = Checked(formatting.check_heat, "index").tag(sync=True)
    bars = traitlets.Bool(False).tag(sync=True)
    decimals = Checked(formatting.check_decimals, None).tag(sync=True)
    units = Checked(formatting.check_units, "short").tag(sync=True)
    stars = Checked(formatting.check_stars, Looks().stars).tag(sync=True)
    hide_under = Checked(formatting.check_hide_under, 0).tag(sync=True)
    significance = Checked(formatting.check_significance, "arrows").tag(sync=True)
    level = Checked(formatting.check_level, 0.95).tag(sync=True)
    density = Checked(formatting.check_density, "auto").tag(sync=True)
    show_bases = Checked(formatting.check_show_bases, Looks().show_bases).tag(sync=True)

    @property
    def looks(self) -> Looks:
        """The formatting of the cells as one value."""
        return Looks(**{name: getattr(self, name) for name in LOOKS})

    @property
    def metric(self) -> str:
        """The first of `metrics`; setting it keeps the others."""
        return self.metrics[0]

    @metric.setter
    def metric(self, metric: str) -> None:
        self.metrics = formatting.with_first_metric(self.metrics, metric)
