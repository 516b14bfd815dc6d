"""A version is made of what is committed, of the same bytes each time, and if nothing is wrong.

The repositories here are small ones of their own; `make release DRY_RUN=1` does it with ours.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from tools.release import __main__ as release
from tools.release import trying
from tools.release.building import NotTheSame, build, clone_with_version
from tools.release.checks import changelog_entry, git, obstacles
from tools.release.sbom import write_sbom
from tools.release.trying import Tried

from tests.messages import fails

VERSION = Path("src/audiencelab/_version.py")
PROJECT = """\
[build-system]
requires = ["hatchling>=1.27"]
build-backend = "hatchling.build"

[project]
name = "audiencelab"
dynamic = ["version"]
classifiers = ["Development Status :: 5 - Production/Stable"]

[tool.hatch.version]
path = "src/audiencelab/_version.py"
"""
CHANGELOG = """\
# Changelog

## [Unreleased]

## [1.0.0] - 2026-01-02

### Added

- Everything.

## [0.9.0] - 2025-01-02
"""
Change = Callable[[str, str], None]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A repository that is ready for 1.0.0."""
    folder = tmp_path / "root"
    (folder / VERSION.parent).mkdir(parents=True)
    git(folder, "init", "--quiet", "--initial-branch", "main")
    git(folder, "config", "user.name", "Somebody")
    git(folder, "config", "user.email", "somebody@example.org")
    (folder / "pyproject.toml").write_text(PROJECT)
    (folder / "CHANGELOG.md").write_text(CHANGELOG)
    (folder / ".gitignore").write_text("dist/\nbuild/\n")
    (folder / VERSION).write_text('__version__ = "0.9.1.dev0"\n')
    (folder / VERSION.with_name("__init__.py")).write_text("")
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "-m", "All of it")
    return folder


@pytest.fixture
def change(root: Path) -> Change:
    """Commit another text of a file."""

    def committed(file: str, text: str) -> None:
        (root / file).write_text(text)
        git(root, "add", file)
        git(root, "commit", "--quiet", "-m", f"Another {file}")

    return committed


def test_nothing_stands_against_a_repository_that_is_ready(root: Path) -> None:
    assert obstacles(root, "1.0.0") == []


@pytest.mark.parametrize("version", ["one", "v1.0.0", "1.0.0.dev0", "1.0.0+mine", "1.0.0-rc1"])
def test_a_version_is_written_as_packages_write_it(root: Path, version: str) -> None:
    (said,) = obstacles(root, version)
    assert version.removeprefix("v") in said


def test_what_is_not_committed_stands_against_it(root: Path) -> None:
    (root / "new.txt").write_text("not added")
    (said,) = obstacles(root, "1.0.0")
    assert said.startswith("1 file is not committed")


def test_it_is_made_on_main(root: Path) -> None:
    git(root, "switch", "--quiet", "--create", "aside")
    (said,) = obstacles(root, "1.0.0")
    assert "git switch main" in said


@pytest.mark.parametrize(("tag", "words"), [("v1.0.0", "made once"), ("v1.0.1", "would be older")])
def test_a_version_is_made_once_and_not_after_a_later_one(root: Path, tag: str, words: str) -> None:
    git(root, "tag", "vintage")
    git(root, "tag", tag)
    (said,) = obstacles(root, "1.0.0")
    assert words in said


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("## [Unreleased]\n\n- Everything.\n", "has no entry for 1.0.0"),
        ("## [1.0.0]\n\n- Everything.\n", "needs its day"),
        ("## [1.0.0] - 2026-01-02\n\n## [0.9.0]\n\n- Much.\n", "is empty"),
    ],
)
def test_the_changelog_tells_what_changed(
    root: Path, change: Change, text: str, words: str
) -> None:
    change("CHANGELOG.md", text)
    (said,) = obstacles(root, "1.0.0")
    assert words in said


def test_an_entry_ends_where_the_next_begins() -> None:
    assert changelog_entry(CHANGELOG, "1.0.0") == (" - 2026-01-02", "### Added\n\n- Everything.")
    assert changelog_entry(CHANGELOG, "2.0.0") is None


def test_a_finished_version_does_not_call_itself_an_alpha(root: Path, change: Change) -> None:
    change("pyproject.toml", PROJECT.replace("5 - Production/Stable", "3 - Alpha"))
    (said,) = obstacles(root, "1.0.0")
    assert "5 - Production/Stable" in said


def test_the_version_is_set_in_a_clone_and_the_checkout_left_alone(
    root: Path, tmp_path: Path
) -> None:
    before = git(root, "rev-parse", "HEAD")
    commit = clone_with_version(root, tmp_path / "clone", "1.0.0")
    assert git(tmp_path / "clone", "show", f"{commit}:{VERSION}") == '__version__ = "1.0.0"'
    assert git(tmp_path / "clone", "rev-parse", f"{commit}~") == before
    assert git(root, "rev-parse", "HEAD") == before
    assert git(root, "status", "--porcelain") == ""


def test_a_version_that_is_set_already_needs_no_commit(
    root: Path, change: Change, tmp_path: Path
) -> None:
    change(str(VERSION), '__version__ = "1.0.0"\n')
    assert clone_with_version(root, tmp_path / "c", "1.0.0") == git(root, "rev-parse", "HEAD")


@pytest.mark.slow
def test_two_builds_have_the_same_bytes(root: Path, tmp_path: Path) -> None:
    clone_with_version(root, tmp_path / "clone", "1.0.0")
    made = build(tmp_path / "clone", tmp_path / "dist")
    assert [file.name for file in made] == [
        "audiencelab-1.0.0-py2.py3-none-any.whl",
        "audiencelab-1.0.0.tar.gz",
    ]


@pytest.mark.slow
def test_the_bill_of_materials_lists_python_and_npm_packages(
    root: Path, change: Change, tmp_path: Path
) -> None:
    package = {"name": "@preact/signals", "versionInfo": "2.0.0", "licenseId": "MIT"}
    change(
        "src/audiencelab/third-party-licenses.json",
        json.dumps({"packages": [package | {"extractedText": "The MIT License"}]}),
    )
    change(
        "pyproject.toml", PROJECT.replace("[project]\n", '[project]\ndependencies = ["click"]\n')
    )
    clone_with_version(root, tmp_path / "clone", "1.0.0")
    [wheel] = [
        each for each in build(tmp_path / "clone", tmp_path / "dist") if each.suffix == ".whl"
    ]
    bill = write_sbom(wheel, sys.executable, tmp_path)
    assert bill.name == "audiencelab-1.0.0.cdx.json"
    text = bill.read_text(encoding="utf-8")
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(text) is None
    assert str(tmp_path) not in text
    found = json.loads(text)
    subject = found["metadata"]["component"]
    assert (subject["name"], subject["version"]) == ("audiencelab", "1.0.0")
    assert {each["purl"].split("@")[0] for each in found["components"]} == {
        "pkg:pypi/click",
        "pkg:npm/%40preact/signals",
    }
    [needed] = [
        each["dependsOn"] for each in found["dependencies"] if each["ref"] == subject["bom-ref"]
    ]
    assert len(needed) == 2


@pytest.mark.slow
def test_a_build_that_tells_where_it_was_made_is_refused(
    root: Path, change: Change, tmp_path: Path
) -> None:
    hook = '\n[tool.hatch.build.targets.sdist.hooks.custom]\npath = "hook.py"\n'
    change("pyproject.toml", PROJECT + hook)
    change(
        "hook.py",
        "from pathlib import Path\n"
        "from hatchling.builders.hooks.plugin.interface import BuildHookInterface\n"
        "class Hook(BuildHookInterface):\n"
        "    def initialize(self, version, build_data):\n"
        "        Path(self.root, 'src/audiencelab/where.py').write_text(repr(self.root))\n",
    )
    clone_with_version(root, tmp_path / "clone", "1.0.0")
    with fails(NotTheSame):
        build(tmp_path / "clone", tmp_path / "dist")


@pytest.fixture
def tried(monkeypatch: pytest.MonkeyPatch) -> list[Tried]:
    """What environments say, and files, instead of making them: `make release` does so for real."""

    def built(clone: Path, out: Path) -> list[Path]:
        out.mkdir()
        wheel = out / "a.whl"
        wheel.write_text((clone / VERSION).read_text())
        return [wheel]

    said = [Tried("3.11", "a.whl", "", "the same")]
    monkeypatch.setattr(release, "build", built)
    monkeypatch.setattr(release, "try_all", lambda *_: said)
    monkeypatch.setattr(release, "write_sbom", lambda wheel, *_: wheel)
    return said


@pytest.mark.usefixtures("tried")
def test_the_tag_is_on_what_was_built(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert release.main(["1.0.0", "--dry-run"], root) == 0
    assert git(root, "tag") == ""
    assert (root / VERSION).read_text() == '__version__ = "0.9.1.dev0"\n'
    assert "It would go." in capsys.readouterr().out

    assert release.main(["1.0.0"], root) == 0
    assert git(root, "rev-parse", "v1.0.0^{commit}") == git(root, "rev-parse", "main")
    assert (root / VERSION).read_text() == '__version__ = "1.0.0"\n'
    assert git(root, "status", "--porcelain") == ""
    subprocess.run(["sha256sum", "--check", "SHA256SUMS"], cwd=root / "dist", check=True)

    assert release.main(["1.0.0"], root) == release.STOPPED
    assert "made once" in capsys.readouterr().out


def test_the_time_of_a_tagged_version_is_found_as_contributors_are_told(root: Path) -> None:
    """Of the commit, and not what else an annotated tag has to say."""
    told = (release.ROOT / "CONTRIBUTING.md").read_text("utf-8")
    [command] = re.findall(r"SOURCE_DATE_EPOCH=\$\(git (.+?)\)", told)
    git(root, "tag", "--annotate", "v1.0.0", "-m", "audiencelab 1.0.0")
    assert git(root, *command.split()) == git(root, "show", "--no-patch", "--format=%ct", "HEAD")


def test_a_fault_in_one_environment_leaves_everything_as_it_was(
    root: Path, tried: list[Tried], capsys: pytest.CaptureFixture[str]
) -> None:
    tried.append(Tried("3.12", "a.whl", "all", fault="no such module"))
    before = git(root, "rev-parse", "HEAD")
    assert release.main(["1.0.0"], root) == release.STOPPED
    assert "Stopped: Python 3.12, a.whl, all: no such module" in capsys.readouterr().out
    assert (git(root, "rev-parse", "HEAD"), git(root, "tag")) == (before, "")
    assert not (root / "dist").exists()


@pytest.mark.usefixtures("tried")
def test_a_commit_made_meanwhile_stops_it(
    root: Path,
    change: Change,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def meanwhile(*_: object) -> list[Tried]:
        change("late.txt", "late")
        return [Tried("3.11", "a.whl", "", "the same")]

    monkeypatch.setattr(release, "try_all", meanwhile)
    assert release.main(["1.0.0"], root) == release.STOPPED
    assert git(root, "tag") == ""
    assert not (root / "dist").exists()
    assert "Stopped: main has moved on" in capsys.readouterr().out


def test_other_figures_elsewhere_are_a_fault() -> None:
    same = [Tried("3.11", "a.whl", "", "1"), Tried("3.12", "a.whl", "", "1")]
    assert trying.compared(same) == same
    odd = Tried("3.13", "a.whl", "", "2")
    assert trying.compared([*same, odd])[2].fault == "other figures than with Python 3.11, a.whl"


def test_the_version_stands_in_one_place() -> None:
    """What else tells it, reads it there: builds, the site, JupyterLab's list of extensions."""
    front_end = json.loads((release.ROOT / "js" / "package.json").read_text("utf-8"))
    assert "version" not in front_end
    package = tomllib.loads((release.ROOT / "pyproject.toml").read_text("utf-8"))
    assert "version" in package["project"]["dynamic"]
    assert package["tool"]["hatch"]["version"]["path"] == VERSION.as_posix()


def test_every_extra_is_tried_alone() -> None:
    package = tomllib.loads((release.ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert {*trying.EXTRAS, "all"} == set(package["optional-dependencies"])
