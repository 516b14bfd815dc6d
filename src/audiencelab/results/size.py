"""How many people are in an audience."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import isnan
from typing import TYPE_CHECKING

from audiencelab.expressions import Audience
from audiencelab.results.crosstab import CrosstabData
from audiencelab.results.made import Made
from audiencelab.results.provenance import continued, weight_fact
from audiencelab.results.table_code import table_code
from audiencelab.wording import without_controls

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True, repr=False)
class AudienceSize:
    """The number of people in an audience, of those in its base.

    size: weighted count. sample: respondents, unweighted. percentage: of the weighted base.
    base_size, base_sample: those of the base.
    waves: which waves are counted. weight: which weight, where it has a name.
    survey_version: the version of the survey, where the service names it.
    sizes: what weighted counts over several waves are, "average of waves"; "" where there is one.
    made: how they were counted, for `to_code`.

    A value that the service does not report is NaN.
    """

    audience: Audience
    size: float
    sample: float
    percentage: float
    base_size: float
    base_sample: float
    waves: str
    weight: str = ""
    survey_version: str = ""
    sizes: str = ""
    made: Made = field(default=None, compare=False)

    def to_code(self) -> str:
        """Python that counts them again, given `client` and `audiencelab` as `al`.

        >>> client.size(client["Gender"] == "Female").to_code()
        "client.size(client['Gender'].isin(['Female']))"
        """
        return table_code(self)

    def __repr__(self) -> str:
        sample = "unknown" if isnan(self.sample) else f"{self.sample:,.0f}"
        known = {"weight": self.weight, "survey_version": self.survey_version}
        fact = continued(weight_fact(known))
        weight = f"; {fact}" if fact else ""
        share = f", {self.percentage:.1f}% of {self.base_size:,.0f}" if self.base_size else ""
        words = f"{self.sizes}, " if self.sizes else ""
        found = (
            "not reported by the service"
            if isnan(self.size)
            else f"{self.size:,.0f} people ({words}n = {sample}){share}"
        )
        return without_controls(f"{self.audience.name}: {found}; waves: {self.waves}{weight}")


def sizes_frame(table: CrosstabData) -> pd.DataFrame:
    """The same of every row of a crosstab without columns: `size`, `sample`, `percentage`."""
    from audiencelab.results.to_pandas import crosstab_wide

    metrics = {"size": "size", "sample": "sample", "percentage": "column_percentage"}
    frame = crosstab_wide(table, [*metrics.values()], labels=True, hide_under=0)
    return frame.set_axis(list(metrics), axis=1)
