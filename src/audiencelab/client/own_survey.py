"""What a client of a survey in this process can say of it, and change in it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self, TypeAlias, cast, get_args

import msgspec

from audiencelab.client.catalogue import Catalogue, CatalogueQuestion
from audiencelab.client.changes import change_survey, check_own_survey
from audiencelab.client.context import ClientContext
from audiencelab.client.sending import Sender, load_catalogue
from audiencelab.lines import code_of, write_instead
from audiencelab.schema.scales import Ends, Top

if TYPE_CHECKING:
    from audiencelab.ingest.edits import Edit
    from audiencelab.ingest.report import ImportReport
    from audiencelab.service import Service


AnswerName: TypeAlias = str | int | float
"""An answer by its label, its code or the value of the file."""

QuestionsToEdit: TypeAlias = str | CatalogueQuestion | Iterable[str | CatalogueQuestion]

_ALL = "*"

_WORDS = {"top": get_args(Top), "ends": get_args(Ends), "kind": ("multiple",)}
"""The fields of an edit that take one of some words."""


class OwnSurvey:
    """The part of a client that is about the survey itself."""

    _context: ClientContext
    _sender: Sender

    # Not a property: completion reads plain attributes only.
    @cached_property
    def catalogue(self) -> Catalogue:
        """Every question with its datapoints and its place in the tree, loaded once."""
        return load_catalogue(self._sender)

    @property
    def service(self) -> Service:
        """The embedded service itself, for example to add saved audiences and insights.

        Raises `LookupError` for a client of a remote service.
        """
        if self._context.service is None:
            raise LookupError(
                f"{self!r} has no embedded service; only connect() without an address has one."
            )
        return self._context.service

    @property
    def import_report(self) -> ImportReport:
        """What the import read and dropped, and took for granted, the whole of it by subject.

        `guesses` lists what was taken for granted, the worst first; `card()` is what `open` shows.

        Raises `LookupError` for a client of a remote service.

        >>> client.import_report.guesses
        []
        """
        from audiencelab.ingest.meaning.guess import worst_first
        from audiencelab.ingest.pinning import version_guesses
        from audiencelab.ingest.raking import raking_guesses
        from audiencelab.ingest.report import ImportReport

        survey = self.service.survey
        report = ImportReport.of(survey)
        report.guesses = worst_first(
            [*version_guesses(survey), *raking_guesses(survey), *report.guesses]
        )
        if not self._context.opened:
            return report
        source, *given = self._context.opened
        return report.of_call(source, dict(each.split("=", 1) for each in given))

    def edit(
        self,
        question: QuestionsToEdit,
        *,
        missing: AnswerName | Iterable[AnswerName] = (),
        not_asked: AnswerName | Iterable[AnswerName] = (),
        order: Iterable[AnswerName] = (),
        top: Top | None = None,
        ends: Ends | None = None,
        off_scale: AnswerName | Iterable[AnswerName] | None = None,
        labels: Mapping[Any, str] | None = None,
        scores: Mapping[Any, float | None] | None = None,
        offered: Mapping[Any, str | Iterable[str]] | None = None,
        kind: str | None = None,
        name: str = "",
    ) -> Self:
        """Change what the answers of a question mean, without a new import; returns the client.

        question: its code, its name or a question of the catalogue; several, as a list; or "*" for
            all that have the answers of `missing` and `not_asked`.
        missing: codes of no valid answer, such as [98, 99]: these respondents were asked, and
            have no answer. Of a question in bands, the numbers that they gave.
        not_asked: answers of respondents who were not asked.
        order: the answers in their order; those not named follow as they were. The top stays with
            its answer, and is unknown where that is at neither end any more.
        top: the end of the scale, as listed, with most of what the question names: "first",
            "last", or "none" for neither.
        ends: "opposite" for an attitude and its opposite, "amount" for none to most.
        off_scale: the answers that are off the scale; [] for none.
        labels: new names of answers by the old ones, as for `relabel`.
        scores: the numbers of answers for means; None takes it from an answer.
        offered: the waves that offered an answer, by name or code, or "all".
        kind: "multiple" makes one question, called `name`, of several that say of one item each
            whether it was chosen.
        name: of the question.

        Answers are named by label, code or value of the file. A survey folder gets its next
        version, with the edit in its codebook. A survey that `al.open` keeps in the cache stays as
        it was made, and so does the demo survey: this client then answers from a copy with the
        edit, which the same edit finds again. Results that are there keep their figures.

        Raises `SurveyError`, which names question, answer and what to write instead, for a name of
        no answer, codes of no answer that hold half of the answers, and what contradicts itself;
        `UnknownCodeError` for an unknown question; `LookupError` for a client of a remote service.
        Nothing is changed then.

        >>> import pandas as pd
        >>> frame = pd.DataFrame({"visits": [1, 2, 2, 3, 9], "tea": ["a", "b", "b", "a", "b"]})
        >>> client = al.open(frame, to=folder / "edited", quiet=True)
        >>> edited = client.edit("visits", missing=[9]).edit("tea", labels={"a": "Assam"})
        >>> edited.crosstab("visits", "tea").shape
        (3, 2)
        """
        return self._edit(
            question,
            {
                "missing": _listed(missing),
                "not_asked": _listed(not_asked),
                "order": _listed(order),
                "top": top,
                "ends": ends,
                "off_scale": None if off_scale is None else _listed(off_scale),
                "labels": _pairs("labels", labels),
                "scores": _pairs("scores", scores),
                "offered": tuple(
                    (name, _listed(each)) for name, each in _pairs("offered", offered)
                ),
                "kind": kind,
                "name": name,
            },
        )

    def recode(
        self,
        question: QuestionsToEdit,
        answers: Mapping[str, Iterable[AnswerName]],
        *,
        name: str = "",
    ) -> Self:
        """Join answers of a question; returns the client.

        question: as for `edit`. answers: the answers that become one, by its name; those not named
            stay as they are. name: of the question.

        A new answer has no number for means: `edit(question, scores={…})` gives it one. Raises as
        `edit`.

        >>> import pandas as pd
        >>> frame = pd.DataFrame({"tea": ["often", "rarely", "never", "often"]})
        >>> client = al.open(frame, to=folder / "recoded", quiet=True)
        >>> client.recode("tea", {"drinks tea": ["often", "rarely"]}).crosstab("tea").shape
        (2, 1)
        """
        _refuse_ranges(question, answers)
        answers = _by_new_name(answers)
        joined = tuple((new, _listed(parts)) for new, parts in _pairs("answers", answers))
        return self._edit(question, {"joined": joined, "name": name})

    def relabel(self, question: QuestionsToEdit, labels: Mapping[Any, str]) -> Self:
        """Give answers of a question other names; returns the client.

        question: as for `edit`. labels: new names by the old ones, by codes or values of the file;
            those of the items of a grid too. Raises as `edit`.

        >>> import pandas as pd
        >>> frame = pd.DataFrame({"tea": ["y", "n", "n"]})
        >>> client = al.open(frame, to=folder / "relabelled", quiet=True)
        >>> question = client.relabel("tea", {"y": "yes", "n": "no"}).catalogue["tea"]
        >>> [answer.name for answer in question.datapoints]
        ['no', 'yes']
        """
        return self._edit(question, {"labels": _pairs("labels", labels)})

    def _edit(self, question: QuestionsToEdit, given: Mapping[str, Any]) -> Self:
        from audiencelab.ingest.editing import edit_survey
        from audiencelab.ingest.edits import Edit, check_edit

        check_own_survey(self._context)
        values = {field: value for field, value in given.items() if value not in (None, (), "")}
        # Here empty is a value: no answer is off the scale.
        values |= {"off_scale": ()} if given.get("off_scale") == () else {}
        for field, words in _WORDS.items():
            if (word := values.get(field)) is not None and word not in words:
                allowed = " or ".join(f'{field}="{each}"' for each in words)
                raise ValueError(f"{field}={word!r} is not valid: write {allowed}.")
        try:
            edit = msgspec.convert({"questions": self._named(question), **values}, Edit)
        except msgspec.ValidationError as error:
            raise ValueError(f"This edit is not valid: {error}.") from None
        check_edit(edit)
        record = msgspec.to_builtins(edit)
        change_survey(
            self._context, lambda survey: edit_survey(survey, edit), record, _as_code(edit)
        )
        return self

    def _named(self, question: QuestionsToEdit) -> tuple[str, ...]:
        """The full codes of questions; raises `UnknownCodeError` for an unknown one."""
        if question == _ALL:
            return (_ALL,)
        several = [question] if isinstance(question, str | CatalogueQuestion) else question
        names = [each if isinstance(each, str) else each.code for each in several]
        return tuple(self.catalogue[each].canonical for each in names)


def _by_new_name(answers: Any) -> Any:
    """Answers by their new names; values of the file with a name each, as of pandas, are turned."""
    given = cast("dict[Any, Any]", answers) if isinstance(answers, dict) else {}
    old: list[Any] = [key for key in given if isinstance(key, int | float)]
    if not given or len(old) < len(given) or not all(isinstance(v, str) for v in given.values()):
        return cast(Any, answers)
    turned: dict[str, list[Any]] = {}
    for value, name in given.items():
        turned.setdefault(name, []).append(value)
    return turned


def _refuse_ranges(question: QuestionsToEdit, answers: Any) -> None:
    """Raise `TypeError` for ranges of numbers, `(18, 29)`, which are groups of another question."""
    ranges: list[Any] = [*answers.values()] if isinstance(answers, Mapping) else []
    if not ranges or not all(_is_range(each) for each in ranges):
        return
    code = question if isinstance(question, str) else getattr(question, "code", "age")
    groups = ", ".join(
        f"{code_of(name)}: client[{code_of(code)}].between({code_of(low)}, {code_of(high)})"
        for name, (low, high) in cast("Mapping[str, tuple[float, float]]", answers).items()
    )
    write_instead(
        "recode joins answers; groups of numbers are a question of their own.",
        f"client.derive({code_of(f'{code} in groups')}, {{{groups}}})",
    )


def _is_range(given: object) -> bool:
    ends = cast("tuple[object, ...]", given) if isinstance(given, tuple) else ()
    return len(ends) == 2 and all(isinstance(each, int | float) for each in ends)


def _listed(given: Any) -> tuple[Any, ...]:
    """Names of answers as a tuple; a single one may be given alone."""
    is_one = isinstance(given, str) or not isinstance(given, Iterable)
    several: list[Any] = [given] if is_one else [*cast("Iterable[Any]", given)]
    # Numbers of numpy and pandas have types of their own.
    return tuple(each.item() if hasattr(each, "item") else each for each in several)


def _pairs(argument: str, given: object) -> tuple[tuple[Any, Any], ...]:
    if given is None:
        return ()
    if not isinstance(given, Mapping):
        raise TypeError(f"{argument} must be a mapping of answers, as in {{99: …}}; got {given!r}.")
    named = cast("Mapping[Any, Any]", given)
    return tuple((_listed(name)[0], value) for name, value in named.items())


def _as_code(edit: Edit) -> str:
    """An edit as the Python that makes it."""
    codes = [code.removeprefix("core.") for code in edit.questions]
    arguments = [repr(codes[0] if len(codes) == 1 else codes)]
    if edit.joined:
        arguments.append(repr({name: [*parts] for name, parts in edit.joined}))
    pairs: dict[str, Any] = {"labels": dict(edit.labels), "scores": dict(edit.scores)}
    pairs["offered"] = {name: [*waves] for name, waves in edit.offered}
    for name, value in edit.fields.items():
        if name != "joined":
            shown: Any = pairs.get(name, value)
            arguments.append(f"{name}={[*shown] if isinstance(shown, tuple) else shown!r}")
    return f".{'recode' if edit.joined else 'edit'}({', '.join(arguments)})"
