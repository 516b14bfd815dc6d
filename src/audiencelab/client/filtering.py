"""`client.filter(…)`: a client of the same survey whose calls count some respondents alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property, reduce
from typing import TYPE_CHECKING, Any, Self, TypeAlias, Union, cast

from msgspec import UNSET, UnsetType

from audiencelab.client.audiences import AudienceLike, BaseLike, to_base
from audiencelab.client.catalogue import Catalogue, CatalogueQuestion
from audiencelab.client.context import ClientContext
from audiencelab.client.errors import UnknownCodeError
from audiencelab.client.hints import unknown_codes
from audiencelab.client.names import WavesLike, names_in
from audiencelab.client.operations.names import names_for, read_scope, wave_codes
from audiencelab.client.question_reference import QuestionReference
from audiencelab.client.sending import Sender
from audiencelab.client.written_conditions import ConditionError, read_condition
from audiencelab.errors import AudienceError
from audiencelab.expressions import Audience, ByName, Condition, Expression, walk, within
from audiencelab.expressions.codes import WAVES
from audiencelab.markup import shorten

AnswersLike: TypeAlias = str | float | Iterable[str | float]
"""One answer of a question or several, by their names, codes or numbers."""

ConditionLike: TypeAlias = Union[
    AudienceLike,
    str,
    CatalogueQuestion,
    Mapping[str, AnswersLike],
    "Iterable[ConditionLike]",
    "Callable[[Any], ConditionLike]",
]
"""Whom to count: an expression or an audience; a question, which is everyone who answered it;
answers by question, `{"Gender": "Female"}`; a text, "Gender=Female"; a list of these, of which all
hold; or a function of the client that returns one."""

_LONGEST = 60
"""Characters of a base in a line about the client."""


class Filtering:
    """The part of a client that says whom its calls count."""

    _context: ClientContext
    _sender: Sender

    # Of `Client` and `OwnSurvey`.
    if TYPE_CHECKING:

        @cached_property
        def catalogue(self) -> Catalogue: ...

        def with_options(
            self, *, base_audience: Audience | UnsetType | None = UNSET, waves: WavesLike = None
        ) -> Self: ...

        def __getitem__(self, question: str) -> QuestionReference: ...

    @property
    def base_audience(self) -> Audience | None:
        """Whom every call of this client counts, as `filter` made it; None is everyone.

        >>> women = client.filter(client["Gender"] == "Female")
        >>> women.base_audience and women.base_audience.describe(client.catalogue)
        'Gender is Female'
        """
        return self._sender.options.scope.base

    def filter(self, *conditions: ConditionLike, **answers: AnswersLike) -> Self:
        """A client of the same survey that counts the respondents to whom all conditions apply.

        conditions: expressions such as `client["Age"] >= 35`, audiences, questions (everyone who
            answered them), answers by question as `{"Gender": ["Female", "Other"]}`, texts such as
            "Gender == 'Female' and Age >= 35", or lists of these. Filters of a filtered client
            narrow it further.
        answers: the same by the codes of questions: `client.filter(q2="Female")`; `wave` is the
            time window.

        All percentages, tests and frames of the new client are of these respondents, and each
        result says so. The base that a call names is within them. This client stays as it is;
        `filtered.with_options(base_audience=None)` counts everyone again. What is saved in a
        service (`charts`, `insights`) and `request` count whom they say themselves; `locations`
        and `catalogue` are those of the survey.

        Raises `UnknownCodeError` for questions and answers that the survey does not have,
        `ConditionError` with a mark below what is wrong in a text, and `TypeError` for what is not
        a condition, such as a column of a frame, with the line to write.

        >>> women = client.filter(client["Gender"] == "Female")
        >>> women
        <Client of the embedded service, demo survey, base: Gender is Female>
        >>> women.size(client["Age"] == "18 to 24").base_sample
        4213.0
        >>> women.filter({"Age": ["18 to 24", "25 to 34"]}).size().sample
        1533.0
        """
        found = [*_listed(conditions), *answers.items()]
        waves = [each for each in found if self._is_of_waves(each)]
        others = [each for each in found if not self._is_of_waves(each)]
        every = (self._condition(at, each) for at, each in enumerate(others))
        client = self.with_options(base_audience=reduce(within, every, self.base_audience))
        return reduce(lambda narrower, each: narrower._in_waves(cast(Any, each[1])), waves, client)

    def _condition(self, at: int, given: Any) -> Audience | None:
        """A condition as an audience by codes that the survey has."""
        if callable(given) and not isinstance(given, Audience | CatalogueQuestion):
            return reduce(within, map(self._condition, [at], _listed((given(self),))), None)
        if isinstance(given, tuple):
            question, answers = cast("tuple[str, Any]", given)
            given = self[question].any(answers)
        if isinstance(given, str):
            given = self._read(at, given)
        names = names_for(self._sender, names_in(base=given))
        if isinstance(given, ByName):
            given = given.make(names.question)
        if given is None:
            raise TypeError(
                f"conditions[{at}] must be a condition; got None. Everyone is counted by a "
                "client without a base. Write client.with_options(base_audience=None)."
            )
        if isinstance(given, bool) or not isinstance(given, BaseLike):
            raise TypeError(
                f"conditions[{at}] must be a condition of the client's questions; got "
                f"{_kind(given)}. Write client.filter({self._example(given)})."
            )
        audience = to_base(given, names)
        self._check(audience)
        return audience

    def _is_of_waves(self, given: Any) -> bool:
        """Whether a condition names waves, which are the time window of a client."""
        is_named = isinstance(given, tuple) and given[0] in ("wave", WAVES)
        return is_named and given[0] not in self.catalogue

    def _in_waves(self, waves: WavesLike) -> Self:
        """The client in those of its waves alone."""
        wanted = wave_codes(self._sender, waves)
        window = read_scope(self._sender, {}).waves
        left = [code for code in wanted if window is None or code in window]
        if not left:
            raise ValueError(f"wave={waves!r} is not valid: no wave of {self!r} is left.")
        return self.with_options(waves=left)

    def _read(self, at: int, text: str) -> Expression:
        """A condition that is written as text; one that cannot be read whole is refused."""
        try:
            return read_condition(self, text)
        except (AudienceError, ValueError) as error:
            said = str(error)
            line = "" if "Did you mean" in said or "Write client[" in said else self._line(said)
            raise ConditionError(f"conditions[{at}]: {said}{line}") from None

    def _line(self, said: str) -> str:
        """The line for an error of a text: answers of the question that the error names, if any."""
        first = said.partition("\n")[0]
        for each in self.catalogue:
            titles = (f"{each.code} ({each.name})", f"{each.code!r} ({each.name})", f"{each.code} ")
            if each.datapoints and any(title in first for title in titles):
                names = [answer.name or answer.code for answer in each.datapoints[:2]]
                return f"\nWrite client.filter(client[{each.code!r}].isin({names!r}))."
        return "\nWrite client.catalogue."

    def _check(self, audience: Audience | None) -> None:
        """Raise `UnknownCodeError` for questions and answers that the survey does not have.

        Where the catalogue has not come, the service says it of the first call.
        """
        is_here = self._context.service is not None
        known = self.catalogue if is_here else self._context.catalogue
        if known is None or audience is None or audience.expression is None:
            return
        for _, node in walk(audience.expression):
            if isinstance(node, Condition) and node.question != WAVES:
                hints = unknown_codes(node, known)
                for code, hint in hints:
                    raise UnknownCodeError(hint, [code])

    def _example(self, given: object) -> str:
        """A condition of a question of the survey, as code; of that of a column, by its name."""
        try:
            questions = [*self.catalogue]
        except AudienceError:
            return 'al.Q("Age") == "18 to 24"'
        named = str(getattr(given, "name", ""))
        found = next((each for each in questions if named in (each.code, each.name)), None)
        found = found or next((each for each in questions if each.datapoints), questions[0])
        answer = found.datapoints[0]
        return f"client[{found.code!r}] == {answer.name or answer.code!r}"

    def _own_base(self, given: BaseLike | UnsetType | None) -> Audience | UnsetType | None:
        """The base that `with_options` is given, by codes."""
        if given is UNSET:
            return UNSET
        return to_base(given, names_for(self._sender, names_in(base=given)))

    def _base_words(self) -> str:
        base = self.base_audience
        if base is None:
            return ""
        words = self._context.describe(base.expression)
        return shorten(base.name or words, _LONGEST)


def _listed(given: Iterable[Any]) -> Iterator[Any]:
    """Conditions one by one; answers of a question are a tuple of both."""
    for each in given:
        if isinstance(each, Mapping):
            yield from cast("Mapping[str, Any]", each).items()
        elif isinstance(each, list | tuple | set | frozenset | Iterator):
            yield from _listed(cast("Iterable[Any]", each))
        else:
            yield each


def _kind(given: object) -> str:
    kind = type(given).__name__
    if isinstance(given, bool):
        return f"{given}, which is the same for all respondents"
    if hasattr(given, "__array__"):
        return f"{kind}, whose rows are not those of the survey"
    return kind
