"""The revision of a workbench: it counts the changes of the document."""

from __future__ import annotations

import audiencelab as al
from audiencelab.client import Client
from audiencelab.widgets.crosstab.view_state import Arrangement, AxisView
from audiencelab.widgets.workbench import Workbench
from tests.widgets.conftest import Wire

PEOPLE = (("Women", "q2_2"), ("Men", "q2_1"))


def test_each_change_of_the_document_is_counted(wire: Wire, small_client: Client) -> None:
    women, men = (al.Audience(name, al.Q("q2").any(code)) for name, code in PEOPLE)
    workbench = Workbench(small_client, rows=[women], columns=[men], base_audience=men)
    workbench.grid.metric = "column_percentage"
    workbench.editor.value = women
    workbench.picker.value = al.Q("q2").any("q2_1")
    workbench.grid.wait(30)
    workbench.grid.arrangement = Arrangement(columns=AxisView(hidden=(0,)))
    document = wire.request(workbench, "document").content["data"]["document"]
    assert document == workbench.to_document()
    assert document["connect"] == workbench.client.to_code()
    changes: list[tuple[object, str, object]] = [
        (workbench.grid, "base_audience", None),
        (workbench.grid, "metric", "index"),
        (workbench.grid, "arrangement", Arrangement()),
        (workbench.editor, "value", al.Audience()),
        (workbench.picker, "value", ()),
        (workbench, "panes", {"closed": ["rail"]}),
    ]
    for owner, name, value in changes:
        before = wire.state(workbench)["_revision"], workbench.to_document()
        setattr(owner, name, value)
        assert wire.state(workbench)["_revision"] > before[0], name
        assert workbench.to_document() != before[1], name
    before = wire.state(workbench)["_revision"]
    workbench.grid.wait(30)
    assert wire.state(workbench)["_revision"] == before
