"""One survey has one answer, to the last digit, by whichever way it is asked.

In process, recorded and replayed, pickled, over HTTP, by several workers and by a cluster. Python
in a browser is compared in `tests/emscripten`.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import audiencelab as al
from tests.golden.api import SAVED_CROSSTAB, mime_bundle
from tests.surveys import tee

TOKEN = "one-answer-7d2e"

AXES = (
    ["Wo kaufen Sie ein?", "Zufriedenheit mit dem Händler"],
    ["Geschlecht", "Liebste Sorte"],
)
"""The rows and columns of a table."""

Results = dict[str, Any]


def ask(client: al.Client) -> Results:
    """Results of the kinds that analysts take, from one client."""
    women = (client["Geschlecht"] == "Weiblich").named("Frauen")
    means = [client["Tassen in der Woche"].mean(), client["Alter in Jahren"].median()]
    return {
        "crosstab": client.crosstab(*AXES),
        "of a base": client.crosstab(
            "Wo kaufen Sie ein?", "Geschlecht", base_audience="Liebste Sorte", waves="latest 2"
        ),
        "means": client.crosstab([*means, "Trinken Sie Tee?"], "Geschlecht"),
        "stats": client.stats("sorte", splitter="waves", audiences=women),
        "numbers": client.stats("tassen", splitter="geschlecht"),
        "profile": client.profile(women, "Wo kaufen Sie ein?"),
    }


FIGURES: dict[str, Callable[[Results], Any]] = {
    **{name: lambda found, name=name: found[name].to_frame() for name in ("crosstab", "of a base")},
    "stats": lambda found: found["stats"].to_frame(),
    "profile": lambda found: found["profile"].to_frame(),
    "means": lambda found: found["means"].statistics.figures,
    "numbers": lambda found: found["numbers"].averages(),
    "columns tested": lambda found: found["crosstab"].test().to_frame(),
    "rest tested": lambda found: found["of a base"].test(vs="rest").to_frame(),
    "rows tested": lambda found: found["crosstab"].test(vs="rows").to_frame(),
    "means tested": lambda found: found["means"].test().statistics.to_frame(),
    "waves tested": lambda found: found["stats"].test(vs="previous wave").to_frame(),
    "profile intervals": lambda found: found["profile"].to_crosstab().intervals(),
    "letters": lambda found: found["crosstab"].test().to_wide(),
    "how they were tested": lambda found: repr(found["crosstab"].test()),
    "items tested": lambda found: found["means"].test_independence(),
    "intervals": lambda found: found["crosstab"].intervals(),
    "intervals by the design": lambda found: found["crosstab"].intervals(design="auto"),
    "chart": lambda found: [*found["crosstab"].chart.bar().to_dict()["datasets"].values()],
    "intervals of stats": lambda found: found["stats"].intervals(design="auto"),
}


def figures(found: Results) -> dict[str, str]:
    """The figures of results as text, every digit of each."""
    return {name: exact(figure(found)) for name, figure in FIGURES.items()}


def exact(value: Any) -> str:
    if hasattr(value, "to_csv"):
        return value.to_csv()
    return repr(value.tolist() if hasattr(value, "tolist") else value)


class Study(NamedTuple):
    """The source, the folder of the survey made of it, the recording, and what was found."""

    source: Path
    survey: Path
    snapshot: Path
    results: Results
    figures: dict[str, str]


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    folder = tmp_path_factory.mktemp("tee")
    source, snapshot = tee.write(folder / "tee.sav"), folder / "tee.audiencelab.jsonl"
    survey = folder / "survey"
    client = al.open(source, "gewicht", wave="welle", to=survey, quiet=True)
    with client.recording(snapshot):
        results = ask(client)
        found = figures(results)
    source.rename(folder / "moved.sav")
    return Study(source, survey, snapshot, results, found)


@contextmanager
def served(study: Study, workers: int = 1) -> Iterator[Results]:
    with (
        al.serve(study.survey, token=TOKEN, workers=workers) as address,
        al.connect(address, token=TOKEN, waves="all") as client,
    ):
        yield ask(client)


@contextmanager
def clustered(study: Study) -> Iterator[Results]:
    from distributed import Client, LocalCluster

    settings = {"dashboard_address": None, "processes": False, "threads_per_worker": 1}
    with (
        LocalCluster(n_workers=2, **settings) as cluster,
        Client(cluster, set_as_default=False) as engine,
        al.connect(survey=study.survey, engine=engine, waves="all") as client,
    ):
        yield ask(client)


@contextmanager
def asked(connect: Callable[[Study], al.Client], study: Study) -> Iterator[Results]:
    with connect(study) as client:
        yield ask(client)


@contextmanager
def unpickled(study: Study) -> Iterator[Results]:
    yield pickle.loads(pickle.dumps(study.results))


WAYS: dict[str, Callable[[Study], Any]] = {
    "folder": partial(asked, lambda study: al.open(study.survey)),
    "replayed by connect": partial(asked, lambda study: al.connect(snapshot=study.snapshot)),
    "replayed by open": partial(
        asked,
        lambda study: al.open(
            study.source, "gewicht", wave="welle", snapshot=study.snapshot, quiet=True
        ),
    ),
    "unpickled": unpickled,
    "HTTP": served,
    "two workers": partial(served, workers=2),
    "cluster": clustered,
}


@pytest.mark.parametrize(
    "way",
    [
        pytest.param(way, marks=pytest.mark.slow if way in {"two workers", "cluster"} else ())
        for way in WAYS
    ],
)
def test_each_way_gives_the_same_figures(way: str, study: Study) -> None:
    with WAYS[way](study) as results:
        found = figures(results)
    expected = study.figures
    assert {name: found[name] for name in FIGURES if found[name] != expected[name]} == {}


def test_so_does_a_widget_and_what_is_saved_of_it(study: Study) -> None:
    table = study.results["crosstab"]
    with al.open(study.survey) as client:
        widget = al.Crosstab(client, *AXES)
        assert widget.wait(60)
        for name in ("crosstab", "columns tested", "letters", "intervals by the design"):
            assert exact(FIGURES[name]({"crosstab": widget.result})) == study.figures[name]
        assert saved(widget.result) == saved(table)


def saved(table: Any) -> dict[str, Any]:
    """The arrays of figures that a notebook saves of a table."""
    planes = mime_bundle(table)[SAVED_CROSSTAB]["planes"]
    return {name: plane["data"] for name, plane in planes.items()}
