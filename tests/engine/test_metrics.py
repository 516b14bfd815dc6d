"""The formulas, with the figures of docs/explanation/metrics.md."""

from __future__ import annotations

import numpy as np
import pytest

from audiencelab.engine.metrics import affinity_index, average_size, share


def test_a_share_is_a_percentage_of_sizes() -> None:
    assert share(117_655_215, 205_843_910).item() == pytest.approx(57.1575, abs=1e-4)


def test_an_index_of_100_is_the_base() -> None:
    assert affinity_index(30, 60, 50, 100).item() == pytest.approx(100)
    assert affinity_index(
        117_655_215, 140_532_912, 205_843_910, 257_532_138
    ).item() == pytest.approx(104.7434, abs=1e-4)


@pytest.mark.parametrize("size", [668.4583333333334, 2684.4583333333335, 2684.7083333333335])
def test_a_whole_is_exactly_100_per_cent_of_itself_and_its_index_exactly_100(size: float) -> None:
    assert 100 * size / size > 100, "rounded twice, it is more"
    assert share(size, size).item() == 100
    for part in (size / 3, size / 7, size / 10):
        assert affinity_index(part, part, size, size).item() == 100
        assert affinity_index(part, size, part, size).item() == 100


def test_the_index_is_the_same_from_either_side() -> None:
    assert affinity_index(7, 20, 15, 90) == pytest.approx(affinity_index(7, 15, 20, 90))


def test_a_size_is_averaged_over_waves() -> None:
    assert average_size([1000.0, 900.0], [4, 3]).tolist() == [250.0, 300.0]


@pytest.mark.parametrize(
    "figures",
    [
        share(5, 0),
        share(0, 0),
        average_size(0.0, 0),
        affinity_index(0, 0, 0, 0),
        affinity_index(0, 0, 5, 9),
        affinity_index(0, 5, 0, 9),
        affinity_index(0, 5, 5, 0),
    ],
)
def test_a_zero_denominator_gives_zero(figures: np.ndarray) -> None:
    assert figures.item() == 0.0


def test_figures_of_any_shape_come_back_in_it() -> None:
    assert share(np.ones((2, 3)), np.full((2, 3), 4)).tolist() == [[25.0] * 3] * 2
