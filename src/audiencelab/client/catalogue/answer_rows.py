"""A question as rows or columns: its answers, and of a grid the points of each item's scale."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from audiencelab.client.catalogue.question_part import QuestionPart
from audiencelab.expressions import Audience, Leaf, Q, one_by_one


class AnswerRows(QuestionPart):
    """The answers of a question as audiences: a mixin of `CatalogueQuestion`."""

    __slots__ = ()

    def audiences(self, *answers: str | Iterable[str]) -> tuple[Audience, ...]:
        """One audience for each datapoint, with its name: ready for a crosstab's rows or columns.

        Of a grid, one for each point of the scale of each item: "Loopa: About once a day".

        answers: only these, by names or codes, one by one or listed; of a grid, items. By default
            all but those that are not accessible, since a query with them would be refused.

        Raises as `any`.

            client["Age"].audiences("18 to 24", "25 to 34")

        >>> [each.name for each in client["Age"].audiences("18 to 24", "25 to 34")]
        ['18 to 24', '25 to 34']
        """
        made = self.as_rows(*answers)
        if not isinstance(made, dict):
            return made
        return tuple(
            point.renamed(f"{item}: {point.name}")
            for item, points in made.items()
            for point in points
        )

    def as_rows(
        self, *answers: str | Iterable[str]
    ) -> tuple[Audience, ...] | dict[str, tuple[Audience, ...]]:
        """The same, of a grid as a group of points for each item, by the item's name.

        >>> list(client["Trust in sources"].as_rows())[:2]
        ['Public broadcasters', 'Commercial television']
        """
        found = [self._datapoint(answer) for answer in one_by_one(answers)]
        chosen = found or [each for each in self.datapoints if each.accessible]
        if not self.suffixes:
            return tuple(
                Audience(each.name or each.code, self._leaf(1, [each.code])) for each in chosen
            )
        named = Counter(each.name for each in chosen)
        return {
            item.name
            if named[item.name] == 1 and item.name
            else f"{item.name} ({item.code})": tuple(
                Audience(point.name or point.code, self._leaf(1, [item.code], [point.code]))
                for point in self.suffixes
            )
            for item in chosen
        }

    def _leaf(self, count: int, codes: Sequence[str], suffixes: Sequence[str] = ()) -> Leaf:
        """At least `count` of these answers, by codes; without codes of any."""
        question = self.item_of
        if question is None:
            return Q(self.code, suffixes=suffixes).at_least(count, *codes)
        if count > 1:
            raise ValueError(f"{self.code!r} ({self.name}) is one item, which has one answer.")
        return Q(question.code, codes if question.suffixes else ()).any(self.record.code)
