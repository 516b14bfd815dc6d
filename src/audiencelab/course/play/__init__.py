"""Simulations for lessons: set something, and see at once what it does.

    course.play.ask_again(share=37, n=500)      # one survey after the other: dots pile up
    course.play.intervals(share=37, n=500)      # a hundred intervals: how many miss the truth
    course.play.weights(people=30, interviews=15, answers=(60, 20))
    course.play.base({"Everyone": table, "Parents": table_of_parents})

Each is a widget: sliders and buttons, an image, and the result as a sentence. Python does the same
with `.set(n=2000)` and `.press("Ask again")`, and `.to_frame()` has the figures. The same seed
shows the same surveys to a whole class. Without a kernel the last image stays.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from audiencelab.course.play.game import Game
    from audiencelab.results.arrow import HasFrame

__all__ = ["ask_again", "base", "intervals", "weights"]


def __dir__() -> list[str]:
    return __all__


def ask_again(
    share: float | HasFrame = 50, n: int = 1_000, *, surveys: int = 1, seed: int = 1
) -> Game:
    """Ask the same question of other people, again and again: the results pile up as dots.

    share: the true share in per cent, or a crosstab, whose first cell has it. n: people asked by
    each survey, from 50 to 4,000. surveys: how many there are at the beginning. seed: of the
    random numbers. Raises `CourseError` for a value that a slider does not have.

    >>> from audiencelab import course
    >>> game = course.play.ask_again(share=37, n=500, surveys=200)
    >>> spread, formula = game.to_frame()["percentage"].std(), (37 * 63 / 500) ** 0.5
    >>> print(f"{spread:.2f} {formula:.2f}")
    2.06 2.16
    """
    from audiencelab.course.play.asking import AskAgain

    return AskAgain(share, n, surveys, seed)


def intervals(
    share: float | HasFrame = 50, n: int = 1_000, *, level: float = 95, seed: int = 1
) -> Game:
    """Draw a hundred surveys with their confidence intervals: some miss the true share.

    share, n, seed: as of `ask_again`. level: the confidence level in per cent, from 50 to 99. The
    intervals are Wilson's, of simple random samples.

    >>> from audiencelab import course
    >>> game = course.play.intervals(share=37, n=500)
    >>> int(game.to_frame()["contains"].sum())
    96
    """
    from audiencelab.course.play.covering import Intervals

    return Intervals(share, n, level, seed)


def weights(
    people: float | HasFrame = 30,
    interviews: float = 15,
    *,
    answers: tuple[float, float] = (60, 20),
    n: int = 1_000,
    groups: tuple[str, str] = ("Young", "Old"),
) -> Game:
    """Weight two groups to their shares of people: the percentage and the effective base move.

    people, interviews: the first group's share in per cent. answers: the percentage of each group
    that gives an answer. n: interviews. Instead of all of them, people is a crosstab of one row and
    two columns that share all people between them. The design effect is Kish's, a rule of thumb.

    >>> from audiencelab import course
    >>> game = course.play.weights(people=30, interviews=15, answers=(60, 20))
    >>> game.to_frame()["weight"].round(2).tolist()
    [2.0, 0.82]
    """
    from audiencelab.course.play.given import TwoGroups, two_groups
    from audiencelab.course.play.weighting import Weights

    if not isinstance(people, int | float):
        return Weights(two_groups(people))
    return Weights(TwoGroups(people, interviews, answers, n, groups))


def base(tables: Mapping[str, Any]) -> Game:
    """Compare the same cells with other people: the index of the first row on one base or another.

    tables: crosstabs of the same row and columns, by the name of their base. Raises `CourseError`
    for fewer than two, and for tables of different columns.

    >>> from audiencelab import course
    >>> people = course.classroom()
    >>> young = people["Age"] == "18 to 24"
    >>> everyone = people.crosstab("Gender", "Age")
    >>> of_young = people.crosstab("Gender", "Age", base_audience=young)
    >>> game = course.play.base({"Everyone": everyone, "Young": of_young})
    >>> len(game.to_frame())
    7
    """
    from audiencelab.course.play.rebasing import Base

    return Base(tables)
