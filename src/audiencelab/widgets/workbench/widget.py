"""Workbench: question picker, audience editor, crosstab grid and chart in one widget.

The parts are the widgets themselves, each with its own models and code. This module combines them:
values that move between them, the chart, the list of past questions, and saving. The page's half is
in `js/src/workbench`.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import msgspec
from msgspec import UNSET, UnsetType

from audiencelab.errors import AudienceError
from audiencelab.expressions import Audience
from audiencelab.markup import Html, card, element, joined
from audiencelab.schema.scope import SCOPE_ARGUMENTS, BaseOf
from audiencelab.widgets._deps import traitlets
from audiencelab.widgets.base import LabWidget
from audiencelab.widgets.crosstab import Crosstab
from audiencelab.widgets.crosstab.axis_edits import QuestionError
from audiencelab.widgets.crosstab.charts import answer_chart
from audiencelab.widgets.crosstab.formatting import LOOKS
from audiencelab.widgets.crosstab.protocol import ChartStyle, Progress
from audiencelab.widgets.crosstab.query import PARTS, GridQuery
from audiencelab.widgets.editor import AudienceEditor
from audiencelab.widgets.editor.document import MalformedDocument, with_condition
from audiencelab.widgets.picker import QuestionPicker
from audiencelab.widgets.rpc_types import Code, Request
from audiencelab.widgets.workbench.document import (
    SUFFIX,
    Study,
    broken_at,
    checked_panes,
    code_from,
    file_stem,
    read_json,
    read_study,
    to_json,
    unused_path,
    write_json,
    write_study,
)
from audiencelab.widgets.workbench.notebook import (
    audience_of_cells,
    notebook_of,
    notebook_spec,
    question_title,
    question_words,
    workbench_code,
)
from audiencelab.widgets.workbench.protocol import (
    AddArgs,
    Added,
    BaseSet,
    NameArgs,
    Picks,
    SavedFile,
    ShowArgs,
    StudyDocument,
    Workbenches,
)
from audiencelab.wording import plural

if TYPE_CHECKING:
    import pandas as pd

    from audiencelab.client import Client
    from audiencelab.widgets.crosstab.axis import AxisName
    from audiencelab.widgets.crosstab.axis_verbs import WidgetAxis
    from audiencelab.widgets.crosstab.query_protocol import How
    from audiencelab.widgets.crosstab.widget import GridSelection
    from audiencelab.widgets.picker.protocol import Picked

_TABLE = (*LOOKS, "transposed")
"""Traits of the grid that define how its table looks."""

_SHARED = tuple(name for name in SCOPE_ARGUMENTS if name != "base_audience")
"""Traits of the grid that the editor follows."""

_PAST_QUESTIONS = 30

_SENTENCE_LENGTH = 400


class Workbench(LabWidget):
    """Picker, editor, crosstab and chart in one widget, for one client.

    client: the client of all parts, from `audiencelab.connect()`.
    rows, columns, base_audience, waves, locations, bases, weight, base_of: the initial question of
        the table, as `Crosstab` takes them.

    `.picker`, `.editor` and `.grid` are its widgets, and work as they do alone: the workbench
    shows what is set in one of them. `.value` is the table's question. The editor counts in the
    scope of the table, but for its base.

    Raises what the three widgets raise.
    """

    kind = traitlets.Unicode("workbench", read_only=True).tag(sync=True)
    panes = traitlets.Dict().tag(sync=True)

    _parts = traitlets.Dict(read_only=True).tag(sync=True)
    _shown = cast("traitlets.List[str]", traitlets.List().tag(sync=True))
    _revision = traitlets.Int(0).tag(sync=True)

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
        base_of: BaseOf = "everyone",
    ) -> None:
        self._use_client(client)
        self._past: list[GridQuery] = []
        self._path: Path | None = None
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
        self.set_trait(
            "_parts", {name: part.model_id for name, part in self._named_parts().items()}
        )
        super().__init__(panes=checked_panes({}))
        for name in _SHARED:
            traitlets.dlink((self.grid, name), (self.editor, name))
        self.grid.observe(self._progressed, "_progress")
        # A small table may already be complete, and sends no more reports.
        progress = cast("dict[str, Any]", self.grid.get_state("_progress"))["_progress"]
        self._remember(msgspec.convert(progress, Progress))
        on = self.channel.on
        on(Workbenches.add, self._answer_add)
        on(Workbenches.condition, self._answer_condition)
        on(Workbenches.base, self._answer_base)
        on(Workbenches.edit, lambda _: self.edit_cells())
        on(Workbenches.show, self._answer_show)
        on(Workbenches.chart, lambda request: answer_chart(self.grid, request.args))
        on(Workbenches.code, lambda _: Code(f"{self.to_code()}\nworkbench"))
        on(Workbenches.document, lambda _: StudyDocument(self.to_document()))
        on(Workbenches.save, self._answer_save)
        on(Workbenches.notebook, self._answer_notebook)
        self._count_revisions()

    def _count_revisions(self) -> None:
        """Increase the trait `_revision` with each change of the document."""

        def count(_: object) -> None:
            self._revision += 1

        self.grid.observe(count, (*_TABLE, *PARTS, "_arrangement"))
        self.editor.observe(count, ("document", "saved"))
        self.picker.observe(count, "selection")
        self.observe(count, "panes")

    # -- the table -------------------------------------------------------------------------------

    @property
    def value(self) -> GridQuery:
        """The question that the table answers."""
        return self.grid.value

    def to_frame(self) -> pd.DataFrame:
        """The complete table as a long frame; see `CrosstabResult.to_frame`.

        >>> al.Workbench(client, "Gender", "Age").to_frame().shape
        (21, 23)
        """
        return self.grid.to_frame()

    def to_code(self) -> str:
        """Python that makes the same workbench, given `client` and `al`.

        >>> print(al.Workbench(client, "Gender", "Age").to_code())
        workbench = al.Workbench(
            client,
            rows=['Gender'],
            columns=['Age'],
        )
        """
        defaults = Crosstab.class_traits()
        settings = {
            f"grid.{name}": repr(value)
            for name in _TABLE
            if (value := getattr(self.grid, name)) != defaults[name].default_value
        }
        if self.editor.value != Audience():
            settings["editor.value"] = self.editor.to_code()
        if self.picker.selection:
            settings["picker.value"] = self.picker.to_code()
        usual = msgspec.to_builtins(ChartStyle())
        if chosen := {name: self.panes[name] for name in usual if self.panes[name] != usual[name]}:
            settings["panes"] = repr(chosen)
        return workbench_code(self.value, settings, self.grid.labels)

    # -- between the parts ----------------------------------------------------------------------

    def add_picked(self, axis: AxisName, how: How = "split") -> int:
        """Add the picked answers to the table; returns the number of new rows or columns.

        axis: "rows" or "columns". how: "split", "and" or "or", as in `Crosstab.rows.add`.

        Raises `AudienceError` while nothing is picked.

        >>> workbench = al.Workbench(client, "Gender", "Age")
        >>> workbench.picker.value = [al.Q("q20").any()]
        >>> workbench.add_picked("rows")
        14
        """
        if not self.picker.selection:
            raise AudienceError("Nothing is picked yet: tick answers first.")
        return self._add(axis, self.picker, how)

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
        expression = self.picker.expression
        if expression is None:
            raise AudienceError("Nothing is picked yet: tick answers first.")
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
        before.add(given, how=how)
        return len(getattr(self.grid, axis)) - len(before)

    def _named_audience(self) -> Audience:
        """The editor's audience, named by its description unless it has a name."""
        if not self.editor.is_valid:
            raise AudienceError("The audience is unfinished: see the messages beside its nodes.")
        audience: Audience = self.editor.value
        return audience if audience.name else audience.renamed(self.editor.describe())

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

    def _remember(self, progress: Progress) -> None:
        # Usually on the loader's thread, like all reports of progress.
        if progress.phase != "done" or not progress.cells:
            return
        question = self.grid.value
        self._past = [question, *(each for each in self._past if each != question)][
            :_PAST_QUESTIONS
        ]
        self._shown = [question_words(each) for each in self._past]

    # -- documents and notebooks ------------------------------------------------------------------

    def to_document(self) -> dict[str, Any]:
        """The workbench as a small JSON object for `Workbench.load`; it contains no counts.

        >>> al.Workbench(client, "Gender", "Age").to_document()["format"]
        'audiencelab.workbench'
        """
        return to_json(
            Study(
                question=self.value,
                table={name: getattr(self.grid, name) for name in _TABLE},
                arrangement=self.grid.arrangement,
                audience=self.editor.document,
                opened=self.editor.saved,
                picked=self.picker.selection,
                panes=checked_panes(self.panes),
                connect=code_from(Path.cwd(), self.client.to_code()),
            )
        )

    def save(self, path: str | Path) -> Path:
        """Write the document to a file, atomically; the survey's path below its folder is relative.

        Replaces a workbench document. Raises `FileExistsError` for another file and `OSError`.

        >>> al.Workbench(client, "Gender", "Age").save(folder / "gender.json").name
        'gender.json'
        """
        self._path = write_study(path, self.to_document(), self.client.to_code())
        return self._path

    @classmethod
    def load(cls, client: Client, document: str | Path | Mapping[str, Any]) -> Workbench:
        """The workbench of a document, or of the file that `save` wrote.

        Raises `BrokenStudy` for a document that is not valid or was written by a newer version,
        `OSError` for a file that cannot be read, and `TypeError` for other types. Codes that the
        service no longer has are reported where they are counted.

        >>> path = al.Workbench(client, "Gender", "Age").save(folder / "gender.json")
        >>> al.Workbench.load(client, path)
        Workbench(3 rows × 7 columns, audience='everyone', 0 questions picked)
        """
        is_file = isinstance(document, str | Path)
        study = read_study(read_json(document) if is_file else document)
        question = study.question.parts
        rows = question["rows"]
        if statistics := question.pop("statistics"):
            question["rows"] = [*(() if rows is None else rows.grouped()), *statistics]
        try:
            workbench = cls(client, **question)
        except QuestionError as error:
            raise broken_at("question", error) from None
        try:
            for name in _TABLE:
                if name in study.table:
                    setattr(workbench.grid, name, study.table[name])
            workbench.grid.arrangement = study.arrangement
            workbench.editor.saved = study.opened
            workbench.editor.document = study.audience
            workbench.picker.selection = study.picked
            workbench.panes = study.panes
        except (traitlets.TraitError, MalformedDocument) as error:
            workbench.close()
            position = "audience" if isinstance(error, MalformedDocument) else "table"
            raise broken_at(position, error) from None
        if is_file:
            workbench._path = Path(document).expanduser().absolute()
        return workbench

    def to_notebook(self, path: str | Path | None = None) -> Path:
        """Write a notebook that counts, shows and draws the same, and return its path.

        path: None is a file in the working directory, named after the question. An existing file is
        never replaced: the name gets -2, -3 …. Raises `OSError`.

        >>> al.Workbench(client, "Gender", "Age").to_notebook(folder / "gender.ipynb").name
        'gender.ipynb'
        """
        # Only the suffix of notebooks: "wave-1.2" is a name that contains a dot.
        if path is None:
            name, folder = file_stem(question_title(self.value)), None
        else:
            given = Path(path).expanduser().absolute()
            name, folder = given.name.removesuffix(".ipynb"), given.parent
        path = unused_path(name, ".ipynb", folder)
        style = msgspec.convert(self.panes, ChartStyle)
        spec = notebook_spec(self.client, self.grid, self.editor.value, style)
        return write_json(path, notebook_of(spec))

    @traitlets.validate("panes")
    def _check_panes(self, proposal: dict[str, Any]) -> dict[str, Any]:
        return checked_panes(proposal["value"])

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

    # -- operations of the page ------------------------------------------------------------------

    def _take_picks(self, selection: list[Picked] | None) -> None:
        # The page may be ahead of the picker's trait, which is sent over another comm.
        if selection is not None:
            self.picker.selection = selection

    def _answer_add(self, request: Request[AddArgs]) -> Added:
        args = request.args
        if args.source == "editor":
            return Added(self.add_audience(args.side))
        self._take_picks(args.selection)
        return Added(self.add_picked(args.side, args.how))

    def _answer_condition(self, request: Request[Picks]) -> None:
        self._take_picks(request.args.selection)
        self.use_picked()

    def _answer_base(self, _: object) -> BaseSet:
        self.use_as_base()
        return BaseSet(self.grid.base_audience is None)

    def _answer_show(self, request: Request[ShowArgs]) -> None:
        place = request.args.place
        if not 0 <= place < len(self._past):
            raise AudienceError("This question is no longer in the list.")
        self.show(self._past[place])

    def _answer_save(self, request: Request[NameArgs]) -> SavedFile:
        name = file_stem(request.args.name or question_title(self.value))
        mine = self._path is not None and self._path.name == f"{name}{SUFFIX}"
        # Only the file that this workbench wrote or was opened from is replaced.
        path = self._path if mine and self._path is not None else unused_path(name, SUFFIX)
        return SavedFile(self.save(path).name)

    def _answer_notebook(self, request: Request[NameArgs]) -> SavedFile:
        name = request.args.name
        return SavedFile(self.to_notebook(file_stem(name) if name else None).name)

    # -- static forms ----------------------------------------------------------------------------

    def _describe(self) -> str:
        rows, columns = self.value.shape
        table = f"{plural(rows, 'row')} × {plural(columns, 'column')}"
        picked = f"{plural(len(self.picker.selection), 'question')} picked"
        return f"Workbench({table}, audience={self.editor.describe()!r}, {picked})"

    def _static_html(self) -> Html:
        parts = [self.grid._static_html()]  # pyright: ignore[reportPrivateUsage] -- a part of it
        if self.editor.expression is not None:
            sentence = self.editor.describe()[:_SENTENCE_LENGTH]
            parts.append(card(self.editor.value.name or "Audience", element("div", sentence)))
        return joined(*parts)

    def _saved_forms(self, room: int) -> dict[str, Any]:
        return self.grid._saved_forms(room)  # pyright: ignore[reportPrivateUsage] -- a part of it
