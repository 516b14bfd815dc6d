"""What a client offers beyond the service's operations: analyses made of several of them.

Here they have their arguments and their documentation; what they do stands in `calls`, and
`async_analyses` is the same for `await`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import TYPE_CHECKING, TypeVar

from audiencelab.analysis.quantiles import QuantileGroups
from audiencelab.client.calls import designing, overlapping, profiling
from audiencelab.client.calls.coverage import coverage
from audiencelab.client.calls.grids import grid
from audiencelab.client.calls.grouping import quantile_groups
from audiencelab.client.face import Face
from audiencelab.client.flow import Flow
from audiencelab.client.flow.driver import Run
from audiencelab.client.following import CrosstabStream
from audiencelab.client.operations import overlaps, profiles
from audiencelab.client.operations import queries as plans
from audiencelab.client.operations.audiences import AudienceLike
from audiencelab.client.operations.fields import by_name
from audiencelab.client.operations.profiles import Asked
from audiencelab.client.progress import Progress, reporting
from audiencelab.tables import (
    Coverage,
    CrosstabResult,
    GridResult,
    OverlapResult,
    ProfileResult,
    StatsResult,
)

if TYPE_CHECKING:
    from audiencelab.analysis.design_effects import DesignEffects, DesignMethod, Lonely

__all__ = ["Analyses"]

T = TypeVar("T")


class Analyses(Face, ABC):
    """The analyses of a client, which is left to say how a flow is run."""

    @by_name("[…], base_audience=…")
    def overlap(
        self,
        audiences: Iterable[AudienceLike],
        *,
        base_audience: AudienceLike | None = None,
        waves: Iterable[str] | None = None,
        locations: Iterable[str] | None = None,
    ) -> OverlapResult:
        """How far audiences overlap: who is in exactly which of them, by one crosstab.

        audiences: 2 to 8 audiences or expressions.
        base_audience, waves, locations: as for `crosstab`.

        Every figure counts the same waves, those in which all of the audiences were asked, so
        that combinations add up to the audiences, to their union and to the base; the result's
        `notes` say which waves are left out. Raises `ValueError` for another number of audiences
        and where no wave is left, and the errors of `crosstab`.
        """
        plan = overlaps.overlap(
            audiences, base_audience=base_audience, waves=waves, locations=locations
        )
        return self._run(overlapping.overlap(self._session, self._options, plan))

    @by_name("audience, questions=[…]")
    def profile(
        self,
        audience: AudienceLike,
        questions: Asked = None,
        *,
        base_audience: AudienceLike | None = None,
        waves: Iterable[str] | None = None,
        locations: Iterable[str] | None = None,
        progress: Progress = None,
    ) -> ProfileResult:
        """An audience against every answer of the catalogue, by as many crosstabs as it takes.

        audience: an audience or expression.
        questions: codes or names, or a part of the catalogue (`catalogue.search("radio")`,
            `catalogue.tree["Media"]`); None means every question that may be used. Suffixes are
            not told apart: an answer counts with any of them.
        base_audience, waves, locations: as for `crosstab`: no waves means the last four.
        progress: called with the answers that have arrived and the answers expected; True draws a
            progress bar.

        Raises `UnknownCodeError` for a question that is not there, `ValueError` where no answer is
        left, and the errors of `crosstab`. A deadline is for each request.
        """
        with self.profile_stream(
            audience, questions, base_audience=base_audience, waves=waves, locations=locations
        ) as stream:
            # The first update tells how many answers there are.
            with reporting(progress, next(stream).expected, "answers") as report:
                for update in stream:
                    report(update)
            return stream.result

    @by_name("audience, questions=[…]")
    def profile_stream(
        self,
        audience: AudienceLike,
        questions: Asked = None,
        *,
        base_audience: AudienceLike | None = None,
        waves: Iterable[str] | None = None,
        locations: Iterable[str] | None = None,
    ) -> CrosstabStream[ProfileResult]:
        """The same profile as an iterator over updates, while `stream.result` fills.

        The first update comes once the catalogue is there, before any answer. `stream.close()`
        calls it off.
        """
        plan = profiles.profile(
            audience, questions, base_audience=base_audience, waves=waves, locations=locations
        )
        result = profiling.empty_profile(plan)
        run = self._start(profiling.profile(self._session, self._options, plan, result))
        return CrosstabStream(run, result)

    @by_name("question, datapoints=[…], audiences=[…]")
    def grid(
        self,
        question: str,
        *,
        datapoints: Iterable[str] | None = None,
        suffixes: Iterable[str | int] | None = None,
        audiences: Iterable[AudienceLike] | None = None,
        locations: Iterable[str] | None = None,
        waves: Iterable[str] | None = None,
        base_audience: AudienceLike | None = None,
    ) -> GridResult:
        """A question of items on one scale: items as rows, the points of the scale as columns.

        question: its code; `datapoints` limits the items, `suffixes` the points, in this order.
        audiences, locations, waves, base_audience: as for `stats`.

        One stats query for each point, so every figure is the service's own. Raises `ValueError`
        for a question without a scale, and the errors of `stats`.
        """
        plan = plans.stats(
            question,
            datapoints=datapoints,
            suffixes=suffixes,
            audiences=audiences,
            locations=locations,
            waves=waves,
            base_audience=base_audience,
        )
        return self._run(grid(self._session, self._options, plan))

    @by_name("question, count, waves=[…]")
    def quantile_groups(
        self,
        question: str,
        count: int,
        *,
        base_audience: AudienceLike | None = None,
        waves: Iterable[str] | None = None,
        locations: Iterable[str] | None = None,
        disjoint: bool = False,
    ) -> QuantileGroups:
        """A question's answers in groups of about as many people: lower, middle and upper third.

        question: the code of one whose answers stand for amounts; the catalogue's midpoints put
            them in order, or the order of its answers where it has none. Answers without a
            midpoint are in no group.
        count: how many groups; 3 for thirds, 4 for quarters, 5 for fifths, 10 for tenths.
        base_audience, waves, locations: whose answers are counted, as for `stats`.
        disjoint: say True if you know that the question takes one answer, where figures do not
            show it.

        Answers stay whole, so groups are as equal as answers let them be: cuts are made where the
        cumulative shares of people come nearest to equal parts, and `to_frame()` tells what each
        group holds. Iterate over the result, or give it to a crosstab, for its audiences. Raises
        `OverlappingAnswers` for a question of several answers, and `ValueError` where there are
        fewer answers than groups; otherwise as `stats`.
        """
        plan = plans.stats(question, base_audience=base_audience, waves=waves, locations=locations)
        return self._run(
            quantile_groups(self._session, self._options, plan, count, disjoint=disjoint)
        )

    def coverage(self, audience: AudienceLike) -> Coverage:
        """In which waves an audience's questions were asked, and which waves count for it.

        An audience joined by "or" also counts waves that asked one of its questions only. There it
        is smaller than elsewhere: they are its `mixed` waves, and `whole` is what to give to
        `waves=` without them. One stats query for each question; raises what `stats` raises.
        """
        return self._run(coverage(self._session, self._options, audience))

    def design_effects(
        self,
        result: CrosstabResult | StatsResult,
        method: DesignMethod = "taylor",
        *,
        lonely: Lonely = "adjust",
    ) -> DesignEffects:
        """By how much the survey's design widens a result, computed where its survey is at hand.

        For every `design_effect=`, such as that of `result.intervals(design_effect=effects)`. Tests
        compute them by themselves.

        result: of this client's survey, as it came.
        method: "taylor", with regard to weights, strata, clusters, and to what columns have in
            common; or "kish", by the weights alone.
        lonely: what is done with a stratum of a single cluster: "adjust" sets it against the whole
            sample, "certainty" takes it as drawn for certain, "fail" refuses.

        Nothing is sent. Raises `LookupError` for a client of a deployment or a snapshot, whose
        respondents are elsewhere; `ValueError` for a result of other figures than the survey's, and
        for a sample that tells of no variance; `ImportError` without scipy.
        """
        self._check_usable()
        return designing.design_effects(self._session, result, method, lonely)

    @abstractmethod
    def _run(self, flow: Flow[T]) -> T: ...

    @abstractmethod
    def _start(self, flow: Flow[T]) -> Run[T]: ...
