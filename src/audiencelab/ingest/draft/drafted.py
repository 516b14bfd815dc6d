"""A drafted codebook with its reasons and guesses, as text, as a card and in a file."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from audiencelab.files import put_new
from audiencelab.import_card import ImportCard
from audiencelab.ingest.card import card_lines, facts_of
from audiencelab.ingest.codebook import Codebook
from audiencelab.ingest.codebook_files import codebook_toml
from audiencelab.ingest.meaning.guess import Guess
from audiencelab.survey.errors import SurveyError


@dataclass(frozen=True)
class Draft:
    """A drafted codebook.

    reasons: why it is as it is, by location as `codebook_toml` takes them. left_out: columns that
    make no question, each with the reason. respondents: how many rows the sources have, and
    without_weight how many of them have none of the weight that was chosen. unanswered: the answers
    that the file declares missing and that were given by people who were asked, by question.
    objection: why an import refuses the weight that was asked for; "" if it does not.
    guesses: what was taken for granted, each with the code that changes it.
    """

    codebook: Codebook
    reasons: dict[str, list[str]]
    left_out: dict[str, str]
    respondents: int = 0
    without_weight: int = 0
    unanswered: dict[str, str] = field(default_factory=dict[str, str])
    objection: str = ""
    guesses: tuple[Guess, ...] = ()

    def to_toml(self) -> str:
        """The codebook as TOML, each reason as a comment above what it explains.

        >>> import pandas as pd
        >>> from audiencelab.ingest import draft_codebook
        >>> frame = pd.DataFrame({"tea": ["yes", "no", "no"], "sex": ["f", "m", "f"]})
        >>> "[questions" in draft_codebook(frame).to_toml()
        True
        """
        comments = dict(self.reasons)
        comments[""] = [*comments.get("", ()), *comments.get("check", ())]
        kept = {each.column for each in self.codebook.texts}
        left_out = {name: why for name, why in self.left_out.items() if name not in kept}
        if left_out:
            lines = [f"  {name or '(no name)'}: {why}" for name, why in left_out.items()]
            comments["end"] = ["Left out:", *lines]
        return codebook_toml(self.codebook, comments)

    def card(self) -> ImportCard:
        """What is taken for granted, the worst first, in 12 lines at most.

        >>> import pandas as pd
        >>> from audiencelab.ingest import draft_codebook
        >>> frame = pd.DataFrame({"tea": ["a", "b", "b"], "sex": ["f", "m", "f"]})
        >>> draft_codebook(frame).card()
        Drafted from the frame: 3 respondents, 2 columns · no weight · base: those who answered · 2
        questions
          weight           no weight: no column is named like one; all weigh 1
          key              the row of the file, from 1  al.open(…, key="COLUMN")
        """
        title = self.reasons[""][0].rstrip(".")
        facts = facts_of(self.codebook, len(self.codebook.waves))
        return ImportCard(title, tuple(facts), card_lines(self.guesses))

    def save(self, path: str | Path) -> Path:
        """Write the TOML into a new file; `SurveyError` if it exists, or the disk is full.

        >>> import pandas as pd
        >>> from audiencelab.ingest import draft_codebook
        >>> frame = pd.DataFrame({"tea": ["yes", "no", "no"], "sex": ["f", "m", "f"]})
        >>> draft_codebook(frame).save(folder / "survey.toml").name
        'survey.toml'
        """
        target = Path(path).expanduser()
        try:
            put_new(target, self.to_toml().encode())
        except FileExistsError:
            raise SurveyError(
                f"{target} exists already, and may have been edited: choose another name."
            ) from None
        return target
