"""Workbench: question picker, audience editor, crosstab grid and chart in one place.

The parts are the widgets themselves, each with its own models and its own code; what stands here
is how they are put together: what is carried from one to another, the chart, what was shown, and
how all of it is kept. The browser's half lives in `js/src/widgets/workbench`.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from audiencelab.errors import AudienceError
from audiencelab.expressions import Audience
from audiencelab.render.markup import Html, card, element, joined
from audiencelab.widgets.channel import Answer, Request
from audiencelab.widgets.crosstab import CrosstabGrid
from audiencelab.widgets.crosstab.chart import NoChart, chart_kind
from audiencelab.widgets.crosstab.edits import QuestionError
from audiencelab.widgets.crosstab.looks import LOOKS
from audiencelab.widgets.crosstab.query import GridQuery
from audiencelab.widgets.editor import AudienceEditor
from audiencelab.widgets.editor.document import MalformedDocument
from audiencelab.widgets.lab_widget import LabWidget
from audiencelab.widgets.libraries import traitlets
from audiencelab.widgets.picker import QuestionPicker
from audiencelab.widgets.workbench.carrying import audience_of_cells, with_condition
from audiencelab.widgets.workbench.code import making_code
from audiencelab.widgets.workbench.document import BrokenStudy, Study, read_study, written
from audiencelab.widgets.workbench.files import (
    ENDING,
    free_path,
    read_file,
    safe_name,
    write_file,
    write_study,
)
from audiencelab.widgets.workbench.notebook import Told, notebook_of
from audiencelab.widgets.workbench.panes import checked_panes
from audiencelab.widgets.workbench.picture import drawn, drawn_metric
from audiencelab.widgets.workbench.sentences import question_title, question_words
from audiencelab.wording import plural

if TYPE_CHECKING:
    import pandas as pd

    from audiencelab.client import Client
    from audiencelab.widgets.crosstab.editing import Axis
    from audiencelab.widgets.crosstab.given import How
    from audiencelab.widgets.crosstab.widget import GridSelection

__all__ = ["Workbench"]

_TABLE = (*LOOKS, "transposed")
"""Traits of the grid that say how its table is shown."""

_QUESTION = tuple(field.name for field in fields(GridQuery))
"""Traits of the grid that say what its table is of."""

_SHOWN = 30
"""Questions that are remembered."""

_SENTENCE_LENGTH = 400


class Workbench(LabWidget):
    """Picker, editor, grid and chart in one place, for one client.

    client: what answers all of them, from `audiencelab.connect()`.
    rows, columns, base_audience, waves, locations, bases: the table's question to begin with, as
        `CrosstabGrid` takes them.

    `.picker`, `.editor` and `.grid` are the widgets that it is made of, and work as they do alone:
    what is set in one of them is seen here. `.value` is the table's question. The editor counts in
    the waves and locations of the table.

    Raises what the three widgets raise.
    """

    kind = traitlets.Unicode("workbench", read_only=True).tag(sync=True)
    panes = traitlets.Dict().tag(sync=True)

    _parts = traitlets.Dict(read_only=True).tag(sync=True)
    _shown = cast("traitlets.List[str]", traitlets.List().tag(sync=True))

    def __init__(
        self,
        client: Client,
        *,
        rows: object = None,
        columns: object = None,
        base_audience: object = None,
        waves: object = None,
        locations: object = None,
        bases: object = None,
    ) -> None:
        self._answered_by(client)
        self._past: list[GridQuery] = []
        self._path: Path | None = None
        # The grid first: it refuses what cannot be asked, and nothing has to be closed again.
        self.grid = CrosstabGrid(client, rows, columns, base_audience, waves, locations, bases)
        self.picker = QuestionPicker(client)
        self.editor = AudienceEditor(client, waves=self.grid.waves, locations=self.grid.locations)
        self.set_trait(
            "_parts", {name: part.model_id for name, part in self._named_parts().items()}
        )
        super().__init__(panes=checked_panes({}))
        for name in ("waves", "locations"):
            traitlets.dlink((self.grid, name), (self.editor, name))
        self.grid.observe(self._progressed, "_progress")
        # A small table may be complete by now, and tells so no more.
        self._remember(cast("dict[str, Any]", self.grid.get_state("_progress"))["_progress"])
        self.channel.on("add", self._answer_add)
        self.channel.on("condition", self._answer_condition)
        self.channel.on("base", self._answer_base)
        self.channel.on("edit", self._answer_edit)
        self.channel.on("show", self._answer_show)
        self.channel.on("chart", self._answer_chart)
        self.channel.on("code", self._answer_code)
        self.channel.on("save", self._answer_save)
        self.channel.on("notebook", self._answer_notebook)

    # -- what Python reads -----------------------------------------------------------------------

    @property
    def value(self) -> GridQuery:
        """The question that the table answers."""
        return self.grid.value

    def to_frame(self) -> pd.DataFrame:
        """The complete table as a long frame; see `CrosstabResult.to_frame`."""
        return self.grid.to_frame()

    def to_code(self) -> str:
        """Python that makes the same workbench, given `client` and `al`."""
        usual = CrosstabGrid.class_traits()
        settings = {
            f"grid.{name}": repr(value)
            for name in _TABLE
            if (value := getattr(self.grid, name)) != usual[name].default_value
        }
        if self.editor.value != Audience():
            settings["editor.value"] = self.editor.to_code()
        if self.picker.selection:
            settings["picker.value"] = self.picker.to_code()
        return making_code(self.value, settings)

    # -- what is carried from part to part -------------------------------------------------------

    def add_picked(self, side: Axis, how: How = "split") -> int:
        """Put what is picked into the table; returns how many lines have come of it.

        side: "rows" or "columns". how: as `CrosstabGrid.add_rows` has it: "split", "and" or "or".

        Raises `AudienceError` while nothing is picked.
        """
        if not self.picker.selection:
            raise AudienceError("Nothing is picked yet: tick answers first.")
        return self._add(side, self.picker, how)

    def add_audience(self, side: Axis) -> int:
        """Put the editor's audience into the table as a line, unless it stands there already."""
        return self._add(side, self._named_audience(), "split")

    def use_as_base(self) -> None:
        """Count the table within the editor's audience; everyone is no limit."""
        audience = self._named_audience()
        self.grid.ask(base_audience=None if audience.expression is None else audience)

    def use_picked(self) -> None:
        """Add what is picked to the editor's audience as conditions, a step that can be undone.

        Raises `AudienceError` while nothing is picked.
        """
        expression = self.picker.expression
        if expression is None:
            raise AudienceError("Nothing is picked yet: tick answers first.")
        self.editor.work = with_condition(self.editor.work, expression, time.time() * 1000)

    def edit_cells(self) -> None:
        """Put whoever is in the grid's selected cells into the editor, a step that can be undone.

        Raises `AudienceError` while no cell is selected.
        """
        selection = cast("GridSelection | None", self.grid.selection)
        if selection is None:
            raise AudienceError("No cell is selected yet: click one first.")
        self.editor.value = audience_of_cells(selection.rows, selection.columns, self.grid.labels)

    def _add(self, side: Axis, given: object, how: How) -> int:
        if side not in ("rows", "columns"):
            raise AudienceError(f"A line stands in 'rows' or in 'columns', not in {side!r}.")
        add = self.grid.add_rows if side == "rows" else self.grid.add_columns
        before = len(getattr(self.grid, side) or ())
        add(given, how)
        return len(getattr(self.grid, side)) - before

    def _named_audience(self) -> Audience:
        """The editor's audience, named by its own words unless it has a name."""
        if not self.editor.is_valid:
            raise AudienceError("The audience is unfinished: see what is said beside its nodes.")
        audience: Audience = self.editor.value
        return audience if audience.name else audience.renamed(self.editor.describe())

    # -- what was shown --------------------------------------------------------------------------

    def show(self, question: GridQuery) -> None:
        """Ask the table another question, such as one of `.shown`; `TypeError` for what is none."""
        if not isinstance(question, GridQuery):  # pyright: ignore[reportUnnecessaryIsInstance] -- untyped callers
            raise TypeError(
                f"What is shown is a question, such as workbench.shown[0], not "
                f"{type(question).__name__}."
            )
        self.grid.ask(**{name: getattr(question, name) for name in _QUESTION})

    @property
    def shown(self) -> tuple[GridQuery, ...]:
        """The last questions whose tables were complete, the newest first; at most 30."""
        return tuple(self._past)

    def _progressed(self, change: Mapping[str, Any]) -> None:
        self._remember(change["new"])

    def _remember(self, progress: Mapping[str, Any]) -> None:
        # Mostly on the fetcher's thread, as all reports of progress.
        if progress.get("phase") != "done" or not progress.get("cells"):
            return
        question = self.grid.value
        self._past = [question, *(each for each in self._past if each != question)][:_SHOWN]
        self._shown = [question_words(each) for each in self._past]

    # -- kept and opened again -------------------------------------------------------------------

    def to_document(self) -> dict[str, Any]:
        """The workbench as a small JSON object, for `Workbench.load`; it holds no figure."""
        return written(
            Study(
                question=self.value,
                table={name: getattr(self.grid, name) for name in _TABLE},
                arrangement=self.grid.arrangement,
                audience=self.editor.work["document"],
                opened=self.editor.saved,
                picked=self.picker.selection,
                panes=checked_panes(self.panes),
            )
        )

    def save(self, path: str | Path) -> Path:
        """Write the document to a file, whole or not at all, and return its path.

        A document of a workbench that stands there is replaced. Raises `FileExistsError` for any
        other file, and `OSError` where it cannot be written.
        """
        self._path = write_study(path, self.to_document())
        return self._path

    @classmethod
    def load(
        cls, client: Client, document: str | Path | Mapping[str, Any] | None = None
    ) -> Workbench:
        """The workbench of a document, or of the file that `save` wrote.

        Raises `BrokenStudy` for a document that is none, is broken, or comes from a newer version,
        `OSError` for a file that cannot be read, and `TypeError` for what is no client. What the
        service does not know any more is told where it is asked.
        """
        cls._checked_client(client)
        if document is None:
            raise TypeError(
                "Workbench.load needs a document after its client: the path of a saved file, or "
                "what to_document() gave."
            )
        is_file = isinstance(document, str | Path)
        study = read_study(read_file(document) if is_file else document)
        question = {name: getattr(study.question, name) for name in _QUESTION}
        try:
            workbench = cls(client, **question)
        except QuestionError as error:
            raise BrokenStudy(
                f"This document of a workbench is broken at question: {error}"
            ) from None
        try:
            for name in _TABLE:
                if name in study.table:
                    setattr(workbench.grid, name, study.table[name])
            workbench.grid.arrangement = study.arrangement
            workbench.editor.saved = study.opened
            workbench.editor.work = {
                "document": study.audience,
                "history": {"past": [], "future": []},
            }
            workbench.picker.selection = study.picked
            workbench.panes = study.panes
        except (traitlets.TraitError, MalformedDocument) as error:
            workbench.close()
            place = "audience" if isinstance(error, MalformedDocument) else "table"
            raise BrokenStudy(
                f"This document of a workbench is broken at {place}: {error}"
            ) from None
        if is_file:
            workbench._path = Path(document).expanduser().absolute()
        return workbench

    def to_notebook(self, path: str | Path | None = None) -> Path:
        """Write a notebook that counts, shows and draws the same, and return its path.

        path: where; None is the working folder, under a name made of the question. A file that
        stands there is left alone: -2, -3 … goes into the name. Raises `OSError`.
        """
        # Only the ending that a notebook has: "wave-1.2" is a name with a dot in it.
        name = (
            safe_name(question_title(self.value))
            if path is None
            else Path(path).name.removesuffix(".ipynb")
        )
        folder = None if path is None else Path(path).expanduser().absolute().parent
        return write_file(free_path(name, ".ipynb", folder), notebook_of(self._told()))

    def _told(self) -> Told:
        rows, columns = self.value.shape
        kind = None
        with suppress(NoChart):
            kind = chart_kind(rows, columns)
        return Told(
            connect=self.client.to_code(),
            place=repr(self.client).strip("<>"),
            question=self.value,
            metric=drawn_metric(self.grid),
            audience=self.editor.value,
            chart=kind,
            labels=self.grid.labels,
        )

    # -- traits and life -------------------------------------------------------------------------

    @traitlets.validate("panes")
    def _check_panes(self, proposal: dict[str, Any]) -> dict[str, Any]:
        return cast("dict[str, Any]", checked_panes(proposal["value"]))

    def close(self) -> None:
        """Close all parts and the workbench; harmless when repeated."""
        for part in self._named_parts().values():
            part.close()
        super().close()

    def _named_parts(self) -> dict[str, LabWidget]:
        """The widgets that it is made of, as far as they are made."""
        names = ("picker", "editor", "grid")
        return {name: part for name in names if (part := getattr(self, name, None)) is not None}

    # -- what the page asks ----------------------------------------------------------------------

    def _take_picks(self, request: Request) -> None:
        # The page may be ahead of the picker's trait, which comes over another comm.
        if "selection" in request.args:
            self.picker.selection = request.args["selection"]

    def _answer_add(self, request: Request) -> object:
        side = cast("Axis", request.args.get("side"))
        if request.args.get("source") == "editor":
            return {"lines": self.add_audience(side)}
        self._take_picks(request)
        return {"lines": self.add_picked(side, request.args.get("how", "split"))}

    def _answer_condition(self, request: Request) -> None:
        self._take_picks(request)
        self.use_picked()

    def _answer_base(self, _: Request) -> object:
        self.use_as_base()
        return {"everyone": self.grid.base_audience is None}

    def _answer_edit(self, _: Request) -> None:
        self.edit_cells()

    def _answer_show(self, request: Request) -> None:
        place = request.args.get("place")
        if not isinstance(place, int) or not 0 <= place < len(self._past):
            raise AudienceError("This question is not remembered any more.")
        self.show(self._past[place])

    def _answer_chart(self, request: Request) -> Answer:
        picture = drawn(self.grid, request.args)
        request.check()
        return Answer(picture.facts, [picture.image])

    def _answer_code(self, _: Request) -> object:
        return {"code": f"{self.to_code()}\nworkbench"}

    def _answer_save(self, request: Request) -> object:
        name = safe_name(str(request.args.get("name") or question_title(self.value)))
        mine = self._path is not None and self._path.name == f"{name}{ENDING}"
        # What this workbench wrote or was opened from is its own to replace, and nothing else.
        path = self._path if mine and self._path is not None else free_path(name, ENDING)
        return {"path": self.save(path).name}

    def _answer_notebook(self, request: Request) -> object:
        name = request.args.get("name")
        return {"path": self.to_notebook(safe_name(str(name)) if name else None).name}

    # -- as text and without a kernel ------------------------------------------------------------

    def _describe(self) -> str:
        rows, columns = self.value.shape
        table = f"{plural(rows, 'row')} × {plural(columns, 'column')}"
        picked = f"{plural(len(self.picker.selection), 'question')} picked"
        return f"Workbench({table}, audience={self.editor.describe()!r}, {picked})"

    def _static_html(self) -> Html:
        parts = [self._static_form(self.grid)]
        if self.editor.expression is not None:
            sentence = self.editor.describe()[:_SENTENCE_LENGTH]
            parts.append(card(self.editor.value.name or "Audience", element("div", sentence)))
        return joined(*parts)

    def _saved_forms(self, room: int) -> dict[str, Any]:
        return self.grid._saved_forms(room)  # pyright: ignore[reportPrivateUsage] -- a part of it

    @staticmethod
    def _static_form(part: LabWidget) -> Html:
        return part._static_html()
