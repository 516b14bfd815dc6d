"""A survey as tools of the Model Context Protocol, for assistants such as Claude or Copilot.

An answer of a tool has what a reader needs to trust and repeat it: the table, the base, the waves,
the weight, the method of tests, and the Python that gives the same figures.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import wraps
from math import inf, isnan
from typing import TYPE_CHECKING, Any

from anyio.to_thread import run_sync
from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import ToolAnnotations
from pydantic import BaseModel, Field
from starlette.datastructures import Headers
from starlette.responses import Response

from audiencelab._version import __version__
from audiencelab.analysis.marks import ARROWS
from audiencelab.client.catalogue.scope_code import scope_code
from audiencelab.errors import AudienceError
from audiencelab.expressions import Expression, all_of, as_audience
from audiencelab.render.text_forms import markdown_text
from audiencelab.results.who_counts import base_line, base_sentence
from audiencelab.schema.http import Request
from audiencelab.schema.scope import BaseOf
from audiencelab.service.responses import ServiceError, problem_response
from audiencelab.wording import without_controls

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

    from audiencelab.client import Client
    from audiencelab.service.credentials import Credentials
    from audiencelab.tables import ProfileResult

MOST_QUESTIONS = 50
"""Questions of one list: assistants read all of it."""

MOST_ANSWERS = 12
"""Answers of a question in a list; `describe_question` has all of them."""

_MOST_MARKED = 1_000
"""Answers of a profile that are marked at most."""

_INSTRUCTIONS = """\
Weighted survey data. Find questions first (find_questions, describe_question); name questions and
answers by their names or codes. Shares are weighted; `n` and bases are respondents. Do not
interpret a share on fewer than 30 respondents, and a difference only where the tests mark it, by
letters in a crosstab and by ▲ and ▼ in a profile. A figure that is "suppressed", or a "–" of a
table, rests on too few respondents to be given: do not work it out from others. Give the reader the
base, the waves and the Python of each answer that you use."""


class AnswerCondition(BaseModel):
    """People who gave any of some answers to a question, or a number in a range."""

    question: str = Field(description="Name or code of a question.")
    answers: list[str] = Field(
        default_factory=list, description="Names or codes of answers; empty: any answer at all."
    )
    min: float | None = Field(
        default=None, description="Lowest number that counts, in place of answers."
    )
    max: float | None = Field(
        default=None, description="Highest number that counts, in place of answers."
    )
    exclude: bool = Field(default=False, description="Everybody else instead.")


class ToolAnswer(BaseModel):
    """Figures, and what they rest on."""

    table: str = Field(description="Markdown.")
    base: str = Field(description="Markdown: whom the shares are of, and how many respondents.")
    waves: str = Field(description="Markdown.")
    weight: str = Field(description="Markdown.")
    survey_version: str = Field(
        description="Of the survey; figures of two versions are not comparable. Empty: not known."
    )
    method: str = Field(description="How differences were tested; empty if none were.")
    python: str = Field(description="Repeats the figures, with `import audiencelab as al`.")


class FoundQuestions(BaseModel):
    """Questions of the catalogue. total: how many were found; the list may be shorter.

    note: how many these are and which words they were found by, such as a corrected one.
    """

    total: int
    questions: list[dict[str, Any]]
    note: str


def server(client: Client, connect: str = "al.connect()") -> MCPServer:
    """The tools over a client.

    connect: the Python that makes the client, for the code that repeats an answer.

    >>> from audiencelab.assistants.tools import server
    >>> server(al.connect()).name
    'audiencelab'
    """
    made = MCPServer(
        "audiencelab",
        instructions=_INSTRUCTIONS,
        version=__version__,
        # On stdio, stderr is the assistant's log: a line for each request fills it.
        log_level="WARNING",
    )
    tools = _Tools(client, connect)
    for tool in (
        tools.find_questions,
        tools.describe_question,
        tools.audience_size,
        tools.crosstab,
        tools.profile,
    ):
        made.add_tool(_with_plain_errors(tool), annotations=ToolAnnotations(read_only_hint=True))
    return made


def _with_plain_errors(tool: Callable[..., Any]) -> Callable[..., Any]:
    """The tool; errors that the caller can mend reach it as their message."""

    @wraps(tool)
    def called(*args: Any, **kwargs: Any) -> Any:
        try:
            return tool(*args, **kwargs)
        except (AudienceError, LookupError, ValueError) as error:
            raise ToolError(without_controls(str(error))) from error

    return called


class _Tools:
    """The tools; their docstrings and parameters are what an assistant reads."""

    def __init__(self, client: Client, connect: str) -> None:
        self._client = client
        self._connect = connect

    def find_questions(self, text: str = "", limit: int = 20) -> FoundQuestions:
        """Questions whose names, answers or topics fit a text; all of them without one."""
        catalogue = self._client.catalogue.search(text)
        found = list(catalogue.questions)
        shown = found[: max(1, min(limit, MOST_QUESTIONS))]
        return FoundQuestions(
            total=len(found),
            questions=[
                {
                    "code": each.code,
                    "name": each.name,
                    "answers": [answer.name for answer in each.datapoints or ()][:MOST_ANSWERS],
                }
                for each in shown
            ],
            note=repr(catalogue).partition("\n")[0],
        )

    def describe_question(self, question: str, base_of: BaseOf | None = None) -> ToolAnswer:
        """The answers of a question with the share of each, weighted.

        base_of: whom the shares are of: "valid", those who answered the question; or "everyone".
            By default what the survey says.
        """
        scope = self._scope(base_of=base_of)
        found = self._client.frequencies(question, **scope)
        records = found.to_frame().to_dict("records")
        rows = [
            (
                # Of a grid, the points of each item.
                ": ".join(
                    filter(None, (row.get("segment_label"), row["datapoint_label"])),
                ),
                _shown(row["column_percentage"], "{:.1f}%"),
                _shown(row["sample"], "{:,.0f}"),
            )
            for row in records
        ]
        table = _table(("Answer", "Share", "n"), rows)
        call = f"client.frequencies({question!r}{_written(scope)})"
        asked = found.to_frame()["column_sample"].max()
        sample = f"n = {_shown(asked, '{:,.0f}')}"
        return self._answer(table, call, found.provenance, f"{base_line(found)}, {sample}")

    def audience_size(
        self,
        audience: list[AnswerCondition],
        waves: list[str] | None = None,
        base_of: BaseOf | None = None,
    ) -> ToolAnswer:
        """How many people and respondents meet all conditions, and their share of the base.

        base_of: whom the share is of: "valid", those who answered the questions of the conditions;
            or "everyone". By default what the survey says.
        """
        expression = self._expression(audience)
        scope = self._scope(waves=waves, base_of=base_of)
        size = self._client.size(expression, **scope)
        rows = [
            (
                _shown(size.size, "{:,.0f}"),
                _shown(size.sample, "{:,.0f}"),
                _shown(size.percentage, "{:.1f}%"),
            )
        ]
        table = _table(("Weighted count", "Count (n)", "% of base"), rows)
        call = f"client.size({_code(expression)}{_written(scope)})"
        provenance = {"waves": size.waves, "survey_version": size.survey_version}
        sample = _shown(size.base_sample, "{:,.0f}")
        valid = (base_of or self._client.default_base_of) == "valid"
        own = self._client.base_audience
        names = self._client.catalogue
        words = None if own is None else own.describe(names)
        base = base_sentence(None if own is None else as_audience(own, names), words, valid=valid)
        return self._answer(table, call, provenance, f"{base}, n = {sample}")

    def crosstab(
        self,
        rows: list[str],
        columns: list[str],
        base: list[AnswerCondition] | None = None,
        waves: list[str] | None = None,
        base_of: BaseOf | None = None,
    ) -> ToolAnswer:
        """Questions in rows by questions in columns: column shares, with letters of tests.

        A letter beside a share names a column whose share is significantly smaller.
        base: conditions that everybody in the table meets.
        base_of: whom the shares are of: "valid", those who answered the question of the row; or
            "everyone". By default what the survey says.
        """
        scope = self._scope(base, waves, base_of)
        found = self._client.crosstab(rows=list(rows), columns=list(columns), **scope)
        tests, method, tested = None, "", ""
        try:
            tests = found.test()
            method, tested = tests.method_note, "comparison=table.test()"
        except (ValueError, LookupError) as error:
            # Fewer than two columns have respondents, or a snapshot does not hold the design: the
            # shares are right without tests.
            method = str(error)
        call = (
            f"table = client.crosstab(rows={rows!r}, columns={columns!r}{_written(scope)})\n"
            f"print(table.to_markdown({tested}))"
        )
        sample = f"n = {_shown(found.base_sample, '{:,.0f}')}"
        base_words = f"{base_line(found)}, {sample}"
        table = found.to_markdown(comparison=tests)
        return self._answer(table, call, found.provenance, base_words, method)

    def profile(
        self,
        audience: list[AnswerCondition],
        questions: list[str] | None = None,
        base: list[AnswerCondition] | None = None,
        limit: int = 20,
        base_of: BaseOf | None = None,
        adjust: list[str] | None = None,
    ) -> ToolAnswer:
        """What distinguishes people from everybody: answers by the difference of their shares.

        ▲ and ▼ mark what is significantly above and below everybody else. base_of: as for crosstab.
        adjust: questions of one answer, such as Age and Gender: shares as if people had the
        composition of everybody by them.
        """
        expression, scope = self._expression(audience), self._scope(base, base_of=base_of)
        if expression is None:
            raise ToolError("audience needs at least one condition.")
        found = self._client.profile(expression, questions, adjust=adjust, **scope)
        frame = found.to_frame()
        # What people were chosen by is not a finding about them.
        chosen_by = {self._client[each.question].code for each in audience}
        frame = frame[~frame["question"].isin(chosen_by)]
        adjusted = "adjusted_" if found.adjustment is not None else ""
        order = (
            frame[f"{adjusted}difference"].abs().sort_values(ascending=False, kind="stable").index
        )
        marks, method = _standouts(found)
        rows = [
            (
                row["question_label"],
                row["datapoint_label"],
                _shown(row["audience_percentage"], "{:.1f}%"),
                *([_shown(row["adjusted_percentage"], "{:.1f}%")] if adjusted else []),
                _shown(row["base_percentage"], "{:.1f}%"),
                _shown(row[f"{adjusted}index"], "{:.0f}"),
                _shown(row["sample"], "{:,.0f}"),
                marks.get((row["question"], row["datapoint"]), ""),
            )
            for row in frame.loc[order].head(max(1, limit)).to_dict("records")
        ]
        more = ("Adjusted",) if adjusted else ()
        header = ("Question", "Answer", "Audience", *more, "Base", "Index", "n", "Differs")
        asked = f", {questions!r}" if questions else ""
        asked += f", adjust={adjust!r}" if adjusted else ""
        call = (
            f"profile = client.profile({_code(expression)}{asked}{_written(scope)})\n"
            f"marked = profile.standouts({_MOST_MARKED})\n"
            "profile.to_frame()"
        )
        sample = f"n = {_shown(frame['base_sample'].max(), '{:,.0f}')}"
        base_words = f"{base_line(found)}, {sample}"
        method = f"{frame.attrs.get('method_note', '')} {method}".strip()
        return self._answer(_table(header, rows), call, found.provenance, base_words, method)

    def _scope(
        self,
        base: Iterable[AnswerCondition] | None = None,
        waves: list[str] | None = None,
        base_of: BaseOf | None = None,
    ) -> dict[str, Any]:
        """The arguments of a call that say whom it counts, as far as a tool was given them."""
        expression = self._expression(base or ())
        given = {"base_audience": expression, "waves": waves or None, "base_of": base_of}
        return {name: value for name, value in given.items() if value is not None}

    def _expression(self, conditions: Iterable[AnswerCondition]) -> Expression | None:
        """All conditions together; None for none of them, which is everybody."""
        expressions: list[Expression] = []
        for each in conditions:
            question = self._client[each.question]
            if each.min is None and each.max is None:
                expression = question.any(*each.answers)
            elif each.answers:
                raise ValueError("A condition has answers, or min and max: not both.")
            else:
                low = -inf if each.min is None else each.min
                expression = question.between(low, inf if each.max is None else each.max)
            expressions.append(~expression if each.exclude else expression)
        return all_of(*expressions) if len(expressions) > 1 else next(iter(expressions), None)

    def _answer(
        self, table: str, call: str, provenance: dict[str, Any], base: str, method: str = ""
    ) -> ToolAnswer:
        waves = provenance["waves"]
        return ToolAnswer(
            table=table,
            base=markdown_text(base.removeprefix("Base: ")),
            waves=markdown_text(waves if isinstance(waves, str) else ", ".join(waves)),
            weight=markdown_text(provenance.get("weight") or "the survey's own"),
            survey_version=markdown_text(provenance.get("survey_version") or ""),
            method=markdown_text(method),
            python=f"client = {self._connect}\n{call}",
        )


def _standouts(found: ProfileResult) -> tuple[dict[tuple[str, str], str], str]:
    """An arrow for each answer that differs significantly from everyone else, and the method."""
    try:
        tests = found.standouts(_MOST_MARKED)
    except ValueError as error:
        # No answer can be tested: the shares are right without tests.
        return {}, str(error)
    above, below = ARROWS[0]
    marks = {
        (row["question"], row["datapoint"]): above if row["difference"] > 0 else below
        for row in tests.to_dict("records")
    }
    return marks, tests.attrs["method_note"]


def _table(header: tuple[str, ...], rows: Iterable[tuple[Any, ...]]) -> str:
    """A table of Markdown; the first column to the left, the others to the right."""
    rule = (":--", *["--:"] * (len(header) - 1))
    head, *body = (tuple(map(markdown_text, line)) for line in (header, *rows))
    return "\n".join(f"| {' | '.join(line)} |" for line in (head, rule, *body))


def _shown(figure: Any, form: str) -> str:
    """A figure as text; one that the service withholds, or that has no base, is not a number."""
    return "suppressed" if isnan(float(figure)) else form.format(float(figure))


def _code(expression: Expression | None) -> str:
    return "" if expression is None else expression.to_code()


def _written(scope: dict[str, Any]) -> str:
    """The arguments of a scope as code, behind others."""
    return "".join(f", {name}={code}" for name, code in scope_code(scope).items())


class RequireCredentials:
    """An ASGI application that answers callers with a known credential alone."""

    def __init__(self, app: ASGIApp, credentials: Credentials) -> None:
        self._app = app
        self._credentials = credentials

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            headers = Headers(scope=scope)
            request = Request(scope["method"], scope["path"], headers=dict(headers.items()))
            try:
                await run_sync(self._credentials.check, request)
            except ServiceError as error:
                refusal = problem_response(error)
                await Response(refusal.read(), refusal.status, refusal.headers)(
                    scope, receive, send
                )
                return
        await self._app(scope, receive, send)
