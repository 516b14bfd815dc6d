"""Weights: what it does to a percentage, and costs, to weight two groups to their shares."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from audiencelab.course.play.drawing import Drawing
from audiencelab.course.play.game import Game, Turn
from audiencelab.course.play.given import TwoGroups, both, mean_of, percent

if TYPE_CHECKING:
    import pandas as pd

_LEFT, _LONG, _ROW, _TOP = 110, 410, 34, 26


class Weights(Game):
    """Two groups, whose interviews are weighted to their shares of people."""

    _title = "Weights: two groups, weighted to their shares of people"

    def __init__(self, given: TwoGroups) -> None:
        self._given, first = given, given.groups[0]
        people = percent("people", f"People: {first}", given.people)
        super().__init__([people, percent("interviews", f"Interviews: {first}", given.interviews)])

    def to_frame(self) -> pd.DataFrame:
        """One row for each group: people, interviews and answer in per cent, and the weight."""
        import pandas as pd

        people, interviews = self._values["people"], self._values["interviews"]
        shares = {"people": [people, 100 - people], "interviews": [interviews, 100 - interviews]}
        weights = [people / interviews, (100 - people) / (100 - interviews)]
        groups = {"group": self._given.groups, **shares, "answer": self._given.answers}
        return pd.DataFrame({**groups, "weight": weights})

    def _turn(self) -> Turn:
        found, (first, second), n = self.to_frame(), self._given.groups, self._given.n
        people, interviews, answers, (one, other) = (
            found[each].tolist() for each in ("people", "interviews", "answer", "weight")
        )
        before, after = mean_of(answers, interviews), mean_of(answers, people)
        # Weights have a mean of 1, so Kish's n Σw² / (Σw)² is the mean of their squares.
        effect = mean_of([one**2, other**2], interviews)
        worth = f"{n / effect:,.0f}"
        figures = {"Unweighted": f"{before:.1f}%", "Weighted": f"{after:.1f}%"}
        figures |= {f"Weight of {first}": f"{one:.2f}", f"Weight of {second}": f"{other:.2f}"}
        figures |= {"Design effect (Kish)": f"{effect:.2f}", "Effective base": f"{worth} of {n:,}"}
        words = (
            f"{before:.1f}% of the interviews become {after:.1f}% of people: each respondent of "
            f"“{first}” counts {one:.2f} times, of “{second}” {other:.2f} times. {n:,} interviews "
            f"are worth {worth} of a simple random sample."
        )
        bars = [
            ("People", people, both(people)),
            ("Interviews", interviews, both(interviews)),
            ("Unweighted", [before], f"{before:.1f}%"),
            ("Weighted", [after], f"{after:.1f}%"),
            ("Effective base", [100 / effect], worth),
        ]
        listed = "; ".join(f"{name} {text}" for name, _, text in bars)
        alt = f"Bars, the first two divided into “{first}” and “{second}”. {listed}."
        return Turn(_drawn(bars, self._given.groups), alt, words, figures)


def _drawn(bars: Sequence[tuple[str, list[float], str]], groups: tuple[str, str]) -> Drawing:
    drawing, looks = Drawing(_ROW * len(bars) + _TOP), ("first", "second")
    for at, (look, group) in enumerate(zip(looks, groups, strict=True)):
        drawing.bar(look, _LEFT + at * _LONG / 2, 3, 12, 12)
        drawing.words(_LEFT + at * _LONG / 2 + 18, 14, group)
    for at, (name, parts, text) in enumerate(bars):
        top, left = _TOP + _ROW * at, float(_LEFT)
        drawing.words(0, top + 17, name)
        for look, part in zip(looks if len(parts) > 1 else ["whole"], parts, strict=True):
            drawing.bar(look, left, top, _LONG * part / 100, _ROW - 8)
            left += _LONG * part / 100
        drawing.words(left + 6, top + 17, text)
    return drawing
