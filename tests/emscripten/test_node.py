"""Python compiled to WebAssembly, in Node, computes what native Python does, bit for bit."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

import audiencelab
from audiencelab.schema import arrays
from audiencelab.schema.local import Precision
from tests.emscripten import figures
from tests.emscripten.conftest import needs_pyodide, run_in_node
from tests.surveys import tee

pytestmark = needs_pyodide


@pytest.fixture(scope="module")
def both(
    runtime: Path, site: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The figures of native Python, and those of Pyodide."""
    folder = tmp_path_factory.mktemp("folder")
    native = figures.figures(folder, record=True)
    source = tee.write(folder / "tee.sav")
    audiencelab.open(source, "gewicht", wave="welle", to=folder / "tee", quiet=True)
    for suffix in figures.FILES:
        (folder / f"people{suffix}").write_text("id,sex\n1,Woman\n2,Man\n")
    with audiencelab.serve(token="tok-emscripten") as address:
        with audiencelab.connect(address, token="tok-emscripten") as client:
            native["remote"] = client.crosstab("Gender", "Age").to_html()
        call = f"await in_node('/folder', {address!r}, 'tok-emscripten')"
        there = json.loads(run_in_node(runtime, site, folder, Path(figures.__file__), call))
    native["of a file"] = figures.of_a_file(folder)
    native["local"] = audiencelab.connect().crosstab("Gender", "Age").to_html()
    return native, there


@pytest.mark.parametrize(
    "name", ["seal", *("size", "stats", "crosstab", "wide", "profile", "overlap")]
)
def test_it_computes_what_native_python_does(name: str, both: Any) -> None:
    native, there = both
    assert there[name] == native[name]


def test_a_file_of_respondents_has_the_same_figures_and_precision(both: Any) -> None:
    """Variances are sums that the libraries of each platform add up in another order."""
    ours, theirs = (found["of a file"] for found in both)
    assert [name for name in ours if theirs[name] != ours[name]] in ([], ["precision"])
    decoder = msgspec.json.Decoder(Precision, dec_hook=arrays.decoded)
    here, there = (decoder.decode(found["precision"]) for found in (ours, theirs))
    for name in ("share", "variance", "rest_covariance", "covariance", "freedom"):
        expected = getattr(here.linearised, name)
        np.testing.assert_allclose(getattr(there.linearised, name), expected, rtol=1e-13)


def test_it_answers_from_a_snapshot_recorded_elsewhere(both: Any) -> None:
    native, there = both
    assert there["replayed"] == native["replayed"]
    assert there["replayed"]["stats"] == native["stats"]


def test_it_asks_a_service_through_the_requests_of_the_browser(both: Any) -> None:
    native, there = both
    assert there["remote"] == native["remote"]


def test_all_widgets_are_made_and_count(both: Any) -> None:
    native, there = both
    assert there["widgets"] == [
        native["local"],
        *("QuestionPicker", "AudienceEditor", "Crosstab", "Workbench"),
    ]


@pytest.mark.parametrize(("call", "package"), [("frame", "pandas"), ("test", "scipy")])
def test_what_needs_another_package_says_so(call: str, package: str, both: Any) -> None:
    _, there = both
    assert there[call].startswith(f"ModuleNotFoundError: {package} is not loaded: run `import")


def test_files_that_cannot_be_read_name_another_way(both: Any) -> None:
    _, there = both
    csv, parquet, *others = there["files"]
    for each in (csv, parquet):
        assert each.startswith("ModuleNotFoundError: pyarrow is not loaded: run `import pyarrow`")
        assert each.endswith('al.open(pandas.read_csv("file.csv")).')
    for each, kind in zip(others, ("SPSS, Stata and SAS files", "Excel workbooks"), strict=True):
        assert each.startswith(f"ModuleNotFoundError: {kind} cannot be read in a browser: import")


def test_charts_need_only_what_their_frames_need(both: Any) -> None:
    _, there = both
    assert there["chart"] == there["frame"]
    assert there["completion"] == ["charts"]
