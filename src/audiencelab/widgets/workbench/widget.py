"""Workbench: question picker, audience editor, crosstab grid and chart in one widget.

The widgets, and the values that move between them, are in `parts`; here are documents, code and the
operations of the page. The page's half is in `js/src/workbench`.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import replace

from audiencelab.errors import AudienceError
from audiencelab.expressions import Audience
from audiencelab.files import unused_path
from audiencelab.markup import Cards, Form, card, element
from audiencelab.relative_paths import relative_path
from audiencelab.render.room import NOTEBOOK, Room
from audiencelab.widgets._deps import traitlets
from audiencelab.widgets.crosstab.axis_edits import QuestionError
from audiencelab.widgets.crosstab.charts import answer_chart
from audiencelab.widgets.crosstab.deck import Deck
from audiencelab.widgets.crosstab.formatting import SETTINGS
from audiencelab.widgets.crosstab.placed import RowsBeside
from audiencelab.widgets.crosstab.protocol import ChartStyle
from audiencelab.widgets.crosstab.query import PARTS
from audiencelab.widgets.editor.document import MalformedDocument
from audiencelab.widgets.numbered import numbered
from audiencelab.widgets.rpc_types import Code, PageRequest
from audiencelab.widgets.who_counts import usual_base_of
from audiencelab.widgets.workbench.document import (
    SUFFIX,
    WorkbenchState,
    broken_at,
    checked_panes,
    file_stem,
    read_json,
    read_study,
    to_json,
    write_json,
    write_study,
)
from audiencelab.widgets.workbench.notebook import (
    notebook_of,
    notebook_spec,
    question_title,
    workbench_code,
)
from audiencelab.widgets.workbench.parts import PartsWidget
from audiencelab.widgets.workbench.protocol import (
    AddArgs,
    AddedItems,
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
    from audiencelab.widgets.picker.protocol import Picked

_SENTENCE_LENGTH = 400


class Workbench(PartsWidget):
    """Picker, editor, crosstab and chart in one widget, for one client.

    client: the client of all parts, from `audiencelab.connect()`.
    rows, columns and all others: the initial question of the table, as `Crosstab` takes them.

    `.picker`, `.editor` and `.grid` are its widgets, and work as they do alone: the workbench
    shows what is set in one of them. `.value` is the table's question. The editor counts in the
    scope of the table, but for its base.

    Raises what the three widgets raise.
    """

    kind = traitlets.Unicode("workbench", read_only=True).tag(sync=True)
    panes = numbered(traitlets.Dict())

    _path: Path | None = None

    def _serve(self) -> None:
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
        self.grid.use_deck(Deck(self.client))
        self._follow_panes()
        self.grid.observe(self._follow_chart_style, "chart_style")
        self._count_revisions()

    def _count_revisions(self) -> None:
        """Increase the trait `_revision` with each change of the document."""

        def count(_: object) -> None:
            self._revision += 1

        self.grid.observe(count, (*SETTINGS, *PARTS, "_arrangement"))
        self.editor.observe(count, ("document", "saved"))
        self.picker.observe(count, "selection")
        self.observe(count, "panes")

        def count_deck(change: dict[str, Any]) -> None:
            # Not while its file is written.
            old, new = (replace(each, writing=None) for each in (change["old"], change["new"]))
            if old != new:
                self._revision += 1

        self.grid.observe(count_deck, "_deck")

    # -- the chart and the deck --------------------------------------------------------------------

    @property
    def deck(self) -> Deck:
        """The tables and charts that were collected for a presentation; saved with the workbench.

        >>> workbench = al.Workbench(client, "Gender", "Age")
        >>> workbench.deck.add(workbench, "As many men as women")
        >>> workbench.deck
        <Deck of 1 slide: As many men as women>
        """
        return self.grid.deck

    @traitlets.observe("panes")
    def _follow_panes(self, _: object = None) -> None:
        self.grid.chart_style = msgspec.convert(self.panes, ChartStyle)

    def _follow_chart_style(self, change: dict[str, Any]) -> None:
        self.panes = {**self.panes, **msgspec.to_builtins(change["new"])}

    # -- the table -------------------------------------------------------------------------------

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
        changed = self.grid.changed_settings.items()
        settings = {f"grid.{name}": repr(value) for name, value in changed}
        if self.editor.value != Audience():
            settings["editor.value"] = self.editor.to_code()
        if self.picker.selection:
            settings["picker.value"] = self.picker.to_code()
        usual = msgspec.to_builtins(ChartStyle())
        if chosen := {name: self.panes[name] for name in usual if self.panes[name] != usual[name]}:
            settings["panes"] = repr(chosen)
        usual = usual_base_of(self.client)
        made = workbench_code(self.value, settings, self.grid.labels, usual)
        return "\n".join(filter(None, [made, self.deck.to_code("workbench.deck")]))

    # -- documents and notebooks ------------------------------------------------------------------

    def to_document(self) -> dict[str, Any]:
        """The workbench as a small JSON object for `Workbench.load`; it contains no counts.

        >>> al.Workbench(client, "Gender", "Age").to_document()["format"]
        'audiencelab.workbench'
        """
        return to_json(
            WorkbenchState(
                question=self.value,
                table={name: getattr(self.grid, name) for name in SETTINGS},
                arrangement=self.grid.arrangement,
                audience=self.editor.document,
                opened=self.editor.saved,
                picked=self.picker.selection,
                panes=checked_panes(self.panes),
                connect=self.client.to_code(),
                deck=tuple(self.deck),
                template=self.deck.template,
            )
        )

    def save(self, path: str | Path) -> Path:
        """Write the document to a file, atomically; the survey's path below its folder is relative.

        Replaces a workbench document. Raises `FileExistsError` for another file and `OSError`.

        >>> al.Workbench(client, "Gender", "Age").save(folder / "gender.json").name
        'gender.json'
        """
        self._path = write_study(path, self.to_document(), self.client.code_in)
        return relative_path(self._path)

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
        if statistics := question.pop("statistics"):
            question["rows"] = RowsBeside(question["rows"], statistics)
        try:
            workbench = cls(client, **question)
        except QuestionError as error:
            raise broken_at("question", error) from None
        try:
            for name in SETTINGS:
                if name in study.table:
                    setattr(workbench.grid, name, study.table[name])
            workbench.grid.arrangement = study.arrangement
            workbench.editor.saved = study.opened
            workbench.editor.document = study.audience
            workbench.picker.selection = study.picked
            workbench.panes = study.panes
            workbench.deck.fill(study.deck, study.template)
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
        connect = self.client.code_in(path.parent)
        spec = notebook_spec(connect, self.grid, self.editor.value, style, self.deck)
        return relative_path(write_json(path, notebook_of(spec)))

    @traitlets.default("panes")
    def _default_panes(self) -> dict[str, Any]:
        return checked_panes({})

    @traitlets.validate("panes")
    def _check_panes(self, proposal: dict[str, Any]) -> dict[str, Any]:
        return checked_panes(proposal["value"])

    # -- operations of the page ------------------------------------------------------------------

    def _seen(self, selection: list[Picked] | None) -> list[Picked]:
        """What the page saw picked: it may be ahead of the trait, or another page of it."""
        return self.picker.selection if selection is None else selection

    def _answer_add(self, request: PageRequest[AddArgs]) -> AddedItems:
        args = request.args
        if args.source == "editor":
            return AddedItems(self.add_audience(args.side))
        seen = self._seen(args.selection)
        return AddedItems(self._add_picks(args.side, seen, args.how, args.grids))

    def _answer_condition(self, request: PageRequest[Picks]) -> None:
        self._use_picks(self._seen(request.args.selection))

    def _answer_base(self, _: object) -> BaseSet:
        self.use_as_base()
        return BaseSet(self.grid.base_audience is None)

    def _answer_show(self, request: PageRequest[ShowArgs]) -> None:
        place = request.args.place
        if not 0 <= place < len(self._past):
            raise AudienceError("This question is no longer in the list.")
        self.show(self._past[place])

    def _answer_save(self, request: PageRequest[NameArgs]) -> SavedFile:
        name = file_stem(request.args.name or question_title(self.value))
        mine = self._path is not None and self._path.name == f"{name}{SUFFIX}"
        # Only the file that this workbench wrote or was opened from is replaced.
        path = self._path if mine and self._path is not None else unused_path(name, SUFFIX)
        return SavedFile(self.save(path).name)

    def _answer_notebook(self, request: PageRequest[NameArgs]) -> SavedFile:
        name = request.args.name
        return SavedFile(self.to_notebook(file_stem(name) if name else None).name)

    # -- static forms ----------------------------------------------------------------------------

    def _describe(self) -> str:
        rows, columns = self.value.shape
        table = f"{plural(rows, 'row')} × {plural(columns, 'column')}"
        picked = f"{plural(len(self.picker.selection), 'question')} picked"
        return f"Workbench({table}, audience={self.editor.describe()!r}, {picked})"

    def _static_html(self, room: Room = NOTEBOOK) -> Form:
        parts = [self.grid._static_html(room)]  # pyright: ignore[reportPrivateUsage] -- a part of it
        if self.editor.expression is not None:
            sentence = self.editor.describe()[:_SENTENCE_LENGTH]
            parts.append(card(self.editor.value.name or "Audience", element("div", sentence)))
        return Cards(parts)

    def _recorded(self, title: str) -> dict[str, Any]:
        return self.grid._recorded(title)  # pyright: ignore[reportPrivateUsage] -- a part of it

    def _saved_table(self, room: int) -> dict[str, Any] | None:
        return self.grid._saved_table(room)  # pyright: ignore[reportPrivateUsage] -- a part of it
