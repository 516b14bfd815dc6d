"""`audiencelab lite`: a folder of static files that is JupyterLab with this package in a browser.

Python runs in the page (Pyodide, by JupyterLite's kernel for it), so any web host can serve the
folder and nothing is sent to it. The survey becomes a wheel, which is loaded with this package.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from importlib import import_module
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import Any, cast
from urllib.parse import quote

from audiencelab.client.connection.target import SURVEY_VARIABLE
from audiencelab.jupyter.launch import STARTER, LabError
from audiencelab.jupyter.pyodide import (
    LOCK,
    RUNTIME,
    Distribution,
    chart_packages,
    collect,
    own_wheel,
    write_wheel,
)
from audiencelab.survey import demo_survey

_EXTENSIONS = (
    "audiencelab",
    "anywidget",
    "@jupyter-widgets/jupyterlab-manager",
    "@jupyterlite/pyodide-kernel-extension",
)
"""The extensions of JupyterLab in a site. Others of this environment may need a server."""

_KERNEL = "@jupyterlite/pyodide-kernel-extension"
_LOADED_FIRST = (
    *("micropip", "piplite", "sqlite3", "ipykernel", "comm", "pyodide_kernel", "jedi", "ipython"),
    "audiencelab",
)
"""What is fetched while Python starts; the kernel installs those of its own that are not there."""
_KERNEL_NEEDS = ("micropip", "packaging", "comm", "jedi", "ipython", "tomlkit")
_WHERE = "static/pyodide"
_SURVEY = "audiencelab_site_survey"
_KERNELSPEC = {"display_name": "Python (Pyodide)", "language": "python", "name": "python"}

_INDEX = """\
<!doctype html>
<html lang="en">
  <meta charset="utf-8">
  <title>audiencelab</title>
  <meta http-equiv="refresh" content="0; url={target}">
  <!-- The pages below look for this element here. -->
  <script id="jupyter-config-data" type="application/json" data-jupyter-lite-root=".">{{}}</script>
  <a href="{target}">Open the lab</a>
</html>
"""


def make_site(
    folder: Path,
    *,
    survey: Path | None = None,
    notebooks: Sequence[Path] = (),
    pyodide: str | None = None,
) -> int:
    """Write a site into a folder; returns its size in bytes. An older site there is replaced.

    folder: the folder of the site.
    survey: the folder of a survey that `connect()` opens there; by default the demo survey.
    notebooks: notebooks and folders of notebooks; by default a small starter notebook.
    pyodide: the folder that holds Pyodide, which is copied into the site, or the address that
        browsers load it from; by default the CDN of Pyodide.

    Raises `LabError`: JupyterLite is not installed, the folder holds something else, or a package
    cannot be had for browsers; `SurveyError`: the folder is not a survey.
    """
    if find_spec("jupyterlite_pyodide_kernel") is None:
        raise LabError('JupyterLite is not installed: pip install "audiencelab[lite]"')
    if folder.exists() and any(folder.iterdir()) and not (folder / "jupyter-lite.json").is_file():
        raise LabError(f"{folder} is not empty and not a site: name a new folder.")
    if absent := [str(each) for each in notebooks if not each.exists()]:
        raise LabError(f"There is no notebook {absent[0]}.")
    survey = survey and survey.resolve()
    distribution = Distribution(pyodide or _usual_address())
    # After all that may be refused, so that an older site stays then.
    shutil.rmtree(folder, ignore_errors=True)
    with tempfile.TemporaryDirectory() as temporary:
        work = Path(temporary)
        opened = _copy_notebooks(notebooks, work / "contents")
        _build(work, folder)
        place = folder / _WHERE
        place.mkdir(parents=True)
        # Generating the demo survey in the page takes several seconds.
        wheel = _survey_wheel(survey or demo_survey().path, place)
        own = [own_wheel(place), *_kernel_wheels(place), wheel]
    collect(distribution, place, [*_KERNEL_NEEDS, *chart_packages(distribution)], own)
    if distribution.folder is not None:
        _copy_runtime(distribution, place)
    _configure(folder, distribution, survey)
    _open_first(folder, opened)
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def _usual_address() -> str:
    """Where the kernel loads Pyodide from by default."""
    version = import_module("jupyterlite_pyodide_kernel.constants").PYODIDE_VERSION
    return f"https://cdn.jsdelivr.net/pyodide/v{version}/full/"


def _copy_notebooks(notebooks: Sequence[Path], into: Path) -> str:
    """Copy notebooks, for the kernel of the site; returns the path of the one to open."""
    import nbformat

    into.mkdir()
    if not notebooks:
        starter = files("audiencelab.jupyter.templates").joinpath("starter.ipynb").read_bytes()
        (into / f"{STARTER}.ipynb").write_bytes(starter)
    for source in notebooks:
        if source.is_dir():
            ignored = shutil.ignore_patterns(".*", "__pycache__")
            shutil.copytree(source, into, ignore=ignored, dirs_exist_ok=True)
        else:
            shutil.copy(source, into)
    found = sorted(into.rglob("*.ipynb"))
    for path in found:
        # With whole texts: a file has lists of lines, which only a server joins.
        notebook = cast(Any, nbformat.read(path, as_version=4))  # pyright: ignore[reportUnknownMemberType] -- nbformat has no types
        notebook.metadata["kernelspec"] = _KERNELSPEC
        path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False), "utf-8")
    named = [into / each.name for each in notebooks if each.suffix == ".ipynb"]
    # Of folders, a notebook at the top before those of folders in them.
    chosen = [*named, *sorted(found, key=lambda path: len(path.parts))]
    return chosen[0].relative_to(into).as_posix() if chosen else ""


def _build(work: Path, folder: Path) -> None:
    """Run JupyterLite with the extensions that a site has."""
    done = subprocess.run(
        [
            *(sys.executable, "-m", "jupyterlite_core", "build", "--force", "--no-sourcemaps"),
            *("--lite-dir", work, "--output-dir", folder.absolute(), "--apps", "lab"),
            *("--contents", work / "contents", "--ignore-sys-prefix"),
            *(f"--LiteBuildConfig.federated_extensions={_extension(each)}" for each in _EXTENSIONS),
        ],
        capture_output=True,
        text=True,
        check=False,
        cwd=work,
    )
    if done.returncode:
        raise LabError(f"JupyterLite could not build the site: {done.stderr.strip()[-500:]}")


def _extension(name: str) -> Path:
    """The folder of one of JupyterLab's extensions."""
    from jupyter_core.paths import jupyter_path

    places = [Path(each) / name for each in jupyter_path("labextensions")]
    found = next((each for each in places if (each / "package.json").is_file()), None)
    if found is None:
        raise LabError(f"JupyterLab has no extension {name} here; a site needs it.")
    return found


def _kernel_wheels(into: Path) -> list[Path]:
    """The wheels of JupyterLite's kernel, copied to the other packages."""
    root = _extension(_KERNEL) / "static" / "pypi"
    found = [
        next(root.glob(f"{name}-*.whl")) for name in ("ipykernel", "piplite", "pyodide_kernel")
    ]
    return [Path(shutil.copy(path, into)) for path in found]


def _survey_wheel(survey: Path, into: Path) -> Path:
    """A survey as a package: one compressed file, which Pyodide unpacks where it can be mapped."""
    from audiencelab.client.transports.embedded import open_survey

    open_survey(survey)
    about = f"Metadata-Version: 2.1\nName: {_SURVEY}\nVersion: 1\n".encode()
    kind = b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    content = {
        f"{_SURVEY}/{survey.name}/{path.relative_to(survey).as_posix()}": path.read_bytes()
        for path in sorted(survey.rglob("*"))
        if path.is_file()
    }
    info = f"{_SURVEY}-1.dist-info"
    return write_wheel(
        into / f"{_SURVEY}-1-py3-none-any.whl",
        {f"{info}/METADATA": about, f"{info}/WHEEL": kind, **content},
    )


def _copy_runtime(distribution: Distribution, into: Path) -> None:
    """Copy Pyodide and all packages of its folder."""
    assert distribution.folder is not None
    names = [entry["file_name"] for _, entry in distribution.packages()]
    for name in (*RUNTIME, *names):
        shutil.copy(distribution.folder / name, into)


def _configure(folder: Path, distribution: Distribution, survey: Path | None) -> None:
    """Make the kernel load Pyodide and packages as the site has them."""
    path = folder / "jupyter-lite.json"
    whole = json.loads(path.read_text("utf-8"))
    settings = whole["jupyter-config-data"].setdefault("litePluginSettings", {})
    home = f"{distribution.packages_folder}/{_SURVEY}"
    # The demo survey is where it would be kept once it had been generated.
    found = {SURVEY_VARIABLE: f"{home}/{survey.name}"} if survey else {"AUDIENCELAB_CACHE": home}
    kernel = settings.setdefault(f"{_KERNEL}:kernel", {})
    # Not pyodide.mjs, which this kernel's worker cannot import.
    kernel["pyodideUrl"] = (distribution.address or f"./{_WHERE}/") + "pyodide.js"
    kernel["disablePyPIFallback"] = distribution.folder is not None
    kernel["loadPyodideOptions"] = {
        "lockFileURL": f"./{_WHERE}/{LOCK}",
        "packages": list(_LOADED_FIRST),
        # Messages of widgets contain null, which Pyodide converts to an object that is not None.
        "convertNullToNone": True,
        "env": {"HOME": "/home/pyodide", **found},
    }
    path.write_text(json.dumps(whole, indent=1), "utf-8")


def _open_first(folder: Path, notebook: str) -> None:
    """Make the site's address lead to its notebook."""
    target = f"lab/index.html?path={quote(notebook)}" if notebook else "lab/index.html"
    (folder / "index.html").write_text(_INDEX.format(target=target), "utf-8")
