"""QuestionPicker: find questions and answers in a catalogue, and use them as leaves.

Nested audiences are built in the AudienceEditor.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, cast, get_args

from audiencelab.client.catalogue.question import CatalogueQuestion
from audiencelab.errors import AudienceError
from audiencelab.expressions import Audience, Expression, Leaf, Q
from audiencelab.hidden_members import hide_members
from audiencelab.keywords import keywords
from audiencelab.markup import Form, card, code_block, element, muted, table
from audiencelab.render.room import NOTEBOOK, Room
from audiencelab.widgets._deps import traitlets
from audiencelab.widgets.audience_size import SizeCounter
from audiencelab.widgets.base import LabWidget
from audiencelab.widgets.numbered import numbered
from audiencelab.widgets.picker.catalogue import serve_catalogue
from audiencelab.widgets.picker.protocol import Mode, Picked, Picker, SelectionArgs
from audiencelab.widgets.picker.selection import (
    AnswerNames,
    PickerValue,
    as_expression,
    audience_selection,
    cell_code,
    checked_selection,
    code_of,
    count_selection,
    leaves_of,
    selection_of,
    value_of,
)
from audiencelab.widgets.rpc_types import Code, PageRequest

if TYPE_CHECKING:
    import pandas as pd

    from audiencelab.client import Client


@hide_members("selection")
class QuestionPicker(LabWidget):
    """A searchable tree of categories, questions and answers with multiple selection.

    client: the client whose catalogue is shown; it is read when the widget is first drawn.
    value: the initial selection: questions or their names, `["Age", "Gender"]`, and answers, such
        as `client["Age"].isin(["18 to 24"])`; in `"audience"` mode an audience of answers.
    mode: `"datapoints"` picks answers one by one (a question picks all of its answers);
        `"question"` picks questions as a whole; `"audience"` picks the answers of one audience.

    `.value` is one leaf for each picked question, in the order of picking. In `"audience"` mode
    it is the `Audience` of people to whom all of them apply, to be used as a base or a row, and
    the widget shows its size in the latest 4 waves; None while nothing is picked. It can be set,
    and `.observe(f, "value")` calls `f` when it changes in the page or from Python.

    Raises `TypeError` or `UnpickableValue` for a value that is not made of plain leaves.
    """

    kind = traitlets.Unicode("picker", read_only=True).tag(sync=True)
    mode = traitlets.Enum(get_args(Mode), "datapoints", read_only=True).tag(sync=True)
    selection = numbered(cast("traitlets.List[Picked]", traitlets.List()))
    value = traitlets.Any()

    @keywords()
    def __init__(self, client: Client, value: object = (), *, mode: Mode = "datapoints") -> None:
        self._use_client(client)
        if mode not in get_args(Mode):
            modes = ", ".join(get_args(Mode))
            raise AudienceError(f"mode must be one of {modes}, not {mode!r}.")
        self._names = AnswerNames(client)
        self.set_trait("mode", mode)
        super().__init__(selection=self._selection_of(value), value=value)
        serve_catalogue(self.channel, client)
        counter = SizeCounter(client)
        self.channel.on(Picker.size, lambda request: count_selection(counter, request))
        self.channel.on(Picker.code, self._answer_code)

    # -- the value in every form -------------------------------------------------------------

    @property
    def expression(self) -> Expression | None:
        """People to whom all picked leaves apply, or None when nothing is picked."""
        return as_expression(self._leaves)

    def audiences(self) -> tuple[Audience, ...]:
        """One audience for each picked answer, named by its label, as rows or columns of a grid.

        A question picked as a whole gives one audience for each of its answers. Duplicate names
        are prefixed with their question.

        >>> picker = al.QuestionPicker(client, [al.Q("q4").any("q4_2", "q4_3")])
        >>> [audience.name for audience in picker.audiences()]
        ['18 to 24', '25 to 34']
        """
        answers = list(self._answers())
        names = self._names.distinct(answers)
        return tuple(Audience(name, leaf) for name, leaf in zip(names, answers, strict=True))

    def to_code(self) -> str:
        """Python that evaluates to `.value`, given `client`, and `audiencelab` as `al`.

        >>> al.QuestionPicker(client, [al.Q("q4").any("q4_2", "q4_3")]).to_code()
        "(client['Age'].isin(['18 to 24', '25 to 34']),)"
        """
        try:
            return code_of(self.value, self._names)
        except AudienceError:
            # The service cannot be reached, or has no catalogue.
            return code_of(self.value, None)

    def to_frame(self) -> pd.DataFrame:
        """One row for each picked answer, in the order of picking.

        Columns: `question`, `question_label`, `datapoint`, `datapoint_label`, and `suffixes`, a
        tuple of codes that is empty where any suffix counts.

        >>> picker = al.QuestionPicker(client, [al.Q("q4").any("q4_2", "q4_3")])
        >>> picker.to_frame()["datapoint_label"].tolist()
        ['18 to 24', '25 to 34']
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
        return leaves_of(self.selection)

    def _answers(self) -> Iterator[Leaf]:
        """A leaf of one datapoint for each picked answer."""
        for leaf in self._leaves:
            for code in leaf.datapoints or self._names.all_datapoints(leaf.question):
                yield Leaf(leaf.question, (code,), leaf.suffixes)

    # -- the value and the selection, each derived from the other --------------------------------

    def _selection_of(self, value: object) -> list[Picked]:
        if isinstance(value, list | tuple):
            value = [self._picked(each) for each in cast("list[object]", value)]
        else:
            value = self._picked(value)
        if self.mode == "audience":
            return audience_selection(value)
        return selection_of(value)

    def _picked(self, given: object) -> object:
        """A question, or its name, as a leaf of all of its answers; anything else as it is."""
        question = self._client[given] if isinstance(given, str) else given
        return question.any() if isinstance(question, Q | CatalogueQuestion) else question

    def _value_of(self, selection: list[Picked]) -> PickerValue:
        return value_of(selection, self.mode, self._client)

    @traitlets.validate("selection")
    def _checked_selection(self, proposal: dict[str, Any]) -> list[Picked]:
        return checked_selection(proposal["value"])

    @traitlets.validate("value")
    def _checked_value(self, proposal: dict[str, Any]) -> PickerValue:
        given: object = proposal["value"]
        value = self._value_of(self._selection_of(given))
        if isinstance(given, Audience) and given.name and isinstance(value, Audience):
            return value.renamed(given.name)
        return value

    @traitlets.observe("selection")
    def _follow_selection(self, change: dict[str, Any]) -> None:
        value = self._value_of(change["new"])
        # The same people keep the name they were given.
        if not isinstance(value, Audience) or value.expression != _expression_of(self.value):
            self.value = value

    @traitlets.observe("value")
    def _follow_value(self, change: dict[str, Any]) -> None:
        self.selection = self._selection_of(change["new"])

    # -- operations of the page ---------------------------------------------------------------

    def _answer_code(self, request: PageRequest[SelectionArgs]) -> Code:
        """The Python of the page's selection, which may be newer than the trait."""
        selection = request.args.selection
        same = selection == self.selection
        value = self.value if same else self._value_of(selection)
        return Code(cell_code(value, self._names))

    # -- static forms --------------------------------------------------------------------------

    def _describe(self) -> str:
        if self.mode == "audience":
            return f"QuestionPicker(value={self.to_code()}, mode='audience')"
        leaves = ", ".join(leaf.to_code() for leaf in self._leaves)
        return f"QuestionPicker(value=[{leaves}])"

    def _static_html(self, room: Room = NOTEBOOK) -> Form:
        if not self.selection:
            return card("Question picker", muted("Nothing picked."))
        try:
            rows = [
                (self._names.question(leaf), self._names.answers(leaf)) for leaf in self._leaves
            ]
        except AudienceError:
            # Codes are used as names where there is no catalogue; the live view shows the reason.
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
