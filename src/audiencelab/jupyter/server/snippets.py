"""The code of a cell for what is dragged or inserted.

It runs after the cell that defines `client` and imports `audiencelab` as `al`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from audiencelab.client.catalogue.code_layout import audience_code, wrapped
from audiencelab.client.catalogue.named_code import answer_keys, named_code, question_key
from audiencelab.errors import AudienceError
from audiencelab.expressions import Audience, as_audience
from audiencelab.expressions.codes import WAVES
from audiencelab.jupyter.server.protocol import SnippetArgs
from audiencelab.widgets.picker.protocol import Picked
from audiencelab.widgets.picker.selection import AnswerNames, as_expression, leaves_of

if TYPE_CHECKING:
    from audiencelab.client import Client
    from audiencelab.service.service import Service


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
    names = AnswerNames(client)
    calls = [_stats(each, names) for each in _picked(client, args)]
    # A cell shows the value of its last line by itself.
    return "\n".join([*(f"display({call})" for call in calls[:-1]), calls[-1]])


def _audience(client: Client, args: SnippetArgs) -> str:
    if args.id:
        audience = saved_audience(client, args.id)
    else:
        expression = as_expression(leaves_of(_picked(client, args)))
        audience = as_audience(expression, client.catalogue)
    # Named, so that later cells can use it.
    return f"{audience_code(audience, client.catalogue)}\nclient.crosstab(rows=[audience])"


def _crosstab(client: Client, args: SnippetArgs) -> str:
    first, *others = _picked(client, args)
    names = AnswerNames(client)
    given = [_answers(first, names)]
    if others:
        given.append(_banner(others, names))
    elif len(client.waves()) > 1:
        given.append(repr(WAVES))
    return wrapped(f"client.crosstab({', '.join(given)})")


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
    written = [
        code if code == repr(name) else f"{{{name!r}: {code}}}" for name, code in groups.items()
    ]
    return f"[{', '.join(written)}]"


def _answers(picked: Picked, names: AnswerNames) -> str:
    """Audiences for the answers of one entry: all of them as the question, or those named."""
    if not picked["datapoints"] and not picked["suffixes"]:
        return _question_code(picked, names)
    codes = picked["datapoints"] or names.all_datapoints(picked["question"])
    answers = leaves_of({**picked, "datapoints": [code]} for code in codes)
    audiences = zip(names.distinct(answers), answers, strict=True)
    listed = [named_code(Audience(name, answer), names.catalogue) for name, answer in audiences]
    return f"[{', '.join(listed)}]"


def _question_code(picked: Picked, names: AnswerNames) -> str:
    catalogue, code = names.catalogue, picked["question"]
    return repr(question_key(catalogue[code], catalogue) if code in catalogue else code)


def _stats(picked: Picked, names: AnswerNames) -> str:
    catalogue, code = names.catalogue, picked["question"]
    given = [_question_code(picked, names)]
    for name in ("datapoints", "suffixes"):
        if codes := picked[name]:
            known = getattr(catalogue[code], name) if code in catalogue else ()
            given.append(f"{name}={answer_keys(codes, known) or codes!r}")
    return f"client.stats({', '.join(given)})"


def _picked(client: Client, args: SnippetArgs) -> list[Picked]:
    """The selection; a whole question is written as one."""
    if not args.selection:
        raise SnippetError("Nothing is picked: a question at least is needed.")
    names = AnswerNames(client)
    return [_whole(each, names) for each in by_short_codes(args.selection, names)]


def by_short_codes(selection: Sequence[Picked], names: AnswerNames) -> list[Picked]:
    """The selection of a page, whose codes have their namespaces, by the codes of the catalogue."""

    def short(code: str) -> str:
        return names.catalogue[code].code if code in names.catalogue else code

    return [{**each, "question": short(each["question"])} for each in selection]


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
