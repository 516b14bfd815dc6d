from __future__ import annotations

import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from audiencelab.schema.blocks import (
    CELL_METRICS,
    BlockDecoder,
    CellBlock,
    CellsAxis,
    CellsHeader,
    InvalidBlocks,
    encode_block,
    encode_end,
    encode_failure,
    encode_header,
)

ROWS = CellsAxis(["a", "b", "c"], 1, [{"id": "a"}, {"id": "b"}, {"id": "c"}])
COLUMNS = CellsAxis(["", "x"], 0, [None, {"id": "x"}])
HEADER = encode_header(ROWS, COLUMNS)


def block(values: np.ndarray) -> bytes:
    return encode_block(np.array([2, 0]), np.array([1]), [values] * len(CELL_METRICS))


SOME = block(np.array([[1.5], [2.5]]))


def fed(body: bytes, step: int) -> tuple[BlockDecoder, list[CellBlock]]:
    decoder = BlockDecoder()
    pieces = (body[start : start + step] for start in range(0, len(body), step))
    return decoder, [found for piece in pieces for found in decoder.feed(piece)]


@pytest.mark.parametrize("step", [1, 7, 100, 10_000])
def test_a_body_cut_anywhere_gives_the_same_blocks(step: int) -> None:
    decoder, (first, second) = fed(HEADER + SOME + SOME + encode_end(), step)
    assert decoder.header == CellsHeader(ROWS, COLUMNS)
    assert decoder.is_complete
    assert decoder.has_ended
    for found in (first, second):
        assert (found.rows.tolist(), found.columns.tolist()) == ([2, 0], [1])
        assert [each.tolist() for each in found.metrics] == [[[1.5], [2.5]]] * len(CELL_METRICS)


@given(
    st.tuples(st.integers(1, 4), st.integers(1, 4)).flatmap(
        lambda shape: arrays(np.float64, shape, elements=st.sampled_from([0.0, -0.0, 1.5, np.nan]))
    )
)
def test_every_float_comes_out_as_it_went_in(values: np.ndarray) -> None:
    rows, columns = map(np.arange, values.shape)
    axes = (CellsAxis([""] * len(each), 1, [None] * len(each)) for each in (rows, columns))
    _, (found,) = fed(
        encode_header(*axes) + encode_block(rows, columns, [values] * len(CELL_METRICS)), 64
    )
    for each in found.metrics:
        assert np.broadcast_to(each, values.shape).tobytes() == values.tobytes()


def test_repeated_values_are_sent_once() -> None:
    rows, columns = np.arange(100), np.arange(50)
    axes = (CellsAxis([""] * len(each), 1, [None] * len(each)) for each in (rows, columns))
    planes = [
        np.full((100, 50), 7),
        np.broadcast_to(rows[:, None], (100, 50)),
        np.broadcast_to(columns, (100, 50)),
        *[np.arange(5_000.0).reshape(100, 50)] * 11,
    ]
    _, (found,) = fed(encode_header(*axes) + encode_block(rows, columns, planes), 10**6)
    shapes = [each.shape for each in found.metrics]
    assert shapes == [(1, 1), (100, 1), (1, 50), *[(100, 50)] * 11]
    for each, plane in zip(found.metrics, planes, strict=True):
        assert (np.broadcast_to(each, plane.shape) == plane).all()


def test_a_cut_body_is_noticed() -> None:
    decoder, blocks = fed((HEADER + SOME + SOME)[:-1], 64)
    assert (len(blocks), decoder.has_ended) == (1, False)


def test_a_failure_ends_the_body() -> None:
    problem = b'{"status": 500, "title": "The service failed"}'
    decoder, blocks = fed(HEADER + SOME + encode_failure(problem), 64)
    assert decoder.problem is not None
    assert decoder.problem.status == 500
    assert (len(blocks), decoder.has_ended, decoder.is_complete) == (1, True, False)


@pytest.mark.parametrize(
    "body",
    [
        b'{"audiences": {"row": 1}}\n',
        SOME,
        HEADER + HEADER,
        HEADER + b"what\0\0\0\0",
        HEADER + encode_end() + SOME,
        HEADER + struct.pack("<4sI", b"cell", 2**31),
        HEADER + struct.pack("<4sI", b"cell", 4) + b"\1\0\0\0",
        HEADER + struct.pack("<4sI", b"fail", 1) + b"{",
        HEADER + struct.pack("<4sI", b"cell", len(SOME) - 9) + SOME[8:-1],
        HEADER + struct.pack("<4sI", b"cell", len(SOME) - 7) + SOME[8:] + b"\0",
        HEADER + encode_block(np.array([3]), np.array([0]), [np.zeros((1, 1))] * 14),
        HEADER.replace(b'"size"', b'"mice"'),
        encode_header(CellsAxis(["a"], 1, []), COLUMNS),
    ],
)
def test_what_is_not_a_body_is_refused(body: bytes) -> None:
    with pytest.raises(InvalidBlocks):
        fed(body, 10_000)
