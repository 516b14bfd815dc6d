"""The operations and traits of the workbench."""

from __future__ import annotations

from types import NoneType
from typing import Any, Literal

import msgspec

from audiencelab.widgets.crosstab.axis import AxisName
from audiencelab.widgets.crosstab.protocol import ChartArgs, DrawnChart
from audiencelab.widgets.crosstab.query_protocol import GridRows, How
from audiencelab.widgets.picker.protocol import Picked
from audiencelab.widgets.rpc_types import Args, Code, Data, NoArgs, PageOperation
from audiencelab.widgets.workbench.card_protocol import SettleArgs, SurveyCard, UnsettleArgs
from audiencelab.widgets.workbench.document import Panes


class Picks(Args):
    """selection: of the picker on the page, which may be newer than its trait."""

    selection: list[Picked] | None = None


class AddArgs(Args):
    """Add the picked answers, or the editor's audience, to an axis."""

    side: AxisName
    how: How = "split"
    grids: GridRows = "distribution"
    source: Literal["picker", "editor"] = "picker"
    selection: list[Picked] | None = None


class AddedItems(Data):
    """The number of new rows or columns."""

    lines: int


class BaseSet(Data):
    """Whether the base of the table is now everyone."""

    everyone: bool


class ShowArgs(Args):
    """The position of a past query in the trait `_shown`."""

    place: int


class NameArgs(Args):
    """name: of the file; "" is one made of the query."""

    name: str = ""


class SavedFile(Data):
    """The name of the file that was written."""

    path: str


class StudyDocument(Data):
    """The workbench as a document."""

    document: dict[str, Any]


class PartIds(Data):
    """Model ids of the widgets in a workbench."""

    picker: str
    editor: str
    grid: str


class WorkbenchTraits(msgspec.Struct):
    """The traits of a workbench; _shown: past queries as text, the newest first.

    _revision: grows with each change of the document. _card: whether the card of the survey is
    open. _survey: grows with each change of the survey.
    """

    panes: Panes
    _parts: PartIds
    _shown: list[str]
    _revision: int
    _card: bool
    _survey: int


class Workbenches:
    """Operations of a workbench."""

    add = PageOperation("add", AddArgs, AddedItems)
    condition = PageOperation("condition", Picks, NoneType)
    base = PageOperation("base", NoArgs, BaseSet)
    edit = PageOperation("edit", NoArgs, NoneType)
    show = PageOperation("show", ShowArgs, NoneType)
    chart = PageOperation("chart", ChartArgs, DrawnChart)
    code = PageOperation("code", NoArgs, Code)
    document = PageOperation("document", NoArgs, StudyDocument)
    save = PageOperation("save", NameArgs, SavedFile)
    notebook = PageOperation("notebook", NameArgs, SavedFile)
    card = PageOperation("card", NoArgs, SurveyCard)
    settle = PageOperation("settle", SettleArgs, SurveyCard)
    unsettle = PageOperation("unsettle", UnsettleArgs, SurveyCard)
