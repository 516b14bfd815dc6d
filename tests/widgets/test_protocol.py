"""The synced state of each widget is what its module `protocol` declares for the page."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest

import audiencelab as al
from audiencelab.client import Client
from audiencelab.widgets.base import LabWidget
from audiencelab.widgets.crosstab import Crosstab
from audiencelab.widgets.crosstab.protocol import ChartTraits, GridTraits
from audiencelab.widgets.crosstab.view_state import Arrangement, AxisView, SortKey
from audiencelab.widgets.editor import AudienceEditor
from audiencelab.widgets.editor.protocol import EditorTraits
from audiencelab.widgets.picker import QuestionPicker
from audiencelab.widgets.picker.protocol import PickerTraits
from audiencelab.widgets.workbench import Workbench
from audiencelab.widgets.workbench.protocol import WorkbenchTraits
from tests.widgets.conftest import TIMEOUT, Wire, plain

WOMEN, MEN = (
    al.Audience(name, al.Q("q2").any(code)) for name, code in (("W", "q2_2"), ("M", "q2_1"))
)


def picker(client: Client) -> LabWidget:
    made = QuestionPicker(client)
    made.value = al.Q("q2").any("q2_1")
    return made


def grid(client: Client) -> Crosstab:
    made = Crosstab(client, [WOMEN, MEN], [WOMEN], metrics=["size", "index"], decimals=1)
    made.wait(TIMEOUT)
    made.arrangement = Arrangement(rows=AxisView(sort=(SortKey(0),), hidden=(1,)))
    return made


def workbench(client: Client) -> LabWidget:
    made = Workbench(client, rows=[WOMEN], columns=[MEN])
    made.grid.wait(TIMEOUT)
    return made


@pytest.mark.parametrize(
    ("make", "declared"),
    [
        (picker, PickerTraits),
        (lambda client: AudienceEditor(client, WOMEN & ~MEN), EditorTraits),
        (grid, GridTraits),
        (lambda client: grid(client).linked_chart(), ChartTraits),
        (workbench, WorkbenchTraits),
    ],
    ids=["picker", "editor", "crosstab", "chart", "workbench"],
)
def test_the_synced_state_is_the_declared_one(
    wire: Wire,
    small_client: Client,
    make: Callable[[Client], LabWidget],
    declared: type[msgspec.Struct],
) -> None:
    widget = make(small_client)
    state = widget.get_state()
    names = state.keys() - LabWidget.class_traits(sync=True).keys()
    own = {name: plain(state[name]) for name in names}
    assert own.keys() == {field.name for field in msgspec.structs.fields(declared)}
    sent = msgspec.json.encode(own)
    again = msgspec.json.encode(msgspec.json.decode(sent, type=declared))
    assert msgspec.json.decode(again) == msgspec.json.decode(sent)
