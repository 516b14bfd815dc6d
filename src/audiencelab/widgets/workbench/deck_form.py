"""A deck in a workbench document: its template, and its tables and charts in order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from audiencelab.errors import AudienceError
from audiencelab.widgets._deps import traitlets
from audiencelab.widgets.crosstab.deck_item import DeckItem, checked_settings
from audiencelab.widgets.crosstab.formatting import SETTINGS
from audiencelab.widgets.crosstab.protocol import ChartStyle
from audiencelab.widgets.crosstab.view_state import Arrangement
from audiencelab.widgets.workbench.question_form import (
    QuestionForm,
    at,
    question_to_json,
    read_question,
)


class DeckItemForm(msgspec.Struct):
    """A table; with `chart`, a chart of it."""

    question: QuestionForm = msgspec.field(default_factory=QuestionForm)
    table: dict[str, Any] = msgspec.field(default_factory=dict[str, Any])
    arrangement: dict[str, Any] = msgspec.field(default_factory=dict[str, Any])
    chart: ChartStyle | None = None
    headline: str = ""


class DeckForm(msgspec.Struct):
    """template: the name of a presentation beside the document; "" for none."""

    items: list[DeckItemForm] = msgspec.field(default_factory=list[DeckItemForm])
    template: str = ""


def deck_to_json(template: str, deck: Sequence[DeckItem]) -> dict[str, Any]:
    """A deck as a JSON object without empty fields."""
    items = [
        {
            "question": question_to_json(item.query),
            "table": dict(item.table),
            "arrangement": item.arrangement.to_dict(),
            "chart": item.chart,
            "headline": item.headline,
        }
        for item in deck
    ]
    full = [
        {name: each for name, each in item.items() if each not in ("", None, {})} for item in items
    ]
    return {"items": full} | ({"template": template} if template else {})


def read_deck(form: DeckForm) -> tuple[str, list[DeckItem]]:
    """The template and the items; raises `BrokenStudy` with the position of the error."""
    items: list[DeckItem] = []
    for number, each in enumerate(form.items):
        position = f"deck.items[{number}]"
        query = read_question(each.question, f"{position}.question")
        known = {name: value for name, value in each.table.items() if name in SETTINGS}
        with at(f"{position}.table"):
            try:
                table = checked_settings(known)
            except traitlets.TraitError as error:
                raise AudienceError(str(error)) from None
        arrangement = Arrangement.from_dict(each.arrangement)
        items.append(DeckItem(query, table, arrangement, each.chart, each.headline))
    return form.template, items
