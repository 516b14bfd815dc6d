"""The histogram of weights, as it is drawn."""

from __future__ import annotations

import re

import numpy as np
import pytest

from audiencelab.charts.weights import weights_histogram


def test_bars_stand_on_zero_and_are_as_high_as_their_respondents_are_many() -> None:
    weights = np.repeat([0.52, 0.61, 1.54, 3.98], [50, 30, 20, 7])
    svg = weights_histogram(weights, "Weight", ["107 respondents"]).svg()
    [bars] = re.findall(r'<g class="mark-rect.*?</g>', svg, re.DOTALL)
    paths = re.findall(r"M[\d.]+,([\d.]+)h[\d.]+v([\d.]+)h", bars)
    tops, heights = np.array(paths, float).T
    counts, _ = np.histogram(weights, 40, (0, weights.max()))
    assert heights / heights.max() == pytest.approx(counts / counts.max())
    assert tops + heights == pytest.approx(np.full(40, tops.max()))
