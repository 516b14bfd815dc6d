"""Tiles as Python writes them: read back by `struct`, every figure is the same bits.

The decoder in the browser has inputs of its own, in `js/tests/fuzz`.
"""

from __future__ import annotations

import json
import math
import struct
from random import Random
from typing import Any

import msgspec
import numpy as np

from audiencelab.errors import AudienceError
from audiencelab.widgets.crosstab.protocol import Span
from audiencelab.widgets.crosstab.tiles import Tile, pack, parse_positions
from tests.fuzz.targets import Target, refused

__all__ = ["Tiles"]

_FIGURES = (
    *(0.0, -0.0, 1.0, 0.1, 1 / 3, 5e-324, 1e-45, 1e308, math.inf, -math.inf, math.nan),
    *(16_777_217.0, 2.0**53 + 2, 3.4028235e38, 3.5e38, 1_250_235.875),
)


class Tiles(Target):
    """`pack` for planes drawn from the input, and `parse_positions` for what a page asks."""

    name = "tiles"
    share = 180

    def seeds(self) -> list[bytes]:
        places: tuple[list[int], ...] = ([2, 0, 1], [], [True])
        asked = ({"start": 0, "stop": 3}, *places, {"start": -1, "stop": 1e9}, "0")
        return [bytes(range(16)), b"\xff" * 8, *(json.dumps(each).encode() for each in asked)]

    def run(self, data: bytes) -> str:
        try:
            given: Any = json.loads(data)
        except (ValueError, RecursionError):
            return self._packed(data)
        try:
            # As the channel reads arguments.
            asked = msgspec.convert(given, Span | list[int])
            places = parse_positions(asked, 8, "rows")
        except (AudienceError, msgspec.ValidationError) as error:
            return refused(error)
        wanted = range(asked.start, asked.stop) if isinstance(asked, Span) else asked
        assert places.tolist() == list(wanted)
        assert not len(places) or (places.min() >= 0 and places.max() < 8)
        return f"accepted {min(len(places), 4)} places"

    def _packed(self, data: bytes) -> str:
        random = Random(data)
        shape = random.randrange(1, 9), random.randrange(1, 9)
        planes = {
            f"p{place}": np.array(
                [
                    [
                        random.choice(_FIGURES) if random.random() < 0.7 else random.gauss(0, 1e6)
                        for _ in range(random.choice((1, shape[1])) if across else shape[1])
                    ]
                ]
                * random.choice((1, shape[0]))
            )
            for place, across in enumerate(random.choices((True, False), k=4))
        }
        tile = pack(planes, shape, complete=random.random() < 0.5)
        for place, plane in enumerate(planes.values()):
            assert _same(_read(tile, place), plane), plane
        kinds = "".join(plane.dtype[5] for plane in tile.header.planes)
        return f"accepted {kinds}"


def _read(tile: Tile, place: int) -> list[float]:
    header = tile.header.planes[place]
    count = math.prod(header.shape)
    kind = {"float32": "f", "float64": "d"}[header.dtype]
    return list(struct.unpack_from(f"<{count}{kind}", tile.body, header.offset))


def _same(read: list[float], plane: np.ndarray) -> bool:
    return [_bits(value) for value in read] == [_bits(value) for value in plane.ravel().tolist()]


def _bits(value: float) -> bytes:
    return b"nan" if math.isnan(value) else struct.pack("<d", value)
