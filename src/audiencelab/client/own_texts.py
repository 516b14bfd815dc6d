"""The open answers that a survey keeps, and those that a call names."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, TypeAlias

from audiencelab.client.catalogue.labels import did_you_mean
from audiencelab.client.context import ClientContext
from audiencelab.client.errors import UnknownCodeError
from audiencelab.client.respondents import service_here
from audiencelab.schema.listing import ListedTuple
from audiencelab.wording import without_controls

if TYPE_CHECKING:
    from audiencelab.survey.reader import Survey
    from audiencelab.survey.texts import StoredText

TextsLike: TypeAlias = bool | str | Iterable[str]
"""Open answers by the names of their columns or by their labels; True for all."""


class OwnTexts:
    """The part of a client that is about open answers."""

    _context: ClientContext

    @property
    def texts(self) -> ListedTuple[StoredText]:
        """The open answers that the survey keeps, for `client.respondents(text=…)`.

        Each has the `name` of its column, its `label`, and `question`: the code of the question
        that it belongs to, "" for none. Raises `LookupError` where the respondents are not in this
        process.

        >>> client.texts
        none
        """
        return open_answers(service_here(self._context).survey)


def open_answers(survey: Survey) -> ListedTuple[StoredText]:
    """The open answers of a survey, without keys of respondents."""
    found = (each for each in survey.texts if not each.is_key)
    return ListedTuple(found, ("name", "label", "question"))


def named_texts(survey: Survey, text: TextsLike) -> list[StoredText]:
    """The open answers that a call names; raises `UnknownCodeError` that lists those there are."""
    known = open_answers(survey)
    if isinstance(text, bool):
        return [*known] if text else []
    by_name = {each.label.casefold(): each for each in known}
    by_name |= {each.name.casefold(): each for each in known}
    by_name |= {each.name: each for each in known}
    wanted = [text] if isinstance(text, str) else [*text]
    for name in wanted:
        if name not in by_name and name.casefold() not in by_name:
            raise UnknownCodeError(_unknown(name, known), [name])
    return [by_name.get(name) or by_name[name.casefold()] for name in wanted]


def _unknown(name: str, known: Iterable[StoredText]) -> str:
    names = {each.name: each.label or each.name for each in known}
    if not names:
        return (
            f"text={name!r} is not valid: the survey keeps no open answers. al.open(file) keeps "
            "those of free text; al.open(file, text=['q9_other']) those of these columns."
        )
    from audiencelab.survey.errors import listed

    there = without_controls(listed([*names], 12))
    return f"There is no open answer {name!r}. The survey keeps {there}.{did_you_mean(name, names)}"
