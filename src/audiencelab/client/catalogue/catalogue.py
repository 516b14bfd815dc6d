"""The catalogue of all questions: found by code or name, searched by words, listed as a frame.

`catalogue["Gender"]["Female"]` is the expression for women. The catalogue is made of one answer of
the question filter; lookups, reprs and completion send no request. Only a code that it does not
have is asked for, before the error says whether there is such a question that may not be used.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

from audiencelab.client.catalogue.first_table import FirstTable, first_table
from audiencelab.client.catalogue.items import items_of
from audiencelab.client.catalogue.labels import did_you_mean, lowered, not_accessible
from audiencelab.client.catalogue.question import CatalogueQuestion
from audiencelab.client.catalogue.search import Hit, SearchIndex
from audiencelab.client.catalogue.tree import CatalogueCategory, build_tree
from audiencelab.client.errors import UnknownCodeError
from audiencelab.expressions import Audience, join_code, split_code
from audiencelab.expressions.codes import BASE_NAMESPACE, WAVES, code_of, wave_name
from audiencelab.hidden_members import hide_members
from audiencelab.results.arrow import HasFrame
from audiencelab.schema import Question
from audiencelab.wording import plural, without_controls

if TYPE_CHECKING:
    import pandas as pd

_SHOWN = 12
_GUESSES = 3
_WORDS_SHOWN = 60

_FRAME = {
    **dict.fromkeys(("question", "question_label", "datapoint", "datapoint_label"), str),
    "midpoint": float,
    "category": str,
    "datasets": str,
    "suffixes": int,
    "accessible": bool,
}
"""The columns of the frame and their types, also for an empty catalogue."""


@hide_members(
    "canonical",
    "datapoint_name",
    "datapoint_names",
    "guess",
    "has_scale",
    "of_code",
    "question_name",
    "suffix_name",
    "wave_name",
)
class Catalogue(HasFrame):
    """Questions by code or by name; implements `Labels` (names for codes).

    Iterate over it for every question, search it, or show it as a frame.

    ask_about: returns the question with a code that is not among these, or None; a service leaves
        questions out that may not be used.
    waves: the names of waves by their codes, where they are known.
    texts: the names of open answers, which are not questions, by names and labels.
    columns: what the survey's other columns are, by name: a sentence that ends in a line of code.
    file_coded: whether the codes of answers are those of the file, by questions.
    """

    def __init__(
        self,
        questions: Iterable[Question],
        base_namespace: str = BASE_NAMESPACE,
        ask_about: Callable[[str], Question | None] | None = None,
        waves: Mapping[str, str] | None = None,
        texts: Mapping[str, str] | None = None,
        columns: Callable[[], Mapping[str, str]] = dict,
        file_coded: Mapping[str, bool] | None = None,
    ) -> None:
        self._texts = {lowered(each): name for each, name in (texts or {}).items()}
        self._columns, self._file_coded = columns, file_coded or {}
        self._base = base_namespace
        self._waves = waves or {}
        self._ask_about = ask_about
        self._part = ""
        _allow_completion(Catalogue, CatalogueCategory)
        self.questions = tuple(self._wrap(each) for each in questions)

    @classmethod
    def _of(
        cls, questions: Iterable[CatalogueQuestion], base_namespace: str, part: str = ""
    ) -> Catalogue:
        """A catalogue of some questions of another; the repr shows `part` after their count."""
        made = cls((), base_namespace)
        made.questions = tuple(questions)
        made._part = part
        return made

    def __getitem__(self, key: str) -> CatalogueQuestion:
        """The question with that code or name; raises `UnknownCodeError` with the nearest ones.

        An item of a grid, or an answer of several, is found by its code, such as the name of its
        column in the file: `catalogue["q4_1"]`.
        """
        if not isinstance(key, str):
            raise TypeError(
                "A question is found by its code or name, which must be a str; got "
                f"{type(key).__name__}. crosstab, profile and others take a list of names."
            )
        if found := self._by_code.get(self.canonical(key)):
            return found
        # As it is written first: two names may differ in case alone.
        named = self._by_name.get(key) or self._by_name.get(lowered(key), [])
        if len(named) > 1:
            codes = ", ".join(repr(each.code) for each in named)
            raise UnknownCodeError(f"{len(named)} questions are called {key!r}: {codes}.", [key])
        if not named and (item := self._item(key)):
            return item
        if not named and (by_column := self._of_column(key)):
            return by_column
        if not named:
            raise UnknownCodeError(self._unknown_question(key), [key])
        return named[0]

    def __contains__(self, key: object) -> bool:
        if not isinstance(key, str):
            return False
        known = self.canonical(key) in self._by_code or lowered(key) in self._by_name
        return known or (self._item(key) or self._of_column(key)) is not None

    def __iter__(self) -> Iterator[CatalogueQuestion]:
        return iter(self.questions)

    def __len__(self) -> int:
        return len(self.questions)

    def question_name(self, code: str) -> str | None:
        """The name of a question, or None.

        >>> client.catalogue.question_name("q4")
        'Age'
        """
        if code == WAVES:
            return "Wave"
        found = self.of_code(code)
        return found.name if found else None

    def of_code(self, code: str) -> CatalogueQuestion | None:
        """The question with that code, or None; names are not looked at.

        >>> found = client.catalogue.of_code("core.q4")
        >>> found and found.name
        'Age'
        """
        return self._by_code.get(self.canonical(code))

    def canonical(self, code: str) -> str:
        """The code with its namespace.

        >>> client.catalogue.canonical("q4")
        'core.q4'
        """
        return join_code(*split_code(code, self._base))

    def wave_name(self, code: str) -> str:
        """The name of a wave: its own, else one made from its code.

        >>> client.catalogue.wave_name("q4_2025")
        'Q4 2025'
        """
        return self._waves.get(code) or wave_name(code)

    def datapoint_name(self, question: str, code: str) -> str | None:
        """The name of a datapoint, or None.

        >>> client.catalogue.datapoint_name("q4", "q4_2")
        '18 to 24'
        """
        if question == WAVES:
            return self.wave_name(code)
        return self.datapoint_names(question).get(code)

    def datapoint_names(self, question: str) -> Mapping[str, str]:
        """The names of a question's datapoints by their codes; empty for an unknown question.

        >>> client.catalogue.datapoint_names("q2")
        {'q2_1': 'Male', 'q2_2': 'Female', 'q2_3': 'Non-binary or another identity'}
        """
        return self._names.get(self.canonical(question), {})

    def has_scale(self, question: str) -> bool:
        """Whether the answers of a question are items on one scale, as in a grid.

        >>> client.catalogue.has_scale("media.m21")
        True
        """
        found = self.of_code(question)
        return found is not None and bool(found.record.suffixes)

    def suffix_name(self, question: str, code: str) -> str | None:
        """The name of a suffix, or None.

        >>> client.catalogue.suffix_name("q20", "1")
        'Several times a day'
        """
        found = self.of_code(question)
        suffixes = found.record.suffixes if found else ()
        return next((each.name for each in suffixes if each.code == code), None)

    @cached_property
    def tree(self) -> CatalogueCategory:
        """The categories with their questions, from the root down: `catalogue.tree["Media"]`."""
        return build_tree(self.questions)

    def below(self, category: CatalogueCategory) -> Catalogue:
        """The questions of a category and of all below it, as a smaller catalogue.

        >>> client.catalogue.below(client.catalogue.tree["Media"])  # doctest: +SKIP
        """
        return Catalogue._of(category.all_questions(), self._base, f" below {category.name!r}")

    def audiences(self, question: str) -> tuple[Audience, ...]:
        """One audience for each datapoint of a question (code or name), with its name.

        >>> len(client.catalogue.audiences("Age"))
        7
        """
        return self[question].audiences()

    def search(self, words: str) -> Catalogue:
        """The questions in which every word occurs, the best matches first, as a catalogue.

        Names, codes, descriptions, categories and answers are searched by the rule of the picker,
        without regard to case and accents; synonyms ("women"), ranges ("18-34") and words of other
        languages count. A question that matches by its own text keeps all its datapoints; one that
        matches with the help of its datapoints keeps those. Where none has every word, typing
        errors are corrected; else those with any of the words are returned, and the repr says so.

        >>> len(client.catalogue.search("podcasts"))
        6
        """
        found = self._index.find(words)
        typed = repr(words[:_WORDS_SHOWN])
        part = f" found by {typed}"
        if found.meant:
            part = f" found by {found.meant[:_WORDS_SHOWN]!r} in place of {typed}"
        elif found.some and found.hits:
            part = f" with any word of {typed}; none has all"
        return Catalogue._of(map(_as_found, found.hits), self._base, part)

    def first_table(self) -> FirstTable:
        """The questions of a first table, and why these; change them as you like.

        Its rows are the first question that has several answers or a scale and is not about the
        person; its columns everyone and the first of gender, age, region and the like.

        >>> print(client.catalogue.first_table())
        Rows: Pets, the first question with several answers. Columns: all, and Gender.
        """
        return first_table(self.questions)

    def guess(self, key: str) -> str:
        """What was meant by a question that does not exist: " Did you mean …?", or how to find it.

        >>> client.catalogue.guess("Gendr")
        " Did you mean 'q2' (Gender)?"
        """
        if other := self._not_a_question(key):
            return f" {other}"
        near = did_you_mean(key, {each.code: each.name for each in self.questions}) or (
            self._near_items(key)
        )
        if near:
            return near
        found = self._index.find(key)
        # A name with typing errors is near already; single words are corrected to any others.
        if found.hits and not found.meant:
            likely = [hit.question for hit in found.hits[:_GUESSES]]
            listed = (f"{each.code!r} ({each.name})" for each in likely)
            return f" Did you mean {' or '.join(listed)}?"
        return f" The survey has {plural(len(self), 'question')}. Write client.catalogue."

    def to_frame(self) -> pd.DataFrame:
        """One row for each datapoint: codes, names, category path, datasets, accessible or not.

        >>> client.catalogue.to_frame().shape
        (832, 9)
        """
        import pandas as pd

        rows = [row for each in self.questions for row in _frame_rows(each)]
        return pd.DataFrame(rows, columns=list(_FRAME)).astype(_FRAME)

    def __repr__(self) -> str:
        lines = [f"Catalogue of {self._counts(', ')}"]
        lines += [f"  {each.code}: {each.name}" for each in self.questions[:_SHOWN]]
        if (hidden := len(self) - _SHOWN) > 0:
            does = "narrows them down" if self._part else "finds them"
            lines.append(f"  … and {hidden:,} more; .search('words') {does}")
        return without_controls("\n".join(lines))

    def _repr_html_(self) -> str:
        from audiencelab.markup import ROW_CAP, card, table

        rows = [
            (
                each.code,
                each.name + ("" if each.accessible else " (not accessible)"),
                " › ".join(each.paths[0]) if each.paths else "",
                f"{len(each.datapoints):,}",
            )
            for each in self.questions[:ROW_CAP]
        ]
        listed = table(
            ["Code", "Question", "Category", "Datapoints"],
            rows,
            numeric=[3],
            hidden=len(self) - len(rows),
            noun="question",
        )
        return str(card("Catalogue", listed, subtitle=self._counts(" · ")))

    def _ipython_key_completions_(self) -> list[str]:
        return [each.name for each in self.questions]

    def __getstate__(self) -> dict[str, Any]:
        # `ask_about` goes over connections, which are not pickled; the rest is made of questions.
        kept = ("_base", "_waves", "_part", "_texts", "questions")
        return {name: vars(self)[name] for name in kept} | {"_ask_about": None, "_columns": dict}

    def _counts(self, separator: str) -> str:
        count = sum(len(each.datapoints) for each in self.questions)
        return f"{plural(len(self), 'question')}{separator}{plural(count, 'datapoint')}{self._part}"

    def _unknown_question(self, key: str) -> str:
        if text := self._texts.get(lowered(key)):
            return (
                f"{text!r} is an open answer, which no table counts. Read it with "
                f"client.respondents(text=[{text!r}]); what you code from it becomes a question by "
                "client.with_columns(frame, key=…)."
            )
        # The service finds questions by code only, and a code holds no space.
        if self._ask_about is not None and not any(map(str.isspace, key)):
            found = self._ask_about(self.canonical(key))
            if found is not None and not found.accessible:
                return not_accessible(f"Question {key!r} ({found.name})")
        return f"Unknown question {key!r}.{self.guess(key)}"

    def _not_a_question(self, key: str) -> str:
        """What a key is that is not a question: the waves, another column, an answer of one."""
        folded = key.casefold()
        if folded in ("wave", WAVES) or any(code.startswith(f"{folded}_") for code in self._waves):
            line = "Write client.waves()." if folded == WAVES else f"Did you mean {WAVES!r}?"
            return (
                "Waves are not a question: columns='waves' of a crosstab, by='waves' of a mean and "
                "splitter='waves' of stats have one for each, and waves='…' chooses among them. "
                f"{line}"
            )
        if column := self._columns().get(folded):
            return column
        answers = [
            (each, answer)
            for each in self.questions
            for answer in each.datapoints
            if folded in (answer.code.casefold(), answer.name.casefold())
        ]
        if len(answers) != 1:
            return ""
        [(question, answer)] = answers
        title = f"{question.code!r} ({question.name})"
        if question.suffixes:
            namespace, _ = split_code(question.canonical)
            code = join_code(namespace, answer.code) if "." in question.code else answer.code
            return f"It is an item of {title}. Write client[{code!r}]."
        name = answer.name or answer.code
        return f"It is an answer of {title}. Write client[{question.code!r}] == {name!r}."

    def _near_items(self, key: str) -> str:
        """The nearest items to a code such as "q4_11"."""
        if not any(map(str.isdigit, key)):
            return ""
        items = [each for found in self._items.values() for each in found]
        return did_you_mean(key, {each.code: each.name for each in items})

    def _wrap(self, record: Question) -> CatalogueQuestion:
        namespace = record.namespace_code or self._base
        canonical = join_code(namespace, record.code)
        # Only `core` may be left out everywhere; the code of any other base names it.
        bare = namespace == self._base == BASE_NAMESPACE
        code = record.code if bare else canonical
        coded = self._file_coded.get(record.code) if namespace == self._base else None
        return CatalogueQuestion(record, code, canonical, file_coded=coded)

    def _of_column(self, name: str) -> CatalogueQuestion | None:
        """The question whose code an import made of a name such as "Âge"; None if of two."""
        if name.isascii():
            return None
        code = self.canonical(code_of(name))
        return None if f"{code}_2" in self._by_code else self._by_code.get(code)

    def _item(self, code: str) -> CatalogueQuestion | None:
        """The item with that code, in any case; None where no question or several have it."""
        found = self._items.get(self.canonical(code).casefold(), [])
        return found[0] if len(found) == 1 else None

    @cached_property
    def _items(self) -> dict[str, list[CatalogueQuestion]]:
        items: dict[str, list[CatalogueQuestion]] = {}
        for question in self.questions:
            for code, item in items_of(question).items():
                items.setdefault(code.casefold(), []).append(item)
        return items

    @cached_property
    def _index(self) -> SearchIndex:
        return SearchIndex(self.questions)

    @cached_property
    def _by_code(self) -> dict[str, CatalogueQuestion]:
        return {each.canonical: each for each in self.questions}

    @cached_property
    def _by_name(self) -> dict[str, list[CatalogueQuestion]]:
        named: dict[str, list[CatalogueQuestion]] = {}
        for each in self.questions:
            for name in dict.fromkeys((each.name, lowered(each.name))):
                named.setdefault(name, []).append(each)
        return named

    @cached_property
    def _names(self) -> dict[str, dict[str, str]]:
        return {
            each.canonical: {datapoint.code: datapoint.name for datapoint in each.datapoints}
            for each in self.questions
        }


def _frame_rows(question: CatalogueQuestion) -> Iterator[tuple[Any, ...]]:
    paths = question.paths
    shared = (
        " > ".join(paths[0]) if paths else "",
        ", ".join(dataset.code for dataset in question.record.datasets),
        len(question.suffixes),
        question.accessible,
    )
    for each in question.datapoints:
        midpoint = each.midpoint.value if each.midpoint else float("nan")
        yield question.canonical, question.name, each.code, each.name, midpoint, *shared
    if not question.datapoints:
        yield question.canonical, question.name, None, None, float("nan"), *shared


def _as_found(hit: Hit) -> CatalogueQuestion:
    if hit.whole:
        return hit.question
    kept = [hit.question.datapoints[at] for at in hit.answers]
    record = hit.question.record.__replace__(datapoints=kept)
    return replace(hit.question, record=record)


def _allow_completion(*kinds: type) -> None:
    """Let IPython evaluate `[]` on these types, to complete `client.catalogue["Gender"]["Fe`.

    Its default policy, "limited", evaluates `[]`, and attributes of what has a `__getattr__`, only
    on types that are listed, since they may have effects; those of clients and catalogues have none
    (a word for a member of a question may send a query).
    """
    if "IPython" not in sys.modules:
        return
    try:
        module: Any = import_module("IPython.core.guarded_eval")
    except ImportError:  # pragma: no cover - before IPython 8.7
        return
    policy = getattr(module, "EVALUATION_POLICIES", {}).get("limited")
    paths = [(kind.__module__, kind.__qualname__) for kind in kinds]
    for name, listed in (
        ("allowed_getitem_external", paths),
        ("allowed_getattr_external", [paths[0], ("audiencelab.client", "Client")]),
    ):
        if isinstance(allowed := getattr(policy, name, None), set):
            cast(set[tuple[str, ...]], allowed).update(listed)
