"""Python compiled to WebAssembly, in Node, computes what native Python does, bit for bit.

Runs where `PYODIDE` names a folder of packages compiled for that of `js/node_modules/pyodide`.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement

import audiencelab
from tests.emscripten import figures

HERE = Path(__file__).parent
CORE = HERE.parents[1] / "js" / "node_modules" / "pyodide"
COMPILED = os.environ.get("PYODIDE", "")
PLATFORM = {"sys_platform": "emscripten", "python_version": "3.13", "extra": ""}

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not COMPILED, reason="PYODIDE names no folder of compiled packages"),
]


def requirements(name: str, extras: set[str]) -> dict[str, set[str]]:
    """The packages that one needs on that platform, with their extras."""
    found: dict[str, set[str]] = {}
    for line in metadata.requires(name) or []:
        each = Requirement(line)
        environments = [PLATFORM | {"extra": extra} for extra in extras | {""}]
        if each.marker is None or any(map(each.marker.evaluate, environments)):
            found.setdefault(each.name, set()).update(each.extras)
    return found


def copy_pure_packages(into: Path) -> None:
    """This package with all that it needs and that is not compiled, from this environment."""
    waiting, seen = {"audiencelab": {"widgets"}}, {"numpy", "msgspec", "pandas"}
    while waiting:
        name, extras = waiting.popitem()
        seen.add(name)
        for file in metadata.files(name) or []:
            if ".." not in file.parts and not re.search(r"\.(so|pyc|pyd)$", file.name):
                target = into / file
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(str(file.locate()), target)
        needed = requirements(name, extras)
        waiting |= {other: more for other, more in needed.items() if other not in seen}
    ours = Path(audiencelab.__file__).parent
    skipped = shutil.ignore_patterns("labextension", "__pycache__")
    shutil.copytree(ours, into / "audiencelab", ignore=skipped, dirs_exist_ok=True)


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], dict[str, Any]]:
    """The figures of native Python, and those of Pyodide."""
    runtime, site, folder = (tmp_path_factory.mktemp(name) for name in ("run", "site", "folder"))
    for source in (CORE, Path(COMPILED)):
        shutil.copytree(source, runtime, dirs_exist_ok=True)
    copy_pure_packages(site)
    native = figures.figures(folder, record=True)
    for suffix in figures.FILES:
        (folder / f"people{suffix}").write_text("id,sex\n1,Woman\n2,Man\n")
    with audiencelab.serve(token="tok-emscripten") as address:
        with audiencelab.connect(address, token="tok-emscripten") as client:
            native["remote"] = client.crosstab("Gender", "Age").to_html()
        call = f"await in_node('/folder', {address!r}, 'tok-emscripten')"
        done = subprocess.run(
            ["node", HERE / "run.mjs", runtime, site, folder, HERE / "figures.py", call],
            capture_output=True,
            text=True,
            check=False,
        )
    if done.returncode:
        pytest.fail(done.stderr[-5000:])
    native["local"] = audiencelab.connect().crosstab("Gender", "Age").to_html()
    return native, json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize(
    "name", ["checksum", *("size", "stats", "crosstab", "wide", "profile", "overlap")]
)
def test_it_computes_what_native_python_does(name: str, both: Any) -> None:
    native, there = both
    assert there[name] == native[name]


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
