"""The profile of an audience: itself against every answer of a catalogue, one line for each.

It is a crosstab of answers by one audience, filling as its cells arrive, with the question and
the answer of every row beside it. Frames and rankings are made in `profiling`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

from audiencelab.expressions import Audience
from audiencelab.results.arrow import HasFrame
from audiencelab.results.crosstab import CrosstabResult
from audiencelab.results.stats import Provenance
from audiencelab.wording import harmless, plural

if TYPE_CHECKING:
    import pandas as pd

    from audiencelab.analysis.significance import Correction, DesignEffect

__all__ = ["Direction", "ProfilePoint", "ProfileResult", "Ranking"]

Ranking = Literal["index", "difference", "surprise"]
Direction = Literal["both", "over", "under"]


class ProfilePoint(NamedTuple):
    """One answer of one question, by code and by name.

    own: whether the audience itself is defined by the question, and so differs in it anyway.
    """

    question: str
    question_label: str
    datapoint: str
    datapoint_label: str
    own: bool = False


@dataclass(slots=True, repr=False, eq=False)
class ProfileResult(HasFrame):
    """An audience against the answers of many questions.

    points: the answers, in the order of the catalogue. table: a crosstab with a row for each of
        them and the audience as its column. Both are empty until the catalogue is there.
    """

    points: tuple[ProfilePoint, ...]
    table: CrosstabResult

    def begin(self, points: Sequence[ProfilePoint], table: CrosstabResult) -> None:
        """Take the answers to be filled in; raises `ValueError` unless each has its row."""
        if len(points) != len(table.rows):
            raise ValueError(f"{len(points)} answers need as many rows, not {len(table.rows)}.")
        self.points, self.table = tuple(points), table

    @property
    def audience(self) -> Audience:
        """Whose profile it is."""
        return self.table.columns[0]

    @property
    def base_audience(self) -> Audience | None:
        """Whom the audience is compared with; None is everyone."""
        return self.table.base_audience

    @property
    def provenance(self) -> Provenance:
        """Service, survey or address, waves and locations asked for, time."""
        return self.table.provenance

    @property
    def expected(self) -> int:
        """How many answers make the profile complete; 0 until the catalogue is there."""
        return self.table.expected

    @property
    def count(self) -> int:
        """How many answers have arrived."""
        return self.table.count

    @property
    def complete(self) -> bool:
        """Whether every answer has arrived."""
        return bool(self.points) and self.table.complete

    def __len__(self) -> int:
        return self.count

    def to_frame(self) -> pd.DataFrame:
        """One line for each answer that has arrived, in the order of the catalogue.

        `audience_percentage` is the share of the audience that gave the answer and
        `base_percentage` that of the base, both from 0 to 100; `difference` is the first less the
        second, in points, and an `index` of 100 is the base. `size` and `sample` are people and
        respondents of the audience who gave it; `audience_…`, `datapoint_…` and `base_…` are
        those of the whole audience, of everyone in the base who gave it, and of the base, in the
        waves that the line rests on. A figure without a denominator is NaN, and `note` says why.
        `attrs` hold the provenance.
        """
        from audiencelab.analysis.profile import profile_frame

        return profile_frame(self)

    def ranked(
        self,
        by: Ranking = "index",
        limit: int = 20,
        *,
        side: Direction = "both",
        min_sample: float = 30,
        min_base: float = 30,
        own: bool = False,
    ) -> pd.DataFrame:
        """The answers in which the audience is furthest from its base, the furthest first.

        by: "index", how far it is from 100; "difference", how many points the two percentages lie
            apart; or "surprise", how many standard errors the audience is from the rest of the
            base (column `z`), which favours neither rare answers nor common
            ones.
        limit: how many lines to give. side: answers that the audience is "over" in, "under" in,
            or "both".
        min_sample: answers that fewer respondents of the base gave are left out.
        min_base: so are answers with fewer respondents in the audience.
        own: whether to keep the questions that the audience is defined by.

        The lines of `to_frame()`, numbered from 1 by `rank`; answers of equal rank are in the
        order of their codes. `attrs["recipe"]` says what was left out. Raises `ValueError` for
        what cannot be chosen, and `ImportError` without scipy for "surprise".
        """
        from audiencelab.analysis.profile import ranked

        kept = self.to_crosstab(min_sample=min_sample, min_base=min_base, own=own)
        return ranked(
            self, kept, by, limit, side, min_sample=min_sample, min_base=min_base, own=own
        )

    def standouts(
        self,
        limit: int = 20,
        correction: Correction = "fdr",
        *,
        level: float = 0.95,
        design_effect: DesignEffect | None = None,
        min_sample: float = 30,
        min_base: float = 30,
    ) -> pd.DataFrame:
        """The answers that differ significantly from everyone else in the base.

        Every answer is tested, and all tests are one family: with "fdr", at most 1 - level of
        what is listed is expected to be chance. Questions that the audience is defined by are
        left out. See `CrosstabResult.standouts` for the ranking, the columns, the arguments and
        what is raised; here each line has the codes and names of its question and its answer.
        `to_crosstab` with the same min_sample and min_base is the table that design effects of the
        survey are to be computed of.
        """
        from audiencelab.analysis.profile import standouts

        kept = self.to_crosstab(min_sample=min_sample, min_base=min_base)
        found = kept.standouts(
            limit, correction, level=level, design_effect=design_effect, min_base=min_base
        )
        return standouts(self, found)

    def by_question(self, *, own: bool = False) -> pd.DataFrame:
        """How far the audience is from its base in each question, the furthest question first.

        One line for each question: its `answers`, the `largest_difference` of them in points with
        the answer that it is of, and `mean_difference`, the average size of the differences.
        Questions of which no answer has figures are last. own: as for `ranked`.
        """
        from audiencelab.analysis.profile import question_frame

        return question_frame(self, own=own)

    def to_crosstab(
        self, *, min_sample: float = 0, min_base: float = 0, own: bool = False
    ) -> CrosstabResult:
        """The answers as a crosstab, rows named "Question – answer": for tests, charts and Excel.

        min_sample, min_base, own: which answers are left out; see `ranked`. Of a profile that is
        still filling it holds what has arrived.
        """
        from audiencelab.analysis.profile import named_crosstab

        return named_crosstab(self, min_sample, min_base, own=own)

    def __repr__(self) -> str:
        of = f" of {self.expected:,}" if not self.complete else ""
        questions = len({point.question for point in self.points})
        return harmless(
            f"<ProfileResult {self.audience.name or 'of an audience'}: {self.count:,}{of} answers "
            f"to {plural(questions, 'question')}>"
        )

    def _repr_html_(self) -> str:
        from audiencelab.analysis.profile import profile_html

        return profile_html(self)
