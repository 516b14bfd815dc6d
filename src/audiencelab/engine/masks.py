"""The one evaluator: from a bound node to the mask of its respondents in one wave.

Every leaf and subexpression is evaluated once for a wave and shared from then on, by whichever
query, row or column needs it, through a cache bounded in bytes. A single answer needs neither:
its mask stands in the survey. Which nodes are the same is
settled by their keys (`binding`).
"""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from audiencelab.engine.binding import AllOf, Answers, AnyOf, InWaves, Node, Not
from audiencelab.engine.bits import Words, complement, full_mask, hold_at_least, pad_weights
from audiencelab.engine.cache import MaskCache
from audiencelab.engine.waves import WaveOrder

if TYPE_CHECKING:
    from audiencelab.survey import QuestionBits, Survey, WaveData

__all__ = ["DEFAULT_CACHE_BYTES", "Masks", "WaveFrame"]

DEFAULT_CACHE_BYTES = 256 << 20


class WaveFrame:
    """What every query of one wave shares: its answers, everyone, nobody, the weights by bit.

    weights: float64[words, 64], 0 for padding bits. weighing: who has a weight other than 0.
    """

    __slots__ = ("full", "nobody", "place", "respondents", "wave", "weighing", "weights")

    def __init__(self, place: int, wave: WaveData) -> None:
        self.place = place
        self.wave = wave
        self.respondents = wave.respondents
        self.full: Words = full_mask(wave.respondents)
        self.nobody: Words = np.zeros_like(self.full)
        self.weights: NDArray[np.float64] = pad_weights(wave.weights, len(self.full))
        packed = np.packbits(self.weights > 0, axis=1, bitorder="little")
        self.weighing: Words = packed.view("<u8").astype(np.uint64).reshape(-1)
        for shared in (self.full, self.nobody, self.weighing, self.weights):
            shared.flags.writeable = False


class Masks:
    """Masks of bound nodes over one survey; safe to use from many threads.

    Two threads that miss the same mask at once both compute it; one of the two is kept.
    """

    def __init__(
        self, survey: Survey, waves: WaveOrder, cache_bytes: int = DEFAULT_CACHE_BYTES
    ) -> None:
        self._survey = survey
        self._waves = waves
        self._frames: dict[int, WaveFrame] = {}
        self.cache = MaskCache(cache_bytes)

    def frame(self, place: int) -> WaveFrame:
        """The frame of the survey's wave at `place`, by order of date."""
        found = self._frames.get(place)
        if found is None:
            made = WaveFrame(place, self._survey.wave(self._waves.codes[place]))
            found = self._frames.setdefault(place, made)
        return found

    def of(self, node: Node, place: int) -> Words:
        """The mask of `node` in a wave: uint64[words], read-only, shared.

        Nobody in a wave that the node does not cover.
        """
        frame = self.frame(place)
        if not node.coverage >> place & 1:
            return frame.nobody
        if isinstance(node, InWaves):
            return frame.full
        if isinstance(node, Answers) and node.stored:
            # To keep what the survey keeps would only cost the others' room.
            return self._answers(node, frame)
        key = (place, node.key)
        found = self.cache.get(key)
        return self.cache.put(key, self._evaluate(node, frame)) if found is None else found

    def _evaluate(self, node: Node, frame: WaveFrame) -> Words:
        match node:
            case Answers():
                return self._answers(node, frame)
            case AllOf():
                children = (self.of(child, frame.place) for child in node.children)
                return reduce(np.bitwise_and, children)
            case AnyOf():
                children = (self.of(child, frame.place) for child in node.children)
                return reduce(np.bitwise_or, children)
            case Not():
                return complement(self.of(node.child, frame.place), frame.full)
            case _:  # pragma: no cover - every kind of condition has its case above
                raise TypeError(f"No mask is defined for a {type(node).__name__}.")

    def _answers(self, node: Answers, frame: WaveFrame) -> Words:
        bits = frame.wave.question(node.question)
        if bits is None:  # pragma: no cover - no condition covers a wave that did not ask it
            return frame.nobody
        if node.stored:
            return bits.datapoint(node.datapoints[0])
        if node.min_count == 1 and not node.suffixes and _lists_all(node, bits):
            return np.bitwise_or.reduce(bits.matrix, axis=0)
        given = [bits.datapoint(code, node.suffixes) for code in node.datapoints]
        return hold_at_least(node.min_count, given)


def _lists_all(node: Answers, bits: QuestionBits) -> bool:
    codes = bits.question.datapoint_positions.keys()
    return len(codes) > 1 and codes == set(node.datapoints)
