"""QuestionPicker: find questions and answers in a catalogue, and have them as leaves.

The picker selects; it does not combine. Nested audiences are built in the AudienceEditor.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Literal, cast, get_args

from audiencelab.audience import Audience, Expression, Leaf
from audiencelab.errors import AudienceError
from audiencelab.frames.markup import Html, card, code_block, element, muted, table
from audiencelab.widgets import picker_selection as selections
from audiencelab.widgets.lab_widget import LabWidget
from audiencelab.widgets.libraries import traitlets
from audiencelab.widgets.picker_catalogue import serve_catalogue
from audiencelab.widgets.picker_names import AnswerNames

if TYPE_CHECKING:
    import pandas as pd

    from audiencelab.client import Client

__all__ = ["QuestionPicker"]

Mode = Literal["datapoints", "question"]


class QuestionPicker(LabWidget):
    """A searchable tree of categories, questions and answers with multiple selection.

    client: whose catalogue is shown; it is read when the widget is first drawn.
    value: leaves to begin with, such as `[al.Q("q4").any("q4_2", "q4_3")]`.
    mode: `"datapoints"` picks answers one by one (a question picks all of its answers);
        `"question"` picks questions as a whole.

    `.value` is one leaf for each picked question and can be set; `.observe(f, "selection")`
    calls `f` whenever the picked things change, by hand or from Python.

    Raises `TypeError` or `UnpickableValue` for a value that is not made of plain leaves.
    """

    kind = traitlets.Unicode("picker", read_only=True).tag(sync=True)
    mode = traitlets.Enum(get_args(Mode), "datapoints", read_only=True).tag(sync=True)
    selection = cast("traitlets.List[selections.Picked]", traitlets.List().tag(sync=True))

    def __init__(self, client: Client, value: object = (), *, mode: Mode = "datapoints") -> None:
        self._answered_by(client)
        if mode not in get_args(Mode):
            raise AudienceError(f"mode must be one of {', '.join(get_args(Mode))}, not {mode!r}.")
        self._names = AnswerNames(client)
        self.set_trait("mode", mode)
        super().__init__(selection=selections.selection_of(value))
        serve_catalogue(self.channel, client)

    # -- the value, in every form ------------------------------------------------------------

    @property
    def value(self) -> tuple[Leaf, ...]:
        """One leaf for each picked question, in the order of picking; settable."""
        return selections.leaves_of(self.selection)

    @value.setter
    def value(self, value: object) -> None:
        self.selection = selections.selection_of(value)

    @property
    def expression(self) -> Expression | None:
        """People to whom all picked leaves apply, or None when nothing is picked."""
        return selections.as_expression(self.value)

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
        return selections.tuple_code(self.value)

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

    def _answers(self) -> Iterator[Leaf]:
        """A leaf of one datapoint for each picked answer."""
        for leaf in self.value:
            for code in leaf.datapoints or self._names.all_datapoints(leaf.question):
                yield Leaf(leaf.question, (code,), leaf.suffixes)

    # -- what others see -----------------------------------------------------------------------

    @traitlets.validate("selection")
    def _checked_selection(self, proposal: dict[str, Any]) -> list[selections.Picked]:
        return selections.checked_selection(proposal["value"])

    def _describe(self) -> str:
        leaves = ", ".join(leaf.to_code() for leaf in self.value)
        return f"QuestionPicker(value=[{leaves}])"

    def _static_html(self) -> Html:
        if not self.value:
            return card("Question picker", muted("Nothing picked."))
        rows = [
            (
                self._names.question(leaf),
                self._names.answers(leaf),
                element("code", leaf.question),
            )
            for leaf in self.value
        ]
        picked = table(["Question", "Answers", "Code"], rows, noun="question")
        return card("Question picker", picked, code_block(self.to_code()))
