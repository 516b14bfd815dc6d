"""The operations of the query bar of a crosstab: what can be chosen, and edits."""

from __future__ import annotations

from typing import Literal, TypeAlias

from audiencelab.schema.scope import BaseOf
from audiencelab.widgets.crosstab.axis import AxisName
from audiencelab.widgets.picker.protocol import CodeName, Picked
from audiencelab.widgets.rpc_types import Args, Data

How = Literal["split", "and", "or"]

GridRows = Literal["distribution", "top_box", "mean"]
"""What a grid becomes: points of the scale for each item, its top two together, or a mean."""


Form = Literal["distribution", "top_box", "mean", "median", "nps"]
"""How a question is shown: its answers (points of each item, bins of numbers), or as one figure."""


class PlacedName(Data):
    """A row of a statistic: how many audiences of the rows come before it, and its groups.

    short: as for names of audiences.
    """

    name: str
    short: str
    before: int
    groups: list[str]


class CodeChoices(Data):
    """Waves or locations: all, the chosen ones, and those that None means.

    window: the time window of the client, such as "latest 4"; "" where it has none.
    """

    all: list[CodeName]
    chosen: list[str] | None
    default: list[str]
    window: str = ""


class QuestionChoice(Data):
    """A question of one answer."""

    code: str
    name: str


class AdjustChoices(Data):
    """The questions that columns can be adjusted for; none with a service of others."""

    questions: list[QuestionChoice]


class Choices(Data):
    """What can be chosen as waves and locations."""

    waves: CodeChoices
    locations: CodeChoices


class AxisArgs(Args):
    """One axis."""

    axis: AxisName


class Block(Data):
    """Neighbours in the same outermost group, or a single item."""

    name: str
    start: int
    count: int
    is_group: bool
    is_net: bool


class Blocks(Data):
    """The blocks of an axis, and the number of those that were left out."""

    blocks: list[Block]
    more: int


class Chosen(Args):
    """What is added: picked answers, and saved audiences by their ids."""

    picked: tuple[Picked, ...] = ()
    saved: tuple[str, ...] = ()


class AddItems(Chosen, tag_field="do", tag="add", kw_only=True):
    """Add items to an axis."""

    axis: AxisName
    how: How = "split"
    grids: GridRows = "distribution"


class NestItems(Chosen, tag_field="do", tag="nest", kw_only=True):
    """Nest the items at some positions, or all, under what is chosen; `table` as for `_Items`.

    Without positions, two or more questions are added instead, each within the one before.
    """

    axis: AxisName
    places: list[int] | None = None
    table: int | None = None


class SetBases(Chosen, tag_field="do", tag="bases"):
    """Keep the bases at some positions, and add what is chosen; `table` as for `_Items`."""

    keep: tuple[int, ...] = ()
    table: int | None = None


class _Items(Args, kw_only=True):
    """table: the generation of the table in which these are positions; None is the present one."""

    axis: AxisName
    places: list[int]
    table: int | None = None


class SetWhoCounts(Args, tag_field="do", tag="who_counts"):
    """Choose who of the base counts in a cell; None is the default of the survey."""

    who: BaseOf | None


class RemoveItems(_Items, tag_field="do", tag="remove"):
    """Remove items."""


class MoveItems(_Items, tag_field="do", tag="move"):
    """Move items before the one at `to`."""

    to: int


class RenameItem(_Items, tag_field="do", tag="rename"):
    """Rename the first of the items."""

    name: str


class NetItems(_Items, tag_field="do", tag="net"):
    """Add a net of items."""

    name: str = ""


class MergeItems(_Items, tag_field="do", tag="merge"):
    """Replace items by one for the people in any of them."""

    name: str = ""


class AddBoxes(_Items, tag_field="do", tag="boxes"):
    """Add top and bottom boxes of the scales that items belong to."""

    top: int = 2
    bottom: int = 2


class AddMeans(Args, tag_field="do", tag="mean"):
    """Add a row of a statistic of a question."""

    question: str
    statistic: str = "mean"


class ShowAs(Args, tag_field="do", tag="show_as", kw_only=True):
    """Show the rows or columns of a question in another form; bins: edges of its numbers."""

    axis: AxisName
    question: str
    form: Form = "distribution"
    bins: list[float] | None = None


class RemoveStatistic(Args, tag_field="do", tag="remove_statistic"):
    """Remove a row of a statistic by its name."""

    name: str


class SetWaves(Args, tag_field="do", tag="waves"):
    """Choose waves; None is the default."""

    codes: list[str] | None


class ShowWaves(Args, tag_field="do", tag="wave_columns"):
    """Show the waves as columns, within each of the present ones; or the columns without them."""

    shown: bool


class SetLocations(Args, tag_field="do", tag="locations"):
    """Choose locations; None is the default."""

    codes: list[str] | None


class SetWeight(Args, tag_field="do", tag="weight"):
    """Choose a weight; None counts every respondent as one."""

    weight: str | None


Edit: TypeAlias = (
    AddItems
    | NestItems
    | SetBases
    | SetWhoCounts
    | RemoveItems
    | MoveItems
    | RenameItem
    | NetItems
    | MergeItems
    | AddBoxes
    | AddMeans
    | ShowAs
    | RemoveStatistic
    | SetWaves
    | ShowWaves
    | SetLocations
    | SetWeight
)
