"""The card of a workbench: the guesses of its survey's import, and choices of them.

The choices are made where a guess is made (`ingest.meaning.guess`); here they are shown, and the
survey and the table changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import msgspec

from audiencelab.client.settling import SettledGuesses, key_of
from audiencelab.errors import AudienceError
from audiencelab.import_card import code_of_call
from audiencelab.widgets.crosstab import Crosstab
from audiencelab.widgets.crosstab.axis import as_axis
from audiencelab.widgets.crosstab.kept import QueryKeeper
from audiencelab.widgets.crosstab.query import GridQuery
from audiencelab.widgets.who_counts import usual_base_of
from audiencelab.widgets.workbench.card_protocol import (
    CardChoice,
    CardFact,
    CardGuess,
    SurveyCard,
)
from audiencelab.wording import plural

if TYPE_CHECKING:
    from audiencelab.client import Catalogue, Client
    from audiencelab.ingest.meaning.guess import Guess
    from audiencelab.survey.reader import Survey

Keep: TypeAlias = Callable[[GridQuery, list[str]], GridQuery]
"""What is kept of a query; the names of what is gone are added to the list."""

_DRAFT = "draft_codebook("
_BASE = "base_of"
_ALIKE = 2
"""So many further questions of which the same is guessed share a line."""

_SETTINGS = ("weight", "wave", _BASE)
"""The lines that a survey always has, in this order."""


class SurveyCards:
    """The card of one workbench. grid: its table, which is asked again after a choice."""

    def __init__(self, client: Client, grid: Callable[[], Crosstab]) -> None:
        self._client = client
        self._grid = grid
        self._first: tuple[GridQuery, str] | None = None
        self._before: dict[str, tuple[GridQuery, GridQuery]] = {}
        self._listed: list[str] = []

    def begin(self, first: str) -> None:
        """Say of the present query that it is the first table, and why it is that."""
        self._first = (self._grid().value, first)

    def state(self, gone: Sequence[str] = ()) -> SurveyCard:
        """What the page shows."""
        guesses = self._guesses()
        first = self._first[1] if self._first and self._first[0] == self._grid().value else ""
        shown = [self._line(key, guess) for key, guess in guesses.items()]
        return SurveyCard([*self._facts(guesses)], first, shown, [*gone])

    def settle(self, key: str, place: int) -> Keep | None:
        """Make a choice of a guess; what is kept of a query, None where the survey stays.

        Raises as `SettledGuesses.choose`, and for a line that is not there any more.
        """
        guess = self._guesses().get(key)
        if guess is None or not 0 <= place < len(guess.choices):
            raise AudienceError("The card has changed: look again, and choose.")
        choice = guess.choices[place]
        if key == _BASE:
            self._grid().base_of = choice.opens[_BASE]
            return None
        before = self._client.catalogue
        self._settled().choose(key, guess, choice)
        return partial(self._kept, self._keeper(before), key)

    def unsettle(self, key: str) -> Keep | None:
        """Take a choice back; the query is the one before it, unless another was asked since."""
        if key == _BASE:
            self._grid().base_of = None
            return None
        before = self._client.catalogue
        self._settled().take_back(key)
        return partial(self._back, self._keeper(before), key)

    def _keeper(self, before: Catalogue) -> QueryKeeper:
        waves = {wave.code for wave in self._client.waves()}
        return QueryKeeper(before, self._client.catalogue, waves)

    def _kept(self, keeper: QueryKeeper, key: str, asked: GridQuery, gone: list[str]) -> GridQuery:
        kept = keeper.of(asked)
        gone += kept.gone
        query = kept.query
        if not query.rows and asked.rows:
            # A table needs rows, also if all of them are gone.
            first = self._client.catalogue.first_table()
            made = as_axis(first.axes[0], "rows", lambda: self._client.catalogue)
            query = replace(query, rows=made)
            self._first = (query, str(first))
        # A choice in place of another leads back to the query before both.
        self._before[key] = (self._before.get(key, (asked, asked))[0], query)
        return query

    def _back(self, keeper: QueryKeeper, key: str, asked: GridQuery, gone: list[str]) -> GridQuery:
        before, after = self._before.pop(key, (asked, None))
        return before if after == asked else self._kept(keeper, key, asked, gone)

    def _settled(self) -> SettledGuesses:
        context = self._client.sender.context
        if not isinstance(context.settled, SettledGuesses):
            context.settled = SettledGuesses(self._client)
        return context.settled

    # -- what is shown ---------------------------------------------------------------------------

    @property
    def _survey(self) -> Survey | None:
        """The survey, where it was imported into this process."""
        service = self._client.sender.context.service
        survey = service.survey if service is not None else None
        return survey if survey is not None and survey.import_report is not None else None

    def _guesses(self) -> dict[str, Guess]:
        """The guesses by the id of their line: settings first, then the worst."""
        if self._survey is None:
            return {}
        found: dict[str, Guess] = {}
        told = self._client.import_report.guesses
        # The first of them has all columns that may be the weight as its choices.
        chosen = any(guess.subject == "weight" and guess.choices for guess in told)
        for guess in [self._of_base(), *told]:
            if guess.subject == "weight" and chosen and not guess.choices:
                continue
            if guess.severity > 1 and not guess.choices and _DRAFT in guess.code:
                # Only a codebook says it, and nothing is in doubt.
                continue
            key = key_of(guess)
            # Of a question it says what the line of the survey's base chooses.
            if key == _BASE and key in found:
                guess = msgspec.structs.replace(guess, choices=())
                key = key_of(guess)
            found.setdefault(key, guess)
        found = _joined(found)
        for key, settled in self._settled().chosen.items():
            found[key] = settled.shown(found.get(key, settled.guess))
        return {key: found[key] for key in self._in_order(found)}

    def _in_order(self, found: Mapping[str, Guess]) -> list[str]:
        """The lines in their order, in which one stays where it was when it is chosen."""
        listed = [key for key in self._listed if key in found]
        new = [key for key in found if key not in listed]
        for key in sorted(new, key=lambda key: _place(key, found[key])):
            place = _place(key, found[key])
            after = [at for at, each in enumerate(listed) if _place(each, found[each]) <= place]
            listed.insert(after[-1] + 1 if after else 0, key)
        self._listed = listed
        return listed

    def _of_base(self) -> Guess:
        from audiencelab.ingest.draft.told import base_choices
        from audiencelab.ingest.meaning.guess import Guess

        choices = base_choices(self._grid().base_of)
        return Guess.of_choices("base", "base", "whom a cell counts", choices, 3)

    def _line(self, key: str, guess: Guess) -> CardGuess:
        settled, question = self._settled(), self._client.catalogue.of_code(guess.about)
        call = self._call
        refusals = [settled.refusal(each) for each in guess.choices if not each.present]
        changed = key in settled.chosen
        if key == _BASE:
            refusals = []
            changed = self._grid().base_of != usual_base_of(self._client)
        return CardGuess(
            key,
            guess.subject,
            "" if question is None else f"{question.name}{_more(guess)}",
            guess.said,
            guess.severity,
            [
                CardChoice(each.label, code_of_call(each.code, *call), each.present)
                for each in guess.choices
            ],
            code_of_call(guess.code, *call) if guess.code.startswith("al.open(…") else guess.code,
            next(iter(refusals), ""),
            changed,
        )

    @property
    def _call(self) -> tuple[str, Mapping[str, str]]:
        """The call of `al.open` as code: its source and its other arguments."""
        source, *given = self._client.sender.context.opened or ("…",)
        return source, dict(each.split("=", 1) for each in given)

    def _facts(self, guesses: Mapping[str, Guess]) -> Iterator[CardFact]:
        """The first line: how many, when, weighted by what, and how much was guessed."""
        client = self._client
        try:
            waves = client.waves()
        except AudienceError:
            waves = ()
        if count := sum(wave.sample or 0 for wave in waves):
            yield CardFact(plural(count, "respondent"), worst=False)
        if len(waves) > 1:
            yield CardFact(plural(len(waves), "wave"), worst=False)
        weights = client.weights
        weight = guesses.get("weight")
        is_worst = weight is not None and weight.severity == 0
        if weights:
            named = f"weighted by {weights[0]}" if weights[0] else "no weight"
            yield CardFact(named, worst=is_worst)
        answered = self._grid().base_of == "valid"
        yield CardFact("those who answered" if answered else "everyone", worst=False)
        if guesses:
            others = sum(key not in _SETTINGS for key in guesses)
            yield CardFact(plural(others, "guess"), worst=False)
        else:
            yield CardFact(plural(len(client.catalogue), "question"), worst=False)


def _joined(found: Mapping[str, Guess]) -> dict[str, Guess]:
    """The guesses, those of several questions of which the same is true as one of them all."""
    alike: dict[Any, list[str]] = {}
    for key, guess in found.items():
        same = [(each.label, each.present) for each in guess.choices]
        if guess.severity > 1 and same and not any(each.opens for each in guess.choices):
            alike.setdefault((guess.subject, guess.said, *same), []).append(key)
    joined = dict(found)
    for first, *others in alike.values():
        if len(others) < _ALIKE:
            continue
        codes = [found[key].about for key in (first, *others)]
        choices = tuple(
            msgspec.structs.replace(each, edits=each.edits and {**each.edits, "question": codes})
            for each in found[first].choices
        )
        joined[first] = msgspec.structs.replace(found[first], choices=choices)
        for key in others:
            del joined[key]
    return joined


def _more(guess: Guess) -> str:
    """How many further questions a guess is of."""
    several = [each.edits.get("question") for each in guess.choices if each.edits]
    count = len(cast("list[str]", several[0])) if several and isinstance(several[0], list) else 1
    return f" and {count - 1:,} more" if count > 1 else ""


def _place(key: str, guess: Guess) -> tuple[int, int]:
    if key in _SETTINGS:
        return -1, _SETTINGS.index(key)
    return guess.severity, 0
