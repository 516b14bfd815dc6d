"""What comes of a file that is added to a survey, and what a caller says of one."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Self

import msgspec
from msgspec import UNSET, UnsetType

from audiencelab.import_card import CardLine, ImportCard
from audiencelab.ingest.card import card_lines, every_line
from audiencelab.ingest.draft.given import GivenMissing, by_question
from audiencelab.ingest.drift import Decide
from audiencelab.ingest.joining import Joined
from audiencelab.ingest.report import ImportReport
from audiencelab.survey.errors import listed
from audiencelab.survey.reader import Survey
from audiencelab.wording import plural

Weight = str | UnsetType | None
"""The column of a file's weight: UNSET for the survey's, None where all weigh 1."""


@dataclass(frozen=True, slots=True)
class Added:
    """The result of adding waves.

    names: of the waves. report: what the import of the file read and took for granted. weight_bits:
    of the old version and of the new one. is_repeated: whether the survey had the file already, and
    nothing was done. is_dry: whether nothing was written.
    """

    survey: Survey
    waves: tuple[str, ...]
    names: tuple[str, ...]
    joined: Joined
    weight_bits: tuple[int, int]
    report: ImportReport = field(default_factory=ImportReport)
    is_repeated: bool = False
    is_dry: bool = False

    def card(self) -> ImportCard:
        """What was added and taken for granted, in 12 lines at most."""
        files = listed([each.file for each in self.report.sources]) or "the frame"
        if self.is_repeated:
            return ImportCard(f"{files}: the survey has it already, and nothing was changed")
        respondents = sum(each.respondents for each in self.report.waves)
        waves = listed([*self.names])
        added = "would be added" if self.is_dry else "added"
        title = f"{files}: {plural(respondents, 'respondent')} {added} as {waves}"
        facts = [plural(len(self.survey.waves) + self.is_dry * len(self.waves), "wave")]
        counts = (("new question", self.joined.questions), ("new answer", self.joined.answers))
        facts += [plural(len(each), what) for what, each in counts if each]
        # Each drift that changes a figure has a line of its own.
        told = self.report.guesses
        drifts = [each for each in told if each.subject == "drift" and each.severity < 2]
        others = card_lines([each for each in told if each not in drifts])
        lines = [*every_line(drifts), *others]
        return ImportCard(title, tuple(facts), tuple(sorted(lines, key=_severity)))

    @property
    def is_refused(self) -> bool:
        """Whether something has to be decided first."""
        return any(each.refuses for each in self.report.drift)


def _severity(line: CardLine) -> int:
    return line.severity


class WaveArguments(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a caller says of a file that is added."""

    wave: str | None = None
    weight: Weight = UNSET
    encoding: str | None = None
    sheet: str | int | None = None
    missing: dict[str, Any] | None = None
    decide: dict[str, Any] | None = None

    @classmethod
    def of(
        cls,
        *,
        wave: str | None = None,
        weight: Weight = UNSET,
        encoding: str | None = None,
        sheet: str | int | None = None,
        missing: GivenMissing | None = None,
        decide: Decide | None = None,
    ) -> Self:
        """As callers give them: codes by question or of all, a column by itself or by its name."""
        return cls(
            wave,
            getattr(weight, "name", weight),
            encoding,
            sheet,
            None if missing is None else by_question(missing),
            None if decide is None else {**decide},
        )
