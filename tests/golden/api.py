"""Every call of audiencelab that the golden results are made with, in one place.

The generator and the tests share it, so a renamed function is renamed here once. `FORMER_COLUMNS`
maps columns of frames that have been renamed since the golden data was written.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

import audiencelab as al
from audiencelab.ingest import import_survey, load_codebook
from audiencelab.jupyter.connections.registry import list_connections
from audiencelab.notebook import export
from audiencelab.survey import Survey, rake
from audiencelab.survey.demo import build_demo_survey
from audiencelab.widgets.crosstab.tiles import Margins, cut_tile

DATA = Path(__file__).resolve().parents[1] / "data"
V1, V2 = DATA / "v1", DATA / "v2"
MASCULINITY = DATA.parents[1] / "notebooks" / "data" / "masculinity_2018"
GOLDEN = DATA / "golden"

FORMER_COLUMNS: dict[str, str] = {}
"""Columns of frames: name now → name in the golden data."""

RESPONDENTS = 3000


class Surveys:
    """The surveys that the golden results are about. folder: where they are imported to."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @cached_property
    def client(self) -> al.Client:
        """The generated demo survey of `RESPONDENTS` respondents, with a store in memory."""
        # Not that of the cache, which may be what an earlier state of the package generated.
        return al.connect(survey=build_demo_survey(self.folder / "demo", RESPONDENTS))

    @cached_property
    def masculinity(self) -> al.Client:
        """The masculinity survey, imported with the codebook of `tests/data/v1`."""
        return al.connect(survey=self._import("masculinity"))

    @cached_property
    def tea(self) -> al.Client:
        """The survey that 2.0 imported, with a store in memory."""
        return al.connect(survey=V2 / "survey")

    def _import(self, name: str) -> Survey:
        sources = [MASCULINITY / "raw-responses.csv.gz"]
        return import_survey(sources, load_codebook(V1 / "masculinity.toml"), self.folder / name)

    def raked(self) -> tuple[Any, al.Client]:
        """What raking the masculinity survey reports, and a client of the raked survey."""
        survey = self._import("to-rake")
        done = rake(survey.path, V1 / "targets.toml", out=self.folder / "raked")
        return done, al.connect(survey=self.folder / "raked")


def question(client: al.Client, code: str) -> list[al.Audience]:
    """The answers of a question as audiences, of a grid its items at any point of the scale."""
    asked = client.catalogue[code]
    return [
        al.Audience(each.name or each.code, al.Q(asked.code).any(each.code))
        for each in asked.datapoints
        if each.accessible
    ]


def wire_body(client: al.Client, method: str, path: str, body: Any = None) -> bytes:
    """The body that the embedded service answers with."""
    return client.request(method, path, json=body).body


def raking_figures(done: Any) -> list[dict[str, Any]]:
    """What raking reports of each group."""
    return [
        {
            "respondents": group.respondents,
            "sweeps": group.iterations,
            "before": group.before,
            "after": group.after,
        }
        for group in done.groups
    ]


def weights(survey: Survey, wave: str) -> Any:
    """The weights of a wave: float64 [respondents]."""
    return survey.wave(wave).weights


def open_survey(path: Path) -> Survey:
    """The survey in a folder."""
    return Survey.open(path)


def grid_widget(client: al.Client, **query: Any) -> Any:
    """A crosstab widget, filled."""
    grid = al.Crosstab(client, **query)
    grid.wait()
    return grid


def tile_bytes(grid: Any) -> bytes:
    """The tile of the whole table of a crosstab widget, header and body, as the browser gets it."""
    result = grid.result
    rows, columns = np.arange(result.shape[0]), np.arange(result.shape[1])
    tile = cut_tile(result, Margins.of(result), rows, columns)
    header = msgspec.to_builtins(tile.header)
    return json.dumps(header, sort_keys=True).encode() + tile.body


def mime_bundle(shown: Any) -> Mapping[str, Any]:
    """What a notebook saves of a result or a widget."""
    bundle = shown._repr_mimebundle_()
    return bundle[0] if isinstance(bundle, tuple) else bundle


SAVED_CROSSTAB = "application/vnd.audiencelab.crosstab.v1+json"


def replay(path: Path, waves: str | None = None) -> al.Client:
    """A client that answers from a snapshot. waves: of requests, `"all"` as `al.open` asks them."""
    return al.connect(snapshot=path, waves=waves)


def known_connections() -> dict[str, tuple[str, str | None]]:
    """Title and target of the connections in the user's `connections.toml`, by name."""
    return {each.name: (each.title, each.target) for each in list_connections().connections}


def course_progress() -> Any:
    """What a student of the course has solved, from the file in the current folder."""
    return al.course.progress(student="ada")


def exported_page(notebook: Path, out: Path) -> str:
    """The page that a notebook is exported to."""
    return export(notebook, out).read_text(encoding="utf-8")
