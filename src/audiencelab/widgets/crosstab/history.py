"""The past of what a grid asks: steps that can be taken back, and taken again.

A history is a value; every function gives a new one. Not here: what a step is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

__all__ = ["STEPS", "History"]

STEPS = 100
"""How many steps can be taken back."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class History(Generic[T]):
    """What is now, what was before it, and what was taken back.

    past: at most `STEPS`. future: what `undone` left. The nearest to now is the last of either.
    """

    now: T
    past: tuple[T, ...] = ()
    future: tuple[T, ...] = ()

    def followed_by(self, step: T) -> History[T]:
        """After one more step; what was taken back before it is gone. The same is no step."""
        if step == self.now:
            return self
        return History(step, (*self.past, self.now)[-STEPS:])

    def undone(self) -> History[T]:
        """A step back; the same where there is none."""
        if not self.past:
            return self
        return History(self.past[-1], self.past[:-1], (*self.future, self.now))

    def redone(self) -> History[T]:
        """A step forward again; the same where there is none."""
        if not self.future:
            return self
        return History(self.future[-1], (*self.past, self.now), self.future[:-1])
