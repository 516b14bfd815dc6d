"""How a sample was drawn, as far as it is known: what tests and intervals rest on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from audiencelab.markup import card, muted, table
from audiencelab.results.arrow import HasFrame
from audiencelab.results.made import Made
from audiencelab.wording import plural, without_controls

if TYPE_CHECKING:
    import pandas as pd

_CODE_FROM = 52
"""Where the code begins in a line."""


class DesignPart(NamedTuple):
    """A part of a design.

    what: "weight", "strata", "clusters", "fpc", "replicates" or "persons". column: of the file, ""
    where there is none or its name is not known. said: where it came from, with its figures.
    code: what changes it, as Python; "" where nothing does.
    """

    what: str
    column: str
    said: str
    code: str = ""


class DesignOfWave(NamedTuple):
    """The sample of a wave, of those who count.

    respondents: with a weight above 0. strata, clusters: in which they are; each respondent is a
    cluster where these are not known. effective_base: Kish's, by the weights alone.
    degrees_of_freedom: clusters less strata.
    """

    wave: str
    name: str
    respondents: int
    strata: int
    clusters: int
    effective_base: float
    degrees_of_freedom: int


@dataclass(frozen=True, slots=True, repr=False)
class DesignFacts(HasFrame):
    """How a sample was drawn.

    of: the survey, and the base if it is not everyone. parts: what is known.
    waves: the sample of each wave. respondents, effective_base: of all of them.
    degrees_of_freedom: of a share of all of them. method: where variances come from.
    made: how it was made, for `to_code`.
    """

    of: str
    parts: tuple[DesignPart, ...]
    waves: tuple[DesignOfWave, ...]
    respondents: int
    effective_base: float
    degrees_of_freedom: int
    method: str
    made: Made = "client.design"

    @property
    def weight(self) -> str:
        """The column of the weight; "" for none."""
        return self._column("weight")

    @property
    def strata(self) -> str:
        """The column of the strata; "" for none, or where its name is not known."""
        return self._column("strata")

    @property
    def clusters(self) -> str:
        """The column of the sampling units; "" for none, or where its name is not known."""
        return self._column("clusters")

    @property
    def fpc(self) -> str:
        """The column of how many units there are in the population; "" for none."""
        return self._column("fpc")

    def to_frame(self) -> pd.DataFrame:
        """A row for each wave, with the fields of `waves`.

        >>> client.design.to_frame()["respondents"].tolist()[-1]
        2000
        """
        import pandas as pd

        return pd.DataFrame(self.waves, columns=list(DesignOfWave._fields))

    def _column(self, what: str) -> str:
        return next(each.column for each in self.parts if each.what == what)

    @property
    def _heading(self) -> str:
        return (
            f"Sample of {self.of}: n = {self.respondents:,}, effective base "
            f"{self.effective_base:,.0f} by the weights, "
            f"{plural(self.degrees_of_freedom, 'degree')} of freedom"
        )

    def __repr__(self) -> str:
        lines = [self._heading]
        for each in self.parts:
            line = f"  {each.what:<11}{each.said}"
            lines.append(f"{line:<{_CODE_FROM}}  {each.code}".rstrip())
        return without_controls("\n".join([*lines, f"  {self.method}"]))

    def _repr_html_(self) -> str:
        rows = [[each.what.capitalize(), each.said, muted(each.code)] for each in self.parts]
        heading, _, facts = self._heading.partition(": ")
        listed = table(["", "", "To change it"], rows)
        return str(card(heading, listed, subtitle=f"{facts}. {self.method}"))
