"""The public result of an audience's profile."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from audiencelab.analysis.statistics import Correction
from audiencelab.results.profile import Direction, ProfileData, Ranking
from audiencelab.results.table_code import of_call
from audiencelab.tables.base import Exporting
from audiencelab.tables.charting import ResultCharts
from audiencelab.tables.crosstab import CrosstabResult

if TYPE_CHECKING:
    import pandas as pd

    from audiencelab.analysis.options import Design
    from audiencelab.markup import Card


class ProfileResult(ProfileData, Exporting):
    """An audience against the answers of many questions; it grows while cells arrive.

    `ProfileData` documents the fields. Files and texts are those of `to_crosstab()`.
    """

    __slots__ = ()

    @property
    def chart(self) -> ResultCharts:
        """The result as a chart: `.profile()`, `.bubble()`.

        Charts combine with `|` and `&`.
        """
        return ResultCharts(self, ("profile", "bubble"))

    def to_frame(self) -> pd.DataFrame:
        """One line for each answer that has arrived, in the order of the catalogue.

        `audience_percentage` and `base_percentage` are the parts of audience and base that gave the
        answer, 0 to 100; `difference` is in points; an `index` of 100 is the base. `size` and
        `sample` are those of the audience who gave it; `audience_…`, `datapoint_…` and `base_…`
        those of the audience, of everyone in the base who gave it, and of the base. A metric
        without a denominator is NaN, and `note` says why. `attrs` hold the provenance.

        An adjusted profile has more columns: `adjusted_percentage` is the share that the audience
        would have with the composition of the base, `adjusted_difference` and `adjusted_index` set
        it against the base. `adjusted_rest_…` are of everyone else in the base, adjusted alike,
        and of the difference from it; `…_se` are standard errors in points, as R's
        `svystandardize`. `adjusted_p` tests that difference; `attrs["method_note"]` says how.

        >>> profile = client.profile(client["Age"] == "18 to 24", "Pets")
        >>> profile.to_frame()[["datapoint_label", "sample"]].iloc[0].tolist()
        ['Dog', np.int64(397)]
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

        by: "index", how far it is from 100; "difference", in points; or "surprise", how many
            standard errors the audience is from the rest of the base (column `z`), which favours
            neither rare answers nor common ones.
        limit: the number of lines. side: answers that the audience is "over" in, "under" in, or
            "both".
        min_sample, min_base: leave out answers that fewer respondents of the base gave, or with
            fewer respondents in the audience.
        own: whether to keep the questions that the audience is defined by.

        The lines of `to_frame()`, indexed from 1 by `rank`; codes decide between equals.
        An adjusted profile is ranked by its adjusted shares. `attrs["method_note"]` says what was
        left out. Raises `ValueError` for options that are not valid.

        >>> profile = client.profile(client["Age"] == "18 to 24", ["Pets", "Interests"])
        >>> profile.ranked(limit=3)["datapoint_label"].tolist()
        ['Reptile', 'Video games', 'Gardening']
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
        design: Design = "auto",
        min_sample: float = 30,
        min_base: float = 30,
    ) -> pd.DataFrame:
        """The answers that differ significantly from everyone else in the base.

        All tests are one family: with "fdr", at most 1 - level of the lines are expected to be
        chance. Questions that the audience is defined by are left out. See
        `CrosstabResult.standouts`; here each line has the codes and names of its question and its
        answer. Compute design effects of `to_crosstab` with the same min_sample and min_base. Of
        an adjusted profile adjusted shares are tested, with the errors of the sample's design.

        >>> profile = client.profile(client["Age"] == "18 to 24", ["Pets", "Interests"])
        >>> profile.standouts(limit=3)["datapoint_label"].tolist()
        ['Video games', 'Gardening', 'Fitness']
        """
        from audiencelab.analysis.profile import places_of, standouts

        kept = self.to_crosstab(min_sample=min_sample, min_base=min_base)
        if self.adjustment is not None:
            from audiencelab.analysis.adjusted import adjusted_standouts

            if design != "auto":
                raise ValueError(
                    "design= is not an option of an adjusted profile, whose errors are those of "
                    "the sample's own design. Leave it out."
                )
            return adjusted_standouts(
                *(self, self.adjustment, places_of(self, kept), limit, correction),
                level=level,
                min_base=min_base,
            )
        found = kept.standouts(limit, correction, level=level, design=design, min_base=min_base)
        return standouts(self, found)

    def by_question(self, *, own: bool = False) -> pd.DataFrame:
        """How far the audience is from its base in each question, the furthest question first.

        One line for each question: its `answers`, the `largest_difference` in points with its
        answer, and `mean_difference`, the average size of the differences; questions without values
        are last. own: as for `ranked`. Differences of an adjusted profile are adjusted.

        >>> profile = client.profile(client["Age"] == "18 to 24", ["Pets", "Interests"])
        >>> profile.by_question()["question_label"].tolist()
        ['Interests', 'Pets']
        """
        from audiencelab.analysis.profile import question_frame

        return question_frame(self, own=own)

    @of_call
    def to_crosstab(
        self, *, min_sample: float = 0, min_base: float = 0, own: bool = False
    ) -> CrosstabResult:
        """The answers as a crosstab, rows named "Question – answer": for tests, charts and Excel.

        It has the shares as they are, also of an adjusted profile.

        min_sample, min_base, own: which answers are left out; see `ranked`. It contains what has
        arrived.

        >>> client.profile(client["Age"] == "18 to 24", "Pets").to_crosstab().shape
        (8, 1)
        """
        from audiencelab.analysis.profile import named_crosstab

        made = named_crosstab(self, min_sample, min_base, own=own)
        return cast(CrosstabResult, made)

    def __getitem__(self, metric: str) -> pd.DataFrame:
        """A metric of the answers, as `to_crosstab()[metric]`."""
        return self.to_crosstab()[metric]

    def _written(self) -> CrosstabResult:
        return self.to_crosstab()

    def _card(self) -> Card:
        from audiencelab.render.cards import profile_card

        return profile_card(self)
