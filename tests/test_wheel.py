"""What users install: built here, into empty environments.

The source distribution is built from the checkout and the wheel from that, so the second step
has no `js/` and shows that a source distribution installs with no Node.
"""

import email
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

import audiencelab
from audiencelab.course.exercises import LESSONS
from audiencelab.course.published import SURVEYS

ROOT = Path(__file__).parents[1]
STATIC = "audiencelab/widgets/static"
MANIFEST = f"{STATIC}/front-end.json"
BUNDLE = {
    MANIFEST,
    *(f"{STATIC}/{name}" for name in ("loader.js", "page.js", "third-party-licenses.json")),
}
LAB_EXTENSION = "share/jupyter/labextensions/audiencelab"
SERVER_EXTENSION = "etc/jupyter/jupyter_server_config.d/audiencelab.json"
UV = [sys.executable, "-m", "uv"]

pytestmark = pytest.mark.slow


def run(*command: str | Path, **options) -> str:
    done = subprocess.run(
        [str(part) for part in command], capture_output=True, text=True, check=False, **options
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Both distributions."""
    folder = tmp_path_factory.mktemp("dist")
    run(*UV, "build", "--quiet", "--out-dir", folder, ROOT)
    return folder


@pytest.fixture(scope="module")
def wheel(dist: Path) -> Path:
    (found,) = dist.glob("*.whl")
    return found


def test_both_carry_the_built_front_end(dist: Path, wheel: Path) -> None:
    archive = zipfile.ZipFile(wheel)
    modules = {f"{STATIC}/{name}" for name in json.loads(archive.read(MANIFEST))["imports"]}
    bundle = BUNDLE | modules
    # And none of an older build.
    found = {name for name in archive.namelist() if name.startswith(f"{STATIC}/")}
    assert found == bundle
    (source,) = dist.glob("*.tar.gz")
    with tarfile.open(source) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert names >= {f"src/{name}" for name in bundle}
    assert "src/audiencelab/jupyter/labextension/package.json" in names
    assert not any(name.startswith("js/") for name in names)


def test_wheel_holds_the_package_and_nothing_else(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    tops = {name.partition("/")[0] for name in names}
    assert {top for top in tops if not top.endswith((".dist-info", ".data"))} == {"audiencelab"}
    data = {name.partition(".data/data/")[2] for name in names if ".data/" in name}
    assert SERVER_EXTENSION in data
    assert all(name.startswith(LAB_EXTENSION) for name in data - {SERVER_EXTENSION})
    assert not any(name.startswith("audiencelab/jupyter/labextension") for name in names)
    assert "audiencelab/py.typed" in names
    assert "audiencelab/jupyter/templates/starter.ipynb" in names
    lessons = [name for name in names if name.startswith("audiencelab/course/lessons/")]
    assert len(lessons) == len(LESSONS)
    data = {name.split("/")[3] for name in names if name.startswith("audiencelab/course/data/")}
    assert data == {survey.folder for survey in SURVEYS.values()}
    for folder in data:
        assert f"audiencelab/course/data/{folder}/README.md" in names


def test_other_peoples_code_comes_with_its_licences(wheel: Path) -> None:
    archive = zipfile.ZipFile(wheel)
    names = archive.namelist()
    texts = [name for name in names if name.endswith("/third-party-licenses.json")]
    folders = {name.rpartition("/")[0] for name in names if name.endswith(".js")}
    assert folders == {name.rpartition("/")[0] for name in texts}
    assert any(name.endswith(".dist-info/licenses/LICENSE") for name in names)
    for name in texts:
        packages = json.loads(archive.read(name))["packages"]
        assert packages
        assert [each["name"] for each in packages if "opyright" not in each["extractedText"]] == []


def test_a_package_page_has_addresses_and_links_that_work_there(wheel: Path) -> None:
    archive = zipfile.ZipFile(wheel)
    (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
    metadata = email.message_from_bytes(archive.read(name))
    addresses = dict(each.split(", ") for each in metadata.get_all("Project-URL", []))
    assert {"Repository", "Documentation", "Changelog", "Issues"} <= addresses.keys()
    page = str(metadata.get_payload())
    links = re.findall(r'\]\(([^)]+)\)|(?:src|srcset)="([^"]+)"', page)
    assert len(links) > 10
    assert [each for each in links if not "".join(each).startswith("https://")] == []


def test_installs_in_an_empty_environment(wheel: Path, tmp_path: Path) -> None:
    run(*UV, "venv", "--quiet", "--python", sys.executable, tmp_path / "env")
    binaries = tmp_path / "env" / ("Scripts" if os.name == "nt" else "bin")
    run(*UV, "pip", "install", "--quiet", "--python", binaries / "python", wheel)
    code = "import audiencelab, importlib.resources as r; print(audiencelab.__file__)"
    where = run(binaries / "python", "-c", code, cwd=tmp_path).strip()
    assert Path(where).is_relative_to(tmp_path)
    assert run(binaries / "audiencelab", "--version").startswith("audiencelab ")


def test_jupyterlab_lists_its_extension(wheel: Path, tmp_path: Path) -> None:
    run(*UV, "pip", "install", "--quiet", "--no-deps", "--prefix", tmp_path, wheel)
    environment = os.environ | {"JUPYTER_PATH": str(tmp_path / "share" / "jupyter")}
    command = [sys.executable, "-m", "jupyterlab.labextensions", "list"]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
    said = done.stdout + done.stderr
    listed = said.partition(str(tmp_path / LAB_EXTENSION.rpartition("/")[0]))[2].split("\n\n")[0]
    assert f"audiencelab v{audiencelab.__version__} " in listed
    assert "(python, audiencelab)" in listed
    assert "OK" in listed


def test_jupyter_enables_its_server_extension(wheel: Path, tmp_path: Path) -> None:
    """By the file alone that the wheel brings, read as Jupyter reads it."""
    from jupyter_server.extension.config import ExtensionConfigManager
    from jupyter_server.extension.manager import ExtensionPackage

    run(*UV, "pip", "install", "--quiet", "--no-deps", "--prefix", tmp_path, wheel)
    settings = ExtensionConfigManager(read_config_path=[str(tmp_path / "etc" / "jupyter")])
    (name,) = settings.get_jpserver_extensions()
    assert ExtensionPackage(name=name, enabled=True).validate()


@pytest.mark.skipif(os.name == "nt", reason="hides programs by a folder of links")
def test_builds_from_a_checkout_with_no_node_to_build_with(tmp_path: Path) -> None:
    """The build hook asks for a Node from PyPI when the machine has none, or one of long ago."""
    checkout = tmp_path / "checkout"
    for folder in ("src", "js", "notebooks"):
        shutil.copytree(ROOT / folder, checkout / folder, ignore=_not_in_a_fresh_clone)
    for file in ("pyproject.toml", "hatch_build.py", "README.md", "LICENSE"):
        shutil.copy(ROOT / file, checkout)
    environment = os.environ | {"PATH": str(_path_without_node(tmp_path / "bin"))}
    for name in ("node", "npm"):
        old = tmp_path / "bin" / name
        old.write_text('#!/bin/sh\n[ "$1" = --version ] && echo v12.22.9 && exit\nexit 1\n')
        old.chmod(0o755)
    run(*UV, "build", "--quiet", "--wheel", "--out-dir", tmp_path, checkout, env=environment)
    (wheel,) = tmp_path.glob("*.whl")
    assert set(zipfile.ZipFile(wheel).namelist()) >= BUNDLE


def _not_in_a_fresh_clone(folder: str, names: list[str]) -> set[str]:
    return {"node_modules", "static", "labextension", "__pycache__"} & set(names)


def _path_without_node(folder: Path) -> Path:
    folder.mkdir()
    for name in ("sh", "env", "uname"):
        program = shutil.which(name)
        if program is not None:
            (folder / name).symlink_to(program)
    return folder
