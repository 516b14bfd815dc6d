"""Recipes of derived questions: nets, bands and crosses of the questions that were asked.

A recipe is data: written in TOML or in Python, kept in the survey, and followed again when a wave
is added. `deriving` follows them; `docs/how-to/surveys.md` shows each kind.
"""

from __future__ import annotations

from math import isfinite
from pathlib import Path

import msgspec

from audiencelab.survey.errors import SurveyError
from audiencelab.survey.toml import parse_toml

__all__ = ["Band", "Bands", "Cross", "Net", "NetPoint", "Recipe", "load_recipes"]


class _Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A part of a recipe; a field that it does not know is a slip of the pen."""


class NetPoint(_Part, frozen=True):
    """A datapoint of a net: whoever gave any of some datapoints.

    any: codes of the datapoints. suffixes: of a grid, the suffixes that count; all where left out.
    code: the net's code and the place where it is left out.
    """

    name: str
    any: tuple[str, ...]
    suffixes: tuple[str, ...] = ()
    code: str | None = None
    midpoint: float | None = None


class Band(_Part, frozen=True):
    """A datapoint of bands: whoever gave a datapoint whose midpoint lies in the band.

    min and max belong to the band, below does not. midpoint: the middle of the band where it is
    left out and both ends are given, neither of them infinite.
    """

    name: str
    min: float | None = None
    max: float | None = None
    below: float | None = None
    code: str | None = None
    midpoint: float | None = None

    def holds(self, number: float) -> bool:
        """Whether a number falls into the band."""
        return (
            (self.min is None or number >= self.min)
            and (self.max is None or number <= self.max)
            and (self.below is None or number < self.below)
        )

    @property
    def middle(self) -> float | None:
        """The number that the band stands for."""
        end = self.max if self.max is not None else self.below
        if self.midpoint is not None or self.min is None or end is None:
            return self.midpoint
        middle = (self.min + end) / 2
        return middle if isfinite(middle) else None


class _Derived(_Part, frozen=True, kw_only=True, tag_field="kind"):
    """What all recipes have. namespace: of the (first) question it is made from, if left out."""

    code: str
    name: str
    namespace: str | None = None
    description: str = ""


class Net(_Derived, frozen=True, kw_only=True, tag="net"):
    """Datapoints of one question put together.

    rest: the name of one more datapoint, for those who were asked and are in none of the others.
    """

    question: str
    datapoints: tuple[NetPoint, ...]
    rest: str = ""


class Bands(_Derived, frozen=True, kw_only=True, tag="bands"):
    """The midpoints of one question's datapoints divided into bands."""

    question: str
    datapoints: tuple[Band, ...]


class Cross(_Derived, frozen=True, kw_only=True, tag="cross"):
    """Two questions combined: a datapoint for each datapoint of the one with each of the other."""

    questions: tuple[str, str]


Recipe = Net | Bands | Cross


class _File(_Part, frozen=True):
    questions: tuple[Recipe, ...]


def load_recipes(path: str | Path) -> tuple[Recipe, ...]:
    """The recipes of a TOML file; `SurveyError` names the file and the place."""
    file = Path(path).expanduser()
    try:
        return msgspec.convert(parse_toml(file.read_text("utf-8")), _File).questions
    except FileNotFoundError:
        raise SurveyError(f"{file}: there is no such file of recipes.") from None
    except OSError as error:
        raise SurveyError(f"{file} cannot be read: {error.strerror}.") from None
    except msgspec.ValidationError as error:
        raise SurveyError(f"{file}: {error}; a kind is 'net', 'bands' or 'cross'.") from None
    except ValueError as error:  # no TOML, no UTF-8
        raise SurveyError(f"{file}: {error}") from None
