"""The workbench of a survey that was just opened: its first table, and the card of its guesses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from audiencelab.widgets.workbench.widget import Workbench

if TYPE_CHECKING:
    from audiencelab.client import Client


def first_workbench(client: Client) -> Workbench:
    """A workbench with the survey's first table, by the rule of `Catalogue.first_table`."""
    found = client.catalogue.first_table()
    workbench = Workbench(client, *found.axes)
    workbench.open_card(str(found))
    return workbench
