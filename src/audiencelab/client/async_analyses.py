"""The analyses for `await`: the same as in `analyses`, documented there."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import TYPE_CHECKING, TypeVar

from audiencelab.analysis.quantiles import QuantileGroups
from audiencelab.client.analyses import Analyses
from audiencelab.client.awaiting import twin_of
from audiencelab.client.calls import designing, overlapping, profiling
from audiencelab.client.calls.coverage import coverage
from audiencelab.client.calls.grids import grid
from audiencelab.client.calls.grouping import quantile_groups
from audiencelab.client.face import Face
from audiencelab.client.flow import Flow
from audiencelab.client.flow.async_driver import AsyncRun
from audiencelab.client.following import AsyncCrosstabStream
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

__all__ = ["AsyncAnalyses"]

T = TypeVar("T")


class AsyncAnalyses(Face, ABC):
    """The analyses of a client for `await`, which is left to say how a flow is run."""

    @by_name("[…], base_audience=…")
    @twin_of(Analyses.overlap)
    async def overlap(
        self,
        audiences: Iterable[AudienceLike],
        *,
        base_audience: AudienceLike | None = None,
        waves: Iterable[str] | None = None,
        locations: Iterable[str] | None = None,
    ) -> OverlapResult:
        plan = overlaps.overlap(
            audiences, base_audience=base_audience, waves=waves, locations=locations
        )
        return await self._run(overlapping.overlap(self._session, self._options, plan))

    @by_name("audience, questions=[…]")
    @twin_of(Analyses.profile)
    async def profile(
        self,
        audience: AudienceLike,
        questions: Asked = None,
        *,
        base_audience: AudienceLike | None = None,
        waves: Iterable[str] | None = None,
        locations: Iterable[str] | None = None,
        progress: Progress = None,
    ) -> ProfileResult:
        async with self.profile_stream(
            audience, questions, base_audience=base_audience, waves=waves, locations=locations
        ) as stream:
            first = await anext(stream)
            with reporting(progress, first.expected, "answers") as report:
                async for update in stream:
                    report(update)
            return stream.result

    @by_name("audience, questions=[…]")
    @twin_of(Analyses.profile_stream)
    def profile_stream(
        self,
        audience: AudienceLike,
        questions: Asked = None,
        *,
        base_audience: AudienceLike | None = None,
        waves: Iterable[str] | None = None,
        locations: Iterable[str] | None = None,
    ) -> AsyncCrosstabStream[ProfileResult]:
        plan = profiles.profile(
            audience, questions, base_audience=base_audience, waves=waves, locations=locations
        )
        result = profiling.empty_profile(plan)
        run = self._start(profiling.profile(self._session, self._options, plan, result))
        return AsyncCrosstabStream(run, result)

    @by_name("question, datapoints=[…], audiences=[…]")
    @twin_of(Analyses.grid)
    async def grid(
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
        plan = plans.stats(
            question,
            datapoints=datapoints,
            suffixes=suffixes,
            audiences=audiences,
            locations=locations,
            waves=waves,
            base_audience=base_audience,
        )
        return await self._run(grid(self._session, self._options, plan))

    @by_name("question, count, waves=[…]")
    @twin_of(Analyses.quantile_groups)
    async def quantile_groups(
        self,
        question: str,
        count: int,
        *,
        base_audience: AudienceLike | None = None,
        waves: Iterable[str] | None = None,
        locations: Iterable[str] | None = None,
        disjoint: bool = False,
    ) -> QuantileGroups:
        plan = plans.stats(question, base_audience=base_audience, waves=waves, locations=locations)
        return await self._run(
            quantile_groups(self._session, self._options, plan, count, disjoint=disjoint)
        )

    @twin_of(Analyses.coverage)
    async def coverage(self, audience: AudienceLike) -> Coverage:
        return await self._run(coverage(self._session, self._options, audience))

    @twin_of(Analyses.design_effects)
    async def design_effects(
        self,
        result: CrosstabResult | StatsResult,
        method: DesignMethod = "taylor",
        *,
        lonely: Lonely = "adjust",
    ) -> DesignEffects:
        self._check_usable()
        # Computation, as on a thread of the embedded service, so that the loop stays free.
        return await asyncio.to_thread(
            designing.design_effects, self._session, result, method, lonely
        )

    @abstractmethod
    async def _run(self, flow: Flow[T]) -> T: ...

    @abstractmethod
    def _start(self, flow: Flow[T]) -> AsyncRun[T]: ...
