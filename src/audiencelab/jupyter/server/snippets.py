"""The code of a cell for what is dragged or inserted.

It runs after the cell that defines `client` and imports `audiencelab` as `al`.
"""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import indent
from typing import TYPE_CHECKING

from audiencelab.errors import AudienceError
from audiencelab.expressions import Audience, as_audience
from audiencelab.expressions.codes import WAVES
from audiencelab.jupyter.server.protocol import SnippetArgs
from audiencelab.schema.queries import DEFAULT_WAVES
from audiencelab.widgets.picker.protocol import Picked
from audiencelab.widgets.picker.selection import AnswerNames, as_expression, leaves_of

if TYPE_CHECKING:
    from audiencelab.client import Client
    from audiencelab.service.service import Service

_WIDTH = 88


class SnippetError(AudienceError, ValueError):
    """The request does not describe a cell; the message says what to send instead."""


class NotListed(AudienceError, LookupError):
    """The service has no operation that lists what is requested."""


def snippet(client: Client, args: SnippetArgs) -> str:
    """The code of a cell.

    question: the shares of each picked question's answers. audience: the respondents to whom the
        whole selection applies, or a saved audience, and their number.
    crosstab: the answers of the first question by those of the others; of one alone, by the waves
        that a crosstab counts by default.

    Raises `SnippetError` for an empty selection, and the client's errors.
    """
    writers = {"question": _question, "audience": _audience, "crosstab": _crosstab}
    return writers[args.kind](client, args)


def _question(client: Client, args: SnippetArgs) -> str:
    calls = [_stats(each) for each in _picked(client, args)]
    # A cell shows the value of its last line by itself.
    return "\n".join([*(f"display({call})" for call in calls[:-1]), calls[-1]])


def _audience(client: Client, args: SnippetArgs) -> str:
    if args.id:
        audience = saved_audience(client, args.id)
    else:
        expression = as_expression(leaves_of(_picked(client, args)))
        audience = as_audience(expression, client.catalogue)
    # Named, so that later cells can use it.
    given = audience.to_code().removeprefix("al.Audience(").removesuffix(")")
    return f"{_call('audience = al.Audience', [given])}\nclient.crosstab(rows=[audience])"


def _crosstab(client: Client, args: SnippetArgs) -> str:
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
    """Python of columns: answers of several questions are grouped by the questions' names."""
    if len(entries) == 1:
        return _answers(entries[0], names)
    groups: dict[str, str] = {}
    for picked, leaf in zip(entries, leaves_of(entries), strict=True):
        name = names.question(leaf)
        # Questions with the same name are distinguished by their codes.
        unique = f"{name} ({picked['question']})" if name in groups else name
        groups[unique] = _answers(picked, names)
    return _block("{", [f"{name!r}: {code}" for name, code in groups.items()], "}")


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


def _picked(client: Client, args: SnippetArgs) -> list[Picked]:
    """The selection; a whole question is written as one."""
    if not args.selection:
        raise SnippetError("Nothing is picked: a question at least is needed.")
    names = AnswerNames(client)
    return [_whole(each, names) for each in args.selection]


def _whole(picked: Picked, names: AnswerNames) -> Picked:
    """An entry with every answer of its question, as the question, whose code is shorter."""
    if not picked["datapoints"]:
        return picked
    try:
        every = names.all_datapoints(picked["question"])
    except AudienceError:
        # For a question that is not in the catalogue, the cell raises the error.
        return picked
    return {**picked, "datapoints": []} if set(picked["datapoints"]) == set(every) else picked


def saved_audience(client: Client, identifier: str) -> Audience:
    """The saved audience of an id; raises `NotListed`, `UnknownIdError`."""
    return embedded_service(client).saved_audience(identifier).to_audience()


def embedded_service(client: Client) -> Service:
    """The service in this process; raises `NotListed` for a remote one."""
    try:
        return client.service
    except LookupError:
        raise NotListed(
            "This service cannot list saved audiences: it has no operation for it. Audiences whose "
            "id you know can be used in a notebook."
        ) from None


def _call(function: str, given: Sequence[str]) -> str:
    """A call on one line where it fits, else with an argument on each."""
    line = f"{function}({', '.join(given)})"
    return line if len(line) <= _WIDTH else _block(f"{function}(", given, ")")


def _listed(items: Sequence[str]) -> str:
    line = f"[{', '.join(items)}]"
    return line if len(line) <= _WIDTH - 20 else _block("[", items, "]")


def _block(start: str, items: Sequence[str], end: str) -> str:
    """Items on lines of their own; a line break inside an item is never inside a string."""
    lines = "".join(f"{each},\n" for each in items)
    return f"{start}\n{indent(lines, '    ')}{end}"
