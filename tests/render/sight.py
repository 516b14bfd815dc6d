"""How far colours are apart for people who see all of them, and for people who do not.

CIEDE2000 after G. Sharma, W. Wu and E. N. Dalal, "The CIEDE2000 color-difference formula:
implementation notes, supplementary test data, and mathematical observations", Color Research and
Application 30 (2005), 21-30. Dichromats after G. M. Machado, M. M. Oliveira and L. A. F. Fernandes,
"A physiologically-based model for simulation of color vision deficiency", IEEE TVCG 15 (2009),
1291-1298: their matrices of severity 1.0, for linear sRGB.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Triple = NDArray[np.float64]

SIGHTS = {
    "all colours": np.eye(3),
    "deuteranope": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
    "protanope": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    "tritanope": np.array(
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ]
    ),
}
"""What becomes of linear sRGB, by who sees it."""

_XYZ = np.array(
    [
        [0.4124564, 0.3575761, 0.1804375],
        [0.2126729, 0.7151522, 0.0721750],
        [0.0193339, 0.1191920, 0.9503041],
    ]
)
"""Linear sRGB to CIE XYZ under D65 (IEC 61966-2-1)."""


def distance(one: str, other: str, sight: str = "all colours") -> float:
    """CIEDE2000 between two colours such as "#0072b2", as someone sees them."""
    return ciede2000(_lab(one, SIGHTS[sight]), _lab(other, SIGHTS[sight]))


def _lab(colour: str, seen: Triple) -> Triple:
    parts = np.array([int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)])
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    tristimulus = _XYZ @ np.clip(seen @ linear, 0, 1) / _XYZ.sum(axis=1)
    x, y, z = map(_lightness, tristimulus.tolist())
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def _lightness(part: float) -> float:
    return math.cbrt(part) if part > (6 / 29) ** 3 else part * (29 / 6) ** 2 / 3 + 4 / 29


def ciede2000(one: Triple, other: Triple) -> float:
    """The difference of two colours in CIE L*a*b*; 1 is about the least that is noticed."""
    chroma = (math.hypot(*one[1:]) + math.hypot(*other[1:])) / 2
    g = (1 - math.sqrt(chroma**7 / (chroma**7 + 25**7))) / 2
    (l1, c1, h1), (l2, c2, h2) = ((each[0], *_polar(each, g)) for each in (one, other))
    turn = 0.0 if c1 * c2 == 0 else (h2 - h1 + 180) % 360 - 180
    lightness, chroma = (l1 + l2) / 2, (c1 + c2) / 2
    hue = h1 + h2 if c1 * c2 == 0 else h1 + turn / 2
    t = (
        1
        - 0.17 * _cos(hue - 30)
        + 0.24 * _cos(2 * hue)
        + 0.32 * _cos(3 * hue + 6)
        - 0.20 * _cos(4 * hue - 63)
    )
    off = (lightness - 50) ** 2
    by_lightness = (l2 - l1) / (1 + 0.015 * off / math.sqrt(20 + off))
    by_chroma = (c2 - c1) / (1 + 0.045 * chroma)
    by_hue = 2 * math.sqrt(c1 * c2) * math.sin(math.radians(turn / 2)) / (1 + 0.015 * chroma * t)
    # Blues turn where their chroma changes.
    theta = 30 * math.exp(-((((hue % 360) - 275) / 25) ** 2))
    blue = 2 * math.sqrt(chroma**7 / (chroma**7 + 25**7)) * math.sin(math.radians(2 * theta))
    return math.sqrt(by_lightness**2 + by_chroma**2 + by_hue**2 - blue * by_chroma * by_hue)


def _polar(lab: Triple, g: float) -> tuple[float, float]:
    a, b = (1 + g) * lab[1], lab[2]
    return math.hypot(a, b), math.degrees(math.atan2(b, a)) % 360


def _cos(degrees: float) -> float:
    return math.cos(math.radians(degrees))
