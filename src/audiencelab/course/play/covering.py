"""A hundred intervals: how many of them contain the truth."""

from __future__ import annotations

from statistics import NormalDist
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from audiencelab.analysis.interval_formulas import wilson
from audiencelab.course.play.drawing import Drawing, PercentScale
from audiencelab.course.play.game import Game, Turn
from audiencelab.course.play.given import share_control, size_control
from audiencelab.course.play.protocol import PlayControl

if TYPE_CHECKING:
    import pandas as pd

    from audiencelab.results.arrow import HasFrame

INTERVALS = 100
_TOP, _APART = 24, 3.2


class Intervals(Game):
    """A hundred surveys with the confidence interval of each, drawn again and again."""

    _title = "A hundred surveys, a hundred confidence intervals"
    _buttons: ClassVar = {"Draw again": 1}
    _most = 1_000

    def __init__(self, share: float | HasFrame, n: int, level: float, seed: int) -> None:
        self._seed = seed
        levels = PlayControl("level", "Confidence level", level, 50, 99, 1, "%")
        super().__init__([share_control(share), size_control(n), levels], 1)

    def to_frame(self) -> pd.DataFrame:
        """One row for each survey: draw, percentage, lower, upper, contains."""
        import pandas as pd

        n, share, level = (self._values[each] for each in ("n", "share", "level"))
        times = self._count * INTERVALS
        found = np.random.default_rng(self._seed).binomial(int(n), share / 100, times) / n
        low, high = wilson(found, np.full(times, n), NormalDist().inv_cdf((1 + level / 100) / 2))
        frame = 100 * pd.DataFrame({"percentage": found, "lower": low, "upper": high})
        frame.insert(0, "draw", np.arange(times) // INTERVALS + 1)
        return frame.assign(contains=(frame["lower"] <= share) & (share <= frame["upper"]))

    def _turn(self) -> Turn:
        share, level, found = self._values["share"], self._values["level"], self.to_frame()
        latest = found[found["draw"] == self._count]
        hits, all_hits = int(latest["contains"].sum()), int(found["contains"].sum())
        so_far = f"{all_hits:,} of {len(found):,}"
        missing = "1 misses it" if hits == INTERVALS - 1 else f"{INTERVALS - hits} miss it"
        words = (
            f"{hits} of {INTERVALS} intervals contain the true share of {share:g}%; {missing}. "
            f"At a level of {level:g}%, about {level:g} of 100 contain it in the long run"
        )
        if self._count > 1:
            words += f": so far {so_far}, or {100 * all_hits / len(found):.1f}%"
        width = f"{(latest['upper'] - latest['lower']).mean():.1f} points"
        alt = (
            f"{INTERVALS} horizontal lines, one for each interval, on average {width} "
            f"wide, and a vertical line at the true share of {share:g}%. The lines of the "
            f"{INTERVALS - hits} intervals that miss it are thicker and of another colour."
        )
        figures = {"Contain it": f"{hits} of {INTERVALS}", "So far": so_far, "Average width": width}
        return Turn(_drawn(latest, share), alt, f"{words}.", figures)


def _drawn(latest: pd.DataFrame, share: float) -> Drawing:
    floor = _TOP + INTERVALS * _APART + 6
    drawing, scale = Drawing(round(floor) + 26), PercentScale(share)
    drawing.words(scale.x(share), 14, "true share", "middle")
    scale.draw(drawing, _TOP - 4, floor)
    ends = latest.assign(y=_TOP + _APART * (np.arange(len(latest)) + 0.5))
    for look, those in (("hit", ends[ends["contains"]]), ("miss", ends[~ends["contains"]])):
        rows = those[["lower", "upper", "y"]].itertuples(index=False)
        drawing.lines(look, [(scale.x(low), y, scale.x(high), y) for low, high, y in rows])
    return drawing
