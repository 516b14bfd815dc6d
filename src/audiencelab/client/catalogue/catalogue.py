"""The catalogue to look things up in: questions by code or name, answers as expressions.

`catalogue["Gender"]["Female"]` is the expression for women. It is built from one answer of the
question filter, and neither a repr nor the names that it completes touch the network. Only of a
code that it does not have, and is about to complain of, may it ask whether there is such a question
after all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NoReturn

from audiencelab.audience import Audience, join_code, split_code
from audiencelab.audience.codes import BASE_NAMESPACE, WAVES
from audiencelab.client.catalogue.completion import let_look_up
from audiencelab.client.catalogue.labels import wave_name
from audiencelab.client.catalogue.lookup import check_text, closed, guess
from audiencelab.client.catalogue.question import CatalogueQuestion
from audiencelab.client.catalogue.search import Hit, SearchIndex
from audiencelab.client.catalogue.tree import CatalogueCategory, grow
from audiencelab.client.errors import UnknownCodeError
from audiencelab.frames.arrow import ArrowStream
from audiencelab.wire import Question
from audiencelab.wording import harmless

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Catalogue"]

_SHOWN = 12

_FRAME = {
    **dict.fromkeys(("question", "question_label", "datapoint", "datapoint_label"), str),
    "midpoint": float,
    "category": str,
    "datasets": str,
    "suffixes": int,
    "accessible": bool,
}
"""The columns of the frame and their types, which an empty catalogue has too."""
_WORDS_SHOWN = 60


class Catalogue(ArrowStream):
    """Questions by code or by name; implements `Labels` (names for codes).

    Iterate over it for every question, search it, or show it as a frame.

    ask_about: gives the question of a code that is not among these, or None; a service leaves
        those out that may not be used.
    """

    def __init__(
        self,
        questions: Iterable[Question],
        base_namespace: str = BASE_NAMESPACE,
        ask_about: Callable[[str], Question | None] | None = None,
    ) -> None:
        self._base = base_namespace
        self._ask_about = ask_about
        self._part = ""
        let_look_up(Catalogue, CatalogueCategory)
        self.questions = tuple(self._wrap(each) for each in questions)

    @classmethod
    def of(
        cls, questions: Iterable[CatalogueQuestion], base_namespace: str, part: str = ""
    ) -> Catalogue:
        """A catalogue of some questions of another; `part` says which, after their count."""
        made = cls((), base_namespace)
        made.questions = tuple(questions)
        made._part = part
        return made

    def __getitem__(self, key: str) -> CatalogueQuestion:
        """The question of that code or name; raises `UnknownCodeError` with the nearest ones."""
        check_text("question", key)
        found = self._by_code.get(self._canonical(key))
        named = self._by_name.get(key) or self._by_name.get(key.casefold(), [])
        if found is None and len(named) > 1:
            codes = ", ".join(repr(each.code) for each in named)
            raise UnknownCodeError(f"{len(named)} questions are called {key!r}: {codes}.", [key])
        if found is None and not named:
            raise UnknownCodeError(self._why_not(key), [key])
        return found or named[0]

    def __call__(self, *_: object) -> NoReturn:
        # On an AsyncClient it is; whoever comes from there calls it here as well.
        raise TypeError("The catalogue is there and is not called: client.catalogue['Gender'].")

    def __contains__(self, key: object) -> bool:
        if not isinstance(key, str):
            return False
        return self._canonical(key) in self._by_code or key.casefold() in self._by_name

    def __iter__(self) -> Iterator[CatalogueQuestion]:
        return iter(self.questions)

    def __len__(self) -> int:
        return len(self.questions)

    # -- labels ------------------------------------------------------------------------------

    def question_name(self, code: str) -> str | None:
        """The name of a question, or None."""
        if code == WAVES:
            return "Wave"
        found = self._by_code.get(self._canonical(code))
        return found.name if found else None

    def datapoint_name(self, question: str, code: str) -> str | None:
        """The name of a datapoint, or None."""
        if question == WAVES:
            return wave_name(code)
        return self._names.get(self._canonical(question), {}).get(code)

    def suffix_name(self, question: str, code: str) -> str | None:
        """The name of a suffix, or None."""
        found = self._by_code.get(self._canonical(question))
        return (
            next((each.name for each in found.suffixes if each.code == code), None)
            if found
            else None
        )

    # -- finding -----------------------------------------------------------------------------

    @cached_property
    def tree(self) -> CatalogueCategory:
        """The categories with their questions, from the root down: `catalogue.tree["Media"]`."""
        return grow(self.questions)

    def below(self, category: CatalogueCategory) -> Catalogue:
        """The questions of a category and all below it, as a smaller catalogue."""
        if not isinstance(category, CatalogueCategory):  # pyright: ignore[reportUnnecessaryIsInstance] -- callers in notebooks are not type-checked
            named = repr(category) if isinstance(category, str) else "'Media'"
            raise TypeError(
                f"A category is needed here, not {type(category).__name__}: "
                f"catalogue.below(catalogue.tree[{named}])."
            )
        return Catalogue.of(category.all_questions(), self._base, f" below {category.name!r}")

    def audiences(self, question: str) -> tuple[Audience, ...]:
        """One audience for each datapoint of a question (code or name), named by it."""
        return self[question].audiences()

    def search(self, words: str) -> Catalogue:
        """The questions in which every word occurs, the best first, as a smaller catalogue.

        Names, codes, descriptions and categories are searched, upper and lower case alike: exact
        codes and names come first, then whole words, beginnings of words, and the rest. A question
        found by its own text keeps all its datapoints; one found with the help of its datapoints
        keeps those.
        """
        if not isinstance(words, str):  # pyright: ignore[reportUnnecessaryIsInstance] -- callers in notebooks are not type-checked
            raise TypeError(
                f"What is searched for is text, such as 'radio daily', not {type(words).__name__}."
            )
        found = map(_as_found, self._index.find(words))
        return Catalogue.of(found, self._base, f" found by {words[:_WORDS_SHOWN]!r}")

    def guess(self, key: str) -> str:
        """A question back, "Did you mean …?", for a question that does not exist; or nothing."""
        return guess(key, {each.code: each.name for each in self.questions})

    def to_frame(self) -> pd.DataFrame:
        """One line for each datapoint: codes, names, category path, datasets, accessible or not."""
        import pandas as pd

        lines = [line for each in self.questions for line in _frame_lines(each)]
        return pd.DataFrame(lines, columns=list(_FRAME)).astype(_FRAME)

    def __repr__(self) -> str:
        from audiencelab.wording import plural

        count = sum(len(each.datapoints) for each in self.questions)
        counts = f"{plural(len(self), 'question')}, {plural(count, 'datapoint')}"
        lines = [f"Catalogue of {counts}{self._part}"]
        lines += [f"  {each.code}: {each.name}" for each in self.questions[:_SHOWN]]
        if (hidden := len(self) - _SHOWN) > 0:
            does = "narrows them down" if self._part else "finds them"
            lines.append(f"  … and {hidden:,} more; .search('words') {does}")
        return harmless("\n".join(lines))

    def _repr_html_(self) -> str:
        from audiencelab.frames.markup import ROW_CAP, card, table
        from audiencelab.wording import plural

        lines = [
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
            lines,
            numeric=[3],
            hidden=len(self) - len(lines),
            noun="question",
        )
        count = sum(len(each.datapoints) for each in self.questions)
        subtitle = f"{plural(len(self), 'question')} · {plural(count, 'datapoint')}{self._part}"
        return str(card("Catalogue", listed, subtitle=subtitle))

    def _ipython_key_completions_(self) -> list[str]:
        return [each.name for each in self.questions]

    # -- inside ------------------------------------------------------------------------------

    def __getstate__(self) -> dict[str, Any]:
        # What is asked goes over connections, which stay where they are.
        return {**vars(self), "_ask_about": None}

    def _why_not(self, key: str) -> str:
        # A name is not asked about: only codes find a question.
        if self._ask_about is not None and not any(map(str.isspace, key)):
            found = self._ask_about(self._canonical(key))
            if found is not None and not found.accessible:
                return closed(f"Question {key!r} ({found.name})")
        return f"Unknown question {key!r}.{self.guess(key)}"

    def _wrap(self, record: Question) -> CatalogueQuestion:
        namespace = record.namespace_code or self._base
        canonical = join_code(namespace, record.code)
        # `core` is the base namespace everywhere; any other is named, to be on the safe side.
        bare = namespace == self._base == BASE_NAMESPACE
        return CatalogueQuestion(record, record.code if bare else canonical, canonical)

    def _canonical(self, code: str) -> str:
        return join_code(*split_code(code, self._base))

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
            for name in dict.fromkeys((each.name, each.name.casefold())):
                named.setdefault(name, []).append(each)
        return named

    @cached_property
    def _names(self) -> dict[str, dict[str, str]]:
        return {
            each.canonical: {datapoint.code: datapoint.name for datapoint in each.datapoints}
            for each in self.questions
        }


def _frame_lines(question: CatalogueQuestion) -> Iterator[tuple[Any, ...]]:
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
    if hit.datapoints is None:
        return hit.question
    record = hit.question.record.__replace__(datapoints=hit.datapoints)
    return replace(hit.question, record=record)
