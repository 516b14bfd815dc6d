"""From bound nodes to masks of respondents, wave by wave, through a cache bounded in bytes.

Every leaf and subexpression is evaluated once for a wave and shared from then on, by whichever
query, row or column needs it. Equal nodes have equal keys (`binder`).
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from functools import reduce
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from audiencelab.engine.bitset import Words, full_mask, hold_at_least, pad_weights
from audiencelab.engine.nodes import AllOf, AnyOf, InAnswers, InRange, InWaves, Node, Not, Valid
from audiencelab.survey.answers import pack

if TYPE_CHECKING:
    from audiencelab.survey import Survey, WaveData

DEFAULT_CACHE_BYTES = 256 << 20


class MaskCache:
    """Masks by key, at most `limit` bytes of them, the least recently used forgotten first.

    Thread-safe. A mask larger than the limit is not kept. Masks become read-only, because they are
    shared.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.bytes_held = 0
        self._held: OrderedDict[Hashable, Words] = OrderedDict()
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._held)

    def get(self, key: Hashable) -> Words | None:
        """The mask of `key`, which becomes the most recently used."""
        with self._lock:
            mask = self._held.get(key)
            if mask is not None:
                self._held.move_to_end(key)
            return mask

    def put(self, key: Hashable, mask: Words) -> Words:
        """Keep `mask` if it fits; returns it, or the one that another thread put first."""
        mask.flags.writeable = False
        with self._lock:
            if (present := self._held.get(key)) is not None:
                return present
            if mask.nbytes > self.limit:
                return mask
            self._held[key] = mask
            self.bytes_held += mask.nbytes
            while self.bytes_held > self.limit:
                self.bytes_held -= self._held.popitem(last=False)[1].nbytes
        return mask


class WaveFrame:
    """What every query of one wave shares: answers, weights, and masks of everyone and of no one.

    weights: float64[words, 64], 0 for padding bits. weighing: who has a weight other
    than 0; None where everyone has. ranks: of the replicate weights of parts of the wave,
    which `variance.ranks` keeps.
    """

    __slots__ = ("full", "nobody", "ranks", "respondents", "wave", "weighing", "weights")

    def __init__(self, wave: WaveData) -> None:
        self.wave = wave
        self.ranks: dict[bytes, int] = {}
        self.respondents = wave.respondents
        self.full: Words = full_mask(wave.respondents)
        self.nobody: Words = np.zeros_like(self.full)
        self.weights: NDArray[np.float64] = pad_weights(wave.weights, len(self.full))
        # Read as little-endian on any machine, then in its own order: respondent i is bit i of a
        # word.
        packed = np.packbits(self.weights > 0, axis=1, bitorder="little")
        weighing: Words = packed.view("<u8").astype(np.uint64).reshape(-1)
        self.weighing = None if np.array_equal(weighing, self.full) else weighing
        for shared in (self.full, self.nobody, self.weighing, self.weights):
            if shared is not None:
                shared.flags.writeable = False


class Masks:
    """Masks of bound nodes over one survey; thread-safe.

    waves: the codes of the survey's waves by date.
    Two threads that miss the same mask at once both compute it; one of the two is kept.
    """

    def __init__(
        self, survey: Survey, waves: tuple[str, ...], cache_bytes: int = DEFAULT_CACHE_BYTES
    ) -> None:
        self._survey = survey
        self._waves = waves
        self._frames: dict[int, WaveFrame] = {}
        self.cache = MaskCache(cache_bytes)

    def frame(self, position: int) -> WaveFrame:
        """The frame of the wave at `position`, by order of date."""
        found = self._frames.get(position)
        if found is None:
            made = WaveFrame(self._survey.wave(self._waves[position]))
            # Of two threads that make the same frame at once, both use the one that was first.
            found = self._frames.setdefault(position, made)
        return found

    def of(self, node: Node, position: int) -> Words:
        """The mask of `node` in a wave: uint64[words], read-only, shared.

        Empty in a wave that the node does not cover.
        """
        frame = self.frame(position)
        if not node.coverage >> position & 1:
            return frame.nobody
        if isinstance(node, InWaves):
            return frame.full
        if (
            isinstance(node, InAnswers)
            and node.stored
            and (bits := frame.wave.question(node.question))
        ):
            # The survey has it already.
            return bits.datapoint(node.datapoints[0])
        key = (position, node.key)
        found = self.cache.get(key)
        return self.cache.put(key, self._evaluate(node, position)) if found is None else found

    def counted(self, node: Node, position: int) -> Words:
        """The mask of those of `node` who count: respondents of weight 0 are in no base.

        As SPSS, SAS and PSPP leave them out of unweighted counts too.
        """
        mask, weighing = self.of(node, position), self.frame(position).weighing
        return mask if weighing is None else mask & weighing

    def _evaluate(self, node: Node, position: int) -> Words:
        match node:
            case AllOf():
                return reduce(np.bitwise_and, (self.of(each, position) for each in node.children))
            case AnyOf():
                return reduce(np.bitwise_or, (self.of(each, position) for each in node.children))
            case Not():
                # Within everyone, since a plain complement would set the padding bits.
                return self.frame(position).full & ~self.of(node.child, position)
            case InAnswers():
                bits = self.frame(position).wave.question(node.question)
                if bits is None:  # pragma: no cover - no condition covers a wave without it
                    return self.frame(position).nobody
                known = bits.question.datapoint_positions.keys()
                counted = node.min_count > 1 or node.suffixes or len(known) == 1
                if not counted and known == set(node.datapoints):
                    # All answers with any suffix: one pass over the stored matrix, without a list
                    # of masks.
                    return np.bitwise_or.reduce(bits.matrix, axis=0)
                listed = [bits.datapoint(code, node.suffixes) for code in node.datapoints]
                return hold_at_least(node.min_count, listed)
            case Valid():
                return self._valid(node, position)
            case InRange():
                numbers = self.frame(position).wave.numbers(node.question)
                if numbers is None:  # pragma: no cover - no condition covers a wave without them
                    return self.frame(position).nobody
                # Respondents without a number are in no range: NaN compares as false.
                return pack((numbers >= node.low) & (numbers <= node.high))
            case _:  # pragma: no cover - every kind of condition has its case above
                raise TypeError(f"No mask is defined for a {type(node).__name__}.")

    def _valid(self, node: Valid, position: int) -> Words:
        bits = self.frame(position).wave.question(node.question)
        if bits is None:  # pragma: no cover - no condition covers a wave without it
            return self.frame(position).nobody
        items = [item for item, waves in node.items if waves >> position & 1]
        if node.asked:
            return reduce(np.bitwise_and, map(bits.asked_of, items), bits.asked)
        if items:
            return reduce(np.bitwise_and, map(bits.datapoint, items))
        return np.bitwise_or.reduce(bits.matrix, axis=0)
