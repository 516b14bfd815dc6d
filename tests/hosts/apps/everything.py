"""One widget of each kind over the demo survey, and a file that tells what Python heard of it."""

from __future__ import annotations

import json
import os
import uuid
from pathlib import Path
from typing import Any

import audiencelab as al
from audiencelab import course

HEARD = Path(os.environ.get("AUDIENCELAB_HEARD", "heard.jsonl"))
"""A line of JSON for each change that came from a page."""


def widgets() -> dict[str, Any]:
    """The widgets by their kinds; each call is a visitor of its own."""
    client = al.connect()
    ages = client.catalogue.audiences("Age")
    grid = al.Crosstab(client, rows="Gender", columns=ages, metric="index")
    shown: dict[str, Any] = {
        "picker": al.QuestionPicker(client, ["q20"]),
        "editor": al.AudienceEditor(client, al.Q("q4").any("q4_2").named("Youngest")),
        "grid": grid,
        "chart": grid.linked_chart("bar"),
        "workbench": al.Workbench(client, "Finding brands", "Age"),
        "play": course.play.ask_again(37, 500),
    }
    visitor = uuid.uuid4().hex[:8]

    def hear(kind: str, names: str) -> None:
        def note(change: dict[str, Any]) -> None:
            line = {"visitor": visitor, "kind": kind, "name": change["name"]}
            with HEARD.open("a", encoding="utf-8") as written:
                written.write(json.dumps(line) + "\n")

        shown[kind].observe(note, names)

    hear("picker", "value")
    hear("editor", "value")
    hear("grid", "_arrangement")
    hear("grid", "selection")
    return shown
