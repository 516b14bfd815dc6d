"""The images of simulations: SVG that is the same on the page and in static forms.

The page colours it by its own theme, by class (`js/src/play/play.css`); elsewhere it has the
colours that are written in it, on a light ground.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from audiencelab.markup import escape

WIDTH = 640
SIZES = (10, 8, 6, 5, 4, 3, 2, 1.5, 1)
"""Diameters of dots, the largest first."""
HEIGHT = 170
"""Of the highest pile."""

LOOKS = {
    "ground": "fill='#fff'",
    "band": "fill='#1769c0' fill-opacity='.14'",
    "axis": "stroke='#767676'",
    "truth": "stroke='#222' stroke-width='2'",
    "ghost": "stroke='#767676'",
    "dot": "stroke='#1769c0'",
    "latest": "stroke='#b3470b'",
    "hit": "stroke='#1769c0' stroke-width='1.2'",
    "miss": "stroke='#b3470b' stroke-width='3'",
    "first": "fill='#1769c0'",
    "second": "fill='#b3470b'",
    "whole": "fill='#767676'",
    "words": "fill='#222'",
}
"""The look of each class on a page that has no style sheet of ours."""


class Drawing:
    """An image of lines, dots, bars and words, from the bottom to the top."""

    def __init__(self, height: float) -> None:
        self._height = round(height)
        self._parts: list[str] = []
        self.bar("ground", 0, 0, WIDTH, height)

    def lines(self, look: str, ends: Iterable[tuple[float, float, float, float]]) -> None:
        """Lines from (x, y) to (x, y)."""
        self._path(look, "".join(f"M{x:.4g} {y:.4g}L{u:.4g} {v:.4g}" for x, y, u, v in ends))

    def piles(self, look: str, size: float, piles: Iterable[tuple[float, float, int]]) -> None:
        """Dots of a diameter above each other: of each pile the lowest (x, y), and how many.

        A pile is a dotted line, so that thousands of dots stay small.
        """
        dotted = f" stroke-width='{size}' stroke-linecap='round' stroke-dasharray='0 {size}'"
        path = "".join(f"M{x:.4g} {y:.4g}v-{(dots - 0.7) * size:.4g}" for x, y, dots in piles)
        self._path(look, path, dotted)

    def moved(self, before: float, after: float, y: float) -> None:
        """A dot, with a smaller one where it was before."""
        self.lines("axis", [(before, y, after, y)])
        self.piles("ghost", 7, [(before, y, 1)])
        self.piles("latest", 11, [(after, y, 1)])

    def bar(self, look: str, x: float, y: float, width: float, height: float) -> None:
        """A filled rectangle."""
        at = f"x='{x:.4g}' y='{y:.4g}' width='{width:.4g}' height='{height:.4g}'"
        self._parts.append(f"<rect class='{look}' {LOOKS[look]} {at}/>")

    def words(self, x: float, y: float, words: str, anchor: str = "start") -> None:
        """Words on a line that begins, ends or has its middle there."""
        at = f"x='{x:.4g}' y='{y:.4g}' text-anchor='{anchor}' font-size='13'"
        self._parts.append(f"<text class='words' {LOOKS['words']} {at}>{escape(words)}</text>")

    def _path(self, look: str, path: str, more: str = "") -> None:
        if path:
            style = f"class='{look}' {LOOKS[look]}{more}"
            self._parts.append(f"<path fill='none' {style} d='{path}'/>")

    def __str__(self) -> str:
        opened = f"xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {WIDTH} {self._height}'"
        font = "font-family='system-ui,sans-serif'"
        return f"<svg {opened} width='{WIDTH}' {font}>{''.join(self._parts)}</svg>"


class PercentScale:
    """Percentages from left to right: a window of always the same width around one of them.

    So a change of n changes the spread in the image, and not the scale.
    """

    SHOWN = 60
    LEFT, RIGHT = 20, WIDTH - 20

    def __init__(self, share: float) -> None:
        half = self.SHOWN / 2
        self.share = share
        self.low = min(max(round((share - half) / 10) * 10, 0), 100 - self.SHOWN)
        self.points = (self.RIGHT - self.LEFT) / self.SHOWN
        """Of the image in one percentage point."""

    def x(self, share: float) -> float:
        """Where a percentage is; those outside of the window are at its ends."""
        inside = min(max(share, self.low), self.low + self.SHOWN)
        return self.LEFT + (inside - self.low) * self.points

    def draw(self, drawing: Drawing, top: float, y: float) -> None:
        """A line at the percentage, from the top to the axis, with values below."""
        drawing.lines("truth", [(self.x(self.share), top, self.x(self.share), y)])
        ticks = range(self.low, self.low + self.SHOWN + 1, 10)
        drawing.lines("axis", [(self.LEFT, y, self.RIGHT, y)])
        drawing.lines("axis", [(self.x(each), y, self.x(each), y + 4) for each in ticks])
        for each in ticks:
            drawing.words(self.x(each), y + 18, f"{each}%", "middle")


def piled(chosen: list[int], per_pixel: float) -> tuple[int, float, Counter[int]]:
    """How many possible results a pile has, the diameter of a dot, and the dots of each pile.

    All piles have as many: one of two results beside one of three would be a false peak.
    """
    for size in SIZES:
        wide = max(1, -int(-size * per_pixel // 1))
        piles = Counter(each // wide for each in chosen)
        if size * max(piles.values(), default=0) <= HEIGHT or size == SIZES[-1]:
            return wide, size, piles
    raise AssertionError
