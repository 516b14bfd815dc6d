"""The profile of an audience: itself against every answer of a catalogue, one line for each.

It is a crosstab of answers by one audience, filling as its cells arrive, with the question and
the answer of every row beside it, and adjusted shares where they were asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from audiencelab.expressions import Audience, Leaf
from audiencelab.expressions.labels import ANY_POINT
from audiencelab.hidden_members import hide_members
from audiencelab.results.crosstab import CrosstabData
from audiencelab.results.made import Made
from audiencelab.results.provenance import waves_words
from audiencelab.results.stats import Provenance
from audiencelab.schema.local import Adjusted
from audiencelab.wording import half_up, plural, without_controls

Floats = NDArray[np.float64]

Ranking = Literal["index", "difference", "surprise"]
Direction = Literal["both", "over", "under"]


class ProfilePoint(NamedTuple):
    """One answer of one question, by code and by name.

    own: whether the audience itself is defined by the question, and so differs in it anyway.
    expression: who gave it, for an item of a question that has a code of its own.
    """

    question: str
    question_label: str
    datapoint: str
    datapoint_label: str
    own: bool = False
    expression: Leaf | None = None


MOST_LACKING = 0.05
"""The part of the base that cells without anybody of the audience may have, to be left out."""

_FIGURES = (
    *("share", "rest_share", "variance", "rest_variance", "rest_covariance", "pooled"),
    *("freedom", "rest_freedom", "lacking", "rest_lacking"),
)


class Adjustment:
    """The shares of a profile as if the audience had the composition of its base.

    Figures are float64[answers] in shares of 1, as of `schema.local.Adjusted`, NaN where they have
    not arrived.

    questions: code and name of each whose answers are crossed. cells: combinations of answers that
    anybody of the base gave. empty: how many of them no respondent of the audience gave. absent:
    the part of the base in these. unanswered: the part without an answer to each question.
    how: what variances account for, other than strata and clusters.
    """

    __slots__ = ("_figures", "absent", "cells", "empty", "how", "questions", "unanswered")

    def __init__(self, questions: Sequence[tuple[str, str]], answers: int) -> None:
        self.questions = tuple(questions)
        self._figures = {name: np.full(answers, np.nan) for name in _FIGURES}
        self.cells = self.empty = 0
        self.absent = 0.0
        self.unanswered: tuple[float, ...] = ()
        self.how = ""

    def store(self, part: slice, found: Adjusted) -> None:
        """The figures of some answers."""
        for name, values in self._figures.items():
            # The audience is the only column.
            values[part] = getattr(found, name)[:, 0]
        self.cells, self.empty = found.cells, int(found.empty[0])
        self.absent, self.how = float(found.absent[0]), found.how
        self.unanswered = tuple(found.unanswered[:, 0].tolist())

    def figure(self, name: str, rows: Any = slice(None)) -> Floats:
        """One figure of all answers, or of some.

        Those of answers are NaN where the audience, or the rest, has no respondent in cells of more
        than `MOST_LACKING` of those who are counted.
        """
        values = self._figures[name][rows]
        if name in ("lacking", "rest_lacking"):
            return values
        # Negated, so that NaN (not arrived) is hidden, too.
        hidden = ~(self._figures["lacking"][rows] <= MOST_LACKING)
        if name not in ("share", "variance", "freedom"):
            hidden |= ~(self._figures["rest_lacking"][rows] <= MOST_LACKING)
        return np.where(hidden, np.nan, values)

    @property
    def title(self) -> str:
        """The names of the questions: "Age × Gender"."""
        return " × ".join(name for _, name in self.questions)

    @property
    def note(self) -> str:
        """What was adjusted, for people."""
        facts = [plural(self.cells, "cell")]
        if self.empty:
            part = part_of(self.absent)
            facts.append(f"{self.empty:,} without the audience, {part} of the base, left out")
        facts += [
            f"no answer to {name} is an answer of its own, {part_of(part)} of the base"
            for (_, name), part in zip(self.questions, self.unanswered, strict=False)
            if part > 0
        ]
        how = f"; {self.how}" if self.how else ""
        return f"Adjusted to the base's composition by {self.title} ({'; '.join(facts)}){how}"


def part_of(share: float) -> str:
    """A part of the base as it is written: "0.4%", "less than 0.1%"."""
    percent = half_up(100 * share, 1)
    return f"{percent:.1f}%" if percent or not share else "less than 0.1%"


@hide_members("count", "expected", "made", "on_grids")
@dataclass(slots=True, repr=False, eq=False)
class ProfileData:
    """An audience against the answers of many questions.

    points: the answers, in the order of the catalogue. table: a crosstab with a row for each of
        them and the audience as its column. Both are empty until the catalogue is there.
    adjustment: the shares of an audience that is adjusted to the composition of its base.
    made: how the profile was made, for `to_code`.
    """

    points: tuple[ProfilePoint, ...]
    table: CrosstabData
    adjustment: Adjustment | None = None
    made: Made = None

    @property
    def audience(self) -> Audience:
        """Whose profile it is."""
        return self.table.columns[0]

    @property
    def base_audience(self) -> Audience | None:
        """Whom the audience is compared with; None is everyone."""
        return self.table.base_audience

    @property
    def provenance(self) -> Provenance:
        """Service, survey or address, waves and locations asked for, time."""
        return self.table.provenance

    @property
    def expected(self) -> int:
        """How many answers make the profile complete; 0 until the catalogue is there."""
        return self.table.expected

    @property
    def count(self) -> int:
        """How many answers have arrived."""
        return self.table.count

    @property
    def complete(self) -> bool:
        """Whether every answer has arrived."""
        return bool(self.points) and self.table.complete

    def __len__(self) -> int:
        return self.count

    @property
    def on_grids(self) -> str:
        """What is counted of grids, for people; "" without one."""
        items = [each for each in self.points if each.datapoint_label.endswith(ANY_POINT)]
        if not items:
            return ""
        names = list(dict.fromkeys(each.question_label for each in items))
        listed = f"{', '.join(names[:3])}{f' and {len(names) - 3:,} more' * (len(names) > 3)}"
        return (
            f"Of {listed} each item counts with any point of its scale; its points are compared "
            f"where the item is asked for: client.profile(audience, {items[0].datapoint!r})."
        )

    def __repr__(self) -> str:
        name = self.audience.name or "of an audience"
        of = f" of {self.expected:,}" if not self.complete else ""
        adjusted = f", adjusted for {self.adjustment.title}" if self.adjustment else ""
        questions = len({point.question for point in self.points})
        return without_controls(
            f"<{type(self).__name__} {name}: {self.count:,}{of} answers "
            f"to {plural(questions, 'question')}{waves_words(self.provenance)}{adjusted}>"
        )
