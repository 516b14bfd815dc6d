"""One result, one version of the survey: where the survey changes, the result starts again.

The first answer of a result names the version of the survey (`Survey-Version`); it is sent back
with each further request, which another version refuses. A service that names no version is not
asked for one.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from functools import wraps
from typing import Any, TypeVar, cast

from audiencelab.client.errors import SurveyChanged
from audiencelab.client.names import read_once
from audiencelab.client.sending import Sender
from audiencelab.client.stream.collector import CrosstabUpdate

F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")

RESTARTS = 2
"""How often a result starts again; a survey that changes more often is not asked for ever."""


class Attempts:
    """The attempts to get one result; those of a part of another result are not its own.

    sender: of the present attempt.
    """

    def __init__(self, sender: Sender) -> None:
        self._usual = sender
        self._left = RESTARTS if sender.held is None else 0
        self.sender = sender.holding() if sender.held is None else sender

    def again(self, error: SurveyChanged) -> None:
        """Begin another attempt; raises the error where none is left."""
        if self._usual.held is not None:
            raise error
        if not self._left:
            error.message = f"The survey changed {RESTARTS + 1} times in a row. {error.message}"
            raise error
        self._left -= 1
        self.sender = self._usual.holding()

    def run(self, ask: Callable[[Sender], T]) -> T:
        """What `ask` returns in the first attempt to its end."""
        while True:
            try:
                return ask(self.sender)
            except SurveyChanged as error:
                self.again(error)

    def updates(
        self, fill: Callable[[Sender], Generator[CrosstabUpdate, None]]
    ) -> Generator[CrosstabUpdate, None]:
        """The updates of `fill`, and of those that follow where the survey changes."""
        while True:
            try:
                yield from fill(self.sender)
            except SurveyChanged as error:
                self.again(error)
            else:
                return


def of_one_version(method: F) -> F:
    """A method whose result is of one version of the survey: it is called again after a change."""

    @wraps(method)
    def call(self: Any, *given: Any, **named: Any) -> Any:
        # An iterator would be empty when the method is called again.
        given = tuple(map(read_once, given))
        named = {name: read_once(each) for name, each in named.items()}
        attempts = Attempts(self._sender)
        while True:
            try:
                return method(_asking_by(self, attempts.sender), *given, **named)
            except SurveyChanged as error:
                attempts.again(error)

    return cast(F, call)


def _asking_by(asker: T, sender: Sender) -> T:
    """A copy of a client, or of a group of its operations, that sends by another sender."""
    copied = object.__new__(type(asker))
    vars(copied).update(vars(asker), _sender=sender)
    return copied
