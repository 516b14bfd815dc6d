"""The card of a workbench: what the import took for granted, and what may be chosen."""

from __future__ import annotations

from audiencelab.widgets.rpc_types import Args, Data


class CardChoice(Data):
    """One way to take what a line is about.

    code: the Python that makes it so; "" for the present one where nothing has to be written.
    """

    label: str
    code: str
    present: bool


class CardGuess(Data):
    """One thing that was taken for granted.

    id: of the line. subject: what it is about, such as "weight". name: of the question; "" for a
    part of the survey. said: a sentence with its figures. severity: 0 where a figure is wrong if
    the guess is, to 3 for a plain fact. choices: none where only code changes it. code: that code.
    refusal: why no other choice can be made here; "" where it can. changed: whether the present
    choice was made here.
    """

    id: str
    subject: str
    name: str
    said: str
    severity: int
    choices: list[CardChoice]
    code: str
    refusal: str
    changed: bool


class CardFact(Data):
    """A fact of the first line. worst: whether figures are wrong if it is."""

    text: str
    worst: bool


class SurveyCard(Data):
    """What the card shows.

    facts: of the first line. first: which questions the first table shows, and why; "" for a table
    that was asked for. guesses: the worst first; none for a survey that was not imported here.
    gone: what is no longer in the table since the last choice.
    """

    facts: list[CardFact]
    first: str
    guesses: list[CardGuess]
    gone: list[str]


class SettleArgs(Args):
    """Make a choice. guess: the id of a line. choice: its position in the line's choices."""

    guess: str
    choice: int


class UnsettleArgs(Args):
    """Take a choice back. guess: the id of a line."""

    guess: str
