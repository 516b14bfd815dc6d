"""The profile of an audience: itself against every answer of a catalogue, one line for each.

It is a crosstab of answers by one audience, filling as its cells arrive, with the question and
the answer of every row beside it. Frames and rankings are made in `profiling`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

from audiencelab.expressions import Audience
from audiencelab.plumbing import plumbing
from audiencelab.results.crosstab import CrosstabData
from audiencelab.results.provenance import waves_words
from audiencelab.results.stats import Provenance
from audiencelab.wording import harmless, plural

Ranking = Literal["index", "difference", "surprise"]
Direction = Literal["both", "over", "under"]


class ProfilePoint(NamedTuple):
    """One answer of one question, by code and by name.

    own: whether the audience itself is defined by the question, and so differs in it anyway.
    """

    question: str
    question_label: str
    datapoint: str
    datapoint_label: str
    own: bool = False


@plumbing("count", "expected")
@dataclass(slots=True, repr=False, eq=False)
class ProfileData:
    """An audience against the answers of many questions.

    points: the answers, in the order of the catalogue. table: a crosstab with a row for each of
        them and the audience as its column. Both are empty until the catalogue is there.
    """

    points: tuple[ProfilePoint, ...]
    table: CrosstabData

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

    def __repr__(self) -> str:
        name = self.audience.name or "of an audience"
        of = f" of {self.expected:,}" if not self.complete else ""
        questions = len({point.question for point in self.points})
        return harmless(
            f"<{type(self).__name__} {name}: {self.count:,}{of} answers "
            f"to {plural(questions, 'question')}{waves_words(self.provenance)}>"
        )
