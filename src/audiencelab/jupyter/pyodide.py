"""The Python packages of a JupyterLite site: those that Pyodide provides, and wheels of the others.

Pyodide loads a package when a cell that imports it runs, by a lock file that lists the packages of
its distribution. `collect` adds this package and all that it needs to that list, so that
`import audiencelab` in a cell is enough.
"""

from __future__ import annotations

import compileall
import email
import hashlib
import json
import py_compile
import subprocess
import sys
import tempfile
import warnings
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from importlib import metadata, resources
from pathlib import Path
from typing import Any

import httpx

from audiencelab.jupyter.launch import LabError

try:
    from packaging.requirements import Requirement
    from packaging.utils import canonicalize_name
except ImportError as error:
    raise ImportError('JupyterLite is not installed: pip install "audiencelab[lite]"') from error

LOCK = "pyodide-lock.json"
RUNTIME = ("pyodide.js", "pyodide.asm.js", "pyodide.asm.wasm", "python_stdlib.zip")
"""The files of Pyodide itself that a browser loads."""

_IF_COMPILED = {"pandas"}
"""Requirements of ours that a site does without where Pyodide does not have them."""

_NOT_IMPORTED = {"jupyterlab-widgets", "widgetsnbextension"}
"""Requirements of ipywidgets that hold only scripts for a Jupyter server."""

_NOT_BY_METADATA = ("sqlite3", "ssl", "hashlib", "lzma")
"""Parts of the standard library that are packages in Pyodide."""

_EXTRAS = ("widgets", "excel")
"""This package's extras in a site; those for charts and files do not run in browsers."""

_SECONDS = 60


class Distribution:
    """A distribution of Pyodide: its lock file and its available packages.

    source: the folder or the address where its files are.
    """

    def __init__(self, source: str) -> None:
        self.folder = None if source.startswith(("https://", "http://")) else Path(source)
        self.address = source.rstrip("/") + "/" if self.folder is None else ""
        self.lock: dict[str, Any] = json.loads(self._read_lock())
        python: str = self.lock["info"]["python"]
        self.python = python.rpartition(".")[0]
        self.packages_folder = f"/lib/python{self.python}/site-packages"
        self._known: dict[str, dict[str, Any]] = self.lock["packages"]
        if not self.find(Requirement("numpy")):
            raise LabError(
                f"{source} has no packages beside Pyodide: unpack a whole release, not its core."
            )

    def _read_lock(self) -> bytes:
        if self.folder is None:
            try:
                return (
                    httpx.get(f"{self.address}{LOCK}", timeout=_SECONDS).raise_for_status().read()
                )
            except httpx.HTTPError as error:
                raise LabError(
                    f"{self.address}{LOCK} could not be read: {error}. Give a folder that holds "
                    "Pyodide instead: --pyodide FOLDER."
                ) from None
        missing = [name for name in (*RUNTIME, LOCK) if not (self.folder / name).is_file()]
        if missing:
            raise LabError(f"{self.folder} is not a folder of Pyodide: no {', '.join(missing)}.")
        return (self.folder / LOCK).read_bytes()

    def _listed(self, requirement: Requirement) -> dict[str, Any] | None:
        entry = self._known.get(canonicalize_name(requirement.name))
        return entry if entry and requirement.specifier.contains(entry["version"]) else None

    def find(self, requirement: Requirement) -> dict[str, Any] | None:
        """The entry of a package that satisfies a requirement and whose file is available."""
        entry = self._listed(requirement)
        return entry if entry and self._has_file(entry) else None

    def _has_file(self, entry: Mapping[str, Any]) -> bool:
        return self.folder is None or (self.folder / entry["file_name"]).is_file()

    def pinned(self, requirement: Requirement) -> str:
        """A requirement for pip: of a package that the lock file names, its version there.

        Extras and marker are left out, which `collect` follows.
        """
        entry = self._listed(requirement)
        return f"{requirement.name}{'==' + entry['version'] if entry else requirement.specifier}"

    def packages(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """All packages whose file is available, with the entry that locates it from a site."""
        for name, entry in self._known.items():
            if self._has_file(entry):
                yield name, entry | {"file_name": self.address + entry["file_name"]}


def collect(pyodide: Distribution, into: Path, wanted: Iterable[str], own: Iterable[Path]) -> None:
    """Write wheels and the lock file of a site.

    pyodide: the distribution. into: the folder of the site for them.
    wanted: further requirements than this package's. own: wheels that exist already.
    """
    wheels = {_name_of(path): path for path in own}
    waiting = [Requirement(each) for each in wanted]
    for path in wheels.values():
        waiting += _requirements(path, pyodide.python)
    seen = set(wheels) | _NOT_IMPORTED
    while waiting:
        fetched: list[Requirement] = []
        while waiting:
            requirement = waiting.pop()
            name = canonicalize_name(requirement.name)
            if name in seen:
                continue
            seen.add(name)
            if entry := pyodide.find(requirement):
                waiting += [Requirement(each) for each in entry["depends"]]
            elif name not in _IF_COMPILED:
                fetched.append(requirement)
        for path in _download(map(pyodide.pinned, fetched), into, pyodide.python):
            wheels[_name_of(path)] = path
            waiting += _requirements(path, pyodide.python)
    # Byte code is of one version of Python.
    if pyodide.python == "{}.{}".format(*sys.version_info):
        for path in wheels.values():
            _compile(path, pyodide.packages_folder)
    _write_lock(pyodide, into, wheels)


def chart_packages(pyodide: Distribution) -> list[str]:
    """altair, in the version that finds this package's renderer: Pyodide's own is older.

    None where Pyodide lacks what altair needs compiled.
    """
    return ["altair>=6"] if pyodide.find(Requirement("rpds-py")) else []


def own_wheel(into: Path) -> Path:
    """This package as it is installed, as a wheel; without the extension of JupyterLab's page."""
    found = metadata.distribution("audiencelab")
    stem = f"audiencelab-{found.version}"
    root = resources.files("audiencelab")
    files = {
        f"{stem}.dist-info/{name}": (found.read_text(name) or "").encode()
        for name in ("METADATA", "WHEEL", "entry_points.txt")
    }
    package = Path(str(root))
    for path in sorted(package.rglob("*")):
        inside = path.relative_to(package)
        if path.is_file() and not {"__pycache__", "labextension"} & set(inside.parts):
            files[f"audiencelab/{inside.as_posix()}"] = path.read_bytes()
    # A checkout has the surveys of the course beside the package; a built wheel has them in it.
    data = package.parents[1] / "notebooks" / "data"
    for path in sorted(data.rglob("*.*")):
        files[f"audiencelab/course/data/{path.relative_to(data).as_posix()}"] = path.read_bytes()
    return write_wheel(into / f"{stem}-py3-none-any.whl", files)


def write_wheel(path: Path, files: Mapping[str, bytes]) -> Path:
    """A wheel of some files by their paths in it; a RECORD is added."""
    info = f"{'-'.join(path.name.split('-')[:2])}.dist-info"
    record = "".join(f"{name},,\n" for name in (*files, f"{info}/RECORD"))
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in {**files, f"{info}/RECORD": record.encode()}.items():
            # Without the time of the build, so that the same files make the same wheel.
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return path


def _compile(path: Path, home: str) -> None:
    """Replace the modules of a wheel by their byte code, which a browser need not compile again.

    home: the folder that it is installed into, for tracebacks.
    """
    with tempfile.TemporaryDirectory() as folder:
        with zipfile.ZipFile(path) as archive:
            archive.extractall(folder)
        # Unchecked, since the sources are left out. `legacy` writes beside them, where Python
        # imports byte code that has no source.
        always = py_compile.PycInvalidationMode.UNCHECKED_HASH
        with warnings.catch_warnings():
            # Those of other packages' code are not for who writes a site.
            warnings.simplefilter("ignore", SyntaxWarning)
            compileall.compile_dir(
                *(folder, 20, home), quiet=2, legacy=True, workers=1, invalidation_mode=always
            )
        found = sorted(each for each in Path(folder).rglob("*") if each.is_file())
        kept = [
            each for each in found if each.suffix != ".py" or not each.with_suffix(".pyc").exists()
        ]
        write_wheel(path, {each.relative_to(folder).as_posix(): each.read_bytes() for each in kept})


def _download(requirements: Iterable[str], into: Path, python: str) -> list[Path]:
    """Pure wheels of packages, by pip."""
    names = sorted(requirements)
    if not names:
        return []
    before = set(into.glob("*.whl"))
    done = subprocess.run(
        [
            # `collect` follows requirements itself, by the markers of a browser.
            *(sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", into),
            *("--only-binary=:all:", "--platform=any", f"--python-version={python}"),
            *names,
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        reason = done.stderr.strip().splitlines()[-1]
        raise LabError(f"pip could not download pure wheels of {', '.join(names)}: {reason}")
    return sorted(set(into.glob("*.whl")) - before)


def _write_lock(pyodide: Distribution, into: Path, wheels: Mapping[str, Path]) -> None:
    packages = dict(pyodide.packages())
    for name, path in wheels.items():
        needed = [canonicalize_name(each.name) for each in _requirements(path, pyodide.python)]
        packages[name] = {
            "name": name,
            "version": path.name.split("-")[1],
            "file_name": path.name,
            "install_dir": "site",
            "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
            "package_type": "package",
            "imports": _modules(path),
            "depends": needed,
            "unvendored_tests": False,
        }
    ours = packages["audiencelab"]
    ours["depends"] += [*_NOT_BY_METADATA, *(name for name in wheels if name.endswith("-survey"))]
    for entry in packages.values():
        # Pyodide writes some of them with another sign than in its list: prompt_toolkit.
        depends = map(canonicalize_name, entry["depends"])
        entry["depends"] = sorted({name for name in depends if name in packages})
    lock = pyodide.lock | {"packages": dict(sorted(packages.items()))}
    (into / LOCK).write_text(json.dumps(lock, indent=1), "utf-8")


def _requirements(path: Path, python: str) -> list[Requirement]:
    """What a wheel needs in a browser; of this package, with the extras of a site."""
    with zipfile.ZipFile(path) as archive:
        file = next(name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        lines = email.message_from_bytes(archive.read(file)).get_all("Requires-Dist") or []
    chosen = {"", *(_EXTRAS if _name_of(path) == "audiencelab" else ())}
    environment: dict[str, str] = {
        "sys_platform": "emscripten",
        "platform_system": "Emscripten",
        "platform_machine": "wasm32",
        "python_version": python,
        "python_full_version": f"{python}.0",
    }
    found = [Requirement(line) for line in lines]
    return [
        each
        for each in found
        if each.marker is None
        or any(each.marker.evaluate(environment | {"extra": extra}) for extra in chosen)
    ]


def _modules(path: Path) -> list[str]:
    """The import names of a wheel."""
    with zipfile.ZipFile(path) as archive:
        tops = {name.partition("/")[0] for name in archive.namelist()}
    return sorted(
        name.removesuffix(".py")
        for name in tops
        if not name.endswith((".dist-info", ".data")) and name.removesuffix(".py").isidentifier()
    )


def _name_of(path: Path) -> str:
    return canonicalize_name(path.name.partition("-")[0])
