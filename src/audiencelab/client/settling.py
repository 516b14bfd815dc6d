"""What was chosen of an import's guesses: the survey is opened again, or edited, with the choices.

A survey that `al.open` keeps in the user's cache is made again from what it was opened with, so
that each choice can be taken back. A survey folder gets its next version, as by `client.edit`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import reduce
from typing import TYPE_CHECKING, Any, cast

import msgspec

from audiencelab.client.changes import change_survey
from audiencelab.import_card import with_arguments

if TYPE_CHECKING:
    from audiencelab.client import Client
    from audiencelab.client.connection.reopening import Reopening
    from audiencelab.ingest.meaning.guess import Guess, GuessOption


@dataclass(frozen=True)
class Settled:
    """A guess with the choice that was made.

    argument: where the choice is an argument that the client was opened with, its name, and the
    question that it is of; what was there before is not known then.
    """

    guess: Guess
    choice: GuessOption
    argument: tuple[str, str] | None = None

    @property
    def before(self) -> GuessOption | None:
        """The choice that was the present one."""
        present = (each for each in self.guess.choices if each.present)
        return None if self.argument else next(present, None)

    @property
    def is_undone(self) -> bool:
        """Whether it is what was there before."""
        if self.argument:
            return not (self.choice.opens or self.choice.edits)
        return self.before is not None and is_same(self.before, self.choice)

    def shown(self, guess: Guess) -> Guess:
        """A guess as it is now, with the choices in the order in which they were before."""
        choices = tuple(
            msgspec.structs.replace(each, present=is_same(each, self.choice))
            for each in self.guess.choices
        )
        return msgspec.structs.replace(guess, choices=choices)


def is_same(one: GuessOption, other: GuessOption) -> bool:
    """Whether two choices do the same; those that do nothing have the same words."""
    if not (one.opens or one.edits or other.opens or other.edits):
        return one.label == other.label
    return (one.opens, one.edits) == (other.opens, other.edits)


class SettledGuesses:
    """The choices that were made of a client's survey, by guess, in their order.

    `chosen` has them. Where a survey cannot be made again, a choice may be one that only a line of
    code makes; `refusal` says so.
    """

    def __init__(self, client: Client) -> None:
        context = client.sender.context
        self.chosen: dict[str, Settled] = {}
        self._client = client
        self._reopen = cast("Reopening[Client] | None", context.reopen)
        self._records: dict[str, dict[str, Any]] = {}
        if self._can_open:
            self._recall()
        # What the client was opened with can be taken back, so that it is given with the choices.
        self._without = [each.argument for each in self.chosen.values() if each.argument]

    def choose(self, key: str, guess: Guess, choice: GuessOption) -> None:
        """Make a choice in place of the one that this guess has; the client answers with it.

        Raises `LookupError` with the line of code for a choice that cannot be made here, and as
        `client.edit` and `al.open`; nothing changes then.
        """
        others = {name: each for name, each in self.chosen.items() if name != key}
        known = self.chosen.get(key)
        settled = replace(known, choice=choice) if known else Settled(guess, choice)
        self._apply(others if settled.is_undone else {**others, key: settled})

    def take_back(self, key: str) -> None:
        """Take a choice back; raises as `choose`."""
        others = {name: each for name, each in self.chosen.items() if name != key}
        if key in self.chosen:
            self._apply(others)

    def refusal(self, choice: GuessOption) -> str:
        """Why a choice cannot be made; "" where it can."""
        if choice.edits or not choice.opens or self._can_open:
            return ""
        return "Only opening the file again changes this: the code does it."

    @property
    def _can_open(self) -> bool:
        from audiencelab.ingest.versions import is_cached

        service = self._client.sender.context.service
        return self._reopen is not None and service is not None and is_cached(service.survey)

    def _recall(self) -> None:
        """Find the choices that the client was opened and edited with, as by a document."""
        assert self._reopen is not None
        edits = self._client.sender.context.edits
        made = dict(zip(edits.code, edits.made, strict=False))
        asked = self._reopen.given
        named = {(name, "") for name in ("weight", "wave") if name in asked}
        for name in ("kind", "missing"):
            named |= {(name, key) for key in _by_question(asked.get(name))}
        if not named and len(edits.made) == edits.at_opening:
            return
        # The guesses of before the edits, which are not in the report any more.
        plain = self._reopen({}) if made else self._client
        for guess in () if plain is None else plain.import_report.guesses:
            for choice in guess.choices:
                key, argument = key_of(guess), _argument_of(choice)
                if not choice.present and (record := made.get(_edit_code(choice))) is not None:
                    self.chosen[key] = Settled(guess, choice)
                    self._records[key] = record
                elif choice.present and argument in named:
                    named.discard(argument)
                    self.chosen[key] = Settled(guess, choice, argument)
        for _, question in (each for each in named if each[0] == "missing" and each[1] != "*"):
            settled = _given_missing(question, asked["missing"][question])
            self.chosen.setdefault(key_of(settled.guess), settled)

    def _apply(self, chosen: Mapping[str, Settled]) -> None:
        new = [key for key, each in chosen.items() if self.chosen.get(key) != each]
        gone = [key for key, each in self.chosen.items() if chosen.get(key) != each]
        if not gone and not any(chosen[key].choice.opens for key in new):
            for key in new:
                self._records[key] = _edit(self._client, chosen[key].choice)
        elif self._can_open:
            self._open_again(chosen)
        else:
            self._edit_back(chosen, new, gone)
        self.chosen = {**chosen}

    def _open_again(self, chosen: Mapping[str, Settled]) -> None:
        """Open the source with the choices, and make the edits again."""
        context = self._client.sender.context
        assert self._reopen is not None
        settled = [*self._records.values()]
        edits = context.edits
        own = [
            pair
            for pair in zip(edits.made, edits.code, strict=True)
            if not any(pair[0] is each for each in settled)
        ][edits.at_opening :]
        if odd := next((code for record, code in own if "change" in record), ""):
            raise LookupError(
                f"This choice opens the file again, and the survey was changed in code: {odd} "
                "Open it with the choice first, and run that line again."
            )
        opens: dict[str, Any] = reduce(
            with_arguments, (each.choice.opens for each in chosen.values()), dict[str, Any]()
        )
        again = self._reopen(opens, self._without)
        if again is None:
            raise LookupError("The frame that this survey was made of is gone: open it again.")
        for record, code in own:
            _edit_again(again, record, code)
        records = {
            key: _edit(again, each.choice) for key, each in chosen.items() if each.choice.edits
        }
        context.become(again.sender.context)
        self._records = records

    def _edit_back(self, chosen: Mapping[str, Settled], new: list[str], gone: list[str]) -> None:
        """Change a survey folder: what was chosen is edited to what was there before."""
        back = {key: self.chosen[key].before for key in gone if key not in chosen}
        choices = [*(chosen[key].choice for key in new), *back.values()]
        if why := next((why for each in choices if each and (why := self.refusal(each))), ""):
            raise LookupError(why)
        if any(each is None or not each.edits for each in choices):
            raise LookupError(
                "This choice is written into the survey folder, and cannot be taken back here: "
                "open the files that it was made of, al.open(file)."
            )
        for each in choices:
            assert each is not None
            _edit(self._client, each)


def key_of(guess: Guess) -> str:
    """The id of a guess, which stays the same when a choice of it is made.

    >>> from audiencelab.ingest.meaning.guess import Guess, GuessOption
    >>> choices = [GuessOption("a grid", opens={"kind": {"q7": "grid"}})]
    >>> key_of(Guess.of_choices("q7", "several answers", "one stem", choices))
    'kind q7'
    """
    for choice in guess.choices:
        for argument, value in choice.opens.items():
            if argument == "kind":
                return f"kind {next(iter(_by_question(value)), '')}"
            is_setting = not isinstance(value, Mapping)
            return argument if is_setting else f"{argument} {guess.subject} {guess.about}"
    return f"{guess.subject} {guess.about} {guess.said}"


def _by_question(given: object) -> list[str]:
    return [*cast("Mapping[str, Any]", given)] if isinstance(given, Mapping) else []


def _argument_of(choice: GuessOption) -> tuple[str, str] | None:
    """The argument of `al.open` that makes a choice, and the question that it is of."""
    for name, value in choice.opens.items():
        return name, next(iter(_by_question(value)), "")
    return None


def _edit_code(choice: GuessOption) -> str:
    """The edit of a choice as a client writes it behind its own code."""
    named = [f"{name}={value!r}" for name, value in choice.edits.items() if name != "question"]
    return f".edit({', '.join([repr(choice.edits.get('question')), *named])})"


def _given_missing(question: str, codes: Any) -> Settled:
    """Missing codes that a client was opened with, which are in no report."""
    from audiencelab.ingest.meaning.guess import Guess, GuessOption

    is_one = isinstance(codes, str) or not isinstance(codes, Iterable)
    listed: list[Any] = [codes] if is_one else [*cast("Iterable[Any]", codes)]
    label = f"no answer: {', '.join(map(str, listed))}" if listed else "every value is an answer"
    choice = GuessOption(label, present=True, opens={"missing": {question: listed}})
    choices = (choice, GuessOption("as the import takes it by itself"))
    guess = Guess(question, "missing", "missing codes, as asked for", choices=choices)
    return Settled(guess, choice, ("missing", question))


def _edit(client: Client, choice: GuessOption) -> dict[str, Any]:
    """Make the edit of a choice; its record."""
    client.edit(**choice.edits)
    return client.sender.context.edits.made[-1]


def _edit_again(client: Client, record: Mapping[str, Any], code: str) -> None:
    from audiencelab.ingest.editing import edit_survey
    from audiencelab.ingest.edits import Edit

    edit = msgspec.convert(record, Edit)
    context = client.sender.context
    change_survey(context, lambda survey: edit_survey(survey, edit), record, code, quiet=True)
