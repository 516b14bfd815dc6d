"""The packages of a JupyterLite site: its lock file, and what stops a site from being written."""

from __future__ import annotations

import hashlib
import http.server
import json
import sys
import threading
import zipfile
from collections.abc import Iterator
from functools import partial
from importlib.util import MAGIC_NUMBER
from pathlib import Path
from typing import Any

import pytest

from audiencelab.cli import main
from audiencelab.jupyter.launch import LabError
from audiencelab.jupyter.pyodide import (
    LOCK,
    RUNTIME,
    Distribution,
    chart_packages,
    collect,
    own_wheel,
    write_wheel,
)

COMPILED = {
    "numpy": [],
    "pandas": ["numpy"],
    "ipython": ["prompt_toolkit", "traitlets"],
    "prompt-toolkit": [],
    "traitlets": [],
}
"""Packages with what they need, in the two spellings of Pyodide."""
OURS = "audiencelab-2-py3-none-any.whl"
NEEDS = (
    "numpy>=2",
    "pandas>=2",
    "ipython; extra == 'widgets'",
    "scipy; sys_platform != 'emscripten'",
)


@pytest.fixture
def pyodide(tmp_path: Path) -> Path:
    """A folder with what the tests need of Pyodide, in which a package of the lock is missing."""
    folder = tmp_path / "pyodide"
    folder.mkdir()
    packages = {
        name: {
            "name": name,
            "version": "2.5",
            "file_name": f"{name}-2.5-cp313-cp313-wasm32.whl",
            "depends": depends,
        }
        for name, depends in COMPILED.items()
    }
    lock = {"info": {"python": "3.13.2"}, "packages": packages}
    (folder / LOCK).write_text(json.dumps(lock))
    for name in RUNTIME:
        (folder / name).touch()
    for entry in packages.values():
        (folder / str(entry["file_name"])).touch()
    (folder / str(packages["pandas"]["file_name"])).unlink()
    return folder


def test_the_core_of_pyodide_alone_is_refused(pyodide: Path) -> None:
    next(pyodide.glob("numpy-*")).unlink()
    with pytest.raises(LabError, match="unpack a whole release, not its core"):
        Distribution(str(pyodide))


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """The folder of a site for its packages, with a wheel of ours."""
    folder = tmp_path / "place"
    folder.mkdir()
    about = "\n".join(["Name: audiencelab", *(f"Requires-Dist: {each}" for each in NEEDS)])
    files = {"audiencelab/__init__.py": b"", "audiencelab-2.dist-info/METADATA": about.encode()}
    write_wheel(folder / OURS, files)
    return folder


def locked(source: str, place: Path) -> dict[str, dict[str, Any]]:
    collect(Distribution(source), place, [], [place / OURS])
    return json.loads((place / LOCK).read_text())["packages"]


@pytest.fixture
def address(pyodide: Path) -> Iterator[str]:
    """The address of a server of the same files."""
    handler = partial(http.server.SimpleHTTPRequestHandler, directory=str(pyodide))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_an_import_loads_the_package_with_what_it_needs(pyodide: Path, place: Path) -> None:
    packages = locked(str(pyodide), place)
    ours = packages["audiencelab"]
    assert (ours["imports"], ours["file_name"]) == (["audiencelab"], OURS)
    assert ours["sha256"] == hashlib.sha256((place / OURS).read_bytes()).hexdigest()
    assert ours["depends"] == ["ipython", "numpy"]
    assert packages["ipython"]["depends"] == ["prompt-toolkit", "traitlets"]


def test_pandas_is_left_out_where_it_cannot_be_had(pyodide: Path, place: Path) -> None:
    assert "pandas" not in locked(str(pyodide), place)


def test_altair_comes_along_where_what_it_needs_is_compiled(pyodide: Path) -> None:
    assert chart_packages(Distribution(str(pyodide))) == []
    lock = pyodide / LOCK
    lock.write_text(lock.read_text("utf-8").replace("prompt-toolkit", "rpds-py"), "utf-8")
    (pyodide / "rpds-py-2.5-cp313-cp313-wasm32.whl").touch()
    assert chart_packages(Distribution(str(pyodide))) == ["altair>=6"]


def test_packages_of_an_address_are_loaded_from_there(address: str, place: Path) -> None:
    packages = locked(address, place)
    assert packages["numpy"]["file_name"] == f"{address}/numpy-2.5-cp313-cp313-wasm32.whl"
    assert packages["audiencelab"]["file_name"] == OURS
    assert packages["audiencelab"]["depends"] == ["ipython", "numpy", "pandas"]


def test_the_wheel_of_this_package_holds_its_modules_and_its_widgets(tmp_path: Path) -> None:
    with zipfile.ZipFile(own_wheel(tmp_path)) as archive:
        names = set(archive.namelist())
    assert {"audiencelab/__init__.py", "audiencelab/widgets/static/front-end.json"} <= names
    assert not [name for name in names if "labextension" in name or name.endswith(".pyc")]


def test_modules_are_stored_compiled_if_this_python_is_that_of_pyodide(
    pyodide: Path, place: Path
) -> None:
    lock = json.loads((pyodide / LOCK).read_text())
    lock["info"]["python"] = "{}.{}.0".format(*sys.version_info)
    (pyodide / LOCK).write_text(json.dumps(lock))
    locked(str(pyodide), place)
    with zipfile.ZipFile(place / OURS) as archive:
        names = archive.namelist()
        code = archive.read("audiencelab/__init__.pyc")
    assert "audiencelab/__init__.py" not in names
    assert code.startswith(MAGIC_NUMBER)


def test_a_folder_that_is_not_of_pyodide_is_named(tmp_path: Path) -> None:
    with pytest.raises(LabError, match=r"is not a folder of Pyodide: no pyodide\.js, "):
        Distribution(str(tmp_path))


def test_an_address_that_does_not_answer_is_named(tmp_path: Path) -> None:
    with pytest.raises(
        LabError, match=r"^http://127\.0\.0\.1:9/pyodide-lock\.json could not be read"
    ):
        Distribution("http://127.0.0.1:9")


def test_the_command_leaves_other_folders_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("jupyterlite_pyodide_kernel", reason="JupyterLite is not installed")
    (tmp_path / "thesis.txt").touch()
    assert main(["lite", str(tmp_path)]) == 2
    assert "is not empty and not a site: name a new folder" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]
