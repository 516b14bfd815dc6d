"""Names for what is picked, from a client's catalogue; codes where a name is not known."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from audiencelab.expressions import Leaf

if TYPE_CHECKING:
    from audiencelab.client import Client

__all__ = ["AnswerNames"]


class AnswerNames:
    """Reads the names of leaves from the catalogue of `client`, which is loaded once and late."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def question(self, leaf: Leaf) -> str:
        """The question's name."""
        return self._client.catalogue.question_name(leaf.question) or leaf.question

    def datapoint(self, leaf: Leaf) -> str:
        """The name of the leaf's only datapoint."""
        code = leaf.datapoints[0]
        return self._client.catalogue.datapoint_name(leaf.question, code) or code

    def answers(self, leaf: Leaf) -> str:
        """All datapoints of a leaf, with the suffixes they must have been given with."""
        catalogue = self._client.catalogue
        named = [catalogue.datapoint_name(leaf.question, code) or code for code in leaf.datapoints]
        return (", ".join(named) or "any answer") + self._with_suffixes(leaf)

    def distinct(self, answers: Sequence[Leaf]) -> list[str]:
        """A name for each one-datapoint leaf; those that would be equal name their question."""
        short = [self.datapoint(leaf) + self._with_suffixes(leaf) for leaf in answers]
        times = Counter(short)
        return [
            f"{self.question(leaf)}: {name}" if times[name] > 1 else name
            for leaf, name in zip(answers, short, strict=True)
        ]

    def all_datapoints(self, question: str) -> tuple[str, ...]:
        """The codes of every datapoint of a question, in catalogue order."""
        audiences = self._client.catalogue.audiences(question)
        leaves = [each.expression for each in audiences if isinstance(each.expression, Leaf)]
        return tuple(code for leaf in leaves for code in leaf.datapoints)

    def _with_suffixes(self, leaf: Leaf) -> str:
        catalogue = self._client.catalogue
        named = [catalogue.suffix_name(leaf.question, code) or code for code in leaf.suffixes]
        return f" ({' or '.join(named)})" if named else ""
