"""The code of a cell for what is dragged or inserted: it runs after the cell that connects.

Whoever runs it has `client`, and `audiencelab` as `al`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from audiencelab.errors import AudienceError
from audiencelab.expressions import Audience, as_audience
from audiencelab.expressions.codes import WAVES
from audiencelab.schema.queries import DEFAULT_WAVES
from audiencelab.widgets.picker.selection import (
    AnswerNames,
    Picked,
    as_expression,
    checked_selection,
    leaves_of,
)

if TYPE_CHECKING:
    from audiencelab.client import Client

__all__ = ["SnippetError", "snippet"]

_WIDTH = 88


class SnippetError(AudienceError, ValueError):
    """What was asked for makes no cell; the message says what does."""


def snippet(client: Client, args: Mapping[str, Any]) -> str:
    """The code for `args`, which have a `kind` and a `selection` or the `id` of something saved.

    question: the shares of each picked question's answers. audience: the people to whom all that
        is picked applies, or the saved ones, and how many they are.
    crosstab: the answers of the first question by those of the others; of one alone, by the waves
        that a crosstab counts when it is told none.

    Raises `SnippetError` for anything else, and the client's errors.
    """
    makers: dict[str, Callable[[Client, Mapping[str, Any]], str]] = {
        "question": _question,
        "audience": _audience,
        "crosstab": _crosstab,
    }
    kind = args.get("kind")
    if not isinstance(kind, str) or kind not in makers:
        raise SnippetError(f"kind is one of {', '.join(makers)}.")
    return makers[kind](client, args)


def _question(client: Client, args: Mapping[str, Any]) -> str:
    calls = [_stats(each) for each in _picked(client, args)]
    # A cell shows the last of what it says by itself.
    return "\n".join([*(f"display({call})" for call in calls[:-1]), calls[-1]])


def _audience(client: Client, args: Mapping[str, Any]) -> str:
    if args.get("id"):
        audience = _saved(client, str(args["id"]))
    else:
        expression = as_expression(leaves_of(_picked(client, args)))
        audience = as_audience(expression, client.catalogue)
    # It has a name of its own, so that the cells below can go on with it.
    given = audience.to_code().removeprefix("al.Audience(").removesuffix(")")
    return f"{_call('audience = al.Audience', [given])}\nclient.crosstab(rows=[audience])"


def _crosstab(client: Client, args: Mapping[str, Any]) -> str:
    first, *others = _picked(client, args)
    names = AnswerNames(client)
    given = [f"rows={_answers(first, names)}"]
    if others:
        given.append(f"columns={_banner(others, names)}")
    elif len(client.waves()) > 1:
        wave = f"al.Q({WAVES!r}).any(wave.code)"
        last = f"client.waves()[-{DEFAULT_WAVES}:]"
        given.append(f"columns=[al.Audience(wave.name, {wave}) for wave in {last}]")
    return _call("client.crosstab", given)


def _banner(entries: Sequence[Picked], names: AnswerNames) -> str:
    """Python of columns: answers of several questions stand under the names of these."""
    if len(entries) == 1:
        return _answers(entries[0], names)
    heads: dict[str, str] = {}
    for picked, leaf in zip(entries, leaves_of(entries), strict=True):
        head = names.question(leaf)
        # Two questions may have one name; their codes tell them apart.
        heads[head if head not in heads else f"{head} ({picked['question']})"] = _answers(
            picked, names
        )
    lines = [f"{head!r}: {code}" for head, code in heads.items()]
    return "{\n" + "".join(f"    {each},\n" for each in _indented(lines)) + "}"


def _answers(picked: Picked, names: AnswerNames) -> str:
    """Audiences for the answers of one entry: all of them by the catalogue, or those named."""
    if not picked["datapoints"] and not picked["suffixes"]:
        return f"client.catalogue.audiences({picked['question']!r})"
    codes = picked["datapoints"] or names.all_datapoints(picked["question"])
    answers = leaves_of({**picked, "datapoints": [code]} for code in codes)
    audiences = zip(names.distinct(answers), answers, strict=True)
    return _listed([Audience(name, answer).to_code() for name, answer in audiences])


def _stats(picked: Picked) -> str:
    given = [f"question={picked['question']!r}"]
    given += [f"{name}={picked[name]!r}" for name in ("datapoints", "suffixes") if picked[name]]
    return f"client.stats({', '.join(given)})"


def _picked(client: Client, args: Mapping[str, Any]) -> list[Picked]:
    """The selection in `args`, which is not empty; a whole question is written as one."""
    selection = checked_selection(args.get("selection"))
    if not selection:
        raise SnippetError("Nothing is picked: a question at least is needed.")
    names = AnswerNames(client)
    return [_whole(each, names) for each in selection]


def _whole(picked: Picked, names: AnswerNames) -> Picked:
    """An entry with every answer of its question, as the question: its code says so in a word."""
    if not picked["datapoints"]:
        return picked
    try:
        every = names.all_datapoints(picked["question"])
    except AudienceError:
        # A question that the catalogue does not have is for the cell to fail with.
        return picked
    return {**picked, "datapoints": []} if set(picked["datapoints"]) == set(every) else picked


def _saved(client: Client, identifier: str) -> Audience:
    try:
        service = client.service
    except LookupError:
        raise SnippetError("This deployment does not tell its saved audiences.") from None
    return service.saved_audience(identifier).to_audience()


def _call(function: str, given: Sequence[str]) -> str:
    """A call on one line where it fits, else with an argument on each."""
    line = f"{function}({', '.join(given)})"
    if len(line) <= _WIDTH:
        return line
    arguments = "".join(f"    {each},\n" for each in _indented(given))
    return f"{function}(\n{arguments})"


def _listed(items: Sequence[str]) -> str:
    line = f"[{', '.join(items)}]"
    if len(line) <= _WIDTH - 20:
        return line
    return "[\n" + "".join(f"    {each},\n" for each in _indented(items)) + "]"


def _indented(items: Sequence[str]) -> list[str]:
    """What has lines of its own goes in with all of them; no line begins inside a text."""
    return [each.replace("\n", "\n    ") for each in items]
