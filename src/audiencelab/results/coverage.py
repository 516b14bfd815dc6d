"""Who was asked: bases of those who answered, and the waves that asked an audience's questions.

A survey asks some of its questions in some waves only. In a wave that did not ask all questions of
an "or", the audience is smaller because of the questionnaire, which no metric shows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import isnan
from typing import TYPE_CHECKING

from audiencelab.expressions import Audience, Condition, Expression, Labels, Leaf, Or, Q, walk
from audiencelab.expressions.codes import ASKED, WAVES
from audiencelab.expressions.nodes import Combinator
from audiencelab.results.arrow import HasFrame
from audiencelab.results.made import Made
from audiencelab.schema import StatsRow
from audiencelab.wording import plural, without_controls

if TYPE_CHECKING:
    import pandas as pd


def waves_offered(
    rows: Iterable[StatsRow], asked: frozenset[str], kind: str | None
) -> dict[str, frozenset[str]]:
    """The waves that offered each item of a question, of its rows by waves.

    asked: the waves of the question. kind: of the question; answers of a single question have its
    waves. Items that all these waves offered are left out.
    """
    found: dict[str, set[str]] = {}
    for row in rows:
        offered = found.setdefault(row.datapoint, set())
        # The row of a wave rests on that wave only if the wave offered the item.
        offered |= {row.segment or ""} & {*row.waves} & asked
    # A service that lists no waves does not report it.
    if kind == "single" or not any(found.values()):
        return {}
    return {item: frozenset(waves) for item, waves in found.items() if not asked <= waves}


def waves_asked(rows: Iterable[StatsRow]) -> frozenset[str]:
    """The waves that asked a question, of its rows by waves.

    Those with respondents; where samples are unknown, those that the service lists.
    """
    return frozenset(
        row.segment
        for row in rows
        if row.segment
        and (row.segment in row.waves if isnan(n := row.metrics.audience_sample) else n > 0)
    )


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Coverage(HasFrame):
    """The accessible waves, and in which of them each question of an audience was asked.

    waves: the codes of all accessible waves, by date.
    asked: the waves of each question, by its code in the audience.
    labels: names of questions and waves, by code; of items by "question/item".
    items: the waves that offered an item, by question and code, where not all of its question did.
    made: how it was made, for `to_code`.
    """

    audience: Audience
    waves: tuple[str, ...]
    asked: Mapping[str, frozenset[str]]
    labels: Mapping[str, str] = field(default_factory=dict[str, str])
    items: Mapping[str, Mapping[str, frozenset[str]]] = field(
        default_factory=dict[str, Mapping[str, frozenset[str]]]
    )
    made: Made = None

    @property
    def counted(self) -> tuple[str, ...]:
        """The waves that the audience rests on, by the service's rule.

        "And" takes those that all its parts rest on, "or" those that any does, "not" changes
        nothing. A leaf on waves rests on those it lists, one on items on the waves that offered as
        many of them as it needs.
        """
        if self.audience.expression is None:
            return self.waves
        return self._ordered(self._rests_on(self.audience.expression))

    @property
    def whole(self) -> tuple[str, ...]:
        """The counted waves that asked every question and offered every item, for `waves=`."""
        return tuple(wave for wave in self.counted if self._all_asked(wave))

    @property
    def mixed(self) -> tuple[str, ...]:
        """The counted waves that asked only some of the questions, or offered some of the items."""
        return tuple(wave for wave in self.counted if not self._all_asked(wave))

    def to_frame(self) -> pd.DataFrame:
        """One line for each question × wave: whether it was asked, and whether the wave counts.

        Columns `question`, `question_label`, `wave`, `wave_label`, `asked`, `counted`. Where some
        waves did not offer an item of the audience, `item` and `item_label` as well, with lines for
        such items, whose `asked` is whether the wave offered them.

        >>> client.coverage(client["Trust in sources"].any()).to_frame().shape
        (12, 6)
        """
        import pandas as pd

        counted = set(self.counted)
        lines = [
            (
                *(question, self._name(question), item, name),
                *(wave, self._name(wave), wave in asked, wave in counted),
            )
            for question, item, name, asked in self._lines()
            for wave in self.waves
        ]
        names = ["question", "question_label", "item", "item_label", "wave", "wave_label"]
        kinds = dict.fromkeys(names, str) | {"asked": bool, "counted": bool}
        frame = pd.DataFrame(lines, columns=list(kinds)).astype(kinds)
        if not any(frame["item"]):
            frame = frame.drop(columns=["item", "item_label"])
        frame.attrs.update(audience=self.audience.name, mixed=list(self.mixed))
        return frame

    def __repr__(self) -> str:
        return without_controls(f"<Coverage of {self.audience.name}: {self._said()}>")

    def _repr_html_(self) -> str:
        from audiencelab.markup import card, table

        counted = dict.fromkeys(self.whole, "●") | dict.fromkeys(self.mixed, "◐")
        lines = [
            [
                f"{self._name(question)} › {name}" if item else self._name(question),
                *("●" if wave in asked else "–" for wave in self.waves),
            ]
            for question, item, name, asked in self._lines()
        ]
        lines.append(["Counts", *(counted.get(wave, "–") for wave in self.waves)])
        listed = table(["Asked", *map(self._name, self.waves)], lines)
        return str(card(self.audience.name, listed, subtitle=self._said()))

    def _said(self) -> str:
        told = f"{len(self.counted)} of {plural(len(self.waves), 'wave')} count"
        if not self.mixed:
            return told
        by_item = any(wave not in asked for wave in self.mixed for asked in self._items_of())
        parts = "items" if by_item else "questions"
        return f"{told}, {len(self.mixed)} of them with a part of the {parts} only"

    def _lines(self) -> Iterator[tuple[str, str, str, frozenset[str]]]:
        """Question, item and its name ("" for the question itself), and the waves that asked it."""
        leaves = list(_leaves(self.audience.expression))
        for question, asked in self.asked.items():
            yield question, "", "", asked
            listed = [
                leaf.datapoints
                for leaf in leaves
                if isinstance(leaf, Leaf) and leaf.question == question
            ]
            for item, waves in self.items.get(question, {}).items():
                if any(item in each or not each for each in listed):
                    yield question, item, self._name(f"{question}/{item}"), waves

    def _items_of(self) -> list[frozenset[str]]:
        return [waves for _, item, _, waves in self._lines() if item]

    def _rests_on(self, node: Expression) -> frozenset[str]:
        if isinstance(node, Combinator):
            parts = [self._rests_on(child) for child in node.children]
            # Negation changes nothing here: "not" covers what its child covers.
            return parts[0].union(*parts) if isinstance(node, Or) else parts[0].intersection(*parts)
        assert isinstance(node, Condition), "a node is a combinator or a condition"
        if not isinstance(node, Leaf):
            return self.asked[node.question]
        if node.question != WAVES:
            return self._offered(node)
        listed = frozenset(node.datapoints or self.waves)
        return frozenset(self.waves) - listed if node.negated else listed

    def _offered(self, leaf: Leaf) -> frozenset[str]:
        """The waves that offered as many of the items of a leaf as it needs."""
        asked, items = self.asked[leaf.question], self.items.get(leaf.question)
        if not items or not leaf.datapoints:
            return asked
        offered = [items.get(item, asked) for item in leaf.datapoints]
        return frozenset(
            wave for wave in asked if sum(wave in each for each in offered) >= leaf.min_count
        )

    def _all_asked(self, wave: str) -> bool:
        return all(wave in asked for _, _, _, asked in self._lines())

    def _ordered(self, waves: frozenset[str]) -> tuple[str, ...]:
        return tuple(wave for wave in self.waves if wave in waves)

    def _name(self, code: str) -> str:
        return self.labels.get(code) or code


def questions_of(audience: Audience) -> Sequence[str]:
    """The codes of the questions that an audience asks about, each once, waves left out."""
    return list(dict.fromkeys(_codes(audience.expression)))


def _codes(expression: Expression | None) -> Iterator[str]:
    return (leaf.question for leaf in _leaves(expression) if leaf.question != WAVES)


def _leaves(expression: Expression | None) -> Iterator[Condition]:
    nodes = () if expression is None else walk(expression)
    return (node for _, node in nodes if isinstance(node, Condition))


def answered(question: str, labels: Labels | None = None) -> Audience:
    """The respondents who gave any answer to a question, for `base_audience=`.

    question: its code, with or without namespace. labels: a catalogue, to name the base by.

    Respondents who were asked and chose nothing are in `asked` only, and in the base that
    `base_of="valid"` gives an item of a multiple question. "None of these" is an answer if it is a
    datapoint.

    >>> client.size(al.answered("q9")).sample
    1857.0
    """
    return Audience(
        name=f"Answered {_question_name(question, labels)}", expression=Q(question).any()
    )


def asked(question: str, labels: Labels | None = None) -> Audience:
    """The respondents who were asked a question, also those who chose nothing.

    question, labels: as for `answered`.

    It needs respondent-level data: a survey in this process (`connect(survey=…)`, the demo survey),
    one that audiencelab serves, or a replay of a recording. Other clients raise `LookupError`.

    >>> client.size(al.asked("q9")).sample
    2149.0
    """
    return Audience(
        name=f"Asked {_question_name(question, labels)}", expression=Q(question).any(ASKED)
    )


def _question_name(question: str, labels: Labels | None) -> str:
    return (labels.question_name(question) if labels else None) or question
