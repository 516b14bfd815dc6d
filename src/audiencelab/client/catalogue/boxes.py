"""Answers counted together as rows of a crosstab: the ends of a scale, and any others."""

from __future__ import annotations

from collections.abc import Iterable

from audiencelab.analysis.boxes import BoxItem, ends_of_scale
from audiencelab.client.catalogue.file_codes import by_numbers
from audiencelab.client.catalogue.question_part import OneOrEach, QuestionPart
from audiencelab.expressions import Audience, one_by_one
from audiencelab.schema import Datapoint
from audiencelab.schema.scales import scale_of


class BoxRows(QuestionPart):
    """The boxes and nets of a question: a mixin of `CatalogueQuestion`."""

    __slots__ = ()

    def top_box(self, count: int = 2, *items: str | Iterable[str], of: None = None) -> OneOrEach:
        """Everyone who gave one of the highest `count` answers of a scale (T2B, top-2 box).

        For a question whose items are rated on a scale, one audience for each item, in order; for
        one item, one audience.

        items: the rated items (names or codes), by default all.
        of: a row has the base of its table, so this is refused with what gives it another.

        The survey decides which end is the top (`top` in the codebook), otherwise the amounts of
        the catalogue (`midpoint`). Answers off the scale, such as "Don't know", are in no box. The
        name lists the answers.

        Raises `ValueError` where nothing shows which end is the top, where neither is, and for more
        answers than there are; `TypeError` for a question with several answers. `net` takes any
        answers.

        >>> client["Feelings about AI"].top_box(2).describe(client.catalogue)
        'Feelings about AI is Rather hopeful or Very hopeful'
        >>> table = client.crosstab(client["Trust in sources"].top_box(2), "Age")
        >>> table.rows[0].name
        'Public broadcasters: top 2 (Trust completely, Trust mostly)'
        """
        self._refuse_scale(of)
        return self._end_of_scale(items, count, 0)

    def bottom_box(self, count: int = 2, *items: str | Iterable[str], of: None = None) -> OneOrEach:
        """Everyone who gave one of the lowest `count` answers of a scale; see `top_box`.

        >>> client["The year ahead"].bottom_box(2).name
        'The year ahead: bottom 2 (Much worse, A little worse)'
        """
        self._refuse_scale(of)
        return self._end_of_scale(items, 0, count)

    def net(self, *answers: str | float | Iterable[str | float]) -> OneOrEach:
        """Everyone who gave one of these answers, named by them; raises as `any`.

        For a question whose items are rated on a scale the answers are points of the scale, and
        there is one audience for each item, in order.

        >>> client["The year ahead"].net("Much worse", "Much better").name
        'The year ahead: Much worse, Much better'
        """
        named = one_by_one(by_numbers(self, answers))
        if not named:
            raise ValueError("net() needs the answers by name or code.")
        if not self.suffixes:
            found = [self._datapoint(each) for each in named]
            name = ", ".join(each.name or each.code for each in found)
            return Audience(f"{self.name}: {name}", self.any([each.code for each in found]))
        codes = [self._suffix(str(each)) for each in named]
        name = ", ".join(each.name or each.code for each in self.suffixes if each.code in codes)
        return self._each_item(self.datapoints, name, codes)

    def _refuse_scale(self, of: object) -> None:
        if of is None:
            return
        points, off = self.suffixes or self.datapoints, scale_of(self.record).off
        on = [each.name or each.code for each in points if each.code not in off]
        base = f"client[{self.code!r}].any({on if off and not self.suffixes else ''})"
        raise TypeError(
            f"of={of!r} is not valid for a box as a row: its base is that of the table. Write "
            f"crosstab(…, base_audience={base}), or of the rows of the question "
            f'client.crosstab({self.code!r}, columns).boxes(of="scale").'
        )

    def _end_of_scale(
        self,
        given: tuple[str | Iterable[str], ...],
        top: int,
        bottom: int,
    ) -> Audience | tuple[Audience, ...]:
        title = f"{self.code!r} ({self.name})"
        if self.record.kind == "multiple":
            raise TypeError(
                f"{title} takes several answers, which are not a scale. List those you mean: "
                ".any(['…', '…'])."
            )
        answers = [
            BoxItem(each.code, each.name or each.code, frozenset([each.code]))
            for each in self.suffixes or self.datapoints
        ]
        code = self.code if self.item_of is None else self.item_of.code
        [box] = ends_of_scale(title, answers, scale_of(self.record), top, bottom, code)
        name = f"{box.end.lower()}{box.name.removeprefix(box.end)}"
        points = [each.key for each in answers if each in box.answers]
        if not self.suffixes:
            if given:
                raise TypeError(f"{title} has no items to choose among.")
            return Audience(f"{self.name}: {name}", self.any(points))
        items = [self._datapoint(each) for each in one_by_one(given)]
        found = self._each_item(items or self.datapoints, name, points)
        return found[0] if given and len(found) == 1 else found

    def _each_item(
        self, items: Iterable[Datapoint], name: str, points: list[str]
    ) -> tuple[Audience, ...]:
        """For each item everyone who gave it one of these points, which have a name together."""
        return tuple(
            Audience(f"{item.name or item.code}: {name}", self.any(item.code, scale=points))
            for item in items
        )
