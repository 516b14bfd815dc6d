"""One audience against every datapoint of a catalogue: stats of all questions as one stream.

The questions are bound and added up block by block, so that the first figures come at once, and
neither memory nor the wait grows with the catalogue.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cache

from audiencelab.engine.binding import Binder, Node
from audiencelab.engine.queries import MaybeExpression
from audiencelab.engine.stats import StatsFigures
from audiencelab.engine.sums import Tabulator
from audiencelab.engine.tables import Scoped, tabulate
from audiencelab.engine.waves import WaveOrder, WaveSet
from audiencelab.expressions import Leaf

__all__ = ["ProfileSpec", "ProfileStripe", "profile"]

_BLOCK = 2_000
"""Datapoints bound at a time."""


@dataclass(frozen=True, slots=True)
class ProfileSpec:
    """One audience against the datapoints of many questions.

    questions: codes; None means all accessible ones, in catalogue order. waves: codes; None
    means all accessible ones. locations: codes; empty means all.
    """

    audience: MaybeExpression
    questions: tuple[str, ...] | None = None
    base: MaybeExpression = None
    locations: tuple[str, ...] = ()
    waves: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class ProfileStripe:
    """Some datapoints, and how the audience differs in them from the base.

    done, of: datapoints answered so far, these included, and all of them. questions, datapoints,
    waves: one entry for each datapoint; waves are the effective ones, and without any the figures
    are zeros. figures: as in `StatsRow`, each [datapoints].
    """

    done: int
    of: int
    questions: tuple[str, ...]
    datapoints: tuple[str, ...]
    waves: tuple[tuple[str, ...], ...]
    figures: StatsFigures


def profile(
    points: Sequence[tuple[str, str]],
    audience: Node,
    base: Node,
    waves: WaveSet,
    binder: Binder,
    order: WaveOrder,
    tabulator: Tabulator,
) -> Generator[ProfileStripe]:
    """The stripes of some (question, datapoint) pairs, in their order.

    A generator: closing it stops the work at the next stripe.
    """
    codes_of = cache(order.codes_of)
    column, within = Scoped.of(audience), Scoped.of(base)
    for start in range(0, len(points), _BLOCK):
        block = points[start : start + _BLOCK]
        rows = [Scoped.of(binder.bind(Leaf(question, (code,)))) for question, code in block]
        with closing(tabulate(tabulator, rows, [column], within, waves)) as stripes:
            for stripe in stripes:
                answered = block[stripe.start : stripe.stop]
                yield ProfileStripe(
                    done=start + stripe.stop,
                    of=len(points),
                    questions=tuple(question for question, _ in answered),
                    datapoints=tuple(code for _, code in answered),
                    waves=tuple(codes_of(stripe.effective(row, 0)) for row in range(len(answered))),
                    figures=StatsFigures._make(each[:, 0] for each in StatsFigures.of(stripe)),
                )
