"""The JupyterLab extension as it is built: what it says of itself, and what pages fetch."""

import json
import re
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import Any

from jsonschema import Draft7Validator

import audiencelab

EXTENSION = Path(str(files("audiencelab.jupyter"))) / "labextension"
STATIC = EXTENSION / "static"
FRONT_END = Path(str(files("audiencelab.widgets"))) / "static"
PARTS = (
    "crosstab",
    "draw",
    "dropping",
    "extension",
    "mime",
    "page",
    "remoteEntry",
    "savedForm",
    "view",
)
SHARED = re.compile(r"[0-9a-f]{16}\.js")


def described() -> dict[str, Any]:
    return json.loads((EXTENSION / "package.json").read_text(encoding="utf-8"))


def test_it_has_the_version_of_the_package() -> None:
    assert described()["name"] == "audiencelab"
    assert described()["version"] == audiencelab.__version__


def test_the_door_that_jupyterlab_opens_is_there() -> None:
    build = described()["jupyterlab"]["_build"]
    door = (EXTENSION / build["load"]).read_text(encoding="utf-8")
    assert "_JUPYTERLAB" in door
    for module in (build["extension"], build["mimeExtension"]):
        assert f'"{module}"' in door


def test_nothing_old_lies_beside_it() -> None:
    files = {file.name: file for file in STATIC.glob("*.js")}
    parts = {name: file for name, file in files.items() if not SHARED.fullmatch(name)}
    assert sorted(name.partition(".")[0] for name in parts) == sorted(PARTS)
    widgets = json.loads((FRONT_END / "front-end.json").read_text(encoding="utf-8"))["imports"]
    kept = set(widgets) - pulled()
    assert set(files.values()) == fetched(*PARTS) | {STATIC / name for name in kept}


def test_it_has_the_modules_that_kernels_send() -> None:
    sent = {file.name for file in FRONT_END.glob("*.js") if SHARED.fullmatch(file.name)}
    modules = sent - pulled()
    assert len(modules) > 10
    for name in modules:
        text = (FRONT_END / name).read_bytes()
        assert (STATIC / name).read_bytes() == text
        assert name == f"{sha256(text).hexdigest()[:16]}.js"
    door = (EXTENSION / described()["jupyterlab"]["_build"]["load"]).read_text(encoding="utf-8")
    kinds = json.loads((FRONT_END / "front-end.json").read_text(encoding="utf-8"))["kinds"]
    assert {name for name in kinds.values() if f'"{name}"' not in door} == pulled()


def pulled() -> set[str]:
    """What comes from the kernel here, too: the simulations of lessons, without what they share."""
    kinds = json.loads((FRONT_END / "front-end.json").read_text(encoding="utf-8"))["kinds"]
    return {kinds["play"]}


def fetched(*names: str) -> set[Path]:
    """The files of these entry points, with all that they bring at once."""
    found: set[Path] = set()
    waiting = [file for name in names for file in STATIC.glob(f"{name}.*.js")]
    while waiting:
        file = waiting.pop()
        found.add(file)
        text = file.read_text(encoding="utf-8")
        at_once = re.findall(r'(?:from|import)\s*"\./([^"]+)"', text)
        waiting += {STATIC / name for name in at_once} - found
    return found


def size(files: set[Path]) -> int:
    return sum(file.stat().st_size for file in files)


def test_a_page_fetches_little_before_somebody_wants_more() -> None:
    """Charts, the sidebar, tabs and saved crosstabs come with the first of each; most is Vega."""
    first = fetched("remoteEntry", "extension", "mime")
    # Two kilobytes of it are the types of data files, which are needed from the start.
    assert size(first) < 66 * 1024
    for later, most in (("draw", 900), ("page", 128), ("crosstab", 232)):
        assert size(fetched(later) - first) < most * 1024
        assert not fetched(later) <= first


def test_jupyterlab_finds_its_settings() -> None:
    schemas = EXTENSION / described()["jupyterlab"]["schemaDir"] / "audiencelab"
    schema = json.loads((schemas / "plugin.json").read_text(encoding="utf-8"))
    Draft7Validator.check_schema(schema)
    assert schema["title"] == "Audience research"
    # Where JupyterLab's server looks for the version that it shows beside them.
    beside = json.loads((schemas / "package.json.orig").read_text(encoding="utf-8"))
    assert beside["version"] == audiencelab.__version__


def test_nothing_in_it_is_fetched_from_elsewhere() -> None:
    for file in STATIC.glob("*.js"):
        text = file.read_text(encoding="utf-8")
        assert "cdn." not in text, file.name
        assert "unpkg" not in text, file.name


def test_the_licences_of_what_is_bundled_come_along() -> None:
    report = json.loads((STATIC / "third-party-licenses.json").read_text(encoding="utf-8"))
    texts = {each["name"]: each["extractedText"] for each in report["packages"]}
    assert {"vega", "vega-lite", "vega-interpreter", "d3-scale"} <= set(texts)
    assert [name for name, text in texts.items() if not text] == []


def test_notices_that_stand_in_bundled_code_come_along() -> None:
    """Minifying takes them out, and a package's own licence does not repeat them."""
    report = json.loads((STATIC / "third-party-licenses.json").read_text(encoding="utf-8"))
    texts = {each["name"]: each["extractedText"] for each in report["packages"]}
    assert "Redistributions in binary form" in texts["vega-expression"].partition("Esprima")[2]
    assert "Copyright (c) 2013, Jason Davies." in texts["vega-wordcloud"]
