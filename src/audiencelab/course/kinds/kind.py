"""What all kinds of answer have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from audiencelab.course.errors import AnswerError
from audiencelab.course.respondents import Respondents

__all__ = ["Kind", "is_waiting", "shown_type"]


class Kind(ABC):
    """A kind of answer. Plain: what JSON holds, so that it can be kept and checked again."""

    @property
    @abstractmethod
    def asks_for(self) -> str:
        """The kind in words: "a number (per cent)"."""

    @abstractmethod
    def read(self, given: Any, respondents: Respondents) -> Any:
        """The answer as plain JSON; raises `AnswerError` for what is none of this kind."""

    @abstractmethod
    def same(self, answer: Any, wanted: Any, respondents: Respondents) -> bool:
        """Whether a plain answer is what is wanted, within what rounding explains."""

    @abstractmethod
    def shown(self, answer: Any, respondents: Respondents) -> str:
        """A plain answer as an instructor reads it."""

    def remark(self, answer: Any, wanted: Any, respondents: Respondents) -> tuple[str, str] | None:
        """A slip that any exercise of this kind may meet: its name, and what to say."""
        return None

    def refuse(self, given: Any, advice: str) -> AnswerError:
        """The error for an answer of another kind."""
        return AnswerError(
            f"This exercise asks for {self.asks_for}; you gave {shown_type(given)}. {advice}"
        )


def is_waiting(given: Any) -> bool:
    """Whether there is no answer yet: the exercises come with `...` in its place."""
    return given is None or given is Ellipsis


def shown_type(given: Any) -> str:
    """What somebody gave, in words."""
    shape = getattr(given, "shape", None)
    name = type(given).__name__
    if isinstance(shape, tuple) and shape:
        return f"a {name} of {' × '.join(map(str, shape))}"  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType] -- whatever has a shape
    if isinstance(given, str):
        return f"the text {given[:40]!r}"
    return f"{'an' if name[0].lower() in 'aeiou' else 'a'} {name}"
