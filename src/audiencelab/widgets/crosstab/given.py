"""What people add to a grid, as lines: picks, questions, saved audiences, expressions, widgets.

One word says how: "split" makes one line of each audience and of each answer, "and" one line of
those to whom all of it applies, "or" one of those to whom any of it does.

Not here: where the lines go.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import TYPE_CHECKING, Literal, cast, get_args

from audiencelab.client.operations.audiences import MOST_LEVELS
from audiencelab.errors import AudienceError
from audiencelab.expressions import (
    Audience,
    Expression,
    KeptAudience,
    Leaf,
    Q,
    all_of,
    any_of,
    as_audience,
)
from audiencelab.expressions.rendering import Labels
from audiencelab.render.markup import shorten
from audiencelab.results.banner import Heads
from audiencelab.widgets.crosstab.edits import QuestionError, is_plain
from audiencelab.widgets.crosstab.lines import Lines, as_lines
from audiencelab.wording import articled

if TYPE_CHECKING:
    from audiencelab.client import Catalogue

__all__ = ["How", "audience_given", "audiences_given", "lines_given"]

How = Literal["split", "and", "or"]

_HEAD_LENGTH = 120
"""Characters of a head that is a question's name; some questions are whole sentences."""


def lines_given(
    given: object,
    catalogue: Catalogue | None,
    *,
    how: How = "split",
    heads: Iterable[str] = (),
    name: str = "",
) -> Lines:
    """The lines that are meant.

    given: a `QuestionPicker`, an `AudienceEditor` or their values; questions of the catalogue, or
        their names or codes; audiences, saved audiences and expressions; and lists and mappings of
        heads of all of these. Lines of another grid keep their heads, and stay nets.
    how: see above. Of answers, those of one question are always alternatives: "and" of two genders
        and two ages is people of either gender who are of either age.
    heads: those over the new lines, above the heads they bring along. With "split" the answers of
        a question stand under its name.
    name: what the one line of "and" or "or" is called; nothing is its own words.

    Raises `TypeError` for what is none of these, `UnknownCodeError` for a question that the
    catalogue does not have, and `QuestionError` for nothing at all, for another `how`, and for
    heads without words or more of them above each other than a table may have.
    """
    if how not in get_args(How):
        raise QuestionError(f"how is one of {', '.join(get_args(How))}, not {how!r}.")
    above = _heads(heads)
    if how == "split":
        lines = _split(given, catalogue)
    else:
        lines = Lines([_combined(given, catalogue, how, name)])
    if not lines:
        raise QuestionError("There is nothing to add: pick answers, or name audiences.")
    if len(above) + max(map(len, lines.heads)) > MOST_LEVELS:
        raise QuestionError(f"No more than {MOST_LEVELS} heads stand above each other.")
    return Lines(lines, ((*above, *each) for each in lines.heads), lines.nets)


def _heads(given: object) -> Heads:
    """Heads as they were given, one or several: each a text with words in it."""
    listed = [given] if isinstance(given, str) else given
    if not isinstance(listed, Iterable):
        raise TypeError(f"heads is a text, or a list of them, not {type(listed).__name__}.")
    heads = tuple(cast("Iterable[object]", listed))
    for head in heads:
        if not isinstance(head, str):
            raise TypeError(f"A head is a text, not {type(head).__name__}.")
        if not head.strip():
            raise QuestionError("A head needs a name: leave heads out for lines without one.")
    return cast("Heads", heads)


def audiences_given(given: object, catalogue: Catalogue | None) -> list[Audience]:
    """One audience for each that is meant, as with "split", without heads: to nest under."""
    return list(lines_given(given, catalogue))


def audience_given(given: object, catalogue: Catalogue | None) -> Audience:
    """The one audience that is meant, as with "and": a base. Nothing is everyone."""
    return _combined(given, catalogue, "and", "")


# -- one line of each --------------------------------------------------------------------------


def _split(given: object, catalogue: Catalogue | None) -> Lines:
    parts = [_lines_of(each, catalogue) for each in _listed(given, catalogue)]
    return Lines(
        chain.from_iterable(parts),
        chain.from_iterable(part.heads for part in parts),
        chain.from_iterable(part.nets for part in parts),
    )


def _lines_of(each: object, catalogue: Catalogue | None) -> Lines:
    if isinstance(each, Mapping | Lines):
        return as_lines(cast("object", each), "what is added", lambda: catalogue) or Lines()
    if isinstance(each, Leaf) and is_plain(each):
        answers = list(_answers(each, catalogue))
        return Lines(answers, [(_question_name(each, catalogue),)] * len(answers))
    return Lines([_audience(each, catalogue)])


def _answers(leaf: Leaf, catalogue: Catalogue | None) -> Iterator[Audience]:
    """One audience for each answer of a leaf, called by it."""
    codes = leaf.datapoints
    if not codes and catalogue is not None:
        codes = tuple(each.code for each in catalogue[leaf.question].datapoints if each.accessible)
    if not codes:
        yield as_audience(leaf, catalogue)
        return
    suffixes = [_suffix_name(leaf, code, catalogue) for code in leaf.suffixes]
    with_suffixes = f" ({' or '.join(suffixes)})" if suffixes else ""
    for code in codes:
        name = catalogue and catalogue.datapoint_name(leaf.question, code)
        yield Audience(
            f"{name or code}{with_suffixes}", Leaf(leaf.question, (code,), leaf.suffixes)
        )


def _question_name(leaf: Leaf, labels: Labels | None) -> str:
    name = labels.question_name(leaf.question) if labels else None
    return shorten(name or leaf.question, _HEAD_LENGTH)


def _suffix_name(leaf: Leaf, code: str, labels: Labels | None) -> str:
    return (labels.suffix_name(leaf.question, code) if labels else None) or code


# -- one line of all ---------------------------------------------------------------------------


def _combined(
    given: object, catalogue: Catalogue | None, how: Literal["and", "or"], name: str
) -> Audience:
    """One audience of everything that is meant; a single named one stays what it is."""
    each = [_audience(one, catalogue) for one in _flat(_listed(given, catalogue), catalogue)]
    if len(each) == 1:
        return each[0].renamed(name) if name else each[0]
    parts = list(dict.fromkeys(audience.expression for audience in each))
    if how == "or" and (not each or None in parts):
        raise QuestionError("Any of these, of whom one is everyone, is everyone: leave that out.")
    known = [part for part in parts if part is not None]
    if len(known) < 2:
        expression = next(iter(known), None)
    else:
        expression = all_of(*known) if how == "and" else any_of(*known)
    return as_audience(Audience(name, expression), catalogue)


def _flat(given: Iterable[object], catalogue: Catalogue | None) -> Iterator[object]:
    for each in given:
        if isinstance(each, Mapping | Lines):
            yield from as_lines(cast("object", each), "what is added", lambda: catalogue) or ()
        else:
            yield each


# -- what is meant -----------------------------------------------------------------------------


def _listed(given: object, catalogue: Catalogue | None) -> list[object]:
    """What was given as a list of audiences, expressions, lines and mappings of heads."""
    from audiencelab.client import CatalogueQuestion

    value = _value(given)
    if value is None:
        return []
    if isinstance(value, str):
        return [Q(_found(value, catalogue)).any()]
    if isinstance(value, CatalogueQuestion):
        return [Q(value.code).any()]
    if isinstance(value, Audience | Expression | KeptAudience | Mapping | Lines):
        return [cast("object", value)]
    if isinstance(value, Iterable):
        return [one for each in cast("Iterable[object]", value) for one in _listed(each, catalogue)]
    raise TypeError(
        f"What is added is {articled(type(given).__name__)}: give audiences, expressions such as "
        "al.Q('q4').any('q4_2'), questions of the catalogue, or a picker."
    )


def _value(given: object) -> object:
    """What a picker or an editor holds; anything else is meant as it is."""
    from audiencelab.widgets.lab_widget import LabWidget

    return cast("object", getattr(given, "value", given)) if isinstance(given, LabWidget) else given


def _found(question: str, catalogue: Catalogue | None) -> str:
    if catalogue is None:
        raise AudienceError(f"There is no catalogue to look {question!r} up in.")
    return catalogue[question].code


def _audience(given: object, labels: Labels | None) -> Audience:
    return as_audience(cast("Audience", given), labels)
