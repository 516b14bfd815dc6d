"""The widgets of a workbench, which share one client, and the values that move between them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

import msgspec
from msgspec import UNSET, UnsetType

from audiencelab.errors import AudienceError
from audiencelab.expressions import Audience, Leaf
from audiencelab.hidden_members import hide_members
from audiencelab.keywords import keywords
from audiencelab.schema.scope import SCOPE_ARGUMENTS, BaseOf
from audiencelab.widgets._deps import ipywidgets, traitlets
from audiencelab.widgets.base import LabWidget
from audiencelab.widgets.crosstab import Crosstab
from audiencelab.widgets.crosstab.coercion import picked
from audiencelab.widgets.crosstab.protocol import TableProgress
from audiencelab.widgets.crosstab.query import GridQuery
from audiencelab.widgets.crosstab.query_rpc import serve_query
from audiencelab.widgets.editor import AudienceEditor
from audiencelab.widgets.editor.document import with_condition
from audiencelab.widgets.picker import QuestionPicker
from audiencelab.widgets.picker.catalogue import serve_catalogue
from audiencelab.widgets.picker.selection import as_expression, checked_selection, leaves_of
from audiencelab.widgets.rpc_types import PageRequest
from audiencelab.widgets.workbench.card import Keep, SurveyCards
from audiencelab.widgets.workbench.card_protocol import SettleArgs, SurveyCard, UnsettleArgs
from audiencelab.widgets.workbench.notebook import audience_of_cells, question_words
from audiencelab.widgets.workbench.protocol import Workbenches

if TYPE_CHECKING:
    from audiencelab.client import Client
    from audiencelab.widgets.crosstab.axis import AxisName
    from audiencelab.widgets.crosstab.axis_verbs import WidgetAxis
    from audiencelab.widgets.crosstab.query_protocol import GridRows, How
    from audiencelab.widgets.crosstab.widget import GridSelection
    from audiencelab.widgets.picker.protocol import Picked

_SHARED = tuple(name for name in SCOPE_ARGUMENTS if name != "base_audience")
"""Traits of the grid that the editor follows."""

_PAST_QUESTIONS = 30


@hide_members("open_card")
class PartsWidget(LabWidget):
    """A picker, an editor and a grid; the editor counts in the scope of the grid, but for its base.

    A subclass registers the operations of its page in `_serve`.
    """

    _is_table = True

    _parts = traitlets.Dict(read_only=True).tag(sync=True, **ipywidgets.widget_serialization)
    _shown = cast("traitlets.List[str]", traitlets.List().tag(sync=True))
    _revision = traitlets.Int(0).tag(sync=True)
    _card = traitlets.Bool(False).tag(sync=True)
    _survey = traitlets.Int(0).tag(sync=True)

    @keywords()
    def __init__(
        self,
        client: Client,
        rows: object = None,
        columns: object = None,
        base_audience: object = None,
        *,
        waves: object = None,
        locations: object = None,
        bases: object = None,
        weight: str | UnsetType | None = UNSET,
        base_of: BaseOf | None = None,
    ) -> None:
        self._use_client(client)
        self._past: list[GridQuery] = []
        self._cards = SurveyCards(client, lambda: self.grid)
        # The grid first: it may raise, and then no other part has to be closed.
        self.grid = Crosstab(
            client,
            rows,
            columns,
            base_audience,
            waves,
            locations,
            bases,
            weight=weight,
            base_of=base_of,
        )
        self.picker = QuestionPicker(client)
        shared = {name: getattr(self.grid, name) for name in _SHARED}
        self.editor = AudienceEditor(client, **shared)
        self.set_trait("_parts", self._named_parts())
        self._adopt(self._parts.values())
        super().__init__()
        for name in _SHARED:
            traitlets.dlink((self.grid, name), (self.editor, name))
        self.grid.observe(self._progressed, "_progress")
        # A small table may already be complete, and sends no more reports.
        progress = cast("dict[str, Any]", self.grid.get_state("_progress"))["_progress"]
        self._remember(msgspec.convert(progress, TableProgress))
        self._serve()
        self.channel.on(Workbenches.card, lambda _: self._cards.state())
        self.channel.on(Workbenches.settle, self._answer_settle)
        self.channel.on(Workbenches.unsettle, self._answer_unsettle)

    def _serve(self) -> None:
        raise NotImplementedError

    @property
    def value(self) -> GridQuery:
        """The question that the table answers."""
        return self.grid.value

    # -- between the parts ----------------------------------------------------------------------

    def add_picked(
        self, axis: AxisName, how: How = "split", grids: GridRows = "distribution"
    ) -> int:
        """Add the picked answers to the table; returns the number of new rows or columns.

        axis: "rows" or "columns". how: "split", "and" or "or", as in `Crosstab.rows.add`. grids:
            "distribution", "top_box" or "mean", as there: what a picked grid becomes.

        Raises `AudienceError` while nothing is picked.

        >>> workbench = al.Workbench(client, "Gender", "Age")
        >>> workbench.picker.value = [al.Q("q20").any()]
        >>> workbench.add_picked("rows", grids="top_box")
        14
        """
        return self._add_picks(axis, self.picker.selection, how, grids)

    def _add_picks(
        self, axis: AxisName, selection: Sequence[Picked], how: How, grids: GridRows
    ) -> int:
        leaves = _picked_leaves(selection)
        split = how == "split"
        return self._add(axis, picked(leaves, self.grid.labels, grids) if split else leaves, how)

    def add_audience(self, axis: AxisName) -> int:
        """Add the editor's audience to the table; returns 0 if it is there already, otherwise 1.

        axis: "rows" or "columns".

        >>> workbench = al.Workbench(client, "Gender", "Age")
        >>> workbench.editor.value = client["Age"].isin(["18 to 24", "25 to 34"])
        >>> workbench.add_audience("columns")
        1
        >>> workbench.grid.columns[-1].name
        'Age is 18 to 24 or 25 to 34'
        """
        return self._add(axis, self._named_audience(), "split")

    def use_as_base(self) -> None:
        """Use the editor's audience as the base of the table; everyone means no base.

        >>> workbench = al.Workbench(client, "Gender", "Age")
        >>> workbench.editor.value = client["Age"].isin(["18 to 24", "25 to 34"])
        >>> workbench.use_as_base()
        >>> workbench.grid.base_audience.name
        'Age is 18 to 24 or 25 to 34'
        """
        audience = self._named_audience()
        self.grid.ask(base_audience=None if audience.expression is None else audience)

    def use_picked(self) -> None:
        """Add the picked answers to the editor's audience as conditions; can be undone.

        Raises `AudienceError` while nothing is picked.

        >>> workbench = al.Workbench(client, "Gender", "Age")
        >>> workbench.picker.value = [al.Q("q4").any("q4_2")]
        >>> workbench.use_picked()
        >>> workbench.editor.describe()
        'Age is 18 to 24'
        """
        self._use_picks(self.picker.selection)

    def _use_picks(self, selection: Sequence[Picked]) -> None:
        expression = as_expression(_picked_leaves(selection))
        if expression is not None:
            self.editor.document = with_condition(self.editor.document, expression)

    def edit_cells(self) -> None:
        """Open the people in the grid's selected cells in the editor; can be undone.

        Raises `AudienceError` while no cell is selected.

        >>> al.Workbench(client, "Gender", "Age").edit_cells()  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        audiencelab.errors.AudienceError: No cell is selected yet: click one first.
        More: ...
        """
        selection = cast("GridSelection | None", self.grid.selection)
        if selection is None:
            raise AudienceError("No cell is selected yet: click one first.")
        self.editor.value = audience_of_cells(selection.rows, selection.columns, self.grid.labels)

    def _add(self, axis: AxisName, given: object, how: How) -> int:
        if axis not in ("rows", "columns"):
            raise AudienceError(f"axis must be 'rows' or 'columns'; got {axis!r}.")
        before: WidgetAxis = getattr(self.grid, axis)
        means = len(self.grid.statistics)
        before.add(given, how=how)
        added = len(getattr(self.grid, axis)) - len(before)
        return added + len(self.grid.statistics) - means

    def _named_audience(self) -> Audience:
        """The editor's audience, named by its description unless it has a name."""
        if not self.editor.is_valid:
            raise AudienceError("The audience is unfinished: see the messages beside its nodes.")
        audience: Audience = self.editor.value
        return audience if audience.name else audience.renamed(self.editor.describe())

    # -- the card of the survey -------------------------------------------------------------------

    def open_card(self, first: str = "") -> None:
        """Show what the import took for granted. first: why the table is of these questions."""
        self._cards.begin(first)
        self._card = True

    def _answer_settle(self, request: PageRequest[SettleArgs]) -> SurveyCard:
        args = request.args
        return self._renewed(lambda: self._cards.settle(args.guess, args.choice))

    def _answer_unsettle(self, request: PageRequest[UnsettleArgs]) -> SurveyCard:
        return self._renewed(lambda: self._cards.unsettle(request.args.guess))

    def _renewed(self, change: Callable[[], Keep | None]) -> SurveyCard:
        """Change the survey, and ask it what is kept of the query."""
        keep, gone = change(), list[str]()
        if keep is not None:
            self._past.clear()
            self._shown = []
            for part in (self.picker, self.editor):
                serve_catalogue(part.channel, self._client)
            serve_query(self.grid.channel, self.grid, self._client)
            known = self._client.catalogue
            self.picker.selection = [
                each for each in self.picker.selection if known.of_code(each["question"])
            ]
            # Rows may have been added while a file was opened again.
            self.grid.renew(lambda query: keep(query, gone))
            self._survey += 1
        self._revision += 1
        return self._cards.state(gone)

    # -- past questions ---------------------------------------------------------------------------

    def show(self, question: GridQuery) -> None:
        """Ask the table another question, such as one of `.shown`; `TypeError` for other types.

        >>> workbench = al.Workbench(client, "Gender", "Age")
        >>> before = workbench.value
        >>> workbench.grid.columns = "Education"
        >>> workbench.show(before)
        >>> len(workbench.grid.columns)
        7
        """
        if not isinstance(question, GridQuery):
            raise TypeError(
                "question must be a GridQuery, such as workbench.shown[0]; got "
                f"{type(question).__name__}."
            )
        self.grid.ask(**question.parts)

    @property
    def shown(self) -> tuple[GridQuery, ...]:
        """The last questions whose tables were completed, newest first; at most 30."""
        return tuple(self._past)

    def _progressed(self, change: Mapping[str, Any]) -> None:
        self._remember(change["new"])

    def _remember(self, progress: TableProgress) -> None:
        # Usually on the loader's thread, like all reports of progress.
        if progress.phase != "done" or not progress.cells:
            return
        question = self.grid.value
        self._past = [question, *(each for each in self._past if each != question)][
            :_PAST_QUESTIONS
        ]
        self._shown = [question_words(each) for each in self._past]

    # -- the widgets ------------------------------------------------------------------------------

    def _parts_of_form(self) -> tuple[LabWidget, ...]:
        return (self, self.grid, self.editor)

    def _is_settled(self) -> bool:
        return self.grid._is_settled()  # pyright: ignore[reportPrivateUsage] -- a part of it

    def close(self) -> None:
        """Close all parts and the workbench; harmless when repeated.

        >>> workbench = al.Workbench(client, "Gender", "Age")
        >>> workbench.close()
        """
        for part in self._named_parts().values():
            part.close()
        super().close()

    def _named_parts(self) -> dict[str, LabWidget]:
        """The widgets of the workbench, as far as they are constructed."""
        names = ("picker", "editor", "grid")
        return {name: part for name in names if (part := getattr(self, name, None)) is not None}


def _picked_leaves(selection: Sequence[Picked]) -> Sequence[Leaf]:
    if not selection:
        raise AudienceError("Nothing is picked yet: tick answers first.")
    return leaves_of(checked_selection(selection))
