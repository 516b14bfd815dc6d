"""Answers that are an audience."""

from __future__ import annotations

from typing import Any

from audiencelab.client import connect as connect_to
from audiencelab.course.kinds.kind import Kind
from audiencelab.course.respondents import Respondents
from audiencelab.expressions import Audience, Expression, parse_expression

__all__ = ["People"]


class People(Kind):
    """An audience or expression; the same is what has the same respondents in it."""

    @property
    def asks_for(self) -> str:
        """The kind in words."""
        return "an audience or an expression"

    def read(self, given: Any, respondents: Respondents) -> Any:
        expression = given.expression if isinstance(given, Audience) else given
        if not isinstance(expression, Expression):
            raise self.refuse(given, 'Build one with al.Q("…").any("…"), and combine with & | ~.')
        return expression.to_wire("saved")

    def same(self, answer: Any, wanted: Any, respondents: Respondents) -> bool:
        """Counted by the client: the only place in the course that compares two expressions."""
        ours, theirs = (parse_expression(each) for each in (wanted, answer))
        client = connect_to(survey=respondents.survey)
        names = {"ours": ours, "theirs": theirs, "both": ours & theirs}
        table = client.crosstab(rows=[Audience(name, each) for name, each in names.items()])
        samples = set(table.to_frame()["sample"])
        return len(samples) == 1

    def shown(self, answer: Any, respondents: Respondents) -> str:
        return repr(parse_expression(answer))
