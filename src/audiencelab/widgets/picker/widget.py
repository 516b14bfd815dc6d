"""QuestionPicker: find questions and answers in a catalogue, and have them as leaves.

The picker selects; at most it asks for all of what is picked. Nested audiences are built in the
AudienceEditor.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, cast, get_args

from audiencelab.errors import AudienceError
from audiencelab.expressions import Audience, Expression, Leaf
from audiencelab.render.markup import Html, card, code_block, element, muted, table
from audiencelab.widgets.lab_widget import LabWidget
from audiencelab.widgets.libraries import traitlets
from audiencelab.widgets.measuring import Meter
from audiencelab.widgets.picker import selection as selections
from audiencelab.widgets.picker import values
from audiencelab.widgets.picker.catalogue import serve_catalogue
from audiencelab.widgets.picker.names import AnswerNames
from audiencelab.widgets.requests import Request

if TYPE_CHECKING:
    import pandas as pd

    from audiencelab.client import Client

__all__ = ["QuestionPicker"]


class QuestionPicker(LabWidget):
    """A searchable tree of categories, questions and answers with multiple selection.

    client: whose catalogue is shown; it is read when the widget is first drawn.
    value: what is picked to begin with: leaves such as `[al.Q("q4").any("q4_2", "q4_3")]`, or in
        `"audience"` mode an audience of them.
    mode: `"datapoints"` picks answers one by one (a question picks all of its answers);
        `"question"` picks questions as a whole; `"audience"` picks the answers of one audience.

    `.value` is one leaf for each picked question, in the order of picking. In `"audience"` mode
    it is the `Audience` of people to whom all of them apply, ready to be a base or a row, and the
    widget shows its size in the last four waves; None while nothing is picked. It can be set, and
    `.observe(f, "value")` calls `f` whenever it changes, by hand or from Python.

    Raises `TypeError` or `UnpickableValue` for a value that is not made of plain leaves.
    """

    kind = traitlets.Unicode("picker", read_only=True).tag(sync=True)
    mode = traitlets.Enum(get_args(values.Mode), "datapoints", read_only=True).tag(sync=True)
    selection = cast("traitlets.List[selections.Picked]", traitlets.List().tag(sync=True))
    value = traitlets.Any()

    def __init__(
        self, client: Client, value: object = (), *, mode: values.Mode = "datapoints"
    ) -> None:
        self._answered_by(client)
        if mode not in get_args(values.Mode):
            raise AudienceError(
                f"mode must be one of {', '.join(get_args(values.Mode))}, not {mode!r}."
            )
        self._names = AnswerNames(client)
        self.set_trait("mode", mode)
        super().__init__(selection=self._selection_of(value), value=value)
        serve_catalogue(self.channel, client)
        self._meter = Meter(client)
        self.channel.on("size", self._answer_size)
        self.channel.on("code", self._answer_code)

    # -- the value, in every form ------------------------------------------------------------

    @property
    def expression(self) -> Expression | None:
        """People to whom all picked leaves apply, or None when nothing is picked."""
        return selections.as_expression(self._leaves)

    def audiences(self) -> tuple[Audience, ...]:
        """One audience for each picked answer, named by its label: rows or columns of a grid.

        A question picked as a whole gives one audience for each of its answers. Names that
        would occur twice carry their question in front.
        """
        answers = list(self._answers())
        names = self._names.distinct(answers)
        return tuple(Audience(name, leaf) for name, leaf in zip(names, answers, strict=True))

    def to_code(self) -> str:
        """Python that evaluates to `.value`, with `audiencelab` as `al`."""
        return values.code_of(self.value)

    def to_frame(self) -> pd.DataFrame:
        """One line for each picked answer, in the order of picking.

        Columns: `question`, `question_label`, `datapoint`, `datapoint_label`, and `suffixes`, a
        tuple of codes that is empty where an answer counts with any suffix.
        """
        import pandas as pd

        columns = ["question", "question_label", "datapoint", "datapoint_label", "suffixes"]
        lines = [
            (
                leaf.question,
                self._names.question(leaf),
                leaf.datapoints[0],
                self._names.datapoint(leaf),
                leaf.suffixes,
            )
            for leaf in self._answers()
        ]
        return pd.DataFrame(lines, columns=columns)

    @property
    def _leaves(self) -> tuple[Leaf, ...]:
        return selections.leaves_of(self.selection)

    def _answers(self) -> Iterator[Leaf]:
        """A leaf of one datapoint for each picked answer."""
        for leaf in self._leaves:
            for code in leaf.datapoints or self._names.all_datapoints(leaf.question):
                yield Leaf(leaf.question, (code,), leaf.suffixes)

    # -- the value and the selection are one thing in two forms ----------------------------------

    def _selection_of(self, value: object) -> list[selections.Picked]:
        if self.mode == "audience":
            return selections.audience_selection(value)
        return selections.selection_of(value)

    def _value_of(self, selection: list[selections.Picked]) -> values.Value:
        return values.value_of(selection, self.mode, self._client)

    @traitlets.validate("selection")
    def _checked_selection(self, proposal: dict[str, Any]) -> list[selections.Picked]:
        return selections.checked_selection(proposal["value"])

    @traitlets.validate("value")
    def _checked_value(self, proposal: dict[str, Any]) -> values.Value:
        given: object = proposal["value"]
        value = self._value_of(self._selection_of(given))
        if isinstance(given, Audience) and given.name and isinstance(value, Audience):
            return value.renamed(given.name)
        return value

    @traitlets.observe("selection")
    def _follow_selection(self, change: dict[str, Any]) -> None:
        value = self._value_of(change["new"])
        # The same people keep the name that they were given.
        if not isinstance(value, Audience) or value.expression != _expression_of(self.value):
            self.value = value

    @traitlets.observe("value")
    def _follow_value(self, change: dict[str, Any]) -> None:
        self.selection = self._selection_of(change["new"])

    # -- what the page asks -------------------------------------------------------------------

    def _answer_size(self, request: Request) -> dict[str, Any]:
        return values.measured(self._meter, request)

    def _answer_code(self, request: Request) -> str:
        """The Python of a selection of the page, which may be ahead of the trait."""
        selection = values.selection_in(request)
        same = selection == self.selection
        return values.code_of(self.value if same else self._value_of(selection))

    # -- what others see -----------------------------------------------------------------------

    def _describe(self) -> str:
        if self.mode == "audience":
            return f"QuestionPicker(value={self.to_code()}, mode='audience')"
        leaves = ", ".join(leaf.to_code() for leaf in self._leaves)
        return f"QuestionPicker(value=[{leaves}])"

    def _static_html(self) -> Html:
        if not self.selection:
            return card("Question picker", muted("Nothing picked."))
        try:
            rows = [
                (self._names.question(leaf), self._names.answers(leaf)) for leaf in self._leaves
            ]
        except AudienceError:
            # Codes are names enough where the service cannot be asked; the live view says why.
            rows = [
                (leaf.question, ", ".join(leaf.datapoints) or "any answer") for leaf in self._leaves
            ]
        lines = [
            (*names, element("code", leaf.question))
            for names, leaf in zip(rows, self._leaves, strict=True)
        ]
        picked = table(["Question", "Answers", "Code"], lines, noun="question")
        return card("Question picker", picked, code_block(self.to_code()))


def _expression_of(value: object) -> Expression | None:
    return value.expression if isinstance(value, Audience) else None
