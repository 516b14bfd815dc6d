"""Ask again: how the results of one survey after the other scatter around the truth."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np

from audiencelab.course.play.drawing import Drawing, PercentScale, piled
from audiencelab.course.play.game import Game, Turn
from audiencelab.course.play.given import share_control, size_control
from audiencelab.course.reference import Z95
from audiencelab.wording import plural

if TYPE_CHECKING:
    import pandas as pd

    from audiencelab.results.arrow import HasFrame

_FLOOR = 200


class AskAgain(Game):
    """Surveys of other people one after the other, each with the share that it finds."""

    _title = "Ask again: the same question to other people"
    _buttons: ClassVar = {"Ask again": 1, "Ask 100 times": 100}
    _most = 2_000

    def __init__(self, share: float | HasFrame, n: int, surveys: int, seed: int) -> None:
        self._seed = seed
        super().__init__([share_control(share), size_control(n)], surveys)

    def to_frame(self) -> pd.DataFrame:
        """One row for each survey, the first one first: n, chosen, percentage."""
        import pandas as pd

        n, share = int(self._values["n"]), self._values["share"] / 100
        chosen = np.random.default_rng(self._seed).binomial(n, share, self._count)
        return pd.DataFrame({"n": n, "chosen": chosen, "percentage": 100 * chosen / n})

    def _turn(self) -> Turn:
        n, share, times = int(self._values["n"]), self._values["share"], self._count
        found = self.to_frame()["percentage"].tolist()
        latest, spread = "–", "–"
        words, alt = "No survey yet: press Ask again.", "An empty scale"
        if times:
            latest, middle = f"{found[-1]:.1f}%", np.quantile(found, [0.25, 0.75])
            words = (
                f"Survey {times:,} asks {n:,} people and finds {latest}; the truth is {share:g}%."
            )
            alt = (
                f"{plural(times, 'dot')}, one for each survey, from {min(found):.1f}% to "
                f"{max(found):.1f}%, half of them from {middle[0]:.1f}% to {middle[1]:.1f}%"
            )
        error = f"{(share * (100 - share) / n) ** 0.5:.2f} points"
        if times > 1:
            spread = f"{np.std(found, ddof=1):.2f} points"
            words += f" All {times:,} results have a standard deviation of {spread}: "
            words += f"√(p(100 − p)/n) is {error}."
        figures = {"Surveys": f"{times:,}", "Latest": latest, "Standard deviation of all": spread}
        alt += f"; a line marks the true share of {share:g}%."
        return Turn(self._drawn(share, n), alt, words, figures | {"√(p(100 − p)/n)": error})

    def _drawn(self, share: float, n: int) -> Drawing:
        drawing, scale = Drawing(_FLOOR + 26), PercentScale(share)
        reach = Z95 * (share * (100 - share) / n) ** 0.5
        left, right = scale.x(share - reach), scale.x(share + reach)
        drawing.bar("band", left, 20, right - left, _FLOOR - 20)
        drawing.words((left + right) / 2, 14, "95 of 100 fall here", "middle")
        scale.draw(drawing, 20, _FLOOR)
        chosen = self.to_frame()["chosen"].tolist()
        wide, size, piles = piled(chosen, n / (100 * scale.points))
        at = {pile: scale.x(100 * (pile * wide + (wide - 1) / 2) / n) for pile in piles}
        dots = [(at[pile], _FLOOR - size / 2, count) for pile, count in piles.items()]
        drawing.piles("dot", size, dots)
        for last in chosen[-1:]:
            top = _FLOOR - size * (piles[last // wide] - 0.5)
            drawing.piles("latest", max(size, 7), [(at[last // wide], top, 1)])
        return drawing
